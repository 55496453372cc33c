// The steps of `convert`, in order: immediate transitions, a reduction for a question, sequences of firings,
// inhibitor arcs, read arcs and weights. Each step adds a note on the behaviour that it keeps: interleaving
// always, maximal steps if no place is newly contested.
//
// The order of the steps matters. A reduction needs a net without immediate transitions, and leaves less to
// replace. Sequences of firings add inhibitor and read arcs, which the later steps can replace. Weights come
// last, because unfolding copies transitions with all their arcs. A bound given by the user is not checked,
// since the check is the exploration that the bound is meant to avoid. A note names the risk: with too small
// a bound the result is another net. The member keeps_maximal_steps becomes false at the first step that
// loses them and never true again.

#include "cli/input/conversion.hpp"

#include "analysis/states/explore/state_graph_text.hpp"
#include "analysis/states/explore/step_graph.hpp"
#include "analysis/states/properties/parts.hpp"
#include "analysis/states/structure/timed_net.hpp"
#include "cli/output/notes.hpp"
#include "engine/base/text.hpp"
#include "engine/base/work_limits.hpp"
#include "engine/formula/parse_formula.hpp"
#include "engine/net/error.hpp"
#include "pnml/rewrite.hpp"
#include "pnml/text/net_file.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace warpnet::cli {

PlainNet plain_net(const Net& net, const states::ExploreOptions& options, std::optional<Tokens> given) {
    states::PlaceBounds bounds;
    if (given) {
        bounds.of.assign(net.places().size(), given);
        bounds.structural = false;
    } else {
        bounds = states::bounds_of_inhibitors(net, options);
    }
    pnml::RewrittenNet rewritten = pnml::without_inhibitors(net, bounds.of);
    PlainNet plain;
    plain.net = std::move(rewritten.net);
    plain.added_places = rewritten.added_places;
    if (rewritten.replaced_arcs == 0) return plain;
    plain.notes.push_back(
        fmt::format("{} replaced by {}; interleaving stays "
                    "the same",
                    plural(rewritten.replaced_arcs, "inhibitor arc"),
                    plural(rewritten.added_places, "complement place")));
    if (given) {
        plain.notes.push_back(
            fmt::format("the bound of {} for each inhibiting place was not checked: if a place can hold "
                        "more, the written net behaves differently",
                        *given));
    }
    if (!rewritten.contested.empty()) {
        plain.keeps_maximal_steps = false;
        plain.note_on_steps = fmt::format(
            "maximal steps change: several transitions now take from {}{}", rewritten.contested.front(),
            rewritten.contested.size() > 1
                ? fmt::format(" (and from {} more)", rewritten.contested.size() - 1)
                : "");
    } else if (!bounds.structural) {
        plain.keeps_maximal_steps = false;
        plain.note_on_steps = "maximal steps may differ: the bounds are those of interleaving";
    } else {
        plain.note_on_steps = "maximal steps stay the same, multiset steps may not";
    }
    return plain;
}

Net strict_net(const Net& net) {
    pnml::require_no_order(net, "strict PNML");
    PlainNet plain = plain_net(net, {.max_states = 1'000'000});
    if (!plain.note_on_steps.empty()) plain.notes.push_back(plain.note_on_steps);
    for (const std::string& note : plain.notes) print_note("note: {}\n", note);
    return std::move(plain.net);
}

std::optional<std::string> note_of_immediates(const Net& net) {
    const auto transitions = net.transitions();
    const auto count = std::count_if(transitions.begin(), transitions.end(),
                                     [](const Transition& transition) { return transition.immediate; });
    if (count == 0) return std::nullopt;
    return fmt::format(
        "{}: other tools read them as ordinary transitions, which need not fire first, and reach more "
        "markings",
        plural(static_cast<std::uint64_t>(count), "immediate transition"));
}

std::optional<std::string> note_of_double_arcs(const Net& net) {
    std::uint64_t count = 0;
    for (std::size_t t = 0; t < net.transitions().size(); ++t) {
        const auto arcs = net.arcs_of(TransitionId(t));
        count += std::any_of(arcs.begin(), arcs.end(), [&](const Arc& arc) {
            return arc.kind == ArcKind::inhibitor &&
                   std::any_of(arcs.begin(), arcs.end(), [&](const Arc& other) {
                       return other.place == arc.place &&
                              (other.kind == ArcKind::input || other.kind == ArcKind::read);
                   });
        });
    }
    if (count == 0) return std::nullopt;
    return fmt::format(
        "{} with an inhibitor arc and an ordinary arc from the same place: verifypn rejects the pair, pm4py "
        "reads only one of them; --plain replaces the inhibitor arcs",
        plural(count, "transition"));
}

namespace {

/// The net reduced for a question.
void reduce_for(const std::string& question, Conversion& done) {
    if (!is_timed(compile(done.net)))
        throw InputError(
            "--reduced-for: expected a net without immediate transitions and priorities (see "
            "--timed-only)");
    const NetSize before = size_of(done.net);
    const Formula formula = parse_formula(question, done.net, FormulaLanguage::temporal);
    states::NetForQuestion reduced = states::reduced_for(done.net, formula);
    done.net = std::move(reduced.net);
    done.notes.push_back(
        fmt::format("reduced from {} and {}; only the answer to '{}' under interleaving is preserved",
                    plural(before.places, "place"), plural(before.transitions, "transition"), question));
    done.keeps_maximal_steps = false;
    done.reduced = true;
}

void write_state_graph(const ConversionOptions& options, Conversion& done) {
    const Net& net = done.net;
    const CompiledNet compiled = compile(net);
    const states::Exploration explored = states::explore(compiled, options.explore);
    const auto graph =
        explored.complete() ? states::step_graph(compiled, options.explore, explored) : std::nullopt;
    if (!graph) {
        const WorkEnd asked = options.explore.limits.asked_to_end();
        const WorkEnd why = explored.complete() ? asked : explored.stop;
        throw LimitReached(
            why, fmt::format("the state graph cannot be written: the exploration stopped after {} ({}){}",
                             plural(explored.space.size(), "state"), to_string(why),
                             why == WorkEnd::state_limit ? "; see --max-states" : ""));
    }
    done.text = states::state_graph_aut(net, compiled, options.explore.semantics, explored, *graph);
    done.graph = {.states = graph->size(), .edges = graph->edges()};
    done.notes.emplace_back("the state graph under interleaving; maximal steps are not preserved");
    done.keeps_maximal_steps = false;
}

/// The net without its immediate transitions.
void make_timed(const states::ExploreOptions& options, Conversion& done) {
    const auto transitions = done.net.transitions();
    if (std::none_of(transitions.begin(), transitions.end(),
                     [](const Transition& transition) { return transition.immediate; }))
        return;
    states::FoundTimedNet timed = states::timed_net(done.net, options);
    done.net = std::move(timed.net);
    done.notes.push_back(
        fmt::format("{} replaced by {} more timed ones; interleaving reaches the same stable "
                    "markings, maximal steps differ",
                    plural(timed.replaced, "immediate transition"), timed.copies));
    if (timed.by_reachable)
        done.notes.emplace_back(
            "valid only for this initial marking: the reachable markings decided the replacement");
    done.keeps_maximal_steps = false;
    done.keeps_unstable = false;
}

/// The net whose firings form the steps of the given net.
void make_sequential(const ConversionOptions& options, Conversion& done) {
    const bool multiset = options.sequential == Semantics::multiset;
    pnml::SequentialNet made = pnml::sequential_net(done.net, {multiset, options.count_steps});
    done.net = std::exchange(made.net, {});
    done.notes.push_back(
        fmt::format("each {} step is a sequence of single firings: read the net under interleaving; '{}' is "
                    "marked between "
                    "two steps, '{}' in dead markings{}",
                    to_string(*options.sequential), made.start, made.end,
                    options.count_steps ? fmt::format(", and '{}' counts the timed steps", made.steps) : ""));
    done.keeps_maximal_steps = done.keeps_unstable = false;
    done.sequential = std::move(made);
}

/// If the format has no immediate transitions and all transitions are immediate, they become timed, with a
/// note.
void make_immediates_timed(Conversion& done) {
    const auto transitions = done.net.transitions();
    if (transitions.empty() || !transitions.front().immediate) return;
    done.notes.emplace_back(
        "all transitions are immediate, and timed ones in the file: maximal steps, which took no time, take "
        "one step each");
    done.keeps_maximal_steps = false;
}

}  // namespace

Conversion convert_net(Net net, const ConversionOptions& options) {
    Conversion done{.text = {}, .net = std::move(net), .notes = {}};
    const pnml::NetFormat to = options.to;
    if (!options.capacities.empty()) {
        pnml::RewrittenNet rewritten = pnml::with_capacities(done.net, options.capacities);
        done.net = std::move(rewritten.net);
        done.notes.push_back(
            fmt::format("{} for capacities; a transition can fire if no place holds more than its capacity "
                        "afterwards",
                        plural(rewritten.added_places, "complement place")));
    }
    if (options.timed_only) make_timed(options.explore, done);
    if (!options.reduced_for.empty()) reduce_for(options.reduced_for, done);
    if (options.sequential) make_sequential(options, done);
    if (options.removes_inhibitors()) {
        PlainNet plain = plain_net(done.net, options.explore, options.bound);
        done.net = std::move(plain.net);
        done.notes.insert(done.notes.end(), plain.notes.begin(), plain.notes.end());
        if (!options.sequential && !plain.note_on_steps.empty()) done.notes.push_back(plain.note_on_steps);
        done.keeps_maximal_steps = done.keeps_maximal_steps && plain.keeps_maximal_steps;
    }
    if (options.loops || to == pnml::NetFormat::lola) {
        pnml::RewrittenNet rewritten = pnml::without_reads(done.net);
        done.net = std::move(rewritten.net);
        if (rewritten.replaced_arcs > 0) {
            const std::string on_steps =
                rewritten.contested.empty()
                    ? ", maximal steps too"
                    : fmt::format(", maximal steps change: several transitions now take from {}",
                                  rewritten.contested.front());
            done.notes.push_back(fmt::format("{} replaced by loops; interleaving stays the same{}",
                                             plural(rewritten.replaced_arcs, "read arc"),
                                             options.sequential ? "" : on_steps));
            done.keeps_maximal_steps = done.keeps_maximal_steps && rewritten.contested.empty();
        }
    }
    if (options.ordinary) {
        states::PlaceBounds bounds = states::bounds_of_weights(done.net, options.explore);
        pnml::RewrittenNet rewritten = pnml::without_weights(done.net, bounds.of);
        done.net = std::move(rewritten.net);
        if (rewritten.added_places > 0) {
            const bool same_steps = rewritten.contested.empty() && bounds.structural;
            done.notes.push_back(fmt::format(
                "places with arc weights above 1 unfolded into {}, one for each number of tokens; "
                "interleaving stays the same{}",
                plural(rewritten.added_places, "place"),
                options.sequential ? ""
                : same_steps       ? ", maximal steps too"
                                   : ", maximal steps change"));
            done.keeps_maximal_steps = done.keeps_maximal_steps && same_steps;
        }
    }
    switch (to) {
        case pnml::NetFormat::pnml:
            done.text = pnml::write_pnml(done.net, options.flavour);
            if (auto note = note_of_immediates(done.net)) done.notes.push_back(std::move(*note));
            if (auto note = note_of_double_arcs(done.net)) done.notes.push_back(std::move(*note));
            break;
        case pnml::NetFormat::lola:
            done.text = pnml::write_lola(done.net);
            make_immediates_timed(done);
            break;
        case pnml::NetFormat::tina:
            done.text = pnml::write_tina(done.net);
            make_immediates_timed(done);
            break;
        case pnml::NetFormat::aut:
            write_state_graph(options, done);
            break;
    }
    return done;
}

}  // namespace warpnet::cli
