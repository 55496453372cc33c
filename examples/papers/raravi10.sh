#!/usr/bin/env bash
# [Raravi10] G. Raravi, B. Andersson, "Calculating an upper bound on the finishing time of a group of threads executing
# on a GPU": every figure and number of the paper next to ours.
#   examples/papers/raravi10.sh [--short] [FOLDER]    results go to FOLDER, default build/papers/raravi10
source "$(dirname "$0")/papers.sh"
begin 'Raravi and Andersson 2010: a group of threads on one SM of NVIDIA Fermi' "$@"

longest() { warpnet worst --template fermi "$@" --exact --iterations 200 --chains 4 --json; }
in_order() { warpnet worst --template fermi --paper --iterations 0 --chains 1 "$@" --json; }
gantt() { # FILE SCHEDULE OPTION... of the net, which must be able to follow the schedule
    local picture=$1 schedule=$2
    shift 2
    warpnet generate kernel "$@" -o net.pnml >/dev/null
    warpnet run net.pnml --replay "$schedule" >/dev/null
    warpnet draw net.pnml --schedule "$schedule" -o "$picture" >/dev/null
}
# The conjecture of section III: FT = 3 ceil(n / 16) + 2 + 2 ceil(n / 16) (rep_cnt - 1)
formula() { echo $((3 * (($2 + 15) / 16) + 2 + 2 * (($2 + 15) / 16) * ($1 - 1))); } # rep_cnt n

# --- Figure 2 and the two schedules of Figure 3 (64 threads, the sub-block once)
net=$(warpnet generate kernel --template fermi --repeat 1 --threads 16 | tr ' ' '\n' | sed -n 's/^id="w1_i[0-9]*_\([CL]\)".*/\1/p' | tr -d '\n')
row 'Fig. 2' 'instructions of a thread, sub-block once (S as L)' CLLCL "$net"

a=$(in_order --repeat 1 --gpu-threads 64 --start fixed-priority --schedule fig3a.csv | number found)
row 'Fig. 3a' 'cycles when warps run one after the other' 14 "$a"
gantt fig3a.svg fig3a.csv --template fermi --repeat 1 --threads 64
figure fig3a.svg 'Figure 3a: warps in a fixed order, 64 threads, the sub-block once'

b=$(in_order --repeat 1 --gpu-threads 64 --start round-robin --schedule fig3b.csv | number found)
row 'Fig. 3b' 'cycles when warps take turns' 13 "$b"
gantt fig3b.svg fig3b.csv --template fermi --repeat 1 --threads 64
figure fig3b.svg 'Figure 3b: warps in turn, 64 threads, the sub-block once'

worst=$(longest --repeat 1 --gpu-threads 64)
row 'Sec. III' 'Fig. 3a is the worst case, fair by sub-blocks' 14 "$(number found <<<"$worst")"
row 'Sec. III' '... of all schedules (proved)' true "$(number exact <<<"$worst")"

at_once=$(awk -F , 'NR > 1 { n[$1]++ } END { for (s in n) if (n[s] > most) most = n[s]; print most }' fig3a.csv)
row 'Sec. II' 'warps selected in one cycle, at most (Fig. 3a)' 2 "$at_once" \
    'the figure itself runs a load of warp 1 next to arithmetic of warps 3 and 4 in its second cycle'
two=$(warpnet worst --string CLLCL --warps 4 --units C=2,L=1 --schedulers 2 --exact --iterations 200 --schedule two.csv --json | number found)
row 'Sec. III' 'FT bounds 64 threads, two warps per cycle at most' 14 "$two" \
    'with the two warps per cycle of section II taken literally the conjecture is false: the schedule is drawn'
gantt two.svg two.csv --string CLLCL --warps 4 --units C=2,L=1 --schedulers 2
figure two.svg 'Refutation of FT under the two warps per cycle of section II: 64 threads, the sub-block once, take 15 cycles, FT says 14'

# Two warps per cycle, literally: exact maxima under fairness by sub-blocks
most_warps=4
[ -n "$short" ] || most_warps=6
for r in 1 2; do
    for w in $(seq 2 $((most_warps - r + 1))); do
        printf '%s' "${sep-}$(longest --repeat $r --gpu-threads $((16 * w)) --schedulers 2 | number found) ($(formula $r $((16 * w))))"
        sep=', '
    done >literal.txt
    beyond 'Sec. III' "two warps a cycle, rep_cnt $r, 2 to $((most_warps - r + 1)) warps (FT)" "$(cat literal.txt)"
    unset sep
done
# The closed form for two warps per cycle, proved in docs/explanation/kernel-makespan.md
two_formula() { echo $(((2 * $1 + 1) * (($2 + 15) / 16) + ($2 + 15) / 32 + 1)); } # rep_cnt n
for r in 1 2 20; do
    for n in 128 640 1600; do
        large=$(warpnet worst --template fermi --repeat $r --gpu-threads $n --schedulers 2 --bound --json)
        printf '%s' "${sep-}$(number found <<<"$large"), $(number upper <<<"$large") ($(two_formula $r $n))"
        sep='; '
    done >literal.txt
    beyond 'Sec. III' "... rep_cnt $r, 8, 40, 100 warps (closed form)" "$(cat literal.txt)"
    unset sep
done

# --- Figures 4 and 5, and the closed form
for r in 2 3; do
    found=$(in_order --repeat $r --gpu-threads 64 --start fixed-priority --schedule more.csv | number found)
    row "Fig. $((r + 2))" "cycles, sub-block $r times" $((14 + 8 * (r - 1))) "$found"
    gantt "fig$((r + 2)).svg" more.csv --template fermi --repeat $r --threads 64
    figure "fig$((r + 2)).svg" "Figure $((r + 2)): warps in a fixed order, 64 threads, the sub-block $r times"
done
one=$(longest --repeat 1 --gpu-threads 48 | number found)
two=$(longest --repeat 2 --gpu-threads 48 | number found)
row 'Sec. III' 'more cycles per repetition, 48 threads' 8 $((two - one)) \
    'the text must read 64 threads: the warps of Figures 3 to 5 are four'
one=$(longest --repeat 1 --gpu-threads 64 | number found)
two=$(longest --repeat 2 --gpu-threads 64 | number found)
row 'Sec. III' 'more cycles per repetition, 64 threads' 8 $((two - one))

alone='one warp alone takes 2 + 3 rep_cnt cycles, whatever the schedule: FT forgets it'
most=4
[ -n "$short" ] || most=8
for r in 1 2 3; do
    for w in 1 2 3 4 5 6 7 8; do
        [ "$w" -le "$most" ] || continue
        [ $((w * r)) -le 16 ] || continue
        row 'Sec. III' "FT = exact maximum, $((16 * w)) threads, rep_cnt $r" "$(formula $r $((16 * w)))" \
            "$(longest --repeat $r --gpu-threads $((16 * w)) | number found)" "$([ $w -gt 1 ] || echo "$alone")"
    done
done
in_order --repeat 2 --gpu-threads 16 --start fixed-priority --schedule alone.csv >alone.json
gantt alone.svg alone.csv --template fermi --repeat 2 --threads 16
figure alone.svg "Refutation of FT for one warp: 16 threads, the sub-block twice, take $(number found <alone.json) cycles, one after the other, FT says $(formula 2 16)"
load='64 48 32'
kernel=0 exact=0
for n in $load; do
    bound=$(formula 2 "$n") found=$(longest --repeat 2 --gpu-threads "$n" | number found)
    if [ "$bound" -gt "$kernel" ]; then kernel=$bound; fi
    if [ "$found" -gt "$exact" ]; then exact=$found; fi
done
row 'Sec. III' "FT_kernel of SMs with $load threads, rep_cnt 2" "$kernel" "$exact"

# --- Section I, problem P2: which threads of the host should the GPU assist? The block of 64 threads twice is 22 cycles.
cat >host.json <<JSON
{"gpu": {"sms": 1, "threads_per_sm": 64, "warp_size": 16, "compute_capability": ""}, "kernels": [
  {"name": "filter here", "kind": "cpu", "core": 0, "time": 50, "period": 100, "choice": "filter", "variant": "host"},
  {"name": "filter there", "blocks": 1, "threads": 64, "time": $(formula 2 64), "period": 100, "choice": "filter", "variant": "GPU"},
  {"name": "fusion here", "kind": "cpu", "core": 0, "time": 60, "period": 100, "choice": "fusion", "variant": "host"},
  {"name": "fusion there", "blocks": 4, "threads": 64, "time": $(formula 2 64), "period": 100, "choice": "fusion", "variant": "GPU"},
  {"name": "control", "kind": "cpu", "core": 0, "time": 10, "period": 50, "priority": 1}]}
JSON
warpnet respond host.json --choose --gantt host.svg >host.txt
figure host.svg 'Problem P2: two computations miss a deadline on the host together, and on the GPU together; the GPU assists the filter'
beyond 'Sec. I' 'P2: filter and fusion, of four assignments' \
    "$(warpnet respond host.json --choose --json | sed 's/.*"best":\[{"chosen":{\([^}]*\)}.*/\1/; s/"[a-z]*"://g; s/"//g')"

# --- Section IV, open questions of the paper
longest --repeat 3 --gpu-threads 48 >proof.json
row 'Sec. IV (i)' 'a proof of FT' open "$(yes_if grep 'use the single unit' proof.json | sed 's/yes/two warps on/')" \
    'proved for every number of threads and repetitions from two warps on (docs/explanation/kernel-makespan.md); false for one warp'
large=$(warpnet worst --template fermi --repeat 20 --gpu-threads 1600 --bound --json)
beyond 'Sec. IV (i)' 'certified for 1,600 threads, rep_cnt 20 (FT)' "$(number upper <<<"$large") ($(formula 20 1600))"
loose=$(longest --repeat 2 --gpu-threads 48 --fairness none --schedule loose.csv)
row 'Sec. IV (ii)' 'FT without fairness, 48 threads, rep_cnt 2' "$(formula 2 48)" "$(number found <<<"$loose")" \
    'no fairness: the longest schedule, drawn, takes rep_cnt - 1 cycles more than FT from three warps on'
gantt loose.svg loose.csv --template fermi --repeat 2 --threads 48 --fairness none
figure loose.svg 'Refutation of FT without fairness on sub-block level: 48 threads, the sub-block twice, take 18 cycles, FT says 17'
own=$(longest --repeat 1 --gpu-threads 64 --fairness own-levels | number found)
row 'Sec. III' 'FT, where prelude and store are levels of their own' "$(formula 1 64)" "$own" \
    'the paper leaves open to which sub-block the first C and the store belong; as levels of their own FT is not reached'
slow=$(warpnet worst --string CLLCL --warps 4 --units C=2,L=1 --latency C=2 --exact --iterations 200 --json | number found)
beyond 'Sec. IV (iii)' '64 threads, arithmetic of two cycles, no fairness' "$slow"
wide=$(warpnet worst --string CLLCL --warps 4 --units C=1,L=2 --exact --iterations 200 --json | number found)
beyond 'Sec. IV (iv)' '64 threads, one C and two L a cycle, no fairness' "$wide"

# --- Section IV, (iii) and the cache: longer latencies and misses, proved by visiting every state
missed=$(longest --repeat 2 --gpu-threads 48 --wait L=10 --schedule missed.csv | number found)
beyond 'Sec. IV' '48 threads, rep_cnt 2, every L misses: 10 cycles more' "$missed"
gantt missed.svg missed.csv --template fermi --repeat 2 --threads 48 --wait L=10
figure missed.svg "Misses, which the paper leaves open: each L waits 10 cycles more, 48 threads, the sub-block twice: $missed cycles at most"
most=3
[ -n "$short" ] || most=5
for wait in 0 2 4 8 12 16 20; do
    for w in $(seq 1 $most); do
        found=$(longest --repeat 2 --gpu-threads $((16 * w)) --wait L=$wait)
        [ "$(number exact <<<"$found")" = true ] || exit 1
        printf '%d threads\t%d\t%d\n' $((16 * w)) $wait "$(number found <<<"$found")"
    done
done >misses.tsv
plot misses.svg 'Longest makespan over what a miss costs, sub-block twice, proved' 'cycles that an L waits' cycles <misses.tsv
figure misses.svg 'Misses, which the paper leaves open: those of different warps overlap, so that three warps take hardly longer than one'
slope() { awk -F '\t' -v t="$1 threads" '$1 == t { n++; x[n] = $2; y[n] = $3 } END { print (y[n] - y[1]) / (x[n] - x[1]) }' misses.tsv; }
beyond 'Sec. IV' 'more cycles per cycle of a miss: 16, 48 threads' "$(slope 16), $(slope 48)"
[ -n "$short" ] || beyond 'Sec. IV' '80 threads: longest where an L waits 2, 4 cycles' \
    "$(awk -F '\t' '$1 == "80 threads" && ($2 == 2 || $2 == 4) { printf "%s%d", sep, $3; sep = ", " }' misses.tsv)"
for l in 1 2 3 4; do
    for w in 1 2 3; do
        found=$(longest --repeat 1 --gpu-threads $((16 * w)) --latency L=$l)
        [ "$(number exact <<<"$found")" = true ] || exit 1
        printf '%d threads\t%d\t%d\n' $((16 * w)) $l "$(number found <<<"$found")"
    done
done | plot latency.svg 'Longest makespan over the latency of L, sub-block once, proved' 'cycles that an L holds its unit' cycles
figure latency.svg 'Longer latencies, which the paper leaves open: an L that holds its unit for several cycles'
cannot 'Sec. IV (v)' 'runs on hardware' open 'the model has one cycle an instruction and the same miss for every L; no GPU works so'
cannot 'Fig. 1' 'use and internals of a GPU' drawing 'an illustration without numbers'
finish
