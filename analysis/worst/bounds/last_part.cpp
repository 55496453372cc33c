#include "analysis/worst/bounds/last_part.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace warpnet {

namespace {

/// Memories of a state: how many steps ago w was served after a wait (up to a limit), or, while it waits:
/// that it will wait for so many steps more, or for longer.
class LastPartBuilder {
  public:
    LastPartBuilder(const ModuleSteps& steps, LastPartMemory memory)
        : steps_(steps),
          longest_(memory.steps_served),
          remembered_waits_(memory.steps_waiting),
          leaving_(moves_by_state(steps.moves, steps.ended.size())) {}

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
    std::uint32_t many_waits() const { return waits_to_come(remembered_waits_); }
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
            for (std::uint32_t waits = 0; waits < remembered_waits_; ++waits) to(waits_to_come(waits));
            to(many_waits());
        } else if (state.memory == many_waits()) {
            to(many_waits());
            to(waits_to_come(remembered_waits_ - 1));
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
    std::uint32_t remembered_waits_;
    Rows<std::uint32_t> leaving_;
    std::map<State, std::uint32_t> numbers_;
    std::vector<State> order_;
    LastPart result_;
};

}  // namespace

LastPart last_part(const ModuleSteps& steps, std::uint32_t start, LastPartMemory memory) {
    return LastPartBuilder(steps, memory).build(start);
}

std::vector<std::uint32_t> add_supply_rows(LinearProgram& program, const ModuleSteps& steps,
                                           const std::vector<Tokens>& supplies, std::int64_t times) {
    using Sense = LinearProgram::Sense;
    std::vector<std::uint32_t> rows;
    for (std::size_t s = 0; s < supplies.size(); ++s)
        rows.push_back(
            program.add_row(steps.used_up[s] != 0 ? Sense::equal : Sense::at_most, times * supplies[s]));
    return rows;
}

void add_last_part(LinearProgram& program, const ModuleSteps& steps, const LastPart& last,
                   const std::vector<Tokens>& supplies) {
    const std::vector<std::uint32_t> rows = add_supply_rows(program, steps, supplies);
    for (const LastPart::Move& move : last.moves) {
        const std::uint32_t column = program.add_column(1);
        for (const auto [supply, weight] : steps.uses[move.move])
            program.add_entry(rows[supply], column, weight);
    }
}

}  // namespace warpnet
