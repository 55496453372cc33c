#include "analysis/states/properties/property_answer.hpp"

namespace warpnet {

std::string_view to_string(AnswerPart part) {
    switch (part) {
        case AnswerPart::initial_marking:
            return "initial marking";
        case AnswerPart::first_exploration:
        case AnswerPart::exploration:
            return "exploration";
        case AnswerPart::random_runs:
            return "random runs";
        case AnswerPart::decision_diagrams:
            return "decision diagrams";
        case AnswerPart::state_equation:
            return "state equation";
        case AnswerPart::guided_search:
            return "guided search";
        case AnswerPart::reductions:
            return "reductions";
        case AnswerPart::state_graph:
            return "state graph";
    }
    return "";
}

}  // namespace warpnet
