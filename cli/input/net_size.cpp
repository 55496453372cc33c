#include "cli/input/net_size.hpp"

#include "engine/base/text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace warpnet::cli {

NetSize size_of(const Net& net) {
    NetSize size;
    size.places = net.places().size();
    size.transitions = net.transitions().size();
    for (const Arc& arc : net.arcs()) {
        switch (arc.kind) {
            case ArcKind::input:
                ++size.input_arcs;
                break;
            case ArcKind::output:
                ++size.output_arcs;
                break;
            case ArcKind::inhibitor:
                ++size.inhibitor_arcs;
                break;
            case ArcKind::read:
                ++size.read_arcs;
                break;
        }
    }
    for (const Place& place : net.places()) {
        if (size.tokens && place.initial <= max_tokens - *size.tokens) {
            *size.tokens += place.initial;
        } else {
            size.tokens = std::nullopt;
        }
    }
    return size;
}

nlohmann::ordered_json to_json(const NetSize& size) {
    nlohmann::ordered_json json = {{"places", size.places},
                                   {"transitions", size.transitions},
                                   {"arcs",
                                    {{"input", size.input_arcs},
                                     {"output", size.output_arcs},
                                     {"inhibitor", size.inhibitor_arcs},
                                     {"read", size.read_arcs}}},
                                   {"tokens", nullptr}};
    if (size.tokens) json["tokens"] = *size.tokens;
    return json;
}

std::string to_text(const NetSize& size) {
    std::string special;
    if (size.inhibitor_arcs > 0) special += fmt::format(", {} inhibitor", size.inhibitor_arcs);
    if (size.read_arcs > 0) special += fmt::format(", {} read", size.read_arcs);
    const std::size_t ordinary = size.input_arcs + size.output_arcs;
    return fmt::format(
        "{}, {}, {} ({} input and output{}), {}", plural(size.places, "place"),
        plural(size.transitions, "transition"),
        plural(ordinary + size.inhibitor_arcs + size.read_arcs, "arc"), ordinary, special,
        size.tokens ? plural(static_cast<std::uint64_t>(*size.tokens), "token") : "more than 2^63 tokens");
}

}  // namespace warpnet::cli
