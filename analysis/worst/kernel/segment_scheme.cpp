#include "analysis/worst/kernel/segment_scheme.hpp"

#include <algorithm>
#include <limits>
#include <map>

namespace warpnet {
namespace {

bool same_class(const KernelInstance& instance, std::size_t a, std::size_t b) {
    return instance.type[a] == instance.type[b] &&
           (instance.level.empty() || instance.level[a] == instance.level[b]);
}

/// Gives the groups consecutive numbers in the order of their first segments.
SegmentScheme renumbered(SegmentScheme scheme) {
    std::map<int, int> number;
    for (StringSegment& segment : scheme.segments)
        segment.group = number.emplace(segment.group, static_cast<int>(number.size())).first->second;
    scheme.groups = static_cast<int>(number.size());
    return scheme;
}

/// Adds up, over all ways to spread the warps over segments, the product over the groups of (1 + the most
/// slack).
class StateCounter {
  public:
    StateCounter(const SegmentScheme& scheme, int warps) : warps_(warps) {
        members_.resize(static_cast<std::size_t>(scheme.groups));
        for (const StringSegment& segment : scheme.segments)
            ++members_[static_cast<std::size_t>(segment.group)][segment.length() - 1];
    }

    long double count() const {
        // Per number of warps outside the groups seen so far: sum of products.
        std::vector<long double> sums(static_cast<std::size_t>(warps_) + 1, 1);
        for (const auto& members : members_) {
            const std::vector<long double> group = group_counts(members);
            std::vector<long double> next(sums.size(), 0);
            for (std::size_t all = 0; all < next.size(); ++all)
                for (std::size_t here = 0; here <= all; ++here) next[all] += sums[all - here] * group[here];
            sums = std::move(next);
        }
        return sums.back();
    }

  private:
    /// Per number n of warps in the group: sum over the ways to spread them of (1 + most slack), that is
    /// (ways) + (sum of most slack), for members given as slack per warp -> number of segments.
    std::vector<long double> group_counts(const std::map<int, int>& members) const {
        const auto size = static_cast<std::size_t>(warps_) + 1;
        std::vector<long double> ways(size, 0);
        std::vector<long double> slack(size, 0);
        ways[0] = 1;
        for (const auto& [per_warp, number] : members) {
            for (int copy = 0; copy < number; ++copy) {
                std::vector<long double> next_ways(size, 0);
                std::vector<long double> next_slack(size, 0);
                for (std::size_t all = 0; all < size; ++all) {
                    for (std::size_t here = 0; here <= all; ++here) {
                        const long double added = static_cast<long double>(here) * per_warp;
                        next_ways[all] += ways[all - here];
                        next_slack[all] += slack[all - here] + added * ways[all - here];
                    }
                }
                ways = std::move(next_ways);
                slack = std::move(next_slack);
            }
        }
        for (std::size_t n = 0; n < size; ++n) ways[n] += slack[n];
        return ways;
    }

    int warps_;
    std::vector<std::map<int, int>> members_;  // per group: slack per warp -> number of segments
};

}  // namespace

SegmentScheme whole_runs(const KernelInstance& instance) { return with_cuts(instance, {}); }

SegmentScheme with_cuts(const KernelInstance& instance, std::span<const int> cuts) {
    SegmentScheme scheme;
    for (std::size_t i = 0; i < instance.type.size(); ++i) {
        const int here = static_cast<int>(i);
        if (i == 0 || !same_class(instance, i - 1, i) || std::ranges::count(cuts, here) > 0)
            scheme.segments.push_back({.begin = here, .end = here, .group = scheme.groups++});
        scheme.segments.back().end = here + 1;
    }
    return scheme;
}

SegmentScheme with_short_joined(const KernelInstance& instance, const SegmentScheme& scheme) {
    constexpr int short_length = 2;
    SegmentScheme joined = scheme;
    for (StringSegment& segment : joined.segments) {
        if (segment.length() != short_length) continue;
        const StringSegment* longest = &segment;
        for (const StringSegment& other : joined.segments)
            if (same_class(instance, static_cast<std::size_t>(segment.begin),
                           static_cast<std::size_t>(other.begin)) &&
                other.length() > longest->length())
                longest = &other;
        segment.group = longest->group;
    }
    return renumbered(joined);
}

SegmentScheme slack_per_class(const KernelInstance& instance, const SegmentScheme& scheme) {
    SegmentScheme coarse = scheme;
    for (StringSegment& segment : coarse.segments)
        segment.group = std::ranges::find_if(coarse.segments, [&](const StringSegment& other) {
                            return same_class(instance, static_cast<std::size_t>(segment.begin),
                                              static_cast<std::size_t>(other.begin));
                        })->group;
    return renumbered(coarse);
}

std::uint64_t count_states(const SegmentScheme& scheme, int warps) {
    const long double count = StateCounter(scheme, warps).count();
    constexpr auto most = std::numeric_limits<std::uint64_t>::max();
    return count < static_cast<long double>(most) ? static_cast<std::uint64_t>(count) : most;
}

}  // namespace warpnet
