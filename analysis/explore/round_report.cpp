#include "analysis/explore/round_report.hpp"

#include "analysis/symmetry/net_symmetry.hpp"

#include <algorithm>

namespace warpnet {

void RoundReport::widen(const std::vector<std::uint8_t>& bits) {
    wanted_bits.resize(std::max(wanted_bits.size(), bits.size()));
    for (std::size_t p = 0; p < bits.size(); ++p) wanted_bits[p] = std::max(wanted_bits[p], bits[p]);
}

void RoundReport::add(const Lane& lane, std::size_t words_of_entry) {
    overflow = overflow || lane.overflow;
    widen(lane.wanted_bits);
    entries += lane.entries;
    edges = capped_sum(edges, lane.edges);
    deadlocks = capped_sum(deadlocks, lane.deadlocks);
    if (!deadlock) deadlock = lane.deadlock;
    for (std::uint32_t s = 0; s < StateSpace::shard_count; ++s)
        incoming[s] += lane.successors[s].size() / words_of_entry;
}

void RoundReport::add(const RoundReport& other) {
    if (stop == WorkEnd::complete) stop = other.stop;
    overflow = overflow || other.overflow;
    widen(other.wanted_bits);
    entries += other.entries;
    edges = capped_sum(edges, other.edges);
    deadlocks = capped_sum(deadlocks, other.deadlocks);
    if (!deadlock) deadlock = other.deadlock;
    for (std::uint32_t s = 0; s < StateSpace::shard_count; ++s) {
        incoming[s] += other.incoming[s];
        sizes[s] += other.sizes[s];
    }
}

void RoundReport::write(ByteWriter& writer) const {
    writer.put(stop);
    writer.put(overflow);
    writer.put_list(wanted_bits);
    writer.put(entries);
    writer.put(edges);
    writer.put(deadlocks);
    writer.put(deadlock.has_value());
    writer.put(deadlock.value_or(StateId{}));
    writer.put(incoming);
    writer.put(sizes);
}

RoundReport RoundReport::read(ByteReader& reader) {
    RoundReport report;
    report.stop = reader.get<WorkEnd>();
    report.overflow = reader.get<bool>();
    report.wanted_bits = reader.get_list<std::uint8_t>();
    report.entries = reader.get<std::uint64_t>();
    report.edges = reader.get<std::uint64_t>();
    report.deadlocks = reader.get<std::uint64_t>();
    const bool dead = reader.get<bool>();
    const auto state = reader.get<StateId>();
    if (dead) report.deadlock = state;
    report.incoming = reader.get<decltype(report.incoming)>();
    report.sizes = reader.get<decltype(report.sizes)>();
    return report;
}

}  // namespace warpnet
