// The CUDA harness of examples/kernels, where there is a compiler for it.

#include "tests/support/shared_data.hpp"
#include "tests/support/source_dir.hpp"
#include "tests/support/transcript.hpp"

#include <cstdlib>

#include <catch2/catch.hpp>

using namespace warpnet::testing;
namespace fs = std::filesystem;

namespace {

std::optional<fs::path> nvcc() {
    for (const char* path : {"/usr/local/cuda/bin/nvcc", "/usr/bin/nvcc"})
        if (fs::exists(path)) return fs::path(path);
    return std::nullopt;
}

/// "Cuda compilation tools, release 13.0, V13.0.88"
std::string compiler_of(const std::string& ptx) {
    const std::size_t at = ptx.find("Cuda compilation tools");
    return at == std::string::npos ? "" : ptx.substr(at, ptx.find('\n', at) - at);
}

}  // namespace

TEST_CASE("the CUDA harness compiles, and its PTX is the one in the project") {
    SKIP_WITHOUT(nvcc(), "nvcc");
    const TemporaryFolder folder;
    const fs::path kernels = source_dir() / "examples/kernels";
    const std::string command =
        "'" + (kernels / "measure.sh").string() + "' --compile-only '" + folder.path().string() + "'";
    REQUIRE(std::system(command.c_str()) == 0);  // NOLINT: a test's own command
    CHECK(fs::exists(folder.path() / "measure"));
    for (const char* name :
         {"matmul_naive", "matmul_tiled", "radix_sort", "reduction", "vector_add", "voronoi"}) {
        const std::string made = read_file(folder.path() / (std::string(name) + ".ptx"));
        const std::string kept = read_file(kernels / "ptx" / (std::string(name) + ".O3.sm_80.ptx"));
        // Other compilers make other PTX.
        if (compiler_of(made) == compiler_of(kept)) CHECK(made == kept);
    }
}
