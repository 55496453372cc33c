// The CUDA programs of examples/kernels, if there is a compiler for them.

#include "tests/support/shared_data.hpp"
#include "tests/support/transcript.hpp"

#include <cstdlib>
#include <sstream>
#include <string>

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

TEST_CASE("the CUDA programs compile, their cases need no GPU, and the PTX is that of the project") {
    SKIP_WITHOUT(nvcc(), "nvcc");
    const TemporaryFolder folder;
    const fs::path kernels = source_dir() / "examples/kernels";
    const auto run = [](const std::string& command) {
        return std::system(command.c_str());  // NOLINT: a test's own command
    };
    const std::string here = "'" + folder.path().string() + "'";
    REQUIRE(run("'" + (kernels / "collect.sh").string() + "' --compile-only " + here) == 0);
    CHECK(fs::exists(folder.path() / "microbenchmarks"));
    REQUIRE(run("cd " + here + " && ./collect list > list.csv") == 0);
    const std::string ptx = read_file(folder.path() / "kernels.ptx");
    std::istringstream cases(read_file(folder.path() / "list.csv"));
    std::string line;
    std::getline(cases, line);
    CHECK(line.rfind("id,kernel,ptx,trips,param,warps,block,grid,dynamic_shared,n,time_us,", 0) == 0);
    for (int id = 1; std::getline(cases, line); ++id) {
        CHECK(line.rfind(std::to_string(id) + ",", 0) == 0);
        const std::size_t name = line.find(',') + 1;
        CHECK(ptx.find(".entry " + line.substr(name, line.find(',', name) - name) + "(") !=
              std::string::npos);
    }
    for (const std::string name :
         {"matmul_naive", "matmul_tiled", "radix_sort", "reduction", "stencils", "vector_add", "voronoi"}) {
        const std::string output = "'" + (folder.path() / (name + ".ptx")).string() + "'";
        REQUIRE(run("'" + nvcc()->string() + "' --ptx -arch=sm_80 -o " + output + " '" +
                    (kernels / (name + ".cu")).string() + "'") == 0);
        const std::string made = read_file(folder.path() / (name + ".ptx"));
        const std::string kept = read_file(kernels / "ptx" / (name + ".O3.sm_80.ptx"));
        // Other compilers write different PTX.
        if (compiler_of(made) == compiler_of(kept)) CHECK(made == kept);
    }
}
