#include "analysis/exact/layered_runs.hpp"

#include "analysis/exact/state_table.hpp"

#include <algorithm>
#include <numeric>

#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>

namespace warpnet {

namespace {

constexpr std::size_t shards = 16;
constexpr unsigned shard_bits = 4;
constexpr std::size_t chunk = 256;    // states that one thread looks at in a row
constexpr std::size_t batch = 65536;  // states whose successors are kept until they are put into their layers
constexpr std::uint64_t successors_between_looks = 4096;  // at the clock
constexpr std::uint64_t no_parent = ~std::uint64_t{0};

/// Where a state is: its layer, shard and number there.
std::uint64_t id_of(std::uint64_t layer, std::size_t shard, std::size_t number) {
    return layer << 40 | std::uint64_t{number} << shard_bits | shard;
}

struct Layer {
    std::vector<StateTable> tables;  // per shard
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
};

struct End {
    std::uint64_t steps = 0;
    std::uint64_t parent = no_parent;
    bool known = false;
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

class LayeredSearch {
  public:
    LayeredSearch(const MultisetNet& net, const RemainingSteps& remaining, const LayeredOptions& options)
        : net_(net),
          remaining_(remaining),
          options_(options),
          longest_(options.objective == Objective::longest),
          units_a_successor_(1 + net.start.size() * net.start.size() / 64),
          packing_(net),
          workers_([&net] { return Worker(net); }) {}

    LayeredRuns search() {
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
        for (std::size_t layer = layers_.size(); layer-- > 0 && result_.stop == WorkEnd::complete;) {
            if (layers_[layer].tables.empty()) continue;
            expand(layer);
            for (StateTable& table : layers_[layer].tables) table.freeze();
            frozen_bytes_ += layers_[layer].bytes();
        }
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
        layers_[layer].tables.assign(shards, StateTable(packing_.words()));
        std::vector<std::uint64_t> packed(packing_.words());
        packing_.pack(first.state, packed.data());
        Found found;
        add(found, packed, layer, first.steps, no_parent);
        put(found, 0);
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

    /// The states of a layer that are looked at: all, or the best.
    std::vector<std::uint64_t> selected(std::size_t number) {
        const Layer& layer = layers_[number];
        std::vector<std::uint64_t> ids;
        ids.reserve(layer.size());
        for (std::size_t shard = 0; shard < shards; ++shard) {
            for (std::size_t i = 0; i < layer.tables[shard].size(); ++i)
                ids.push_back(id_of(number, shard, i));
        }
        if (options_.width == 0 || ids.size() <= options_.width) return ids;
        result_.cut = true;
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

    void expand(std::size_t number) {
        const std::vector<std::uint64_t> ids = selected(number);
        result_.states += ids.size();
        for (std::size_t first = 0; first < ids.size() && result_.stop == WorkEnd::complete; first += batch) {
            expand_batch(std::span(ids).subspan(first, std::min(batch, ids.size() - first)));
            check_limits(number);
        }
    }

    void expand_batch(std::span<const std::uint64_t> ids) {
        const std::size_t chunks = (ids.size() + chunk - 1) / chunk;
        if (results_.size() < chunks) results_.resize(chunks);
        tbb::parallel_for(std::size_t{0}, chunks, [&](std::size_t i) {
            ChunkResult& result = results_[i];
            result.end = {};
            result.effort = 0;
            result.stop = WorkEnd::complete;
            for (Found& found : result.found) found.clear();
            for (const std::uint64_t id : ids.subspan(i * chunk, std::min(chunk, ids.size() - i * chunk)))
                if (result.stop == WorkEnd::complete) expand_state(id, result);
        });
        for (std::size_t i = 0; i < chunks; ++i) {
            const End& end = results_[i].end;
            if (end.known && (!best_.known || better(end.steps, best_.steps))) best_ = end;
            result_.effort += results_[i].effort;
            if (result_.stop == WorkEnd::complete) result_.stop = results_[i].stop;
            if (results_[i].endless) result_.stop = WorkEnd::endless;
            for (const Found& found : results_[i].found) {
                for (const std::uint32_t layer : found.layers) {
                    std::vector<StateTable>& tables = layers_[layer].tables;
                    if (tables.empty()) tables.assign(shards, StateTable(packing_.words()));
                    lowest_ = std::min<std::size_t>(lowest_, layer);
                }
            }
        }
        tbb::parallel_for(std::size_t{0}, shards, [&](std::size_t shard) {
            for (std::size_t i = 0; i < chunks; ++i) put(results_[i].found[shard], shard);
        });
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

    /// The states on the way to the best end, and what leads from each to the next.
    void find_moves(std::vector<LocalMove> all, std::uint64_t now) {
        std::vector<std::uint64_t> ids;
        for (std::uint64_t id = best_.parent; id != no_parent; id = table_of(id).parent(number_of(id)))
            ids.push_back(id);
        std::reverse(ids.begin(), ids.end());
        MultisetSteps steps(net_, false);
        std::vector<LocalMove> moves, best_moves;
        std::vector<std::uint64_t> packed(packing_.words());
        MultisetState state;
        for (std::size_t i = 0; i < ids.size(); ++i) {
            packing_.unpack(table_of(ids[i]).state(number_of(ids[i])), state);
            const std::uint64_t* const next =
                i + 1 < ids.size() ? table_of(ids[i + 1]).state(number_of(ids[i + 1])) : nullptr;
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
    LayeredOptions options_;
    bool longest_;
    std::uint64_t units_a_successor_;  // a bound compares modules with each other
    StatePacking packing_;
    tbb::enumerable_thread_specific<Worker> workers_;
    std::vector<Layer> layers_;
    std::vector<ChunkResult> results_;
    End best_;
    std::size_t lowest_ = ~std::size_t{0};  // layer with a state
    std::uint64_t frozen_bytes_ = 0;
    LayeredRuns result_;
};

}  // namespace

LayeredRuns layered_runs(const MultisetNet& net, const RemainingSteps& remaining,
                         const LayeredOptions& options) {
    return LayeredSearch(net, remaining, options).search();
}

}  // namespace warpnet
