#!/usr/bin/env bash
# [Berezovskyi13] K. Berezovskyi, K. Bletsas, S. M. Petters, "Fast makespan estimation for GPU threads on a single
# streaming multiprocessor": every figure and number of the paper next to ours.
#   examples/papers/berezovskyi13.sh [--short] [FOLDER]    results go to FOLDER, default build/papers/berezovskyi13
source "$(dirname "$0")/papers.sh"
begin 'Berezovskyi, Bletsas and Petters 2013: the longest makespan of warps on one SM' "$@"

warpnet generate kernel --string LCL --warps 4 --units C=1,L=1 -o lcl.pnml >/dev/null
voronoi='--string LLLLLCCCCCCCCCLLCCCCCCCCC --units C=4,L=1'

order() { printf 'warp\n' && printf '%s\n' "$@"; } # WARP...: a pseudo-precedence string as a file
decode() { # NAME WARP...: its schedule, NAME.csv, and makespan
    local name=$1
    shift
    order "$@" >"$name.order"
    warpnet worst lcl.pnml --paper --iterations 0 --chains 1 --order "$name.order" --write-order "$name.cycles" \
        --schedule "$name.csv" --json | number found
}
gantt() { warpnet draw lcl.pnml --schedule "$1.csv" -o "$1.svg" >/dev/null; }
cycles() { sed 1d "$1.cycles" | cut -d , -f "$2" | tr -d '\n'; } # NAME COLUMN: of the order that was written

# --- Sections III and IV: strings and schedules of LCL, four warps, one unit of each kind
longer=$(warpnet generate kernel --string SC --warps 1 --units C=1,S=1/2 --latency S=4 --pessimistic |
    tr ' ' '\n' | grep -c '^id="w1_i[0-9]*_S"')
row 'Sec. III-E' 'letters of a 4-cycle instruction on half a unit' 8 "$longer"
row 'Fig. 2, 4' 'cycles of string (2), by the algorithm of Fig. 4' 8 "$(decode fig2 1 1 2 2 3 3 4 1 4 2 3 4)"
row 'Sec. VII' 'string (2), read off its schedule' 112233414234 "$(cycles fig2 1)"
row 'Sec. VII' 'its warp cycle string' 122334455678 "$(cycles fig2 2)"
gantt fig2
figure fig2.svg 'Figure 2: the schedule of the string 1 1 2 2 3 3 4 1 4 2 3 4'

# Figure 3 moves the load of warp 1 from cycle 5 to cycle 9, where nothing ran.
sed 's/^5,\(.*w1_i3_L\)$/9,\1/' fig2.csv | { read -r head && echo "$head" && sort -t , -k 1,1n -k 3,3; } >fig3.csv
row 'Fig. 3' 'a schedule that breaks work conservation is refused' yes "$(yes_if test "$(warpnet run lcl.pnml --replay fig3.csv >/dev/null 2>fig3.txt || echo refused)" = refused)"
warpnet draw lcl.pnml --schedule fig3.csv -o fig3.svg >/dev/null
figure fig3.svg 'Figure 3: the load of warp 1 moved to cycle 9, where it could have run before: no schedule of a work-conserving unit'
row 'Fig. 5' 'cycles of the neighbour 1 1 2 2 3 3 1 2 3 4 4 4' 9 "$(decode fig5 1 1 2 2 3 3 1 2 3 4 4 4)"
gantt fig5
figure fig5.svg 'Figure 5: the neighbour whose makespan is 9'
decode same 1 2 1 3 2 3 1 2 3 4 4 4 >/dev/null
row 'Sec. IV' 'string 1 2 1 3 2 3 1 2 3 4 4 4: the same schedule' yes "$(yes_if cmp same.csv fig5.csv)"
decode renamed 1 1 3 3 2 2 4 1 4 3 2 4 >/dev/null
row 'Sec. IV' 'warps 2 and 3 swapped in (2): the same solution' yes "$(yes_if cmp renamed.csv fig2.csv)"
all=$(warpnet worst lcl.pnml --exact --iterations 200 --json)
beyond 'Sec. IV' 'exact maximum of LCL, all schedules' "$(number found <<<"$all")"

waits=$(warpnet worst --string LCL --warps 4 --units C=1,L=1 --wait L=8 --bound --json | number found)
beyond 'Sec. III-E' '... where each L waits 8 cycles for memory' "$waits"

# Orders of warp numbers: (W I)! / (I!)^W, and without those that rename warps a W!-th of them.
orders() { # W I UNIQUE
    awk -v w="$1" -v i="$2" -v unique="$3" 'BEGIN {
        for (n = 1; n <= w * i; n++) log10 += log(n) / log(10)
        for (n = 1; n <= i; n++) log10 -= w * log(n) / log(10)
        for (n = 1; unique && n <= w; n++) log10 -= log(n) / log(10)
        if (log10 < 9) printf "%.0f", exp(log10 * log(10))
        else printf "%.2fe%d", exp((log10 - int(log10)) * log(10)), int(log10)
    }'
}
beyond 'Sec. IV' 'permutations of string (2), unique ones' "$(orders 4 3 ''), $(orders 4 3 yes)"
beyond 'Sec. IV' '... of 16 warps of the Voronoi string' "$(orders 16 25 ''), $(orders 16 25 yes)"

# --- Section VI: initial strings
start() { warpnet worst --paper --iterations 0 --chains 1 --start "$@" --json | number found; }
cannot 'Fig. 6' 'cycles, fixed priority' '-' 'its letters are damaged in our copy; ours is LCL, four warps' \
    "$(start fixed-priority lcl.pnml --schedule fixed.csv)"
gantt fixed
figure fixed.svg 'A fixed-priority start as in Figure 6, LCL and four warps'
start most-pending --string LCL --warps 3 --units C=1,L=1 --schedule pending.csv >pending.txt
row 'Fig. 7, 8' 'most pending first, three warps: those of cycles 1, 2' '1|12' \
    "$(awk -F , 'NR > 1 && $1 <= 2 { if ($1 != last && NR > 2) printf "|"; last = $1; printf "%s", substr($3, 2, 1) }' pending.csv)"
warpnet generate kernel --string LCL --warps 3 --units C=1,L=1 -o three.pnml >/dev/null
warpnet draw three.pnml --schedule pending.csv -o fig7.svg >/dev/null
figure fig7.svg 'Figure 7: the most pending warp executes first, LCL and three warps'

# --- Section VIII: Voronoi diagrams, 16 warps
printed=$(printf 'L%.0s' 1 2 3 4 5; printf 'C%.0s' 1 2 3 4 5 6 7 8 9; printf LL; printf 'C%.0s' 1 2 3 4 5 6 7 8 9) # 5L 9C 2L 9C
cannot 'Fig. 11' 'the string of the PTX program' '5L 9C 2L 9C' \
    'its listing is lost in our copy; ours is PTX written after Figure 10, letter for letter' \
    "$(warpnet ptx "$root/examples/kernels/voronoi_paper.ptx" --until Loop --json 2>/dev/null | number until |
        sed 's/L/L /g; s/C/C /g' | tr ' ' '\n' | uniq -c | awk 'NF == 2 { printf "%s%d%s", sep, $1, $2; sep = " " }')"

voronoi() { warpnet worst --string "$printed" --units C=4,L=1 "$@" --json; }
worst=$(voronoi --warps 16 --schedulers 4 --exact --iterations 200 --schedule worst.csv)
row 'Sec. VIII-C' 'extrapolated upper bound holds (4 a cycle)' '<= 176' "$(number found <<<"$worst")" \
    'four schedulers, one instruction each (section III-C), allow a longer schedule: it is drawn, and was replayed'
warpnet generate kernel --string "$printed" --units C=4,L=1 --warps 16 --schedulers 4 -o voronoi.pnml >/dev/null
row 'Sec. VIII-C' '... which is a run of the net, with so many steps' \
    "$(awk -F , 'END { print $1 }' worst.csv)" "$(steps voronoi.pnml --replay worst.csv)"
warpnet draw voronoi.pnml --schedule worst.csv -o worst.svg >/dev/null
figure worst.svg "Refutation of the upper bound of 176: a schedule of sixteen warps of the Voronoi string, four instructions per cycle at most, that takes $(number found <<<"$worst") cycles"
beyond 'Sec. VIII-C' 'certified: no schedule of 16 warps takes more' "$(number upper <<<"$worst")"
beyond 'Sec. VIII-C' 'exact maximum of 4 warps, 4 a cycle' "$(voronoi --warps 4 --schedulers 4 --bound | number upper)"
beyond 'Sec. VIII-C' 'exact maximum of 4 warps, no such limit' "$(voronoi --warps 4 --bound | number upper)"
fixed() { # OPTION...: found and certified, warps fixed to schedulers
    voronoi --warps 16 --schedulers 4 --assignment fixed --iterations 2000 "$@" >fixed.json
    echo "$(number found <fixed.json) to $(number upper <fixed.json)"
}
one=$(fixed)
row 'Sec. VIII-C' 'warps fixed to schedulers: 176 holds' yes "$(yes_if test "${one%% *}" -le 176)" \
    'the text allocates warps to schedulers; a longer schedule was found then, too, and was replayed'
beyond 'Sec. VIII-C' '... found, certified' "$one"
beyond 'Sec. VIII-C' '... with two dispatch units per scheduler' "$(fixed --dispatch 2)"
for s in round-robin fixed-priority most-pending random; do
    beyond 'Fig. 12' "start $s, 16 warps, no limit of 4" "$(voronoi --warps 16 --paper --iterations 0 --chains 1 --start $s | number found)"
done
beyond 'Fig. 12' 'start round-robin, 16 warps, 4 a cycle' \
    "$(voronoi --warps 16 --schedulers 4 --paper --iterations 0 --chains 1 --start round-robin | number found)"

iterations=2000000
other='the same annealing with other random numbers'
if [ -n "$short" ]; then
    iterations=20000
    other='a hundredth of the iterations of the paper; the long form makes them all'
fi
estimate=$(voronoi --warps 16 --paper --temperature 0.3 --iterations $iterations --chains 8 --log improvements.csv | number found)
row 'Sec. VIII-C' "8 chains of $iterations iterations, T0 = 0.3" 160 "$estimate" \
    "$other"
awk -F , -v last=$iterations 'NR > 1 {
        if (!($2 in best)) name[$2] = "chain " $2 + 1
        else if ($4 <= best[$2]) next
        else printf "%s\t%d\t%d\n", name[$2], $3, best[$2]
        best[$2] = $4
        printf "%s\t%d\t%d\n", name[$2], $3, $4
    } END { for (c in best) printf "%s\t%d\t%d\n", name[c], last, best[c] }' improvements.csv | sort -t '	' -s -k 1,1 -k 2,2n |
    plot fig12.svg 'Convergence of eight chains, 16 warps, no limit of 4 a cycle' iteration 'longest makespan so far'
awk -F , 'NR > 1 { if (!($2 in name)) name[$2] = "chain " $2 + 1; if ($4 > best[$2]) best[$2] = $4; printf "%s\t%.2f\t%d\n", name[$2], $1, best[$2] }' \
    improvements.csv | sort -t '	' -s -k 1,1 -k 2,2n |
    plot fig12_time.svg 'Convergence of eight chains over time, on this machine' seconds 'longest makespan so far'
figure fig12_time.svg 'Figure 12 over seconds of this machine' improvements.csv
figure fig12.svg "Figure 12 over iterations, which are the same on every machine ($iterations a chain)" improvements.csv

if [ -z "$short" ]; then
    since=$(date +%s)
    exact=$(voronoi --warps 16 --bound | number upper)
    row 'Sec. VIII-C' 'the estimate against the exact maximum, no limit of 4' 160 "$exact"
    row 'Sec. VIII-C' 'time of an upper bound of 16 warps' '58 h' "$(($(date +%s) - since)) s" \
        'a certified abstraction instead of an integer programme that was solved for 4 warps; another machine'
    row 'Sec. VIII-C' 'estimate below the upper bound' '9.1 %' \
        "$(awk -v e="$estimate" -v b="$exact" 'BEGIN { printf "%.1f %%", 100 * (b - e) / b }')" \
        'the upper bound is exact here, not 176'
    for w in 1 2 4 6 10 12 14 16; do
        printf 'four a cycle\t%d\t%d\n' $w "$(voronoi --warps $w --schedulers 4 --bound --threads 2 | number upper)"
        printf 'no such limit\t%d\t%d\n' $w "$(voronoi --warps $w --bound --threads 2 | number upper)"
        printf '11 cycles per warp\t%d\t%d\n' $w $((11 * w))
    done | plot warps.svg 'Voronoi string: exact longest makespan' warps cycles
    figure warps.svg 'The exact maximum, and the line through the published bound of 16 warps, 176'
fi
# --- Beyond the paper, whose SM has the memory for itself: SMs with units of their own share the accesses to the memory
most_sms=2
[ -n "$short" ] || most_sms=4
for s in 1 2 4; do
    [ $s -le $most_sms ] || continue
    warpnet worst --string LCL --warps 2 --units C=1,L=1 --sms $s --chip-units L=1 --iterations 200 --schedule sms.csv --json >sms.json
    beyond 'Sec. I' "LCL, S = $s SMs of 2 warps, one L a cycle in all" "$(number found <sms.json) to $(number upper <sms.json)"
    case_study=$(voronoi --warps 4 --schedulers 4 --sms $s --chip-units L=1 --iterations 200)
    beyond 'Sec. I' "... the Voronoi string, 4 warps on each SM" "$(number found <<<"$case_study") to $(number upper <<<"$case_study")"
done
warpnet generate kernel --string LCL --warps 2 --units C=1,L=1 --sms $most_sms --chip-units L=1 -o sms.pnml >/dev/null
warpnet worst sms.pnml --iterations 200 --schedule sms.csv >/dev/null
warpnet draw sms.pnml --schedule sms.csv -o sms.svg >/dev/null
figure sms.svg "$most_sms SMs with a unit of each kind share one access to the memory per cycle: the longest schedule found of LCL, two warps on each SM"
cannot 'Fig. 1, 9, 10' 'a GPU, a Voronoi diagram, its C code' drawing 'illustrations without numbers'
finish
