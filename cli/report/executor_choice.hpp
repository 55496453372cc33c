#pragma once

#include "engine/run/run.hpp"

#include <string>

namespace warpnet::cli {

/// Which executor makes the runs of a net.
struct ExecutorChoice {
    std::string name;    ///< of an ExecutorKind, reference (`--plain`, replayed schedules), or none
    std::string reason;  ///< why it is not the component executor, or why there is none
};

ExecutorChoice executor_choice(const CompiledNet& net, const RunOptions& options = {});

/// "general: a component tests a hub"
std::string to_text(const ExecutorChoice& choice);

}  // namespace warpnet::cli
