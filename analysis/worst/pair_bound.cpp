#include "analysis/worst/pair_bound.hpp"

#include "analysis/linear/linear_program.hpp"
#include "analysis/worst/module_steps.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include <fmt/format.h>

namespace warpnet {

namespace {

using Sense = LinearProgram::Sense;

/// The last steps of a wait that the part that moves last remembers.
constexpr std::uint32_t remembered_waits = 4;

/// The moves of the part that moves last, its states doubled by what it remembers.
struct LastPart {
    struct Move {
        std::uint32_t from, to;
        std::uint32_t move;  ///< of its ModuleSteps
        bool ends;
    };
    std::vector<Move> moves;
    std::uint32_t states = 0;
    std::uint32_t start = 0;
};

/// Memories of a state: how many steps ago w was served after a wait (up to a limit), or, while it waits:
/// that it will wait for so many steps more, or for longer.
class LastPartBuilder {
  public:
    LastPartBuilder(const ModuleSteps& steps, std::uint32_t longest_memory)
        : steps_(steps), longest_(longest_memory) {
        leaving_ = Rows<std::uint32_t>::sorted(steps.ended.size(), [&](auto put) {
            for (std::uint32_t move = 0; move < steps.moves.size(); ++move) put(steps.moves[move].from, move);
        });
    }

    LastPart build(std::uint32_t start) {
        result_.start = number({start, 0});
        for (std::size_t i = 0; i < order_.size(); ++i) {
            const State state = order_[i];
            const auto from = static_cast<std::uint32_t>(i);
            for (const std::uint32_t move : leaving_[state.state]) {
                if (steps_.moves[move].rests) continue;
                if (steps_.moves[move].waits) {
                    wait(from, state, move);
                } else if (!must_wait(state)) {
                    work(from, state, move);
                }
            }
        }
        result_.states = static_cast<std::uint32_t>(order_.size());
        return std::move(result_);
    }

  private:
    struct State {
        std::uint32_t state;
        std::uint32_t memory;  ///< up to longest_: a clock; then waits to come 0, 1, ...; then many
        bool operator<(const State& other) const {
            return std::tie(state, memory) < std::tie(other.state, other.memory);
        }
    };
    std::uint32_t waits_to_come(std::uint32_t waits) const { return longest_ + 1 + waits; }
    std::uint32_t many_waits() const { return waits_to_come(remembered_waits); }
    bool waiting(const State& state) const { return state.memory > longest_; }
    bool must_wait(const State& state) const { return state.memory > waits_to_come(0); }

    std::uint32_t number(State state) {
        const auto [at, added] = numbers_.try_emplace(state, static_cast<std::uint32_t>(order_.size()));
        if (added) order_.push_back(state);
        return at->second;
    }

    void wait(std::uint32_t from, const State& state, std::uint32_t move) {
        const auto to = [&](std::uint32_t memory) {
            const std::uint32_t next = number({state.state, memory});
            result_.moves.push_back({from, next, move, false});
        };
        if (!waiting(state)) {
            for (std::uint32_t waits = 0; waits < remembered_waits; ++waits) to(waits_to_come(waits));
            to(many_waits());
        } else if (state.memory == many_waits()) {
            to(many_waits());
            to(waits_to_come(remembered_waits - 1));
        } else if (must_wait(state)) {
            to(state.memory - 1);
        }
    }

    void work(std::uint32_t from, const State& state, std::uint32_t move) {
        const std::uint32_t clock = waiting(state) ? 0 : state.memory;
        const std::uint32_t target = steps_.moves[move].to;
        if (steps_.ended[target] != 0) result_.moves.push_back({from, 0, move, true});
        const std::uint32_t next = number({target, std::min(clock + 1, longest_)});
        result_.moves.push_back({from, next, move, false});
    }

    const ModuleSteps& steps_;
    std::uint32_t longest_;
    Rows<std::uint32_t> leaving_;
    std::map<State, std::uint32_t> numbers_;
    std::vector<State> order_;
    LastPart result_;
};

/// The other parts of one kind.
struct Others {
    const ModuleSteps* steps;
    std::int64_t parts;
    std::vector<std::pair<std::uint32_t, std::int64_t>> starts;  ///< state, how many begin there
    std::vector<Tokens> supplies;                                ///< of all together
};

class PairProgram {
  public:
    PairProgram(const ModuleSteps& last_steps, const LastPart& last, const std::vector<Tokens>& supplies,
                std::vector<Others> others, Tokens tokens, std::size_t most_columns)
        : last_steps_(last_steps),
          last_(last),
          others_(std::move(others)),
          tokens_(tokens),
          most_columns_(most_columns) {
        for (const Others& kind : others_) all_ += kind.parts;
        leaving_ = Rows<std::uint32_t>::sorted(last.states, [&](auto put) {
            for (std::uint32_t move = 0; move < last.moves.size(); ++move) put(last.moves[move].from, move);
        });
        add_moves_of_last(supplies);
    }

    /// False where there would be too many columns.
    bool build() {
        return std::all_of(others_.begin(), others_.end(),
                           [&](const Others& kind) { return add_kind(kind); });
    }

    const LinearProgram& program() const { return program_; }
    std::int64_t others() const { return all_; }

  private:
    /// Columns: how often w makes a move. Rows: its supplies, and what each kind of move means for the hub.
    void add_moves_of_last(const std::vector<Tokens>& supplies) {
        std::vector<std::uint32_t> supply_rows;
        for (std::size_t s = 0; s < supplies.size(); ++s)
            supply_rows.push_back(
                program_.add_row(last_steps_.used_up[s] != 0 ? Sense::equal : Sense::at_most, supplies[s]));
        for (const LastPart::Move& move : last_.moves) {
            const ModuleSteps::Move& step = last_steps_.moves[move.move];
            const std::uint32_t column = program_.add_column(1);
            for (const auto [supply, weight] : last_steps_.uses[move.move])
                program_.add_entry(supply_rows[supply], column, weight);
            if (step.waits) {
                hold_rows_.push_back(program_.add_row(Sense::equal, 0));
                program_.add_entry(hold_rows_.back(), column, -tokens_);
                wait_rows_.push_back(none);
            } else {
                hold_rows_.push_back(program_.add_row(Sense::at_most, 0));
                program_.add_entry(hold_rows_.back(), column, -(tokens_ - step.holds));
                wait_rows_.push_back(program_.add_row(Sense::at_most, 0));
            }
        }
    }

    /// Columns: pairs of moves of w and one of the others. Rows: pairs of states, moves of w, supplies.
    bool add_kind(const Others& kind) {
        const ModuleSteps& steps = *kind.steps;
        const Rows<std::uint32_t> leaving = Rows<std::uint32_t>::sorted(steps.ended.size(), [&](auto put) {
            for (std::uint32_t move = 0; move < steps.moves.size(); ++move) put(steps.moves[move].from, move);
        });
        std::vector<std::uint32_t> supply_rows, meeting_rows;
        for (std::size_t s = 0; s < kind.supplies.size(); ++s)
            supply_rows.push_back(
                program_.add_row(steps.used_up[s] != 0 ? Sense::equal : Sense::at_most, kind.supplies[s]));
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
            if (program_.columns() > most_columns_) return false;
        }
        return true;
    }

    /// Who holds and who waits while w makes a move.
    void share_hub(std::uint32_t move, std::uint32_t column, const ModuleSteps::Move& step) {
        program_.add_entry(hold_rows_[move], column, step.holds);
        if (wait_rows_[move] == none) return;
        const std::int64_t free = tokens_ - last_steps_.moves[last_.moves[move].move].holds;
        // Who waits sees all that w leaves taken: q > 0 only with h = free, and q <= all - h. So free q <=
        // (all - free) h; where the others cannot take all that is free, nobody waits.
        if (step.waits) program_.add_entry(wait_rows_[move], column, all_ > free ? free : 1);
        if (step.holds > 0 && all_ > free) program_.add_entry(wait_rows_[move], column, free - all_);
    }

    static constexpr std::uint32_t none = 0xffffffff;

    const ModuleSteps& last_steps_;
    const LastPart& last_;
    std::vector<Others> others_;
    std::int64_t tokens_;
    std::size_t most_columns_;
    std::int64_t all_ = 0;
    LinearProgram program_;
    Rows<std::uint32_t> leaving_;
    std::vector<std::uint32_t> hold_rows_, wait_rows_;  // per move of w
};

class PairBounds {
  public:
    explicit PairBounds(const PairBoundInput& input) : input_(input) {}

    std::optional<StepBound> bound() {
        if (!find_steps()) return std::nullopt;
        std::vector<std::size_t> order(input_.classes.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::stable_sort(order.begin(), order.end(),
                         [&](std::size_t a, std::size_t b) { return input_.known[a] > input_.known[b]; });
        std::uint64_t best = 0;
        for (const std::size_t last : order) {
            if (input_.known[last] <= best) break;
            best = std::max(best, bound_of(last));
        }
        if (best >= input_.known[order.front()]) return std::nullopt;
        return StepBound{
            best,
            fmt::format("a flow through the states of the part that moves last together with those of each "
                        "other part, while long delays of the others must begin by keeping it waiting: "
                        "a linear program of {} columns, its dual checked in whole numbers",
                        columns_)};
    }

  private:
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

    /// With as long a memory as the columns allow.
    std::uint64_t bound_of(std::size_t last) {
        std::uint64_t best = input_.known[last];
        const ModuleSteps& steps = steps_[kind_of_[last]];
        for (const std::uint32_t memory :
             {std::uint32_t{0}, static_cast<std::uint32_t>(steps.ended.size())}) {
            const LastPart moves = LastPartBuilder(steps, memory).build(start_of_[last]);
            PairProgram pairs(steps, moves, input_.classes[last].supplies, others_of(last),
                              input_.net.initial[input_.parts.hubs[input_.hub]], input_.most_columns);
            if (!pairs.build()) break;
            std::optional<std::chrono::milliseconds> limit;
            if (input_.deadline) {
                limit = std::chrono::duration_cast<std::chrono::milliseconds>(
                    *input_.deadline - std::chrono::steady_clock::now());
                if (limit->count() <= 0) break;
            }
            const auto total = static_cast<std::int64_t>(best) * (pairs.others() + 1);
            const CertifiedMaximum result = certified_maximum(pairs.program(), total, limit);
            if (result.status != BoundStatus::bounded) break;
            columns_ = std::max(columns_, pairs.program().columns());
            best = std::min(best, static_cast<std::uint64_t>(std::max<std::int64_t>(result.value, 0)));
        }
        return best;
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
    std::size_t columns_ = 0;
};

}  // namespace

std::optional<StepBound> pair_bound(const PairBoundInput& input) { return PairBounds(input).bound(); }

}  // namespace warpnet
