#!/usr/bin/env bash
# [Paredes19] D. L. Paredes Zevallos, "AMALTHEA-based GPU response time analysis for NVidia's Jetson TX2": every figure
# and number of the thesis next to ours.
#   examples/papers/paredes19.sh [--short] [FOLDER]    results go to FOLDER, default build/papers/paredes19
source "$(dirname "$0")/papers.sh"
begin 'Paredes 2019: response times of kernels on the GPU of a Jetson TX2' "$@"

# The kernels of section 3.6, 512 threads per block: name, g, C. One big SM of 4096 threads (3.3.2), period 15.
kernel() { # NAME [RELEASE]
    case $1 in
        K1) set -- "$1" 2 4 "${2-0}" ;;
        K2) set -- "$1" 7 6 "${2-0}" ;;
        K3) set -- "$1" 2 6 "${2-0}" ;;
        K4) set -- "$1" 5 5 "${2-0}" ;;
    esac
    plain "$1" "$2" "$3" "$4" ',"period":15'
}
plain() { # NAME G C RELEASE [MORE]
    printf '{"name":"%s","blocks":%s,"threads":512,"time":%s,"release":%s%s}\n' "$1" "$2" "$3" "$4" "${5-}"
}
tasks() { # KERNEL...: a file of tasks
    printf '{"gpu":{"sms":1,"threads_per_sm":4096,"blocks_per_sm":64},"kernels":[%s' "$1"
    shift
    [ $# -eq 0 ] || printf ',%s' "$@"
    printf ']}\n'
}
launched() { # NAME...: the kernels of section 3.6 in this order
    local all=() name
    for name in "$@"; do all+=("$(kernel "$name")"); done
    tasks "${all[@]}"
}
times() { # FILE OPTION...: completions in the order of the file
    warpnet respond "$@" --json | sed 's/"makespan".*//' | grep -o '"completion":[0-9]*' | cut -d : -f 2 | paste -s -d , -
}

# --- Section 3.6: the example
launched K1 K2 K3 K4 >example.json
row 'Sec. 3.6' 'completion of K1, K2, K3, K4' 4,10,12,11 "$(times example.json)"
row 'Sec. 3.6' '... by executing the rules, not the algorithm' 4,10,12,11 "$(times example.json --simulate)"
warpnet generate blocks example.json -o example.pnml >/dev/null
row 'Sec. 3.6' 'end of all, by the net' 12 "$(steps example.pnml)"
row 'Sec. 3.6' 'all are schedulable, R <= T = 15' yes "$(yes_if warpnet respond example.json --check)"
warpnet respond example.json --gantt example.svg >/dev/null
figure example.svg 'Figures 3.6 to 3.9: K1, K2, K3, K4 on one big SM'
groups=$(warpnet respond example.json --json --jobs)
row 'Fig. 3.7' 'blocks of K2 that start at 0 and at 4' 6,1 "$(tr '{' '\n' <<<"$groups" |
    awk -F '[:,]' '/"job":1,.*"start"/ { printf "%s%s", sep, $6; sep = "," }')"
row 'Fig. 3.8' 'blocks of K3 that start at 4 and at 6' 1,1 "$(tr '{' '\n' <<<"$groups" |
    awk -F '[:,]' '/"job":2,.*"start"/ { printf "%s%s", sep, $6; sep = "," }')"
# The state of Algorithm 2 after a kernel is assigned, read off the blocks: the start of its last block (t_a), the slots
# that are then free (g_f), and the slots that later completions free (h).
state_after() { # NAME...
    launched "$@" >prefix.json
    warpnet respond prefix.json --json --jobs | sed 's/.*"blocks":\[//' | tr '{' '\n' | awk -F '[:,}]' '/"start"/ {
            n++; blocks[n] = $6; start[n] = $8; end[n] = $10
            if (start[n] + 0 > ta) ta = start[n] + 0
        } END {
            free = 8
            for (i = 1; i <= n; i++) if (end[i] + 0 > ta) { free -= blocks[i]; h[end[i] + 0] += blocks[i] }
            printf "%d,%d", ta, free
            for (t = ta; t < 100; t++) if (t in h) printf "(%d,%d)", t, h[t]
        }'
}
row 'Fig. 3.6c' 't_a, g_f and h once K1 is assigned' '0,6(4,2)' "$(state_after K1)"
row 'Fig. 3.7c' 't_a, g_f and h once K2 is assigned' '4,1(6,6)(10,1)' "$(state_after K1 K2)"
row 'Fig. 3.8c' 't_a, g_f and h once K3 is assigned' '6,5(10,2)(12,1)' "$(state_after K1 K2 K3)"
beyond 'Fig. 3.9c' 't_a, g_f and h once K4 is assigned' "$(state_after K1 K2 K3 K4)"
row 'Eq. 3.4' 'U_t, sum of C g b / T, in threads' \
    "$(awk 'BEGIN { printf "%.1f", (4 * 2 + 6 * 7 + 6 * 2 + 5 * 5) * 512 / 15 }')" \
    "$(sed 's/.*"horizon"//' <<<"$groups" | number utilisation | awk '{ printf "%.1f", $1 * 4096 }')"

# Algorithm 2 as printed: no pair leaves h, and pairs of 0 blocks enter it. With steps=1 also each of its rounds.
algorithm_2='{ C[NR] = $1; g[NR] = $2 }
    function step(what,  k) {
        if (!steps || rounds > 8) return
        printf "%5d %6s %5d %7d %5d  {", rounds, "K" i, ta, what, free
        for (k = 1; k <= n; k++) printf "%s(%d,%d)", (k > 1 ? "," : ""), time[k], blocks[k]
        print "}"
    }
    END {
        free = gmax; i = 1
        if (steps) printf "%5s %6s %5s %7s %5s  %s\n", "round", "kernel", "t_a", "blocks", "g_f", "h = {(time, slots)}"
        while (i <= NR && ++rounds < 1000) {
            if (free >= g[i]) { f[i] = ta + C[i]; time[++n] = f[i]; blocks[n] = g[i]; free -= g[i]; step(g[i]); i++ }
            else {
                part = free; g[i] -= free; time[++n] = ta + C[i]; blocks[n] = free; free = 0; step(part)
                least = 1
                for (k = 2; k <= n; k++) if (time[k] < time[least]) least = k
                ta = time[least]; free = blocks[least]
            }
        }
        if (steps && rounds > 8) print "  ..., forever"
        if (steps) printf "  completions "
        for (i = 1; i <= NR; i++) printf "%s%s", (i > 1 ? "," : ""), (i in f ? f[i] : "never")
        if (steps) print ""
    }'
both() { # CAPTION G_MAX FILE.json PICTURE.txt < "C g" of each kernel: the steps as printed, and ours
    {
        echo 'Algorithm 2 as printed'
        awk -v gmax="$2" -v steps=1 "$algorithm_2"
        printf '\nwarpnet respond --steps\n'
        warpnet respond "$3" --steps | sed '1,/^Steps of Algorithm 2/d' | sed 's/^/  /'
        printf '  completions %s\n' "$(times "$3")"
    } >"$4"
    figure "$4" "$1" "$3"
}
row 'Algorithm 2' 'as printed, on the example of section 3.6' \
    "$(printf '%s\n' '4 2' '6 7' '6 2' '5 5' | awk -v gmax=8 "$algorithm_2")" "$(times example.json)" \
    'as printed no pair is ever removed from h, though the text removes them; ours does, and answers as the example'
printf '%s\n' '4 2' '6 7' '6 2' '5 5' | both 'Refutation of Algorithm 2 as printed: (4,2) stays in h, so that the two slots of K1 are given to K3 and to K4 once more' \
    8 example.json algorithm2.txt
tasks "$(plain A 1 9 0)" "$(plain B 1 1 0)" | sed 's/4096/512/' >two.json
row 'Algorithm 2' 'as printed, C = 9, 1 and g = 1, 1 with g_max = 1' \
    "$(printf '%s\n' '9 1' '1 1' | awk -v gmax=1 "$algorithm_2")" "$(times two.json)" \
    'as printed it does not end: the earliest pair stays, and its blocks are freed forever'
printf '%s\n' '9 1' '1 1' | both 'Refutation of Algorithm 2 as printed: C = 9, 1, one block each, one slot: it does not end, since pairs of no slots enter h' \
    1 two.json endless.txt

# --- Sections 3.3 and 3.4
row 'Eq. 3.6' 'g_max, blocks of 512 threads' 8 "$(tasks "$(plain K 9 1 0)" >full.json; warpnet respond full.json --json |
    tr '{' '\n' | sed -n 's/.*holds \([0-9]*\) blocks.*/\1/p')"
tasks "$(plain K1 5 4 0)" "$(plain K2 3 7 0)" "$(plain K3 6 5 0)" >fig35.json
row 'Fig. 3.5' 'f3 = f2 + C3 where 5 of 6 blocks of K3 fit at f1' "$(times fig35.json | awk -F , '{ print $2 + 5 }')" \
    "$(times fig35.json | cut -d , -f 3)"
warpnet respond fig35.json --gantt fig35.svg >/dev/null
figure fig35.svg 'Figure 3.5, with C1 = 4, C2 = 7 and C3 = 5'
tasks "$(plain K1 5 4 0)" "$(plain K2 3 7 0)" "$(plain K3 6 5 0)" "$(plain K4 2 3 20)" >fig33.json
row 'Fig. 3.3b' 'a kernel released when slots are free starts at r4' 20 "$(times fig33.json | awk -F , '{ print $4 - 3 }')"

# --- Section 3.7: equal C. Equations 3.8 and 3.12 to 3.15 as printed, for C = 5, g_max = 8
equations='function sgn(x) { return x > 0 ? 1 : x < 0 ? -1 : 0 }
    BEGIN { free = gmax; n = split(list, g, " ")
        if (steps) printf "%6s %4s %4s %9s %3s %6s %6s %6s\n", "kernel", "g_i", "g_f", "g_i - g_f", "K", "alpha", "t_a", "f_i"
        for (i = 1; i <= n; i++) {
            before = free
            d = g[i] - free; K = int((d < 0 ? -d : d) / gmax); alpha = (sgn(d) + 1) / 2
            ta += alpha * C + K * C; free = alpha * gmax - (d - K * gmax)
            if (steps) printf "%6s %4d %4g %9g %3d %6g %6g %6g\n", "K" i, g[i], before, d, K, alpha, ta, ta + C
            else printf "%s%g", (i > 1 ? "," : ""), ta + C
        } }'
special() { # WHAT REASON G...
    local what=$1 reason=$2 all=() i=0 g
    shift 2
    for g in "$@"; do
        i=$((i + 1))
        all+=("$(plain "K$i" "$g" 5 0)")
    done
    tasks "${all[@]}" >special.json
    row 'Eq. 3.14' "$what" "$(awk -v C=5 -v gmax=8 -v list="$*" "$equations")" "$(times special.json)" "$reason"
    [ -n "$reason" ] || return 0
    refuted=$((refuted + 1))
    {
        echo 'Equations 3.12 to 3.15 as printed, C = 5, g_max = 8'
        awk -v C=5 -v gmax=8 -v steps=1 -v list="$*" "$equations"
        printf '\nwarpnet respond: f = %s\n' "$(times special.json)"
    } >"equations$refuted.txt"
    figure "equations$refuted.txt" "Refutation of equations 3.12 to 3.15 as printed, ${what#equal C, }: $reason" special.json
    warpnet respond special.json --gantt "equations$refuted.svg" >/dev/null
    figure "equations$refuted.svg" "... and the schedule of these kernels, which ends at $(times special.json)"
}
refuted=0
special 'equal C, g = 3, 7, 2' '' 3 7 2
special 'equal C, g = 3, 5, 2: g_i = g_f' 'where g_i = g_f, alpha of equation 3.13 is a half, though its text says 0' 3 5 2
special 'equal C, g = 3, 13, 2: g_max divides g_i - g_f' 'then K of equation 3.12 counts a round too many' 3 13 2

# --- Chapter 4: three launch orders, measured on a Jetson TX2 and in Octave; results in the order of launch
scenario() { # NUMBER FIGURES PAPER NAME...
    local number=$1 figures=$2 paper=$3
    shift 3
    launched "$@" >"scenario$number.json"
    row "$figures" "scenario $number: $*" "$paper" "$(times "scenario$number.json")"
    sed 's/"sms":1,"threads_per_sm":4096,"blocks_per_sm":64/"sms":2,"threads_per_sm":2048,"blocks_per_sm":32/' \
        "scenario$number.json" >"tx2_$number.json"
    row "$figures" '... on the two SMs of a TX2' "$paper" "$(times "tx2_$number.json")"
    warpnet respond "tx2_$number.json" --gantt "scenario$number.svg" >/dev/null
    figure "scenario$number.svg" "$figures: $* on two SMs"
}
scenario 1 'Fig. 4.1, 4.2' 6,12,11,10 K2 K3 K4 K1
scenario 2 'Fig. 4.3, 4.4' 6,11,10,12 K2 K4 K1 K3
scenario 3 'Fig. 4.5, 4.6' 6,8,12,11 K2 K1 K3 K4
beyond 'Ch. 4' 'worst completion of each over all 24 orders' "$(warpnet respond example.json --any-order --json |
    sed 's/"makespan".*//' | grep -o '"completion":[0-9]*' | cut -d : -f 2 | paste -s -d , -)"

# --- Schedulability beyond the first job
tasks "$(plain K1 8 2 0 ',"period":4')" "$(plain K2 8 5 0 ',"period":12')" >late.json
row 'Sec. 3.6' 'R <= T of first jobs is enough: (4,2,8), (12,5,8)' yes "$(yes_if warpnet respond late.json --check)" \
    'the second job of the first kernel waits for the second kernel: all jobs up to the hyperperiod must be judged'
warpnet respond late.json --gantt late.svg >/dev/null || true
figure late.svg 'Refutation: first jobs in time, the second job of K1 is late'

beyond 'Sec. 3.6' 'K1 to K4 at any times T = 15 apart: R is at most' "$(warpnet respond example.json --sporadic --json |
    grep -o '"upper":[0-9a-z]*' | cut -d : -f 2 | paste -s -d , -)"

least=140
until printf '{"gpu":{"sms":1,"threads_per_sm":%s},"kernels":[{"blocks":1,"threads":140,"time":1}]}' $least |
    warpnet respond - >/dev/null 2>&1; do
    least=$((least + 1))
done
row 'Fig. 2.4' 'threads lost in a block of 140' 20 $((least - 140))

# --- Figures 2.5 and 2.6: the basic experiment of [Amert17]. Its kernels are those of the configuration that its authors
# published (cuda_scheduling_examiner, configs/rtss_2017_fig3_bigexperiment.json, changed in 2020 "to match final paper
# version"). It gives the 256 MiB of a copy, and not its time.
basic() { # MILLISECONDS of a copy
    local second='"stream":2,"release":200' third='"stream":3,"release":400'
    local copy='"kind":"copy","time":'$1
    cat <<JSON
{"unit": "ms", "gpu": {"sms": 2, "threads_per_sm": 2048, "shared_per_sm": 65536}, "kernels": [
  {"name":"K1","blocks":6,"threads":768,"time":1000,"stream":1},
  {"name":"K2","blocks":2,"threads":512,"time":1000,"stream":1},
  {"name":"C2o",$copy,"stream":1}, {"name":"C3i",$copy,"stream":1},
  {"name":"K3","blocks":2,"threads":1024,"time":1000,"stream":1}, {"name":"C3o",$copy,"stream":1},
  {"name":"K4","blocks":4,"threads":256,"time":1000,"shared":32768,$second},
  {"name":"sleep","kind":"cpu","time":800,$second},
  {"name":"K6","blocks":2,"threads":512,"time":1000,$second}, {"name":"C6o",$copy,$second},
  {"name":"K5","blocks":2,"threads":256,"time":1000,"shared":32768,$third}, {"name":"C5o",$copy,$third}]}
JSON
}
jobs() { tr '{' '\n' <basic.txt | sed -n 's/"name":"\([^"]*\)","index":0,"release":\([0-9]*\),"enqueued":\([0-9]*\),"start":\([0-9]*\),"dispatched":\([0-9]*\),"completion":\([0-9]*\).*/\1 \2 \3 \4 \5 \6/p'; }
starts() { jobs | grep '^K' | sort | cut -d ' ' -f "$1" | paste -s -d , -; } # FIELD: of K1 to K6
for time in 1 100 20; do
    basic $time >basic.json
    warpnet respond basic.json --sm-policy free --json --jobs >basic.txt
    third=${third-}${third:+, }$(starts 4 | cut -d , -f 3)
done
unknown='the figure is a picture without numbers in our copy; ours: the rules of section 2.3 on the published configuration'
cannot 'Fig. 2.5' 'starts of K1 to K6 in ms, copies of 20 ms' figure "$unknown" "$(starts 4)"
cannot 'Fig. 2.5' 'ends of K1 to K6' figure "$unknown" "$(starts 6)"
cannot 'Fig. 2.5' 'start of K3 if a copy takes 1, 100 or 20 ms' figure 'the time of a copy of 256 MiB is not in the configuration; only K3 waits for copies' "$third"
beyond 'Rule X1' 'K4 enters its queue, and starts when K1 has left it' "$(jobs | awk '$1 == "K4" { print $3 ", " $4 }')"
beyond 'Rule R3' 'K5 enters, waits for shared memory, and starts' "$(jobs | awk '$1 == "K5" { print $3 ", " $4 }')"
warpnet generate blocks basic.json --sm-policy free --step 20 -o basic.pnml >/dev/null
row 'Fig. 2.5' 'end of all: by the net, by the rules' "$((20 * $(steps basic.pnml)))" "$(number makespan <basic.txt)"
warpnet respond basic.json --sm-policy free --gantt basic.svg >/dev/null
figure basic.svg 'Figure 2.5: the basic experiment of [Amert17], from its public configuration, copies of 20 ms'
{
    printf '%6s  %-9s %-9s %-22s %-14s %-9s %-12s %s\n' time 'EE queue' 'CE queue' 'stream 1' 'stream 2' 'stream 3' 'SM 0' 'SM 1'
    { jobs && tr '{' '\n' <basic.txt | sed -n 's/"job":\([0-9]*\),"sm":\([01]\),"blocks":\([0-9]*\),"start":\([0-9]*\),"end":\([0-9]*\).*/\1 \2 \3 \4 \5/p'; } |
        awk 'NF == 6 { n++; name[n] = $1; released[n] = $2; entered[n] = $3; left[n] = $5; ended[n] = $6
                stream[n] = n <= 6 ? 1 : n <= 10 ? 2 : 3; next }
            { g++; of[g] = $1 + 1; sm[g] = $2; blocks[g] = $3; start[g] = $4; end[g] = $5 }
            function add(list, item) { return list == "" ? item : list "," item }
            END {
                m = split("0 200 400 1000 2000 2800 3000 3020 3060 4060", at, " ")
                for (k = 1; k <= m; k++) {
                    t = at[k] + 0; split("", s); split("", on); ee = ce = ""
                    for (i = 1; i <= n; i++) {
                        if (released[i] <= t && t < ended[i]) s[stream[i]] = add(s[stream[i]], name[i])
                        if (entered[i] > t || t >= left[i]) continue
                        if (name[i] ~ /^K/) ee = add(ee, name[i])
                        if (name[i] ~ /^C/) ce = add(ce, name[i])
                    }
                    for (i = 1; i <= g; i++) if (start[i] <= t && t < end[i]) on[sm[i]] = add(on[sm[i]], blocks[i] name[of[i]])
                    printf "%6d  %-9s %-9s %-22s %-14s %-9s %-12s %s\n", t, ee, ce, s[1], s[2], s[3], on[0], on[1]
                }
            }'
} >states.txt
figure states.txt 'Figure 2.6: queues and blocks of the basic experiment after the decisions of an instant, in ms; 2K1: two blocks of K1. sleep: the program waits for K4 and then 800 ms before it launches K6' basic.txt

# Logs of scenario 1 on a Jetson TX2, which are not part of this project.
if [ -n "${TX2_LOGS-}" ]; then
    logs=()
    for n in 1 2 3 4; do logs+=(--measured "$TX2_LOGS/concurrent_1st_$n.json"); done
    warpnet respond "$TX2_LOGS/rta_config.json" "${logs[@]}" >measured.txt
    sed -n '/^Measured/,$p' measured.txt >logs.txt
    figure logs.txt 'Figure 4.1: scenario 1 measured on a Jetson TX2, in ns; its kernels 1 to 4 are K1 to K4' measured.txt
    row 'Fig. 4.1' 'measured completions of K2, K3, K4, K1 in s' 6,12,11,10 \
        "$(awk '$1 == "Kernel" { t[$2] = sprintf("%.2f", $4 / 1e9) } END { print t[2] "," t[3] "," t[4] "," t[1] }' logs.txt)" \
        'the first block starts 0.07 s after the release, with the set-up of the program; without it they differ by 0.4 ms at most'
else
    cannot 'Fig. 4.1' 'measured times of blocks' figure \
        'its logs are not part of this project; TX2_LOGS=FOLDER adds them. The completions that the text reads off are above'
fi
# A task as in the AMALTHEA models of the thesis: segments on a core around copies and the kernel, with active waits.
cat >chain.json <<'JSON'
{"unit": "ms", "gpu": {"sms": 2, "threads_per_sm": 1024}, "kernels": [
  {"name": "before", "kind": "cpu", "core": 5, "time": 4, "period": 66, "stream": 1, "keeps_core": true},
  {"name": "in", "kind": "copy", "time": 1, "period": 66, "stream": 1},
  {"name": "lane", "blocks": 2, "threads": 1024, "time": 27, "period": 66, "stream": 1},
  {"name": "out", "kind": "copy", "time": 1, "period": 66, "stream": 1},
  {"name": "behind", "kind": "cpu", "core": 5, "time": 4, "period": 66, "stream": 1},
  {"name": "other", "kind": "cpu", "core": 5, "time": 6, "period": 200, "stream": 2}]}
JSON
of_last() { grep -o "\"$1\":[0-9a-z]*" chain.txt | cut -d : -f 2 | tail -n 2 | paste -s -d , -; } # of behind and other
warpnet respond chain.json --sporadic --json >chain.txt
beyond 'Sec. 3.1' 'ms from core to core of lane detection; of another task' "$(of_last response)"
beyond 'Sec. 3.1' '... at any times, periods apart: at most' "$(of_last upper)"
warpnet respond chain.json --horizon 66 --gantt chain.svg >/dev/null
figure chain.svg 'CPU segments and copies around a kernel: the wait for the GPU keeps core 5, so that the other task comes after it'
# Which tasks should use the GPU, the question of the WATERS challenge of 2019. Its model is not part of this project.
if [ -n "${WATERS_MODEL-}" ]; then
    warpnet respond "$WATERS_MODEL" --choose -q --gantt waters.svg >waters.txt || true
    sed -n '/^Variants/,$p' waters.txt >variants.txt
    figure variants.txt 'WATERS 2019: tasks that run on the GPU or on the core that triggers them, and the deadlines that are missed' waters.txt
    figure waters.svg 'WATERS 2019: the schedule of the mapping that misses the fewest deadlines'
    beyond 'Sec. 1.2' 'WATERS 2019: operations late, all on the GPU; best' \
        "$(awk '/^Variants/ { on = 1 } on && $(NF - 2) ~ /^[0-9]+$/ { if (best == "") best = $(NF - 2); gpu = 1
            for (i = 1; i <= NF - 3; i++) gpu = gpu && $i == "GPU"; if (gpu) all = $(NF - 2) } END { print all ", " best }' waters.txt)"
else
    cannot 'Sec. 1.2' 'the WATERS 2019 model' - 'the thesis names the challenge and prints no result; WATERS_MODEL=FILE.amxmi adds it'
fi
cannot 'Ch. 1 to 3' 'Figures 1.1 to 2.3, 3.1, 3.2, 3.4, 3.10' drawing 'illustrations without numbers'
finish
