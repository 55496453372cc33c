#pragma once

#include "analysis/worst/exact/local_states.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace warpnet::worst {

/// The position of a module, as one number: the representative state ahead times the number of tails, plus
/// the remaining tail of the way to it.
using LocalCode = std::uint32_t;

/// A net whose modules meet only in hubs, as tables over local states. A state of the net is the multiset of
/// the codes of its modules and the tokens of its hubs: modules in equal states are interchangeable.
struct MultisetNet {
    struct Position {
        ModuleNode::Kind kind;
        std::uint32_t demand_class;
        std::uint32_t loops_held;
        std::uint32_t first_edge, edges;
        std::uint32_t state;  ///< of LocalStates
    };
    struct Edge {
        LocalCode code;  ///< at its beginning
        double probability;
    };
    struct Loop {
        std::vector<PlaceWeight> takes;
        std::vector<Watch> hub_tests;
    };

    std::uint32_t tails = 1;
    std::vector<Position> positions;
    std::vector<Edge> edges;
    std::vector<LocalTail> tail_table;
    std::vector<CounterEffect> effects;
    std::vector<std::uint32_t> position_of;                ///< per state of LocalStates
    std::vector<std::uint32_t> order;                      ///< positions, targets after sources; or empty
    std::vector<std::vector<PlaceWeight>> demand_classes;  ///< hubs
    std::vector<Loop> loops;
    std::size_t hubs = 0;
    std::vector<LocalCode> start;        ///< per module
    std::vector<Tokens> start_counters;  ///< hubs, then unmet conditions of loops

    /// A counter that the codes determine is base + the sum of share[code's position] - pending[its tail];
    /// the other counters are kept in addition to the codes.
    struct Share {
        std::uint32_t counter;
        Tokens base;
        std::vector<Tokens> of_position, pending;
    };
    std::vector<Share> shares;
    std::vector<std::uint32_t> kept;  ///< counters that the codes do not determine

    std::uint32_t position_at(LocalCode code) const noexcept { return code / tails; }
    std::uint32_t tail_at(LocalCode code) const noexcept { return code % tails; }
    std::size_t counters() const noexcept { return hubs + loops.size(); }
    std::span<const Edge> edges_of(std::uint32_t position) const noexcept {
        return std::span(edges).subspan(positions[position].first_edge, positions[position].edges);
    }
    std::span<const CounterEffect> effects_of(std::uint32_t tail) const noexcept {
        return std::span(effects).subspan(tail_table[tail].first_effect, tail_table[tail].effects);
    }
    bool fits(std::uint32_t demand_class, std::span<const Tokens> counter) const noexcept {
        for (const auto [hub, weight] : demand_classes[demand_class])
            if (counter[hub] < weight) return false;
        return true;
    }
};

/// Empty positions if there are more codes than 2^32. O(states + edges).
MultisetNet multiset_net(const Plan& planned, const LocalStates& states);

/// One state, unpacked. Codes ascend if it is compared with others.
struct MultisetState {
    std::vector<LocalCode> codes;
    std::vector<Tokens> counters;
};

/// States as words: a fixed number of bits per code, then a word for each counter that the codes do not
/// determine.
class StatePacking {
  public:
    explicit StatePacking(const MultisetNet& net);

    std::size_t words() const noexcept { return words_; }
    void pack(const MultisetState& state, std::uint64_t* words) const noexcept;
    void unpack(const std::uint64_t* words, MultisetState& state) const;

  private:
    const MultisetNet& net_;
    unsigned bits_;
    std::size_t code_words_, words_;
};

}  // namespace warpnet::worst
