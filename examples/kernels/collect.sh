#!/usr/bin/env bash
# Measures the GPU of this machine and the kernels of this folder on it; README.md says what the files hold:
#   examples/kernels/collect.sh FOLDER [--budget SECONDS] [--prebuilt FOLDER] [--metrics M,...]
#       writes device.csv microbenchmarks.csv times.csv counters.csv kernels.ptx kernels.sass.gz resources.txt status.txt
#       into FOLDER; needs a GPU, and nvcc unless --prebuilt names what --compile-only made of the same sources;
#       --metrics: counters of ncu besides those that warpnet reads
#   examples/kernels/collect.sh --compile-only FOLDER [--arch sm_90]
#       builds the programs, PTX and SASS there and runs nothing
# The budget, 330 seconds, is for all phases: work that does not fit is skipped, and status.txt says so. Counters need ncu
# (Nsight Compute), SASS needs cuobjdump. The settings of the card stay as they are.
set -u
here=$(cd "$(dirname "$0")" && pwd)
usage() { sed -n '2,/^set/s/^# \{0,1\}//p' "$0" | sed '$d' >&2; exit 2; }
folder= prebuilt= budget=330 arch=native compile_only= more_metrics=
while [ $# -gt 0 ]; do
    case $1 in
        --compile-only) compile_only=1 ;;
        --arch | --budget | --prebuilt | --metrics)
            [ $# -ge 2 ] || usage
            case $1 in --arch) arch=$2 ;; --budget) budget=$2 ;; --metrics) more_metrics=,$2 ;; *) prebuilt=$2 ;; esac
            shift ;;
        -*) usage ;;
        *) [ -z "$folder" ] || usage; folder=$1 ;;
    esac
    shift
done
[ -n "$folder" ] || usage
[ -z "$compile_only" ] || [ "$arch" != native ] || arch=sm_80 # there may be no GPU
find_program() { # in PATH or next to the CUDA toolkit
    command -v "$1" || ls "/usr/local/cuda/bin/$1" /opt/nvidia/nsight-compute/*/"$1" 2>/dev/null | tail -n 1
}
sources_sum() { cat "$here"/*.cu "$here"/*.hpp | cksum; }

build() { # into the folder $1
    local nvcc
    nvcc=$(find_program nvcc)
    [ -n "$nvcc" ] || { echo 'collect.sh: no nvcc here' >&2; return 77; }
    mkdir -p "$1" && (
        set -e
        flags=(-O3 -std=c++20 -arch="$arch")
        "$nvcc" "${flags[@]}" -Xptxas -v -o "$1/collect" "$here/collect.cu" 2>"$1/resources.txt" ||
            { cat "$1/resources.txt" >&2; exit 1; }
        "$nvcc" "${flags[@]}" -o "$1/microbenchmarks" "$here/microbenchmarks.cu"
        "$nvcc" "${flags[@]}" --ptx -o "$1/kernels.ptx" "$here/kernels.cu"
        sources_sum >"$1/sources.sum"
    )
}

disassemble() { # the programs of the folder $1, if there is a cuobjdump
    local cuobjdump
    cuobjdump=$(find_program cuobjdump)
    [ -n "$cuobjdump" ] || return 1
    { timeout 60 "$cuobjdump" -sass "$1/collect" && timeout 60 "$cuobjdump" -sass "$1/microbenchmarks"; } |
        sed 's/ *\/\* 0x[0-9a-f]* \*\/ *$//' | grep -v '^ *$' | gzip -9n >"$1/kernels.sass.gz"
}

if [ -n "$compile_only" ]; then
    build "$folder" || exit
    disassemble "$folder" || true
    exit 0
fi

began=$SECONDS
mkdir -p "$folder" || exit
status=$folder/status.txt
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
: >"$status"
log() { echo "$*" | tee -a "$status" >&2; }
left() { echo $((budget - SECONDS + began)); }
# Copies the messages about wrong results, skipped work and errors from the log of a program to the status.
note() { grep -E '^(wrong|skipped|error|element|sum|body)' "$1" | cut -c 1-200 | tail -n 12 | tee -a "$status" >&2; }

if [ -n "$prebuilt" ] && [ "$(sources_sum)" = "$(cat "$prebuilt/sources.sum" 2>/dev/null)" ] &&
    timeout 60 "$prebuilt/collect" device >"$folder/device.csv" 2>"$scratch/log"; then
    programs=$prebuilt
    log "programs: those of $(basename "$prebuilt")"
else
    [ -z "$prebuilt" ] || { [ ! -e "$scratch/log" ] || note "$scratch/log"; log 'the prebuilt programs do not fit this GPU or these sources: compiling'; }
    programs=$scratch/build
    build "$programs" || exit
    timeout 60 "$programs/collect" device >"$folder/device.csv" 2>"$scratch/log" ||
        { note "$scratch/log"; log 'no GPU to measure'; exit 1; }
fi
[ -e "$programs/kernels.sass.gz" ] || disassemble "$programs" || log 'no cuobjdump: no SASS'
for file in kernels.ptx kernels.sass.gz resources.txt; do
    [ -e "$programs/$file" ] && [ ! "$programs/$file" -ef "$folder/$file" ] && cp "$programs/$file" "$folder/"
done
nvidia-smi --query-gpu=name,driver_version,clocks.sm,clocks.mem,clocks.max.sm,power.limit,temperature.gpu,ecc.mode.current \
    --format=csv,noheader 2>/dev/null | sed 's/^/nvidia-smi,"/; s/$/",/' >>"$folder/device.csv"

# Each group is a process, so an error loses only its group.
echo 'name,value,unit,how,spread' >"$folder/microbenchmarks.csv"
for group in $("$programs/microbenchmarks" groups); do
    limit=$((budget / 8))
    at=$SECONDS
    timeout $((limit + 10)) "$programs/microbenchmarks" "$group" "$limit" >>"$folder/microbenchmarks.csv" 2>"$scratch/log"
    code=$?
    note "$scratch/log"
    [ $code = 0 ] || log "microbenchmarks $group: exit $code after $(grep '^at:' "$scratch/log" | tail -n 1)"
    log "microbenchmarks $group: $((SECONDS - at)) s"
done

# A kernel that does nothing, timed by ncu.
ncu=$(find_program ncu)
[ -n "$ncu" ] || log 'no ncu: no counters'
if [ -n "$ncu" ]; then
    timeout -s INT -k 10 40 "$ncu" --csv --page raw --metrics gpu__time_duration.sum --clock-control none --cache-control none \
        --profile-from-start off --log-file "$scratch/ncu" "$programs/microbenchmarks" profiled >"$scratch/log" 2>&1
    awk -F '","' '!/^"/ { next }
        !unit { for (i = 1; i <= NF; ++i) { sub(/"$/, "", $i); if ($i == "gpu__time_duration.sum") at = i }
                getline; sub(/"$/, "", $at); unit = $at; next }
        { sub(/"$/, "", $at); gsub(/,/, "", $at); print unit ~ /^n/ ? $at / 1000 : unit ~ /^u/ ? $at : $at * 1e6 }' "$scratch/ncu" |
        sort -g >"$scratch/values"
    [ -s "$scratch/values" ] && awk '{ value[NR] = $1 }
        END { printf "launch_profiled,%g,us,\"an empty kernel: gpu__time_duration of ncu\",%g\n", value[int((NR + 1) / 2)], value[NR] - value[1] }' \
        "$scratch/values" >>"$folder/microbenchmarks.csv" || log 'ncu does not time an empty kernel'
fi

"$programs/collect" columns >"$folder/times.csv"
for group in $("$programs/collect" groups); do
    at=$SECONDS
    broken=()
    for try in 1 2 3; do # without the kernel that broke the process before
        limit=$(($(left) / 2))
        [ $limit -gt 0 ] || { log "times $group: skipped, no time left"; break; }
        [ $limit -lt 60 ] || limit=60
        timeout $((limit + 15)) "$programs/collect" times "$group" "$limit" ${broken[@]+"${broken[@]}"} \
            >"$scratch/times.$try" 2>"$scratch/log"
        code=$?
        note "$scratch/log"
        # only the rows of the broken kernel in an earlier try are not in a later one
        [ $code -gt 1 ] || break
        broken+=("$(sed -n 's/^at: [0-9]* //p' "$scratch/log" | tail -n 1)")
        log "times $group: exit $code at ${broken[*]}"
    done
    cat "$scratch"/times.? 2>/dev/null | sort -t , -k 1,1n -u >>"$folder/times.csv"
    rm -f "$scratch"/times.?
    log "times $group: $((SECONDS - at)) s"
done

# Counters of the timed cases, first one case of each kernel. Only these launches are profiled, after a
# launch that warms up. Clocks and caches are not changed.
metrics=gpu__time_duration.sum,smsp__inst_executed.sum,smsp__cycles_active.avg,sm__warps_active.avg.per_cycle_active
for op in fp32 fp64 integer conversion control inter_thread_communication misc; do
    metrics+=,smsp__sass_thread_inst_executed_op_${op}_pred_on.sum
done
metrics+=,smsp__inst_executed_pipe_xu.sum,smsp__inst_executed_op_shared_ld.sum,smsp__inst_executed_op_shared_st.sum
metrics+=,smsp__inst_executed_op_barrier.sum,smsp__inst_issued.sum
for op in ld st; do
    metrics+=,l1tex__data_pipe_lsu_wavefronts_mem_shared_op_$op.sum
    metrics+=,l1tex__t_requests_pipe_lsu_mem_global_op_$op.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_$op.sum
    metrics+=,l1tex__t_requests_pipe_lsu_mem_local_op_$op.sum
done
metrics+=,l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum,lts__t_sectors_op_read.sum,lts__t_sectors_op_write.sum
metrics+=,dram__sectors_read.sum,dram__sectors_write.sum,launch__registers_per_thread
metrics+=,launch__shared_mem_per_block_static,launch__shared_mem_per_block_dynamic,gpc__cycles_elapsed.avg.per_second
for pipe in alu fma fmaheavy fp64 lsu; do metrics+=,smsp__inst_executed_pipe_$pipe.sum; done
metrics+=,l1tex__data_pipe_lsu_wavefronts.sum,l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum
metrics+=,l1tex__t_requests_pipe_lsu_mem_global_op_red.sum,lts__t_sectors_op_atom.sum,lts__t_sectors_op_red.sum$more_metrics
counters=$folder/counters.csv
: >"$counters"
profile() { # the cases of $scratch/ids for at most $1 seconds, into $scratch/rows
    rm -f "$scratch/ncu" "$scratch/order"
    touch "$scratch/ncu" "$scratch/order"
    timeout -s INT -k 10 $(($1 + 10)) "$ncu" --csv --page raw --metrics "$metrics" --clock-control none --cache-control none \
        --profile-from-start off --log-file "$scratch/ncu" \
        "$programs/collect" profile "$scratch/ids" "$1" "$scratch/order" >"$scratch/out" 2>"$scratch/log"
    code=$?
    grep '^"' "$scratch/ncu" >"$scratch/rows"
}
# An unknown metric stops ncu. So one case is tried first, without the metrics that ncu reports or else does not list.
sed -n 2p "$folder/times.csv" | cut -d , -f 1 >"$scratch/ids"
for try in 1 2 3; do
    [ -n "$ncu" ] && [ "$(left)" -gt 60 ] || break
    profile 30
    [ ! -s "$scratch/rows" ] || break
    grep -E 'ERROR|WARNING|^ ' "$scratch/ncu" | cut -c 1-300 | head -n 5 | tee -a "$status" >&2
    [ $try -lt 2 ] || timeout 60 "$ncu" --query-metrics 2>/dev/null | sed 's/ .*//' >"$scratch/known"
    kept=
    for metric in ${metrics//,/ }; do
        if [ $try = 1 ]; then
            ! grep -E 'ERROR|WARNING|^ ' "$scratch/ncu" | grep -q -- "$metric"
        else
            [[ $metric == launch__* ]] || grep -qx -- "${metric%%.*}" "$scratch/known"
        fi && kept+=${kept:+,}$metric || log "counters: ncu has no $metric"
    done
    metrics=$kept
done
for round in 1 3 0 2; do
    [ -n "$ncu" ] || break
    at=$SECONDS
    limit=$(($(left) - 15))
    [ $limit -gt 10 ] || { log "counters, round $round: skipped, no time left"; continue; }
    awk -F, -v round=$round 'NR > 1 && of[$2]++ % 4 == round { print $1 }' "$folder/times.csv" >"$scratch/ids"
    profile "$limit"
    note "$scratch/log"
    [ -s "$scratch/rows" ] || { log "counters: exit $code"; tail -n 5 "$scratch/ncu" | tee -a "$status" >&2; continue; }
    # The id of the case before each row; the first two lines are the names and the units. A launch that ncu failed to
    # profile has no row. Then ids with other kernels and shapes are skipped.
    awk -F, -v failed=$(($(wc -l <"$scratch/order") + 2 - $(wc -l <"$scratch/rows"))) -v known="$([ -s "$counters" ] && echo 1)" '
        FILENAME ~ /times.csv$/ {
            kernel[$1] = $2
            match($0, /[0-9]+x[0-9]+x[0-9]+,[0-9]+x[0-9]+x[0-9]+/)
            split(substr($0, RSTART, RLENGTH), shape, ",")
            gsub(/x/, ", ", shape[1])
            gsub(/x/, ", ", shape[2])
            block[$1] = "(" shape[1] ")"
            grid[$1] = "(" shape[2] ")"
            next
        }
        function is_of(i) {
            return (index($0, "\"" kernel[i] "\"") || index($0, "\"" kernel[i] "(")) && index($0, block[i]) && index($0, grid[i])
        }
        FILENAME ~ /order$/ { id[++ids] = $1; next }
        FNR > 2 {
            do ++at; while (failed != 0 && at < ids && !is_of(id[at]))
            print "\"" id[at] "\"," $0
            next
        }
        known == "" { print (FNR == 1 ? "\"case\"," : "\"\",") $0 }
        ' "$folder/times.csv" "$scratch/order" "$scratch/rows" >>"$counters"
    log "counters, round $round: $(wc -l <"$scratch/order") of $(wc -l <"$scratch/ids") cases, $((SECONDS - at)) s"
done

# Keeps the columns of the launch and of the requested metrics: a tenth of the output of ncu. All fields have quotes.
awk -F '","' -v asked="$metrics" 'BEGIN { OFS = FS; split(asked, list, ","); for (i in list) wanted[list[i]] }
    { sub(/^"/, ""); sub(/"$/, "") }
    NR == 1 { for (i = 1; i <= NF; ++i) if ($i in wanted || $i ~ /^(case|ID|Kernel Name|Block Size|Grid Size|Device|CC)$/) keep[++kept] = i }
    { line = $keep[1]; for (k = 2; k <= kept; ++k) line = line OFS $keep[k]; print "\"" line "\"" }' "$counters" >"$scratch/kept" &&
    cp "$scratch/kept" "$counters"

lines() { tail -n +"$1" "$2" | wc -l; }
log "microbenchmarks: $(lines 2 "$folder/microbenchmarks.csv") values"
log "times: $(lines 2 "$folder/times.csv") of $("$programs/collect" list | tail -n +2 | wc -l) cases"
log "counters: $(lines 3 "$counters") cases"
log "all: $((SECONDS - began)) s of $budget s"
