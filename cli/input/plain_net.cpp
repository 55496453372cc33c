#include "cli/input/plain_net.hpp"

#include "analysis/states/structure/timed_net.hpp"
#include "engine/base/text.hpp"
#include "pnml/rewrite.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace warpnet::cli {

PlainNet plain_net(const Net& net, const ExploreOptions& options, std::optional<Tokens> given) {
    PlaceBounds bounds;
    if (given) {
        bounds.of.assign(net.places().size(), given);
        bounds.structural = false;
    } else {
        bounds = bounds_of_inhibitors(net, options);
    }
    RewrittenNet rewritten = without_inhibitors(net, bounds.of);
    PlainNet plain;
    plain.net = std::move(rewritten.net);
    plain.added_places = rewritten.added_places;
    if (rewritten.replaced_arcs == 0) return plain;
    plain.notes.push_back(
        fmt::format("{} replaced by {}; interleaving stays "
                    "the same",
                    plural(rewritten.replaced_arcs, "inhibitor arc"),
                    plural(rewritten.added_places, "complement place")));
    if (given) {
        plain.notes.push_back(fmt::format(
            "the bound of {} for each inhibiting place was not checked: if one can hold more, this "
            "is another net",
            *given));
    }
    if (!rewritten.contested.empty()) {
        plain.keeps_maximal_steps = false;
        plain.notes.push_back(
            fmt::format("maximal steps do not stay the same: several transitions now take "
                        "from {}{}",
                        rewritten.contested.front(),
                        rewritten.contested.size() > 1
                            ? fmt::format(" (and from {} more)", rewritten.contested.size() - 1)
                            : ""));
    } else if (!bounds.structural) {
        plain.keeps_maximal_steps = false;
        plain.notes.emplace_back("maximal steps may differ: the bounds are those of interleaving");
    } else {
        plain.notes.emplace_back("maximal steps stay the same, multiset steps may not");
    }
    return plain;
}

Net strict_net(const Net& net) {
    require_no_order(net, "strict PNML");
    PlainNet plain = plain_net(net, {.max_states = 1'000'000});
    for (const std::string& note : plain.notes) fmt::print(stderr, "note: {}\n", note);
    return std::move(plain.net);
}

std::optional<std::string> note_of_immediates(const Net& net) {
    const auto transitions = net.transitions();
    const auto count = std::count_if(transitions.begin(), transitions.end(),
                                     [](const Transition& transition) { return transition.immediate; });
    if (count == 0) return std::nullopt;
    return fmt::format(
        "{}: other tools read them as ordinary ones, which "
        "need not fire before the others, and reach more markings",
        plural(static_cast<std::uint64_t>(count), "immediate transition"));
}

}  // namespace warpnet::cli
