#include "analysis/search/annealing.hpp"

namespace warpnet {

std::string_view to_string(AnnealingMethod method) {
    switch (method) {
        case AnnealingMethod::paper:
            return "paper";
        case AnnealingMethod::portfolio:
            return "portfolio";
        case AnnealingMethod::tempering:
            break;
    }
    return "tempering";
}

std::string_view to_string(AnnealingStop stop) {
    switch (stop) {
        case AnnealingStop::complete:
            return "complete";
        case AnnealingStop::target_reached:
            return "target reached";
        case AnnealingStop::endless:
            return "a run does not end";
        case AnnealingStop::time_limit:
            return "time limit";
        case AnnealingStop::interrupted:
            break;
    }
    return "interrupted";
}

}  // namespace warpnet
