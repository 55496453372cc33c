#include "analysis/states/properties/path_questions.hpp"

#include <utility>

namespace warpnet {

std::vector<PathQuestion> open_paths(const std::vector<Property>& properties,
                                     const std::vector<PropertyAnswer>& answers,
                                     const std::function<const Formula&(std::size_t)>& formula) {
    std::vector<PathQuestion> paths;
    for (std::size_t i = 0; i < properties.size(); ++i) {
        if (answers[i].known()) continue;
        if (properties[i].kind == Property::Kind::formula) paths.push_back({i, formula(i)});
        if (properties[i].kind != Property::Kind::live) continue;
        for (const std::uint32_t t : properties[i].transitions) {
            Formula again = temporal(Formula::Kind::finally, false, {enabled_one_of({t})});
            paths.push_back({i, temporal(Formula::Kind::globally, true, {std::move(again)}), t});
        }
    }
    return paths;
}

void answer_paths(const std::vector<PathQuestion>& questions, std::vector<PropertyAnswer>& answers) {
    for (std::size_t first = 0, last = 0; first < questions.size(); first = last) {
        PropertyAnswer& answer = answers[questions[first].property];
        bool all = true, decided = true;
        std::vector<std::uint32_t> not_live;
        for (; last < questions.size() && questions[last].property == questions[first].property; ++last) {
            const PathQuestion& question = questions[last];
            decided = decided && question.holds.has_value();
            if (question.holds != false) continue;
            all = false;
            if (question.transition) not_live.push_back(*question.transition);
        }
        if (answer.known() || !decided) continue;
        answer.holds = all;
        answer.nodes = std::move(not_live);
        answer.by = AnswerPart::decision_diagrams;
    }
}

}  // namespace warpnet
