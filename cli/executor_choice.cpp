#include "cli/executor_choice.hpp"

namespace warpnet::cli {

ExecutorChoice executor_choice(const CompiledNet& net, const RunOptions& options) {
    std::string reason = why_general(net, options);
    return {reason.empty() ? "component" : "general", reason};
}

std::string to_text(const ExecutorChoice& choice) {
    return choice.reason.empty() ? choice.name : choice.name + ": " + choice.reason;
}

}  // namespace warpnet::cli
