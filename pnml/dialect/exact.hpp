#pragma once

#include "engine/net/net.hpp"
#include "engine/net/net_builder.hpp"
#include "pnml/xml/xml_document.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpnet::pnml::xml {

/// The weights of two ordinary arcs that replace a read arc and the ordinary arcs between the same nodes,
/// since PNML has no portable read arc. No output arc is needed if its weight is 0.
struct LoopWeights {
    Tokens input;
    Tokens output;
};

/// The two arcs together need, take and give the same as the three original arcs. A sum out of range becomes
/// max_tokens: firing then overflows the place in either net. `input` and `output` are 0 if there is no such
/// arc.
inline LoopWeights loop_weights(Tokens read, Tokens input, Tokens output) {
    const Tokens needed = std::max(read, input);
    const Tokens back = needed - input;
    return {needed, output > max_tokens - back ? max_tokens : output + back};
}

}  // namespace warpnet::pnml::xml

namespace warpnet::pnml::exact {

/// Everything that PNML cannot express is stored in one tool-specific part of the net, so that reading a
/// written net returns the same net (docs/reference/pnml.md, "Our own part"):
///
///     <toolspecific tool="warpnet" version="1">
///       <about originalId="" name="" timing="here" positions="none"/>
///       <node ref="p" originalId="" name="" immediate="true" priority="1" position="none"/>
///       <loop place="p" transition="t" read="2" input="1" output="3"/>
///     </toolspecific>
///
/// An attribute other than a reference is omitted if it adds nothing. No element has a name of PNML, so that
/// tools that search a whole document for <place> or <net> are not misled.
inline constexpr std::string_view tool = "warpnet";
inline constexpr std::string_view version = "1";

/// The bytes as characters that XML allows: '%', control characters and invalid UTF-8 become %XX.
std::string encode(std::string_view bytes);

/// The inverse of encode(). Empty if a '%' is not followed by two hexadecimal digits.
std::optional<std::string> decode(std::string_view text);

}  // namespace warpnet::pnml::exact

namespace warpnet::pnml::xml {

/// The content of warpnet's tool-specific part of a net (pnml/dialect/exact.hpp).
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
    bool timing_here = false;        // the labels of other tools do not affect timing
    bool without_positions = false;  // no node has a position, whatever its graphics contain
    std::vector<Node> nodes;
    std::vector<Loop> loops;
};

/// Reads warpnet's part of a <net>; empty if there is none. Throws PnmlError if it is malformed or if a later
/// version wrote it.
ExactPart read_exact_part(const Document& document, pugi::xml_node net);

/// The pairs of arcs in a document that represent read arcs (pnml/dialect/exact.hpp).
class FileLoops {
  public:
    /// Expects one such pair. REQUIRES: `exact` outlives this object.
    void expect(PlaceId place, TransitionId transition, const ExactPart::Loop& exact);

    /// Ends the list of expected pairs. Throws PnmlError if one was expected twice.
    void finish(const Document& document);

    /// Whether an ordinary arc is part of a pair. If so, it is stored here and must not become an arc of the
    /// net.
    bool take(const Document& document, pugi::xml_node arc, PlaceId place, TransitionId transition,
              bool out_of_place, Tokens weight);

    /// Adds the arcs that the pairs represent. Throws PnmlError if their weights are not those written by
    /// warpnet.
    void add_to(NetBuilder& builder, const Document& document) const;

  private:
    struct Loop {
        PlaceId place;
        TransitionId transition;
        const ExactPart::Loop* exact;
        Tokens input = 0;   // in the document
        Tokens output = 0;  // in the document
    };
    static bool before(const Loop& a, const Loop& b);

    std::vector<Loop> loops_;  // sorted by (transition, place)
};

}  // namespace warpnet::pnml::xml
