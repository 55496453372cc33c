// The result of a round, and the messages between ranks about it. A rank keeps 64/N consecutive shards and
// expands those of its markings that are in the round. One message to each other rank carries limits, sizes,
// counts, the findings of a watch, and the successors that belong to that rank, packed, with the numbers of
// their parents. Entries are added in the order of the markings that they come from. Near --max-states the
// remaining number of markings is passed from rank to rank. Trees are local to a rank: markings travel
// packed.
//
// A round costs one exchange of messages. With N ranks a rank computes for about 5/N ms and then sends N - 1
// messages of 2/N² MB. So narrow nets, with some hundred states per level, gain nothing; from 16 to 32 ranks
// on, a network of some microseconds takes the larger part.

#include "analysis/states/explore/rounds.hpp"

#include "analysis/states/symmetry/net_symmetry.hpp"
#include "engine/base/capped.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace warpnet::states {

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

void RoundReport::write(ranks::ByteWriter& writer) const {
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

RoundReport RoundReport::read(ranks::ByteReader& reader) {
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

namespace {

template <class Value>
void raise_all(std::vector<Value>& values, const std::vector<Value>& others) {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::max(values[i], others[i]);
}

}  // namespace

RoundExchange::RoundExchange(ranks::Collectives* ranks, MarkingWatch* watch)
    : ranks_(ranks != nullptr && ranks->size() > 1 ? ranks : nullptr),
      watch_(watch),
      rank_(divided() ? ranks->rank() : 0),
      owners_(StateSpace::shard_count, divided() ? ranks->size() : 1),
      received_(divided() ? static_cast<std::size_t>(ranks->size()) : 0) {}

RoundExchange::ShardSizes RoundExchange::sizes_of_all(const ShardSizes& own_sizes) const {
    if (!divided()) return own_sizes;
    ranks::ByteWriter writer;
    writer.put(own_sizes);
    ShardSizes sizes = {};
    for (const std::string& text : ranks_->gather(writer.bytes())) {
        const auto of_rank = ranks::ByteReader(text).get<ShardSizes>();
        for (std::size_t s = 0; s < sizes.size(); ++s) sizes[s] += of_rank[s];
    }
    return sizes;
}

RoundReport RoundExchange::exchange(const RoundReport& report, std::span<const Lane> lanes,
                                    std::size_t words_of_entry) {
    if (!divided()) return report;
    const std::vector<std::string> from_all = ranks_->exchange(letters(report, lanes, words_of_entry));
    RoundReport of_all;
    std::vector<std::string> news;
    for (std::size_t from = 0; from < from_all.size(); ++from) {
        ranks::ByteReader reader(from_all[from]);
        const RoundReport of_rank = RoundReport::read(reader);
        of_all.add(of_rank);
        news.push_back(reader.get_text());
        if (static_cast<int>(from) != rank_) receive(received_[from], of_rank, words_of_entry, reader);
    }
    if (watch_ != nullptr) watch_->take(news);
    return of_all;
}

std::vector<std::string> RoundExchange::letters(const RoundReport& report, std::span<const Lane> lanes,
                                                std::size_t words_of_entry) const {
    ranks::ByteWriter head;
    report.write(head);
    head.put_text(watch_ == nullptr ? "" : watch_->news());
    std::vector<std::string> letters;
    for (int to = 0; to < ranks_->size(); ++to) {
        std::size_t entries = 0;
        for (std::uint32_t s = owners_.first(to); to != rank_ && s < owners_.end(to); ++s)
            entries += report.incoming[s];
        ranks::ByteWriter letter;
        letter.reserve(head.bytes().size() + entries * words_of_entry * sizeof(Word) + 1);
        letter.put_all(std::span<const char>(head.bytes()));
        for (std::uint32_t s = owners_.first(to); entries > 0 && s < owners_.end(to); ++s)
            for (const Lane& lane : lanes) letter.put_all(lane.successors[s].words());
        letters.push_back(std::move(letter).take());
    }
    return letters;
}

void RoundExchange::receive(Received& received, const RoundReport& report, std::size_t words_of_entry,
                            ranks::ByteReader& reader) const {
    std::size_t words = 0;
    for (std::uint32_t s = 0; s < StateSpace::shard_count; ++s) {
        received.first[s] = words;
        if (own(s)) words += report.incoming[s] * words_of_entry;
    }
    received.first[StateSpace::shard_count] = words;
    received.words = reader.get_all<Word>(words);
}

std::uint64_t RoundExchange::take_room(std::uint64_t of_first) const {
    if (!divided() || rank_ == 0) return of_first;
    const std::string text = ranks_->receive(rank_ - 1);
    return ranks::ByteReader(text).get<std::uint64_t>();
}

void RoundExchange::pass_room(std::uint64_t left) const {
    if (!divided() || rank_ + 1 == ranks_->size()) return;
    ranks::ByteWriter writer;
    writer.put(left);
    ranks_->send(rank_ + 1, writer.bytes());
}

bool RoundExchange::all(bool own_answer) const {
    if (!divided()) return own_answer;
    const std::vector<std::string> answers = ranks_->gather(own_answer ? "yes" : "");
    return std::none_of(answers.begin(), answers.end(), [](const std::string& text) { return text.empty(); });
}

ShardTotals RoundExchange::totals_of_all(ShardTotals own_totals) const {
    if (!divided()) return own_totals;
    ranks::ByteWriter writer;
    writer.put(own_totals.markings);
    writer.put(own_totals.space_markings);
    writer.put(own_totals.most_tokens);
    writer.put_list(own_totals.bounds);
    writer.put_list(own_totals.fired);
    writer.put_text(watch_ == nullptr ? "" : watch_->news());
    std::vector<std::string> news;
    ShardTotals of_all = std::move(own_totals);
    of_all.markings = of_all.space_markings = 0;
    for (const std::string& of_rank : ranks_->gather(writer.bytes())) {
        ranks::ByteReader reader(of_rank);
        of_all.markings = capped_sum(of_all.markings, reader.get<std::uint64_t>());
        of_all.space_markings += reader.get<std::uint64_t>();
        of_all.most_tokens = std::max(of_all.most_tokens, reader.get<std::uint64_t>());
        raise_all(of_all.bounds, reader.get_list<Tokens>());
        raise_all(of_all.fired, reader.get_list<std::uint8_t>());
        news.push_back(reader.get_text());
    }
    if (watch_ != nullptr) watch_->take(news);
    return of_all;
}

std::size_t RoundExchange::bytes() const noexcept {
    std::size_t bytes = 0;
    for (const Received& received : received_) bytes += received.words.capacity() * sizeof(Word);
    return bytes;
}

}  // namespace warpnet::states
