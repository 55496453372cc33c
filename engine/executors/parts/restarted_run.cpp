// Runs restarted parts. A part that has ended its block run waits for the next token of the stock. If the
// stock runs short, the policy resolves the conflict between the waiting dispatchers as in any other net.
// Block runs that are certain to be needed are prepared in parallel before their start is known, since they
// depend only on their part and their number.

#include "engine/base/random.hpp"
#include "engine/executors/loop/conflict_order.hpp"
#include "engine/executors/modules/net.hpp"
#include "engine/executors/parts/meeting_run.hpp"
#include "engine/executors/parts/restarted_parts.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include <tbb/parallel_for.h>

namespace warpnet {

namespace {

/// The run of a part from one dispatch to the next.
struct StartedBlockRun {
    std::uint64_t begin = 0;  ///< the number of steps of the whole run before it
    std::unique_ptr<StepRecorder> recorder;
    std::unique_ptr<RunInProgress> run;
    std::optional<RunResult> result;  ///< set when it has ended

    std::uint64_t end() const { return begin + result->steps; }
};

struct RunningPart {
    std::uint64_t block_runs = 0;  ///< started so far, without a prepared one
    StartedBlockRun block_run;
    StartedBlockRun prepared;  ///< the next one, begun beforehand; it has no run if none is prepared
    std::vector<StartedBlockRun> to_show;
};

class RestartedRun final : public MeetingRun {
  public:
    RestartedRun(const CompiledNet& net, const RestartedParts& parts, const RunOptions& options,
                 Observer* observer)
        : MeetingRun(net, options, observer, steps_between_meetings),
          parts_(parts.parts),
          stock_place_(parts.stock),
          stock_(net.initial[parts.stock]),
          order_(options, net.transition_count()),
          running_(parts_.size()) {
        for (std::uint32_t i = 0; i < parts_.size(); ++i) {
            running_[i].block_run = begin_block_run(i, 0);
            busy_.push_back(i);
        }
    }

    bool endless() const override {
        return waiting_.empty() && std::all_of(running_.begin(), running_.end(), [](const RunningPart& part) {
                   return part.block_run.result || part.block_run.run->endless();
               });
    }

    void collect(RunResult& result) override {
        result.marking[stock_place_] = stock_;
        for (std::uint32_t i = 0; i < parts_.size(); ++i) {
            StartedBlockRun& block_run = running_[i].block_run;
            if (!block_run.result) block_run.result = block_run.run->finish();
            count(i, *block_run.result);
            const Marking& marking = block_run.result->marking;
            const auto& places = parts_[i].nodes.places;
            for (std::size_t p = 0; p < places.size(); ++p) result.marking[places[p]] = marking[p];
            result.marking[parts_[i].counter] = modules_at_end(*parts_[i].block_run, marking);
        }
    }

  private:
    static constexpr std::uint64_t steps_between_meetings = 16384;

    StartedBlockRun begin_block_run(std::uint32_t i, std::uint64_t begin) {
        StartedBlockRun block_run;
        block_run.begin = begin;
        RunOptions options = options_of_part(options_, i, parts_[i].nodes);
        options.seed = hash_bits(options.seed, running_[i].block_runs++);
        if (options_.keyed) options.seed = options_.seed;
        options.steps_before = options_.steps_before + begin;
        options.limits = {};
        if (observer_ != nullptr) block_run.recorder = std::make_unique<StepRecorder>();
        const BlockRun& of = *parts_[i].block_run;
        block_run.run = begin_module_run(of.net, *of.modules, options, block_run.recorder.get());
        return block_run;
    }

    /// Advances to step `until` of the whole run, or to the end of the block run.
    static void advance_block_run(StartedBlockRun& block_run, std::uint64_t until) {
        if (!block_run.result && block_run.run->advance(until - block_run.begin) == StopReason::dead)
            block_run.result = block_run.run->finish();
    }

    /// Alternates between two phases. The running block runs and the prepared ones advance in parallel to the
    /// same step. Then waiting parts are dispatched in the order of their waiting times. If a dispatched
    /// block run was not prepared, it must be executed first, so the phases are repeated.
    StopReason advance_parts(std::uint64_t until) override {
        do {
            const std::size_t prepared = prepare(until);
            tbb::parallel_for(std::size_t{0}, busy_.size() + prepared, [&](std::size_t i) {
                if (i < busy_.size()) return advance_block_run(running_[busy_[i]].block_run, until);
                advance_block_run(running_[prepared_[i - busy_.size()]].prepared, until);
            });
            std::erase_if(busy_, [&](std::uint32_t i) { return enter_queue(i); });
        } while (dispatch(until));
        const bool is_dead = busy_.empty() && waiting_.empty();
        if (is_dead) {
            until = now_;
            for (const RunningPart& part : running_) until = std::max(until, part.block_run.end());
        }
        show(until);
        now_ = until;
        return is_dead ? StopReason::dead : StopReason::step_limit;
    }

    /// Prepares the next block run of each part that may get one and has none prepared, longest waiting parts
    /// first.
    std::size_t prepare(std::uint64_t until) {
        prepared_.clear();
        auto left = stock_;
        for (auto at = waiting_.begin(); at != waiting_.end() && left > 0 && at->first <= until;
             ++at, --left) {
            RunningPart& part = running_[at->second];
            if (part.prepared.run != nullptr) continue;
            part.prepared = begin_block_run(at->second, at->first);
            prepared_.push_back(at->second);
        }
        return prepared_.size();
    }

    /// Returns whether the block run of a part has ended. The part then waits for its next block run if all
    /// its modules have ended.
    bool enter_queue(std::uint32_t i) {
        const StartedBlockRun& block_run = running_[i].block_run;
        if (!block_run.result) return false;
        if (stock_ > 0 && block_run.result->marking == parts_[i].block_run->end)
            waiting_.emplace(block_run.end() + 1, i);
        return true;
    }

    /// Starts the block runs of waiting parts, in the order of their arrival, up to step `until`. Returns
    /// whether it had to stop at a part whose new block run has not been executed yet.
    bool dispatch(std::uint64_t until) {
        while (!waiting_.empty() && waiting_.begin()->first <= until) {
            const std::uint64_t step = waiting_.begin()->first;
            std::vector<std::uint32_t> dispatchers;
            std::vector<std::pair<std::uint32_t, std::uint32_t>> parts;  // (dispatcher, part)
            for (auto at = waiting_.begin(); at != waiting_.end() && at->first == step; ++at) {
                dispatchers.push_back(parts_[at->second].dispatcher);
                parts.emplace_back(dispatchers.back(), at->second);
            }
            if (std::cmp_greater(dispatchers.size(), stock_)) {
                std::sort(dispatchers.begin(), dispatchers.end());
                order_.go_to_round(step);
                order_.arrange(dispatchers);
                dispatchers.resize(static_cast<std::size_t>(stock_));
            }
            bool all_run = true;
            for (const auto& [dispatcher, part] : parts) {
                const bool wins =
                    std::find(dispatchers.begin(), dispatchers.end(), dispatcher) != dispatchers.end();
                if (wins) all_run = start(part, step) && all_run;
            }
            if (stock_ == 0) waiting_.clear();
            if (!all_run) return true;
        }
        return false;
    }

    /// Starts the next block run of a part. Returns whether it was prepared and is already executed.
    bool start(std::uint32_t i, std::uint64_t step) {
        RunningPart& part = running_[i];
        waiting_.erase({step, i});
        --stock_;
        ++result_.firings;
        if (options_.count_firings) ++result_.counts[parts_[i].dispatcher];
        count(i, *part.block_run.result);
        if (observer_ != nullptr) {
            dispatched_.emplace(step, parts_[i].dispatcher);
            part.to_show.push_back(std::move(part.block_run));
        }
        const bool was_prepared = part.prepared.run != nullptr;
        part.block_run = was_prepared ? std::exchange(part.prepared, {}) : begin_block_run(i, step);
        if (!was_prepared || !enter_queue(i)) busy_.push_back(i);
        return was_prepared;
    }

    void count(std::uint32_t i, const RunResult& block_run) {
        result_.firings += block_run.firings;
        for (std::size_t t = 0; t < block_run.counts.size(); ++t)
            result_.counts[parts_[i].nodes.transitions[t]] += block_run.counts[t];
    }

    static Tokens modules_at_end(const BlockRun& block_run, const Marking& marking) {
        Tokens ended = 0;
        for (std::uint32_t module = 0; module < block_run.modules->size(); ++module) {
            const auto places = block_run.modules->places[module];
            ended += std::all_of(places.begin(), places.end(),
                                 [&](std::uint32_t place) { return marking[place] == block_run.end[place]; })
                         ? 1
                         : 0;
        }
        return ended;
    }

    /// Shows the steps after now_ one by one.
    void show(std::uint64_t until) {
        if (observer_ == nullptr) return;
        auto dispatched = dispatched_.begin();
        for (std::uint64_t step = now_ + 1; step <= until; ++step) {
            for (std::size_t i = 0; i < parts_.size(); ++i) {
                for (const StartedBlockRun& block_run : running_[i].to_show) show(i, block_run, step);
                show(i, running_[i].block_run, step);
            }
            for (; dispatched != dispatched_.end() && dispatched->first == step; ++dispatched)
                display_.firings().push_back({dispatched->second, 1});
            display_.show(step);
        }
        dispatched_.clear();
        for (RunningPart& part : running_) {
            part.to_show.clear();
            part.block_run.recorder->clear();
        }
    }

    void show(std::size_t i, const StartedBlockRun& block_run, std::uint64_t step) {
        if (step <= block_run.begin) return;
        for (const auto [transition, times] : block_run.recorder->firings_of(step - block_run.begin))
            display_.firings().push_back({parts_[i].nodes.transitions[transition], times});
    }

    const std::vector<RestartedPart>& parts_;
    std::uint32_t stock_place_;
    Tokens stock_;
    ConflictOrder order_;
    std::vector<RunningPart> running_;
    std::vector<std::uint32_t> busy_;  // parts with a block run in progress
    std::set<std::pair<std::uint64_t, std::uint32_t>>
        waiting_;                          // (first step in which it could be served, part)
    std::vector<std::uint32_t> prepared_;  // in the current round
    std::set<std::pair<std::uint64_t, std::uint32_t>> dispatched_;  // (step, dispatcher), not shown yet
};

}  // namespace

std::unique_ptr<RunInProgress> begin_restarted_run(const CompiledNet& net, const RestartedParts& parts,
                                                   const RunOptions& options, Observer* observer) {
    return std::make_unique<RestartedRun>(net, parts, options, observer);
}

}  // namespace warpnet
