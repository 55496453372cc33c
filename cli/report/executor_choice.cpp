#include "cli/report/executor_choice.hpp"

namespace warpnet::cli {

ExecutorChoice executor_choice(const CompiledNet& net, const RunOptions& options) {
    return {std::string(to_string(executor_of(net, options))), why_not_components(net, options)};
}

std::string to_text(const ExecutorChoice& choice) {
    return choice.reason.empty() ? choice.name : choice.name + ": " + choice.reason;
}

}  // namespace warpnet::cli
