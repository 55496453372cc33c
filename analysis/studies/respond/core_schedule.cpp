#include "analysis/studies/respond/core_schedule.hpp"

#include <algorithm>

namespace warpnet {

void CoreSchedule::enter(std::size_t core, const Segment& segment) {
    std::vector<Segment>& segments = cores_[core].segments;
    const auto kept = std::find_if(segments.begin(), segments.end(), [&](const Segment& other) {
        return other.waits && other.stream == segment.stream;
    });
    if (kept != segments.end()) {
        *kept = segment;
        return;
    }
    segments.insert(std::find_if(segments.begin(), segments.end(),
                                 [&](const Segment& other) { return other.priority < segment.priority; }),
                    segment);
}

std::vector<CoreSchedule::Switch> CoreSchedule::start(Time now) {
    std::vector<Switch> switches;
    for (std::size_t number = 0; number < cores_.size(); ++number) {
        Core& core = cores_[number];
        std::optional<std::uint32_t> next;
        if (!core.segments.empty() && !core.segments.front().waits) next = core.segments.front().job;
        if (next == core.running && !core.ended) continue;
        for (Segment& segment : core.segments)
            if (core.running && segment.job == *core.running) segment.left -= now - core.since;
        switches.push_back({number, next});
        core.running = next;
        core.ended = false;
        core.since = now;
    }
    return switches;
}

std::optional<Time> CoreSchedule::next_end() const {
    std::optional<Time> earliest;
    for (const Core& core : cores_) {
        if (!core.running) continue;
        const Time end = core.since + core.segments.front().left;
        earliest = std::min(earliest.value_or(end), end);
    }
    return earliest;
}

std::vector<CoreSchedule::Segment> CoreSchedule::end(Time now) {
    std::vector<Segment> ended;
    for (Core& core : cores_) {
        if (!core.running || core.since + core.segments.front().left != now) continue;
        Segment& segment = core.segments.front();
        ended.push_back(segment);
        segment.left = 0;
        segment.waits = segment.keeps_core;
        core.running.reset();
        core.ended = true;
        if (!segment.waits) core.segments.erase(core.segments.begin());
    }
    return ended;
}

std::vector<CoreSchedule::Segment> CoreSchedule::segments(std::size_t core, Time now) const {
    std::vector<Segment> segments = cores_[core].segments;
    if (cores_[core].running) segments.front().left -= now - cores_[core].since;
    return segments;
}

}  // namespace warpnet
