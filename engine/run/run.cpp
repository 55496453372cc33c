#include "engine/run/run.hpp"

#include "engine/general/general_run.hpp"
#include "engine/modules/component_run.hpp"
#include "engine/net/error.hpp"
#include "engine/parts/district_run.hpp"
#include "engine/parts/island_run.hpp"
#include "engine/run/stop_check.hpp"

namespace warpnet {

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

std::string_view to_string(ExecutorKind executor) {
    switch (executor) {
        case ExecutorKind::component:
            return "component";
        case ExecutorKind::islands:
            return "islands";
        case ExecutorKind::districts:
            return "districts";
        case ExecutorKind::general:
            return "general";
    }
    return "";
}

namespace {

/// Whether these runs can be made part by part. The component executor asks for more.
bool uses_parts(const RunOptions& options) {
    return options.semantics == Semantics::maximal && options.policy != Policy::replayed &&
           !serves_parts(options.policy) && options.until == nullptr;
}

}  // namespace

std::string why_not_components(const CompiledNet& net, const RunOptions& options) {
    if (options.semantics != Semantics::maximal) return "steps are not maximal steps";
    if (options.policy == Policy::round_robin || options.policy == Policy::replayed ||
        serves_parts(options.policy))
        return "the policy depends on what fired before";
    if (options.until != nullptr) return "a condition is looked at after every step";
    return net.components == nullptr ? net.not_components : "";
}

ExecutorKind executor_of(const CompiledNet& net, const RunOptions& options) {
    if (why_not_components(net, options).empty()) return ExecutorKind::component;
    const bool apart = uses_parts(options);
    if (apart && net.islands != nullptr) return ExecutorKind::islands;
    if (apart && net.districts != nullptr) return ExecutorKind::districts;
    return ExecutorKind::general;
}

CompileOptions compile_options_for(const RunOptions& options) {
    return uses_parts(options) ? CompileOptions{} : without_parts;
}

std::unique_ptr<Execution> begin_run(const CompiledNet& net, const RunOptions& options, Observer* observer) {
    require_bounded_steps(net, options.semantics);
    switch (executor_of(net, options)) {
        case ExecutorKind::component:
            return begin_component_run(net, options, observer);
        case ExecutorKind::islands:
            return begin_island_run(net, options, observer);
        case ExecutorKind::districts:
            return begin_district_run(net, options, observer);
        case ExecutorKind::general:
            break;
    }
    return begin_general_run(net, options, observer);
}

RunResult run(const CompiledNet& net, const RunOptions& options, Observer* observer) {
    const std::unique_ptr<Execution> execution = begin_run(net, options, observer);
    execution->advance(options.max_steps);
    return execution->finish();
}

}  // namespace warpnet
