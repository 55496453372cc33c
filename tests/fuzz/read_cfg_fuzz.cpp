// Any bytes are rejected with an InputError, or are a structured graph that its text reproduces.

#include "engine/net/error.hpp"
#include "netgen/cfg/text.hpp"

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace warpnet;
    try {
        // Bytes may be reinterpreted as characters.
        const netgen::StructuredCfg cfg =
            netgen::read_cfg(std::string_view(reinterpret_cast<const char*>(data), size), "text");
        if (netgen::read_cfg_json(netgen::write_cfg_json(cfg), "written") != cfg)
            throw std::logic_error("a graph that its text does not give back");
    } catch (const InputError&) {
    }
    return 0;
}
