// The names of annealing methods and starts. The annealing itself is a template over the problems, in the
// headers of this folder.

#include "analysis/worst/search/annealing.hpp"

#include <array>
#include <cstddef>

namespace warpnet::worst {

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

std::string_view to_string(SearchStart start) {
    constexpr std::array<std::string_view, search_starts.size()> names = {
        "starvation", "round-robin", "fixed-priority", "most-pending", "random", "mixed"};
    return names[static_cast<std::size_t>(start)];
}

}  // namespace warpnet::worst
