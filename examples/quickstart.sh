#!/usr/bin/env bash
# From nothing to an answer: builds warpnet and asks how many steps a real kernel takes on one SM.
#   examples/quickstart.sh [FOLDER]    results go to FOLDER, default build/quickstart
# PRESET: the preset to build, default release; CI names one that it has already built. SEARCH_TIME: time for the
# longest schedule, default 20s; CI takes less.
set -euo pipefail
cd "$(dirname "$0")/.."
source .ci/install_packages.sh

exec 3>&1
section() { printf '\n== %s\n' "$1"; }
run() { # shows a command, even if its output goes to a file, and runs it
    printf '$ %s\n' "${*@Q}" | sed "s/'\([A-Za-z0-9_./,=:-]*\)'/\1/g" >&3
    "$@"
}

section 'Install what is missing, and build'
install_packages build
preset=${PRESET:-release}
search_time=${SEARCH_TIME:-20s}
cmake --preset "$preset" >/dev/null
cmake --build --preset "$preset" | tail -n 1
export PATH=$PWD/build/$preset:$PATH
root=$PWD
results=${1:-build/quickstart}
mkdir -p "$results"
cd "$results"

section 'The kernel: naive matrix multiplication, 64 x 64, blocks of 16 x 16 threads'
n=64
arith=$((30 + 6 * n))
global=$((2 * n + 1))
warps=$((16 * 16 / 32))
cat <<TEXT
Counted by hand in examples/kernels/matmul_naive.ptx (examples/kernels/COUNTS.md), per warp:
  arithmetic       30 once + 6 per trip of the loop, $n trips = $arith
  global memory     1 once + 2 per trip of the loop, $n trips = $global
  shared memory     none
  warps of a block  16 x 16 threads / 32              = $warps
TEXT

section 'Its net, as PNML: the machine of the paper, whose 4 schedulers are shared by all warps'
run warpnet generate warps --warps $warps --schedulers 4 --arith $arith --global $global -o matmul.pnml
run warpnet inspect matmul.pnml

section '1,000 simulations to the dead marking'
run warpnet run matmul.pnml --runs 1000
run warpnet run matmul.pnml --runs 1000 --json >matmul.json

if warpnet --help | grep -q '^  worst '; then
    section "The worst case: a bound at once, and the longest schedule found in $search_time"
    run warpnet worst matmul.pnml --bound
    run warpnet worst matmul.pnml --time-limit "$search_time" --write-schedule worst.csv || [ $? -eq 4 ]
    run warpnet run matmul.pnml --replay worst.csv
    run warpnet draw matmul.pnml --schedule worst.csv -o worst.svg
fi

section 'The same on GPUs since Kepler, which fix each warp to one scheduler: other numbers'
run warpnet generate warps --warps $warps --schedulers 4 --assignment fixed --arith $arith --global $global -o fixed.pnml
run warpnet run fixed.pnml --runs 1000
if warpnet --help | grep -q '^  worst '; then
    run warpnet worst fixed.pnml --time-limit "$search_time" || [ $? -eq 4 ]
fi

section 'Pictures: the net of two such warps, and all of them'
run warpnet generate warps --warps 2 --schedulers 4 --arith $arith --global $global -o two_warps.pnml
run warpnet draw two_warps.pnml --legend -o two_warps.svg
run warpnet draw matmul.pnml -o matmul.svg

section 'One page with all of it, for a browser'
run warpnet report matmul.pnml --time-limit 5s -o matmul.html

made_elsewhere=$root/../shared/pnml/mcc_GPUForwardProgress-PT-08a.pnml
if [ -e "$made_elsewhere" ]; then
    section 'A net made elsewhere: GPUForwardProgress-PT-08a of the Model Checking Contest'
    cp "$made_elsewhere" elsewhere.pnml
    run warpnet inspect elsewhere.pnml
    run warpnet run elsewhere.pnml --runs 1000
fi

section 'Done'
printf 'Results are in %s:' "$results"
printf ' %s' *
printf '\n'
