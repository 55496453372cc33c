// Any bytes are either rejected with a PnmlError or a net that survives writing and reading in every flavour.

#include "tests/pnml/check_document.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    // Bytes may be reinterpreted as characters.
    warpnet::testing::check_document(std::string_view(reinterpret_cast<const char*>(data), size));
    return 0;
}
