#include "analysis/states/explore/explore.hpp"

#include "analysis/states/explore/liveness.hpp"
#include "analysis/states/explore/path_to.hpp"
#include "analysis/states/explore/run_lengths.hpp"
#include "analysis/states/explore/step_graph.hpp"
#include "cli/commands/explore_by_diagram.hpp"
#include "cli/commands/explore_questions.hpp"
#include "cli/report/explore_report.hpp"
#include "engine/net/error.hpp"
#include "python/binding/arrays.hpp"
#include "python/binding/background.hpp"
#include "python/binding/choices.hpp"
#include "python/binding/schedule.hpp"
#include "python/binding/subjects.hpp"

#include <memory>
#include <optional>
#include <string>

#include <oneapi/tbb/task_arena.h>
#include <pybind11/stl.h>

namespace warpnet::python {

namespace py = pybind11;

namespace {

constexpr std::uint64_t few_edges = 2'000'000;  // as the command: so many are studied unasked

struct Explored {
    cli::StateFigures figures;
    cli::ExploreReport report;
    std::optional<StepGraph> graph;
    std::vector<Marking> markings;  ///< of the graph's states, where asked for
};

Explored explore_by_states(const CompiledNet& compiled, const ExploreOptions& options, bool with_graph) {
    const Exploration exploration = explore(compiled, options);
    Explored result;
    cli::ExploreReport& report = result.report;
    report.semantics = options.semantics;
    const bool fits = exploration.space.bytes() + StepGraph::bytes(exploration) <= options.limits.memory;
    if (exploration.complete() && (with_graph || exploration.edges <= few_edges) && fits)
        result.graph = step_graph(compiled, options, exploration);
    if (result.graph) {
        report.liveness = liveness(compiled, options.semantics, exploration, *result.graph);
        report.lengths = run_lengths(*result.graph);
    }
    if (exploration.deadlock) {
        report.to_deadlock = path_to(compiled, options.semantics, exploration.space, *exploration.deadlock);
        report.dead_marking = exploration.space.marking(*exploration.deadlock);
    }
    if (!with_graph) result.graph.reset();
    if (result.graph) {
        result.markings.reserve(result.graph->size());
        for (std::uint32_t state = 0; state < result.graph->size(); ++state)
            result.markings.push_back(exploration.space.marking(result.graph->id(state)));
    }
    result.figures = cli::figures_of(exploration);
    return result;
}

/// What a diagram says.
Explored explore_by_diagram(const Net& net, const CompiledNet& compiled, const ExploreOptions& options,
                            bool quick) {
    Explored result;
    result.figures = quick ? cli::explore_by_quick_diagram(options.limits, net, compiled, result.report)
                           : cli::explore_by_diagram(options.limits, net, compiled, result.report);
    return result;
}

/// As the command does, whose states are those of symmetric parts by themselves.
Explored explore_net(const Net& net, const ExploreOptions& options, cli::ExploreEngine engine,
                     bool with_graph) {
    const CompiledNet compiled = compile(net);
    const bool needs_states = with_graph || options.semantics != Semantics::interleaving ||
                              !options.scratch.empty() || options.max_states != ExploreOptions().max_states;
    if (engine == cli::ExploreEngine::diagrams) {
        if (needs_states)
            throw InputError("engine 'dd' knows interleaving alone, and no max_states, scratch and graph");
        if (!has_diagram(compiled))
            throw InputError(
                "engine 'dd': expected a net without immediate transitions and priorities, of at "
                "most 10,000 places");
        return explore_by_diagram(net, compiled, options, false);
    }
    if (engine == cli::ExploreEngine::automatic && !needs_states && has_diagram(compiled)) {
        ExploreOptions first = options;
        first.max_states = cli::states_before_diagram;
        Explored few = explore_by_states(compiled, first, false);
        if (few.figures.stop != WorkEnd::state_limit) return few;
        Explored all = explore_by_diagram(net, compiled, options, true);
        if (all.figures.complete()) return all;
        if (cli::stays_with(few.figures, options.limits)) return few;
    }
    return explore_by_states(compiled, options, with_graph);
}

/// The state graph: markings, and its edges as two arrays of state numbers.
py::dict graph_of(const Net& net, const StepGraph& graph, const std::vector<Marking>& markings) {
    py::array_t<std::int64_t> from(static_cast<py::ssize_t>(graph.edges())), to(from.size());
    std::int64_t* from_at = from.mutable_data();
    std::int64_t* to_at = to.mutable_data();
    for (std::uint32_t state = 0; state < graph.size(); ++state) {
        for (const std::uint32_t target : graph.targets(state)) {
            *from_at++ = state;
            *to_at++ = target;
        }
    }
    py::dict result;
    result["initial"] = graph.initial();
    result["markings"] = table_of<std::int64_t>(
        markings, net.places().size(), [](const Marking& marking) -> const Marking& { return marking; });
    result["sources"] = std::move(from);
    result["targets"] = std::move(to);
    return result;
}

/// (JSON, shortest way to a deadlock or nothing, graph or nothing, signal or None)
py::tuple explore_of(const std::shared_ptr<Net>& net, const py::dict& given) {
    ExploreOptions options;
    options.semantics = semantics_of(given["semantics"].cast<std::string>());
    options.max_states = given["max_states"].cast<std::uint64_t>();
    options.limits.memory = given["memory"].cast<std::uint64_t>();
    options.limits.deadline = deadline_in(given["time_limit"].cast<std::optional<double>>());
    options.scratch = given["scratch"].cast<std::string>();
    const int threads = given["threads"].cast<int>();
    const bool with_graph = given["graph"].cast<bool>();
    const auto engine =
        choice("engine", given["engine"].cast<std::string>(),
               {cli::ExploreEngine::automatic, cli::ExploreEngine::one_by_one, cli::ExploreEngine::diagrams});
    auto [explored, signal] = part_in_background([&](const std::atomic<bool>& interrupt) {
        options.limits.interrupt = &interrupt;
        oneapi::tbb::task_arena arena(threads > 0 ? threads : oneapi::tbb::task_arena::automatic);
        return arena.execute([&] { return explore_net(*net, options, engine, with_graph); });
    });
    const py::object graph =
        explored.graph ? py::object(graph_of(*net, *explored.graph, explored.markings)) : py::none();
    std::optional<NetSchedule> to_deadlock;
    if (explored.report.to_deadlock) to_deadlock = NetSchedule{net, *explored.report.to_deadlock};
    return py::make_tuple(cli::explore_json(*net, explored.figures, explored.report), std::move(to_deadlock),
                          graph, std::move(signal));
}

}  // namespace

void add_exploration(py::module_& core) { core.def("explore", explore_of); }

}  // namespace warpnet::python
