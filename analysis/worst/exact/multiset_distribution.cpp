#include "analysis/worst/exact/multiset_distribution.hpp"

#include "analysis/worst/exact/multiset_steps.hpp"
#include "analysis/worst/exact/packed_states.hpp"
#include "analysis/worst/exact/remaining_steps.hpp"

#include <algorithm>
#include <map>

#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>

namespace warpnet {

namespace {

constexpr std::size_t shards = 16;
constexpr std::size_t chunk = 256;    // states that one thread looks at in a row
constexpr std::size_t batch = 65536;  // states whose successors are kept until they are put into their layers

/// Probabilities of times from `first` on.
struct Times {
    std::uint64_t first = 0;
    std::vector<double> probability;

    void add(const Times& from, std::uint64_t steps, double factor) {
        const std::uint64_t begin = from.first + steps, end = begin + from.probability.size();
        if (probability.empty()) first = begin;
        if (begin < first) {
            probability.insert(probability.begin(), first - begin, 0);
            first = begin;
        }
        if (end > first + probability.size()) probability.resize(end - first, 0);
        double* const to = probability.data() + (begin - first);
        for (std::size_t i = 0; i < from.probability.size(); ++i) to[i] += factor * from.probability[i];
    }
};

/// PackedStates with the probabilities of the times at which each is reached.
class TimesTable {
  public:
    explicit TimesTable(std::size_t words) : states_(words) {}

    std::size_t size() const noexcept { return times_.size(); }
    const std::uint64_t* state(std::size_t number) const noexcept { return states_.state(number); }
    const Times& times(std::size_t number) const noexcept { return times_[number]; }
    std::uint64_t bytes() const noexcept {
        return states_.bytes() + times_.size() * sizeof(Times) + probabilities_ * sizeof(double);
    }

    void add(const std::uint64_t* state, std::uint64_t hash, const Times& from, std::uint64_t steps,
             double factor) {
        const std::uint32_t number = states_.put(state, hash);
        if (number == times_.size()) times_.emplace_back();
        Times& times = times_[number];
        const std::size_t before = times.probability.capacity();
        times.add(from, steps, factor);
        probabilities_ += times.probability.capacity() - before;
    }

  private:
    PackedStates states_;
    std::vector<Times> times_;
    std::uint64_t probabilities_ = 0;  // there is room for
};

constexpr std::uint64_t successors_between_looks = 4096;  // at the clock

using Layer = std::vector<TimesTable>;  // per shard

struct StateId {
    std::uint32_t shard, number;
};

/// What follows states of a chunk.
struct Found {
    struct Successor {
        StateId from;
        std::uint32_t layer;
        std::uint64_t hash, steps;
        double probability;
    };
    struct End {
        StateId from;
        std::uint64_t steps;
        double probability;
        bool endless;
    };
    std::vector<std::vector<Successor>> successors = std::vector<std::vector<Successor>>(shards);
    std::vector<std::vector<std::uint64_t>> words = std::vector<std::vector<std::uint64_t>>(shards);
    std::vector<End> ends;
    bool stalled = false;
    std::uint64_t effort = 0;
    WorkEnd stop = WorkEnd::complete;
};

struct Worker {
    explicit Worker(const MultisetNet& net) : steps(net, true) {}
    MultisetSteps steps;
    MultisetState state;
    std::vector<std::uint64_t> packed;
};

class Distribution {
  public:
    Distribution(const MultisetNet& net, const DistributionOptions& options)
        : net_(net), options_(options), remaining_(net), packing_(net), workers_([&net] {
              return Worker(net);
          }) {}

    std::optional<StepDistribution> compute() {
        result_.multisets = true;
        const MultisetSteps::Successor first = MultisetSteps(net_, true).first();
        if (first.ending == Ending::stalled) return std::nullopt;
        if (first.ending == Ending::endless) result_.endless = 1;
        if (first.ending == Ending::dead) result_.steps.push_back({first.steps, 1});
        if (first.ending != Ending::open) return std::move(result_);
        std::vector<std::uint64_t> packed(packing_.words());
        packing_.pack(first.state, packed.data());
        layers_.resize(static_cast<std::size_t>(remaining_.potential(first.state)) + 1);
        const std::uint64_t hash = PackedStates::hash(packed.data(), packed.size());
        open(layers_.size() - 1)[hash % shards].add(packed.data(), hash, {0, {1.0}}, first.steps, 1);
        for (std::size_t layer = layers_.size(); layer-- > 0 && result_.stop == WorkEnd::complete;) {
            if (layers_[layer].empty()) continue;
            expand(layer);
            if (stalled_) return std::nullopt;
            layers_[layer] = Layer();
        }
        for (const auto& [steps, probability] : ends_) result_.steps.push_back({steps, probability});
        return std::move(result_);
    }

  private:
    Layer& open(std::size_t layer) {
        if (layers_[layer].empty()) layers_[layer].assign(shards, TimesTable(packing_.words()));
        lowest_ = std::min(lowest_, layer);
        return layers_[layer];
    }

    void expand(std::size_t layer) {
        std::vector<StateId> ids;
        for (std::uint32_t shard = 0; shard < shards; ++shard) {
            for (std::uint32_t i = 0; i < layers_[layer][shard].size(); ++i) ids.push_back({shard, i});
        }
        result_.states += ids.size();
        for (std::size_t first = 0; first < ids.size() && result_.stop == WorkEnd::complete; first += batch) {
            expand_batch(layer, std::span(ids).subspan(first, std::min(batch, ids.size() - first)));
            check_limits(layer);
        }
    }

    void expand_batch(std::size_t layer, std::span<const StateId> ids) {
        const std::size_t chunks = (ids.size() + chunk - 1) / chunk;
        std::vector<Found> results(chunks);
        tbb::parallel_for(std::size_t{0}, chunks, [&](std::size_t i) {
            for (const StateId id : ids.subspan(i * chunk, std::min(chunk, ids.size() - i * chunk)))
                if (results[i].stop == WorkEnd::complete) expand_state(layer, id, results[i]);
        });
        const auto times = [&](StateId id) -> const Times& {
            return layers_[layer][id.shard].times(id.number);
        };
        for (const Found& found : results) {
            stalled_ |= found.stalled;
            if (found.stop != WorkEnd::complete) result_.stop = found.stop;
            for (const auto& successors : found.successors)
                for (const Found::Successor& successor : successors) open(successor.layer);
            for (const Found::End& end : found.ends) add_end(times(end.from), end);
        }
        tbb::parallel_for(std::size_t{0}, shards, [&](std::size_t shard) {
            for (const Found& found : results) {
                const std::uint64_t* words = found.words[shard].data();
                for (const Found::Successor& to : found.successors[shard]) {
                    layers_[to.layer][shard].add(words, to.hash, times(to.from), to.steps, to.probability);
                    words += packing_.words();
                }
            }
        });
    }

    void add_end(const Times& times, const Found::End& end) {
        for (std::size_t i = 0; i < times.probability.size(); ++i) {
            const double probability = times.probability[i] * end.probability;
            if (probability == 0) continue;
            const std::uint64_t steps = times.first + i + end.steps;
            if (steps > options_.max_steps) {
                result_.longer += probability;
            } else if (end.endless) {
                result_.endless += probability;
            } else {
                ends_[steps] += probability;
            }
        }
    }

    void expand_state(std::size_t layer, StateId id, Found& found) {
        Worker& worker = workers_.local();
        packing_.unpack(layers_[layer][id.shard].state(id.number), worker.state);
        worker.packed.resize(packing_.words());
        const bool all =
            worker.steps.for_each_successor(worker.state, [&](const MultisetSteps::Successor& to) {
                if (to.ending == Ending::stalled) {
                    found.stalled = true;
                } else if (to.ending != Ending::open) {
                    found.ends.push_back({id, to.steps, to.probability, to.ending == Ending::endless});
                } else {
                    packing_.pack(to.state, worker.packed.data());
                    const std::uint64_t hash = PackedStates::hash(worker.packed.data(), worker.packed.size());
                    const std::size_t shard = hash % shards;
                    found.words[shard].insert(found.words[shard].end(), worker.packed.begin(),
                                              worker.packed.end());
                    found.successors[shard].push_back(
                        {id, static_cast<std::uint32_t>(remaining_.potential(to.state)), hash, to.steps,
                         to.probability});
                }
                if (++found.effort % successors_between_looks == 0)
                    found.stop = options_.limits.asked_to_end();
                return found.stop == WorkEnd::complete;
            });
        if (!all && found.stop == WorkEnd::complete) found.stop = WorkEnd::memory_limit;
    }

    void check_limits(std::size_t layer) {
        std::uint64_t bytes = 0;
        for (std::size_t i = std::min(lowest_, layer); i <= layer; ++i)
            for (const TimesTable& table : layers_[i]) bytes += table.bytes();
        result_.bytes = std::max(result_.bytes, bytes);
        if (result_.stop != WorkEnd::complete) return;
        result_.stop =
            bytes > options_.limits.memory ? WorkEnd::memory_limit : options_.limits.asked_to_end();
    }

    const MultisetNet& net_;
    DistributionOptions options_;
    RemainingSteps remaining_;
    StatePacking packing_;
    tbb::enumerable_thread_specific<Worker> workers_;
    std::vector<Layer> layers_;
    std::size_t lowest_ = ~std::size_t{0};
    std::map<std::uint64_t, double> ends_;
    bool stalled_ = false;
    StepDistribution result_;
};

}  // namespace

std::optional<StepDistribution> multiset_distribution(const MultisetNet& net,
                                                      const DistributionOptions& options) {
    return Distribution(net, options).compute();
}

}  // namespace warpnet
