// Any bytes are either rejected with an InputError or a table of measurements, alone and with a trace.

#include "analysis/studies/files/read_measured.hpp"
#include "engine/net/error.hpp"

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

namespace {

constexpr const char* trace =
    "\"Start\",\"Duration\",\"Grid X\",\"Grid Y\",\"Grid Z\",\"Block X\",\"Block Y\",\"Block Z\",\"Registers "
    "Per "
    "Thread\",\"Static SMem\",\"Dynamic SMem\",\"Device\",\"Name\"\n"
    "ms,us,,,,,,,,B,B,,\n"
    "1,5,10,1,1,64,1,1,24,0,0,\"GPU (0)\",\"k(int) [7]\"\n";

void read(std::initializer_list<warpnet::studies::SourceText> files) {
    try {
        warpnet::studies::read_measured(std::vector<warpnet::studies::SourceText>(files));
    } catch (const warpnet::InputError&) {
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    // Bytes may be reinterpreted as characters.
    const std::string text(reinterpret_cast<const char*>(data), size);
    read({{text, "text"}});
    read({{text, "text"}, {trace, "trace"}});
    return 0;
}
