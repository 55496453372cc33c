// States of a net of modules as multisets of numbers. A module on its way to a position is one number, its
// code: position x tails + tail, in which a tail is the rest of the way. A net whose codes exceed 32 bits is
// not used.
//
// A state also has counters: the tokens of hubs and the unmet conditions of hub loops. The codes determine a
// counter if positions have shares in it: every edge changes the counter by the difference of the shares of
// its ends. The shares are potentials, found by a search through the graph of positions that begins with
// share 0 in each component. If an edge contradicts a known share, the counter is stored in the state. In
// most nets every way returns the tokens it took, so no counter is stored and a state is a sorted list of
// codes.

#include "analysis/worst/exact/multiset_net.hpp"

#include "engine/base/no_index.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <optional>

namespace warpnet::worst {

namespace {

void add_modules(const LocalStates& states, MultisetNet& net) {
    net.position_of.assign(states.states.size(), no_index);
    for (std::uint32_t s = 0; s < states.states.size(); ++s) {
        if (states.same[s] != s) continue;
        net.position_of[s] = static_cast<std::uint32_t>(net.positions.size());
        const LocalState& state = states.states[s];
        net.positions.push_back({state.kind, state.demand_class, state.loops_held, 0, 0, s});
    }
    for (std::uint32_t s = 0; s < states.states.size(); ++s)
        net.position_of[s] = net.position_of[states.same[s]];
    for (MultisetNet::Position& position : net.positions) {
        position.first_edge = static_cast<std::uint32_t>(net.edges.size());
        for (const LocalEdge& edge : states.edges_of(position.state)) {
            const LocalCode code = net.position_of[edge.target] * net.tails + edge.tail;
            const auto at = std::find_if(net.edges.begin() + position.first_edge, net.edges.end(),
                                         [&](const MultisetNet::Edge& known) { return known.code == code; });
            if (at == net.edges.end()) {
                net.edges.push_back({code, edge.probability});
            } else {
                at->probability += edge.probability;
            }
        }
        position.edges = static_cast<std::uint32_t>(net.edges.size()) - position.first_edge;
    }
    for (const std::uint32_t s : states.order)
        if (states.same[s] == s) net.order.push_back(net.position_of[s]);
}

/// The change of a counter along an edge, including the demand at its beginning.
Tokens change_along(const MultisetNet& net, const MultisetNet::Position& from, const MultisetNet::Edge& edge,
                    const std::vector<Tokens>& pending, std::uint32_t counter) {
    Tokens change = pending[net.tail_at(edge.code)];
    if (from.kind != ModuleNode::Kind::waiting) return change;
    for (const auto [hub, weight] : net.demand_classes[from.demand_class])
        if (hub == counter) change -= weight;
    return change;
}

/// The share of each position in a counter, if there is one: every edge must change the counter by the
/// difference of shares.
std::optional<MultisetNet::Share> share_of(const MultisetNet& net, std::uint32_t counter) {
    MultisetNet::Share share{counter, 0, std::vector<Tokens>(net.positions.size(), 0),
                             std::vector<Tokens>(net.tails, 0)};
    for (std::uint32_t tail = 1; tail < net.tails; ++tail) {
        const LocalTail& row = net.tail_table[tail];
        share.pending[tail] = row.next == 0 ? 0 : share.pending[row.next];
        for (const CounterEffect& effect : net.effects_of(tail))
            if (effect.counter == counter) share.pending[tail] += effect.delta;
    }
    struct Neighbour {
        std::uint32_t position;
        Tokens change;
    };
    std::vector<std::vector<Neighbour>> neighbours(net.positions.size());
    for (std::uint32_t m = 0; m < net.positions.size(); ++m) {
        for (const MultisetNet::Edge& edge : net.edges_of(m)) {
            const Tokens change = change_along(net, net.positions[m], edge, share.pending, counter);
            const std::uint32_t target = net.position_at(edge.code);
            neighbours[m].push_back({target, change});
            neighbours[target].push_back({m, -change});
        }
    }
    std::vector<std::uint8_t> known(net.positions.size(), 0);
    std::vector<std::uint32_t> open;
    for (std::uint32_t first = 0; first < net.positions.size(); ++first) {
        if (known[first] != 0) continue;
        known[first] = 1;
        open.assign(1, first);
        while (!open.empty()) {
            const std::uint32_t m = open.back();
            open.pop_back();
            for (const auto [other, change] : neighbours[m]) {
                const Tokens expected = share.of_position[m] + change;
                if (known[other] == 0) {
                    known[other] = 1;
                    share.of_position[other] = expected;
                    open.push_back(other);
                } else if (share.of_position[other] != expected) {
                    return std::nullopt;
                }
            }
        }
    }
    share.base = net.start_counters[counter];
    for (const LocalCode code : net.start) share.base -= share.of_position[net.position_at(code)];
    return share;
}

}  // namespace

MultisetNet multiset_net(const Plan& planned, const LocalStates& states) {
    const ModuleNet& parts = *planned.modules();
    MultisetNet net;
    net.tails = static_cast<std::uint32_t>(states.tails.size());
    if (states.states.size() * states.tails.size() > std::numeric_limits<LocalCode>::max()) return net;
    net.tail_table = states.tails;
    net.effects = states.effects;
    net.demand_classes = parts.automaton.demand_classes;
    net.hubs = parts.hubs.size();
    net.start_counters = parts.start_counters;
    for (const HubLoop& loop : parts.loops) net.loops.push_back({loop.takes, loop.hub_tests});
    add_modules(states, net);
    for (const std::uint32_t s : states.start) net.start.push_back(net.position_of[s] * net.tails);
    for (std::uint32_t counter = 0; counter < net.counters(); ++counter) {
        if (auto share = share_of(net, counter)) {
            net.shares.push_back(std::move(*share));
        } else {
            net.kept.push_back(counter);
        }
    }
    return net;
}

StatePacking::StatePacking(const MultisetNet& net)
    : net_(net),
      bits_(static_cast<unsigned>(
          std::bit_width(std::max<std::uint64_t>(1, net.positions.size() * std::uint64_t{net.tails} - 1)))),
      code_words_((net.start.size() * bits_ + 63) / 64),
      words_(code_words_ + net.kept.size()) {}

void StatePacking::pack(const MultisetState& state, std::uint64_t* words) const noexcept {
    std::fill(words, words + code_words_, 0);
    std::size_t bit = 0;
    for (const LocalCode code : state.codes) {
        const std::size_t word = bit / 64, shift = bit % 64;
        words[word] |= std::uint64_t{code} << shift;
        if (shift + bits_ > 64) words[word + 1] |= std::uint64_t{code} >> (64 - shift);
        bit += bits_;
    }
    for (std::size_t i = 0; i < net_.kept.size(); ++i)
        words[code_words_ + i] = static_cast<std::uint64_t>(state.counters[net_.kept[i]]);
}

void StatePacking::unpack(const std::uint64_t* words, MultisetState& state) const {
    state.codes.resize(net_.start.size());
    state.counters.resize(net_.counters());
    const std::uint64_t mask = (std::uint64_t{1} << bits_) - 1;
    std::size_t bit = 0;
    for (LocalCode& code : state.codes) {
        const std::size_t word = bit / 64, shift = bit % 64;
        std::uint64_t value = words[word] >> shift;
        if (shift + bits_ > 64) value |= words[word + 1] << (64 - shift);
        code = static_cast<LocalCode>(value & mask);
        bit += bits_;
    }
    for (const MultisetNet::Share& share : net_.shares) {
        Tokens tokens = share.base;
        for (const LocalCode code : state.codes)
            tokens += share.of_position[net_.position_at(code)] - share.pending[net_.tail_at(code)];
        state.counters[share.counter] = tokens;
    }
    for (std::size_t i = 0; i < net_.kept.size(); ++i)
        state.counters[net_.kept[i]] = static_cast<Tokens>(words[code_words_ + i]);
}

}  // namespace warpnet::worst
