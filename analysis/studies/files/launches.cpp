// Joins launches that are one measurement: the same kernel, shape, resources and work. Launches of one shape
// may do different work, for example with another stride or size in an argument. Two launches do the same
// work if instructions and sectors of global memory differ by at most a fifth. Groups begin at the launch
// with the least work, so the result does not depend on the order of the rows. Counters become means,
// weighted by launches. A warning names counters that vary by more than a tenth. Each launch is compared with
// launches of its shape, so the cost is at most quadratic in the launches per shape.

#include "analysis/studies/files/launches.hpp"

#include "analysis/studies/compare/statistics.hpp"
#include "analysis/studies/files/measured_table.hpp"
#include "analysis/studies/files/table.hpp"
#include "engine/net/error.hpp"
#include "netgen/code/ptx/kernel_names.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace warpnet::studies {
namespace {

// Warnings about missing counters in a file of measurements. A counter that no launch has is named with the
// assumption that replaces it. A counter that only some launches have is named with the lines of the launches
// without it. Counters with the same consequence are listed together, so a missing group of counters gives
// one line. O(launches * counters^2).

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
        warnings.push_back(
            fmt::format("{}: missing counters, and the consequences ('warpnet compare --metrics-for {}' "
                        "prints the command that collects them):{}",
                        source, tool, nowhere.text()));
    if (!somewhere.empty())
        warnings.push_back(
            fmt::format("{}: counters that are missing for some launches, and the consequences:{}", source,
                        somewhere.text()));
}

namespace {

/// The mean of a counter over launches; without a value if no launch has one.
struct MeanCounter {
    double sum = 0, least = 0, most = 0;
    std::int64_t launches = 0;
    void add(double value, std::int64_t count) {
        least = launches == 0 ? value : std::min(least, value);
        most = launches == 0 ? value : std::max(most, value);
        sum += value * static_cast<double>(count);
        launches += count;
    }
    double mean() const { return sum / static_cast<double>(launches); }
};

/// Replaces values in `metrics` that differ between launches by their means. Returns texts about the counters
/// that differ by more than a tenth.
std::vector<std::string> take_mean(const Launch& launch, netgen::KernelMetrics& metrics) {
    std::map<std::string, std::string> other;  // a differing value of some launch
    for (const auto& [counters, count] : launch.counted)
        for (const auto& [name, value] : counters)
            if (const auto known = metrics.emplace(name, value).first;
                known->second != value && netgen::is_metric_value(value))
                other[name] = value;
    std::vector<std::string> spreads;
    for (const auto& [name, text] : other) {
        MeanCounter counter;
        for (const auto& [counters, count] : launch.counted)
            if (netgen::metric_is_there(counters, name))
                counter.add(netgen::metric_percent(counters.find(name)->second, launch.where + ": " + name),
                            count);
        metrics[name] = fmt::format("{}{}", counter.mean(), text.ends_with('%') ? "%" : "");
        const bool speed = netgen::nsight_unit(name) == "us" || netgen::nsight_unit(name) == "Hz";
        if (!speed && counter.most - counter.least > counter.mean() / 10)
            spreads.push_back(fmt::format("{} {} to {}", name, counter.least, counter.most));
    }
    return spreads;
}

}  // namespace

bool LaunchTraits::same_work(const LaunchTraits& other) const {
    const auto near = [](double a, double b) { return std::abs(a - b) <= 0.2 * std::min(a, b); };
    return near(instructions, other.instructions) && near(sectors, other.sectors);
}

LaunchTraits traits_of(const netgen::KernelProfile& profile, std::string resources) {
    const double warps = static_cast<double>(profile.blocks) * static_cast<double>(profile.warps_per_block());
    return {std::move(resources), warps * profile.instructions(),
            warps * (profile.loads.requests * profile.loads.transactions +
                     profile.stores.requests * profile.stores.transactions)};
}

void Launch::add(std::int64_t count, std::optional<double> us) {
    launches += count;
    if (!us) return;
    times.push_back(*us);
    total += *us * static_cast<double>(count);
}

void Launch::add(const Launch& other) {
    times.insert(times.end(), other.times.begin(), other.times.end());
    extremes.insert(extremes.end(), other.extremes.begin(), other.extremes.end());
    counted.insert(counted.end(), other.counted.begin(), other.counted.end());
    clocks.insert(clocks.end(), other.clocks.begin(), other.clocks.end());
    launches += other.launches;
    total += other.total;
}

Launch& Launches::at(const std::string& kernel, const std::string& grid, const std::string& block,
                     const std::string& where, const LaunchTraits& traits) {
    std::vector<std::size_t>& of_shape = index_[fmt::format("{}\n{}\n{}", kernel, grid, block)];
    std::string name = fmt::format("{} {} {}", kernel, grid, block);
    for (const std::size_t i : of_shape)
        if (list_[i].traits == traits) return list_[i];
    if (!of_shape.empty() && list_[of_shape.front()].traits.resources != traits.resources)
        name += fmt::format(" [{}]", traits.resources);
    of_shape.push_back(list_.size());
    return list_.emplace_back(Launch{std::move(name), where, traits});
}

// Each group begins with the launch with the least work that is in no group yet, so the order of the rows
// does not matter.
void Launches::join_same_work() {
    std::vector<std::size_t> group(list_.size());  // per launch: the first launch of its group
    for (auto& [shape, members] : index_) {
        std::vector<std::size_t> rising = members;
        const auto key = [&](std::size_t i) {
            const LaunchTraits& traits = list_[i].traits;
            return std::tuple(std::string_view(traits.resources), traits.instructions, traits.sectors);
        };
        std::ranges::sort(rising, {}, key);
        std::vector<std::size_t> least;
        for (const std::size_t i : rising) {
            const auto same = std::ranges::find_if(least, [&](std::size_t first) {
                return list_[first].traits.resources == list_[i].traits.resources &&
                       list_[first].traits.same_work(list_[i].traits);
            });
            group[i] = same == least.end() ? least.emplace_back(i) : *same;
        }
    }
    std::vector<Launch> joined;
    std::map<std::size_t, std::size_t> position;          // in `joined`, by group
    std::set<std::pair<std::string, std::string>> named;  // (key, resources)
    for (std::size_t i = 0; i < list_.size(); ++i) {
        const auto [found, is_new] = position.try_emplace(group[i], joined.size());
        if (!is_new) {
            joined[found->second].add(list_[i]);
            continue;
        }
        Launch& launch = joined.emplace_back(std::move(list_[i]));
        const LaunchTraits& traits = list_[group[i]].traits;
        if (!named.emplace(launch.key, launch.traits.resources).second)
            launch.key +=
                fmt::format(" [{:.0f} instructions, {:.0f} sectors]", traits.instructions, traits.sectors);
    }
    list_ = std::move(joined);
    index_.clear();
}

void Launches::take_means(const std::string& source, std::vector<std::string>& warnings) {
    join_same_work();
    std::vector<std::string> spreads;
    for (Launch& launch : list_) {
        if (launch.counted.empty()) continue;
        launch.metrics = launch.counted.front().first;
        if (const auto differing = take_mean(launch, launch.metrics); !differing.empty())
            spreads.push_back(fmt::format("{}: {}", launch.key, fmt::join(differing, ", ")));
    }
    if (!spreads.empty())
        warnings.push_back(
            fmt::format("{}: counters that differ by more than a tenth from launch to launch, of which the "
                        "means are taken:{}",
                        source, first_faults(spreads, "\n  ")));
}

std::string resources_text(std::string_view registers, std::string_view static_bytes,
                           std::string_view dynamic_bytes) {
    return fmt::format("{} registers, {} and {} bytes of shared memory", registers, static_bytes,
                       dynamic_bytes);
}

Measurement measurement_of(const Launch& launch) {
    Measurement measurement;
    measurement.kernel = launch.key;
    measurement.function = netgen::function_name(launch.key);
    measurement.where = launch.where;
    measurement.id = launch.id;
    measurement.measured = launch.times.empty() ? 0 : sample::median(launch.times);
    measurement.launches = launch.launches;
    std::vector<double> all = launch.times;
    all.insert(all.end(), launch.extremes.begin(), launch.extremes.end());
    if (!all.empty()) {
        const auto [least, most] = std::minmax_element(all.begin(), all.end());
        measurement.mean = launch.times.empty() ? 0 : launch.total / static_cast<double>(launch.launches);
        measurement.least = *least;
        measurement.most = *most;
    }
    return measurement;
}

Measurement measurement_of(const Launch& launch, const netgen::KernelProfile& profile,
                           std::span<const netgen::CounterNeed> needs, const KernelFacts& facts) {
    Measurement measurement = measurement_of(launch);
    measurement.profile = profile;
    if (std::string unseen = netgen::unseen_work(needs, launch.metrics); !unseen.empty())
        measurement.profile->uncounted.push_back(std::move(unseen));
    facts.apply(fact_function(launch.key), *measurement.profile);
    return measurement;
}

void check_rising(std::span<const double> values, std::string_view where) {
    if (std::is_sorted(values.begin(), values.end())) return;
    throw InputError(fmt::format("{}: expected a mean between the least and the greatest value, found {}",
                                 where, fmt::join(values, ", ")));
}

void check_spread(std::optional<double> us, std::optional<double> least, std::optional<double> most,
                  std::string_view where) {
    std::vector<double> rising;
    for (const auto& time : {least, us, most})
        if (time) rising.push_back(*time);
    if (rising.size() < 2 || (rising.front() > 0 && std::is_sorted(rising.begin(), rising.end()))) return;
    throw InputError(
        fmt::format("{}: expected the shortest, the median and the longest time above 0 and rising, found {}",
                    where, fmt::join(rising, ", ")));
}

void check_time(std::optional<double> us, std::string_view where, std::string_view column) {
    if (!us) throw InputError(fmt::format("{}: expected a time in '{}', found none", where, column));
    if (!(*us > 0)) throw InputError(fmt::format("{}: expected a measured time above 0", where));
}

}  // namespace warpnet::studies
