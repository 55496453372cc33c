#include "analysis/worst/bounds/pair_program.hpp"

#include <map>

namespace warpnet {

namespace {

using Sense = LinearProgram::Sense;

class PairProgram {
  public:
    explicit PairProgram(const FlowInput& input)
        : input_(input), last_(input.last), leaving_(moves_by_state(last_.moves, last_.states)) {
        for (const Others& kind : input.others) all_ += kind.parts;
    }

    std::optional<LinearProgram> build() {
        add_moves_of_last();
        for (const Others& kind : input_.others) {
            if (!add_kind(kind)) return std::nullopt;
        }
        return std::move(program_);
    }

  private:
    /// Rows: what each move of w means for the hub.
    void add_moves_of_last() {
        add_last_part(program_, input_.last_steps, last_, input_.supplies);
        for (std::uint32_t column = 0; column < last_.moves.size(); ++column) {
            const ModuleSteps::Move& step = input_.last_steps.moves[last_.moves[column].move];
            if (step.waits) {
                hold_rows_.push_back(program_.add_row(Sense::equal, 0));
                program_.add_entry(hold_rows_.back(), column, -input_.tokens);
                wait_rows_.push_back(none);
            } else {
                hold_rows_.push_back(program_.add_row(Sense::at_most, 0));
                program_.add_entry(hold_rows_.back(), column, -(input_.tokens - step.holds));
                wait_rows_.push_back(program_.add_row(Sense::at_most, 0));
            }
        }
    }

    /// False where there would be too many columns.
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

    /// Who holds and who waits while w makes a move.
    void share_hub(std::uint32_t move, std::uint32_t column, const ModuleSteps::Move& step) {
        program_.add_entry(hold_rows_[move], column, step.holds);
        if (wait_rows_[move] == none) return;
        const std::int64_t free = input_.tokens - input_.last_steps.moves[last_.moves[move].move].holds;
        // Who waits sees all that w leaves taken: q > 0 only with h = free, and q <= all - h. So free q <=
        // (all - free) h; where the others cannot take all that is free, nobody waits.
        if (step.waits) program_.add_entry(wait_rows_[move], column, all_ > free ? free : 1);
        if (step.holds > 0 && all_ > free) program_.add_entry(wait_rows_[move], column, free - all_);
    }

    static constexpr std::uint32_t none = 0xffffffff;

    const FlowInput& input_;
    const LastPart& last_;
    Rows<std::uint32_t> leaving_;
    std::int64_t all_ = 0;
    LinearProgram program_;
    std::vector<std::uint32_t> hold_rows_, wait_rows_;  // per move of w
};

}  // namespace

std::optional<LinearProgram> pair_program(const FlowInput& input) { return PairProgram(input).build(); }

}  // namespace warpnet
