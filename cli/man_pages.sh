#!/bin/bash
# man_pages.sh WARPNET FOLDER VERSION DATE: a manual page per command and family, by help2man.
#
# A page is the text of --help with the paragraphs of man_pages.txt after the usage line, the examples at the end, and the
# sections that --help lacks. help2man runs a program, so each text becomes a script that prints it.
set -euo pipefail

program=$1 folder=$2 version=$3 date=$4
paragraphs=$(dirname "$0")/man_pages.txt
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
export LC_ALL=C.UTF-8
mkdir -p "$folder"

help_of() { # COMMAND
    local words
    read -ra words <<<"${1#warpnet}"
    "$program" "${words[@]}" --help
}

# The text of --help in the order of a manual page. Lines of examples begin with $, so that help2man keeps them apart.
ordered() { # COMMAND
    help_of "$1" | awk -v command="$1" -v paragraphs="$paragraphs" '
        /^(Examples|More examples):$/ { inside = 1; next }
        /^$/ && inside { inside = 0; next }
        inside { sub(/^ +/, ""); examples = examples (continued ? " " : "\n  $ ") $0; continued = sub(/ \\$/, "", examples); next }
        NR == 1 { first = $0; next }
        { print }
        /^Usage:/ {
            while ((getline line < paragraphs) > 0) {
                if (line ~ /^= /) found = line == "= " command
                else if (found) print (started++ ? "" : "\n") line
            }
            if (!started) print "\n" first
        }
        END { if (examples) print "\nExamples:\n" examples }'
}

topic() { # TOPIC: its text without the heading
    "$program" help "$1" | tail -n +2
}

summary() { # COMMAND: the first line of --help, without the mark at its end
    help_of "$1" | sed -n '1{s/[.?]$//;p;}'
}

names() { # COMMAND HEADING: the names of its parts
    help_of "$1" | sed -n "/^$2:/,/^\$/s/^  \([a-z]\+\) .*/\1/p"
}

pages=(warpnet)
for name in $(names "" Commands); do pages+=("warpnet $name"); done
for name in $(names generate Families); do pages+=("warpnet generate $name"); done

for command in "${pages[@]}"; do
    page=${command// /-}
    {
        echo "cat <<'END OF HELP'"
        ordered "$command"
        if [ "$command" = warpnet ]; then
            printf '\nFiles:\n\n  share/warpnet/schema/COMMAND.json  the JSON Schema of the answer of a command\n'
            topic formats
            cat <<'END'

Environment:

  NO_COLOR                          if set, no text is printed in bold type
  TERM                              if it is dumb, no text is printed in bold type
  TMPDIR                            the folder of temporary files
  PATH                              where dot (Graphviz) is looked up, for pictures
  OMPI_COMM_WORLD_RANK, PMI_RANK, PMIX_RANK  the rank of this process under mpirun or srun
  OMPI_COMM_WORLD_SIZE, PMI_SIZE, SLURM_STEP_NUM_TASKS  the number of ranks
END
        fi
        printf '\n*Exit status*\n'
        topic exit-codes
        echo 'END OF HELP'
    } >"$work/$page"
    chmod +x "$work/$page"
    also=(warpnet)
    [ "$command" != warpnet ] || also=("${pages[@]:1}")
    printf '.BR %s (1),\n' "${also[@]// /-}" | sed '1i [SEE ALSO]
$s/,$//' >"$work/also"
    help2man --no-info --locale=C.UTF-8 --name="$(summary "$command")" --version-string="$version" --source="warpnet $version" \
        --include="$work/also" "$work/$page" | sed "2s/\"[A-Z][a-z]* [0-9]*\"/\"$date\"/" >"$folder/$page.1"
done
