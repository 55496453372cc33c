// Writes the chain of maximal steps as an explicit model for PRISM and Storm. They compute the distribution
// and the mean of the step count independently of warpnet: P=? [ F<=k "dead" ] and R=? [ F "dead" ].
// Probabilities of a step are those of random_steps(). Immediate steps take no time and are contracted into
// the timed step before them, so that a transition of the chain is a step. States are found breadth first and
// successors are kept in the order of their markings, so that equal nets give equal files.

#include "analysis/worst/exact/markov_chain.hpp"

#include "analysis/worst/exact/marking_distribution.hpp"
#include "engine/base/text.hpp"
#include "engine/compile/firing_rule.hpp"
#include "engine/net/error.hpp"

#include <cctype>
#include <map>
#include <string_view>
#include <unordered_map>

#include <fmt/format.h>

namespace warpnet::worst {

namespace {

using Outcomes = std::map<Marking, double>;

class ChainBuilder {
  public:
    ChainBuilder(const CompiledNet& net, const WorkLimits& limits) : net_(net), limits_(limits) {}

    MarkovChain build() {
        const Outcomes start = settled({{net_.initial, 1.0}});
        chain_.starts_between = start.size() > 1;
        if (chain_.starts_between) {
            add(net_.initial);
            chain_.next[0] = numbered(start);
        } else if (!start.empty()) {
            add(start.begin()->first);
        }
        const std::uint32_t first = chain_.starts_between ? 1 : 0;
        for (std::uint32_t state = first; state < chain_.markings.size() && proceed(state); ++state) {
            const Marking marking = chain_.markings[state];
            chain_.next[state] = numbered(settled(stepped(marking, 1, steps_of(marking))));
        }
        return std::move(chain_);
    }

  private:
    bool proceed(std::uint32_t state) {
        constexpr std::uint32_t states_between_looks = 256;
        const std::uint64_t bytes =
            chain_.markings.size() * (2 * net_.place_count() * sizeof(Tokens) + 160) + transitions_ * 16;
        if (bytes > limits_.memory) chain_.stop = WorkEnd::memory_limit;
        if (chain_.stop == WorkEnd::complete && state % states_between_looks == 0)
            chain_.stop = limits_.asked_to_end();
        return chain_.stop == WorkEnd::complete;
    }

    std::vector<StepChance> steps_of(const Marking& marking) {
        StepChances chances = random_steps(net_, marking, limits_);
        if (chances.stop != WorkEnd::complete) chain_.stop = chances.stop;
        return std::move(chances.steps);
    }

    /// The markings behind the steps of one marking.
    Outcomes stepped(const Marking& marking, double chance, const std::vector<StepChance>& steps) const {
        Outcomes result;
        for (const StepChance& step : steps) {
            Marking then = marking;
            for (const std::uint32_t t : step.transitions) take(net_, then, t);
            for (const std::uint32_t t : step.transitions)
                if (!give(net_, then, t)) throw InputError("a place would hold more than 2^63 - 1 tokens");
            result[std::move(then)] += chance * step.probability;
        }
        return result;
    }

    /// Immediate steps until there are none.
    Outcomes settled(Outcomes now) {
        constexpr int most_rounds = 100'000;
        Outcomes result;
        for (int round = 0; !now.empty() && chain_.stop == WorkEnd::complete; ++round) {
            if (round == most_rounds)
                throw InputError(fmt::format(
                    "immediate transitions fire {} steps in a row: time does not go on", most_rounds));
            Outcomes next;
            for (const auto& [marking, chance] : now) {
                const std::vector<StepChance> steps = steps_of(marking);
                if (steps.empty() || !steps.front().immediate) {
                    result[marking] += chance;
                    continue;
                }
                for (const auto& [then, probability] : stepped(marking, chance, steps))
                    next[then] += probability;
            }
            now = std::move(next);
        }
        return result;
    }

    void add(const Marking& marking) {
        state_of_.emplace(marking, static_cast<std::uint32_t>(chain_.markings.size()));
        chain_.markings.push_back(marking);
        chain_.next.emplace_back();
    }

    std::vector<std::pair<std::uint32_t, double>> numbered(const Outcomes& chances) {
        std::map<std::uint32_t, double> next;
        for (const auto& [marking, chance] : chances) {
            if (!state_of_.contains(marking)) add(marking);
            next[state_of_.at(marking)] += chance;
        }
        transitions_ += next.size();
        return {next.begin(), next.end()};
    }

    const CompiledNet& net_;
    const WorkLimits& limits_;
    std::unordered_map<Marking, std::uint32_t, MarkingHash> state_of_;
    std::uint64_t transitions_ = 0;
    MarkovChain chain_;
};

/// The transitions of a state, a loop for a dead marking.
std::vector<std::pair<std::uint32_t, double>> with_loop(const MarkovChain& chain, std::uint32_t state) {
    if (chain.is_dead(state)) return {{state, 1.0}};
    return chain.next[state];
}

/// An identifier of PRISM for a place.
std::string prism_variable(const std::string& id, std::size_t number) {
    constexpr std::string_view keywords =
        " A bool clock const ctmc C double dtmc E endinit endinvariant endmodule"
        " endobservables endrewards endsystem false formula filter func F global G init"
        " invariant I int label max mdp min module X nondeterministic observable observables"
        " of Pmax Pmin P pomdp popta probabilistic prob pta rate rewards Rmax Rmin R S"
        " stochastic system true U W ";
    std::string result = id;
    for (char& c : result)
        if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
    if (!result.empty() && is_digit(result.front())) result.insert(0, 1, '_');
    const bool keyword = keywords.find(" " + result + " ") != std::string_view::npos;
    return result == id && !keyword ? result : fmt::format("{}_{}", result, number);
}

}  // namespace

MarkovChain markov_chain(const CompiledNet& net, const WorkLimits& limits) {
    return ChainBuilder(net, limits).build();
}

std::vector<ChainFile> prism_files(const Net& net, const MarkovChain& chain) {
    std::string transitions, labels = "0=\"init\" 1=\"deadlock\" 2=\"dead\"\n", states = "(", rewards;
    std::size_t count = 0, rewarded = 0;
    for (std::size_t p = 0; p < net.places().size(); ++p)
        states += (p == 0 ? "" : ",") + prism_variable(net.places()[p].id, p);
    states += ")\n";
    for (std::uint32_t s = 0; s < chain.markings.size(); ++s) {
        for (const auto& [to, probability] : with_loop(chain, s)) {
            transitions += fmt::format("{} {} {:.17g}\n", s, to, probability);
            ++count;
        }
        if (s == 0 || chain.is_dead(s))
            labels += fmt::format("{}:{}{}\n", s, s == 0 ? " 0" : "", chain.is_dead(s) ? " 1 2" : "");
        states += fmt::format("{}:(", s);
        for (std::size_t p = 0; p < chain.markings[s].size(); ++p)
            states += fmt::format("{}{}", p == 0 ? "" : ",", chain.markings[s][p]);
        states += ")\n";
        if (chain.steps(s) == 0) continue;
        rewards += fmt::format("{} 1\n", s);
        ++rewarded;
    }
    return {{".tra", fmt::format("{} {}\n{}", chain.markings.size(), count, transitions)},
            {".lab", labels},
            {".sta", states},
            {".srew", fmt::format("# Reward structure \"steps\"\n# State rewards\n{} {}\n{}",
                                  chain.markings.size(), rewarded, rewards)}};
}

std::string storm_file(const MarkovChain& chain) {
    std::string text = fmt::format(
        "@type: DTMC\n@parameters\n\n@reward_models\nsteps\n@nr_states\n{0}\n@nr_choices\n{0}\n@model\n",
        chain.markings.size());
    for (std::uint32_t s = 0; s < chain.markings.size(); ++s) {
        text += fmt::format("state {} [{}]{}{}\n\taction 0\n", s, chain.steps(s), s == 0 ? " init" : "",
                            chain.is_dead(s) ? " deadlock dead" : "");
        for (const auto& [to, probability] : with_loop(chain, s))
            text += fmt::format("\t\t{} : {:.17g}\n", to, probability);
    }
    return text;
}

}  // namespace warpnet::worst
