#include "analysis/worst/bounds/pair_bound.hpp"

#include "analysis/ranks/collectives.hpp"
#include "analysis/worst/bounds/pair_program.hpp"
#include "analysis/worst/bounds/triple_program.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <span>

#include <fmt/format.h>

namespace warpnet {

namespace {

/// How many steps before the end of a wait the part that moves last knows of it.
constexpr std::uint32_t waits_beside_pairs = 4;
constexpr std::uint32_t waits_beside_triples = 6;

class PairBounds {
  public:
    explicit PairBounds(const PairBoundInput& input) : input_(input) {}

    std::optional<LastMoveBound> bound() {
        if (!find_steps()) return std::nullopt;
        std::vector<std::size_t> order(input_.classes.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::stable_sort(order.begin(), order.end(),
                         [&](std::size_t a, std::size_t b) { return input_.known[a] > input_.known[b]; });
        std::uint64_t best = 0;
        std::size_t columns = 0;
        // The first class alone: where its programs improve on nothing, those of others are in vain.
        std::vector<ClassBound> round;
        std::size_t begin = 0, end = 0;  // of the classes of the round, in their order
        for (std::size_t i = 0; i < order.size() && input_.known[order[i]] > best; ++i) {
            if (i == end) {
                begin = i;
                end = std::min(order.size(), begin + (begin == 0 ? 1 : ranks()));
                round = bounds_of(std::span(order).subspan(begin, end - begin));
            }
            best = std::max(best, round[i - begin].steps);
            columns = std::max(columns, round[i - begin].columns);
        }
        if (best >= input_.known[order.front()]) return std::nullopt;
        return LastMoveBound{
            best,
            fmt::format("a flow through the states of the part that moves last together with those of each "
                        "other part, while long delays of the others must begin by keeping it waiting: "
                        "a linear program of {} columns, its dual checked in whole numbers",
                        columns)};
    }

  private:
    /// A bound if a module of a class moves last.
    struct ClassBound {
        std::uint64_t steps = 0;
        std::size_t columns = 0;  ///< of the largest program that was solved
    };

    std::size_t ranks() const {
        return input_.ranks == nullptr ? 1 : static_cast<std::size_t>(input_.ranks->size());
    }

    /// Of so many classes, each by one rank. REQUIRES: no more than ranks.
    std::vector<ClassBound> bounds_of(std::span<const std::size_t> classes) {
        const std::size_t rank = input_.ranks == nullptr ? 0 : static_cast<std::size_t>(input_.ranks->rank());
        return values_of_all(input_.ranks, rank < classes.size() ? bound_of(classes[rank]) : ClassBound{});
    }

    bool find_steps() {
        std::vector<std::uint8_t> ample(input_.parts.hubs.size(), 1);
        ample[input_.hub] = 0;
        auto steps = module_steps(input_.net, input_.parts, input_.graph, input_.classes, input_.hub, ample,
                                  input_.most_columns);
        if (!steps) return false;
        steps_ = std::move(*steps);
        kind_of_.resize(input_.classes.size());
        start_of_.resize(input_.classes.size());
        for (std::size_t kind = 0; kind < steps_.size(); ++kind) {
            for (std::size_t i = 0; i < steps_[kind].classes.size(); ++i) {
                kind_of_[steps_[kind].classes[i]] = kind;
                start_of_[steps_[kind].classes[i]] = steps_[kind].start[i];
            }
        }
        return true;
    }

    /// By pairs, with as long a memory of service as the columns allow, then by triples.
    ClassBound bound_of(std::size_t last) {
        best_ = {input_.known[last], 0};
        const ModuleSteps& steps = steps_[kind_of_[last]];
        const auto states = static_cast<std::uint32_t>(steps.ended.size());
        const std::vector<Others> others = others_of(last);
        std::int64_t parts = 0;
        for (const Others& kind : others) parts += kind.parts;
        const auto improve = [&](LastPartMemory memory, auto build, std::int64_t walks) {
            const LastPart moves = last_part(steps, start_of_[last], memory);
            const FlowInput flow{steps,
                                 moves,
                                 input_.classes[last].supplies,
                                 others,
                                 input_.net.initial[input_.parts.hubs[input_.hub]],
                                 input_.most_columns};
            const std::optional<LinearProgram> program = build(flow);
            return program && solve(*program, walks);
        };
        if (improve({0, waits_beside_pairs}, pair_program, parts) &&
            improve({states, waits_beside_pairs}, pair_program, parts))
            improve({0, waits_beside_triples}, triple_program, parts * (parts - 1) / 2);
        return best_;
    }

    /// Each step of w is met by so many walks. False where the program was not solved.
    bool solve(const LinearProgram& program, std::int64_t walks) {
        if (input_.limits.must_end()) return false;
        const auto total = static_cast<std::int64_t>(best_.steps) * (walks + 1);
        const CertifiedMaximum result = certified_maximum(program, total, input_.limits);
        if (result.status != BoundStatus::bounded) return false;
        best_.columns = std::max(best_.columns, program.columns());
        best_.steps =
            std::min(best_.steps, static_cast<std::uint64_t>(std::max<std::int64_t>(result.value, 0)));
        return true;
    }

    std::vector<Others> others_of(std::size_t last) const {
        std::vector<Others> result;
        for (const ModuleSteps& steps : steps_) {
            Others kind{&steps, 0, {}, std::vector<Tokens>(steps.used_up.size(), 0)};
            std::map<std::uint32_t, std::int64_t> starts;
            for (std::size_t i = 0; i < steps.classes.size(); ++i) {
                const std::uint32_t number = steps.classes[i];
                const ModuleClass& same = input_.classes[number];
                const std::int64_t parts = static_cast<std::int64_t>(same.modules) - (number == last ? 1 : 0);
                kind.parts += parts;
                if (parts > 0) starts[steps.start[i]] += parts;
                for (std::size_t s = 0; s < same.supplies.size(); ++s)
                    kind.supplies[s] += parts * same.supplies[s];
            }
            kind.starts.assign(starts.begin(), starts.end());
            if (kind.parts > 0) result.push_back(std::move(kind));
        }
        return result;
    }

    const PairBoundInput& input_;
    std::vector<ModuleSteps> steps_;
    std::vector<std::size_t> kind_of_;     // per class
    std::vector<std::uint32_t> start_of_;  // per class
    ClassBound best_;                      // so far, of the class at hand
};

}  // namespace

std::optional<LastMoveBound> pair_bound(const PairBoundInput& input) { return PairBounds(input).bound(); }

}  // namespace warpnet
