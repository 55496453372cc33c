#pragma once

#include "analysis/ranks/collectives.hpp"
#include "analysis/worst/exact/multiset_steps.hpp"
#include "analysis/worst/exact/remaining_steps.hpp"
#include "engine/base/random.hpp"
#include "engine/base/round_up.hpp"
#include "engine/base/work_limits.hpp"

#include <algorithm>
#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>

namespace warpnet::worst {

// A sweep visits all multiset states of a net, each once, layer by layer. A layer has the states of one
// RemainingSteps::potential(), which falls in every step that moves a module: when the sweep comes to a
// layer, all predecessors of its states are known. The best value per state and the probabilities per state
// are computed in this way; the problem defines the values that a table keeps per state and how a successor
// changes them.
//
// The states of a layer are divided among 16 shards by their hashes. A layer is visited in rounds of some
// thousand states per shard. In a round, threads take chunks of states and collect the successors per shard;
// then each shard is filled by one thread. Ranks own successive shards and exchange successors after each
// round. Successors reach a shard in the order of rounds, then of the shards they come from, then of the
// numbers there, on any number of threads and ranks; so the result is always the same.
//
// Cost: one hash table operation per successor. Memory: the tables; and the successors of a round.

/// Packed states, each once, numbered in the order of their insertion.
class PackedStates {
  public:
    explicit PackedStates(std::size_t words) : words_(words) {}

    std::size_t size() const noexcept { return size_; }
    const std::uint64_t* state(std::size_t number) const noexcept { return states_.data() + number * words_; }
    std::uint64_t bytes() const noexcept { return states_.capacity() * 8 + slots_.capacity() * 4; }

    /// The number of a state, which is added if it is new: its number is then the previous size().
    std::uint32_t put(const std::uint64_t* state, std::uint64_t hash) {
        if (2 * (size() + 1) > slots_.size()) grow();
        std::size_t slot = first_slot(hash);
        for (; slots_[slot] != free; slot = (slot + 1) & (slots_.size() - 1))
            if (std::equal(state, state + words_, this->state(slots_[slot]))) return slots_[slot];
        slots_[slot] = size_;
        states_.insert(states_.end(), state, state + words_);
        return size_++;
    }

    /// No insertion is allowed afterwards.
    void freeze() {
        slots_ = std::vector<std::uint32_t>();
        states_.shrink_to_fit();
    }

    static std::uint64_t hash(const std::uint64_t* state, std::size_t words) noexcept {
        std::uint64_t hash = 0;
        for (std::size_t i = 0; i < words; ++i) hash = mix_bits(hash + golden_ratio_64 + state[i]);
        return hash;
    }

  private:
    static constexpr std::uint32_t free = 0xffffffff;

    /// The lowest bits are reserved for dividing states among several tables.
    std::size_t first_slot(std::uint64_t hash) const noexcept { return hash >> 8 & (slots_.size() - 1); }

    void grow() {
        slots_.assign(std::max<std::size_t>(16, 2 * slots_.size()), free);
        for (std::uint32_t i = 0; i < size_; ++i) {
            std::size_t slot = first_slot(hash(state(i), words_));
            while (slots_[slot] != free) slot = (slot + 1) & (slots_.size() - 1);
            slots_[slot] = i;
        }
    }

    std::size_t words_;
    std::uint32_t size_ = 0;
    std::vector<std::uint64_t> states_;
    std::vector<std::uint32_t> slots_;  // numbers, or free
};

/// A visited state: its layer, its shard and its number there.
struct SweepStateId {
    static constexpr unsigned shard_bits = 4;
    static constexpr unsigned layer_shift = 40;
    std::uint64_t bits = ~std::uint64_t{0};  ///< no state

    SweepStateId() = default;
    SweepStateId(std::size_t layer, std::size_t shard, std::size_t number)
        : bits(std::uint64_t{layer} << layer_shift | std::uint64_t{number} << shard_bits | shard) {}

    bool is_state() const noexcept { return bits != ~std::uint64_t{0}; }
    std::size_t layer() const noexcept { return bits >> layer_shift; }
    std::size_t shard() const noexcept { return bits & ((1U << shard_bits) - 1); }
    std::size_t number() const noexcept {
        return (bits & ((std::uint64_t{1} << layer_shift) - 1)) >> shard_bits;
    }
    auto operator<=>(const SweepStateId&) const = default;  // NOLINT(modernize-use-nullptr): false alarm
};

/// The data of a successor in addition to its packed state. Problems may add to it.
struct FoundState {
    std::uint64_t hash = 0;
    SweepStateId from = {};
    std::uint32_t layer = 0;
    std::uint32_t steps = 0;
};

struct SweepOptions {
    WorkLimits limits = {};
    std::uint64_t units_per_successor = 1;  ///< of WorkLimits::effort
    /// States of each shard with successors that are kept until they enter their layers: a round.
    std::size_t states_of_round = 4096;
    /// All ranks of a team; null: one process. A limit that one of them reaches ends all.
    ranks::Collectives* ranks = nullptr;
};

/// The base class of a sweep's problem. `Table` has the values per state of a shard and layer: Table(words),
/// size(), state(number), bytes(), close(); `Found` is a FoundState; `Tally` collects the ended runs that a
/// chunk of states finds. Found and Tally are sent to other ranks if they can be copied as bytes. The problem
/// has
/// - end(to, from, tally): a successor at which a run ends; any result but WorkEnd::complete ends the sweep
/// after the round;
/// - follow(to, from, worker): the entry for the layer of an open successor, or nothing;
/// - take(tally): of the chunks, in order, after each round;
/// - put(table, state, found): in order within a shard, several shards at the same time;
/// - select(ids): may keep only some states of a layer, ascending, and returns whether it did.
template <class Problem, class Table, class Found, class Tally>
class LayeredSweep {
  public:
    static constexpr std::size_t shards = std::size_t{1} << SweepStateId::shard_bits;

    /// The workspace of a thread.
    struct Worker {
        Worker(const MultisetNet& net, bool probabilities) : steps(net, probabilities) {}
        MultisetSteps steps;
        RemainingSteps::Scratch scratch = {};
        MultisetState state = {};  // the expanded one
        std::vector<std::uint64_t> packed = {};
    };

    /// `net` and `remaining` must outlive it.
    LayeredSweep(const MultisetNet& net, const RemainingSteps& remaining, bool probabilities,
                 const SweepOptions& options)
        : remaining_(remaining),
          options_(options),
          rank_(options.ranks == nullptr ? 0 : options.ranks->rank()),
          owners_(shards, options.ranks == nullptr ? 1 : options.ranks->size()),
          packing_(net),
          workers_([&net, probabilities] { return Worker(net, probabilities); }) {}

    /// Sweeps from an open state.
    void run(const MultisetSteps::Successor& first, Found found) {
        put_first(first, found);
        for (Position at = agree(); at.stop == WorkEnd::complete && at.layer > 0; at = agree()) {
            if (at.layer != position_) enter(at.layer);
            expand_round(position_ - 1);
        }
        const std::vector<std::uint64_t> states = ranks::values_of_all(options_.ranks, states_);
        states_ = std::accumulate(states.begin(), states.end(), std::uint64_t{0});
    }

    WorkEnd stop() const noexcept { return stop_; }
    std::uint64_t states() const noexcept { return states_; }  ///< visited, by all ranks
    std::uint64_t effort() const noexcept { return effort_; }
    std::uint64_t bytes() const noexcept { return bytes_; }  ///< at most, about

    const StatePacking& packing() const noexcept { return packing_; }
    Worker& worker() { return workers_.local(); }
    int rank() const noexcept { return rank_; }
    int owner(SweepStateId id) const noexcept {
        return owners_.owner(static_cast<std::uint32_t>(id.shard()));
    }
    /// REQUIRES: a state of this rank.
    const Table& table(SweepStateId id) const noexcept { return layers_[id.layer()][id.shard()]; }

  private:
    static constexpr std::size_t chunk_states = 256;                 // that one thread expands in a row
    static constexpr std::uint64_t successors_between_looks = 4096;  // at the clock

    using Layer = std::vector<Table>;  // per shard; empty for a layer without states

    /// Successors of the states of a chunk, for one shard.
    struct Successors {
        std::vector<std::uint64_t> words;
        std::vector<Found> found;
    };

    /// The work of a chunk, of a rank in a round, of a round.
    struct Work {
        std::uint64_t effort = 0;
        WorkEnd stop = WorkEnd::complete;     // a limit
        WorkEnd verdict = WorkEnd::complete;  // of the problem

        void add(const Work& other) {
            effort += other.effort;
            if (stop == WorkEnd::complete) stop = other.stop;
            if (verdict == WorkEnd::complete) verdict = other.verdict;
        }
    };

    struct Chunk {
        std::vector<Successors> to = std::vector<Successors>(shards);
        Tally tally = {};
        Work work = {};
        std::uint64_t successors = 0;

        void clear() {
            for (Successors& successors_of_shard : to) {
                successors_of_shard.words.clear();
                successors_of_shard.found.clear();
            }
            tally = {};
            work = {};
        }
    };

    /// Position of a rank between rounds.
    struct Position {
        std::size_t layer = 0;  // the next with unexpanded states, counted from 1; 0: none
        WorkEnd stop = WorkEnd::complete;
    };

    Problem& problem() noexcept { return static_cast<Problem&>(*this); }

    void put_first(const MultisetSteps::Successor& first, Found found) {
        const auto layer = static_cast<std::size_t>(remaining_.potential(first.state));
        layers_.resize(layer + 1);
        position_ = layers_.size() + 1;  // before the first
        Successors successors;
        std::vector<std::uint64_t> packed(packing_.words());
        const std::size_t shard = add(first.state, found, packed);
        if (owners_.owner(static_cast<std::uint32_t>(shard)) != rank_) return;
        successors.words = packed;
        successors.found.push_back(found);
        make_tables(successors);
        put(successors, shard);
    }

    /// Packs a state and completes its entry. Returns its shard.
    std::size_t add(const MultisetState& state, FoundState& found, std::vector<std::uint64_t>& packed) const {
        packing_.pack(state, packed.data());
        found.hash = PackedStates::hash(packed.data(), packed.size());
        found.layer = static_cast<std::uint32_t>(remaining_.potential(state));
        return found.hash & (shards - 1);
    }

    /// The next position of all ranks, or the reason for the end.
    Position agree() {
        Position next{0, stop_};
        if (round_ < rounds_) {
            next.layer = position_;
        } else {
            for (next.layer = position_ - 1; next.layer > 0; --next.layer)
                if (!layers_[next.layer - 1].empty()) break;
        }
        Position of_team;
        for (const Position& of_rank : ranks::values_of_all(options_.ranks, next)) {
            of_team.layer = std::max(of_team.layer, of_rank.layer);
            if (of_team.stop == WorkEnd::complete) of_team.stop = of_rank.stop;
        }
        stop_ = of_team.stop;
        return of_team;
    }

    void enter(std::size_t position) {
        if (position_ <= layers_.size()) close(layers_[position_ - 1]);
        position_ = position;
        round_ = rounds_ = 0;
        select(position - 1);
        for (const std::vector<SweepStateId>& ids : selected_) {
            states_ += ids.size();
            rounds_ = std::max(rounds_, divided_up(ids.size(), options_.states_of_round));
        }
    }

    void close(Layer& layer) {
        for (Table& table : layer) table.close();
        closed_bytes_ += bytes_of(layer);
    }

    static std::uint64_t bytes_of(const Layer& layer) {
        std::uint64_t sum = 0;
        for (const Table& table : layer) sum += table.bytes();
        return sum;
    }

    /// The expanded states of a layer: all, by shards, or those that the problem selects.
    void select(std::size_t number) {
        const Layer& layer = layers_[number];
        std::vector<SweepStateId> ids;
        for (std::size_t shard = 0; shard < layer.size(); ++shard)
            for (std::size_t i = 0; i < layer[shard].size(); ++i) ids.emplace_back(number, shard, i);
        for (std::vector<SweepStateId>& of_shard : selected_) of_shard.clear();
        if (problem().select(ids)) {
            selected_[0] = std::move(ids);
            return;
        }
        for (const SweepStateId id : ids) selected_[id.shard()].push_back(id);
    }

    void expand_round(std::size_t layer) {
        std::vector<std::span<const SweepStateId>> chunks;
        const std::size_t begin = round_ * options_.states_of_round;
        ++round_;
        for (const std::vector<SweepStateId>& ids : selected_) {
            const std::size_t end = std::min(ids.size(), begin + options_.states_of_round);
            for (std::size_t at = begin; at < end; at += chunk_states)
                chunks.push_back(std::span(ids).subspan(at, std::min(chunk_states, end - at)));
        }
        if (chunks_.size() < chunks.size()) chunks_.resize(chunks.size());
        tbb::parallel_for(std::size_t{0}, chunks.size(), [&](std::size_t i) {
            chunks_[i].clear();
            for (const SweepStateId id : chunks[i])
                if (chunks_[i].work.stop == WorkEnd::complete) expand_state(id, chunks_[i]);
        });
        put_round(std::span(chunks_).first(chunks.size()));
        check_limits(layer);
    }

    void expand_state(SweepStateId id, Chunk& chunk) {
        Worker& worker = workers_.local();
        packing_.unpack(table(id).state(id.number()), worker.state);
        worker.packed.resize(packing_.words());
        const bool all =
            worker.steps.for_each_successor(worker.state, [&](const MultisetSteps::Successor& to) {
                if (to.ending != Ending::open) {
                    chunk.work.add({.verdict = problem().end(to, id, chunk.tally)});
                } else if (std::optional<Found> found = problem().follow(to, id, worker)) {
                    Successors& successors = chunk.to[add(to.state, *found, worker.packed)];
                    successors.words.insert(successors.words.end(), worker.packed.begin(),
                                            worker.packed.end());
                    successors.found.push_back(*found);
                }
                return may_continue(chunk);
            });
        if (!all && chunk.work.stop == WorkEnd::complete) chunk.work.stop = WorkEnd::state_limit;
    }

    /// Enumerating the successors of one state can exceed the time limit.
    bool may_continue(Chunk& chunk) const {
        Work& work = chunk.work;
        work.effort += options_.units_per_successor;
        if (options_.limits.effort > 0 && work.effort > options_.limits.effort)
            work.stop = WorkEnd::effort_limit;
        if (++chunk.successors % successors_between_looks == 0 && work.stop == WorkEnd::complete)
            work.stop = options_.limits.asked_to_end();
        return work.stop == WorkEnd::complete;
    }

    /// Puts entries into the layers of the ranks that keep them.
    void put_round(std::span<const Chunk> chunks) {
        Work work;
        for (const Chunk& chunk : chunks) work.add(chunk.work);
        if constexpr (std::is_trivially_copyable_v<Tally>) {
            if (options_.ranks != nullptr) return exchange_round(chunks, work);
        }
        for (const Chunk& chunk : chunks) {
            problem().take(chunk.tally);
            for (const Successors& successors : chunk.to) make_tables(successors);
        }
        tbb::parallel_for(std::size_t{0}, shards, [&](std::size_t shard) {
            for (const Chunk& chunk : chunks) put(chunk.to[shard], shard);
        });
        account(work);
    }

    void exchange_round(std::span<const Chunk> chunks, Work own) {
        const std::vector<std::string> messages = options_.ranks->exchange(messages_to_all(chunks, own));
        std::vector<std::array<Successors, shards>> received(messages.size());
        Work work;
        for (std::size_t from = 0; from < messages.size(); ++from) {
            ranks::ByteReader reader(messages[from]);
            work.add(reader.get<Work>());
            for (const Tally& tally : reader.get_list<Tally>()) problem().take(tally);
            for (std::size_t shard = owners_.first(rank_); shard < owners_.end(rank_); ++shard) {
                Successors& successors = received[from][shard];
                successors.words = reader.get_list<std::uint64_t>();
                successors.found = reader.get_list<Found>();
                make_tables(successors);
            }
        }
        tbb::parallel_for(owners_.first(rank_), owners_.end(rank_), [&](std::uint32_t shard) {
            for (const std::array<Successors, shards>& successors : received) put(successors[shard], shard);
        });
        account(work);
    }

    std::vector<std::string> messages_to_all(std::span<const Chunk> chunks, const Work& own) const {
        std::vector<Tally> tallies;
        for (const Chunk& chunk : chunks) tallies.push_back(chunk.tally);
        std::vector<std::string> messages;
        for (int to = 0; to < options_.ranks->size(); ++to) {
            ranks::ByteWriter message;
            message.put(own);
            message.put_list(tallies);
            for (std::size_t shard = owners_.first(to); shard < owners_.end(to); ++shard) {
                Successors all;
                for (const Chunk& chunk : chunks) {
                    const Successors& some = chunk.to[shard];
                    all.words.insert(all.words.end(), some.words.begin(), some.words.end());
                    all.found.insert(all.found.end(), some.found.begin(), some.found.end());
                }
                message.put_list(all.words);
                message.put_list(all.found);
            }
            messages.push_back(std::move(message).take());
        }
        return messages;
    }

    void account(const Work& work) {
        effort_ += work.effort;
        stop_ = work.verdict == WorkEnd::complete ? work.stop : work.verdict;
    }

    void make_tables(const Successors& successors) {
        for (const Found& found : successors.found) {
            Layer& layer = layers_[found.layer];
            if (layer.empty()) layer.assign(shards, Table(packing_.words()));
            lowest_ = std::min<std::size_t>(lowest_, found.layer);
        }
    }

    void put(const Successors& successors, std::size_t shard) {
        const std::uint64_t* words = successors.words.data();
        for (const Found& found : successors.found) {
            problem().put(layers_[found.layer][shard], words, found);
            words += packing_.words();
        }
    }

    void check_limits(std::size_t layer) {
        if (stop_ != WorkEnd::complete) return;
        std::uint64_t bytes = closed_bytes_;
        for (std::size_t open = std::min(lowest_, layer); open <= layer; ++open)
            bytes += bytes_of(layers_[open]);
        bytes_ = std::max(bytes_, bytes);
        if (bytes > options_.limits.memory) {
            stop_ = WorkEnd::memory_limit;
        } else if (options_.limits.effort > 0 && effort_ > options_.limits.effort) {
            stop_ = WorkEnd::effort_limit;
        } else {
            stop_ = options_.limits.asked_to_end();
        }
    }

    const RemainingSteps& remaining_;
    SweepOptions options_;
    int rank_;
    ranks::ShardOwners owners_;
    StatePacking packing_;
    tbb::enumerable_thread_specific<Worker> workers_;
    std::vector<Layer> layers_;
    std::size_t position_ = 1;                                // of the layer that is expanded, counted from 1
    std::array<std::vector<SweepStateId>, shards> selected_;  // of that layer, in their order
    std::size_t round_ = 0, rounds_ = 0;
    std::vector<Chunk> chunks_;
    std::size_t lowest_ = ~std::size_t{0};  // layer with a state
    std::uint64_t closed_bytes_ = 0;
    WorkEnd stop_ = WorkEnd::complete;
    std::uint64_t states_ = 0, effort_ = 0, bytes_ = 0;
};

}  // namespace warpnet::worst
