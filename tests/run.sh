#!/usr/bin/env bash
# Builds the program and runs its tests on a bare Debian 12 machine. The last line counts tests and checks:
#   N passed, N failed, N skipped
# `tests/run.sh` runs all tests in an optimised build; `tests/run.sh all` adds the remaining checks of CI; `tests/run.sh
# sanitizers format` runs only the named parts. `threads` is not part of `all`, because it needs a separate build.
set -uo pipefail
cd "$(dirname "$0")/.."
source .ci/install_packages.sh
exec </dev/null

export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1
passed=0 failed=0 skipped=0
summary=()
fuzz_seconds=${FUZZ_SECONDS:-10}
compiled_tests=-DWARPNET_COMPILED_TESTS=$PWD/build/ci # for the sanitised libraries

count() { # part passed failed skipped seconds
    passed=$((passed + $2)) failed=$((failed + $3)) skipped=$((skipped + $4))
    summary+=("$(printf '%-12s %5d passed %5d failed %5d skipped %6d s' "$@")")
}

# A part that is one check: a function that succeeds, fails, or returns 77 for 'skipped'.
check() { # part function
    printf '\n== %s\n' "$1"
    local start=$SECONDS status=0
    "$2" || status=$?
    case $status in
        0) count "$1" 1 0 0 $((SECONDS - start)) ;;
        77) count "$1" 0 0 1 $((SECONDS - start)) ;;
        *) count "$1" 0 1 0 $((SECONDS - start)) ;;
    esac
}

# A part that is a preset with many tests.
test_preset() { # part preset [options of cmake]
    printf '\n== %s\n' "$1"
    local start=$SECONDS report=$PWD/build/$1-junit.xml
    mkdir -p build
    rm -f "$report"
    if ! { cmake --preset "$2" "${@:3}" >/dev/null && cmake --build --preset "$2" | tail -n 20; }; then
        count "$1" 0 1 0 $((SECONDS - start))
        return
    fi
    echo "built in $((SECONDS - start)) s"
    ctest --preset "$2" --output-junit "$report"
    local suite tests failures skips
    suite=$(grep -m 1 -A 8 '<testsuite ' "$report" | tr '\n\t' '  ')
    number() { sed -n "s/.* $1=\"\([0-9]*\)\".*/\1/p" <<<"$suite"; }
    tests=$(number tests) failures=$(number failures) skips=$(number skipped)
    if [ -z "$tests" ]; then
        count "$1" 0 1 0 $((SECONDS - start))
    else
        count "$1" $((tests - failures - skips)) "$failures" "$skips" $((SECONDS - start))
        [ "$failures" -eq 0 ] || summary+=("$(failed_tests "$report")")
    fi
}

# The failed tests of a report, each with the end of its output.
failed_tests() { # report
    python3 - "$1" <<'END'
import sys
import xml.etree.ElementTree as tree

for case in tree.parse(sys.argv[1]).iter("testcase"):
    if case.get("status") == "fail":
        print("  failed:", case.get("name"))
        for line in (case.findtext("system-out") or "").splitlines()[-20:]:
            print("   ", line)
END
}

check_format() {
    command -v clang-format-14 >/dev/null || return 77
    git ls-files '*.cpp' '*.hpp' | xargs clang-format-14 --dry-run -Werror
}

# Uses only the compile commands: nothing is compiled. The sources of a folder are read as one file, because their
# includes take most of the time.
check_tidy() {
    command -v clang-tidy-14 >/dev/null || return 77
    cmake --preset tidy >/dev/null || return 1
    sed -n 's/^ *"file": "\(.*\.c[px][px]\)",\?$/\1/p' build/tidy/compile_commands.json | grep -v /devices_text.cpp |
        xargs -P "$(nproc)" -n 1 clang-tidy-14 --quiet --extra-arg=-Wno-unknown-warning-option --extra-arg=-Qunused-arguments -p build/tidy 2>/dev/null
}

# One optimised build for the tests, the installation, the documentation and the Python package.
build_ci() {
    cmake --preset ci >/dev/null && cmake --build --preset ci | tail -n 1
}

# A separate folder for the installation, and a project that uses it like any user.
check_install() {
    rm -rf build/consumer build/part build/graphs build/installed
    build_ci &&
        cmake --install build/ci --prefix build/installed >/dev/null &&
        installed_headers_compile &&
        cmake -S examples/consumer -B build/consumer -DCMAKE_PREFIX_PATH=$PWD/build/installed &&
        cmake --build build/consumer &&
        (cd build/consumer && ./mutex && ./worst_warps && ./observer && ./own_policy && ./own_family && ./bounds) &&
        build/consumer/launch examples/kernels/ptx/vector_add.O3.sm_80.ptx &&
        cmake -S examples/consumer -B build/part -DWARPNET_SOURCE=$PWD && # as a part of a project: one library
        cmake --build build/part --target warpnet_net &&
        cmake -S examples/graphs -B build/graphs -DCMAKE_PREFIX_PATH=$PWD/build/installed &&
        cmake --build build/graphs && build/graphs/graphs &&
        build/installed/bin/warpnet --version &&
        check_debian_packages
}

# Exactly the installed headers.
installed_headers_compile() {
    (cd build/installed/include/warpnet && find . -name '*.hpp' -printf '#include "%P"\n' | sort |
        c++ -std=c++20 -fsyntax-only -x c++ -I. -)
}

# The packages are made without a complaint of lintian, equal in two builds of one SOURCE_DATE_EPOCH, and unpacked into a
# separate folder.
check_debian_packages() {
    command -v dpkg-shlibdeps >/dev/null && command -v lintian >/dev/null || return 0
    rm -rf build/package build/package_again build/unpacked
    local -x SOURCE_DATE_EPOCH
    SOURCE_DATE_EPOCH=$(date +%s)
    cpack --config build/ci/CPackConfig.cmake -B build/package_again >/dev/null &
    cpack --config build/ci/CPackConfig.cmake -B build/package >/dev/null && wait $! || return 1
    local packages=(build/package/{warpnet,libwarpnet-dev,python3-warpnet}_*.deb) package content library file
    lintian --allow-root --fail-on error,warning --suppress-tags initial-upload-closes-no-bugs "${packages[@]}" || return 1
    for package in "${packages[@]}"; do
        cmp "$package" "build/package_again/${package##*/}" || return 1
        dpkg-deb --info "$package" | grep -E '^ (Package|Version|Depends):'
        dpkg-deb --extract "$package" build/unpacked || return 1
    done
    dpkg-deb --info "${packages[0]}" | grep -q '^ Depends: .*openmpi' && return 1 # optional
    library=lib/$(c++ -print-multiarch)
    for file in bin/warpnet share/man/man1/warpnet.1.gz share/man/man1/warpnet-run.1.gz share/doc/warpnet/copyright \
        share/doc/warpnet/docs/how-to/cpp.md share/doc/warpnet/docs/reference/family-warps.md \
        include/warpnet/engine/net/net.hpp "$library/libwarpnet_worst.a" "$library/warpnet/warpnet_mpi.so" \
        share/bash-completion/completions/warpnet share/zsh/vendor-completions/_warpnet \
        share/fish/vendor_completions.d/warpnet.fish lib/python3/dist-packages/warpnet/__init__.py; do
        [ -f "build/unpacked/usr/$file" ] || { echo "not in the packages: $file"; return 1; }
    done
    build/unpacked/usr/bin/warpnet --version | grep -F "$(git rev-parse --short=12 HEAD)" &&
        (cd build && PYTHONPATH=unpacked/usr/lib/python3/dist-packages /usr/bin/python3 -c 'import warpnet; print(warpnet.__file__)')
}

# The Python package by pip, without a network; used from a folder without other parts of it.
check_python_package() {
    rm -rf build/venv
    build_ci || return 1
    (
        set -e
        export WARPNET_BUILD_DIR=$PWD/build/ci
        /usr/bin/python3 -m venv --system-site-packages build/venv
        source build/venv/bin/activate
        pip install --no-build-isolation --no-deps ./python
        cd build/venv && python -c 'import warpnet as wn; print(wn.__version__, wn.warps(warps=8, arith=414, global_=129).run(100))'
    )
}

# Pages from the public headers and from --help, and the site; a warning is an error.
check_docs() {
    command -v doxygen >/dev/null && command -v mandoc >/dev/null && command -v mkdocs >/dev/null || return 77
    build_ci && cmake --build --preset ci --target doc | tail -n 20 || return 1
    docs/build_site.py build/ci/warpnet build/site || return 1
    mandoc -T lint -W warning build/ci/man/*.1 && ls build/ci/man | wc -l
}

# Runs each target for a while, on its own core. They are built with the tests under sanitizers.
check_fuzz() {
    command -v clang++-14 >/dev/null || return 77
    build_ci && cmake --preset dev "$compiled_tests" >/dev/null &&
        cmake --build --preset dev --target fuzz_targets | tail -n 1 || return 1
    export -f fuzz
    export fuzz_seconds
    printf '%s\0' build/dev/tests/fuzz/*_fuzz | xargs -0 -P "$(nproc)" -n 1 bash -o pipefail -c 'fuzz "$1"' _
}

fuzz() { # target
    local name dictionary corpus arguments
    name=$(basename "$1" _fuzz)
    dictionary=tests/fuzz/${name#read_}.dict
    corpus=build/dev/corpus/$name # new finds stay out of the sources
    mkdir -p "$corpus"
    arguments=(-max_total_time="$fuzz_seconds" -timeout=10 -rss_limit_mb=4096)
    [ -e "$dictionary" ] && arguments+=(-dict="$dictionary")
    "$1" "${arguments[@]}" -artifact_prefix=build/dev/ "$corpus" "tests/fuzz/corpus/$name" 2>&1 | tail -n 3
}

check_quickstart() { PRESET=ci SEARCH_TIME=10s examples/quickstart.sh; }

check_packages() { install_packages build test; }

parts=("$@")
[ $# -eq 0 ] && parts=(packages tests)
[ "$*" = all ] && parts=(packages format install docs tests python_package sanitizers fuzz quickstart tidy)
for part in "${parts[@]}"; do
    case $part in
        packages | format | tidy | install | docs | fuzz | quickstart | python_package) check "$part" "check_$part" ;;
        tests) test_preset tests ci ;;
        sanitizers) build_ci; test_preset sanitizers dev "$compiled_tests" ;;
        threads) test_preset threads tsan ;;
        *) echo "unknown part: $part" >&2; exit 2 ;;
    esac
done

printf '\n'
printf '%s\n' "${summary[@]}"
printf '%d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped"
[ "$failed" -eq 0 ]
