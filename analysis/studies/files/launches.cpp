#include "analysis/studies/files/launches.hpp"

#include "analysis/studies/compare/compare.hpp"
#include "analysis/studies/compare/statistics.hpp"
#include "engine/net/error.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace warpnet {

Launch& Launches::at(const std::string& kernel, const std::string& grid, const std::string& block,
                     const std::string& where) {
    std::string key = fmt::format("{}\n{}\n{}", kernel, grid, block);
    const auto [found, added] = index_.try_emplace(std::move(key), list_.size());
    if (added) list_.push_back({fmt::format("{} {} {}", kernel, grid, block), where, {}, {}, {}, 0});
    return list_[found->second];
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

void need_time(const Launch& launch, bool needed, std::string_view column) {
    if (needed && launch.times.empty())
        throw InputError(fmt::format("{}: expected a time in '{}', found none", launch.where, column));
}

}  // namespace warpnet
