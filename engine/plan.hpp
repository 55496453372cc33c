#pragma once

#include "engine/executors/parts/net_part.hpp"
#include "engine/run/executor.hpp"
#include "engine/run_many.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace warpnet {

struct ModuleNet;
struct DividedNet;
class JoinedNet;
struct GeneralNet;
struct PivotNet;
struct SeparateParts;
struct RestartedParts;

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
    /// Also for such as only a transition without any effect tells, see find_modules(). Without, such a
    /// net is run as any other.
    bool borrowed_hubs = false;
    /// Look for parts, and how.
    PartOptions parts = {};
    /// Look for pivots.
    bool pivots = true;
};

/// A net, and what was found in it that runs may use. To be made once for all runs of a net; immutable,
/// shared by all threads.
struct Plan final : Executor {
    /// Null where the plan was handed the net and has all of it in `divided`: net() joins it.
    std::shared_ptr<const CompiledNet> compiled;
    /// The net as modules that meet in hubs only; null where it is no such net and `not_modules` says why.
    std::shared_ptr<const ModuleNet> modules;
    std::string not_modules = "not looked for";
    /// The net as parts that are started again and again; null where it is no such net.
    std::shared_ptr<const RestartedParts> restarted;
    /// The net as parts that nothing connects; null where it is no such net, or a small one.
    std::shared_ptr<const SeparateParts> separate;
    /// A huge net of one piece as parts; null where it is not huge or cannot be divided.
    std::shared_ptr<const DividedNet> divided;
    /// For the executor of pivots; null where the net has neither immediate transitions nor priorities, or is
    /// run by parts.
    std::shared_ptr<const PivotNet> pivots;
    /// What net() is where `compiled` is null.
    std::shared_ptr<const JoinedNet> joined;
    /// For the general executor; null where the runs that the net was planned for do without it.
    std::shared_ptr<const GeneralNet> general;

    /// Where the net is held as `divided` only: compile() at the first call, and its memory from then on. The
    /// runs that it was planned for do not call it, unless they are observed.
    const CompiledNet& net() const override;

    /// Which executor makes these runs.
    ExecutorKind executor(const RunOptions& options = {}) const;
    /// Why it is not the one of modules, in words; empty where it is.
    std::string why_not_modules(const RunOptions& options = {}) const;

    /// By executor(). On several cores where that is `separate` or `divided`; the result is the same on any
    /// number of them. Equal in distribution to plain_run(); identical to it under a deterministic policy and
    /// with `keyed`.
    std::unique_ptr<RunInProgress> begin(const RunOptions& options, Observer* observer) const override;
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
