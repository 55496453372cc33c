// A depth-first search for a part of the state graph. It tries transitions that take a token of the last
// firing first, so one process of the net moves on while all other processes wait. Its cycles are soon
// closed. A proof of "EG p" needs a cycle, and in a net with many processes the markings near the initial one
// have none. O(transitions + places) per marking; a single thread, so the order is always the same.

#include "analysis/states/explore/repack.hpp"
#include "analysis/states/explore/state_space.hpp"
#include "analysis/states/properties/marking_store.hpp"
#include "analysis/states/properties/parts.hpp"
#include "engine/base/no_index.hpp"
#include "engine/compile/firing_rule.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace warpnet::states {

namespace {

class DepthFirst {
  public:
    DepthFirst(const CompiledNet& net, std::uint64_t max_states, const WorkLimits& limits)
        : net_(net),
          max_states_(max_states),
          limits_(limits),
          store_(net.initial),
          given_(net.place_count(), no_index) {}

    Exploration run() {
        enter(0, no_index);
        WorkEnd stop = WorkEnd::complete;
        while (!path_.empty() && stop == WorkEnd::complete) stop = advance();
        return explored(stop);
    }

  private:
    struct Visit {
        std::uint32_t state;
        std::vector<std::uint32_t> open;  // transitions that have not been fired, the next one last
    };

    void enter(std::uint32_t state, std::uint32_t last) {
        Visit visit{state, {}};
        const Marking marking = store_[state];
        for (std::uint32_t t = 0; t < net_.transition_count(); ++t)
            if (enabled(net_, marking, t)) visit.open.push_back(t);
        edges_ += visit.open.size();
        if (visit.open.empty()) ++deadlocks_;
        if (last != no_index) {
            for (const PlaceWeight& arc : net_.outputs[last]) given_[arc.place] = state;
            std::stable_partition(visit.open.begin(), visit.open.end(), [&](std::uint32_t t) {
                return std::none_of(net_.inputs[t].begin(), net_.inputs[t].end(),
                                    [&](const PlaceWeight& arc) { return given_[arc.place] == state; });
            });
        }
        path_.push_back(std::move(visit));
    }

    WorkEnd advance() {
        Visit& visit = path_.back();
        if (visit.open.empty()) {
            path_.pop_back();
            return WorkEnd::complete;
        }
        const std::uint32_t transition = visit.open.back();
        if (store_.size() >= max_states_) return WorkEnd::state_limit;
        const std::uint32_t known = store_.size();
        const std::uint32_t number = store_.number_after(visit.state, net_.effects[transition]);
        if (number == no_index) return WorkEnd::overflow;
        visit.open.pop_back();
        if (number == known) {
            if (number % 256 == 0 && limits_.must_end()) return WorkEnd::time_limit;
            enter(number, transition);
        }
        return WorkEnd::complete;
    }

    /// Wide enough for the markings and for the tokens that a firing gives.
    PackedLayout layout() const {
        const PackedLayout first = first_layout(net_, Semantics::interleaving, nullptr, limits_);
        std::vector<std::uint8_t> bits(first.bits().begin(), first.bits().end());
        for (std::size_t p = 0; p < bits.size(); ++p) bits[p] = std::max(bits[p], store_.layout().bits()[p]);
        return PackedLayout(std::move(bits));
    }

    Exploration explored(WorkEnd stop) const {
        StateSpace space(layout());
        std::vector<Word> packed(space.layout().words());
        const AnyWords words{packed.size()};
        for (std::uint32_t state = 0; state < store_.size(); ++state) {
            space.layout().pack(store_[state], packed.data());
            const StateHash hash(packed.data(), words);
            space.shard(hash.shard()).insert(hash.in_shard(), packed.data(), 0, words);
        }
        const StateId initial = *space.find(net_.initial);
        return {.stop = stop,
                .markings = store_.size(),
                .edges = edges_,
                .deadlocks = deadlocks_,
                .space_markings = store_.size(),
                .space_edges = edges_,
                .bounds = {},
                .fired = {},
                .deadlock = {},
                .initial = initial,
                .space = std::move(space)};
    }

    const CompiledNet& net_;
    std::uint64_t max_states_;
    const WorkLimits& limits_;
    MarkingStore store_;
    std::vector<Visit> path_;
    std::vector<std::uint32_t> given_;  // per place: the marking after the last firing that gave to it
    std::uint64_t edges_ = 0, deadlocks_ = 0;
};

}  // namespace

Exploration explore_depth_first(const CompiledNet& compiled, std::uint64_t max_states,
                                const WorkLimits& limits) {
    return DepthFirst(compiled, max_states, limits).run();
}

}  // namespace warpnet::states
