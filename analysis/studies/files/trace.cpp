// Runs as text: CSV, JSON, JSON lines, and value change dumps (VCD, IEEE 1364-2001 section 18). Ids are
// formatted once per net and not once per step. The head of a VCD needs the widths of all variables, so the
// changes are collected first and the head is written last. It lists only changes: after a step, the places
// around the firings are compared with their previous tokens. Memory: the text.

#include "analysis/studies/files/trace.hpp"

#include "engine/base/to_json.hpp"
#include "engine/input/csv.hpp"

#include <algorithm>
#include <bit>
#include <filesystem>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace warpnet::studies {

namespace {

std::vector<std::string> json_ids(const auto& nodes) {
    std::vector<std::string> ids;
    for (const auto& node : nodes) ids.push_back(json_text(nlohmann::json(node.id)));
    return ids;
}

std::vector<std::string> csv_ids(const auto& nodes, std::string (*spelled)(const std::string&)) {
    std::vector<std::string> ids;
    for (const auto& node : nodes) ids.push_back(spelled(node.id));
    return ids;
}

std::string as_it_is(const std::string& id) { return id; }

}  // namespace

std::string word_of_trace(const std::string& id) {
    if (id.find_first_of(" \"") == std::string::npos) return id;
    std::string quoted = "\"";
    for (const char c : id) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    return quoted + '"';
}

Trace::Trace(const Net& net, TraceFormat format)
    : format_(format),
      places_(format == TraceFormat::csv ? csv_ids(net.places(), as_it_is) : json_ids(net.places())),
      transitions_(format == TraceFormat::csv ? csv_ids(net.transitions(), word_of_trace)
                                              : json_ids(net.transitions())) {
    if (format_ == TraceFormat::csv) {
        text_ = "step,immediate,fired";
        for (const std::string& id : places_) text_ += "," + csv_field(id);
        text_ += '\n';
    } else if (format_ == TraceFormat::json) {
        text_ = fmt::format("{{\"net\":{},\"trace\":[", json_text(nlohmann::json(net.id())));
    }
    Trace::step(0, false, {}, net.initial_marking());
}

void Trace::step(std::uint64_t number, bool immediate, std::span<const Firing> firings,
                 std::span<const Tokens> marking) {
    if (format_ == TraceFormat::csv) {
        add_csv_row(number, immediate, firings, marking);
    } else {
        add_json_object(number, immediate, firings, marking);
    }
}

void Trace::add_csv_row(std::uint64_t number, bool immediate, std::span<const Firing> firings,
                        std::span<const Tokens> marking) {
    std::string fired;
    for (const auto& [transition, times] : firings) {
        if (!fired.empty()) fired += ' ';
        fired += transitions_[transition];
        if (times > 1) fired += "*" + std::to_string(times);
    }
    text_ += fmt::format("{},{},{}", number, immediate ? 1 : 0, csv_field(fired));
    for (const Tokens tokens : marking) text_ += fmt::format(",{}", tokens);
    text_ += '\n';
}

void Trace::add_json_object(std::uint64_t number, bool immediate, std::span<const Firing> firings,
                            std::span<const Tokens> marking) {
    if (format_ == TraceFormat::json) text_ += empty_ ? "\n" : ",\n";
    empty_ = false;
    text_ += fmt::format("{{\"step\":{},\"immediate\":{},\"fired\":{{", number, immediate);
    const char* separator = "";
    for (const auto& [transition, times] : firings) {
        text_ += fmt::format("{}{}:{}", separator, transitions_[transition], times);
        separator = ",";
    }
    text_ += "},\"marking\":{";
    separator = "";
    for (std::size_t place = 0; place < marking.size(); ++place) {
        if (marking[place] == 0) continue;
        text_ += fmt::format("{}{}:{}", separator, places_[place], marking[place]);
        separator = ",";
    }
    text_ += "}}";
    if (format_ == TraceFormat::json_lines) text_ += '\n';
}

std::string Trace::finish() {
    if (format_ == TraceFormat::json) text_ += "\n]}\n";
    return std::move(text_);
}

namespace {

/// The short code of a variable in the list of changes: a number in base 94 of the printable characters.
std::string code(std::size_t number) {
    constexpr std::size_t first = '!', characters = '~' - '!' + 1;
    std::string text;
    for (;; number = number / characters - 1) {
        text += static_cast<char>(first + number % characters);
        if (number < characters) return text;
    }
}

int bits_of(Tokens tokens) {
    return std::max(1, static_cast<int>(std::bit_width(static_cast<std::uint64_t>(tokens))));
}

std::string legal(const std::string& id) {
    std::string name;
    for (const char c : id) {
        const bool kept = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        name += kept ? c : '_';
    }
    if (name.empty() || (name[0] >= '0' && name[0] <= '9')) name.insert(name.begin(), '_');
    return name;
}

template <class Node>
std::vector<std::string> ids_of(std::span<const Node> nodes) {
    std::vector<std::string> ids;
    for (const Node& node : nodes) ids.push_back(node.id);
    return ids;
}

}  // namespace

std::vector<std::string> vcd_names(const std::vector<std::string>& ids) {
    // Ids that are valid names keep them, even if an earlier id would get the same name.
    std::set<std::string> taken;
    for (const std::string& id : ids) {
        if (legal(id) == id) taken.insert(id);
    }
    std::vector<std::string> names;
    for (const std::string& id : ids) {
        std::string name = legal(id);
        if (name != id) {
            for (int number = 2; !taken.insert(name).second; ++number)
                name = fmt::format("{}_{}", legal(id), number);
        }
        names.push_back(std::move(name));
    }
    return names;
}

VcdTrace::VcdTrace(const Net& net)
    : net_(net), changed_by_(net.transitions().size()), marking_(net.initial_marking()), highest_(marking_) {
    for (const Arc& arc : net.arcs()) {
        auto& places = changed_by_[index(arc.transition)];
        const auto place = static_cast<std::uint32_t>(index(arc.place));
        const bool moves = arc.kind == ArcKind::input || arc.kind == ArcKind::output;
        if (moves && std::find(places.begin(), places.end(), place) == places.end()) places.push_back(place);
    }
    changes_ = "#0\n$dumpvars\n";
    for (std::size_t place = 0; place < marking_.size(); ++place) add_value(place);
    changes_ += "$end\n";
}

void VcdTrace::move_to(std::uint64_t time) {
    if (time == time_) return;
    time_ = time;
    changes_ += fmt::format("#{}\n", time);
}

void VcdTrace::add_value(std::size_t place) {
    changes_ += fmt::format("b{:b} {}\n", marking_[place], code(place));
}

void VcdTrace::step(std::uint64_t number, bool, std::span<const Firing> firings,
                    std::span<const Tokens> marking) {
    move_to(number);
    for (const Firing& firing : firings) {
        changes_ += "1" + code(net_.places().size() + firing.transition) + "\n";
        for (const std::uint32_t place : changed_by_[firing.transition]) {
            if (marking[place] == marking_[place]) continue;
            marking_[place] = marking[place];
            highest_[place] = std::max(highest_[place], marking[place]);
            add_value(place);
        }
    }
}

std::string VcdTrace::finish() {
    const std::size_t places = net_.places().size();
    const auto place_names = vcd_names(ids_of(net_.places()));
    const auto transition_names = vcd_names(ids_of(net_.transitions()));
    std::string text = fmt::format(
        "$comment one second is one step $end\n$timescale 1 s $end\n$scope module {} $end\n"
        "$scope module places $end\n",
        legal(net_.id()));
    for (std::size_t p = 0; p < places; ++p) {
        text += fmt::format("$var reg {} {} {} $end\n", bits_of(highest_[p]), code(p), place_names[p]);
    }
    text += "$upscope $end\n$scope module transitions $end\n";
    for (std::size_t t = 0; t < transition_names.size(); ++t) {
        text += fmt::format("$var event 1 {} {} $end\n", code(places + t), transition_names[t]);
    }
    text += "$upscope $end\n$upscope $end\n$enddefinitions $end\n";
    return text + changes_;
}

std::optional<TraceFormat> trace_format(const std::string& file) {
    const std::string extension = std::filesystem::path(file).extension().string();
    if (extension == ".csv" || file == "-") return TraceFormat::csv;
    if (extension == ".json") return TraceFormat::json;
    if (extension == ".jsonl") return TraceFormat::json_lines;
    return extension == ".vcd" ? std::optional(TraceFormat::vcd) : std::nullopt;
}

RunRecorder::RunRecorder(const Net& net, std::optional<TraceFormat> format, bool schedule) {
    if (format == TraceFormat::vcd)
        vcd_.emplace(net);
    else if (format)
        trace_.emplace(net, *format);
    if (schedule) schedule_.emplace();
}

void RunRecorder::step(std::uint64_t number, bool immediate, std::span<const Firing> firings,
                       std::span<const Tokens> marking) {
    if (trace_) trace_->step(number, immediate, firings, marking);
    if (vcd_) vcd_->step(number, immediate, firings, marking);
    if (schedule_) schedule_->step(number, immediate, firings, marking);
}

}  // namespace warpnet::studies
