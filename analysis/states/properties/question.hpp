#pragma once

#include "analysis/states/properties/answers.hpp"
#include "engine/formula/formula.hpp"
#include "engine/net/net.hpp"
#include "engine/run/replay.hpp"

#include <optional>
#include <string>

namespace warpnet::states {

/// One question in the language of engine/formula/parse_formula.hpp: one member is set. The members are the
/// flags of `explore`.
struct Question {
    std::string reach;             ///< can a marking with this condition be reached?
    std::string always;            ///< does the condition hold in every reachable marking?
    std::string maximum, minimum;  ///< of a sum of tokens
    std::string home;              ///< can every reachable marking still reach a marking with this condition?
    std::string ctl;               ///< does the formula hold?
    std::string live;              ///< can this transition always fire again? Or "all"
    bool stable = false;           ///< which places never change?
    bool bounded = false;          ///< is every place bounded?
    bool reversible = false;       ///< does every reachable marking lead back to the initial one?

    bool any() const {
        return stable || bounded || reversible ||
               !(reach + always + maximum + minimum + home + ctl + live).empty();
    }
};

/// The property for ask(). REQUIRES: any(). Throws InputError for text that is no condition, sum or formula
/// of the net.
Property property_of(const Question& question, const Net& net);

/// The steps that prove the answer. The initial marking alone can show that a marking with a condition can be
/// reached, or that one without it can: by no steps.
std::optional<Schedule> witness_of(const Property& property, const PropertyAnswer& answer);

}  // namespace warpnet::states
