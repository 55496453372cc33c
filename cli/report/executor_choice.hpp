#pragma once

#include "engine/plan.hpp"

#include <string>

namespace warpnet::cli {

/// Which executor makes the runs of a net.
struct ExecutorChoice {
    std::string name;    ///< of an ExecutorKind, reference (`--plain`, replayed schedules), or none
    std::string reason;  ///< why it is not the one of modules, or why there is none
};

ExecutorChoice executor_choice(const Plan& plan, const RunOptions& options = {});

/// "general, not modules: a module tests a hub"
std::string to_text(const ExecutorChoice& choice);

}  // namespace warpnet::cli
