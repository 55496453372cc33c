#include "cli/report/trace.hpp"

#include "engine/base/to_json.hpp"
#include "engine/input/csv.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace warpnet::cli {

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

}  // namespace warpnet::cli
