#pragma once

#include "engine/net/net.hpp"
#include "pnml/xml/xml_document.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpnet::xml {

/// What our own tool-specific part (pnml/dialect/exact.hpp) says about a net.
struct ExactPart {
    struct Node {
        pugi::xml_node element;
        std::string_view ref;
        std::optional<std::string> id;
        std::optional<std::string> name;
        bool immediate = false;
        std::int32_t priority = 0;
        bool without_position = false;
    };
    struct Loop {
        pugi::xml_node element;
        std::string_view place;
        std::string_view transition;
        Tokens read = 0;
        Tokens input = 0;   // 0: no input arc
        Tokens output = 0;  // 0: no output arc
    };

    std::optional<std::string> net_id;
    std::optional<std::string> net_name;
    bool timing_here = false;        // the labels of other tools say nothing about timing
    bool without_positions = false;  // no node has a position, whatever the pictures say
    std::vector<Node> nodes;
    std::vector<Loop> loops;
};

/// Reads our part of a <net>; empty where there is none. Throws PnmlError where it is not as we write it, or
/// written by a later version.
ExactPart read_exact_part(const Document& document, pugi::xml_node net);

}  // namespace warpnet::xml
