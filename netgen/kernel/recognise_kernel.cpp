#include "netgen/kernel/kernel.hpp"

#include <algorithm>
#include <limits>

namespace warpnet {
namespace {

constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

/// A transition that moves one token from one place to another and borrows one token each of one or two more.
struct Move {
    PlaceId from{};
    PlaceId to{};
    std::vector<PlaceId> borrowed;
};

std::optional<Move> as_move(const Net& net, TransitionId transition) {
    if (net[transition].immediate) return std::nullopt;
    std::vector<PlaceId> inputs;
    std::vector<PlaceId> outputs;
    for (const Arc& arc : net.arcs_of(transition)) {
        if (arc.weight != 1) return std::nullopt;
        if (arc.kind == ArcKind::input)
            inputs.push_back(arc.place);
        else if (arc.kind == ArcKind::output)
            outputs.push_back(arc.place);
        else
            return std::nullopt;
    }
    Move move;
    std::vector<PlaceId> from;
    std::vector<PlaceId> to;
    std::ranges::set_intersection(inputs, outputs, std::back_inserter(move.borrowed));
    std::ranges::set_difference(inputs, outputs, std::back_inserter(from));
    std::ranges::set_difference(outputs, inputs, std::back_inserter(to));
    if (from.size() != 1 || to.size() != 1 || move.borrowed.empty() || move.borrowed.size() > 2)
        return std::nullopt;
    move.from = from[0];
    move.to = to[0];
    return move;
}

/// The place borrowed by every transition that stands for the schedulers; the outer optional is empty if the
/// transitions do not agree, the inner one if there is none.
std::optional<std::optional<PlaceId>> find_schedulers(const Net& net, const std::vector<Move>& moves) {
    const std::size_t borrowed = moves[0].borrowed.size();
    std::vector<PlaceId> common = moves[0].borrowed;
    for (const Move& move : moves) {
        if (move.borrowed.size() != borrowed) return std::nullopt;
        std::erase_if(common, [&](PlaceId place) { return std::ranges::count(move.borrowed, place) == 0; });
    }
    if (borrowed == 1) return std::optional<PlaceId>();
    if (common.empty()) return std::nullopt;
    const auto named = std::ranges::find_if(common, [&](PlaceId place) {
        return net[place].id == "schedulers" || net[place].name == "schedulers";
    });
    return named != common.end() ? *named : common.back();
}

}  // namespace

std::optional<KernelNet> recognise_kernel(const Net& net) {
    const std::size_t transitions = net.transitions().size();
    const std::size_t places = net.places().size();
    if (transitions == 0 || transitions > static_cast<std::size_t>(std::numeric_limits<int>::max()))
        return std::nullopt;
    std::vector<Move> moves;
    for (std::size_t t = 0; t < transitions; ++t) {
        auto move = as_move(net, TransitionId(t));
        if (!move) return std::nullopt;
        moves.push_back(std::move(*move));
    }
    const auto schedulers = find_schedulers(net, moves);
    if (!schedulers) return std::nullopt;

    // Role of every place: resources (units, schedulers) on one side, program counters on the other.
    std::vector<bool> is_resource(places, false);
    std::vector<bool> is_counter(places, false);
    std::vector<std::size_t> leaving(places, none);
    std::vector<std::size_t> arriving(places, none);
    for (std::size_t t = 0; t < transitions; ++t) {
        const std::size_t from = index(moves[t].from);
        const std::size_t to = index(moves[t].to);
        if (leaving[from] != none || arriving[to] != none) return std::nullopt;
        leaving[from] = t;
        arriving[to] = t;
        is_counter[from] = is_counter[to] = true;
        for (const PlaceId place : moves[t].borrowed) is_resource[index(place)] = true;
    }
    KernelNet kernel;
    std::vector<std::size_t> type_of(places, none);
    for (std::size_t p = 0; p < places; ++p) {
        const Place& place = net.places()[p];
        if (is_resource[p] == is_counter[p]) return std::nullopt;
        if (!is_resource[p]) continue;
        if (place.initial < 1 || place.initial > std::numeric_limits<int>::max()) return std::nullopt;
        if (*schedulers == PlaceId(p)) {
            kernel.instance.schedulers = static_cast<int>(place.initial);
            continue;
        }
        type_of[p] = kernel.unit.size();
        kernel.unit.push_back(PlaceId(p));
        kernel.instance.capacity.push_back(static_cast<int>(place.initial));
    }
    if (kernel.unit.size() > std::numeric_limits<std::uint8_t>::max()) return std::nullopt;

    // Every chain of program counters is a warp; all must run the same instructions.
    std::vector<int>& level = kernel.instance.level;
    kernel.instance.warps = 0;
    for (std::size_t p = 0; p < places; ++p) {
        if (!is_counter[p]) continue;
        const bool is_start = arriving[p] == none;
        if (net.places()[p].initial != (is_start ? 1 : 0)) return std::nullopt;
        if (!is_start) continue;
        std::vector<std::uint8_t> chain_type;
        std::vector<int> chain_level;
        for (std::size_t t = leaving[p]; t != none; t = leaving[index(moves[t].to)]) {
            const auto& borrowed = moves[t].borrowed;
            const PlaceId unit = borrowed[0] == *schedulers ? borrowed[1] : borrowed[0];
            const std::int32_t priority = net.transitions()[t].priority;
            if (priority == std::numeric_limits<std::int32_t>::min()) return std::nullopt;
            chain_type.push_back(static_cast<std::uint8_t>(type_of[index(unit)]));
            chain_level.push_back(-priority);
            kernel.transition.push_back(TransitionId(t));
        }
        if (++kernel.instance.warps == 1) {
            kernel.instance.type = std::move(chain_type);
            level = std::move(chain_level);
        } else if (chain_type != kernel.instance.type || chain_level != level) {
            return std::nullopt;
        }
    }
    // A ring of counters has no start, so its transitions are in no chain.
    if (kernel.transition.size() != transitions) return std::nullopt;
    if (std::ranges::all_of(level, [](int l) { return l == 0; })) level.clear();
    return kernel;
}

}  // namespace warpnet
