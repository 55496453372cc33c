#pragma once

#include <memory>

#include <glpk.h>

namespace warpnet {

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

}  // namespace warpnet
