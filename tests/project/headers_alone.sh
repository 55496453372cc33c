#!/usr/bin/env bash
# Every header without a source of its own compiles alone: headers_alone.sh COMPILER. A header with a source is the first
# that its source includes, so each build compiles it alone (project_test checks this).
set -uo pipefail
cd "$(dirname "$0")/../.."
export compiler=$1

compiles_alone() {
    "$compiler" -std=c++20 -I. -Wall -Wextra -Wpedantic -Werror -fsyntax-only -x c++ - <<<"#include \"$1\""
}
export -f compiles_alone

find engine pnml netgen analysis cli -name '*.hpp' | while read -r header; do
    [ -e "${header%.hpp}.cpp" ] || printf '%s\0' "$header"
done | xargs -0 -P 2 -n 1 bash -c 'compiles_alone "$1" || { echo "does not compile alone: $1"; exit 1; }' _
