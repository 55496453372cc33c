#pragma once

#include "analysis/states/properties/ask.hpp"
#include "analysis/states/properties/question.hpp"
#include "engine/formula/formula.hpp"
#include "engine/net/net.hpp"

#include <string>
#include <vector>

namespace warpnet::cli {

class Command;

/// The questions of `explore`, asked instead of all figures.
struct ExploreQuestions : states::Question {
    std::string file;
    std::vector<std::string> without;  ///< methods that are switched off
    bool any() const { return Question::any() || !file.empty(); }
};

/// At most one of --reach, --always, --max, --min, --stable, --bounded, --live, --reversible, --home, --ctl
/// and --properties; also --without.
void add_questions(Command& command, ExploreQuestions& questions);

/// REQUIRES: any().
std::vector<Property> properties_of(const ExploreQuestions& questions, const Net& net);

/// Switches off the parts that --without names.
void leave_out(const std::vector<std::string>& parts, states::AskOptions& options);

}  // namespace warpnet::cli
