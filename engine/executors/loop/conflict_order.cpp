// The policies as orders. `first` and `last` follow the order of the net. `random` shuffles with the
// generator of the run (Fisher-Yates), or sorts by hashes of (seed, run, round, transition) if draws are
// keyed. Hashes cost more, but they do not depend on how many draws other conflicts have made, so different
// executors make identical runs. `round-robin` sorts by the round of the last firing. `gto` and `lrr` sort by
// a rank of the part at the place where parts meet, and break ties within a part by the replayed string or by
// hashes.

#include "engine/executors/loop/conflict_order.hpp"

#include "engine/net/error.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace warpnet {

ConflictOrder::ConflictOrder(const RunOptions& options, std::size_t transitions)
    : policy_(options.policy),
      keyed_(options.keyed && options.policy == Policy::random),
      key_(hash_bits(options.seed, options.run)),
      keys_(options.keys),
      steps_before_(options.steps_before),
      random_(options.seed, options.run) {
    if (policy_ == Policy::round_robin) last_fired_.assign(transitions, 0);
    if (serves_parts(policy_)) {
        if (options.served == nullptr || options.served->part.size() != transitions)
            throw InputError("the policies gto and lrr need the parts of the net");
        served_ = options.served;
        meetings_.assign(served_->meetings, {.last = served_->parts - 1});
        served_in_.assign(served_->slots, 0);
    }
    if (policy_ != Policy::replayed && (served_ == nullptr || options.order.empty())) return;
    occurrences_.assign(transitions, no_more);
    next_same_.resize(options.order.size());
    for (std::size_t i = options.order.size(); i-- > 0;) {
        const std::uint32_t t = options.order[i];
        if (t >= transitions)
            throw InputError("the order names transition number " + std::to_string(t) +
                             ", which does not exist");
        next_same_[i] = occurrences_[t];
        occurrences_[t] = i;
    }
}

/// Notes that a transition has served its part. Of several parts served in one round, lrr continues after the
/// last one in the circle, whatever the order of the calls.
void ConflictOrder::note_served(std::uint32_t transition) {
    Meeting& meeting = meetings_[served_->meeting[transition]];
    const std::uint32_t part = served_->part[transition];
    served_in_[served_->slot[transition]] = round_;
    if (meeting.round != round_) {
        meeting = {.round = round_, .last = part, .from = meeting.last};
    } else if (distance(meeting.from, part) > distance(meeting.from, meeting.last)) {
        meeting.last = part;
    }
}

/// Different for different parts that meet at a place.
std::uint64_t ConflictOrder::rank_of_part(std::uint32_t transition) const {
    const std::uint64_t part = served_->part[transition];
    if (!serves(transition)) return part;
    const Meeting& meeting = meetings_[served_->meeting[transition]];
    if (policy_ == Policy::lrr) return distance(meeting.last, served_->part[transition]);
    const bool greedy = meeting.round != 0 && served_in_[served_->slot[transition]] == meeting.round;
    return greedy ? part : part + served_->parts;
}

/// The rank among transitions of one part: by the next occurrence in the string if there is one, and
/// otherwise by hash.
std::uint64_t ConflictOrder::rank_in_part(std::uint32_t transition, std::uint64_t key) const {
    if (occurrences_.empty()) return hash_bits(key, transition) >> 32;
    return std::min<std::uint64_t>(occurrences_[transition], 0xffffffff);
}

void ConflictOrder::arrange(std::span<std::uint32_t> competitors) {
    if (competitors.size() < 2 || policy_ == Policy::first) return;
    if (policy_ == Policy::last) {
        std::reverse(competitors.begin(), competitors.end());
    } else if (!needs_every_competitor()) {
        for (auto left = static_cast<std::uint32_t>(competitors.size()); left > 1; --left) {
            std::swap(competitors[left - 1], competitors[random_.below(left)]);
        }
    } else {
        const std::uint64_t round_key = hash_bits(key_, steps_before_ + round_);
        ranked_.clear();
        for (const std::uint32_t t : competitors) ranked_.emplace_back(rank(t, round_key), t);
        std::sort(ranked_.begin(), ranked_.end());
        for (std::size_t i = 0; i < ranked_.size(); ++i) competitors[i] = ranked_[i].second;
    }
}

std::size_t ConflictOrder::pick(std::span<const std::uint32_t> competitors) {
    if (!needs_every_competitor()) return pick_of(static_cast<std::uint32_t>(competitors.size()));
    const std::uint64_t draw_key = hash_bits(hash_bits(key_, steps_before_ + round_), draws_++);
    std::size_t best = 0;
    for (std::size_t i = 1; i < competitors.size(); ++i) {
        if (rank(competitors[i], draw_key) < rank(competitors[best], draw_key)) best = i;
    }
    return best;
}

}  // namespace warpnet
