#!/usr/bin/env bash
# [Klashtorny24] A. Klashtorny, M. Tripunitara, H. Patel, "A compiler phase to optimally split GPU wavefronts for
# safety-critical systems", DATE 2024: every figure and number of the paper next to ours.
#   examples/papers/klashtorny24.sh [--short] [FOLDER]    results go to FOLDER, default build/papers/klashtorny24
source "$(dirname "$0")/papers.sh"
begin 'Klashtorny, Tripunitara and Patel 2024: where to split wavefronts' "$@"

# --- Figure 2: the kernel of section III, block times as in its table
cat >fig2.cfg <<'CFG'
b1 1 b2 b3
b2 3 b4
b3 2 b4
b4 1 b5 b6
b5 2 b10
b6 1 b7 b8
b7 3 b9
b8 5 b9
b9 1 b10
b10 1
CFG
split_at() { # BLOCKS, '' for none: steps of the net of Figure 2 with these splits
    warpnet generate cfg fig2.cfg ${1:+--split "$1"} -o fig2.pnml >/dev/null
    steps fig2.pnml
}
optimum() { warpnet split "$@" --json | number wcet; }
splits() { warpnet split "$@" --json | sed 's/.*"splits":\[\([^]]*\)\].*/\1/; s/"//g'; }

row 'Fig. 2b' 'WCET without splitting' 20 "$(split_at '')"
row 'Fig. 2c' 'WCET split at b4' 18 "$(split_at b4)"
row 'Fig. 2d' 'WCET split at b6' 17 "$(split_at b6)"
row 'Fig. 2e' 'WCET split at b1 and b6, merged at b4 and b9' 15 "$(split_at b1,b6)"
row 'Sec. III' '... the least with S = 1' 15 "$(optimum fig2.cfg --units 2)"
row 'Sec. III' '... and where to split' b1,b6 "$(splits fig2.cfg --units 2)"
beyond 'Sec. III' 'the least with S = 2' "$(optimum fig2.cfg --units 3)"
warpnet split fig2.cfg --units 2 --picture fig2.svg >/dev/null
figure fig2.svg 'Figure 2a: the kernel, split where the WCET is least with S = 1'

# Many wavefronts: S units are reserved for each of N_SIMD units (section II)
division() { warpnet split fig2.cfg --units 2 --wavefronts "$1" --simds 4 --json | sed 's/.*"simd_units":[0-9]*,"units":\([0-9]*\),"time":\([0-9]*\).*/\1 units, \2/'; }
row 'Sec. II' 'SIMD units of N_SIMD = 4 with S = 1' 8 "$(warpnet split fig2.cfg --units 2 --wavefronts 1 --simds 4 --json | number simd_units)"
beyond 'Sec. II' '... best division for 2, 4 and 9 wavefronts' "$(division 2); $(division 4); $(division 9)"

# --- Section IV: the recurrence
head -n 3 fig2.cfg | sed 's/ b4$//' >first.cfg
row 'Theorem 1' 't(b1, 2) is the WCET of the kernel of Fig. 2' "$(optimum fig2.cfg --units 2)" "$(optimum first.cfg --units 2)" \
    't(b1, u) ends where the sides of b1 join; the WCET is the sum over the blocks of the top level'
# l1 = {2, 6}, r1 = {3, 7, 10}, l2 = {4}, r2 = {5}, l7 = {8}, r7 = {9}, every block one unit of time.
cat >fig4.json <<'CFG'
{"blocks": [
  {"id": "b1", "time": 1, "true": ["b2", "b6"], "false": ["b3", "b7", "b10"]},
  {"id": "b2", "time": 1, "true": ["b4"], "false": ["b5"]}, {"id": "b3", "time": 1}, {"id": "b4", "time": 1},
  {"id": "b5", "time": 1}, {"id": "b6", "time": 1}, {"id": "b7", "time": 1, "true": ["b8"], "false": ["b9"]},
  {"id": "b8", "time": 1}, {"id": "b9", "time": 1}, {"id": "b10", "time": 1}], "root": ["b1"]}
CFG
cannot 'Fig. 4b' 'WCET of the example, S = 2' 12 'the block times of Figure 4a are not in its text; ours has 1 for each' \
    "$(optimum fig4.json --units 3)"
warpnet split fig4.json --units 3 --paper-rule --tables >tables.txt
n_of() { awk -v id="$1" -v u="$2" '/^n\(/ { inside = 1 } inside && $1 == id { print $(2 * u) $(2 * u + 1) }' tables.txt; }
set_of() { awk -v id="$1" '/^t\(/ { inside = 1 } inside && $1 == id { print $NF; exit }' tables.txt; }
row 'Fig. 4c' 'n(b1, 3)' '(s)1,2' "$(n_of b1 3)"
row 'Fig. 4c' 'n(b7, 2)' '(s)1,1' "$(n_of b7 2)"
row 'Fig. 4a' 'units of the sides of b1' '{u1} {u2,u3}' "$(set_of b2) $(set_of b7)"
row 'Fig. 4a' 'units of the sides of b7' '{u2} {u3}' "$(set_of b8) $(set_of b9)"
row 'Fig. 4a' 'split at' b1,b7 "$(splits fig4.json --units 3)"
warpnet split fig4.json --units 3 --picture fig4.svg >/dev/null
figure fig4.svg 'Figure 4a: its graph with one unit of time a block, S = 2'
cannot 'Fig. 4b, 4c' 'the other cells of t[.] and n[.]' tables \
    'the block times of Figure 4a are not in its text; split --tables prints both tables of any graph'

# --- Section V: synthetic benchmarks 2a to 6e
graphs=10 evaluations=20000
if [ -n "$short" ]; then graphs=1 evaluations=500; fi
study() { warpnet split --study --graphs $graphs --draws 200 --brute-force-evaluations $evaluations "$@" --json; }
study --units 3 --plot study.svg >study3.json
rows_of() { sed 's/.*"rows"://; s/{"graph"/\n&/g' "$1" | sed -n '/"graph"/p'; } # one line per graph
figure study.svg "Figures 5 and 6: WCET with the splits that each algorithm selects, and the time that it takes on this machine, $graphs generated graphs of each shape"

shorter() { # FILE METHOD: percent, mean over the graphs
    rows_of "$1" | awk -v method="$2" '{
            best = $0; sub(/.*"static":/, "", best)
            other = $0; sub(".*\"wcet\":{.*\"" method "\":", "", other)
            text = $0; sub(/.*"wcet":{/, "", text); sub("}.*", "", text)
            best = text; sub(/.*"static":/, "", best); other = text; sub(".*\"" method "\":", "", other)
            sum += 1 - (best + 0) / (other + 0)
        } END { printf "%.0f %%", 100 * sum / NR }'
}
for units in 2 4; do study --units $units >study$units.json; done
why="these are generated graphs ($graphs of each shape, seed 1); those of the authors have no licence and are not here"
compare() { # METHOD PAPER WHAT [REASON]
    row 'Sec. V' "$3, S = 2" "$2" "$(shorter study3.json "$1")" "${4-$why}"
    beyond 'Sec. V' '... S = 1 and S = 3' "$(shorter study2.json "$1"), $(shorter study4.json "$1")"
}
compare naive '34 %' 'shorter than the naive selection'
compare dynamic '36 %' 'shorter than dynamic splitting' \
    "$why; as in the solver of the authors, it splits at the first branches"
compare brute-force '48 %' 'shorter than brute force' \
    "$why; it stops after $evaluations evaluations, not after five minutes, and answers with the best set so far"
compare random '48 %' 'shorter than random selection' "$why; ours is the mean over 200 draws"
compare none '52 %' 'shorter than no splitting'
deepest=$(rows_of study3.json | awk '{
        depth = $0; sub(/.*"graph":"/, "", depth); depth = substr(depth, 1, 1)
        if ($0 ~ /"brute_force_complete":false/) stopped[depth]++
        graphs[depth]++
    } END { for (d = 2; d <= 6 && 2 * stopped[d] < graphs[d]; d++) most = d; print most + 0 }')
row 'Fig. 6' 'brute force ends on most graphs up to depth' 3 "$deepest" \
    "the number of branches decides, which is drawn at random; and $evaluations evaluations are less than five minutes"
study --units 3 --paper-rule >rule.json
beyond 'Sec. IV' 'shorter than no splitting, by the rule as printed' "$(shorter rule.json none)"
# The authors' own graphs are not part of this project. PWS_GRAPHS names a folder of them
# (caesr-uwaterloo/pws-solver); all are read unchanged.
if [ -n "${PWS_GRAPHS-}" ]; then
    for units in 2 3 4; do
        for rule in paper-rule reuse; do
            warpnet split --study "$PWS_GRAPHS" --units $units --$rule --draws 200 --brute-force-evaluations 500 --json >authors$units.$rule.json
        done
    done
    warpnet split --study "$PWS_GRAPHS" --units 3 --paper-rule --draws 200 --brute-force-evaluations 500 --plot authors.svg >authors.txt
    figure authors.svg "Figures 5 and 6 on the authors' own graphs, S = 2, rule as printed"
    for pair in 'naive/34 %' 'dynamic/36 %' 'brute-force/48 %' 'random/48 %' 'none/52 %'; do
        method=${pair%/*}
        row 'Sec. V' "authors' graphs: shorter than $method, S = 2, as printed" "${pair#*/}" "$(shorter authors3.paper-rule.json "$method")" \
            'a part of the graphs, other draws and limits; the paper does not say which mean it prints'
        beyond 'Sec. V' '... S = 1, 2, 3, both sides with all units' \
            "$(for units in 2 3 4; do shorter authors$units.reuse.json "$method" && echo -n ' '; done)"
    done
fi
cannot 'Fig. 1, 3' 'PWSG hardware, compiler flow' drawing 'illustrations without numbers'
finish
