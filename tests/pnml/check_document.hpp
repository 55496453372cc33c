#pragma once

#include "engine/net/error.hpp"
#include "pnml/read_pnml.hpp"
#include "pnml/write_pnml.hpp"

#include <stdexcept>
#include <string>
#include <string_view>

namespace warpnet::testing {

/// The check for any bytes: they are rejected with a PnmlError, or make a net that stays the same after
/// writing and reading in every flavour that can express it. Returns whether they make a net. Throws
/// std::logic_error if the check fails.
inline bool check_document(std::string_view bytes) {
    Net net;
    try {
        net = pnml::read_pnml(bytes, "document");
    } catch (const pnml::PnmlError&) {
        return false;
    }
    for (const pnml::PnmlFlavour flavour :
         {pnml::PnmlFlavour::compat, pnml::PnmlFlavour::pipe, pnml::PnmlFlavour::strict}) {
        std::string text;
        try {
            text = pnml::write_pnml(net, flavour);
        } catch (const InputError&) {
            if (flavour != pnml::PnmlFlavour::strict)
                throw std::logic_error("a net that was read cannot be written");
            continue;
        }
        const Net back = pnml::read_pnml(text, "written");
        if (!(back == net)) throw std::logic_error("a net changes when it is written and read");
        if (pnml::write_pnml(back, flavour) != text)
            throw std::logic_error("equal nets are written differently");
    }
    return true;
}

}  // namespace warpnet::testing
