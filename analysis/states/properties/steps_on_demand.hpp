#pragma once

#include "analysis/states/explore/explore.hpp"
#include "analysis/states/explore/marking_store.hpp"
#include "analysis/states/explore/packed_layout.hpp"
#include "engine/base/no_index.hpp"
#include "engine/base/work_limits.hpp"
#include "engine/compile/compiled_net.hpp"
#include "engine/net/net.hpp"

#include <cstdint>
#include <utility>
#include <vector>

namespace warpnet::states {

/// The markings that a search has met, and their steps under interleaving. A step is fired when it is first
/// needed, because most searches leave most steps out.
///
/// The steps of a marking are ordered: first those that take tokens of the firing that led to it, so that one
/// process of the net moves on while the others wait, and cycles are soon closed. In both groups transitions
/// are in ascending order. REQUIRES: is_timed(net). The net must outlive it.
class StepsOnDemand {
  public:
    /// Marking 0 is the initial one. `layout`: at least as wide as first_layout().
    StepsOnDemand(const CompiledNet& net, PackedLayout layout);

    const MarkingStore& markings() const noexcept { return store_; }

    /// The number of transitions that can fire in a marking. O(transitions that the last firing may have
    /// enabled or disabled + places), once.
    std::uint32_t count(std::uint32_t state) {
        expand(state);
        return static_cast<std::uint32_t>(met_[state].firing.size());
    }

    /// The marking after the step of this number; those before it are fired too. A new marking has the
    /// largest number. O(effects + words), once. Throws LimitReached if its tokens do not fit into 63 bits.
    std::uint32_t after(std::uint32_t state, std::uint32_t number);

    /// Work so far, in transitions tried.
    std::uint64_t work() const noexcept { return work_; }
    /// Of memory.
    std::uint64_t bytes() const noexcept { return store_.bytes() + bytes_; }

    /// All markings, as a part of the state graph for step_graph(). Of the figures, only the numbers of
    /// markings, edges and deadlocks are set, the latter two for the markings that count() was asked about.
    Exploration explored(WorkEnd stop) const;

  private:
    struct Met {
        std::uint32_t by = no_index;      // the first transition that led to the marking
        std::uint32_t before = no_index;  // and the marking before it, which is expanded
        bool expanded = false;
        std::vector<std::uint32_t> firing = {};      // the transitions that can fire
        std::vector<std::uint32_t> successors = {};  // by the first ones of them
    };

    void expand(std::uint32_t state);
    std::vector<std::uint32_t> firing_in(std::uint32_t state);

    const CompiledNet& net_;
    MarkingStore store_;
    std::vector<Met> met_;
    std::vector<std::uint32_t> given_;  // per place: the marking after the last firing that gave to it
    Rows<std::uint32_t> testing_;       // per place the transitions that its tokens may enable
    std::vector<std::uint32_t> tried_;  // per transition: the last marking in which it was tried
    std::uint64_t unpacking_;           // work
    std::uint64_t work_ = 0, bytes_ = 0;
};

}  // namespace warpnet::states
