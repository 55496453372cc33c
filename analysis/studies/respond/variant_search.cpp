// Searches for the best variant of each choice. It tries all combinations if the budget allows. Otherwise it
// uses steepest descent from the first variants, the last ones and random ones, until the budget is spent.
// Combinations are judged in parallel and compared in the order of their requests, so the answer does not
// depend on threads. Rejected: annealing, since one judgement is a whole schedule and there are few choices.

#include "analysis/studies/respond/variant_search.hpp"

#include "engine/base/random.hpp"
#include "engine/base/to_json.hpp"
#include "engine/net/error.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>

#include <nlohmann/json.hpp>
#include <tbb/parallel_for.h>

namespace warpnet::studies {

namespace {

using Chosen = std::vector<std::size_t>;

bool is_better(const JudgedVariants& a, const JudgedVariants& b) {
    return std::tie(a.missed, a.open, a.load, a.makespan, a.chosen) <
           std::tie(b.missed, b.open, b.load, b.makespan, b.chosen);
}

JudgedVariants judge(const netgen::TaskSet& tasks, const VariantOptions& options, Chosen chosen) {
    const netgen::TaskSet set = netgen::with_variants(tasks, chosen);
    RespondOptions schedule = options.schedule;
    schedule.max_groups = 0;
    schedule.ignore_jitter = options.sporadic.has_value();
    const RespondResult result = respond(set, schedule);
    JudgedVariants judged{0, !result.conclusive(), 0, result.makespan, std::move(chosen)};
    std::optional<SporadicBounds> bounds;
    if (options.sporadic) {
        bounds = sporadic_bounds(set, *options.sporadic);
        judged.open = false;
    }
    for (std::size_t i = 0; i < set.operations.size(); ++i) {
        const OperationResponse& response = result.operations[i];
        if (!response.deadline) continue;
        const std::optional<netgen::Time> time =
            bounds ? bounds->response[i] : std::optional(response.worst.response());
        if (!time || *time > *response.deadline) ++judged.missed;
        const double load = !time ? std::numeric_limits<double>::infinity()
                            : *response.deadline == 0
                                ? static_cast<double>(*time)
                                : static_cast<double>(*time) / static_cast<double>(*response.deadline);
        judged.load = std::max(judged.load, load);
    }
    return judged;
}

/// All judged combinations, each once.
class Judgements {
  public:
    Judgements(const netgen::TaskSet& tasks, const VariantOptions& options)
        : tasks_(tasks), options_(options) {}

    std::int64_t count() const noexcept { return static_cast<std::int64_t>(known_.size()); }
    bool spent() const noexcept { return count() >= options_.evaluations; }
    const JudgedVariants& operator[](const Chosen& chosen) const { return known_.at(chosen); }

    /// Judges those that are not known yet, within the budget. Returns whether all are known then.
    bool add(const std::vector<Chosen>& asked) {
        std::vector<Chosen> fresh;
        for (const Chosen& chosen : asked)
            if (!known_.contains(chosen) && std::ranges::find(fresh, chosen) == fresh.end())
                fresh.push_back(chosen);
        const auto left = static_cast<std::size_t>(std::max<std::int64_t>(options_.evaluations - count(), 0));
        const bool all = fresh.size() <= left;
        fresh.resize(std::min(fresh.size(), left));
        std::vector<JudgedVariants> judged(fresh.size());
        tbb::parallel_for(std::size_t{0}, fresh.size(),
                          [&](std::size_t i) { judged[i] = judge(tasks_, options_, fresh[i]); });
        for (JudgedVariants& one : judged) known_.emplace(one.chosen, one);
        return all;
    }

    std::vector<JudgedVariants> best(std::size_t kept) const {
        std::vector<JudgedVariants> all;
        for (const auto& [chosen, judged] : known_) all.push_back(judged);
        std::ranges::sort(all, is_better);
        all.resize(std::min(all.size(), kept));
        return all;
    }

  private:
    const netgen::TaskSet& tasks_;
    const VariantOptions& options_;
    std::map<Chosen, JudgedVariants> known_;
};

/// The number of combinations, or `most` if there are more.
std::int64_t combinations(const std::vector<netgen::Choice>& choices, std::int64_t most) {
    std::int64_t count = 1;
    for (const netgen::Choice& choice : choices) {
        const auto variants = static_cast<std::int64_t>(choice.variants.size());
        if (count > most / variants) return most;
        count *= variants;
    }
    return count;
}

void judge_all(const std::vector<netgen::Choice>& choices, Judgements& judgements) {
    constexpr std::size_t batch = 256;
    std::vector<Chosen> asked;
    Chosen chosen(choices.size(), 0);
    for (bool more = true; more;) {
        asked.push_back(chosen);
        more = false;
        for (std::size_t i = choices.size(); i-- > 0 && !more;) {
            more = ++chosen[i] < choices[i].variants.size();
            if (!more) chosen[i] = 0;
        }
        if (more && asked.size() < batch) continue;
        judgements.add(asked);
        asked.clear();
    }
}

/// From a combination to one that no change of a single choice makes better.
void descend(const std::vector<netgen::Choice>& choices, Chosen chosen, Judgements& judgements) {
    if (!judgements.add({chosen})) return;
    for (bool improved = true; improved;) {
        std::vector<Chosen> neighbours;
        for (std::size_t i = 0; i < choices.size(); ++i)
            for (std::size_t variant = 0; variant < choices[i].variants.size(); ++variant) {
                if (variant == chosen[i]) continue;
                neighbours.push_back(chosen);
                neighbours.back()[i] = variant;
            }
        if (!judgements.add(neighbours)) return;
        improved = false;
        for (const Chosen& neighbour : neighbours)
            if (is_better(judgements[neighbour], judgements[chosen])) {
                chosen = neighbour;
                improved = true;
            }
    }
}

void search_locally(const std::vector<netgen::Choice>& choices, std::uint64_t seed, Judgements& judgements) {
    Chosen last;
    for (const netgen::Choice& choice : choices) last.push_back(choice.variants.size() - 1);
    descend(choices, Chosen(choices.size(), 0), judgements);
    descend(choices, last, judgements);
    for (std::uint64_t start = 0; !judgements.spent(); ++start) {
        CounterRandom random(seed, start);
        Chosen chosen;
        for (const netgen::Choice& choice : choices)
            chosen.push_back(random.below(static_cast<std::uint32_t>(choice.variants.size())));
        descend(choices, std::move(chosen), judgements);
    }
}

}  // namespace

VariantSearch choose_variants(const netgen::TaskSet& tasks, const VariantOptions& options) {
    VariantSearch search;
    search.choices = netgen::choices_of(tasks);
    if (search.choices.empty())
        throw InputError(
            "expected operations with a choice and a variant, found none: nothing is to be chosen");
    Judgements judgements(tasks, options);
    search.exact = combinations(search.choices, options.evaluations + 1) <= options.evaluations;
    if (search.exact) {
        judge_all(search.choices, judgements);
    } else {
        search_locally(search.choices, options.seed, judgements);
    }
    search.evaluations = judgements.count();
    search.best = judgements.best(std::max<std::size_t>(options.kept, 1));
    search.tasks = netgen::with_variants(tasks, search.best.front().chosen);
    return search;
}

nlohmann::ordered_json to_json(const VariantSearch& search) {
    nlohmann::ordered_json best = nlohmann::ordered_json::array();
    for (const JudgedVariants& judged : search.best) {
        nlohmann::ordered_json chosen;
        for (std::size_t i = 0; i < search.choices.size(); ++i)
            chosen[search.choices[i].name] = search.choices[i].variants[judged.chosen[i]];
        best.push_back({{"chosen", std::move(chosen)},
                        {"missed", judged.missed},
                        {"conclusive", !judged.open},
                        {"load", std::isfinite(judged.load) ? nlohmann::ordered_json(judged.load) : nullptr},
                        {"makespan", judged.makespan}});
    }
    return {{"exact", search.exact}, {"evaluations", search.evaluations}, {"best", std::move(best)}};
}

}  // namespace warpnet::studies
