#pragma once

#include "analysis/states/properties/ask.hpp"
#include "engine/formula/formula.hpp"
#include "engine/net/net.hpp"

#include <optional>
#include <string>
#include <vector>

namespace warpnet::cli {

class Command;

/// The questions of `explore`, asked instead of all figures.
struct ExploreQuestions {
    std::string reach, always, maximum, minimum, home, ctl, live, file;
    bool stable = false, bounded = false, reversible = false;
    std::vector<std::string> without;  ///< parts of the method that are switched off
    bool any() const {
        return stable || bounded || reversible ||
               !(reach + always + maximum + minimum + home + ctl + live + file).empty();
    }
};

/// At most one of --reach, --always, --max, --min, --stable, --bounded, --live, --reversible, --home, --ctl
/// and --properties; also --without.
void add_questions(Command& command, ExploreQuestions& questions);

/// REQUIRES: any().
std::vector<Property> properties_of(const ExploreQuestions& questions, const Net& net);

/// The steps that prove the answer. The initial marking alone can show that a marking with a condition can be
/// reached, or that one without it can: by no steps.
std::optional<Schedule> witness_of(const Property& property, const states::PropertyAnswer& answer);

/// Switches off the parts that --without names.
void leave_out(const std::vector<std::string>& parts, states::AskOptions& options);

}  // namespace warpnet::cli
