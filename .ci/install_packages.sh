# Sourced by examples/quickstart.sh and tests/run.sh: the Debian 12 packages that warpnet needs, in one place.
#   install_packages build        what the program and the libraries need
#   install_packages build test   and what the tests and checks need

packages_build=(
    g++ cmake ninja-build ccache help2man
    libboost-graph-dev libpugixml-dev libtbb-dev libfmt-dev libcli11-dev nlohmann-json3-dev libglpk-dev
    libsuitesparse-dev libopenblas0-serial
    graphviz fonts-dejavu-core libjs-chart.js
)
packages_test=(
    catch2 librapidcheck-dev libbenchmark-dev libxml2-utils
    clang-14 clang-format-14 clang-tidy-14 libclang-rt-14-dev
    doxygen mandoc mkdocs dpkg-dev lintian file
    libopenmpi-dev openmpi-bin
    python3-dev pybind11-dev python3-numpy python3-pytest python3-matplotlib python3-networkx mypy
    python3-yaml python3-pip python3-venv python3-setuptools python3-wheel
    chromium chromium-driver python3-selenium
)

# Installs what is missing of the named lists; does nothing if all is there.
install_packages() {
    local list name missing=() root=()
    for list in "$@"; do
        local -n names="packages_$list"
        for name in "${names[@]}"; do
            dpkg-query -W -f '${Status}' "$name" 2>/dev/null | grep -q 'ok installed' || missing+=("$name")
        done
    done
    [ ${#missing[@]} -eq 0 ] && return 0
    if ! command -v apt-get >/dev/null; then
        echo "Not a Debian system: please install the counterparts of: ${missing[*]}" >&2
        return 1
    fi
    [ "$(id -u)" -eq 0 ] || root=(sudo)
    echo "Installing ${missing[*]}"
    "${root[@]}" apt-get update -qq &&
        "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
            "${missing[@]}" >/dev/null
}
