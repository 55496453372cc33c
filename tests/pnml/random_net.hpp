#pragma once

#include "engine/net/error.hpp"
#include "engine/net/net_builder.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <rapidcheck.h>

namespace warpnet::testing {

/// The characters in the strings of a random net.
enum class Strings { simple, any_bytes };

/// A string that may contain all characters that are special in XML, URIs and our own escapes.
inline std::string random_string(Strings strings) {
    if (strings == Strings::simple)
        return *rc::gen::container<std::string>(rc::gen::elementOf(std::string("abc_1")));
    static const std::vector<std::string> pieces = {"a",
                                                    "p1",
                                                    "_",
                                                    "a1",
                                                    "net",
                                                    "page",
                                                    " ",
                                                    "\t",
                                                    "\n",
                                                    "\r",
                                                    "&",
                                                    "<",
                                                    ">",
                                                    "\"",
                                                    "'",
                                                    "%",
                                                    "%41",
                                                    "&lt;",
                                                    "]]>",
                                                    "<!--",
                                                    "\xC3\xA9",
                                                    "\xE2\x82\xAC",
                                                    "\x7F",
                                                    "\x01",
                                                    "\xFF",
                                                    "\xC3",
                                                    "1",
                                                    "-",
                                                    "]]",
                                                    "&#0;",
                                                    ".",
                                                    "/",
                                                    "\xEF\xBF\xBF",
                                                    "\xF0\x9F\x98\x80",
                                                    std::string(1, '\0')};
    std::string text;
    for (const std::string& piece :
         *rc::gen::container<std::vector<std::string>>(rc::gen::elementOf(pieces))) {
        text += piece;
    }
    return text;
}

inline Tokens random_weight() {
    return *rc::gen::oneOf(rc::gen::inRange<Tokens>(1, 4), rc::gen::just(Tokens{5'000'000'000}),
                           rc::gen::just(max_tokens), rc::gen::just(max_tokens - 1));
}

inline Position random_position() {
    const auto coordinate =
        rc::gen::oneOf(rc::gen::map(rc::gen::inRange(-500, 500), [](int v) { return v / 4.0; }),
                       rc::gen::elementOf(std::vector<double>{0.1, 1e300, -5e-324, 1.0 / 3}));
    return {*coordinate, *coordinate};
}

/// Any small net that a NetBuilder can make.
inline Net random_net(Strings strings) {
    NetBuilder builder(random_string(strings), random_string(strings));
    std::vector<std::string> ids;
    const auto new_id = [&] {
        std::string id = random_string(strings);
        while (id.empty() || std::find(ids.begin(), ids.end(), id) != ids.end()) id += "x";
        ids.push_back(id);
        return id;
    };
    const auto places = *rc::gen::inRange<std::uint32_t>(0, 5);
    const auto transitions = *rc::gen::inRange<std::uint32_t>(0, 5);
    const bool positions = *rc::gen::arbitrary<bool>();
    const bool timing = *rc::gen::arbitrary<bool>();
    for (std::uint32_t i = 0; i < places; ++i) {
        const std::string id = new_id();
        const Tokens initial = *rc::gen::arbitrary<bool>() ? 0 : random_weight();
        const PlaceId place =
            builder.add_place(id, initial, *rc::gen::arbitrary<bool>() ? id : random_string(strings));
        if (positions && *rc::gen::arbitrary<bool>()) builder.set_position(place, random_position());
    }
    for (std::uint32_t i = 0; i < transitions; ++i) {
        const std::string id = new_id();
        const TransitionId transition =
            builder.add_transition(id, *rc::gen::arbitrary<bool>() ? id : random_string(strings));
        if (positions && *rc::gen::arbitrary<bool>()) builder.set_position(transition, random_position());
        if (timing && *rc::gen::arbitrary<bool>()) builder.set_immediate(transition);
        if (timing) builder.set_priority(transition, *rc::gen::inRange(-2, 3));
    }
    if (places == 0 || transitions == 0) return builder.build();
    const auto arcs = *rc::gen::inRange(0, 12);
    for (int i = 0; i < arcs; ++i) {
        const auto place = PlaceId(*rc::gen::inRange<std::uint32_t>(0, places));
        const auto transition = TransitionId(*rc::gen::inRange<std::uint32_t>(0, transitions));
        // One arc of each kind between two nodes, so that no sum leaves the range.
        const Tokens weight = random_weight();
        switch (*rc::gen::inRange(0, 4)) {
            case 0:
                builder.add_inhibitor(place, transition, weight);
                break;
            case 1:
                builder.add_read(place, transition, weight);
                break;
            case 2:
                builder.add_input(place, transition, weight);
                break;
            default:
                builder.add_output(transition, place, weight);
        }
    }
    try {
        return builder.build();
    } catch (const InputError&) {
        RC_DISCARD("weights of parallel arcs left the range");
    }
}

}  // namespace warpnet::testing
