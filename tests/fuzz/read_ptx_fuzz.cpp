// Any bytes are either refused with an InputError or a module of kernels whose counts agree with one another.

#include "tests/netgen/code/ptx/check_ptx.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    // Bytes and characters may be seen as each other.
    warpnet::testing::check_ptx(std::string_view(reinterpret_cast<const char*>(data), size));
    return 0;
}
