#!/usr/bin/env bash
# Every figure and number of the five papers next to ours, and one HTML page of it all, FOLDER/index.html.
#   examples/papers/all.sh [--short | --page] [FOLDER]    results go to FOLDER, default build/papers
# --page: only the page, from the results of the scripts in FOLDER.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd -P)
form=
case ${1-} in
    --short | --page)
        form=$1
        shift
        ;;
    -*)
        echo 'usage: examples/papers/all.sh [--short | --page] [FOLDER]    results go to FOLDER, default build/papers' >&2
        exit 2
        ;;
esac
folder=${1:-$here/../../build/papers}
mkdir -p "$folder"
cd "$folder" || exit 2

papers=(gogolinska17 berezovskyi13 raravi10 paredes19 klashtorny24)
status=0
for paper in "${papers[@]}"; do
    [ "$form" != --page ] || continue
    "$here/$paper.sh" $form "$PWD/$paper" || { echo "$paper.sh failed" >&2; status=1; }
    echo
done

escaped() { sed 's/&/\&amp;/g; s/</\&lt;/g; s/>/\&gt;/g'; }

page() {
    cat <<'HTML'
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>warpnet: five papers</title>
<style>
body { font: 15px/1.45 sans-serif; max-width: 62em; margin: 2em auto; padding: 0 1em; color: #222; }
table { border-collapse: collapse; width: 100%; margin: 1em 0; }
th, td { text-align: left; vertical-align: top; padding: .25em .6em; border-bottom: 1px solid #ddd; }
td:first-child, td.value { white-space: nowrap; font-variant-numeric: tabular-nums; }
td.verdict { border-left: .4em solid #bbb; }
td.equal { border-left-color: #54a24b; } td.differs { border-left-color: #f58518; }
td.DIFFERS { border-left-color: #e00; background: #fdd; }
figure { margin: 1.5em 0; overflow-x: auto; } figcaption { color: #555; } img { max-width: 100%; max-height: 50em; }
pre { overflow-x: auto; }
pre.commands { font-size: 12px; color: #555; white-space: pre-wrap; overflow-wrap: anywhere; margin: .3em 0; }
@media (max-width: 45em) {
  tr, td { display: block; border-bottom: 0; padding: 0; }
  tr { border-bottom: 1px solid #ddd; padding: .4em 0; }
  th { display: none; }
  td:first-child, td.value { white-space: normal; overflow-wrap: anywhere; }
  td:nth-child(3)::before { content: "paper: "; }
  td:nth-child(4)::before { content: "ours: "; }
  td.verdict { padding-left: .5em; }
}
</style>
</head>
<body>
<h1>Every figure of the five papers</h1>
<p>Left the number that the paper prints, right what <code>warpnet</code> computed when this page was made.</p>
HTML
    for paper in "${papers[@]}"; do
        [ -s "$paper/rows.tsv" ] || continue
        printf '<h2 id="%s">%s</h2>\n' "$paper" "$(escaped <"$paper/title.txt")"
        printf '<p><code>examples/papers/%s.sh</code>%s: %s; it took %s s.</p>\n' "$paper" \
            "$(cat "$paper/form.txt")" "$(cat "$paper/count.txt" 2>/dev/null || echo 'it failed')" "$(cat "$paper/seconds.txt" 2>/dev/null || echo '?')"
        echo '<table><tr><th>where<th>what<th>paper<th>ours<th>verdict</tr>'
        escaped <"$paper/rows.tsv" | awk -F '\t' '{
            split($5, word, " ")
            printf "<tr><td>%s<td>%s<td class=\"value\">%s<td class=\"value\">%s<td class=\"verdict %s\">%s%s</tr>\n",
                $1, $2, $3, $4, word[1], $5, ($6 == "" ? "" : ": " $6) }'
        echo '</table>'
        while IFS=$'\t' read -r picture caption commands; do
            if [ "${picture##*.}" = txt ]; then
                printf '<figure><pre>%s</pre>' "$(escaped <"$paper/$picture")"
            else
                printf '<figure><img alt="%s" src="data:image/svg+xml;base64,' "$(escaped <<<"$caption")"
                base64 <"$paper/$picture" | tr -d '\n'
                printf '">'
            fi
            printf '<figcaption>%s<pre class="commands">%s</pre></figcaption></figure>\n' "$(escaped <<<"$caption")" \
                "$(escaped <<<"$commands" | tr ';' '\n')"
        done <"$paper/figures.tsv"
    done
    printf '</body>\n</html>\n'
}
page >index.html.new && mv index.html.new index.html && echo "The page is $PWD/index.html"
exit $status
