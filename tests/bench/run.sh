#!/usr/bin/env bash
# Builds the benchmarks and runs one of them: run.sh [run|huge|pnml|annealing|worst|explore] [ARGUMENTS OF GOOGLE BENCHMARK...]
set -euo pipefail
cd "$(dirname "$0")/../.."
source .ci/install_packages.sh
install_packages build test
cmake --preset release -DWARPNET_BENCH=ON >/dev/null
cmake --build --preset release | tail -n 1
exec "build/release/tests/bench/${1:-run}_bench" "${@:2}"
