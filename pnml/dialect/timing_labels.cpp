#include "pnml/dialect/timing_labels.hpp"

#include <algorithm>
#include <string>

namespace warpnet::xml {

void TimingLabels::begin_transition() { said_.emplace_back(); }

void TimingLabels::read(pugi::xml_node label, std::string_view local_name) {
    if (local_name == "timed") {
        said_.back().timed = labels_.flag(label);
        any_timed_label_ = true;
    } else if (local_name == "priority") {
        said_.back().priority = labels_.priority(label);
    } else if (local_name == "delay") {
        check_delay(label);
    }
}

void TimingLabels::check_delay(pugi::xml_node delay) const {
    const Document& document = labels_.document();
    std::string_view bounds[2];
    std::string_view closure = "closed";
    std::size_t found = 0;
    for (const pugi::xml_node interval : Elements(delay)) {
        if (document.local_name(interval) != "interval") continue;
        if (const auto attribute = interval.attribute("closure")) closure = attribute.value();
        for (const pugi::xml_node bound : Elements(interval)) {
            const std::string_view name = document.local_name(bound);
            if (name != "cn" && name != "ci") continue;
            if (found < 2) bounds[found] = trim(document.text_of(bound));
            ++found;
        }
    }
    const bool endless = bounds[1] == "infty" || bounds[1] == "inf";
    const bool any_time = found == 2 && bounds[0] == "0" && endless && closure.starts_with("closed");
    const std::string_view said = labels_.text(delay);
    if (said.empty() ? any_time : is_any_time(said) && (any_time || found == 0)) return;
    document.fail(delay, "a transition without delay",
                  "the time interval " +
                      in_quotes(said.empty() ? std::string(bounds[0]) + ", " + std::string(bounds[1])
                                             : std::string(said)) +
                      ", " + std::string(closure));
}

void TimingLabels::check_invariant(pugi::xml_node where, std::string_view invariant) const {
    const std::string dense = without_blanks(invariant);
    if (dense.empty() || dense == "<inf") return;
    labels_.document().fail(where, "a place without age limit", "the invariant " + in_quotes(invariant));
}

bool TimingLabels::says_nothing() const {
    return !any_timed_label_ && std::all_of(said_.begin(), said_.end(), [](const Said& said) {
        return !said.timed && said.priority == 0;
    });
}

std::vector<Timing> TimingLabels::result() const {
    const auto timed = std::count_if(said_.begin(), said_.end(), [](const Said& said) { return said.timed; });
    const bool all_timed = timed == static_cast<std::ptrdiff_t>(said_.size());
    // Time decides only between transitions of both kinds; priorities only among those without time.
    const bool mixed = any_timed_label_ && timed > 0 && !all_timed;
    if (any_timed_label_ && all_timed) return {};

    std::vector<Timing> timings;
    timings.reserve(said_.size());
    std::int32_t lowest = 0;
    std::int32_t highest = 0;
    bool first = true;
    for (const Said& said : said_) {
        timings.push_back({mixed && !said.timed, said.timed ? 0 : said.priority});
        if (said.timed) continue;
        lowest = first ? said.priority : std::min(lowest, said.priority);
        highest = first ? said.priority : std::max(highest, said.priority);
        first = false;
    }
    if (lowest == highest) {
        for (Timing& timing : timings) timing.priority = 0;
    }
    return timings;
}

}  // namespace warpnet::xml
