// Any bytes are either rejected with an InputError or a module of kernels with consistent counts.

#include "tests/netgen/code/ptx/check_ptx.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    // Bytes may be reinterpreted as characters.
    warpnet::testing::check_ptx(std::string_view(reinterpret_cast<const char*>(data), size));
    return 0;
}
