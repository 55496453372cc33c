// Exploration, questions and coverability for Python. Options come as a dictionary with all keys, which the
// Python package fills with its defaults, so that each default is in one place. Results are the JSON of the
// command `explore`. Only arrays that would be slow as JSON are objects: the markings and edges of a graph,
// as NumPy arrays.
//
// A signal ends the work and not the call: what was found so far is returned with the signal, and the package
// raises it. Memory of a graph with its markings is that of the exploration and a second copy of the
// markings, which outlives it.

#include "analysis/states/explore/coverability_graph.hpp"
#include "analysis/states/explore/state_graph_text.hpp"
#include "analysis/states/properties/ask.hpp"
#include "analysis/states/properties/figures.hpp"
#include "analysis/states/properties/question.hpp"
#include "analysis/states/properties/to_json.hpp"
#include "engine/base/to_json.hpp"
#include "engine/base/with_threads.hpp"
#include "engine/net/error.hpp"
#include "python/binding/arrays.hpp"
#include "python/binding/background.hpp"
#include "python/binding/choices.hpp"
#include "python/binding/schedule.hpp"
#include "python/binding/subjects.hpp"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>
#include <pybind11/stl.h>

namespace warpnet::python {

namespace py = pybind11;

namespace {

/// The requested graph, and the markings of its states.
struct KeptGraph {
    states::StepGraph graph;
    std::vector<Marking> markings;
};

/// Its markings, and its edges as two arrays of state numbers.
py::dict graph_of(const Net& net, const KeptGraph& kept) {
    const states::StepGraph& graph = kept.graph;
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
        kept.markings, net.places().size(), [](const Marking& marking) -> const Marking& { return marking; });
    result["sources"] = std::move(from);
    result["targets"] = std::move(to);
    return result;
}

void check(const states::FigureOptions& options) {
    if (options.engine != states::ExploreEngine::diagrams) return;
    if (options.use_graph || options.explore.semantics != Semantics::interleaving ||
        !options.explore.scratch.empty() || options.explore.max_states != states::ExploreOptions().max_states)
        throw InputError("engine 'dd' knows interleaving alone, and no max_states, scratch and graph");
}

states::ExploreOptions explore_options(const py::dict& given) {
    states::ExploreOptions options;
    options.semantics = semantics_of(given["semantics"].cast<std::string>());
    options.max_states = given["max_states"].cast<std::uint64_t>();
    options.limits.memory = given["memory"].cast<std::uint64_t>();
    options.limits.deadline = deadline_in(given["time_limit"].cast<std::optional<double>>());
    options.scratch = given["scratch"].cast<std::string>();
    return options;
}

states::ExploreEngine engine_of(const py::dict& given) {
    return choice("engine", given["engine"].cast<std::string>(),
                  {states::ExploreEngine::automatic, states::ExploreEngine::one_by_one,
                   states::ExploreEngine::diagrams});
}

/// (JSON, shortest way to a deadlock or nothing, graph or nothing, signal or None)
py::tuple explore_of(const std::shared_ptr<Net>& net, const py::dict& given) {
    states::FigureOptions options;
    options.symmetric = false;  // counts the states of equal parts separately
    options.explore = explore_options(given);
    options.engine = engine_of(given);
    const int threads = given["threads"].cast<int>();
    std::optional<KeptGraph> kept;
    if (given["graph"].cast<bool>())
        options.use_graph = [&kept](const states::Exploration& states, states::StepGraph graph,
                                    std::uint64_t) {
            kept = KeptGraph{std::move(graph), {}};
            kept->markings.reserve(kept->graph.size());
            for (std::uint32_t state = 0; state < kept->graph.size(); ++state)
                kept->markings.push_back(states.space.marking(kept->graph.id(state)));
            return WorkEnd::complete;
        };
    auto [figures, signal] = part_in_background([&](const std::atomic<bool>& interrupt) {
        check(options);
        options.explore.limits.interrupt = &interrupt;
        return with_threads(threads, [&] { return states::explore(*net, options); });
    });
    const py::object graph = kept ? py::object(graph_of(*net, *kept)) : py::none();
    std::optional<NetSchedule> to_deadlock;
    if (figures.to_deadlock) to_deadlock = NetSchedule{net, *figures.to_deadlock};
    return py::make_tuple(json_text(to_json(*net, figures)), std::move(to_deadlock), graph,
                          std::move(signal));
}

states::Question question_of(const py::dict& given) {
    const auto text = [&](const char* name) { return given[name].cast<std::string>(); };
    const auto flag = [&](const char* name) { return given[name].cast<bool>(); };
    states::Question question;
    question.reach = text("reach");
    question.always = text("always");
    question.maximum = text("max");
    question.minimum = text("min");
    question.home = text("home");
    question.ctl = text("ctl");
    question.live = text("live");
    question.stable = flag("stable");
    question.bounded = flag("bounded");
    question.reversible = flag("reversible");
    return question;
}

/// (JSON, witness or nothing, signal or None). REQUIRES: `given` has one question.
py::tuple ask_of(const std::shared_ptr<Net>& net, const py::dict& given) {
    const std::vector<Property> properties = {states::property_of(question_of(given), *net)};
    states::AskOptions options;
    options.explore = explore_options(given);
    options.engine = engine_of(given);
    options.symmetry = options.explore.max_states == states::ExploreOptions().max_states;
    options.seed = given["seed"].cast<std::uint64_t>();
    const int threads = given["threads"].cast<int>();
    if (options.engine == states::ExploreEngine::diagrams &&
        (options.explore.semantics != Semantics::interleaving || !options.symmetry ||
         !options.explore.scratch.empty() || given["bounded"].cast<bool>()))
        throw InputError("engine 'dd' knows interleaving alone, and no max_states, scratch and bounded");
    auto [answers, signal] = part_in_background([&](const std::atomic<bool>& interrupt) {
        options.explore.limits.interrupt = &interrupt;
        return with_threads(threads, [&] { return states::ask(*net, properties, options); });
    });
    std::optional<NetSchedule> witness;
    if (auto steps = states::witness_of(properties.front(), answers.of.front()))
        witness = NetSchedule{net, *std::move(steps)};
    return py::make_tuple(json_text(to_json(*net, options.explore.semantics, properties, answers, true)),
                          std::move(witness), std::move(signal));
}

/// (JSON, Graphviz text of a complete graph, signal or None)
py::tuple coverability_of(const std::shared_ptr<Net>& net, const py::dict& given) {
    WorkLimits limits;
    limits.memory = given["memory"].cast<std::uint64_t>();
    limits.deadline = deadline_in(given["time_limit"].cast<std::optional<double>>());
    const auto max_nodes = given["max_nodes"].cast<std::uint64_t>();
    auto [graph, signal] = part_in_background([&](const std::atomic<bool>& interrupt) {
        limits.interrupt = &interrupt;
        return states::coverability_graph(compile(*net), max_nodes, limits);
    });
    nlohmann::ordered_json json = to_json(*net, graph);
    json["complete"] = graph.complete();
    return py::make_tuple(json_text(json),
                          graph.complete() ? states::coverability_graph_dot(*net, graph) : std::string(),
                          std::move(signal));
}

}  // namespace

void add_exploration(py::module_& core) {
    core.def("explore", explore_of);
    core.def("ask", ask_of);
    core.def("coverability", coverability_of);
}

}  // namespace warpnet::python
