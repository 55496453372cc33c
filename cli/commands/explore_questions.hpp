#pragma once

#include "analysis/states/properties/ask.hpp"
#include "engine/formula/formula.hpp"
#include "engine/net/net.hpp"

#include <string>
#include <vector>

namespace warpnet::cli {

class Command;

/// What `explore` is asked, instead of for all figures.
struct ExploreQuestions {
    std::string reach, always, maximum, minimum, home, ctl, live, file;
    bool stable = false, bounded = false, reversible = false;
    std::vector<std::string> without;  ///< parts that are not asked
    bool any() const {
        return stable || bounded || reversible ||
               !(reach + always + maximum + minimum + home + ctl + live + file).empty();
    }
};

/// --reach, --always, --max, --min, --stable, --bounded, --live, --reversible, --home, --ctl, --properties:
/// one of them at most; --without.
void add_questions(Command& command, ExploreQuestions& questions);

/// REQUIRES: any().
std::vector<Property> properties_of(const ExploreQuestions& questions, const Net& net);

/// Switches off the parts that --without names.
void leave_out(const std::vector<std::string>& parts, states::AskOptions& options);

}  // namespace warpnet::cli
