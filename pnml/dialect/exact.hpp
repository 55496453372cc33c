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

namespace warpnet::xml {

/// The weights of two ordinary arcs that stand for a read arc and the ordinary arcs between the same nodes,
/// as PNML has no portable read arc. An output of 0 means that no such arc is needed.
struct LoopWeights {
    Tokens input;
    Tokens output;
};

/// Together the two need, take and give what the three arcs do. A sum that leaves the range is cut to
/// max_tokens: firing overflows the place in either net. `input` and `output` are 0 where there is no such
/// arc.
inline LoopWeights loop_weights(Tokens read, Tokens input, Tokens output) {
    const Tokens needed = std::max(read, input);
    const Tokens back = needed - input;
    return {needed, output > max_tokens - back ? max_tokens : output + back};
}

}  // namespace warpnet::xml

namespace warpnet::exact {

/// What PNML cannot say is kept in one tool-specific part of the net, so that a net read back is the net that
/// was written (FORMAT.md, "Our own part"):
///
///     <toolspecific tool="warpnet" version="1">
///       <about originalId="" name="" timing="here" positions="none"/>
///       <node ref="p" originalId="" name="" immediate="true" priority="1" position="none"/>
///       <loop place="p" transition="t" read="2" input="1" output="3"/>
///     </toolspecific>
///
/// Every attribute but the references is left out where it has nothing to add. No element has a name of PNML,
/// so that tools which search a whole document for <place> or <net> are not misled.
inline constexpr std::string_view tool = "warpnet";
inline constexpr std::string_view version = "1";

/// Any bytes as characters that XML allows: '%', control characters and what is not UTF-8 become %XX.
std::string encode(std::string_view bytes);

/// The inverse of encode(); nothing where a '%' is not followed by two hexadecimal digits.
std::optional<std::string> decode(std::string_view text);

}  // namespace warpnet::exact

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

/// The pairs of arcs in a document that stand for a read arc (pnml/dialect/exact.hpp).
class FileLoops {
  public:
    /// One such pair. REQUIRES: `exact` outlives this.
    void expect(PlaceId place, TransitionId transition, const ExactPart::Loop& exact);

    /// No more pairs are expected. Throws PnmlError where one was expected twice.
    void finish(const Document& document);

    /// Whether an ordinary arc is part of a pair; then it is remembered and must not become an arc of the
    /// net.
    bool take(const Document& document, pugi::xml_node arc, PlaceId place, TransitionId transition,
              bool out_of_place, Tokens weight);

    /// Adds the arcs that the pairs stand for. Throws PnmlError where their weights are not those we wrote.
    void add_to(NetBuilder& builder, const Document& document) const;

  private:
    struct Loop {
        PlaceId place;
        TransitionId transition;
        const ExactPart::Loop* exact;
        Tokens input = 0;   // as the document has it
        Tokens output = 0;  // likewise
    };
    static bool before(const Loop& a, const Loop& b);

    std::vector<Loop> loops_;  // sorted by (transition, place)
};

}  // namespace warpnet::xml
