// Any bytes are either rejected with an InputError or a usable condition, formula or file of properties.

#include "tests/pnml/check_properties.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    // Bytes may be reinterpreted as characters.
    warpnet::testing::check_properties(std::string_view(reinterpret_cast<const char*>(data), size));
    return 0;
}
