#include "engine/base/work_limits.hpp"

namespace warpnet {

std::string_view to_string(WorkEnd end) {
    switch (end) {
        case WorkEnd::complete:
            return "complete";
        case WorkEnd::answered:
            return "answered";
        case WorkEnd::target_reached:
            return "target reached";
        case WorkEnd::endless:
            return "a run can go on forever";
        case WorkEnd::not_applicable:
            return "the net does not have the shape that is needed";
        case WorkEnd::effort_limit:
            return "as much effort as was allowed";
        case WorkEnd::state_limit:
            return "state limit";
        case WorkEnd::memory_limit:
            return "memory limit";
        case WorkEnd::time_limit:
            return "time limit";
        case WorkEnd::interrupted:
            return "interrupted";
        case WorkEnd::overflow:
            return "overflow";
    }
    return "";
}

}  // namespace warpnet
