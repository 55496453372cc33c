// Chooses the executors of a net. The finders are called in the order of expected speed: modules, restarted
// parts, separate parts, division, pivots. The first one that succeeds ends the search, except that the
// general executor is always added last and takes every run. A finder is skipped if the options of the runs
// exclude its executor, so that compiling does no work that no run can use. Nothing here depends on a clock
// or on trial runs: the same net and options always give the same plan.

#include "engine/plan.hpp"

#include "engine/executors/general/net.hpp"
#include "engine/executors/modules/net.hpp"
#include "engine/executors/parts/divided_net.hpp"
#include "engine/executors/parts/restarted_parts.hpp"
#include "engine/executors/parts/separate_parts.hpp"
#include "engine/executors/pivots/net.hpp"

#include <algorithm>
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

std::string_view takes_all(const RunOptions& /*options*/) { return ""; }

/// The reason why these runs cannot be made part by part; empty if they can.
std::string_view why_not_by_parts(const RunOptions& options) {
    if (options.semantics != Semantics::maximal) return "steps are not maximal steps";
    if (options.policy == Policy::replayed || serves_parts(options.policy))
        return "the policy depends on what fired before";
    if (options.until != nullptr) return "a condition is looked at after every step";
    return "";
}

/// The same for executors that do not make each firing individually: modules and pivots.
std::string_view why_not_by_modules(const RunOptions& options) {
    const std::string_view reason = why_not_by_parts(options);
    return reason.empty() && options.policy == Policy::round_robin ? "the policy depends on what fired before"
                                                                   : reason;
}

}  // namespace

const CompiledNet& Plan::net() const { return net_ != nullptr ? *net_ : joined_->net(); }

std::string Plan::why_not_modules(const RunOptions& options) const {
    const std::string_view reason = why_not_by_modules(options);
    if (!reason.empty()) return std::string(reason);
    return modules_ == nullptr ? not_modules_ : "";
}

/// There always is one, because the last executor supports all options.
const Plan::Candidate& Plan::first_for(const RunOptions& options) const {
    return *std::find_if(executors_.begin(), executors_.end(),
                         [&](const Candidate& one) { return one.why_not(options).empty(); });
}

/// Makes a plan. It calls one finder after the other, each only if its executor could make the runs.
class Planner {
  public:
    /// `owned`: the net, if the plan is to keep it. It is consumed if the net is divided.
    Planner(const CompiledNet& net, std::shared_ptr<CompiledNet> owned)
        : net_(net), owned_(std::move(owned)) {
        plan_.net_ = &net;
    }

    /// Calls the finders in turn. Separate parts get plans of their own, so a part may be run by modules or
    /// pivots.
    void look_for_executors(const RunOptions& options, const PlanOptions& how) {
        const bool by_parts = why_not_by_parts(options).empty();
        const bool by_modules = why_not_by_modules(options).empty();
        const std::size_t transitions = net_.transition_count();
        if (by_parts && how.modules) {
            ModuleAnalysis analysis = find_modules(net_, how.arrays.hub_consumers, how.borrowed_hubs);
            plan_.not_modules_ = std::move(analysis.reason);
            plan_.modules_ = add(ExecutorKind::modules, why_not_by_modules, begin_module_run, analysis.net);
        }
        if (by_modules && how.modules && how.parts.restarted && found_nothing())
            add(ExecutorKind::restarted, why_not_by_modules, begin_restarted_run,
                find_restarted_parts(net_, how.arrays));
        if (by_parts && found_nothing() && transitions >= how.parts.large_net) {
            const auto plan_part = [&](NetArcs arcs) -> std::shared_ptr<const Executor> {
                return std::make_shared<const Plan>(plan(compile(std::move(arcs), how.arrays), options, how));
            };
            add(ExecutorKind::separate, why_not_by_parts, begin_separate_run,
                find_separate_parts(net_, how.parts, plan_part));
        }
        if (by_parts && found_nothing() && is_timed(net_) && transitions >= how.parts.huge_net) divide(how);
        if (by_modules && how.pivots && found_nothing())
            add(ExecutorKind::pivots, why_not_by_modules, begin_pivot_run,
                find_pivots(net_, how.arrays.hub_consumers));
    }

    /// Adds the general executor, which makes all other runs. `prepared`: prepare its tables.
    Plan finish(bool prepared) {
        plan_.owned_ = std::move(owned_);
        const CompiledNet* net = plan_.net_;
        std::shared_ptr<const GeneralNet> general;
        if (prepared) general = std::make_shared<const GeneralNet>(prepare_general(*net));
        plan_.executors_.push_back(
            {ExecutorKind::general, takes_all,
             [net, joined = plan_.joined_, general](const RunOptions& options, Observer* observer) {
                 const CompiledNet& whole = net != nullptr ? *net : joined->net();
                 require_bounded_steps(whole, options.semantics);
                 return begin_general_run(whole, general, options, observer);
             }});
        return std::move(plan_);
    }

    bool makes(const RunOptions& options) const {
        return std::any_of(plan_.executors_.begin(), plan_.executors_.end(),
                           [&](const Plan::Candidate& one) { return one.why_not(options).empty(); });
    }

  private:
    bool found_nothing() const noexcept { return plan_.executors_.empty(); }

    /// Adds an executor unless `found` is null.
    template <class Found, class Begin>
    std::shared_ptr<const Found> add(ExecutorKind kind, std::string_view (*why_not)(const RunOptions&),
                                     Begin begin, std::shared_ptr<const Found> found) {
        if (found != nullptr) {
            plan_.executors_.push_back(
                {kind, why_not, [&net = net_, begin, found](const RunOptions& options, Observer* observer) {
                     return begin(net, *found, options, observer);
                 }});
        }
        return found;
    }

    /// If the plan owns the net, the division consumes it, and the plan joins the parts again only on
    /// request. So the net and its parts are not held at the same time.
    void divide(const PlanOptions& how) {
        const std::shared_ptr<const DividedNet> divided =
            owned_ != nullptr ? divide_net(std::move(*owned_), how.parts, how.arrays)
                              : divide_net(net_, how.parts, how.arrays);
        if (divided == nullptr) return;
        if (owned_ != nullptr) {
            plan_.joined_ = std::make_shared<const JoinedNet>(divided);
            plan_.net_ = nullptr;
            owned_ = nullptr;
        }
        plan_.executors_.push_back({ExecutorKind::divided, why_not_by_parts,
                                    [net = plan_.net_, joined = plan_.joined_, divided](
                                        const RunOptions& options, Observer* observer) {
                                        return begin_divided_run(*divided,
                                                                 observer == nullptr ? nullptr
                                                                 : net != nullptr    ? net
                                                                                     : &joined->net(),
                                                                 options, observer);
                                    }});
    }

    const CompiledNet& net_;
    std::shared_ptr<CompiledNet> owned_;
    Plan plan_;
};

Plan plan(const CompiledNet& net, const RunOptions& options, const PlanOptions& how) {
    Planner planner(net, nullptr);
    planner.look_for_executors(options, how);
    return planner.finish(!planner.makes(options));
}

Plan plan(CompiledNet&& net, const RunOptions& options, const PlanOptions& how) {
    const auto owned = std::make_shared<CompiledNet>(std::move(net));
    Planner planner(*owned, owned);
    planner.look_for_executors(options, how);
    return planner.finish(!planner.makes(options));
}

Plan plan_nothing(const CompiledNet& net) { return Planner(net, nullptr).finish(false); }

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
