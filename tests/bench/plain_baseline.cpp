#include "tests/bench/plain_baseline.hpp"

#include <algorithm>

namespace warpnet::bench {

PlainBaseline::PlainBaseline(const Net& net) {
    for (const Place& place : net.places()) initial_.push_back(static_cast<std::int32_t>(place.initial));
    for (std::uint32_t t = 0; t < net.transitions().size(); ++t) {
        Row row{};
        const auto append = [&](ArcKind kind, std::int32_t sign) {
            for (const warpnet::Arc& arc : net.arcs_of(TransitionId(t))) {
                if (arc.kind != kind) continue;
                arcs_.push_back({static_cast<std::uint32_t>(index(arc.place)),
                                 sign * static_cast<std::int32_t>(arc.weight)});
            }
        };
        row.inputs = static_cast<std::uint32_t>(arcs_.size());
        append(ArcKind::input, 1);
        row.tests = static_cast<std::uint32_t>(arcs_.size());
        append(ArcKind::read, 1);
        append(ArcKind::inhibitor, -1);
        row.outputs = static_cast<std::uint32_t>(arcs_.size());
        append(ArcKind::output, 1);
        row.end = static_cast<std::uint32_t>(arcs_.size());
        rows_.push_back(row);
    }
}

bool PlainBaseline::enabled(const Row& row) const {
    for (std::uint32_t i = row.inputs; i < row.tests; ++i) {
        if (marking_[arcs_[i].place] < arcs_[i].weight) return false;
    }
    for (std::uint32_t i = row.tests; i < row.outputs; ++i) {
        const auto [place, weight] = arcs_[i];
        if (weight > 0 ? marking_[place] < weight : marking_[place] >= -weight) return false;
    }
    return true;
}

std::uint64_t PlainBaseline::run(std::uint64_t seed) {
    std::minstd_rand random(static_cast<std::uint_fast32_t>(seed + 1));
    marking_ = initial_;
    for (std::uint64_t steps = 0;; ++steps) {
        enabled_.clear();
        for (std::uint32_t t = 0; t < rows_.size(); ++t) {
            if (enabled(rows_[t])) enabled_.push_back(t);
        }
        if (enabled_.empty()) return steps;
        std::shuffle(enabled_.begin(), enabled_.end(), random);
        fired_.clear();
        for (const std::uint32_t t : enabled_) {
            const Row& row = rows_[t];
            bool fits = true;
            for (std::uint32_t i = row.inputs; i < row.tests; ++i)
                fits &= marking_[arcs_[i].place] >= arcs_[i].weight;
            if (!fits) continue;
            for (std::uint32_t i = row.inputs; i < row.tests; ++i)
                marking_[arcs_[i].place] -= arcs_[i].weight;
            fired_.push_back(t);
        }
        for (const std::uint32_t t : fired_) {
            for (std::uint32_t i = rows_[t].outputs; i < rows_[t].end; ++i)
                marking_[arcs_[i].place] += arcs_[i].weight;
        }
    }
}

}  // namespace warpnet::bench
