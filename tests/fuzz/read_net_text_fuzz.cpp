// The readers of LoLA's, Tina's and Aldebaran's formats reject any bytes with an InputError, or read a net
// that the text of its writer reproduces.

#include "engine/net/error.hpp"
#include "pnml/text/net_file.hpp"

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

using namespace warpnet;

namespace {

void demand_equal_size(const Net& net, const Net& again) {
    if (net.places().size() != again.places().size() ||
        net.transitions().size() != again.transitions().size())
        throw std::logic_error("a net that its text does not give back");
}

template <class Read, class Write>
void read(std::string_view text, Read reader, Write writer) {
    try {
        const Net net = reader(text, "text");
        std::string written;
        try {
            written = writer(net);
        } catch (const InputError&) {  // not expressible in the format
            return;
        }
        demand_equal_size(net, reader(written, "written"));
    } catch (const InputError&) {
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    // Bytes may be reinterpreted as characters.
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    read(text, pnml::read_lola, pnml::write_lola);
    read(text, pnml::read_tina, pnml::write_tina);
    read(text, pnml::read_aut, pnml::write_tina);
    return 0;
}
