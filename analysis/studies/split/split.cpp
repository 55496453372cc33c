// The dynamic program of [Klashtorny24] over a tree of blocks; split.hpp has the recurrence. Rows end at the
// number of units that splitting everywhere within a branch uses, so the table has O(blocks * units) entries.
// A walk from the root through n(b, u) then yields the splits and the units of every part. In that walk a
// part that runs in parallel with a longer one has slack, and splits that only use up slack are left out:
// fewer splits have the same WCET.

#include "analysis/studies/split/split.hpp"

#include "engine/net/error.hpp"

#include <algorithm>
#include <string>

namespace warpnet::studies {

namespace {

// Times by number of units, from 1 on; more units than listed change nothing.
using Times = std::vector<std::int64_t>;

std::int64_t with_units(const Times& times, netgen::Units units) {
    return times[std::min(static_cast<std::size_t>(units), times.size()) - 1];
}

struct BestChoice {
    std::int64_t time;  // of both sides, without e(b)
    UnitChoice choice;
};

BestChoice best_choice(const Times& left, const Times& right, netgen::Units units, UnitRule rule) {
    BestChoice best{with_units(left, units) + with_units(right, units), {false, units, units}};
    if (rule == UnitRule::paper) {
        best = {with_units(left, 1) + with_units(right, units), {false, 1, units}};
        const std::int64_t to_the_left = with_units(left, units) + with_units(right, 1);
        if (to_the_left < best.time) best = {to_the_left, {false, units, 1}};
    }
    // Surplus units of one side are more useful on the other side.
    const auto left_most = static_cast<netgen::Units>(left.size());
    const auto right_most = static_cast<netgen::Units>(right.size());
    const netgen::Units last = std::min(units - 1, left_most);
    for (netgen::Units d = std::max<netgen::Units>(1, std::min(left_most, units - right_most)); d <= last;
         ++d) {
        const std::int64_t time = std::max(with_units(left, d), with_units(right, units - d));
        if (time < best.time) best = {time, {true, d, units - d}};
    }
    return best;
}

// Passes units and slack down from the root, in program order.
class Walk {
  public:
    explicit Walk(const SplitTable& table)
        : table_(table), cfg_(table.cfg()), slack_(cfg_.size(), 0), serial_(cfg_.size(), false) {
        annotation_.units = table.units();
        annotation_.blocks.resize(cfg_.size());
    }

    netgen::CfgAnnotation run() {
        enter(cfg_.root(), table_.units(), 0, false);
        for (const netgen::BlockId block : cfg_.program_order()) {
            if (cfg_[block].is_branch()) visit(block);
        }
        return std::move(annotation_);
    }

  private:
    // Blocks that fit unsplit into the slack stay unsplit; the first that does not keeps the rest of the
    // slack. Returns the unused slack.
    std::int64_t enter(std::span<const netgen::BlockId> sequence, netgen::Units units, std::int64_t slack,
                       bool serial) {
        std::optional<netgen::BlockId> needy;
        for (const netgen::BlockId block : sequence) {
            annotation_.blocks[index(block)].units = units;
            serial_[index(block)] = serial;
            if (serial || !cfg_[block].is_branch()) continue;
            const std::int64_t loss = table_.time(block, 1) - table_.time(block, units);
            serial_[index(block)] = loss <= slack;
            if (loss <= slack) {
                slack -= loss;
            } else if (!needy) {
                needy = block;
            }
        }
        if (!needy) return slack;
        slack_[index(*needy)] = slack;
        return 0;
    }

    void visit(netgen::BlockId at) {
        const netgen::CfgBlock& block = cfg_[at];
        netgen::BlockAnnotation& own = annotation_.blocks[index(at)];
        const bool serial = serial_[index(at)];
        const UnitChoice choice =
            serial ? UnitChoice{false, own.units, own.units} : table_.choice(at, own.units);
        own.split = choice.split;
        own.true_units = choice.true_units;
        own.false_units = choice.false_units;
        std::int64_t slack = slack_[index(at)];
        if (!choice.split) {
            slack = enter(block.true_side, choice.true_units, slack, serial);
            enter(block.false_side, choice.false_units, slack, serial);
            return;
        }
        const std::int64_t left = table_.time(block.true_side, choice.true_units);
        const std::int64_t right = table_.time(block.false_side, choice.false_units);
        const std::int64_t until = std::max(left, right) + slack;
        enter(block.true_side, choice.true_units, until - left, false);
        enter(block.false_side, choice.false_units, until - right, false);
    }

    const SplitTable& table_;
    const netgen::StructuredCfg& cfg_;
    netgen::CfgAnnotation annotation_;
    std::vector<std::int64_t> slack_;
    std::vector<bool> serial_;  // nothing is split in this block's tree
};

}  // namespace

const char* to_string(UnitRule rule) { return rule == UnitRule::reuse ? "reuse" : "paper"; }

SplitTable::SplitTable(const netgen::StructuredCfg& cfg, netgen::Units units, UnitRule rule)
    : cfg_(cfg), units_(units), rule_(rule), rows_(cfg.size()) {
    if (units < 1) throw InputError("got " + std::to_string(units) + " units, expected 1 or more");
    lay_out_rows();
    const std::span<const netgen::BlockId> order = cfg.program_order();
    for (auto at = order.rbegin(); at != order.rend(); ++at) {
        const netgen::CfgBlock& block = cfg[*at];
        const Row row = rows_[index(*at)];
        times_[row.first] = block.time;
        if (!block.is_branch()) continue;
        const Times left = sequence_row(block.true_side);
        const Times right = sequence_row(block.false_side);
        for (netgen::Units u = 1; u <= row.width; ++u) {
            times_[row.first + static_cast<std::size_t>(u - 1)] =
                block.time + best_choice(left, right, u, rule).time;
        }
    }
}

void SplitTable::lay_out_rows() {
    std::size_t entries = 0;
    const std::span<const netgen::BlockId> order = cfg_.program_order();
    for (auto at = order.rbegin(); at != order.rend(); ++at) {
        const netgen::CfgBlock& block = cfg_[*at];
        Row& row = rows_[index(*at)];
        row.first = entries;
        if (block.is_branch())
            row.width = std::min(units_, sequence_width(block.true_side) + sequence_width(block.false_side));
        entries += static_cast<std::size_t>(row.width);
        if (entries > max_entries) {
            throw InputError("the table of " + std::to_string(cfg_.size()) + " blocks and " +
                             std::to_string(units_) + " units would hold more than " +
                             std::to_string(max_entries) + " numbers; use fewer units");
        }
    }
    times_.resize(entries);
}

netgen::Units SplitTable::sequence_width(std::span<const netgen::BlockId> sequence) const {
    netgen::Units widest = 1;
    for (const netgen::BlockId block : sequence) widest = std::max(widest, rows_[index(block)].width);
    return widest;
}

std::vector<std::int64_t> SplitTable::sequence_row(std::span<const netgen::BlockId> sequence) const {
    Times sums(static_cast<std::size_t>(sequence_width(sequence)), 0);
    for (const netgen::BlockId block : sequence) {
        const Row row = rows_[index(block)];
        const auto width = static_cast<std::size_t>(row.width);
        for (std::size_t u = 0; u < sums.size(); ++u) sums[u] += times_[row.first + std::min(u, width - 1)];
    }
    return sums;
}

std::int64_t SplitTable::time(netgen::BlockId block, netgen::Units units) const {
    const Row row = rows_[index(block)];
    return times_[row.first + static_cast<std::size_t>(std::min(units, row.width) - 1)];
}

std::int64_t SplitTable::time(std::span<const netgen::BlockId> sequence, netgen::Units units) const {
    std::int64_t sum = 0;
    for (const netgen::BlockId block : sequence) sum += time(block, units);
    return sum;
}

UnitChoice SplitTable::choice(netgen::BlockId branch, netgen::Units units) const {
    const netgen::CfgBlock& block = cfg_[branch];
    return best_choice(sequence_row(block.true_side), sequence_row(block.false_side), units, rule_).choice;
}

SplitResult best_split(const SplitTable& table) {
    return {table.rule(), table.wcet(table.units()), table.wcet(1), Walk(table).run()};
}

SplitResult best_split(const netgen::StructuredCfg& cfg, netgen::Units units, UnitRule rule) {
    return best_split(SplitTable(cfg, units, rule));
}

}  // namespace warpnet::studies
