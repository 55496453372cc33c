#include "engine/run/policy.hpp"

namespace warpnet {

std::string_view to_string(Policy policy) {
    switch (policy) {
        case Policy::random:
            return "random";
        case Policy::first:
            return "first";
        case Policy::last:
            return "last";
        case Policy::round_robin:
            return "round-robin";
        case Policy::gto:
            return "gto";
        case Policy::lrr:
            return "lrr";
        case Policy::replayed:
            return "replayed";
    }
    return "";
}

}  // namespace warpnet
