// Nets for Python: reading, writing, building, structure and single steps. Places, transitions and arcs
// become lists of tuples.
//
// Nodes are tuples and not objects of their own. The Python package makes its classes from them, so this file
// needs no lifetimes. The wrapper of NetBuilder finds nodes by id in hash tables, since Python has no
// PlaceId. Reading, structure and the search for possible steps release the interpreter (background.hpp).
// Each step compiles its net again, O(net), so a loop over many steps belongs into `run`.

#include "engine/net/net.hpp"

#include "analysis/states/steps/possible_steps.hpp"
#include "analysis/states/structure/net_structure.hpp"
#include "engine/base/to_json.hpp"
#include "engine/compile/firing_rule.hpp"
#include "engine/executors/loop/conflict_order.hpp"
#include "engine/executors/plain/run.hpp"
#include "engine/input/input_file.hpp"
#include "engine/net/net_builder.hpp"
#include "engine/run/run.hpp"
#include "pnml/read_pnml.hpp"
#include "pnml/text/net_file.hpp"
#include "pnml/write_file.hpp"
#include "pnml/write_pnml.hpp"
#include "python/binding/arrays.hpp"
#include "python/binding/background.hpp"
#include "python/binding/choices.hpp"
#include "python/binding/subjects.hpp"

#include <memory>
#include <unordered_map>

#include <nlohmann/json.hpp>
#include <pybind11/stl.h>

namespace warpnet::python {

namespace py = pybind11;

namespace {

py::object position_of(const std::optional<Position>& position) {
    if (!position) return py::none();
    return py::make_tuple(position->x, position->y);
}

py::list places_of(const Net& net) {
    py::list places;
    for (const Place& place : net.places())
        places.append(py::make_tuple(place.id, label(place), place.initial, position_of(place.position)));
    return places;
}

py::list transitions_of(const Net& net) {
    py::list transitions;
    for (const Transition& t : net.transitions())
        transitions.append(py::make_tuple(t.id, label(t), t.immediate, t.priority, position_of(t.position)));
    return transitions;
}

py::list arcs_of(const Net& net) {
    py::list arcs;
    for (const Arc& arc : net.arcs())
        arcs.append(
            py::make_tuple(to_string(arc.kind), net[arc.place].id, net[arc.transition].id, arc.weight));
    return arcs;
}

/// (net, warnings)
std::pair<Net, std::vector<std::string>> read_file(const std::string& path) {
    std::vector<std::string> warnings;
    Net net = pnml::read_net_file(path, warnings);
    return {std::move(net), std::move(warnings)};
}

std::pair<Net, std::vector<std::string>> read_text(const std::string& text, const std::string& source,
                                                   const std::optional<std::string>& net_id) {
    std::vector<std::string> warnings;
    pnml::PnmlReadOptions options;
    options.warnings = &warnings;
    options.net_id = net_id;
    Net net = pnml::read_pnml(text, source, options);
    return {std::move(net), std::move(warnings)};
}

pnml::PnmlFlavour flavour_of(const std::string& name) {
    return choice("flavour", name,
                  {pnml::PnmlFlavour::compat, pnml::PnmlFlavour::strict, pnml::PnmlFlavour::pipe});
}

/// A NetBuilder that finds nodes by their ids.
class Builder {
  public:
    explicit Builder(std::string id, std::string name) : builder_(std::move(id), std::move(name)) {}

    void place(const std::string& id, Tokens tokens, const std::string& name,
               std::optional<std::pair<double, double>> position) {
        const PlaceId place = builder_.add_place(id, tokens, name);
        if (position) builder_.set_position(place, {position->first, position->second});
        places_.emplace(id, place);
    }
    void transition(const std::string& id, const std::string& name, bool immediate, std::int32_t priority,
                    std::optional<std::pair<double, double>> position) {
        const TransitionId transition = builder_.add_transition(id, name);
        if (immediate) builder_.set_immediate(transition);
        builder_.set_priority(transition, priority);
        if (position) builder_.set_position(transition, {position->first, position->second});
        transitions_.emplace(id, transition);
    }
    void arc(const std::string& kind, const std::string& place, const std::string& transition,
             Tokens weight) {
        const PlaceId p = find(places_, "place", place);
        const TransitionId t = find(transitions_, "transition", transition);
        const ArcKind arc =
            choice("kind", kind, {ArcKind::input, ArcKind::output, ArcKind::inhibitor, ArcKind::read});
        builder_.add_arc(arc, p, t, weight);
    }
    Net build() {
        places_.clear();
        transitions_.clear();
        return builder_.build();
    }

  private:
    template <class Id>
    static Id find(const std::unordered_map<std::string, Id>& nodes, const char* what,
                   const std::string& id) {
        const auto found = nodes.find(id);
        if (found == nodes.end()) throw InputError(std::string(what) + " '" + id + "' does not exist");
        return found->second;
    }

    NetBuilder builder_;
    std::unordered_map<std::string, PlaceId> places_;
    std::unordered_map<std::string, TransitionId> transitions_;
};

/// Ids of the transitions of a step; under multiset semantics an id may occur several times.
std::vector<std::string> ids_of(const Net& net, const std::vector<std::uint32_t>& transitions) {
    std::vector<std::string> ids;
    ids.reserve(transitions.size());
    for (const std::uint32_t t : transitions) ids.push_back(net.transitions()[t].id);
    return ids;
}

/// The immediate transitions that could fire if there are any, otherwise the timed ones.
std::vector<std::string> enabled_in(const Net& net, const TokenArray& tokens) {
    const Marking marking = marking_of(net, tokens);
    const CompiledNet compiled = compile(net);
    std::vector<std::uint32_t> immediate, timed;
    for (std::uint32_t t = 0; t < compiled.transition_count(); ++t) {
        if (enabled(compiled, marking, t)) (compiled.immediate(t) ? immediate : timed).push_back(t);
    }
    return ids_of(net, immediate.empty() ? timed : immediate);
}

/// (immediate, transitions, marking after it)
py::tuple step_and_marking(const Net& net, const CompiledNet& compiled, const ScheduledStep& step,
                           Marking marking) {
    if (!states::fire_step(compiled, step, marking))
        throw InputError("a place would hold more than " + std::to_string(max_tokens) + " tokens");
    return py::make_tuple(step.immediate, ids_of(net, step.transitions), array_of_marking(marking));
}

py::object step_from(const Net& net, const TokenArray& tokens, std::uint64_t seed, const std::string& policy,
                     const std::string& semantics) {
    const Marking marking = marking_of(net, tokens);
    const CompiledNet compiled = compile(net);
    RunOptions options;
    options.semantics = semantics_of(semantics);
    options.policy = policy_of(policy);
    if (serves_parts(options.policy))
        throw InputError("policy: gto and lrr look at the steps before; a single step knows none");
    options.seed = seed;
    require_bounded_steps(compiled, options.semantics);
    ConflictOrder order(options, compiled.transition_count());
    const ScheduledStep step = plain_step(compiled, marking, options.semantics, order);
    if (step.transitions.empty()) return py::none();
    return step_and_marking(net, compiled, step, marking);
}

std::pair<py::list, bool> possible_steps(const Net& net, const TokenArray& tokens, std::size_t most,
                                         const std::string& semantics) {
    const Marking marking = marking_of(net, tokens);
    const CompiledNet compiled = compile(net);
    const Semantics rule = semantics_of(semantics);
    require_bounded_steps(compiled, rule);
    std::vector<ScheduledStep> steps;
    bool complete = true;
    in_background([&](const std::atomic<bool>& interrupt) {
        const auto take_step = [&](const ScheduledStep& step) {
            complete = steps.size() < most && !interrupt.load();
            if (complete) steps.push_back(step);
            return complete;
        };
        if (!states::for_each_possible_step(compiled, marking, rule, take_step,
                                            [&] { return interrupt.load(); }))
            complete = false;
    });
    py::list result;
    for (const ScheduledStep& step : steps) result.append(step_and_marking(net, compiled, step, marking));
    return {std::move(result), complete};
}

std::string structure_json(const Net& net) {
    return result_in_background(
        [&](const std::atomic<bool>&) { return json_text(to_json(net, states::Structure(net))); });
}

}  // namespace

void add_nets(py::module_& core) {
    py::class_<Net, std::shared_ptr<Net>>(core, "Net")
        .def_property_readonly("id", &Net::id)
        .def_property_readonly("name", &Net::name)
        .def("places", places_of)
        .def("transitions", transitions_of)
        .def("arcs", arcs_of)
        .def("initial", [](const Net& net) { return array_of_marking(net.initial_marking()); })
        .def("pnml", [](const Net& net,
                        const std::string& flavour) { return pnml::write_pnml(net, flavour_of(flavour)); })
        .def(
            "__eq__", [](const Net& a, const Net& b) { return a == b; }, py::is_operator());
    py::class_<Builder>(core, "Builder")
        .def(py::init<std::string, std::string>())
        .def("place", &Builder::place)
        .def("transition", &Builder::transition)
        .def("arc", &Builder::arc)
        .def("build", &Builder::build);
    core.def("read", [](const std::string& path) {
        return result_in_background([&](const std::atomic<bool>&) { return read_file(path); });
    });
    core.def("reads", read_text);
    core.def("save", [](const Net& net, const std::string& path, const std::string& flavour) {
        pnml::write_pnml_file(net, path, flavour_of(flavour));
    });
    core.def("read_text", [](const std::string& path) { return py::bytes(read_input_file(path)); });
    core.def("write_file",
             [](const std::string& path, const std::string& content) { pnml::write_file(path, content); });
    core.def("enabled", enabled_in);
    core.def("step", step_from);
    core.def("possible_steps", possible_steps);
    core.def("structure", structure_json);
}

}  // namespace warpnet::python
