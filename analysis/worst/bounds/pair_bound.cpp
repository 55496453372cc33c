// The second argument for an upper bound: a run is a flow through the joint states of the part w that moves
// last and one other part (pairs) or two (triples). The longest flow is a linear program. The header has the
// constraints. Pairs come first, with as long a memory of service as the columns allow; triples refine the
// best classes. The programs of different classes are independent, so ranks solve them in parallel; a class
// that cannot improve on the known bound is skipped. Dual solutions are checked in whole numbers (linear/),
// so rounding cannot make a bound wrong.

#include "analysis/worst/bounds/pair_bound.hpp"

#include "engine/base/no_index.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <tuple>

#include <fmt/format.h>

namespace warpnet::worst {

namespace {

using Sense = states::LinearProgram::Sense;

class PairProgram {
  public:
    explicit PairProgram(const FlowInput& input)
        : input_(input), last_(input.last), leaving_(moves_by_state(last_.moves, last_.states)) {
        for (const Others& kind : input.others) all_ += kind.parts;
    }

    std::optional<states::LinearProgram> build() {
        add_moves_of_last();
        for (const Others& kind : input_.others) {
            if (!add_kind(kind)) return std::nullopt;
        }
        return std::move(program_);
    }

  private:
    /// Rows: the meaning of each move of w for the hub.
    void add_moves_of_last() {
        add_last_part(program_, input_.last_steps, last_, input_.supplies);
        for (std::uint32_t column = 0; column < last_.moves.size(); ++column) {
            const ModuleSteps::Move& step = input_.last_steps.moves[last_.moves[column].move];
            if (step.waits) {
                hold_rows_.push_back(program_.add_row(Sense::equal, 0));
                program_.add_entry(hold_rows_.back(), column, -input_.tokens);
                wait_rows_.push_back(no_index);
            } else {
                hold_rows_.push_back(program_.add_row(Sense::at_most, 0));
                program_.add_entry(hold_rows_.back(), column, -(input_.tokens - step.holds));
                wait_rows_.push_back(program_.add_row(Sense::at_most, 0));
            }
        }
    }

    /// False if there would be too many columns.
    bool add_kind(const Others& kind) {
        const ModuleSteps& steps = *kind.steps;
        const Rows<std::uint32_t> leaving = moves_by_state(steps.moves, steps.ended.size());
        const std::vector<std::uint32_t> supply_rows = add_supply_rows(program_, steps, kind.supplies);
        std::vector<std::uint32_t> meeting_rows;
        for (std::uint32_t move = 0; move < last_.moves.size(); ++move) {
            meeting_rows.push_back(program_.add_row(Sense::equal, 0));
            program_.add_entry(meeting_rows.back(), move, -kind.parts);
        }
        std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> rows;
        std::vector<std::pair<std::uint32_t, std::uint32_t>> open;
        const auto row_of = [&](std::uint32_t w, std::uint32_t v, std::int64_t begin) {
            const auto [at, added] = rows.try_emplace({w, v}, 0);
            if (added) {
                at->second = program_.add_row(Sense::equal, begin);
                open.emplace_back(w, v);
            }
            return at->second;
        };
        for (const auto& [start, parts] : kind.starts) row_of(last_.start, start, parts);
        while (!open.empty()) {
            const auto [w, v] = open.back();
            open.pop_back();
            const std::uint32_t from = rows.at({w, v});
            for (const std::uint32_t number : leaving_[w]) {
                const LastPart::Move& move = last_.moves[number];
                for (const std::uint32_t other : leaving[v]) {
                    const ModuleSteps::Move& step = steps.moves[other];
                    if (move.ends && steps.ended[step.to] == 0) continue;
                    const std::uint32_t column = program_.add_column(0);
                    program_.add_entry(from, column, 1);
                    if (!move.ends) program_.add_entry(row_of(move.to, step.to, 0), column, -1);
                    program_.add_entry(meeting_rows[number], column, 1);
                    for (const auto [supply, weight] : steps.uses[other])
                        program_.add_entry(supply_rows[supply], column, weight);
                    share_hub(number, column, step);
                }
            }
            if (program_.columns() > input_.most_columns) return false;
        }
        return true;
    }

    /// Which parts hold and which wait during a move of w.
    void share_hub(std::uint32_t move, std::uint32_t column, const ModuleSteps::Move& step) {
        program_.add_entry(hold_rows_[move], column, step.holds);
        if (wait_rows_[move] == no_index) return;
        const std::int64_t free = input_.tokens - input_.last_steps.moves[last_.moves[move].move].holds;
        // A waiting part sees that all tokens left by w are taken: q > 0 only with h = free, and q <= all -
        // h. So free q <= (all - free) h; if the remaining parts cannot take all free tokens, no part waits.
        if (step.waits) program_.add_entry(wait_rows_[move], column, all_ > free ? free : 1);
        if (step.holds > 0 && all_ > free) program_.add_entry(wait_rows_[move], column, free - all_);
    }

    const FlowInput& input_;
    const LastPart& last_;
    Rows<std::uint32_t> leaving_;
    std::int64_t all_ = 0;
    states::LinearProgram program_;
    std::vector<std::uint32_t> hold_rows_, wait_rows_;  // per move of w
};

}  // namespace

std::optional<states::LinearProgram> pair_program(const FlowInput& input) {
    return PairProgram(input).build();
}

namespace {

using Sense = states::LinearProgram::Sense;

class TripleProgram {
  public:
    explicit TripleProgram(const FlowInput& input)
        : input_(input),
          last_(input.last),
          others_(input.others.front()),
          steps_(*others_.steps),
          last_leaving_(moves_by_state(last_.moves, last_.states)),
          leaving_(moves_by_state(steps_.moves, steps_.ended.size())) {}

    std::optional<states::LinearProgram> build() {
        add_last_part(program_, input_.last_steps, last_, input_.supplies);
        supply_rows_ = add_supply_rows(program_, steps_, others_.supplies, others_.parts - 1);
        for (std::uint32_t move = 0; move < last_.moves.size(); ++move) {
            meeting_rows_.push_back(program_.add_row(Sense::equal, 0));
            program_.add_entry(meeting_rows_.back(), move, -pairs());
        }
        add_starts();
        while (!open_.empty()) {
            const Triple from = open_.back();
            open_.pop_back();
            leave(from);
            if (program_.columns() > input_.most_columns) return std::nullopt;
        }
        return std::move(program_);
    }

  private:
    using Triple = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;  // states; other parts' ascending

    std::int64_t pairs() const { return others_.parts * (others_.parts - 1) / 2; }

    std::uint32_t row_of(std::uint32_t w, std::uint32_t first, std::uint32_t second, std::int64_t begin) {
        const Triple triple{w, std::min(first, second), std::max(first, second)};
        const auto [at, added] = rows_.try_emplace(triple, 0);
        if (added) {
            at->second = program_.add_row(Sense::equal, begin);
            open_.push_back(triple);
        }
        return at->second;
    }

    void add_starts() {
        for (std::size_t i = 0; i < others_.starts.size(); ++i) {
            const auto [first, parts] = others_.starts[i];
            if (parts > 1) row_of(last_.start, first, first, parts * (parts - 1) / 2);
            for (std::size_t j = i + 1; j < others_.starts.size(); ++j)
                row_of(last_.start, first, others_.starts[j].first, parts * others_.starts[j].second);
        }
    }

    void leave(const Triple& from) {
        const auto [w, first, second] = from;
        const std::uint32_t row = rows_.at(from);
        for (const std::uint32_t move : last_leaving_[w]) {
            for (const std::uint32_t one : leaving_[first]) {
                for (const std::uint32_t other : leaving_[second]) {
                    if (first == second && other < one) continue;
                    add_column(row, move, one, other);
                }
            }
        }
    }

    void add_column(std::uint32_t from, std::uint32_t number, std::uint32_t one, std::uint32_t other) {
        const LastPart::Move& move = last_.moves[number];
        const std::array<std::uint32_t, 2> moves{one, other};
        if (steps_.moves[one].holds + steps_.moves[other].holds > free(move)) return;
        if (move.ends &&
            (steps_.ended[steps_.moves[one].to] == 0 || steps_.ended[steps_.moves[other].to] == 0))
            return;
        const std::uint32_t column = program_.add_column(0);
        program_.add_entry(from, column, 1);
        if (!move.ends)
            program_.add_entry(row_of(move.to, steps_.moves[one].to, steps_.moves[other].to, 0), column, -1);
        program_.add_entry(meeting_rows_[number], column, 1);
        for (std::size_t i = 0; i < moves.size(); ++i) {
            for (const auto [supply, weight] : steps_.uses[moves[i]])
                program_.add_entry(supply_rows_[supply], column, weight);
            share_hub(number, column, moves[i], steps_.moves[moves[1 - i]]);
        }
    }

    /// Tokens of the hub that remain during a move of w.
    std::int64_t free(const LastPart::Move& move) const {
        return input_.tokens - input_.last_steps.moves[move.move].holds;
    }

    /// The third parts during a move of w and a move `mine` of another part, as far as a third part with the
    /// move `theirs` is concerned.
    void share_hub(std::uint32_t number, std::uint32_t column, std::uint32_t mine,
                   const ModuleSteps::Move& theirs) {
        const LastPart::Move& move = last_.moves[number];
        const ModuleSteps::Move& step = steps_.moves[mine];
        const std::int64_t third_parts = others_.parts - 1;
        const std::int64_t left = free(move) - step.holds;
        const bool exact = input_.last_steps.moves[move.move].waits || step.waits;
        const auto [at, added] = hub_rows_.try_emplace({number, mine}, HubRows{});
        if (added) {
            at->second.holds = program_.add_row(exact ? Sense::equal : Sense::at_most, 0);
            if (!exact) at->second.waits = program_.add_row(Sense::at_most, 0);
        }
        // Summed over third_parts columns, one for each: their tokens are `left`, or at most that.
        program_.add_entry(at->second.holds, column, third_parts * theirs.holds - left);
        if (exact) return;
        // As in pair_program(): left q <= (third_parts - left) h.
        const std::int64_t idle = third_parts - left;
        if (theirs.waits) program_.add_entry(at->second.waits, column, idle > 0 ? left : 1);
        if (theirs.holds > 0 && idle > 0) program_.add_entry(at->second.waits, column, -idle);
    }

    struct HubRows {
        std::uint32_t holds = 0;
        std::uint32_t waits = 0;  ///< if no part need wait
    };

    const FlowInput& input_;
    const LastPart& last_;
    const Others& others_;
    const ModuleSteps& steps_;
    Rows<std::uint32_t> last_leaving_, leaving_;
    states::LinearProgram program_;
    std::vector<std::uint32_t> supply_rows_, meeting_rows_;
    std::map<Triple, std::uint32_t> rows_;
    std::vector<Triple> open_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, HubRows> hub_rows_;  // by moves of w and another part
};

}  // namespace

std::optional<states::LinearProgram> triple_program(const FlowInput& input) {
    if (input.others.size() != 1 || input.others.front().parts < 2) return std::nullopt;
    return TripleProgram(input).build();
}

namespace {

/// The number of steps before the end of a wait at which the part that moves last knows of it.
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
        for (std::size_t i = 0; i < order.size() && input_.known[order[i]] > best; ++i) {
            const ClassBound bound = bound_of(order[i]);
            best = std::max(best, bound.steps);
            columns = std::max(columns, bound.columns);
        }
        if (best >= input_.known[order.front()]) return std::nullopt;
        return LastMoveBound{
            best, fmt::format(
                      "a flow through the joint states of the part that moves last and each other part, in "
                      "which a long delay of another part begins by keeping the last part waiting: a linear "
                      "program of {} columns, its dual solution checked in integers",
                      columns)};
    }

  private:
    /// A bound if a module of a class moves last.
    struct ClassBound {
        std::uint64_t steps = 0;
        std::size_t columns = 0;  ///< of the largest program that was solved
    };

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
            const std::optional<states::LinearProgram> program = build(flow);
            return program && solve(*program, walks);
        };
        if (improve({0, waits_beside_pairs}, pair_program, parts) &&
            improve({states, waits_beside_pairs}, pair_program, parts))
            improve({0, waits_beside_triples}, triple_program, parts * (parts - 1) / 2);
        return best_;
    }

    /// Each step of w coincides with this many walks. False if the program was not solved.
    bool solve(const states::LinearProgram& program, std::int64_t walks) {
        if (input_.limits.must_end()) return false;
        const auto total = static_cast<std::int64_t>(best_.steps) * (walks + 1);
        const states::CertifiedMaximum result = states::certified_maximum(program, total, input_.limits);
        if (result.status != states::BoundStatus::bounded) return false;
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
    ClassBound best_;                      // so far, of the current class
};

}  // namespace

std::optional<LastMoveBound> pair_bound(const PairBoundInput& input) { return PairBounds(input).bound(); }

}  // namespace warpnet::worst
