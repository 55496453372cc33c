#!/usr/bin/env bash
# Times the kernels of this folder on the GPU of this machine and writes the CSV that `warpnet compare` reads:
#   examples/kernels/measure.sh [-o FILE.csv] [-r REPEATS]     default: standard output, 31 repeats
# Needs nvcc, a GPU and warpnet (found in build/release, in PATH, or as $WARPNET). Counts are those of the PTX that nvcc
# makes for this GPU, per warp, both sides of every branch.
#   examples/kernels/measure.sh --compile-only FOLDER          builds the runner and the PTX there, runs nothing
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
output= repeats=31 folder=
while [ $# -gt 0 ]; do
    case $1 in
        -o) output=$2 ;;
        -r) repeats=$2 ;;
        --compile-only) folder=$2 ;;
        *) sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
    esac
    shift 2
done
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
[ -x "$nvcc" ] || { echo 'measure.sh: no nvcc here' >&2; exit 77; }
architecture=native
if [ -n "$folder" ]; then
    architecture=sm_80 # no GPU to ask
else
    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' EXIT
fi
mkdir -p "$folder"
"$nvcc" -O3 -arch=$architecture -o "$folder/measure" "$here/measure.cu"
for source in matmul_naive matmul_tiled radix_sort reduction vector_add voronoi; do
    "$nvcc" --ptx -arch=$architecture -o "$folder/$source.ptx" "$here/$source.cu"
done
[ "$architecture" = native ] || exit 0

warpnet=${WARPNET:-$here/../../build/release/warpnet}
[ -x "$warpnet" ] || warpnet=$(command -v warpnet)
"$folder/measure" "$repeats" >"$folder/times.csv"
{ # behind the name and the warps of each row, the counts in place of the trips
    IFS= read -r columns
    echo "kernel,warps,arith,shared,global,${columns#kernel,trips,warps,}"
    while IFS= read -r row; do
        kernel=${row%%,*} row=${row#*,}
        trips=${row#\"} trips=${trips%%\"*} row=${row#*\",}
        warps=${row%%,*} row=${row#*,}
        counts=
        for ptx in "$folder"/*.ptx; do
            grep -q "\.entry $kernel(" "$ptx" || continue
            counts=$("$warpnet" ptx "$ptx" --kernel "$kernel" ${trips:+--trips "$trips"} --json |
                sed 's/.*"warps":{"arith":\([0-9]*\),"shared":\([0-9]*\),"global":\([0-9]*\)}.*/\1,\2,\3/')
        done
        echo "$kernel,$warps,$counts,$row"
    done
} <"$folder/times.csv" >"$folder/measured.csv"
if [ -n "$output" ]; then cp "$folder/measured.csv" "$output"; else cat "$folder/measured.csv"; fi
