#pragma once

#include "engine/base/work_limits.hpp"

#include <algorithm>
#include <memory>

#include <glpk.h>

namespace warpnet::states {

struct DeleteGlpkProblem {
    void operator()(glp_prob* problem) const { glp_delete_prob(problem); }
};

using GlpkProblem = std::unique_ptr<glp_prob, DeleteGlpkProblem>;

/// An empty linear programme of GLPK, which prints nothing. GLPK keeps an environment for each thread and
/// leaves it behind when the thread ends; here it is freed then.
inline GlpkProblem make_glpk_problem() {
    struct Environment {
        Environment() = default;
        Environment(const Environment&) = delete;
        Environment& operator=(const Environment&) = delete;
        ~Environment() { glp_free_env(); }
    };
    thread_local const Environment environment;
    glp_term_out(GLP_OFF);
    return GlpkProblem(glp_create_prob());
}

/// glp_simplex() in slices, between which the limits are checked. The length of a slice depends on no clock.
/// A unit of effort is a row or column in an iteration, some 50 ns. `parameters.it_lim` holds for all slices
/// together. Returns the code of glp_simplex(), or GLP_ETMLIM if the limits ended it.
inline int simplex_in_slices(glp_prob& problem, glp_smcp parameters, const WorkLimits& limits) {
    constexpr int work_of_a_slice = 2'000'000;  // iterations times rows and columns: some 0.1 s
    const int size = std::max(glp_get_num_rows(&problem) + glp_get_num_cols(&problem), 1);
    const int slice = std::clamp(work_of_a_slice / size, 100, 1000);
    const int first = glp_get_it_cnt(&problem);
    const int whole = parameters.it_lim;
    int most = whole;
    if (limits.effort > 0)
        most = static_cast<int>(std::min<std::uint64_t>(static_cast<std::uint64_t>(most),
                                                        limits.effort / static_cast<std::uint64_t>(size)));
    for (;;) {
        if (limits.must_end()) return GLP_ETMLIM;
        const int left = most - (glp_get_it_cnt(&problem) - first);
        parameters.it_lim = std::min(slice, left);
        const int failure = glp_simplex(&problem, &parameters);
        if (failure != GLP_EITLIM) return failure;
        if (left <= slice) return most < whole ? GLP_ETMLIM : failure;
    }
}

}  // namespace warpnet::states
