#include "engine/run/parse_condition.hpp"

namespace warpnet {

StopCondition parse_condition(std::string_view text, const Net& net) {
    return stop_condition(without_transitions(parse_formula(text, net, FormulaLanguage::of_runs), net));
}

}  // namespace warpnet
