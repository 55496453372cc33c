#pragma once

#include "analysis/studies/respond/respond.hpp"
#include "analysis/studies/respond/sporadic_bound.hpp"
#include "netgen/blocks/task_set.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace warpnet::studies {

/// How variants are judged, and the budget of the search. Equal options give equal answers.
struct VariantOptions {
    RespondOptions schedule;
    std::optional<SporadicOptions> sporadic = {};  ///< judge by these bounds; absent: by the schedule
    std::int64_t evaluations = 100'000;  ///< task sets judged; the answer depends on it, not on time
    std::uint64_t seed = 1;
    std::size_t kept = 16;  ///< of the best task sets
};

/// One variant of each choice, and its effect on the deadlines. The first member that differs decides which
/// of two is better.
struct JudgedVariants {
    std::int64_t missed = 0;  ///< operations that miss a deadline, or whose bound does not meet it
    bool open = false;        ///< the schedule was not judged to its end
    double load = 0;          ///< the largest response over its deadline; infinite without a bound
    netgen::Time makespan = 0;
    std::vector<std::size_t> chosen;  ///< by position in Choice::variants
};

struct VariantSearch {
    std::vector<netgen::Choice> choices;
    std::vector<JudgedVariants> best;  ///< the best first; at least one
    netgen::TaskSet tasks;             ///< the set with the best variants
    std::int64_t evaluations = 0;
    bool exact = false;  ///< every combination was judged
};

/// Chooses the variants of a task set: the task-assignment problem for a host and its GPU ([Raravi10] problem
/// P2), and which runnables to offload, as the WATERS challenge of 2019 asks. Every combination is judged if
/// there are at most `evaluations`. Otherwise it is a local search from the first variants, the last ones and
/// random ones, one choice changed at a time. Throws InputError if respond() and sporadic_bounds() do, and
/// if the set has no choice.
VariantSearch choose_variants(const netgen::TaskSet& tasks, const VariantOptions& options = {});

/// The member `variants` of `respond --choose --json`.
nlohmann::ordered_json to_json(const VariantSearch& search);

}  // namespace warpnet::studies
