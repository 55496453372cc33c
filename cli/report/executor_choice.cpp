#include "cli/report/executor_choice.hpp"

namespace warpnet::cli {

ExecutorChoice executor_choice(const Plan& plan, const RunOptions& options) {
    return {std::string(to_string(plan.executor(options))), plan.why_not_modules(options)};
}

std::string to_text(const ExecutorChoice& choice) {
    if (choice.reason.empty()) return choice.name;
    return choice.name + (choice.name == "none" ? ": " : ", not modules: ") + choice.reason;
}

}  // namespace warpnet::cli
