#include "analysis/worst/kernel/maximal_step_scheduler.hpp"

#include <algorithm>
#include <cassert>

namespace warpnet {

MaximalStepScheduler::MaximalStepScheduler(const KernelInstance& instance)
    : instance_(instance),
      warps_(static_cast<std::size_t>(instance.warps)),
      length_(instance.type.size()),
      position_(warps_ * length_),
      executed_(warps_ * length_) {}

int MaximalStepScheduler::reset(PrecedenceString string) {
    candidate_ = std::move(string);
    string_ = candidate_;
    cycle_.assign(string_.size(), 0);
    std::vector<std::uint32_t> next(warps_, 0);
    number_positions(string_, next, position_);
    candidate_position_ = position_;
    candidate_executed_ = executed_;
    candidate_first_ = 0;
    run_from(0);
    accept();
    return makespan_;
}

/// Where in the string each instruction stands; waits stand nowhere.
void MaximalStepScheduler::number_positions(const PrecedenceString& string, std::vector<std::uint32_t>& next,
                                            std::vector<std::uint32_t>& position) const {
    for (std::size_t p = 0; p < string.size(); ++p) {
        std::uint32_t& instruction = next[string[p]];
        while (instance_.waits_at(instruction)) ++instruction;
        position[string[p] * length_ + instruction++] = static_cast<std::uint32_t>(p);
    }
}

std::uint32_t MaximalStepScheduler::first_cycle_touched() const {
    // A position matters from the cycle on in which its instruction is ready.
    std::uint32_t first = static_cast<std::uint32_t>(makespan_);
    for (std::size_t i = 0; i < position_.size(); ++i) {
        if (position_[i] == candidate_position_[i]) continue;
        first = std::min(first, i % length_ == 0 ? 0 : executed_[i - 1] + 1);
    }
    return first;
}

int MaximalStepScheduler::evaluate(std::size_t first, std::span<const Warp> window) {
    propose(first, window);
    return candidate_makespan_;
}

void MaximalStepScheduler::propose(std::size_t first, std::span<const Warp> window) {
    assert(first + window.size() <= string_.size());
    candidate_first_ = first;
    candidate_ = string_;
    std::copy(window.begin(), window.end(), candidate_.begin() + static_cast<std::ptrdiff_t>(first));
    next_.assign(warps_, 0);
    number_positions(candidate_, next_, candidate_position_);
    candidate_executed_ = executed_;
    run_from(first_cycle_touched());
}

void MaximalStepScheduler::run_from(std::uint32_t cycle) {
    next_.assign(warps_, 0);
    std::size_t left = warps_ * length_;
    candidate_makespan_ = static_cast<int>(cycle);
    if (cycle > 0) {
        for (std::size_t w = 0; w < warps_; ++w) {
            const std::uint32_t* executed = executed_.data() + w * length_;
            while (next_[w] < length_ && executed[next_[w]] < cycle) ++next_[w];
            left -= next_[w];
        }
    }
    for (; left > 0; ++cycle) {
        ready_.clear();
        for (std::size_t w = 0; w < warps_; ++w) {
            if (next_[w] == length_) continue;
            if (instance_.waits_at(next_[w])) {
                candidate_executed_[w * length_ + next_[w]++] = cycle;
                --left;
                continue;
            }
            const std::uint64_t level =
                instance_.level.empty() ? 0
                                        : static_cast<std::uint64_t>(instance_.level[next_[w]]) + (1u << 31);
            ready_.emplace_back(level << 32 | candidate_position_[w * length_ + next_[w]],
                                static_cast<Warp>(w));
        }
        std::sort(ready_.begin(), ready_.end());
        room_ = instance_.capacity;
        int schedulers = instance_.schedulers.value_or(instance_.warps);
        for (const auto& [key, warp] : ready_) {
            int& room = room_[instance_.type[next_[warp]]];
            if (room == 0 || schedulers == 0) continue;
            --room;
            --schedulers;
            candidate_executed_[warp * length_ + next_[warp]++] = cycle;
            --left;
        }
        candidate_makespan_ = static_cast<int>(cycle) + 1;
    }
}

void MaximalStepScheduler::accept() {
    string_ = candidate_;
    position_ = candidate_position_;
    executed_ = candidate_executed_;
    makespan_ = candidate_makespan_;
    for (std::size_t i = 0; i < position_.size(); ++i)
        if (!instance_.waits_at(i % length_)) cycle_[position_[i]] = executed_[i];
}

}  // namespace warpnet
