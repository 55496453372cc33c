#include "analysis/states/explore/marking_watch.hpp"

#include "engine/compile/firing_rule.hpp"

#include <utility>

namespace warpnet {

void DeadMarkings::see(std::uint32_t shard, const PackedLayout& layout, const Word* packed) {
    if (found_.size() + seen_[shard].size() >= most_) return;
    Marking marking(layout.places());
    layout.unpack(packed, marking);
    for (std::uint32_t t = 0; t < net_.transition_count(); ++t)
        if (enabled(net_, marking, t)) return;
    seen_[shard].push_back(std::move(marking));
}

void DeadMarkings::gather() {
    for (std::vector<Marking>& seen : seen_) {
        for (Marking& marking : seen)
            if (found_.size() < most_) found_.push_back(std::move(marking));
        seen.clear();
    }
}

bool DeadMarkings::satisfied() {
    gather();
    return false;  // the other figures need all markings
}

std::vector<Marking> DeadMarkings::nearest() {
    gather();
    return std::move(found_);
}

}  // namespace warpnet
