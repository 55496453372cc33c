#!/usr/bin/env bash
# Builds the benchmarks and runs one of them, or all into one file of figures:
#   run.sh [run|huge|pivots|pnml|annealing|worst|explore] [ARGUMENTS OF GOOGLE BENCHMARK...]
#   run.sh all [--json FILE] [--programs NAMES] [--filter REGEX] [--repetitions N]
set -euo pipefail
cd "$(dirname "$0")/../.."
case "${1:-run}" in
    run | huge | pivots | pnml | annealing | worst | explore | all) ;;
    -h | --help) sed -n '2,4s/^# //p' tests/bench/run.sh; exit ;;
    *) echo "run.sh: no benchmarks '$1': there are run, huge, pivots, pnml, annealing, worst, explore and all" >&2; exit 2 ;;
esac
source .ci/install_packages.sh
install_packages build test >&2
cmake --preset release -DWARPNET_BENCH=ON >/dev/null
cmake --build --preset release | tail -n 1 >&2
if [ "${1:-}" = all ]; then
    exec tests/bench/figures.py measure build/release "${@:2}"
fi
exec "build/release/tests/bench/${1:-run}_bench" "${@:2}"
