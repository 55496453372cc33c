#include "analysis/worst/exact/multiset_sweep.hpp"

#include "analysis/ranks/bytes.hpp"
#include "analysis/ranks/collectives.hpp"
#include "analysis/ranks/shard_owners.hpp"
#include "analysis/worst/exact/state_table.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <span>
#include <string>

#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>

namespace warpnet {

namespace {

constexpr std::size_t shards = 16;
constexpr unsigned shard_bits = 4;
static_assert(shards == MultisetSweepOptions::max_ranks);
constexpr std::size_t chunk = 256;                        // states that one thread looks at in a row
constexpr std::uint64_t successors_between_looks = 4096;  // at the clock
constexpr std::uint64_t no_parent = ~std::uint64_t{0};

/// Where a state is: its layer, shard and number there.
std::uint64_t id_of(std::uint64_t layer, std::size_t shard, std::size_t number) {
    return layer << 40 | std::uint64_t{number} << shard_bits | shard;
}

struct Layer {
    std::vector<StateTable> tables;  // per shard; none in a layer without states
    std::size_t size() const {
        std::size_t sum = 0;
        for (const StateTable& table : tables) sum += table.size();
        return sum;
    }
    std::uint64_t bytes() const {
        std::uint64_t sum = 0;
        for (const StateTable& table : tables) sum += table.bytes();
        return sum;
    }
};

/// Successors of the states of a chunk, for one shard.
struct Found {
    std::vector<std::uint64_t> words;
    std::vector<std::uint64_t> hashes, parents;
    std::vector<std::uint32_t> layers, values;

    void clear() {
        words.clear();
        hashes.clear();
        parents.clear();
        layers.clear();
        values.clear();
    }
    void append(const Found& other) {
        const auto add = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
        add(words, other.words);
        add(hashes, other.hashes);
        add(parents, other.parents);
        add(layers, other.layers);
        add(values, other.values);
    }
    void write(ByteWriter& writer) const {
        writer.put_list(words);
        writer.put_list(hashes);
        writer.put_list(parents);
        writer.put_list(layers);
        writer.put_list(values);
    }
};

struct End {
    std::uint64_t steps = 0;
    std::uint64_t parent = no_parent;
    bool known = false;
};

/// What a round has come to.
struct RoundResult {
    End end;
    std::uint64_t effort = 0;
    WorkEnd stop = WorkEnd::complete;
};

/// Where a rank is between rounds.
struct Position {
    std::size_t layer = 0;  // the next with states to be looked at, counted from 1; 0: there is none
    WorkEnd stop = WorkEnd::complete;
};

struct ChunkResult {
    std::vector<Found> found = std::vector<Found>(shards);
    End end;
    bool endless = false;
    std::uint64_t effort = 0, successors = 0;
    WorkEnd stop = WorkEnd::complete;
};

/// What a thread works with.
struct Worker {
    explicit Worker(const MultisetNet& net) : steps(net, false) {}
    MultisetSteps steps;
    RemainingSteps::Scratch scratch;
    MultisetState state;
    std::vector<std::uint64_t> packed;
};

/// Layer by layer, and there round by round. Within a round states are met in the order of shards, then of
/// their numbers there, on any number of ranks, since each has successive shards: so all find the same of
/// equal runs.
class LayeredSearch {
  public:
    LayeredSearch(const MultisetNet& net, const RemainingSteps& remaining,
                  const MultisetSweepOptions& options)
        : net_(net),
          remaining_(remaining),
          options_(options),
          rank_(options.ranks == nullptr ? 0 : options.ranks->rank()),
          owners_(shards, options.ranks == nullptr ? 1 : options.ranks->size()),
          longest_(options.objective == Objective::longest),
          units_a_successor_(1 + net.start.size() * net.start.size() / 64),
          packing_(net),
          workers_([&net] { return Worker(net); }) {}

    MultisetSweep search() {
        MultisetSteps steps(net_, false);
        std::vector<LocalMove> moves;
        const MultisetSteps::Successor first = steps.first(&moves);
        if (first.ending != Ending::open) {
            if (first.ending == Ending::endless && longest_) result_.stop = WorkEnd::endless;
            if (first.ending != Ending::dead || !meets(static_cast<std::int64_t>(first.steps)))
                return std::move(result_);
            result_.steps = first.steps;
            result_.moves = std::move(moves);
            return std::move(result_);
        }
        put_first(first);
        for (Position at = agree(); at.stop == WorkEnd::complete && at.layer > 0; at = agree()) {
            if (at.layer != position_) enter(at.layer);
            expand_round(position_ - 1);
        }
        const std::vector<std::uint64_t> states = values_of_all(options_.ranks, result_.states);
        result_.states = std::accumulate(states.begin(), states.end(), std::uint64_t{0});
        if (result_.stop != WorkEnd::endless && best_.known) {
            result_.steps = best_.steps;
            find_moves(std::move(moves), first.steps);
        }
        return std::move(result_);
    }

  private:
    bool meets(std::int64_t steps) const {
        if (!options_.target) return true;
        const auto target = static_cast<std::int64_t>(*options_.target);
        return longest_ ? steps >= target : steps <= target;
    }
    bool better(std::uint64_t a, std::uint64_t b) const { return longest_ ? a > b : a < b; }

    /// Whether a run through a state may meet the target.
    bool may_meet(const MultisetState& state, std::uint64_t steps, RemainingSteps::Scratch& scratch) const {
        if (!options_.target || (longest_ && !remaining_.always_ends())) return true;
        const auto so_far = static_cast<std::int64_t>(steps);
        return meets(so_far + (longest_ ? remaining_.most(state, scratch) : remaining_.least(state)));
    }

    void put_first(const MultisetSteps::Successor& first) {
        Worker& worker = workers_.local();
        if (!may_meet(first.state, first.steps, worker.scratch)) return;
        const auto layer = static_cast<std::size_t>(remaining_.potential(first.state));
        layers_.resize(layer + 1);
        position_ = layers_.size() + 1;  // before the first
        std::vector<std::uint64_t> packed(packing_.words());
        packing_.pack(first.state, packed.data());
        Found found;
        add(found, packed, layer, first.steps, no_parent);
        const auto shard = static_cast<std::uint32_t>(found.hashes.front() & (shards - 1));
        if (owners_.owner(shard) != rank_) return;
        make_tables(found);
        put(found, shard);
    }

    /// Where all ranks go on, or why they do not.
    Position agree() {
        Position next{0, result_.stop};
        if (round_ < rounds_) {
            next.layer = position_;
        } else {
            for (next.layer = position_ - 1; next.layer > 0; --next.layer)
                if (!layers_[next.layer - 1].tables.empty()) break;
        }
        Position of_team;
        for (const Position& of_rank : values_of_all(options_.ranks, next)) {
            of_team.layer = std::max(of_team.layer, of_rank.layer);
            if (of_team.stop == WorkEnd::complete) of_team.stop = of_rank.stop;
        }
        result_.stop = of_team.stop;
        return of_team;
    }

    void enter(std::size_t position) {
        if (position_ <= layers_.size()) freeze(layers_[position_ - 1]);
        position_ = position;
        round_ = rounds_ = 0;
        select(position - 1);
        for (const std::vector<std::uint64_t>& ids : selected_) {
            result_.states += ids.size();
            rounds_ =
                std::max(rounds_, (ids.size() + options_.states_of_round - 1) / options_.states_of_round);
        }
    }

    void freeze(Layer& layer) {
        for (StateTable& table : layer.tables) table.freeze();
        frozen_bytes_ += layer.bytes();
    }

    void add(Found& found, const std::vector<std::uint64_t>& packed, std::size_t layer, std::uint64_t steps,
             std::uint64_t parent) const {
        found.words.insert(found.words.end(), packed.begin(), packed.end());
        found.hashes.push_back(PackedStates::hash(packed.data(), packed.size()));
        found.parents.push_back(parent);
        found.layers.push_back(static_cast<std::uint32_t>(layer));
        found.values.push_back(static_cast<std::uint32_t>(steps));
    }

    void put(const Found& found, std::size_t shard) {
        const auto is_better = [&](std::uint32_t a, std::uint32_t b) { return better(a, b); };
        for (std::size_t i = 0; i < found.hashes.size(); ++i) {
            layers_[found.layers[i]].tables[shard].put(found.words.data() + i * packing_.words(),
                                                       found.hashes[i], found.values[i], found.parents[i],
                                                       is_better);
        }
    }

    /// The states of a layer that are looked at: all, by shards, or the best, by their ids.
    void select(std::size_t number) {
        const Layer& layer = layers_[number];
        std::vector<std::uint64_t> ids;
        ids.reserve(layer.size());
        for (std::size_t shard = 0; shard < layer.tables.size(); ++shard) {
            for (std::size_t i = 0; i < layer.tables[shard].size(); ++i)
                ids.push_back(id_of(number, shard, i));
        }
        for (std::vector<std::uint64_t>& of_shard : selected_) of_shard.clear();
        if (options_.width > 0 && ids.size() > options_.width) {
            result_.cut = true;
            selected_[0] = best_of(ids);
            return;
        }
        for (const std::uint64_t id : ids) selected_[id & (shards - 1)].push_back(id);
    }

    std::vector<std::uint64_t> best_of(const std::vector<std::uint64_t>& ids) {
        std::vector<std::pair<double, std::size_t>> scores(ids.size());
        tbb::parallel_for(std::size_t{0}, ids.size(), [&](std::size_t i) {
            Worker& worker = workers_.local();
            const StateTable& table = table_of(ids[i]);
            packing_.unpack(table.state(number_of(ids[i])), worker.state);
            const double left = longest_ ? -remaining_.most_exactly(worker.state, worker.scratch)
                                         : static_cast<double>(remaining_.least(worker.state));
            const auto steps = static_cast<double>(table.value(number_of(ids[i])));
            scores[i] = {longest_ ? left - steps : left + steps, i};
        });
        std::nth_element(scores.begin(), scores.begin() + static_cast<std::ptrdiff_t>(options_.width),
                         scores.end());
        scores.resize(options_.width);
        std::vector<std::uint64_t> best;
        best.reserve(scores.size());
        for (const auto& [score, i] : scores) best.push_back(ids[i]);
        std::sort(best.begin(), best.end());
        return best;
    }

    StateTable& table_of(std::uint64_t id) { return layers_[id >> 40].tables[id & (shards - 1)]; }
    static std::size_t number_of(std::uint64_t id) {
        return static_cast<std::size_t>((id & ((std::uint64_t{1} << 40) - 1)) >> shard_bits);
    }

    void expand_round(std::size_t layer) {
        std::vector<std::span<const std::uint64_t>> chunks;
        const std::size_t begin = round_ * options_.states_of_round;
        ++round_;
        for (const std::vector<std::uint64_t>& ids : selected_) {
            const std::size_t end = std::min(ids.size(), begin + options_.states_of_round);
            for (std::size_t at = begin; at < end; at += chunk)
                chunks.push_back(std::span(ids).subspan(at, std::min(chunk, end - at)));
        }
        if (results_.size() < chunks.size()) results_.resize(chunks.size());
        tbb::parallel_for(std::size_t{0}, chunks.size(), [&](std::size_t i) {
            ChunkResult& result = results_[i];
            result.end = {};
            result.endless = false;
            result.effort = 0;
            result.stop = WorkEnd::complete;
            for (Found& found : result.found) found.clear();
            for (const std::uint64_t id : chunks[i])
                if (result.stop == WorkEnd::complete) expand_state(id, result);
        });
        const std::span<const ChunkResult> found = std::span(results_).first(chunks.size());
        put_round(found, sum_of(found));
        check_limits(layer);
    }

    RoundResult sum_of(std::span<const ChunkResult> chunks) const {
        RoundResult sum;
        for (const ChunkResult& result : chunks) {
            add({result.end, result.effort, result.endless ? WorkEnd::endless : result.stop}, sum);
        }
        return sum;
    }

    void add(const RoundResult& result, RoundResult& sum) const {
        if (result.end.known && (!sum.end.known || better(result.end.steps, sum.end.steps)))
            sum.end = result.end;
        sum.effort += result.effort;
        if (sum.stop == WorkEnd::complete || result.stop == WorkEnd::endless) sum.stop = result.stop;
    }

    /// Puts what was found into the layers of those who keep it.
    void put_round(std::span<const ChunkResult> chunks, const RoundResult& own) {
        RoundResult sum{best_, result_.effort, result_.stop};
        if (options_.ranks == nullptr) {
            add(own, sum);
            for (const ChunkResult& result : chunks)
                for (const Found& found : result.found) make_tables(found);
            tbb::parallel_for(std::size_t{0}, shards, [&](std::size_t shard) {
                for (const ChunkResult& result : chunks) put(result.found[shard], shard);
            });
        } else {
            const std::vector<std::string> letters = options_.ranks->exchange(letters_to_all(chunks, own));
            std::vector<std::array<Found, shards>> received(letters.size());
            for (std::size_t from = 0; from < letters.size(); ++from) {
                ByteReader reader(letters[from]);
                add(reader.get<RoundResult>(), sum);
                for (std::size_t shard = owners_.first(rank_); shard < owners_.end(rank_); ++shard)
                    make_tables(received[from][shard] = read_found(reader));
            }
            tbb::parallel_for(owners_.first(rank_), owners_.end(rank_), [&](std::uint32_t shard) {
                for (const std::array<Found, shards>& found : received) put(found[shard], shard);
            });
        }
        best_ = sum.end;
        result_.effort = sum.effort;
        result_.stop = sum.stop;
    }

    void make_tables(const Found& found) {
        for (const std::uint32_t layer : found.layers) {
            std::vector<StateTable>& tables = layers_[layer].tables;
            if (tables.empty()) tables.assign(shards, StateTable(packing_.words()));
            lowest_ = std::min<std::size_t>(lowest_, layer);
        }
    }

    std::vector<std::string> letters_to_all(std::span<const ChunkResult> chunks,
                                            const RoundResult& own) const {
        std::vector<std::string> letters;
        for (int to = 0; to < options_.ranks->size(); ++to) {
            ByteWriter letter;
            letter.put(own);
            for (std::size_t shard = owners_.first(to); shard < owners_.end(to); ++shard) {
                Found all;
                for (const ChunkResult& result : chunks) all.append(result.found[shard]);
                all.write(letter);
            }
            letters.push_back(std::move(letter).take());
        }
        return letters;
    }

    static Found read_found(ByteReader& reader) {
        Found found;
        found.words = reader.get_list<std::uint64_t>();
        found.hashes = reader.get_list<std::uint64_t>();
        found.parents = reader.get_list<std::uint64_t>();
        found.layers = reader.get_list<std::uint32_t>();
        found.values = reader.get_list<std::uint32_t>();
        return found;
    }

    void expand_state(std::uint64_t id, ChunkResult& result) {
        Worker& worker = workers_.local();
        const StateTable& table = table_of(id);
        packing_.unpack(table.state(number_of(id)), worker.state);
        const std::uint64_t before = table.value(number_of(id));
        worker.packed.resize(packing_.words());
        const bool all =
            worker.steps.for_each_successor(worker.state, [&](const MultisetSteps::Successor& to) {
                look_at(to, id, before, worker, result);
                return go_on(result);
            });
        if (!all && result.stop == WorkEnd::complete) result.stop = WorkEnd::memory_limit;
    }

    /// A state can have more successors than there is time for.
    bool go_on(ChunkResult& result) const {
        result.effort += units_a_successor_;
        ++result.successors;
        if (options_.limits.effort > 0 && result.effort > options_.limits.effort)
            result.stop = WorkEnd::effort_limit;
        if (result.successors % successors_between_looks == 0 && result.stop == WorkEnd::complete)
            result.stop = options_.limits.asked_to_end();
        return result.stop == WorkEnd::complete;
    }

    void look_at(const MultisetSteps::Successor& to, std::uint64_t from, std::uint64_t before, Worker& worker,
                 ChunkResult& result) const {
        const std::uint64_t steps = before + to.steps;
        if (to.ending == Ending::endless || to.ending == Ending::stalled) {
            result.endless |= longest_;  // the shortest run that ends is not one of these
        } else if (to.ending == Ending::dead) {
            if (meets(static_cast<std::int64_t>(steps)) &&
                (!result.end.known || better(steps, result.end.steps)))
                result.end = {steps, from, true};
        } else if (may_meet(to.state, steps, worker.scratch)) {
            packing_.pack(to.state, worker.packed.data());
            const std::uint64_t hash = PackedStates::hash(worker.packed.data(), worker.packed.size());
            add(result.found[hash & (shards - 1)], worker.packed,
                static_cast<std::size_t>(remaining_.potential(to.state)), steps, from);
        }
    }

    void check_limits(std::size_t layer) {
        if (result_.stop != WorkEnd::complete) return;
        std::uint64_t bytes = frozen_bytes_;
        for (std::size_t open = std::min(lowest_, layer); open <= layer; ++open)
            bytes += layers_[open].bytes();
        result_.bytes = std::max(result_.bytes, bytes);
        if (bytes > options_.limits.memory) {
            result_.stop = WorkEnd::memory_limit;
        } else if (options_.limits.effort > 0 && result_.effort > options_.limits.effort) {
            result_.stop = WorkEnd::effort_limit;
        } else {
            result_.stop = options_.limits.asked_to_end();
        }
    }

    /// A state, packed, and the id of its parent behind it. The rank that keeps it tells all.
    std::vector<std::uint64_t> state_and_parent(std::uint64_t id) {
        const int keeper = owners_.owner(static_cast<std::uint32_t>(id & (shards - 1)));
        std::vector<std::uint64_t> words;
        if (keeper == rank_) {
            const std::uint64_t* const state = table_of(id).state(number_of(id));
            words.assign(state, state + packing_.words());
            words.push_back(table_of(id).parent(number_of(id)));
        }
        if (options_.ranks == nullptr) return words;
        ByteWriter writer;
        writer.put_list(words);
        const std::string text = options_.ranks->broadcast(keeper, writer.bytes());
        return ByteReader(text).get_list<std::uint64_t>();
    }

    /// The states on the way to the best end, and what leads from each to the next.
    void find_moves(std::vector<LocalMove> all, std::uint64_t now) {
        std::vector<std::vector<std::uint64_t>> path;
        for (std::uint64_t id = best_.parent; id != no_parent;) {
            path.push_back(state_and_parent(id));
            id = path.back().back();
            path.back().pop_back();
        }
        if (rank_ > 0) return;
        std::reverse(path.begin(), path.end());
        MultisetSteps steps(net_, false);
        std::vector<LocalMove> moves, best_moves;
        std::vector<std::uint64_t> packed(packing_.words());
        MultisetState state;
        for (std::size_t i = 0; i < path.size(); ++i) {
            packing_.unpack(path[i].data(), state);
            const std::uint64_t* const next = i + 1 < path.size() ? path[i + 1].data() : nullptr;
            std::optional<std::uint64_t> best;
            steps.for_each_successor(
                state,
                [&](const MultisetSteps::Successor& to) {
                    if (next == nullptr ? to.ending != Ending::dead : to.ending != Ending::open) return true;
                    if (next != nullptr) {
                        packing_.pack(to.state, packed.data());
                        if (!std::equal(packed.begin(), packed.end(), next)) return true;
                    }
                    if (best && !better(to.steps, *best)) return true;
                    best = to.steps;
                    best_moves = moves;
                    return true;
                },
                &moves);
            for (LocalMove& move : best_moves) move.after += now;
            all.insert(all.end(), best_moves.begin(), best_moves.end());
            now += best.value();
        }
        result_.moves = std::move(all);
    }

    const MultisetNet& net_;
    const RemainingSteps& remaining_;
    MultisetSweepOptions options_;
    int rank_;
    ShardOwners owners_;
    bool longest_;
    std::uint64_t units_a_successor_;  // a bound compares modules with each other
    StatePacking packing_;
    tbb::enumerable_thread_specific<Worker> workers_;
    std::vector<Layer> layers_;
    std::size_t position_ = 1;  // of the layer that is looked at, counted from 1
    std::array<std::vector<std::uint64_t>, shards> selected_;  // of that layer, in their order
    std::size_t round_ = 0, rounds_ = 0;
    std::vector<ChunkResult> results_;
    End best_;
    std::size_t lowest_ = ~std::size_t{0};  // layer with a state
    std::uint64_t frozen_bytes_ = 0;
    MultisetSweep result_;
};

}  // namespace

MultisetSweep multiset_sweep(const MultisetNet& net, const RemainingSteps& remaining,
                             const MultisetSweepOptions& options) {
    return LayeredSearch(net, remaining, options).search();
}

}  // namespace warpnet
