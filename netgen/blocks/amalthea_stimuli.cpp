// The times at which stimuli of an AMALTHEA model start tasks. Periods and distances are rounded down to
// nanoseconds, which only adds releases. Offsets and jitters are rounded up. An arrival curve becomes the
// largest distance that it guarantees on average, with a jitter that covers all of its shorter distances.
//
// An arrival curve is not read as a list of releases, because it bounds the occurrences in any interval and
// has no start. Releases with a distribution have no pattern, so only `respond --sporadic` takes them. Cost:
// O(entries log entries) per stimulus.

#include "netgen/blocks/amalthea_stimuli.hpp"

#include "engine/base/text.hpp"
#include "netgen/blocks/amalthea_work.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <map>
#include <utility>

#include <fmt/format.h>

namespace warpnet::netgen::amalthea {

namespace {

const std::map<std::string, double, std::less<>>& time_units() {
    static const std::map<std::string, double, std::less<>> units = {
        {"s", 1e9}, {"ms", 1e6}, {"us", 1e3}, {"ns", 1}, {"ps", 1e-3}};
    return units;
}

/// The value of a time such as <offset value="1" unit="ms"/>. Files omit the unit of a 0.
double nanoseconds_of(const XmlElement& time) {
    const std::string_view unit = time.attribute_or("unit", "");
    type_of(time);
    const double value = time.attribute("value") ? number_of(time, "value") : 0;
    const auto factor = time_units().find(unit);
    if (value != 0 && factor == time_units().end())
        time.fail("a known unit", fmt::format("'{} {}'", value, unit));
    return value == 0 ? 0 : value * factor->second;
}

/// A release after the start at time 0.
Time release_at(const XmlElement& time) {
    const double value = nanoseconds_of(time);
    if (value < 0) time.fail("a time that is not negative", fmt::format("{} ns", value));
    return value == 0 ? 0 : rounded_up(time, value);
}

/// A distance of releases, which may be too short but never too long.
Time rounded_down(const XmlElement& at, double nanoseconds) {
    if (!(std::abs(nanoseconds) < 1e18))
        at.fail("a time that a 64-bit number of nanoseconds holds", "a longer one");
    return static_cast<Time>(std::floor(nanoseconds + 1e-6));
}

/// The least and the most of a distribution of times, in nanoseconds.
std::pair<double, double> bounds_of(const XmlElement& times) {
    const std::string_view type = type_of(times);
    if (type == "TimeConstant") {
        const double value = nanoseconds_of(times.child("value"));
        return {value, value};
    }
    std::vector<XmlElement> parts{times};
    if (type == "TimeHistogram") parts = times.children("entries");
    std::pair<double, double> bounds(1, 0);
    for (const XmlElement& part : parts) {
        for (const char* const bound : {"lowerBound", "upperBound"})
            if (!part.child(bound)) part.fail(fmt::format("<{}>", bound), "none: it has no bound");
        const double least = nanoseconds_of(part.child("lowerBound"));
        const double most = nanoseconds_of(part.child("upperBound"));
        if (least > most)
            part.fail("a lower bound that is not above the upper one",
                      fmt::format("{} and {} ns", least, most));
        if (bounds.first > bounds.second) bounds = {least, most};
        bounds = {std::min(bounds.first, least), std::max(bounds.second, most)};
    }
    if (bounds.first > bounds.second) times.fail("<entries>", "none");
    return bounds;
}

/// Releases with only a known least distance.
void check_sporadic(bool sporadic, const XmlElement& at, std::string_view what) {
    if (!sporadic)
        at.fail("releases that are known",
                fmt::format("{}: only 'respond --sporadic' bounds what it delays", what));
}

/// Each occurrence is up to J later than periodic if n of them take at least (n - 1) T - J. T is the largest
/// mean distance of an entry. Longer sequences repeat that entry.
Activation arrival_curve(const XmlElement& stimulus) {
    std::map<std::int64_t, Time> least{{1, 0}};  // by the number of occurrences
    for (const char* const name : {"entries", "arrivalCurveEntries"})
        for (const XmlElement& entry : stimulus.children(name)) {
            const char* const old =
                entry.attribute("numberOfEvents") ? "numberOfEvents" : "numberOfOccurrences";
            const auto number = parse_number<std::int32_t>(entry.attribute_or(old, ""));
            if (!number || *number < 1) entry.fail("a positive number of occurrences", "none");
            if (entry.child("upperTimeBorder")) nanoseconds_of(entry.child("upperTimeBorder"));
            const XmlElement border = entry.child("lowerTimeBorder");
            const Time time = border ? rounded_down(border, nanoseconds_of(border)) : 0;
            if (time < 0 || (*number == 1 && time != 0))
                border.fail("no negative time, and 0 of one occurrence", fmt::format("{} ns", time));
            Time& of_number = least[*number];
            of_number = std::max(of_number, time);
        }
    Activation result;
    Time period = 0;
    for (const auto& [number, time] : least)
        if (number > 1) period = std::max(period, time / (number - 1));
    if (period == 0) stimulus.fail("a least time between two occurrences", "none");
    Time so_far = 0;
    for (auto entry = least.begin(); entry != least.end(); ++entry) {
        so_far = std::max(so_far, entry->second);
        if (entry->second / std::max<std::int64_t>(1, entry->first - 1) == period) break;
        const std::int64_t most = std::next(entry)->first - 1;  // occurrences without their own time
        if (period > std::numeric_limits<Time>::max() / most)
            stimulus.fail("shorter times", fmt::format("{} ns", period));
        result.jitter = std::max(result.jitter, (most - 1) * period - so_far);
    }
    result.period = period;
    return result;
}

}  // namespace

Time rounded_up(const XmlElement& at, double nanoseconds) {
    // Products of decimal numbers that should be whole differ from whole numbers only by rounding.
    const double rounded = std::ceil(nanoseconds - 1e-6);
    if (!(rounded < 2e18)) at.fail("a time that a 64-bit number of nanoseconds holds", "a longer one");
    return std::max<Time>(1, static_cast<Time>(rounded));
}

std::string_view stimulus_type(const XmlElement& stimulus) {
    static const std::map<std::string_view, std::string_view> renamed = {
        {"Periodic", "PeriodicStimulus"},           {"Single", "SingleStimulus"},
        {"InterProcess", "InterProcessStimulus"},   {"ArrivalCurve", "ArrivalCurveStimulus"},
        {"Sporadic", "RelativePeriodicStimulus"},   {"SporadicStimulus", "RelativePeriodicStimulus"},
        {"Synthetic", "PeriodicSyntheticStimulus"}, {"SyntheticStimulus", "PeriodicSyntheticStimulus"},
        {"PeriodicEvent", "VariableRateStimulus"}};
    const std::string_view type = type_of(stimulus);
    const auto found = renamed.find(type);
    return found == renamed.end() ? type : found->second;
}

std::vector<Activation> activations_by(const XmlElement& stimulus, std::string_view type, bool sporadic) {
    Activation result;
    if (type == "RelativePeriodicStimulus" || type == "ArrivalCurveStimulus") {
        check_sporadic(sporadic, stimulus, type);
        if (type == "ArrivalCurveStimulus") return {arrival_curve(stimulus)};
        if (const XmlElement offset = stimulus.child("offset")) release_at(offset);
        XmlElement next = stimulus.child("nextOccurrence");
        if (!next) next = stimulus.child("stimulusDeviation");
        if (!next) stimulus.fail("<nextOccurrence>", "none");
        result.period = rounded_down(next, bounds_of(next).first);
        if (*result.period < 1)
            next.fail("a lower bound of at least 1 ns", fmt::format("{} ns", *result.period));
        return {result};
    }
    if (stimulus.attribute("clock") || stimulus.child("clock"))
        stimulus.fail("times of a clock that does not change", "'clock'");
    const bool once = type == "SingleStimulus";
    for (const char* const begin : {once ? "occurrence" : "offset", once ? "activation" : "offset"})
        if (const XmlElement at = stimulus.child(begin)) result.release = release_at(at);
    for (const char* const deviation : {"jitter", "stimulusDeviation"})
        if (const XmlElement jitter = stimulus.child(deviation)) {
            const auto [least, most] = bounds_of(jitter);
            if (most > least) check_sporadic(sporadic, jitter, fmt::format("<{}>", deviation));
            result.jitter = most > least ? rounded_up(jitter, most - least) : 0;
            result.release = std::max<Time>(0, result.release + rounded_down(jitter, least));
        }
    if (once && !stimulus.child("occurrence") && !stimulus.child("activation"))
        stimulus.note("SingleStimulus without <occurrence>", "it is taken to occur at 0");
    if (once) return {result};
    const char* const recurrence = stimulus.child("period") ? "period" : "recurrence";
    const double period = quantity(stimulus, recurrence, time_units());
    result.period = rounded_down(stimulus, period);
    if (*result.period < 1) stimulus.fail("a period of at least 1 ns", fmt::format("{} ns", period));
    if (std::abs(static_cast<double>(*result.period) - period) > 1e-6)
        stimulus.note("period of a fraction of a ns", "it is rounded down, which only adds releases");
    if (type == "PeriodicStimulus") return {result};
    // Each time of the list, in each period.
    std::vector<XmlElement> times = stimulus.children("occurrenceTimes");
    for (const XmlElement& list : stimulus.children("triggerTimes"))
        for (const XmlElement& time : list.children("timestamps")) times.push_back(time);
    if (times.empty()) stimulus.fail("<occurrenceTimes>", "none");
    std::vector<Activation> all;
    for (const XmlElement& time : times) {
        all.push_back(result);
        all.back().release += release_at(time);
    }
    return all;
}

bool is_timed(std::string_view type) {
    for (const char* const one : {"PeriodicStimulus", "SingleStimulus", "PeriodicSyntheticStimulus",
                                  "RelativePeriodicStimulus", "ArrivalCurveStimulus"})
        if (type == one) return true;
    return false;
}

std::string why_refused(std::string_view type) {
    static const std::map<std::string_view, std::string_view> reasons = {
        {"VariableRateStimulus", "how its occurrences lie within a step is not in the model"},
        {"EventStimulus", "when its events happen is not modelled"},
        {"CustomStimulus", "its times are not in the model"},
        {"InterProcessStimulus", "no task triggers it"}};
    const auto reason = reasons.find(type);
    if (reason == reasons.end()) return type.empty() ? "one without a type" : std::string(type);
    return fmt::format("{}: {}", type, reason->second);
}

}  // namespace warpnet::netgen::amalthea
