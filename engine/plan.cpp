#include "engine/plan.hpp"

#include "engine/executors/general/net.hpp"
#include "engine/executors/general/run.hpp"
#include "engine/executors/modules/net.hpp"
#include "engine/executors/modules/run.hpp"
#include "engine/executors/parts/divided_net.hpp"
#include "engine/executors/parts/divided_run.hpp"
#include "engine/executors/parts/joined_net.hpp"
#include "engine/executors/parts/restarted_parts.hpp"
#include "engine/executors/parts/restarted_run.hpp"
#include "engine/executors/parts/separate_parts.hpp"
#include "engine/executors/parts/separate_run.hpp"
#include "engine/executors/pivots/net.hpp"
#include "engine/executors/pivots/run.hpp"

#include <utility>

namespace warpnet {

std::string_view to_string(ExecutorKind executor) {
    switch (executor) {
        case ExecutorKind::modules:
            return "modules";
        case ExecutorKind::restarted:
            return "restarted";
        case ExecutorKind::separate:
            return "separate";
        case ExecutorKind::divided:
            return "divided";
        case ExecutorKind::pivots:
            return "pivots";
        case ExecutorKind::general:
            return "general";
    }
    return "";
}

namespace {

/// Whether these runs can be made part by part. Modules ask for more.
bool uses_parts(const RunOptions& options) {
    return options.semantics == Semantics::maximal && options.policy != Policy::replayed &&
           !serves_parts(options.policy) && options.until == nullptr;
}

/// Why such runs of whatever net are not made by modules; empty where they may be.
std::string_view why_nothing_by_modules(const RunOptions& options) {
    if (options.semantics != Semantics::maximal) return "steps are not maximal steps";
    if (options.policy == Policy::round_robin || options.policy == Policy::replayed ||
        serves_parts(options.policy))
        return "the policy depends on what fired before";
    if (options.until != nullptr) return "a condition is looked at after every step";
    return "";
}

}  // namespace

const CompiledNet& Plan::net() const { return compiled != nullptr ? *compiled : joined->net(); }

std::string Plan::why_not_modules(const RunOptions& options) const {
    const std::string_view reason = why_nothing_by_modules(options);
    if (!reason.empty()) return std::string(reason);
    return modules == nullptr ? not_modules : "";
}

ExecutorKind Plan::executor(const RunOptions& options) const {
    if (why_not_modules(options).empty()) return ExecutorKind::modules;
    if (restarted != nullptr && why_nothing_by_modules(options).empty()) return ExecutorKind::restarted;
    const bool apart = uses_parts(options);
    if (apart && separate != nullptr) return ExecutorKind::separate;
    if (apart && divided != nullptr) return ExecutorKind::divided;
    if (pivots != nullptr && why_nothing_by_modules(options).empty()) return ExecutorKind::pivots;
    return ExecutorKind::general;
}

std::unique_ptr<RunInProgress> Plan::begin(const RunOptions& options, Observer* observer) const {
    switch (executor(options)) {
        case ExecutorKind::modules:
            return begin_module_run(*compiled, *modules, options, observer);
        case ExecutorKind::restarted:
            return begin_restarted_run(*compiled, *restarted, options, observer);
        case ExecutorKind::separate:
            return begin_separate_run(*compiled, *separate, options, observer);
        case ExecutorKind::divided:
            return begin_divided_run(*this, *divided, options, observer);
        case ExecutorKind::pivots:
            return begin_pivot_run(*compiled, *pivots, options, observer);
        case ExecutorKind::general:
            break;
    }
    require_bounded_steps(net(), options.semantics);  // the others make maximal steps
    return begin_general_run(net(), general, options, observer);
}

namespace {

/// plan(). `given_up`: the net itself, if nobody else needs it; where it is divided nothing is left of it.
Plan look_at(const CompiledNet& net, const RunOptions& options, const PlanOptions& how,
             CompiledNet* given_up) {
    Plan result = plan_nothing(net);
    const CompiledNet& compiled = *result.compiled;
    const std::size_t transitions = compiled.transition_count();
    const bool parts = uses_parts(options);
    if (parts && how.modules) {
        ModuleAnalysis analysis = find_modules(compiled, how.arrays.hub_consumers, how.borrowed_hubs);
        result.modules = std::move(analysis.net);
        result.not_modules = std::move(analysis.reason);
    }
    if (how.modules && how.parts.restarted && !result.modules && why_nothing_by_modules(options).empty())
        result.restarted = find_restarted_parts(compiled, how.arrays);
    if (parts && !result.modules && !result.restarted && transitions >= how.parts.large_net) {
        const auto plan_part = [&](NetArcs arcs) -> std::shared_ptr<const Executor> {
            return std::make_shared<const Plan>(plan(compile(std::move(arcs), how.arrays), options, how));
        };
        result.separate = find_separate_parts(compiled, how.parts, plan_part);
    }
    if (parts && !result.modules && !result.restarted && !result.separate && is_timed(compiled) &&
        transitions >= how.parts.huge_net)
        result.divided = given_up != nullptr ? divide_net(std::move(*given_up), how.parts, how.arrays)
                                             : divide_net(compiled, how.parts, how.arrays);
    if (how.pivots && result.executor(options) == ExecutorKind::general &&
        why_nothing_by_modules(options).empty())
        result.pivots = find_pivots(compiled, how.arrays.hub_consumers);
    if (result.executor(options) == ExecutorKind::general)
        result.general = std::make_shared<const GeneralNet>(prepare_general(compiled));
    return result;
}

}  // namespace

Plan plan(const CompiledNet& net, const RunOptions& options, const PlanOptions& how) {
    return look_at(net, options, how, nullptr);
}

Plan plan(CompiledNet&& net, const RunOptions& options, const PlanOptions& how) {
    const auto kept = std::make_shared<CompiledNet>(std::move(net));
    Plan result = look_at(*kept, options, how, kept.get());
    result.compiled = kept;
    if (result.divided != nullptr) {
        result.joined = std::make_shared<const JoinedNet>(result.divided);
        result.compiled = nullptr;
    }
    return result;
}

Plan plan_nothing(const CompiledNet& net) {
    Plan result;
    result.compiled = std::shared_ptr<const CompiledNet>(std::shared_ptr<void>(), &net);  // not owned
    return result;
}

RunResult run(const CompiledNet& net, const RunOptions& options, Observer* observer) {
    return run(plan(net, options), options, observer);
}

RunResult run(CompiledNet&& net, const RunOptions& options, Observer* observer) {
    if (observer != nullptr) return run(std::as_const(net), options, observer);
    return run(plan(std::move(net), options), options);
}

std::vector<RunResult> run_many(const CompiledNet& net, const ManyOptions& options) {
    return run_many(options.plain ? plan_nothing(net) : plan(net, options.run), options);
}

std::vector<RunResult> run_many(CompiledNet&& net, const ManyOptions& options) {
    if (options.plain || options.tally != nullptr) return run_many(std::as_const(net), options);
    return run_many(plan(std::move(net), options.run), options);
}

}  // namespace warpnet
