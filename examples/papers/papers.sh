# The common part of the scripts of this folder, which read it with 'source'.
#
# A script states a number of its paper, computes the same with warpnet, and compares the two:
#   row WHERE WHAT PAPER OURS [WHY]   equal, or differs because WHY; a difference without WHY is a failure of the script
#   cannot WHERE WHAT PAPER WHY [OURS]   cannot be reproduced because WHY
#   beyond WHERE WHAT OURS            a result for which the paper has no number
#   figure FILE.{svg,txt} CAPTION [SOURCE]   a picture or a table in plain text, made beforehand, if not by warpnet itself
#                                     then from the file SOURCE
# No value of OURS is written in a script: each is read from the output of a command of this run. The same holds for
# the commands below a figure: a log has every call of warpnet, with the files that it wrote.
set -euo pipefail
export LC_ALL=C

begin() { # title, then the arguments of the script: [--short] [FOLDER]
    title=$1
    shift
    key=$(basename "$0" .sh)
    short=
    if [ "${1-}" = --short ]; then
        short=yes
        shift
    fi
    case ${1-} in
        -*)
            echo "usage: examples/papers/$key.sh [--short] [FOLDER]    results go to FOLDER, default build/papers/$key" >&2
            exit 2
            ;;
    esac
    root=$(cd "$(dirname "$0")/../.." && pwd -P)
    folder=${1:-$root/build/papers/$key}
    command -v warpnet >/dev/null || PATH=$root/build/release:$PATH
    if ! command -v warpnet >/dev/null; then
        echo "$key.sh: no warpnet: build it first (cmake --preset release && cmake --build --preset release)" >&2
        exit 2
    fi
    mkdir -p "$folder"
    cd "$folder"
    printf '%s\n' "$title" >title.txt
    printf '%s\n' "${short:+ (short form)}" >form.txt
    : >rows.tsv
    : >figures.tsv
    : >commands.tsv
    log=$PWD/commands.tsv
    rm -f seconds.txt count.txt
    unexplained=0
    started=$(date +%s)
    # Logs a call: the files that it writes, separated by blanks, and the command.
    warpnet() {
        local written= command= before= word
        for word in "$@"; do
            case $before in
                -o | --gantt | --picture | --plot | --csv | --log | --write-order) written+=" $word" ;;
                --schedule) [ "$1" = draw ] || written+=" $word" ;;
            esac
            before=$word
            [[ $word =~ ^[A-Za-z0-9_./,=:+-]+$ ]] || word="'$word'"
            command+=" $word"
        done
        word=$(readlink "/proc/$BASHPID/fd/1")
        [ "${word%/*}" != "${log%/*}" ] || { written+=" ${word##*/}" && command+=" >${word##*/}"; }
        printf '%s \twarpnet%s\n' "$written" "${command//"$root/"/}" >>"$log"
        command warpnet "$@"
    }
    printf '%s%s\n\n' "$title" "${short:+ (short form)}"
    printf '%-13s %-52s %14s %16s  %s\n' where what paper ours verdict
}

# A line of the table: where, what, the paper's, ours, verdict, reason.
line() {
    printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$@" >>rows.tsv
    printf '%-13s %-52s %14s %16s  %s%s\n' "$1" "$2" "$3" "$4" "$5" "${6:+:}"
    [ -z "$6" ] || printf '%s\n' "$6" | fold -s -w 100 | sed 's/^/              /; s/ *$//'
}

row() {
    if [ -z "$3" ] || [ -z "$4" ]; then
        line "$1" "$2" "$3" "$4" DIFFERS 'a value is missing'
        unexplained=$((unexplained + 1))
    elif [ "$3" = "$4" ]; then
        line "$1" "$2" "$3" "$4" equal ''
    elif [ -n "${5-}" ]; then
        line "$1" "$2" "$3" "$4" differs "$5"
    else
        line "$1" "$2" "$3" "$4" DIFFERS 'no reason is given'
        unexplained=$((unexplained + 1))
    fi
}

cannot() { line "$1" "$2" "$3" "${5:--}" 'cannot be reproduced' "$4"; }

beyond() {
    line "$1" "$2" - "$3" 'not in the paper' ''
    [ -n "$3" ] || unexplained=$((unexplained + 1))
}

figure() {
    [ -s "$1" ] || { echo "$key.sh: $1 was not made" >&2; exit 1; }
    printf '%s\t%s\t%s\n' "$1" "$2" "$(commands_of "${3-$1}")" >>figures.tsv
    printf ' \t\n' >>"$log" # ends the commands of this figure
}

# commands_of FILE: the calls that made a file, each ended by a semicolon: the last one that wrote it, and before it those
# that wrote its inputs. If no call wrote it, those that read it, else those since the figure before this one.
commands_of() {
    awk -F '\t' -v file="$1" '
        { written[NR] = $1; command[NR] = $2; if ($2 == "") since = NR }
        function follow(name, before,  n, k, words, word) {
            for (n = before; n > 0 && !index(written[n], " " name " "); n--) {}
            if (n == 0 || n in used) return
            used[n]
            for (k = split(command[n], words, " "); k > 0; k--) {
                word = words[k]
                sub(/^>/, "", word)
                if (word ~ /\./) follow(word, n - 1)
            }
        }
        function show(n) {
            if (command[n] == "" || command[n] in shown) return
            shown[command[n]]
            line[++count] = command[n]
        }
        END {
            follow(file, NR)
            for (n = 1; n <= NR; n++) if (n in used) show(n)
            if (!count) for (n = 1; n <= NR; n++) if (index(command[n] " ", " " file " ")) show(n)
            if (!count) for (n = since + 1; n <= NR; n++) show(n)
            for (n = 1; n <= count; n++)
                if (count <= 5 || n == 1 || n == count) printf "%s;", line[n]
                else if (n == 2) printf "# %d more like these;", count - 2
        }' "$log"
}

finish() {
    local count
    count=$(awk -F '\t' '{ n[$5]++ } END { printf "%d rows: %d equal, %d differ, %d cannot be reproduced, %d not in the paper", NR,
        n["equal"], n["differs"] + n["DIFFERS"], n["cannot be reproduced"], n["not in the paper"] }' rows.tsv)
    printf '%s; %d figures\n' "$count" "$(wc -l <figures.tsv)" >count.txt
    echo
    cat count.txt
    printf '%s\n' "$(($(date +%s) - started))" >seconds.txt
    printf 'took %s s\n' "$(cat seconds.txt)"
    [ "$unexplained" -eq 0 ]
}

# number NAME: the first number (or word) after "NAME": in JSON on standard input
number() { tr ',{}[]' '\n' | sed -n "s/^ *\"$1\" *: *\"\{0,1\}\([^\" ]*\).*/\1/p" | head -n 1; }

# steps NET.pnml [OPTION...]: steps of a run to the dead marking
steps() { warpnet run "$@" --json | number max; }

# yes_if COMMAND...: yes if it succeeds, else no
yes_if() { if "$@" >/dev/null 2>&1; then echo yes; else echo no; fi; }

# plot FILE.svg TITLE X Y [log] < lines 'series<TAB>x<TAB>y': one line per series; an x that is no number is a name on
# the axis; log: y in powers of ten
plot() {
    awk -F '\t' -v title="$2" -v xname="$3" -v yname="$4" -v logarithmic="${5-}" '
        function fy(y) { return logarithmic == "" ? y : log(y < tiny ? tiny : y) / log(10) }
        function px(x) { return left + (x - xmin) / (xmax - xmin) * width }
        function py(y) { return top + height - (fy(y) - ymin) / (ymax - ymin) * height }
        function nice(span,  unit) {
            unit = exp(int(log(span / 6) / log(10) - (span < 6)) * log(10))
            return span / unit <= 7 ? unit : span / unit <= 14 ? 2 * unit : span / unit <= 35 ? 5 * unit : 10 * unit
        }
        BEGIN {
            OFS = FS
            left = 70; top = 40; width = 560; height = 300; tiny = 1e-7
            split("#4c78a8 #f58518 #54a24b #e45756 #72b7b2 #b279a2 #9d755d #777777", colour, " ")
        }
        $2 !~ /^-?[0-9]+(\.[0-9]+)?$/ { if (!($2 in place)) { place[$2] = ++places; label[places] = $2 } $2 = place[$2] }
        !($1 in number) { number[$1] = ++series; name[series] = $1 }
        {
            n = ++points[number[$1]]; x[number[$1], n] = $2; y[number[$1], n] = $3
            if (NR == 1 || $2 + 0 < xmin) xmin = $2 + 0
            if (NR == 1 || $2 + 0 > xmax) xmax = $2 + 0
            if (NR == 1 || fy($3 + 0) < ymin) ymin = fy($3 + 0)
            if (NR == 1 || fy($3 + 0) > ymax) ymax = fy($3 + 0)
        }
        END {
            if (xmax == xmin) xmax++
            if (ymax == ymin) ymax++
            if (logarithmic != "") { ymin = int(ymin) - (ymin < 0); ymax = int(ymax) + (ymax > int(ymax)) }
            print "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"820\" height=\"400\" viewBox=\"0 0 820 400\" " \
                "font-family=\"sans-serif\" font-size=\"12\">"
            print "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>"
            printf "<text x=\"%d\" y=\"20\" font-size=\"14\">%s</text>\n", left, title
            step = nice(xmax - xmin)
            if (places) step = 1
            for (v = int(xmin / step) * step; v <= xmax + step / 1e6; v += step) if (v >= xmin) {
                printf "<path d=\"M%.1f %dv%d\" stroke=\"#eee\"/>", px(v), top, height
                printf "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>\n", px(v), top + height + 18, places ? label[v] : sprintf("%.7g", v)
            }
            step = logarithmic == "" ? nice(ymax - ymin) : 1
            for (v = int(ymin / step) * step; v <= ymax + step / 1e6; v += step) if (v >= ymin) {
                at = top + height - (v - ymin) / (ymax - ymin) * height
                printf "<path d=\"M%d %.1fh%d\" stroke=\"#ddd\"/>", left, at, width
                printf "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n", left - 6, at + 4,
                    logarithmic == "" ? sprintf("%.6g", v) : sprintf("1e%d", v)
            }
            printf "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%s</text>\n", left + width / 2, top + height + 38, xname
            printf "<text transform=\"translate(16 %d) rotate(-90)\" text-anchor=\"middle\">%s</text>\n", top + height / 2, yname
            for (s = 1; s <= series; s++) {
                line = ""
                for (n = 1; n <= points[s]; n++) line = line sprintf("%.1f,%.1f ", px(x[s, n]), py(y[s, n]))
                printf "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"1.5\" points=\"%s\"/>\n", colour[(s - 1) % 8 + 1], line
                printf "<path d=\"M%d %dh20\" stroke=\"%s\" stroke-width=\"3\"/>", left + width + 12, top + 18 * s, colour[(s - 1) % 8 + 1]
                printf "<text x=\"%d\" y=\"%d\">%s</text>\n", left + width + 36, top + 18 * s + 4, name[s]
            }
            print "</svg>"
        }' >"$1"
}
