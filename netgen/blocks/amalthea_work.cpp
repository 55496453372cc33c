// An upper bound on the work of the tasks of an AMALTHEA model. A graph of items becomes a list of steps,
// with the longest entry of each switch and the upper bound of each distribution. One walk makes the steps of
// a task, which may wait and trigger. A second walk adds up the work of a runnable, once per kind of
// processing unit. Items without an upper bound are errors. Simplifications that affect the answer are noted.
// O(items), with at most 50 nested items and calls.
//
// Entries of a switch in a task are compared by length, so the longest one stands for the switch. Kernels and
// copies have no common length, and a wait has none at all. So a switch with entries of both kinds, or with
// waits, is an error. The triggers of all entries count. Runnables have a walk of their own, because only a
// task waits and triggers. The work of a runnable is therefore a sum without an order, and it is stored for
// the next call.

#include "netgen/blocks/amalthea_work.hpp"

#include "engine/base/text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <set>

#include <fmt/format.h>

namespace warpnet::netgen::amalthea {

namespace {

constexpr int most_nested = 50;  // nested items and calls

const std::map<std::string, double, std::less<>>& size_units() {
    static const std::map<std::string, double, std::less<>> units = {{"bit", 0.125},
                                                                     {"kbit", 125},
                                                                     {"Mbit", 125e3},
                                                                     {"Gbit", 125e6},
                                                                     {"B", 1},
                                                                     {"kB", 1e3},
                                                                     {"MB", 1e6},
                                                                     {"GB", 1e9},
                                                                     {"Kibit", 128},
                                                                     {"Mibit", 128.0 * 1024},
                                                                     {"Gibit", 128.0 * 1024 * 1024},
                                                                     {"KiB", 1024},
                                                                     {"MiB", 1024.0 * 1024},
                                                                     {"GiB", 1024.0 * 1024 * 1024}};
    return units;
}

/// The names of items in the versions of the format.
std::vector<XmlElement> items_of(const XmlElement& container) {
    for (const char* const name : {"items", "graphEntries", "calls", "runnableItems", "runnableItem"})
        if (auto items = container.children(name); !items.empty()) return items;
    return {};
}

XmlElement graph_of(const XmlElement& executable) {
    for (const char* const name : {"activityGraph", "callGraph"})
        if (const XmlElement graph = executable.child(name)) return graph;
    return executable;
}

bool is_call(std::string_view type) { return type == "RunnableCall" || type == "TaskRunnableCall"; }
/// Up to version 0.7.1 each item of a group is wrapped into an element without a type.
bool is_group(const XmlElement& item, std::string_view type) {
    return type == "Group" || type == "CallSequence" || (type.empty() && !item.peek("runnableItem").empty());
}
bool is_trigger(std::string_view type) {
    return type == "InterProcessTrigger" || type == "InterProcessActivation";
}
bool is_switch(std::string_view type) {
    for (const char* const one : {"Switch", "ModeSwitch", "RunnableModeSwitch", "ProbabilitySwitch",
                                  "RunnableProbabilitySwitch", "ProbabiltitySwitch", "ProbabilityGroup"})
        if (type == one) return true;
    return false;
}

std::vector<XmlElement> entries_of(const XmlElement& item, std::string_view type) {
    item.note(std::string(type), "the longest of its entries is taken");
    std::vector<XmlElement> entries = item.children(type == "ProbabilityGroup" ? "items" : "entries");
    if (const XmlElement otherwise = item.child("defaultEntry")) entries.push_back(otherwise);
    return entries;
}

/// Whether it can be interrupted.
bool read_group(const XmlElement& item) {
    if (item.attribute_or("ordered", "true") == "false")
        item.note("ordered=\"false\"", "the items run in the order of the file");
    return item.attribute_or("interruptible", "true") != "false";
}

/// A call or trigger with a counter happens only every n-th time.
void read_counter(const XmlElement& item) {
    const XmlElement counter = item.child("counter");
    if (!counter) return;
    counter.attribute("prescaler");
    counter.attribute("offset");
    item.note("counter", "what it skips is counted at every time");
}

/// Throws InputError if the bounds are in the wrong order, because either may then be the upper one.
void require_ordered(const XmlElement& at, double least, double most) {
    if (least > most)
        at.fail("a lower bound that is not above the upper one", fmt::format("{} and {}", least, most));
}

/// The attribute upperBound, which must not be below the attribute lowerBound.
double upper_attribute(const XmlElement& value) {
    const double most = number_of(value, "upperBound");
    if (most > 0 && value.attribute("lowerBound"))
        require_ordered(value, number_of(value, "lowerBound"), most);
    return most;
}

double upper_bound(const XmlElement& value) {
    const std::string_view type = type_of(value);
    if (type == "DiscreteValueHistogram") {
        double most = 0;
        for (const XmlElement& entry : value.children("entries"))
            most = std::max(most, upper_attribute(entry));
        if (!(most > 0)) value.fail("<entries> with positive ticks", "none");
        return most;
    }
    if (type == "InstructionsDeviation" || type == "NeedDeviation") {
        const XmlElement deviation = value.child("deviation");
        const XmlElement bound = deviation.child("upperBound");
        if (!bound) value.fail("an upper bound in element <upperBound>", "none");
        const double most = number_of(bound, "value");
        const XmlElement least = deviation.child("lowerBound");
        if (least && least.attribute("value")) {
            type_of(least);
            require_ordered(deviation, number_of(least, "value"), most);
        }
        if (!(most > 0)) bound.fail("a positive upper bound", fmt::format("'{}'", *bound.attribute("value")));
        return most;
    }
    const bool constant =
        type == "DiscreteValueConstant" || type == "InstructionsConstant" || type == "NeedConstant";
    const char* const bound = constant ? "value" : "upperBound";
    if (!value.attribute(bound)) value.fail(fmt::format("an upper bound in attribute '{}'", bound), "none");
    const double most = constant ? number_of(value, bound) : upper_attribute(value);
    if (!(most > 0)) value.fail("positive ticks", fmt::format("'{}'", *value.attribute(bound)));
    return most;
}

/// The <extended> elements of an item, by the definition to which each applies.
Elements extended_of(const XmlElement& item, const Unit& unit) {
    Elements result;
    for (const XmlElement& extended : item.children("extended")) {
        referenced(*unit.definitions, extended, "key");
        const std::string key = references(extended, "key").front();
        if (!result.emplace(key, extended).second)
            extended.fail("one <extended> of each key", fmt::format("a second one of '{}'", key));
    }
    return result;
}

/// If an item has ticks for other units and none for this one, the model is incomplete; this is an error.
[[noreturn]] void fail_without_ticks(const XmlElement& item, const Unit& unit, const Elements& extended) {
    std::string keys;
    for (const auto& [key, element] : extended) keys += fmt::format("{}'{}'", keys.empty() ? "" : ", ", key);
    item.fail(fmt::format("ticks for '{}' in <default> or <extended>", unit.definition),
              keys.empty() ? "none" : fmt::format("those for {} alone", keys));
}

/// The ticks of an item on a kind of processing unit.
double ticks_of(const XmlElement& item, const Unit& unit) {
    std::optional<double> ticks;
    if (const XmlElement value = item.child("default")) ticks = upper_bound(value);
    const Elements all = extended_of(item, unit);
    for (const auto& [key, extended] : all) {
        const XmlElement value = extended.child("value");
        if (!value) extended.fail("<value>", "none");
        const double most = upper_bound(value);
        if (key == unit.definition) ticks = most;
    }
    if (!ticks) fail_without_ticks(item, unit, all);
    return *ticks;
}

bool is_instructions(std::string_view type) {
    return type == "RunnableInstructions" || type == "InstructionsConstant" ||
           type == "InstructionsDeviation";
}

/// The amount that a unit does per cycle.
double rate_of(const XmlElement& item, const Unit& unit, std::string_view category) {
    const auto found = unit.rates.find(category);
    if (found == unit.rates.end())
        item.fail(fmt::format("a processing unit with a feature of category '{}'", category), "none");
    const auto& [element, attribute] = found->second;
    element.read();
    element.parent().read();
    const double rate = number_of(element, attribute);
    if (!(rate > 0)) element.fail(fmt::format("a positive {}", attribute), fmt::format("'{}'", rate));
    element.note(attribute, fmt::format("{} run at this rate in the worst case, too", category));
    return rate;
}

/// The ticks of execution needs on a kind of processing unit: those for the unit, otherwise the default ones.
double ticks_of_needs(const XmlElement& item, const Unit& unit) {
    std::vector<XmlElement> needs = item.children("default");
    for (const XmlElement& need : item.children("needs")) needs.push_back(need);
    const Elements all = extended_of(item, unit);
    for (const auto& [key, extended] : all) {
        std::vector<XmlElement> of_unit = extended.children("value");
        for (const XmlElement& need : of_unit) {
            need.attribute("key");
            if (!need.child("value")) need.fail("<value>", "none");
            upper_bound(need.child("value"));
        }
        if (key != unit.definition) continue;
        for (const XmlElement& other : needs) other.read_all();
        needs = std::move(of_unit);
    }
    if (needs.empty()) fail_without_ticks(item, unit, all);
    double ticks = 0;
    std::set<std::string> categories;
    for (const XmlElement& need : needs) {
        const std::string category = referenced_name(need.attribute_or("key", ""));
        if (!categories.insert(category).second)
            need.fail("one need of each category", fmt::format("a second one of '{}'", category));
        const XmlElement value = need.child("value");
        if (!value) need.fail("<value>", "none");
        ticks += upper_bound(value) / rate_of(need, unit, category);
    }
    return ticks;
}

/// The ticks of an item that only takes time; nothing for an item of another kind.
std::optional<double> own_ticks(const XmlElement& item, std::string_view type, const Unit& unit) {
    if (type == "Ticks") return ticks_of(item, unit);
    if (type == "ExecutionNeed") return ticks_of_needs(item, unit);
    if (!is_instructions(type)) return std::nullopt;
    const double instructions = type == "RunnableInstructions" ? ticks_of(item, unit) : upper_bound(item);
    return instructions / rate_of(item, unit, "Instructions");
}

/// Items that take no time, or that have no upper bound.
void read_other(const XmlElement& item, std::string_view type) {
    static const std::map<std::string_view, std::string_view> refused = {
        {"WhileLoop", "how often it runs is not in the model"},
        {"SemaphoreAccess", "how long it blocks is not modelled"},
        {"EnforcedMigration", "a task stays on its core"},
        {"SynchronousServerCall", "calls of other tasks are not modelled"},
        {"AsynchronousServerCall", "calls of other tasks are not modelled"},
        {"GetResultServerCall", "calls of other tasks are not modelled"},
        {"WaitEvent", "only a task waits, for a GPU task that it triggers"},
        {"InterProcessTrigger", "only a task triggers another, outside of switches"},
        {"InterProcessActivation", "only a task triggers another, outside of switches"},
    };
    // Modes have no effect, because the longest entry of each switch counts. Events have none, because only
    // waits for a GPU task are read.
    if (const XmlElement mask = item.child("eventMask")) mask.attribute("events");
    for (const char* const one : {"ModeLabelAccess", "LocalModeLabelAssignment", "SetEvent", "ClearEvent",
                                  "CustomEventTrigger", "SchedulePoint"})
        if (type == one) return;
    for (const char* const one :
         {"ChannelSend", "ChannelReceive", "ChannelAccess", "SenderReceiverRead", "SenderReceiverWrite"})
        if (type == one) return item.note(one, "communication takes no time");
    if (type == "TerminateProcess") return item.note("TerminateProcess", "what follows it is counted");
    const auto reason = refused.find(type);
    item.fail("an item with an upper bound", fmt::format("{}{}{}", type.empty() ? "one without a type" : type,
                                                         reason == refused.end() ? "" : ": ",
                                                         reason == refused.end() ? "" : reason->second));
}

void check_depth(const XmlElement& item, int depth) {
    if (depth > most_nested)
        item.fail(fmt::format("at most {} items and calls in one another", most_nested), "more, or a cycle");
}

}  // namespace

std::string referenced_name(std::string_view reference) {
    reference = reference.substr(0, reference.find('?'));
    std::string name;
    for (std::size_t i = 0; i < reference.size(); ++i) {
        unsigned code = 0;
        const char* digits = reference.data() + i + 1;
        if (reference[i] == '%' && i + 2 < reference.size() &&
            std::from_chars(digits, digits + 2, code, 16).ptr == digits + 2) {
            name.push_back(static_cast<char>(code));
            i += 2;
        } else {
            name.push_back(reference[i] == '+' ? ' ' : reference[i]);
        }
    }
    return name;
}

std::vector<std::string> referenced_names(std::string_view references) {
    std::vector<std::string> names;
    while (!references.empty()) {
        const std::size_t end = std::min(references.find(' '), references.size());
        if (end > 0) names.push_back(referenced_name(references.substr(0, end)));
        references.remove_prefix(std::min(end + 1, references.size()));
    }
    return names;
}

namespace {

/// A reference is a name and a type: "Name?type=Runnable", in some versions "?type=sw.Runnable".
void check_reference(const XmlElement& from, std::string_view attribute, std::string_view reference) {
    static const std::multimap<std::string_view, std::string_view> types = {
        {"runnable", "Runnable"},
        {"task", "Task"},
        {"data", "Label"},
        {"isr", "ISR"},
        {"definition", "ProcessingUnitDefinition"},
        {"coreType", "CoreType"},
        {"key", "ProcessingUnitDefinition"},
        {"key", "CoreType"},
        {"quartz", "Quartz"},
        {"frequencyDomain", "FrequencyDomain"},
        {"scheduler", "TaskScheduler"},
        {"scheduler", "InterruptController"},
        {"responsibility", "ProcessingUnit"},
        {"responsibility", "Core"},
        {"affinity", "ProcessingUnit"},
        {"affinity", "Core"},
        {"core", "Core"},
        {"coreAffinity", "Core"},
        {"features", "HwFeature"},
    };
    const auto [first, last] = types.equal_range(attribute);
    const std::size_t query = reference.find("?type=");
    if (first == last || query == std::string_view::npos) return;
    std::string_view type = reference.substr(query + 6);
    type = type.substr(type.find_last_of(".:") + 1);
    if (std::none_of(first, last, [&](const auto& entry) { return entry.second == type; }))
        from.fail(fmt::format("a reference to a {}", first->second), fmt::format("'{}'", reference));
}

}  // namespace

std::vector<std::string> references(const XmlElement& from, const char* name) {
    std::vector<std::string> names;
    const auto add = [&](std::string_view reference) {
        check_reference(from, name, reference);
        names.push_back(referenced_name(reference));
    };
    std::string_view all = from.attribute_or(name, "");
    while (!all.empty()) {
        const std::size_t end = std::min(all.find(' '), all.size());
        if (end > 0) add(all.substr(0, end));
        all.remove_prefix(std::min(end + 1, all.size()));
    }
    for (const XmlElement& child : from.peek(name)) {
        const std::string_view target = child.attribute_or("href", "");
        if (!target.starts_with("amlt:/#")) continue;
        child.read();
        type_of(child);
        add(target.substr(target.find('#') + 1));
    }
    return names;
}

Elements elements_of(const XmlElement& parent, const char* tag, std::string_view type) {
    Elements result;
    for (const XmlElement& element : parent.peek(tag)) {
        if (!type.empty() && type_of(element) != type) continue;
        const std::string name(element.attribute_or("name", ""));
        if (!name.empty() && !result.emplace(name, element).second)
            element.fail(fmt::format("one <{}> of each name", tag), fmt::format("a second '{}'", name));
    }
    return result;
}

std::string_view type_of(const XmlElement& element) {
    std::string_view type = element.attribute_or("xsi:type", "");
    if (const std::size_t colon = type.find(':'); colon != std::string_view::npos)
        type.remove_prefix(colon + 1);
    return type;
}

double number_of(const XmlElement& element, const char* attribute) {
    const std::string_view text = element.attribute_or(attribute, "");
    const auto number = parse_number<double>(text);
    if (!number || !std::isfinite(*number))
        element.fail(fmt::format("a number in attribute '{}'", attribute), fmt::format("'{}'", text));
    return *number;
}

double quantity(const XmlElement& parent, const char* child,
                const std::map<std::string, double, std::less<>>& units, double least) {
    const XmlElement found = parent.child(child);
    if (!found) parent.fail(fmt::format("<{}>", child), "none");
    const std::string_view unit = found.attribute_or("unit", "");
    const auto factor = units.find(unit);
    const double value = number_of(found, "value");
    if (factor == units.end() || value < least || (least == 0 && value == 0))
        found.fail("a positive value and a known unit", fmt::format("'{} {}'", value, unit));
    return value * factor->second;
}

XmlElement referenced(const Elements& elements, const XmlElement& from, const char* attribute) {
    const bool outside = !from.attribute(attribute) && from.child(attribute);
    const std::vector<std::string> names = references(from, attribute);
    const auto found = names.size() == 1 ? elements.find(names.front()) : elements.end();
    if (found == elements.end() && outside)
        from.fail(fmt::format("{} within this file", attribute), "a reference to another file");
    if (found == elements.end())
        from.fail(fmt::format("{} of the model", attribute),
                  names.empty()      ? "none"
                  : names.size() > 1 ? fmt::format("{} names", names.size())
                                     : fmt::format("'{}', which is not in the model", names.front()));
    return found->second;
}

XmlElement resolve(const Elements& elements, const XmlElement& from, const char* attribute) {
    const XmlElement found = referenced(elements, from, attribute);
    found.read();
    return found;
}

WorkReader::WorkReader(const XmlElement& software)
    : runnables_(elements_of(software, "runnables")), labels_(elements_of(software, "labels")) {}

std::vector<Step> WorkReader::steps(const XmlElement& task, const Unit& unit) {
    std::vector<Step> result;
    add_steps(graph_of(task), unit, 0, result);
    return result;
}

void WorkReader::add_steps(const XmlElement& container, const Unit& unit, int depth,
                           std::vector<Step>& steps) {
    check_depth(container, depth);
    for (const XmlElement& item : items_of(container)) {
        const std::string_view type = type_of(item);
        if (is_call(type)) {
            const Work work = runnable_work(item, unit, depth + 1);
            steps.push_back({Step::Kind::run, references(item, "runnable").front(), work, item});
        } else if (const auto ticks = own_ticks(item, type, unit)) {
            steps.push_back({Step::Kind::run, std::string(type), {*ticks, 0}, item});
        } else if (is_group(item, type)) {
            const bool interruptible = read_group(item);
            const std::size_t first = steps.size();
            add_steps(item, unit, depth + 1, steps);
            for (std::size_t i = first; i < steps.size() && !interruptible; ++i)
                if (steps[i].work.ticks > 0) steps[i].work.uninterrupted = item;
        } else if (is_switch(type)) {
            add_longest(item, unit, depth + 1, steps);
        } else if (is_trigger(type)) {
            read_counter(item);
            steps.push_back({Step::Kind::trigger, {}, {}, item});
        } else if (type == "LabelAccess") {
            steps.push_back({Step::Kind::run, "LabelAccess", {0, accessed_bytes(item, unit)}, item});
        } else if (type == "WaitEvent") {
            steps.push_back({Step::Kind::wait, {}, {}, item});
        } else {
            read_other(item, type);
        }
    }
}

/// Kernels and copies, or waits, cannot be compared by length, so such entries are errors. The triggers of
/// all entries count.
void WorkReader::add_longest(const XmlElement& item, const Unit& unit, int depth, std::vector<Step>& steps) {
    std::vector<Step> longest, triggers;
    double most = -1;
    bool kernels = false, copies = false;
    XmlElement uninterrupted;
    for (const XmlElement& entry : entries_of(item, type_of(item))) {
        std::vector<Step> one;
        add_steps(entry, unit, depth, one);
        double length = 0;
        for (const Step& step : one) {
            if (step.kind == Step::Kind::wait) read_other(step.item, type_of(step.item));
            if (step.kind == Step::Kind::trigger) triggers.push_back(step);
            const bool copy = step.work.ticks == 0 && step.work.bytes > 0;
            if (step.work.uninterrupted) uninterrupted = step.work.uninterrupted;
            kernels |= step.work.ticks > 0;
            copies |= copy;
            length += copy ? step.work.bytes : step.work.ticks;
        }
        std::erase_if(one, [](const Step& step) { return step.kind != Step::Kind::run; });
        if (length > most) longest = std::move(one);
        most = std::max(most, length);
    }
    if (kernels && copies) item.fail("entries of kernels alone or of copies alone", "both");
    for (Step& step : longest)
        if (uninterrupted && step.work.ticks > 0) step.work.uninterrupted = uninterrupted;
    if (!triggers.empty()) item.note("triggers in a switch", "each is counted in every job");
    steps.insert(steps.end(), longest.begin(), longest.end());
    steps.insert(steps.end(), triggers.begin(), triggers.end());
}

double WorkReader::accessed_bytes(const XmlElement& item, const Unit& unit) const {
    if (unit.gpu) return quantity(resolve(labels_, item, "data"), "size", size_units());
    item.note("LabelAccess", "takes no time on a core: memories are not modelled");
    return 0;
}

Work WorkReader::runnable_work(const XmlElement& call, const Unit& unit, int depth) {
    read_counter(call);
    const XmlElement runnable = resolve(runnables_, call, "runnable");
    const auto key = std::pair(references(call, "runnable").front(), unit.definition);
    if (const auto known = known_.find(key); known != known_.end()) return known->second;
    check_depth(call, depth);
    const Work work = work_of(graph_of(runnable), unit, depth);
    if (work.ticks == 0 && work.bytes == 0) runnable.note("runnable without ticks", "it takes no time");
    known_.emplace(key, work);
    return work;
}

Work WorkReader::work_of(const XmlElement& container, const Unit& unit, int depth) {
    check_depth(container, depth);
    Work work;
    const auto add = [&](const Work& more) {
        work.ticks += more.ticks;
        work.bytes += more.bytes;
        if (more.uninterrupted) work.uninterrupted = more.uninterrupted;
    };
    for (const XmlElement& item : items_of(container)) {
        const std::string_view type = type_of(item);
        if (const auto ticks = own_ticks(item, type, unit)) {
            work.ticks += *ticks;
        } else if (is_call(type)) {
            add(runnable_work(item, unit, depth + 1));
        } else if (is_group(item, type)) {
            const bool interruptible = read_group(item);
            Work one = work_of(item, unit, depth + 1);
            if (!interruptible && one.ticks > 0) one.uninterrupted = item;
            add(one);
        } else if (is_switch(type)) {
            Work most;
            for (const XmlElement& entry : entries_of(item, type)) {
                const Work one = work_of(entry, unit, depth + 1);
                most = {std::max(most.ticks, one.ticks), std::max(most.bytes, one.bytes),
                        one.uninterrupted ? one.uninterrupted : most.uninterrupted};
            }
            add(most);
        } else if (type == "LabelAccess") {
            work.bytes += accessed_bytes(item, unit);
        } else {
            read_other(item, type);
        }
    }
    if (unit.gpu && work.ticks > 0 && work.bytes > 0)
        container.note("LabelAccess", "takes no time in a kernel: memories are not modelled");
    return work;
}

}  // namespace warpnet::netgen::amalthea
