#include "analysis/studies/files/missing_counters.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace warpnet {

void warn_of_missing(std::span<const CounterNeed> needs, const KernelMetrics& metrics,
                     const std::string& source, const std::string& tool, std::vector<std::string>& warnings) {
    // Those of one consequence stand together.
    std::vector<std::pair<std::string_view, std::vector<std::string_view>>> by_consequence;
    for (const CounterNeed& need : missing_counters(needs, metrics)) {
        auto found = std::find_if(by_consequence.begin(), by_consequence.end(),
                                  [&](const auto& one) { return one.first == need.consequence; });
        if (found == by_consequence.end()) {
            by_consequence.push_back({need.consequence, {}});
            found = by_consequence.end() - 1;
        }
        found->second.push_back(need.name);
    }
    if (by_consequence.empty()) return;
    std::string text = fmt::format(
        "{}: counters that are missing, and what that means ('warpnet compare --metrics-for {}' prints the "
        "command "
        "that collects them):",
        source, tool);
    for (const auto& [consequence, names] : by_consequence)
        text += fmt::format("\n  {}: {}", fmt::join(names, ", "), consequence);
    warnings.push_back(std::move(text));
}

}  // namespace warpnet
