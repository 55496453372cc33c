#include "analysis/worst/search/annealing.hpp"

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

}  // namespace warpnet
