// Statistics of places and transitions over runs. All sums are integers, so the figures do not depend on the
// order in which threads finish their runs. A place is accounted for only when its tokens change. The product
// of its tokens and the number of unchanged steps is then added. So the cost is proportional to the changes
// and not to places times steps.

#include "engine/run/node_tally.hpp"

#include "engine/net/error.hpp"

#include <algorithm>
#include <cmath>

namespace warpnet {

NodeTally::NodeTally(const CompiledNet& net)
    : places_(net.place_count()), transitions_(net.transition_count()) {}

void NodeTally::merge(const NodeTally& other) {
    if (other.runs_ == 0) return;
    for (std::size_t p = 0; p < places_.size(); ++p) {
        places_[p].tokens += other.places_[p].tokens;
        places_[p].taken += other.places_[p].taken;
        places_[p].marked_steps += other.places_[p].marked_steps;
        places_[p].idle_steps += other.places_[p].idle_steps;
        places_[p].max = std::max(places_[p].max, other.places_[p].max);
    }
    for (std::size_t t = 0; t < transitions_.size(); ++t) {
        TransitionSums& sums = transitions_[t];
        const TransitionSums& more = other.transitions_[t];
        sums.squares += more.squares;
        sums.firings += more.firings;
        sums.min = runs_ == 0 ? more.min : std::min(sums.min, more.min);
        sums.max = std::max(sums.max, more.max);
    }
    runs_ += other.runs_;
    steps_ += other.steps_;
}

std::vector<std::uint64_t> NodeTally::words() const {
    std::vector<std::uint64_t> words = {runs_, steps_};
    const auto add = [&](Wide sum) {
        words.push_back(static_cast<std::uint64_t>(sum));
        words.push_back(static_cast<std::uint64_t>(sum >> 64U));
    };
    for (const PlaceSums& sums : places_) {
        add(sums.tokens);
        add(sums.taken);
        words.insert(words.end(), {sums.marked_steps, sums.idle_steps, static_cast<std::uint64_t>(sums.max)});
    }
    for (const TransitionSums& sums : transitions_) {
        add(sums.squares);
        add(sums.firings);
        words.insert(words.end(), {sums.min, sums.max});
    }
    return words;
}

NodeTally NodeTally::of_words(const CompiledNet& net, std::span<const std::uint64_t> words) {
    NodeTally tally(net);
    if (words.size() != tally.words().size()) throw InputError("statistics of another net");
    const auto narrow = [&] {
        const std::uint64_t word = words.front();
        words = words.subspan(1);
        return word;
    };
    const auto wide = [&] {
        const Wide low = narrow();
        return low + (Wide{narrow()} << 64U);
    };
    tally.runs_ = narrow();
    tally.steps_ = narrow();
    for (PlaceSums& sums : tally.places_) {
        sums.tokens = wide();
        sums.taken = wide();
        sums.marked_steps = narrow();
        sums.idle_steps = narrow();
        sums.max = static_cast<Tokens>(narrow());
    }
    for (TransitionSums& sums : tally.transitions_) {
        sums.squares = wide();
        sums.firings = wide();
        sums.min = narrow();
        sums.max = narrow();
    }
    return tally;
}

PlaceStatistics NodeTally::place(std::size_t place) const {
    const PlaceSums& sums = places_[place];
    PlaceStatistics statistics{.max = sums.max};
    if (steps_ == 0) return statistics;
    statistics.mean = static_cast<double>(sums.tokens) / static_cast<double>(steps_);
    statistics.marked = static_cast<double>(sums.marked_steps) / static_cast<double>(steps_);
    statistics.idle = static_cast<double>(sums.idle_steps) / static_cast<double>(steps_);
    statistics.taken = static_cast<double>(sums.taken) / static_cast<double>(steps_);
    return statistics;
}

TransitionStatistics NodeTally::transition(std::size_t transition) const {
    const TransitionSums& sums = transitions_[transition];
    TransitionStatistics statistics{.min = sums.min, .max = sums.max};
    if (runs_ == 0) return statistics;
    const auto n = static_cast<double>(runs_);
    statistics.mean = static_cast<double>(sums.firings) / n;
    // n * squares - firings^2 is exact and never negative as long as it fits.
    if (runs_ > 1 && sums.min != sums.max) {
        const Wide spread = sums.squares * runs_ - sums.firings * sums.firings;
        statistics.stddev = std::sqrt(static_cast<double>(spread) / (n * (n - 1)));
    }
    return statistics;
}

RunTally::RunTally(const CompiledNet& net, NodeTally& tally)
    : net_(net),
      tally_(tally),
      tokens_(net.initial),
      since_(net.place_count(), 0),
      used_steps_(net.place_count(), 0),
      last_used_(net.place_count(), 0),
      firings_(net.transition_count(), 0) {}

/// Accounts for the steps in which the tokens of a place were unchanged.
void RunTally::account(std::uint32_t place) {
    NodeTally::PlaceSums& sums = tally_.places_[place];
    const std::uint64_t steps = now_ - since_[place];
    sums.max = std::max(sums.max, tokens_[place]);
    if (tokens_[place] > 0) {
        sums.tokens += NodeTally::Wide{steps} * static_cast<std::uint64_t>(tokens_[place]);
        sums.marked_steps += steps;
    }
    if (tokens_[place] == net_.initial[place]) sums.idle_steps += steps - used_steps_[place];
    used_steps_[place] = 0;
    since_[place] = now_;
}

/// Accounts for a firing of a timed step, before the effects of the step.
void RunTally::use(std::uint64_t number, const Firing& firing) {
    if (net_.effects[firing.transition].empty()) return;
    for (const PlaceWeight& input : net_.inputs[firing.transition]) {
        const Tokens weight = input.weight;
        tally_.places_[input.place].taken +=
            NodeTally::Wide{static_cast<std::uint64_t>(firing.times)} * static_cast<std::uint64_t>(weight);
        if (last_used_[input.place] == number) continue;
        last_used_[input.place] = number;
        ++used_steps_[input.place];
    }
}

void RunTally::step(std::uint64_t number, bool immediate, std::span<const Firing> firings,
                    std::span<const Tokens> marking) {
    now_ = number;  // an immediate step takes no time: its number is that of the timed step before it
    if (!immediate) {
        for (const Firing& firing : firings) use(number, firing);
    }
    for (const auto [transition, times] : firings) {
        firings_[transition] += static_cast<std::uint64_t>(times);
        for (const Effect& effect : net_.effects[transition]) {
            if (marking[effect.place] == tokens_[effect.place]) continue;
            account(effect.place);
            tokens_[effect.place] = marking[effect.place];
        }
    }
}

void RunTally::finish() {
    for (std::uint32_t place = 0; place < tokens_.size(); ++place) account(place);
    for (std::size_t t = 0; t < firings_.size(); ++t) {
        NodeTally::TransitionSums& sums = tally_.transitions_[t];
        sums.firings += firings_[t];
        sums.squares += NodeTally::Wide{firings_[t]} * firings_[t];
        sums.min = tally_.runs_ == 0 ? firings_[t] : std::min(sums.min, firings_[t]);
        sums.max = std::max(sums.max, firings_[t]);
    }
    ++tally_.runs_;
    tally_.steps_ += now_;
}

}  // namespace warpnet
