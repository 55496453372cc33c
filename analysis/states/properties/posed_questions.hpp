#pragma once

#include "analysis/states/explore/explore.hpp"
#include "analysis/states/properties/answers.hpp"
#include "analysis/states/properties/goals.hpp"
#include "analysis/states/properties/path_rules.hpp"
#include "analysis/states/symmetry/net_symmetry.hpp"
#include "engine/compile/compiled_net.hpp"
#include "engine/formula/formula.hpp"
#include "engine/net/net.hpp"

#include <cstdint>
#include <vector>

namespace warpnet::ranks {
class Collectives;
}  // namespace warpnet::ranks

namespace warpnet::states {

/// The nearest value that an answer can hold.
std::int64_t clamped(WideSum value);

/// Makes the pump the witness.
void set_pump(PropertyAnswer& answer, const Pump& pump);

/// Properties as goals, and their answers as far as the goals are known.
class PosedQuestions {
  public:
    /// Without rules, formulas are only simplified().
    PosedQuestions(const Net& net, const CompiledNet& compiled, const std::vector<Property>& properties,
                   PathRules* rules, Answers& answers);

    Goals goals;

    /// The property as posed, but simplified.
    const Formula& formula(std::size_t property) const { return asked_[property].formula; }
    /// A place that was proved not to change.
    void add_stable(std::uint32_t place) { stable_.push_back(place); }

    /// Whether everything is known except boundedness, which the goals do not answer.
    bool all_known() const;

    /// Whether a diagram of all markings can answer the open questions.
    bool has_open_goals() const;

    bool speaks_of_goals_alone() const;

    /// The permutations that change no answer about a single marking.
    NetSymmetry symmetry() const;

    /// All ranks take the same path, and only rank 0 runs the parts that are not divided. Then the goals are
    /// sent to all ranks before any decision that depends on them.
    void share(ranks::Collectives* ranks);

    /// Answers everything that follows from the goals.
    void judge(AnswerPart by);

    /// The results of a complete exploration besides the goals.
    void judge_complete(const Exploration& explored);

    /// The steps to a marking that proves an answer: that EF holds, or that AG does not.
    void add_witnesses(AnswerPart part);

    /// The open formulas and the open questions about live transitions, for a decision diagram.
    std::vector<PathQuestion> open_paths() const;

    std::vector<std::size_t> open_questions() const;
    bool has_open_paths() const;
    /// Whether it is an open formula that single markings do not answer.
    bool is_open_path(std::size_t property) const;

    /// The conditions in open formulas about paths, and their opposites, as goals that a marking is to have.
    /// Only their absence is useful, so those of the initial marking are left out.
    Goals conditions_on_paths() const;

    /// Replaces conditions that no marking has by constants.
    void simplify_paths(const Goals& conditions);

    /// The open formulas about paths, in parts: operands of `and` and `or` that are outside all path
    /// operators.
    std::vector<PathQuestion> open_parts() const;
    /// Replaces the parts that are known by their values.
    void judge_parts(const std::vector<PathQuestion>& parts, AnswerPart by);

    void judge_paths(const std::vector<PathQuestion>& paths, AnswerPart by);

  private:
    /// The goals of a property.
    struct Asked {
        Formula formula = {};
        bool replaced = false;                // parts of the formula, by rules or simplify_paths()
        std::size_t goal = 0;                 // of a maximum; of a dead marking
        std::vector<std::size_t> goals = {};  // per transition
    };

    void pose(std::size_t number);
    Formula simplified_by_rules(const Formula& formula);

    std::size_t goal_of(const Formula& condition);

    void judge(const Property& property, const Asked& asked, PropertyAnswer& answer);

    void judge_transitions(const Property& property, const Asked& asked, PropertyAnswer& answer) const;

    const ReachGoal* goal_shown(const Formula& formula, bool holds);

    const Net& net_;
    bool timed_;
    const std::vector<Property>& properties_;
    PathRules* rules_;
    Answers& answers_;
    std::vector<std::uint32_t> stable_;
    std::vector<Asked> asked_;
};

}  // namespace warpnet::states
