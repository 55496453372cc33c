// Any bytes are either refused with an InputError or a condition, a formula or a file of properties that can
// be used.

#include "tests/pnml/check_properties.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    // Bytes and characters may be seen as each other.
    warpnet::testing::check_properties(std::string_view(reinterpret_cast<const char*>(data), size));
    return 0;
}
