#include "analysis/states/explore/round_report.hpp"

#include "engine/base/capped.hpp"

#include <algorithm>

namespace warpnet {

void ExpansionFigures::add(const ExpansionFigures& next) {
    overflow = overflow || next.overflow;
    wanted_bits.resize(std::max(wanted_bits.size(), next.wanted_bits.size()));
    for (std::size_t p = 0; p < next.wanted_bits.size(); ++p)
        wanted_bits[p] = std::max(wanted_bits[p], next.wanted_bits[p]);
    entries += next.entries;
    edges = capped_sum(edges, next.edges);
    deadlocks = capped_sum(deadlocks, next.deadlocks);
    if (!deadlock) deadlock = next.deadlock;
}

void RoundReport::add(const Lane& lane, std::size_t words_of_entry) {
    figures.add(lane.figures);
    for (std::uint32_t s = 0; s < StateSpace::shard_count; ++s)
        incoming[s] += lane.successors[s].size() / words_of_entry;
}

void RoundReport::add(const RoundReport& other) {
    if (stop == WorkEnd::complete) stop = other.stop;
    figures.add(other.figures);
    for (std::uint32_t s = 0; s < StateSpace::shard_count; ++s) {
        incoming[s] += other.incoming[s];
        sizes[s] += other.sizes[s];
    }
}

void RoundReport::write(ByteWriter& writer) const {
    writer.put(stop);
    writer.put(figures.overflow);
    writer.put_list(figures.wanted_bits);
    writer.put(figures.entries);
    writer.put(figures.edges);
    writer.put(figures.deadlocks);
    writer.put(figures.deadlock.has_value());
    writer.put(figures.deadlock.value_or(StateId{}));
    writer.put(incoming);
    writer.put(sizes);
}

RoundReport RoundReport::read(ByteReader& reader) {
    RoundReport report;
    report.stop = reader.get<WorkEnd>();
    report.figures.overflow = reader.get<bool>();
    report.figures.wanted_bits = reader.get_list<std::uint8_t>();
    report.figures.entries = reader.get<std::uint64_t>();
    report.figures.edges = reader.get<std::uint64_t>();
    report.figures.deadlocks = reader.get<std::uint64_t>();
    const bool dead = reader.get<bool>();
    const auto state = reader.get<StateId>();
    if (dead) report.figures.deadlock = state;
    report.incoming = reader.get<decltype(report.incoming)>();
    report.sizes = reader.get<decltype(report.sizes)>();
    return report;
}

}  // namespace warpnet
