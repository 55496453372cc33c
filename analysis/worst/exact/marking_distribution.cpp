#include "analysis/worst/exact/marking_distribution.hpp"

#include "analysis/worst/exact/random_step.hpp"
#include "engine/base/random.hpp"
#include "engine/compile/firing_rule.hpp"
#include "engine/run/run.hpp"

#include <unordered_map>

namespace warpnet {

namespace {

struct MarkingHash {
    std::size_t operator()(const Marking& marking) const noexcept {
        std::uint64_t hash = marking.size();
        for (const Tokens tokens : marking) hash = hash_bits(hash, static_cast<std::uint64_t>(tokens));
        return static_cast<std::size_t>(hash);
    }
};

using Chances = std::unordered_map<Marking, double, MarkingHash>;

constexpr std::uint64_t states_between_looks = 256;  // at the clock

class Distribution {
  public:
    Distribution(const CompiledNet& net, const DistributionOptions& options) : net_(net), options_(options) {}

    StepDistribution compute() {
        Chances now{{net_.initial, 1.0}};
        for (std::uint64_t time = 0; !now.empty(); ++time) {
            const double ended = make_steps(std::move(now), time < options_.max_steps);
            if (result_.stop != WorkEnd::complete) return std::move(result_);
            if (ended > 0) result_.steps.push_back({time, ended});
            now = std::move(next_);
            next_ = Chances();
        }
        return std::move(result_);
    }

  private:
    /// All steps of markings reached at one time, immediate ones until there are no more; the timed ones lead
    /// to next_. The probability of runs that have ended.
    double make_steps(Chances now, bool more) {
        double ended = 0;
        for (std::uint64_t round = 0; !now.empty() && result_.stop == WorkEnd::complete; ++round) {
            Chances immediate;
            for (const auto& [marking, chance] : now) {
                ended += make_steps(marking, chance, more && round < max_immediate_rounds, immediate);
                check_limits(now.size() + immediate.size() + next_.size());
                if (result_.stop != WorkEnd::complete) return 0;
            }
            now = std::move(immediate);
        }
        return ended;
    }

    double make_steps(const Marking& marking, double chance, bool more, Chances& immediate) {
        ++result_.states;
        const auto [steps, stop] = random_steps(net_, marking, options_.limits);
        if (stop != WorkEnd::complete) {
            result_.stop = stop;
            return 0;
        }
        if (steps.empty()) return chance;
        for (const StepChance& step : steps) {
            const double probability = chance * step.probability;
            Marking then = marking;
            bool in_range = more;
            for (const std::uint32_t t : step.transitions) take(net_, then, t);
            for (const std::uint32_t t : step.transitions) in_range = in_range && give(net_, then, t);
            if (!in_range) {
                result_.longer += probability;
            } else if (steps.size() == 1 && then == marking) {
                result_.endless += probability;
            } else {
                (step.immediate ? immediate : next_)[std::move(then)] += probability;
            }
        }
        return 0;
    }

    void check_limits(std::size_t markings) {
        const std::uint64_t bytes = markings * (net_.place_count() * sizeof(Tokens) + 80);
        result_.bytes = std::max(result_.bytes, bytes);
        if (bytes > options_.limits.memory) result_.stop = WorkEnd::memory_limit;
        if (result_.stop == WorkEnd::complete && result_.states % states_between_looks == 0)
            result_.stop = options_.limits.asked_to_end();
    }

    const CompiledNet& net_;
    DistributionOptions options_;
    Chances next_;
    StepDistribution result_;
};

}  // namespace

StepDistribution marking_distribution(const CompiledNet& net, const DistributionOptions& options) {
    return Distribution(net, options).compute();
}

}  // namespace warpnet
