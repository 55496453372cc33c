#include "cli/report/structure_report.hpp"

#include "analysis/states/structure/invariants.hpp"
#include "analysis/states/structure/net_class.hpp"
#include "analysis/states/structure/net_structure.hpp"
#include "cli/report/report_row.hpp"
#include "engine/base/text.hpp"
#include "engine/base/to_json.hpp"

#include <algorithm>
#include <span>
#include <type_traits>

#include <fmt/format.h>

namespace warpnet::cli {

namespace {

constexpr std::size_t listed_invariants = 5;
constexpr std::size_t listed_terms = 8;

std::string yes_no(std::optional<bool> answer) {
    return answer ? (*answer ? "yes" : "no") : "not known: a limit was reached";
}

template <class Nodes>
void add_invariants(std::string& text, const char* what, const Nodes& nodes, const Invariants& invariants,
                    bool sums) {
    add_row(text, what,
            fmt::format("{} minimal{}", invariants.all.size(),
                        invariants.complete ? "" : " found, there are more than could be enumerated"));
    for (std::size_t i = 0; i < std::min(invariants.all.size(), listed_invariants); ++i) {
        std::string line;
        Tokens sum = 0;
        bool in_range = true;
        for (std::size_t k = 0; k < invariants.all[i].size(); ++k) {
            const auto [node, weight] = invariants.all[i][k];
            if constexpr (std::is_same_v<Nodes, std::span<const Place>>) {
                Tokens part = 0;
                in_range &= !__builtin_mul_overflow(weight, nodes[node].initial, &part);
                in_range &= !__builtin_add_overflow(sum, part, &sum);
            }
            if (k >= listed_terms) continue;
            line += fmt::format("{}{}{}", k == 0 ? "" : " + ", weight == 1 ? "" : fmt::format("{} ", weight),
                                nodes[node].id);
        }
        if (invariants.all[i].size() > listed_terms)
            line += fmt::format(" + {} more", invariants.all[i].size() - listed_terms);
        if (sums && in_range) line += fmt::format(" = {}", sum);
        text += fmt::format("    {}\n", line);
    }
    if (invariants.all.size() > listed_invariants)
        text += fmt::format("    and {} more; --json lists all\n", invariants.all.size() - listed_invariants);
}

void add_siphons(std::string& text, const Net& net, const Siphons& siphons) {
    add_row(text, "siphons",
            fmt::format("{} minimal{}", siphons.minimal.size(),
                        siphons.complete ? "" : " found, there are more than could be enumerated"));
    if (!siphons.without_marked_trap) {
        if (siphons.complete) add_row(text, "Commoner's property", "every siphon holds a marked trap");
        return;
    }
    std::string places;
    for (const std::uint32_t p : *siphons.without_marked_trap)
        places += (places.empty() ? "" : " ") + net.places()[p].id;
    add_row(text, "Commoner's property", fmt::format("no marked trap in the siphon {}", places));
}

}  // namespace

std::string structure_text(const Net& net, const Structure& structure) {
    std::string text;
    add_row(text, "class", std::string(to_string(structure.net_class)));
    add_row(text, "conflict clusters",
            fmt::format(
                "{}, the largest of {}", structure.clusters.size(),
                plural(structure.clusters.empty() ? 0 : structure.clusters.front().size(), "transition")));
    if (structure.rank) add_row(text, "rank", std::to_string(*structure.rank));
    add_invariants(text, "P-invariants", net.places(), structure.of_places, true);
    add_invariants(text, "T-invariants", net.transitions(), structure.of_transitions, false);
    add_row(text, "conservative", yes_no(structure.bounded.conservative));
    add_row(text, "structurally bounded", yes_no(structure.bounded.structurally_bounded));
    if (structure.siphons) add_siphons(text, net, *structure.siphons);
    return text;
}

}  // namespace warpnet::cli
