// Segment schemes, their sizes, and the abstract steps of a composition; the header has the abstraction and
// its proof. Schemes go from fine to coarse: a segment per run of one class, cut further at given
// instructions, with short segments joined to long ones, or with one slack per class. The number of abstract
// states is counted by dynamic programming over the groups, without listing them. Steps are listed by
// recursion: a number of executing warps per class from the step rule, divided among the groups, and some of
// them leave their segments.

#include "analysis/worst/kernel/segment_abstraction.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

namespace warpnet::worst {

namespace {

bool same_class(const netgen::KernelInstance& instance, std::size_t a, std::size_t b) {
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

/// The sum, over all ways to spread the warps over segments, of the product over the groups of (1 + the
/// largest slack).
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

SegmentScheme whole_runs(const netgen::KernelInstance& instance) { return with_cuts(instance, {}); }

SegmentScheme with_cuts(const netgen::KernelInstance& instance, std::span<const int> cuts) {
    SegmentScheme scheme;
    for (std::size_t i = 0; i < instance.type.size(); ++i) {
        const int here = static_cast<int>(i);
        if (i == 0 || !same_class(instance, i - 1, i) || std::ranges::count(cuts, here) > 0)
            scheme.segments.push_back({.begin = here, .end = here, .group = scheme.groups++});
        scheme.segments.back().end = here + 1;
    }
    return scheme;
}

SegmentScheme with_short_joined(const netgen::KernelInstance& instance, const SegmentScheme& scheme) {
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

SegmentScheme slack_per_class(const netgen::KernelInstance& instance, const SegmentScheme& scheme) {
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

bool SegmentSteps::fits(const SegmentScheme& scheme, int warps) {
    if (scheme.segments.size() > static_cast<std::size_t>(max_segments)) return false;
    std::int64_t most_slack = 0;
    std::vector<int> widest(static_cast<std::size_t>(scheme.groups), 0);  // slack of one warp
    for (const StringSegment& segment : scheme.segments) {
        most_slack += static_cast<std::int64_t>(segment.length() - 1) * warps;
        int& slack = widest[static_cast<std::size_t>(segment.group)];
        slack = std::max(slack, segment.length() - 1);
    }
    // The number of states of one composition is the product of (1 + a n) over the groups, in which the n add
    // up to at most W. By the inequality of the means it is at most the product of the a times the mean of (n
    // + 1/a) to the power of the number of groups.
    std::erase(widest, 0);
    const auto groups = static_cast<double>(widest.size());
    double mean = warps;
    for (const int a : widest) mean += 1.0 / a;
    double states = std::pow(mean / std::max(groups, 1.0), groups);
    for (const int a : widest) states *= a;
    return states <= std::numeric_limits<std::int32_t>::max() &&
           most_slack <= std::numeric_limits<std::int16_t>::max() &&
           MultisetSpace::create(warps, static_cast<int>(scheme.segments.size())).has_value();
}

SegmentSteps::SegmentSteps(const netgen::KernelInstance& instance, SegmentScheme scheme)
    : scheme_(std::move(scheme)),
      rule_(instance),
      compositions_(MultisetSpace::create(instance.warps, static_cast<int>(scheme_.segments.size())).value()),
      groups_of_class_(static_cast<std::size_t>(rule_.classes())),
      segments_of_group_(static_cast<std::size_t>(scheme_.groups)) {
    for (std::size_t j = 0; j < scheme_.segments.size(); ++j) {
        const StringSegment& segment = scheme_.segments[j];
        auto& segments = segments_of_group_[static_cast<std::size_t>(segment.group)];
        if (segments.empty())
            groups_of_class_[static_cast<std::size_t>(
                                 rule_.class_of(static_cast<std::size_t>(segment.begin)))]
                .push_back(segment.group);
        segments.push_back(static_cast<int>(j));
    }
}

SegmentCounts SegmentSteps::warps_in(StateNumber composition) const {
    std::vector<int> segment_of(static_cast<std::size_t>(compositions_.warps()));
    compositions_.unrank(composition, segment_of);
    SegmentCounts warps{};
    for (const int segment : segment_of)
        if (segment < compositions_.length()) ++warps[static_cast<std::size_t>(segment)];
    return warps;
}

SegmentCounts SegmentSteps::most_slack(const SegmentCounts& warps) const {
    SegmentCounts slack{};
    for (std::size_t j = 0; j < scheme_.segments.size(); ++j) {
        const StringSegment& segment = scheme_.segments[j];
        auto& sum = slack[static_cast<std::size_t>(segment.group)];
        sum = static_cast<std::int16_t>(sum + (segment.length() - 1) * warps[j]);
    }
    return slack;
}

/// Builds all steps of one composition: a number for each class from the step rule, divided among the groups
/// of the class; in each group some of the executing warps leave their segments.
struct SegmentSteps::Lister {
    const SegmentSteps& self;
    const SegmentCounts warps;
    std::vector<SegmentStep>& out;
    SegmentStep step{};
    std::span<const std::uint8_t> executing{};  // per class

    void class_from(std::size_t c) {
        if (c == executing.size()) return finish();
        share(c, 0, executing[c]);
    }

    /// Divides `amount` among the groups of class c from its k-th on.
    void share(std::size_t c, std::size_t k, int amount) {
        const auto& groups = self.groups_of_class_[c];
        if (k == groups.size()) {
            if (amount == 0) class_from(c + 1);
            return;
        }
        const int group = groups[k];
        int ready = 0;
        for (const int j : self.segments_of_group_[static_cast<std::size_t>(group)])
            ready += warps[static_cast<std::size_t>(j)];
        for (int x = 0; x <= std::min(amount, ready); ++x) leave(c, k, amount - x, group, 0, x);
    }

    /// Lets some of `amount` executing warps leave the segments of the group from its i-th on.
    void leave(std::size_t c, std::size_t k, int others, int group, std::size_t i, int amount) {
        const auto& segments = self.segments_of_group_[static_cast<std::size_t>(group)];
        if (i == segments.size()) {
            int may_stay = 0;
            for (const int j : segments)
                if (self.scheme_.segments[static_cast<std::size_t>(j)].length() > 1)
                    may_stay +=
                        warps[static_cast<std::size_t>(j)] - step.leaving[static_cast<std::size_t>(j)];
            if (amount > may_stay) return;
            step.staying[static_cast<std::size_t>(group)] = static_cast<std::int16_t>(amount);
            share(c, k + 1, others);
            return;
        }
        const auto j = static_cast<std::size_t>(segments[i]);
        for (int y = 0; y <= std::min<int>(amount, warps[j]); ++y) {
            step.leaving[j] = static_cast<std::int16_t>(y);
            leave(c, k, others, group, i + 1, amount - y);
        }
        step.leaving[j] = 0;
    }

    void finish() {
        SegmentStep complete = step;
        SegmentCounts remaining = warps;
        SegmentCounts after = warps;
        const std::size_t segments = self.scheme_.segments.size();
        for (std::size_t j = 0; j < segments; ++j) {
            const std::int16_t y = step.leaving[j];
            complete.finishing_segments += y;
            remaining[j] = static_cast<std::int16_t>(remaining[j] - y);
            after[j] = static_cast<std::int16_t>(after[j] - y);
            if (j + 1 == segments) break;
            after[j + 1] = static_cast<std::int16_t>(after[j + 1] + y);
            const StringSegment& next = self.scheme_.segments[j + 1];
            auto& slack = complete.arriving[static_cast<std::size_t>(next.group)];
            slack = static_cast<std::int16_t>(slack + (next.length() - 1) * y);
        }
        complete.most_slack = self.most_slack(remaining);
        for (std::size_t g = 0; g < static_cast<std::size_t>(self.scheme_.groups); ++g)
            if (step.staying[g] > complete.most_slack[g]) return;
        int warp = 0;
        for (std::size_t j = 0; j < segments; ++j)
            for (int k = 0; k < after[j]; ++k)
                complete.target += self.compositions_.term(static_cast<int>(j), warp++);
        for (; warp < self.compositions_.warps(); ++warp)
            complete.target += self.compositions_.term(static_cast<int>(segments), warp);
        out.push_back(complete);
    }
};

void SegmentSteps::list(StateNumber composition, std::vector<SegmentStep>& steps) const {
    steps.clear();
    const SegmentCounts warps = warps_in(composition);
    std::vector<int> ready(static_cast<std::size_t>(rule_.classes()), 0);
    for (std::size_t j = 0; j < scheme_.segments.size(); ++j)
        ready[static_cast<std::size_t>(
            rule_.class_of(static_cast<std::size_t>(scheme_.segments[j].begin)))] += warps[j];
    if (std::ranges::all_of(ready, [](int n) { return n == 0; })) return;
    Lister lister{*this, warps, steps};
    const auto all = rule_.steps(ready);
    const auto classes = ready.size();
    for (std::size_t s = 0; s < all.size(); s += classes) {
        lister.executing = all.subspan(s, classes);
        lister.class_from(0);
    }
}

}  // namespace warpnet::worst
