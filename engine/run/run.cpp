// The names of policies, semantics and reasons in texts, JSON and flags. Each switch has no default case, so
// that a new value without a name is a warning of the compiler.
//
// Multiset steps need transitions with inputs. A transition without inputs could fire any number of times in
// a step, so such nets are errors before a run and not a limit within it. O(transitions).

#include "engine/run/run.hpp"

#include "engine/net/error.hpp"

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

std::string_view to_string(Semantics semantics) {
    switch (semantics) {
        case Semantics::maximal:
            return "maximal";
        case Semantics::multiset:
            return "multiset";
        case Semantics::interleaving:
            return "interleaving";
    }
    return "";
}

std::string_view to_string(StopReason reason) {
    switch (reason) {
        case StopReason::dead:
            return "dead";
        case StopReason::step_limit:
            return "step limit";
        case StopReason::time_limit:
            return "time limit";
        case StopReason::interrupted:
            return "interrupted";
        case StopReason::overflow:
            return "overflow";
        case StopReason::immediate_loop:
            return "immediate loop";
        case StopReason::condition:
            return "condition met";
    }
    return "";
}

void require_bounded_steps(const CompiledNet& net, Semantics semantics) {
    if (semantics != Semantics::multiset) return;
    for (std::size_t t = 0; t < net.transition_count(); ++t) {
        if (net.inputs[t].empty()) {
            throw InputError(
                "transition number " + std::to_string(t) +
                " takes no tokens: under multiset semantics it could fire any number of times in one step");
        }
    }
}

}  // namespace warpnet
