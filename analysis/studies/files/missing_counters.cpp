// Warnings about missing counters in a file of measurements. A counter that no launch has is named with the
// assumption that replaces it. A counter that only some launches have is named with the lines of the launches
// without it. Counters with the same consequence are listed together, so a missing group of counters gives
// one line. O(launches * counters^2).

#include "analysis/studies/files/missing_counters.hpp"

#include "analysis/studies/files/table.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace warpnet::studies {

namespace {

/// One line "names: consequence" per consequence.
class ByConsequence {
  public:
    void add(std::string_view consequence, std::string name) {
        auto found = std::find_if(lines_.begin(), lines_.end(),
                                  [&](const auto& one) { return one.first == consequence; });
        if (found == lines_.end()) found = lines_.insert(found, {consequence, {}});
        found->second.push_back(std::move(name));
    }
    bool empty() const { return lines_.empty(); }
    std::string text() const {
        std::string text;
        for (const auto& [consequence, names] : lines_)
            text += fmt::format("\n  {}: {}", fmt::join(names, ", "), consequence);
        return text;
    }

  private:
    std::vector<std::pair<std::string_view, std::vector<std::string>>> lines_;
};

}  // namespace

void MissingCounters::add(const netgen::KernelMetrics& metrics, std::size_t line) {
    for (const auto& [name, value] : metrics)
        if (netgen::is_metric_value(value)) all_.try_emplace(name, value);
    launches_.emplace_back(metrics, line);
}

void MissingCounters::warn(std::span<const netgen::CounterNeed> needs,
                           std::span<const netgen::CounterNeed> extras, const std::string& source,
                           const std::string& tool, std::vector<std::string>& warnings) const {
    if (launches_.empty()) return;
    ByConsequence nowhere, somewhere;
    for (const netgen::CounterNeed& need : netgen::missing_counters(needs, all_))
        nowhere.add(need.consequence, std::string(need.name));
    for (const auto wanted : {needs, extras}) {
        const std::vector<netgen::CounterNeed> absent = netgen::missing_counters(wanted, all_);
        std::vector<std::pair<netgen::CounterNeed, std::vector<std::size_t>>>
            some;  // with the lines of launches without it
        for (const auto& [metrics, line] : launches_) {
            for (const netgen::CounterNeed& need : netgen::missing_counters(wanted, metrics)) {
                const auto same = [&](const netgen::CounterNeed& one) { return one.name == need.name; };
                if (std::any_of(absent.begin(), absent.end(), same)) continue;
                auto found =
                    std::find_if(some.begin(), some.end(), [&](const auto& one) { return same(one.first); });
                if (found == some.end()) found = some.insert(found, {need, {}});
                found->second.push_back(line);
            }
        }
        for (const auto& [need, lines] : some)
            somewhere.add(need.consequence, fmt::format("{} (line {})", need.name, first_lines(lines)));
    }
    if (!nowhere.empty())
        warnings.push_back(fmt::format(
            "{}: counters that are missing, and what that means ('warpnet compare --metrics-for {}' "
            "prints the command that collects them):{}",
            source, tool, nowhere.text()));
    if (!somewhere.empty())
        warnings.push_back(
            fmt::format("{}: counters that are missing for some launches, and what that means for them:{}",
                        source, somewhere.text()));
}

}  // namespace warpnet::studies
