#include "analysis/net/run_extremes.hpp"

#include "analysis/net/possible_steps.hpp"
#include "engine/random.hpp"

#include <algorithm>
#include <deque>
#include <unordered_set>

namespace warpnet {

namespace {

constexpr std::uint32_t none = 0xffffffff;

/// All markings met, each stored once, numbered in the order of discovery.
class MarkingStore {
  public:
    explicit MarkingStore(std::size_t places) : places_(places), known_(16, Hash{this}, Equal{this}) {}

    std::size_t size() const noexcept { return count_; }
    std::span<const Tokens> operator[](std::uint32_t state) const {
        return std::span(tokens_).subspan(state * places_, places_);
    }

    /// The number of a marking and whether it is new.
    std::pair<std::uint32_t, bool> insert(const Marking& marking) {
        tokens_.insert(tokens_.end(), marking.begin(), marking.end());
        const auto [at, added] = known_.insert(static_cast<std::uint32_t>(count_));
        if (added) {
            ++count_;
        } else {
            tokens_.resize(count_ * places_);
        }
        return {*at, added};
    }

  private:
    struct Hash {
        const MarkingStore* store;
        std::size_t operator()(std::uint32_t state) const {
            std::uint64_t hash = 0;
            for (const Tokens tokens : (*store)[state])
                hash = hash_bits(hash, static_cast<std::uint64_t>(tokens));
            return hash;
        }
    };
    struct Equal {
        const MarkingStore* store;
        bool operator()(std::uint32_t a, std::uint32_t b) const {
            return std::ranges::equal((*store)[a], (*store)[b]);
        }
    };

    std::size_t places_;
    std::size_t count_ = 0;
    std::vector<Tokens> tokens_;
    std::unordered_set<std::uint32_t, Hash, Equal> known_;
};

struct Edge {
    std::uint32_t target;
    std::uint32_t ordinal;  // of the step among the possible steps of the source
    bool timed;
};

class StepGraph {
  public:
    StepGraph(const CompiledNet& net, const ExtremesOptions& options)
        : net_(net), options_(options), markings_(net.place_count()) {}

    RunExtremes extremes() && {
        RunExtremes result;
        result.stop = explore();
        result.states = markings_.size();
        result.edges = edges_.all().size();
        if (result.stop != ExploreStop::complete) return result;
        find_shortest(result);
        find_longest(result);
        return result;
    }

  private:
    ExploreStop explore() {
        markings_.insert(net_.initial);
        const std::uint64_t bytes_per_state = 48 + net_.place_count() * sizeof(Tokens);
        for (std::uint32_t state = 0; state < markings_.size(); ++state) {
            if (markings_.size() > options_.max_states) return ExploreStop::state_limit;
            if (markings_.size() * bytes_per_state + edges_.all().size() * sizeof(Edge) > options_.memory) {
                return ExploreStop::memory_limit;
            }
            if (state % 64 == 0) {
                if (options_.interrupt != nullptr && options_.interrupt->load())
                    return ExploreStop::interrupted;
                if (options_.deadline && std::chrono::steady_clock::now() >= *options_.deadline)
                    return ExploreStop::time_limit;
            }
            const Marking from(markings_[state].begin(), markings_[state].end());
            bool overflow = false, too_many = false;
            std::uint32_t ordinal = 0;
            for_each_possible_step(net_, from, options_.semantics, [&](const ScheduledStep& step) {
                Marking next = from;
                if (!fire_step(net_, step, next)) {
                    overflow = true;
                    return false;
                }
                edges_.append({markings_.insert(next).first, ordinal++, !step.immediate});
                too_many = markings_.size() > options_.max_states;
                return !too_many;
            });
            edges_.close_row();
            if (overflow) return ExploreStop::overflow;
            if (too_many) return ExploreStop::state_limit;
        }
        return ExploreStop::complete;
    }

    ScheduledStep step_of(std::uint32_t state, std::uint32_t ordinal) const {
        ScheduledStep found;
        for_each_possible_step(net_, markings_[state], options_.semantics, [&](const ScheduledStep& step) {
            if (ordinal-- > 0) return true;
            found = step;
            return false;
        });
        return found;
    }

    /// The steps along edges chosen by next(state), until it has none.
    template <class Next>
    Schedule follow(std::uint32_t state, Next&& next) const {
        Schedule schedule;
        for (const Edge* edge = next(state); edge != nullptr; edge = next(state)) {
            schedule.push_back(step_of(state, edge->ordinal));
            state = edge->target;
        }
        return schedule;
    }

    /// Breadth-first from the start, where an immediate edge costs 0 and a timed one 1.
    void find_shortest(RunExtremes& result) const {
        std::vector<std::uint64_t> distance(markings_.size(), ~std::uint64_t{0});
        std::vector<std::pair<std::uint32_t, const Edge*>> reached_by(markings_.size(), {none, nullptr});
        std::deque<std::pair<std::uint64_t, std::uint32_t>> queue{{0, 0}};
        distance[0] = 0;
        std::uint32_t nearest = none;
        for (std::uint32_t state = 0; state < markings_.size(); ++state)
            result.dead_states += edges_[state].empty() ? 1u : 0u;
        while (!queue.empty()) {
            const auto [steps, state] = queue.front();
            queue.pop_front();
            if (steps > distance[state]) continue;
            if (edges_[state].empty()) {
                nearest = state;
                break;
            }
            for (const Edge& edge : edges_[state]) {
                const std::uint64_t then = steps + (edge.timed ? 1 : 0);
                if (then >= distance[edge.target]) continue;
                distance[edge.target] = then;
                reached_by[edge.target] = {state, &edge};
                if (edge.timed) {
                    queue.emplace_back(then, edge.target);
                } else {
                    queue.emplace_front(then, edge.target);
                }
            }
        }
        if (nearest == none) return;
        result.shortest = distance[nearest];
        result.shortest_schedule = path_to(nearest, reached_by);
    }

    Schedule path_to(std::uint32_t state,
                     const std::vector<std::pair<std::uint32_t, const Edge*>>& reached_by) const {
        Schedule schedule;
        for (; reached_by[state].second != nullptr; state = reached_by[state].first) {
            schedule.push_back(step_of(reached_by[state].first, reached_by[state].second->ordinal));
        }
        std::reverse(schedule.begin(), schedule.end());
        return schedule;
    }

    /// Depth-first: a state is finished after all its successors, and its longest run is then known. An edge
    /// to a state still on the path closes a cycle.
    void find_longest(RunExtremes& result) const {
        enum Colour : std::uint8_t { fresh, on_path, finished };
        std::vector<std::uint8_t> colour(markings_.size(), fresh);
        std::vector<std::uint64_t> longest(markings_.size(), 0);
        std::vector<const Edge*> best(markings_.size(), nullptr);
        std::vector<std::pair<std::uint32_t, std::size_t>> path{{0, 0}};  // state, edges taken
        colour[0] = on_path;
        while (!path.empty()) {
            auto& [state, taken] = path.back();
            const auto edges = edges_[state];
            if (taken == edges.size()) {
                colour[state] = finished;
                for (const Edge& edge : edges) {
                    const std::uint64_t steps = longest[edge.target] + (edge.timed ? 1 : 0);
                    if (best[state] != nullptr && steps <= longest[state]) continue;
                    longest[state] = steps;
                    best[state] = &edge;
                }
                path.pop_back();
                continue;
            }
            const std::uint32_t target = edges[taken++].target;
            if (colour[target] == finished) continue;
            if (colour[target] == on_path) {
                for (std::size_t i = 0, in_cycle = 0; i < path.size(); ++i) {
                    const auto [from, used] = path[i];
                    in_cycle |= from == target ? 1u : 0u;
                    (in_cycle != 0 ? result.cycle : result.cycle_prefix)
                        .push_back(step_of(from, edges_[from][used - 1].ordinal));
                }
                return;
            }
            colour[target] = on_path;
            path.emplace_back(target, 0);
        }
        result.longest = longest[0];
        result.longest_schedule = follow(0, [&](std::uint32_t state) { return best[state]; });
    }

    const CompiledNet& net_;
    const ExtremesOptions& options_;
    MarkingStore markings_;
    Rows<Edge> edges_;  // per state
};

}  // namespace

RunExtremes run_extremes(const CompiledNet& net, const ExtremesOptions& options) {
    return StepGraph(net, options).extremes();
}

}  // namespace warpnet
