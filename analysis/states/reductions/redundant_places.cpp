#include "analysis/states/reductions/rules.hpp"
#include "engine/formula/relation.hpp"

#include <algorithm>
#include <map>
#include <numeric>

namespace warpnet {

namespace {

constexpr std::size_t most_parallel = 8;  // that a place is compared with

/// What every transition changes in a place, divided by the greatest common divisor.
struct ChangeRow {
    std::vector<std::pair<std::uint32_t, Tokens>> changes;  // by transition
    Tokens divisor = 0;
};

ChangeRow changes_of(const ReducedNet& net, std::uint32_t place) {
    ChangeRow row;
    for (const std::uint32_t t : net.users(place)) {
        const Tokens change = net.use(t, place).change;
        if (change == 0) continue;
        row.changes.emplace_back(t, change);
        row.divisor = std::gcd(row.divisor, change);
    }
    for (auto& [transition, change] : row.changes) change /= row.divisor;
    return row;
}

/// Whether `place` always holds a/b times the tokens of `other`, and c/b, such that whoever finds in the
/// other place what it needs there finds enough here.
bool implied(const ReducedNet& net, std::uint32_t place, Tokens a, std::uint32_t other, Tokens b) {
    const WideSum c = WideSum{b} * net.initial()[place] - WideSum{a} * net.initial()[other];
    return std::ranges::all_of(net.users(place), [&](std::uint32_t t) {
        const PlaceUse use = net.use(t, place);
        if (use.below != PlaceUse::any_number) return false;
        return use.needs == 0 || WideSum{b} * use.needs <= WideSum{a} * net.use(t, other).needs + c;
    });
}

}  // namespace

void remove_needless_places(ReducedNet& net) {
    for (std::uint32_t p = 0; p < net.place_numbers(); ++p) {
        if (!net.has_place(p)) continue;
        bool grows = false, shrinks = false, tested = false;
        for (const std::uint32_t t : net.users(p)) {
            grows = grows || net.use(t, p).change > 0;
            shrinks = shrinks || net.use(t, p).change < 0;
        }
        const std::vector<std::uint32_t> users = net.users(p);
        for (const std::uint32_t t : users) {
            const PlaceUse old = net.use(t, p);
            PlaceUse use = old;
            if (!shrinks && use.needs <= net.initial()[p]) use.needs = 0;
            if (!grows && net.initial()[p] < use.below) use.below = PlaceUse::any_number;
            tested = tested || use.tests();
            if (use != old) net.set_use(t, use);
        }
        if (!tested && !net.visible(p)) net.remove_place(p);
    }
}

void remove_parallel_places(ReducedNet& net) {
    std::map<std::vector<std::pair<std::uint32_t, Tokens>>, std::vector<std::pair<std::uint32_t, Tokens>>>
        alike;  // places and their divisors
    for (std::uint32_t p = 0; p < net.place_numbers(); ++p) {
        if (!net.has_place(p) || net.users(p).empty()) continue;
        ChangeRow row = changes_of(net, p);
        if (!row.changes.empty()) alike[std::move(row.changes)].emplace_back(p, row.divisor);
    }
    for (auto& [changes, places] : alike) {
        for (std::size_t i = 0; i < places.size(); ++i) {
            const auto [place, a] = places[i];
            if (net.visible(place)) continue;
            for (std::size_t j = 0; j < std::min(places.size(), most_parallel); ++j) {
                const auto [other, b] = places[j];
                if (other == place || !implied(net, place, a, other, b)) continue;
                net.remove_place(place);
                places.erase(places.begin() + static_cast<std::ptrdiff_t>(i--));
                break;
            }
        }
    }
}

}  // namespace warpnet
