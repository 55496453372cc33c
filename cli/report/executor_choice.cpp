#include "cli/report/executor_choice.hpp"

namespace warpnet::cli {

ExecutorChoice executor_choice(const Plan& plan, const RunOptions& options) {
    return {std::string(to_string(plan.executor(options))), plan.why_not_modules(options)};
}

std::string to_text(const ExecutorChoice& choice) {
    return choice.reason.empty() ? choice.name : choice.name + ": " + choice.reason;
}

}  // namespace warpnet::cli
