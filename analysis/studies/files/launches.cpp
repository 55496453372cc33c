#include "analysis/studies/files/launches.hpp"

#include "analysis/studies/compare/compare.hpp"
#include "analysis/studies/compare/statistics.hpp"
#include "engine/net/error.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace warpnet {

Launch& Launches::at(const std::string& kernel, const std::string& grid, const std::string& block,
                     const std::string& where, const std::string& resources) {
    const std::string key = fmt::format("{}\n{}\n{}", kernel, grid, block);
    auto [found, added] = index_.try_emplace(key, list_.size());
    const bool other = !added && list_[found->second].resources != resources;
    if (other) std::tie(found, added) = index_.try_emplace(key + "\n" + resources, list_.size());
    if (added)
        list_.push_back({fmt::format("{} {} {}{}", kernel, grid, block, other ? " [" + resources + "]" : ""),
                         where,
                         {},
                         {},
                         {},
                         0,
                         resources});
    return list_[found->second];
}

std::string resources_text(std::string_view registers, std::string_view static_bytes,
                           std::string_view dynamic_bytes) {
    return fmt::format("{} registers, {} and {} bytes of shared memory", registers, static_bytes,
                       dynamic_bytes);
}

Measurement measurement_of(const Launch& launch) {
    Measurement measurement;
    measurement.kernel = launch.key;
    measurement.function = function_name(launch.key);
    measurement.measured = launch.times.empty() ? 0 : sample::median(launch.times);
    measurement.launches = launch.launches;
    std::vector<double> all = launch.times;
    all.insert(all.end(), launch.extremes.begin(), launch.extremes.end());
    if (!all.empty()) {
        const auto [least, most] = std::minmax_element(all.begin(), all.end());
        measurement.least = *least;
        measurement.most = *most;
    }
    return measurement;
}

Measurement measurement_of(const Launch& launch, const KernelProfile& profile, const KernelFacts& facts) {
    Measurement measurement = measurement_of(launch);
    measurement.profile = profile;
    facts.apply(fact_function(launch.key), *measurement.profile);
    return measurement;
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

}  // namespace warpnet
