#pragma once

#include "netgen/blocks/task_set.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace warpnet {

/// CPU cores, each with its segments: the one of the highest priority runs, of equal ones the first that
/// came; it is preempted by a higher one and goes on before its equals. A segment that keeps its core stays,
/// ended but in its place, until one of its stream takes it over. Linear in the segments of a core an event.
class CoreSchedule {
  public:
    struct Segment {
        std::uint32_t stream = 0;
        std::uint32_t job = 0;
        std::int32_t priority = 0;
        Time left = 0;            ///< when it was last started
        bool keeps_core = false;  ///< once it has ended
        bool waits = false;       ///< it has ended
    };
    /// A core ends what it has run and goes over to a job; absent: it stands, or waits.
    struct Switch {
        std::size_t core = 0;
        std::optional<std::uint32_t> to = {};
    };

    explicit CoreSchedule(std::size_t cores) : cores_(cores) {}

    /// It takes over the place of a segment of its stream that has kept the core, else stands behind its
    /// equals. Nothing runs before start().
    void enter(std::size_t core, const Segment& segment);
    /// Runs on every core what has to run from now on.
    std::vector<Switch> start(Time now);
    /// Of all cores, if nothing enters before; absent: nothing runs.
    std::optional<Time> next_end() const;
    /// Ends what ends now; start() must come next.
    std::vector<Segment> end(Time now);
    /// First to last of a core, with what is left at that time, which is not before the last event.
    std::vector<Segment> segments(std::size_t core, Time now) const;
    std::size_t size() const noexcept { return cores_.size(); }

  private:
    struct Core {
        std::vector<Segment> segments;              ///< the first one runs
        std::optional<std::uint32_t> running = {};  ///< a job
        Time since = 0;
        bool ended = false;  ///< what ran has, since the last start()
    };
    std::vector<Core> cores_;
};

}  // namespace warpnet
