#pragma once

#include "engine/executors/parts/net_part.hpp"
#include "engine/run/executor.hpp"
#include "engine/run_many.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace warpnet {

struct ModuleNet;
class JoinedNet;

/// The executors.
enum class ExecutorKind : std::uint8_t {
    modules,    ///< modules that are connected by hubs only: about one constant per interaction with the hubs
    restarted,  ///< parts that a dispatcher restarts while a stock lasts, each run by modules
    separate,   ///< unconnected parts, in parallel, each with the executor that suits it
    divided,    ///< one huge net, each step on all cores
    pivots,     ///< nets with immediate transitions or priorities: about proportional to the firings
    general,  ///< every net: about proportional to the firings in a conflict or that change what is enabled,
              ///< with delay gadgets and idle waiting skipped over
};

std::string_view to_string(ExecutorKind executor);

struct PlanOptions {
    /// The options for compiling parts. A place with more than `arrays.hub_consumers` consumers is also a hub
    /// between modules.
    CompileOptions arrays = {};
    /// Whether modules are searched.
    bool modules = true;
    /// Whether modules are also accepted if only a transition without effects reveals them, see
    /// find_modules(). Such a net is otherwise run by another executor.
    bool borrowed_hubs = false;
    /// The parts that are searched.
    PartOptions parts = {};
    /// Whether pivots are searched.
    bool pivots = true;
};

/// A net and its executors, in order: the first executor that supports the options of a run makes it. Make
/// one plan for all runs of a net. Immutable, shared by all threads.
class Plan final : public Executor {
  public:
    /// A net that was handed over and divided is joined at the first call, which then keeps it in memory.
    /// Runs with the options of the plan do not call it, unless they are observed.
    const CompiledNet& net() const override;

    /// The executor of these runs.
    ExecutorKind executor(const RunOptions& options = {}) const { return first_for(options).kind; }
    /// The net as modules that are connected by hubs only. Null if it has no such structure;
    /// why_not_modules() then returns the reason.
    const ModuleNet* modules() const noexcept { return modules_.get(); }
    const std::string& not_modules() const noexcept { return not_modules_; }
    /// The reason why the module executor does not make these runs. Empty if it does.
    std::string why_not_modules(const RunOptions& options = {}) const;

    /// Begins a run by executor(). If that is `separate` or `divided`, the run uses several cores, and its
    /// result does not depend on their number. Runs equal those of plain_run() in distribution. They are
    /// identical to them under a deterministic policy and with `keyed`.
    std::unique_ptr<RunInProgress> begin(const RunOptions& options, Observer* observer) const override {
        return first_for(options).begin(options, observer);
    }

  private:
    friend class Planner;

    /// An executor with its prepared data.
    struct Candidate {
        ExecutorKind kind;
        /// The reason why it cannot make such runs. Empty if it can.
        std::string_view (*why_not)(const RunOptions& options);
        std::function<std::unique_ptr<RunInProgress>(const RunOptions&, Observer*)> begin;
    };

    const Candidate& first_for(const RunOptions& options) const;

    const CompiledNet* net_ = nullptr;          // null: use joined_
    std::shared_ptr<const CompiledNet> owned_;  // a net that was handed over
    std::shared_ptr<const JoinedNet> joined_;   // a net that was handed over and divided
    std::vector<Candidate> executors_;          // the last one supports all options
    std::shared_ptr<const ModuleNet> modules_;
    std::string not_modules_ = "not looked for";
};

/// Searches structures that make runs with these options fast: modules, parts, pivots, and the tables of the
/// general executor. It skips structures that these runs cannot use. The plan also makes runs with other
/// options, with the executors it has. The net must outlive the plan; a net that is handed over is kept by
/// the plan. O(n log n) in arcs, plus the automaton of the modules and compile() of every part.
Plan plan(const CompiledNet& net, const RunOptions& options = {}, const PlanOptions& how = {});
Plan plan(CompiledNet&& net, const RunOptions& options = {}, const PlanOptions& how = {});

/// A plan without any search: the general executor makes all runs. The net must outlive it.
Plan plan_nothing(const CompiledNet& net);

/// plan() and one run. A net that is handed over is held in one copy, unless the run is observed.
RunResult run(const CompiledNet& net, const RunOptions& options = {}, Observer* observer = nullptr);
RunResult run(CompiledNet&& net, const RunOptions& options = {}, Observer* observer = nullptr);

/// plan() and many runs.
std::vector<RunResult> run_many(const CompiledNet& net, const ManyOptions& options);
std::vector<RunResult> run_many(CompiledNet&& net, const ManyOptions& options);

}  // namespace warpnet
