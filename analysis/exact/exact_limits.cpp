#include "analysis/exact/exact_limits.hpp"

namespace warpnet {

std::string_view to_string(ExactStop stop) {
    switch (stop) {
        case ExactStop::complete:
            return "complete";
        case ExactStop::endless:
            return "a run can go on for ever";
        case ExactStop::not_applicable:
            return "the net does not have the shape that is needed";
        case ExactStop::effort_limit:
            return "as much effort as was allowed";
        case ExactStop::memory_limit:
            return "memory limit";
        case ExactStop::time_limit:
            return "time limit";
        case ExactStop::interrupted:
            return "interrupted";
    }
    return "";
}

ExactStop stop_asked_for(const ExactLimits& limits) {
    if (limits.interrupt != nullptr && limits.interrupt->load()) return ExactStop::interrupted;
    if (limits.deadline && std::chrono::steady_clock::now() >= *limits.deadline) return ExactStop::time_limit;
    return ExactStop::complete;
}

}  // namespace warpnet
