#!/usr/bin/env bash
# [Gogolinska17] A. Gogolinska, L. Mikulski, M. Piatkowski, "GPU computations and memory access model based on Petri
# nets", PNSE 2017: every figure and number of the paper next to ours.
#   examples/papers/gogolinska17.sh [--short] [FOLDER]    results go to FOLDER, default build/papers/gogolinska17
source "$(dirname "$0")/papers.sh"
begin 'Gogolinska, Mikulski and Piatkowski 2017: a GPU as a Petri net' "$@"

warps() { warpnet generate warps "$@" >/dev/null; }
nodes() { warpnet inspect "$1" --json | number "$2"; } # NET places|transitions
# Runs of a net: mean steps, percentage of steps in which no scheduler works, percentage of schedulers in use. A
# scheduler works while an instruction takes or holds its token of the place sm; t0 is no instruction.
use_of() { # NET RUNS SCHEDULERS
    warpnet run "$1" --runs "$2" --statistics --json >use.json
    sed 's/"transitions":{.*//; s/.*"sm":{/{/; s/}.*//' use.json >sm.json
    awk -v steps="$(number mean <use.json)" -v all="$3" -v idle="$(number idle <sm.json)" \
        -v free="$(number mean <sm.json)" -v taken="$(number taken <sm.json)" \
        'BEGIN { printf "%.0f %.1f %.1f\n", steps, 100 * idle, 100 * (all - free + taken) / all }'
}

# --- Figure 1: three threads, one processor
warps --warps 3 --schedulers 1 --arith 6 --global 2 -o three.pnml
warps --warps 1 --schedulers 1 --arith 6 --global 2 -o alone.pnml
read -r _ idle _ <<<"$(use_of three.pnml 100 1)"
read -r _ alone _ <<<"$(use_of alone.pnml 100 1)"
row 'Fig. 1 (I)' 'there are steps in which all three threads wait' yes "$(yes_if test "$idle" != 0.0)"
row 'Fig. 1 (II)' 'a smaller share of the steps than of a thread alone' yes \
    "$(yes_if awk -v a="$idle" -v b="$alone" 'BEGIN { exit !(a < b) }')"
beyond 'Fig. 1' 'idle steps of three threads, of one alone' "$idle%, $alone%"
warpnet run three.pnml --schedule fig1.csv >/dev/null
warpnet draw three.pnml --schedule fig1.csv -o fig1.svg >/dev/null
figure fig1.svg 'Figure 1: three threads on one processor, one random run of the model'

# --- Figure 2, Table 1, section 4: the net of a warp
warps --arith 3 --shared 2 --global 2 --published -o published.pnml
warps --arith 3 --shared 2 --global 2 -o repaired.pnml
row 'Sec. 4' 'places of a warp' 18 $(($(nodes published.pnml places) - 1))
row 'Sec. 4' 'transitions of a warp' 17 $(($(nodes published.pnml transitions) - 1)) \
    'Figure 2 and Table 1 have 15 as well: t10 and t13 do not exist'
row 'Table 1' 'transitions of a warp' 15 $(($(nodes published.pnml transitions) - 1))
warpnet draw published.pnml -o fig2.svg >/dev/null
figure fig2.svg 'Figure 2: the net of one warp as published, three, two and two instructions'
warps --warps 64 --arith 1 --published -o most.pnml
row 'Sec. 4' 'places of the largest net, 64 warps' $((64 * 18 + 1)) "$(nodes most.pnml places)"
fired() { warpnet run repaired.pnml --counts | awk -v id="w1_$1" '$1 == id { print $2 }'; }
row 'Sec. 4' 't8 per t9 (l1 = 20)' 20 $(($(fired global_tick) / $(fired global_access)))
row 'Sec. 4' 't17 per t12 (l2 = 2)' 2 $(($(fired shared_tick) / $(fired shared_access)))
dead() { warpnet run "$1" --max-steps 100000 --json 2>/dev/null | grep -c '"dead":true' || true; }
row 'Sec. 4' 'ends in a dead marking' 1 "$(dead published.pnml)" \
    'as published t0 stays enabled forever; the default net takes a token of a place "alive" with it'
row 'Sec. 4' '... the default net' 1 "$(dead repaired.pnml)"
executed() { # NET: the fewest instructions executed in 1,000 runs until the warp ended
    warpnet run "$1" --runs 1000 --until 'w1_active = 0' --statistics |
        awk '$1 ~ /^w1_(arith_finish|shared_access|global_access)$/ { n += $2 } $1 == "w1_issue" { least = $2 } END { print least }'
}
row 'Sec. 4' 'of 7 instructions are executed at least' 7 "$(executed published.pnml)" \
    'as published t16 competes with t1 for p2 once the last instruction is selected, and may end the warp before it'
row 'Sec. 4' '... by the default net' 7 "$(executed repaired.pnml)"
# A run that loses an instruction: the first seed with which the warp ends after fewer than seven issues.
seed=1
while [ "$(warpnet run published.pnml --seed $seed --until 'w1_active = 0' --counts | awk '$1 == "w1_issue" { print $2 }')" -eq 7 ]; do
    seed=$((seed + 1))
done
warpnet run published.pnml --seed $seed --until 'w1_active = 0' --json --marking >lost.json
next=$(tr ',{' '\n' <lost.json | sed -n 's/^"\(w1_[a-z]*_next\)":1.*/\1/p')
warpnet draw published.pnml --marking lost.json --highlight "w1_terminate,w1_issueable,$next" -o lost.svg >/dev/null
figure lost.svg 'Refutation: the published net loses an instruction. The warp has ended (t16, terminate) with its last instruction selected and never issued'
warpnet run published.pnml --seed $seed --max-steps 100 --schedule alive.csv >/dev/null || [ $? -eq 4 ]
warpnet draw published.pnml --schedule alive.csv -o alive.svg >/dev/null
figure alive.svg 'Refutation: the published net has no dead marking. After the end of its only warp t0 (idle) fires in every step, forever; before, it fires in steps in which the warp works'
issues_of_second() { # NET: issues of a warp that is not active, in 1,000 steps
    warpnet run "$1" --max-steps 1000 --counts 2>/dev/null | awk '$1 == "w2_issue" { n = $2 } END { print n + 0 }'
}
warps --warps 2 --active 1 --arith 13 --published -o switched_off.pnml
warps --warps 2 --active 1 --arith 13 -o inactive.pnml
row 'Table 1' 'instructions of a warp without a token in p1' 0 "$(issues_of_second switched_off.pnml)" \
    'as published p1 stops only t16: the warp executes all its instructions, and its p2 stops t0 forever; ours has p2 and p3 empty, too'
row 'Table 1' '... the default net' 0 "$(issues_of_second inactive.pnml)"
warps --schedulers 2 --arith 13 -o busy.pnml
row 'Sec. 4' 't0 counts idle steps: one warp, 13 arithmetic' "$(warpnet run busy.pnml --counts | awk '$1 == "idle" { print $2 }')" \
    "$(use_of busy.pnml 1 2 | awk '{ printf "%.0f", $1 * $2 / 100 }')" \
    't0 fires whenever no p2 is marked and a scheduler is free, also while another works; ours: steps in which none works'
solo() { warps --arith "$1" --shared "$2" --global "$3" -o solo.pnml && steps solo.pnml; }
beyond 'Sec. 4' 'steps of 3 arithmetic, 2 shared, 2 global, one warp' "$(solo 3 2 2)"

# --- Section 2: more warps hide the latency
most=16
[ -n "$short" ] || most=64
warpnet sweep warps --warps 1..$most..x2 --schedulers 2 --arith 40 --shared 8 --global 8 --runs 10 --statistics --bound \
    --csv hiding.csv --plot hiding.svg >hiding.txt
column() { # NAME: its number in hiding.csv
    head -n 1 hiding.csv | tr , '\n' | grep -nx "$1" | cut -d : -f 1
}
awk -F , -v mean="$(column steps_mean)" -v idle="$(column sm_idle)" -v used="$(column sm_in_use)" -v OFS='\t' \
    'NR > 1 { print $1, sprintf("%.0f", $mean), sprintf("%.1f", 100 * $idle), sprintf("%.1f", 100 * $used) }' hiding.csv >hiding.tsv
row 'Sec. 2' 'each doubling of the warps hides more latency' yes \
    "$(yes_if awk -F '\t' 'NR > 1 && $3 > last { exit 1 } { last = $3 }' hiding.tsv)"
while IFS='	' read -r w length idle used; do
    beyond 'Sec. 2' "$w warps: mean steps, idle, schedulers in use" "$length $idle% $used%"
done <hiding.tsv
figure hiding.svg 'The argument of section 2, 40 arithmetic, 8 shared, 8 global each, 2 schedulers: steps, and those in which no scheduler works, over the number of warps'

# --- Sections 4 and 5: kernels
range() { # OPTION...: least and most steps of 100 runs with 4 schedulers
    warpnet generate warps --schedulers 4 "$@" -o kernel.pnml >/dev/null 2>&1
    warpnet run kernel.pnml --runs 100 --json >kernel.json
    echo "$(number min <kernel.json)-$(number max <kernel.json)"
}
rm -f matmul.tsv stability.tsv measured.tsv
beyond 'Sec. 4' 'warps of a block of 16 x 16 threads' "$(warpnet generate warps --ptx "$root/examples/kernels/matmul_naive.ptx" \
    --trips "\$L__BB0_2=16" --grid 1 --block 16,16 -o kernel.pnml >/dev/null 2>&1; nodes kernel.pnml places |
    awk '{ print ($1 - 2) / 18 }')"
for n in 16 32 64 128; do
    steps=$(range --ptx "$root/examples/kernels/matmul_naive.ptx" --trips "\$L__BB0_2=$n" --grid $((n / 16)),$((n / 16)) \
        --block 16,16)
    printf 'least\t%d\t%d\nmost\t%d\t%d\n' $n "${steps%-*}" $n "${steps#*-}" >>matmul.tsv
    cannot 'Sec. 4' "matrix multiplication, $n x $n: steps" consistent \
        'the paper prints no sizes, times or steps; ours is a block of 256 threads of the naive kernel' "$steps"
done
plot matmul.svg 'Matrix multiplication: steps of a block of 256 threads, 100 runs' 'n' steps <matmul.tsv
figure matmul.svg 'Matrix multiplication of various sizes, least and most of 100 runs'
ptx=$root/examples/kernels/ptx
# Launches of a kernel that were measured on a GPU: trips, grid, block, n, median microseconds
measured() { # GPU KERNEL
    awk -F , -v kernel="$2" '$2 == kernel {
        gsub(/"/, "")
        gsub(/x1x1/, "")
        print $4, $(NF - 8), $(NF - 9), $(NF - 6), $(NF - 5)
    }' "$root/examples/measurements/$1/times.csv"
}
time_of() { measured "$1" stability | awk -v launch="$2" '$1 " " $2 " " $3 == launch { printf "%.1f", $5 }'; } # GPU LAUNCH
while read -r grid block; do
    steps='' h100='' h200=''
    for trips in '#1=101' '#1=1001'; do
        least_most=$(range --ptx "$ptx/stencils.O3.sm_80.ptx" --kernel stability --trips "$trips" --grid "$grid" --block "$block")
        steps+=${steps:+, }${least_most#*-}
        h100+=${h100:+, }$(time_of h100 "$trips $grid $block")
        h200+=${h200:+, }$(time_of h200 "$trips $grid $block")
        printf '%s, H100\t%d\t%s\n' "$grid x $block" "${least_most#*-}" "${h100##* }" >>stability.tsv
        printf '%s, H200\t%d\t%s\n' "$grid x $block" "${least_most#*-}" "${h200##* }" >>stability.tsv
    done
    cannot 'Sec. 4' "stability, $grid x $block: steps, 101 and 1,001 trips" consistent \
        'its program is not printed; ours: a block of examples/kernels/stencils.cu, longest of 100 runs' "$steps"
    beyond 'Sec. 4' '... microseconds on an H100; on an H200' "$h100; $h200"
done < <(measured h100 stability | cut -d ' ' -f 2,3 | uniq)
plot stability.svg 'Stability example: time of a launch over steps of a block' steps microseconds <stability.tsv
figure stability.svg 'Stability example: measured time over steps. Each line joins 101 and 1,001 trips of one launch; a step of a larger block costs less time'
# Steps of a block of a kernel of the radix sort. The trips of the loop that the threads of a block share are not proved.
radix() { # VARIANT PART BLOCK
    local trips=()
    [ "$1$2" != tilecount ] || trips=(--trips '#1=8')
    range --ptx "$ptx/radix_sort.O3.sm_80.ptx" --kernel "radix_$1_$2" "${trips[@]}" --grid 1 --block "$3"
}
for variant in global tile block; do
    for part in count move; do
        cannot 'Sec. 5' "radix sort, $variant, $part: steps of a block" '-' \
            'our copy ends before the tables of section 5; ours are the kernels of examples/kernels/radix_sort.cu' \
            "$(radix $variant $part 256)"
    done
done
# Keys counted and moved per step by a block, eight keys per thread
for block in 64 128 256 512 1024; do
    for variant in global tile block; do
        count=$(radix $variant count $block) move=$(radix $variant move $block)
        printf '%s\t%d\t%s\n' $variant $block \
            "$(awk -v keys=$((8 * block)) -v steps=$((${count#*-} + ${move#*-})) 'BEGIN { printf "%.3f", keys / steps }')"
    done
done >throughput.tsv
keys_per_us() { # GPU VARIANT: counted and moved, by the number of keys, in blocks of 256 threads
    { measured "$1" "radix_$2_count" && measured "$1" "radix_$2_move"; } | awk '{ us[$(NF - 1)] += $NF } END { for (n in us) printf "%d %.0f\n", n, n / us[n] }' |
        sort -n
}
for variant in global tile block; do
    beyond 'Sec. 5' "keys per step, $variant: blocks of 64, 128, ... 1,024" \
        "$(awk -F '\t' -v v=$variant '$1 == v { printf "%s%.2f", sep, $3; sep = ", " }' throughput.tsv)"
    for gpu in h100 h200; do
        beyond 'Sec. 5' "... keys per microsecond, ${gpu^}, 2^14 to 2^23 keys" \
            "$(keys_per_us $gpu $variant | cut -d ' ' -f 2 | paste -s -d , - | sed 's/,/, /g')"
        keys_per_us $gpu $variant | awk -v name="$variant, ${gpu^}" -v OFS='\t' '{ print name, $1, $2 }' >>measured.tsv
    done
done
plot throughput.svg 'Radix sort: keys that are counted and moved per step by a block, 4 schedulers' 'threads of a block' 'keys per step' <throughput.tsv
figure throughput.svg 'Radix sort, three organisations of threads: keys per step over the threads of a block, in the longest of 100 runs. The code is that for 256 threads'
plot measured.svg 'Radix sort: keys that are counted and moved per microsecond, blocks of 256 threads' keys 'keys per microsecond' <measured.tsv
figure measured.svg 'Radix sort, measured: the organisation with the fewest keys per step, block, has the most keys per microsecond, because its threads access neighbouring keys, which the net does not see' measured.tsv
cannot 'Sec. 5' 'times on GPUs' '-' 'our copy ends before them, and its GPUs are not available to us; README.md compares steps with our times on an H100 and an H200'
finish
