#pragma once

#include "engine/net/error.hpp"
#include "pnml/read_pnml.hpp"
#include "pnml/write_pnml.hpp"

#include <stdexcept>
#include <string>
#include <string_view>

namespace warpnet::testing {

/// What must hold for any bytes: they are refused with a PnmlError, or make a net that is the same after
/// writing and reading in every flavour that can say it. Returns whether they make a net; throws
/// std::logic_error where that does not hold.
inline bool check_document(std::string_view bytes) {
    Net net;
    try {
        net = read_pnml(bytes, "document");
    } catch (const PnmlError&) {
        return false;
    }
    for (const PnmlFlavour flavour : {PnmlFlavour::compat, PnmlFlavour::pipe, PnmlFlavour::strict}) {
        std::string text;
        try {
            text = write_pnml(net, flavour);
        } catch (const InputError&) {
            if (flavour != PnmlFlavour::strict)
                throw std::logic_error("a net that was read cannot be written");
            continue;
        }
        const Net back = read_pnml(text, "written");
        if (!(back == net)) throw std::logic_error("a net changes when it is written and read");
        if (write_pnml(back, flavour) != text) throw std::logic_error("equal nets are written differently");
    }
    return true;
}

}  // namespace warpnet::testing
