#include "analysis/worst/bounds/triple_program.hpp"

#include <array>
#include <map>
#include <tuple>

namespace warpnet {

namespace {

using Sense = LinearProgram::Sense;

class TripleProgram {
  public:
    explicit TripleProgram(const FlowInput& input)
        : input_(input),
          last_(input.last),
          others_(input.others.front()),
          steps_(*others_.steps),
          last_leaving_(moves_by_state(last_.moves, last_.states)),
          leaving_(moves_by_state(steps_.moves, steps_.ended.size())) {}

    std::optional<LinearProgram> build() {
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
    using Triple = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;  // states; the others' ascending

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

    /// Tokens of the hub that w leaves while it makes a move.
    std::int64_t free(const LastPart::Move& move) const {
        return input_.tokens - input_.last_steps.moves[move.move].holds;
    }

    /// What the third parts do while w makes a move and another part `mine`, as far as one of them is
    /// concerned that makes the move `theirs`.
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
        std::uint32_t waits = 0;  ///< where nobody need wait
    };

    const FlowInput& input_;
    const LastPart& last_;
    const Others& others_;
    const ModuleSteps& steps_;
    Rows<std::uint32_t> last_leaving_, leaving_;
    LinearProgram program_;
    std::vector<std::uint32_t> supply_rows_, meeting_rows_;
    std::map<Triple, std::uint32_t> rows_;
    std::vector<Triple> open_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, HubRows> hub_rows_;  // by moves of w and another
};

}  // namespace

std::optional<LinearProgram> triple_program(const FlowInput& input) {
    if (input.others.size() != 1 || input.others.front().parts < 2) return std::nullopt;
    return TripleProgram(input).build();
}

}  // namespace warpnet
