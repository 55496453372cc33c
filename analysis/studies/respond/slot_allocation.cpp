// The response-time algorithm of [Paredes19] section 3.5 for kernels in one queue on interchangeable block
// slots. The state is a time, the slots free at that time, and a list of (time, slots) that become free
// later. A kernel takes free slots, and moves to the next entry of the list while it needs more. The header
// describes how the printed algorithm is corrected. Cost per kernel: the entries that it uses up, each with
// an insertion.

#include "analysis/studies/respond/slot_allocation.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace warpnet::studies {

void SlotAllocator::advance_to(netgen::Time time) {
    next_ = std::max(next_, time);
    for (; !busy_.empty() && busy_.back().first <= next_; busy_.pop_back()) free_ += busy_.back().second;
}

void SlotAllocator::occupy_until(netgen::Time end, std::int64_t slots) {
    free_ -= slots;
    const auto later = [](const std::pair<netgen::Time, std::int64_t>& entry, netgen::Time time) {
        return entry.first > time;
    };
    const auto place = std::lower_bound(busy_.begin(), busy_.end(), end, later);
    if (place != busy_.end() && place->first == end)
        place->second += slots;
    else
        busy_.emplace(place, end, slots);
}

SlotAllocator::Allocation SlotAllocator::allocate(netgen::Time release, netgen::Time time,
                                                  std::int64_t blocks, std::vector<AllocationStep>* steps,
                                                  std::size_t job) {
    const auto occupy = [&](std::int64_t allocated) {
        occupy_until(next_ + time, allocated);
        if (steps != nullptr) steps->push_back({job, next_, allocated, free_, busy_});
    };
    advance_to(release);
    std::optional<netgen::Time> start;
    while (free_ < blocks) {
        if (free_ > 0) {
            if (!start) start = next_;
            blocks -= free_;
            occupy(free_);
        }
        advance_to(busy_.back().first);
    }
    occupy(blocks);
    return {start.value_or(next_), next_, next_ + time};
}

SlotModel slot_model(const netgen::TaskSet& tasks) {
    std::vector<netgen::BlockDemand> demands;
    for (const netgen::Operation& operation : tasks.operations) {
        if (operation.kind != netgen::OperationKind::kernel)
            return {{}, fmt::format("'{}' is a {}", operation.name, to_string(operation.kind))};
        demands.push_back(netgen::block_demand(tasks.gpu, operation));
    }
    if (demands.empty()) return {{}, "there is no kernel"};
    const bool equal = std::all_of(demands.begin(), demands.end(), [&](const netgen::BlockDemand& demand) {
        return demand == demands.front();
    });
    netgen::BlockDemand largest;
    for (const netgen::BlockDemand& demand : demands) {
        largest.threads = std::max(largest.threads, demand.threads);
        largest.shared = std::max(largest.shared, demand.shared);
        largest.registers = std::max(largest.registers, demand.registers);
    }
    std::int64_t slots = 0;
    for (const netgen::StreamingMultiprocessor& sm : tasks.gpu.sms) {
        const std::int64_t room = netgen::room_for(largest, sm);
        if (!equal && room < sm.blocks)
            return {{}, "blocks of different kernels take different amounts of an SM"};
        slots += room;
    }
    return {slots, fmt::format("the GPU holds {} block{} of any kernels ({})", slots, slots == 1 ? "" : "s",
                               equal ? "all blocks need the same resources" : "block slots run out first")};
}

SlotAllocator::Allocation equal_time_allocation(netgen::Time release, netgen::Time time, std::int64_t slots,
                                                std::int64_t before, std::int64_t blocks) {
    const netgen::Time last = release + time * ((before + blocks - 1) / slots);
    return {release + time * (before / slots), last, last + time};
}

}  // namespace warpnet::studies
