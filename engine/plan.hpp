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

/// The parts of the engine that make runs.
enum class ExecutorKind : std::uint8_t {
    modules,    ///< modules that meet in hubs: about one constant per interaction with the hubs
    restarted,  ///< parts that start anew as long as there is a stock to take from, each by modules
    separate,   ///< parts that nothing connects, side by side, each by the executor that suits it
    divided,    ///< one huge net, each step on all cores
    pivots,     ///< nets with immediate transitions or priorities: about proportional to the firings
    general,  ///< every net: about proportional to the firings in a conflict or that change what is enabled,
              ///< with delay gadgets and idle waiting skipped over
};

std::string_view to_string(ExecutorKind executor);

struct PlanOptions {
    /// How parts are compiled; a place with more than `arrays.hub_consumers` consumers is a hub between
    /// modules, too.
    CompileOptions arrays = {};
    /// Look for modules.
    bool modules = true;
    /// Also for modules of which only a transition without any effect tells, see find_modules(). Otherwise
    /// such a net is run as any other.
    bool borrowed_hubs = false;
    /// Look for parts, and how.
    PartOptions parts = {};
    /// Look for pivots.
    bool pivots = true;
};

/// A net and the executors for it, in order: the first that takes the options of a run makes it. To be made
/// once for all runs of a net; immutable, shared by all threads.
class Plan final : public Executor {
  public:
    /// If the plan was handed the net and divided it: joined at the first call, and its memory from then on.
    /// Runs with the options of the plan do not call it, unless they are observed.
    const CompiledNet& net() const override;

    /// Which executor makes these runs.
    ExecutorKind executor(const RunOptions& options = {}) const { return first_for(options).kind; }
    /// The net as modules that meet in hubs only; null if it is no such net, and not_modules() says why.
    const ModuleNet* modules() const noexcept { return modules_.get(); }
    const std::string& not_modules() const noexcept { return not_modules_; }
    /// Why the executor of modules does not make these runs, in words; empty if it does.
    std::string why_not_modules(const RunOptions& options = {}) const;

    /// By executor(). On several cores if that is `separate` or `divided`; the result is the same on any
    /// number of them. Equal in distribution to plain_run(); identical to it under a deterministic policy and
    /// with `keyed`.
    std::unique_ptr<RunInProgress> begin(const RunOptions& options, Observer* observer) const override {
        return first_for(options).begin(options, observer);
    }

  private:
    friend class Planner;

    /// An executor with what it has found in the net.
    struct Candidate {
        ExecutorKind kind;
        /// Why it cannot make such runs; empty if it can.
        std::string_view (*why_not)(const RunOptions& options);
        std::function<std::unique_ptr<RunInProgress>(const RunOptions&, Observer*)> begin;
    };

    const Candidate& first_for(const RunOptions& options) const;

    const CompiledNet* net_ = nullptr;          // null: see joined_
    std::shared_ptr<const CompiledNet> owned_;  // a net that was handed over
    std::shared_ptr<const JoinedNet> joined_;   // a net that was handed over and divided
    std::vector<Candidate> executors_;          // the last one takes all options
    std::shared_ptr<const ModuleNet> modules_;
    std::string not_modules_ = "not looked for";
};

/// Looks for what makes runs with these options fast: modules, parts, and what the general executor can use.
/// Nothing that such runs cannot use is looked for. Runs with other options may be made, too, by what there
/// is. The net must outlive the plan; one that is handed over is kept by it. O(n log n) in arcs, plus the
/// automaton of the modules and compile() of every part.
Plan plan(const CompiledNet& net, const RunOptions& options = {}, const PlanOptions& how = {});
Plan plan(CompiledNet&& net, const RunOptions& options = {}, const PlanOptions& how = {});

/// A plan for which nothing is looked for: runs are made by the general executor. The net must outlive it.
Plan plan_nothing(const CompiledNet& net);

/// plan() and one run. Of a net that is handed over one copy is held, unless observed.
RunResult run(const CompiledNet& net, const RunOptions& options = {}, Observer* observer = nullptr);
RunResult run(CompiledNet&& net, const RunOptions& options = {}, Observer* observer = nullptr);

/// plan() and many runs.
std::vector<RunResult> run_many(const CompiledNet& net, const ManyOptions& options);
std::vector<RunResult> run_many(CompiledNet&& net, const ManyOptions& options);

}  // namespace warpnet
