#pragma once

#include "netgen/cfg/annotation.hpp"
#include "netgen/cfg/cfg.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace warpnet::studies {

/// The units of the two sides of an unsplit branch; the sides run in succession.
enum class UnitRule : std::uint8_t {
    reuse,  ///< each side has all units: they are free again at a merge, as on hardware
    paper,  ///< only one side has more than one unit: [Klashtorny24] equation 2
};

const char* to_string(UnitRule rule);

/// n(b, u), [Klashtorny24] equation 3: whether to split at a branch, and the units of its two sides.
struct UnitChoice {
    bool split = false;
    netgen::Units true_units = 1;
    netgen::Units false_units = 1;
    bool operator==(const UnitChoice&) const = default;
};

/// t(b, u) for all blocks b and 1 <= u <= units: the least WCET of the tree of b with u units.
///
///     t(b, u) = e(b) + min { max(t(l, d), t(r, u - d)) for 1 <= d < u  (split)
///                          | t(l, u) + t(r, u)                         (no split, reuse)
///                          | t(l, 1) + t(r, u), t(l, u) + t(r, 1)      (no split, paper) }
///
/// in which t of a sequence sums its blocks. This is the recurrence of [Klashtorny24] section IV-A with three
/// corrections: the WCET of the kernel sums its top-level blocks, equation (2) takes the least over d, and
/// the table is filled even if a split is not strictly better.
///
/// A branch cannot use more units than splitting everywhere within it needs, so rows end there: O(blocks *
/// units) time and memory, not the source's O(blocks * units^2).
class SplitTable {
  public:
    /// `cfg` must outlive the table. Throws InputError if `units` is below 1 or the table would hold more
    /// than `max_entries` numbers.
    SplitTable(const netgen::StructuredCfg& cfg, netgen::Units units, UnitRule rule);

    static constexpr std::size_t max_entries = std::size_t{1} << 28;  ///< 2 GiB

    netgen::Units units() const noexcept { return units_; }
    UnitRule rule() const noexcept { return rule_; }
    const netgen::StructuredCfg& cfg() const noexcept { return cfg_; }

    std::int64_t time(netgen::BlockId block, netgen::Units units) const;  ///< t(b, u), constant
    std::int64_t time(std::span<const netgen::BlockId> sequence,
                      netgen::Units units) const;  ///< sum of t(b, u)
    /// More units make nothing shorter: the units that splitting everywhere needs, or units() if that is
    /// less.
    netgen::Units useful_units() const { return sequence_width(cfg_.root()); }
    std::int64_t wcet(netgen::Units units) const { return time(cfg_.root(), units); }  ///< of the kernel

    /// n(b, u) of a branch: unsplit if no split is strictly better, otherwise the least d. O(nested blocks *
    /// u).
    UnitChoice choice(netgen::BlockId branch, netgen::Units units) const;

  private:
    struct Row {
        std::size_t first = 0;    // in times_
        netgen::Units width = 1;  // more units change nothing
    };
    // Times of a sequence for 1 … its width.
    std::vector<std::int64_t> sequence_row(std::span<const netgen::BlockId> sequence) const;
    netgen::Units sequence_width(std::span<const netgen::BlockId> sequence) const;
    void lay_out_rows();

    const netgen::StructuredCfg& cfg_;
    netgen::Units units_;
    UnitRule rule_;
    std::vector<Row> rows_;
    std::vector<std::int64_t> times_;
};

/// An optimal annotation and its WCET, in the unit of the times of the graph.
struct SplitResult {
    UnitRule rule = UnitRule::reuse;
    std::int64_t wcet = 0;     ///< with the annotation: the least possible under the rule
    std::int64_t unsplit = 0;  ///< with no split
    netgen::CfgAnnotation annotation;
    bool operator==(const SplitResult&) const = default;
};

/// The splits with the least WCET, and the units of every part: the walk from the root through n(b, u). If a
/// part runs in parallel with a longer one, splits that its slack makes useless are left out. O(blocks *
/// units).
SplitResult best_split(const SplitTable& table);
SplitResult best_split(const netgen::StructuredCfg& cfg, netgen::Units units,
                       UnitRule rule = UnitRule::reuse);

}  // namespace warpnet::studies
