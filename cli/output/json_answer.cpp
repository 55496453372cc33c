// The common part of all JSON answers. The head tells a script which program wrote the answer, and whether
// the work was finished.

#include "cli/output/json_answer.hpp"

#include "engine/base/text.hpp"
#include "engine/base/to_json.hpp"
#include "engine/base/version.hpp"

#include <algorithm>
#include <atomic>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace warpnet::cli {

namespace {

std::atomic<const std::string*> kept_answer = nullptr;
static_assert(std::atomic<const std::string*>::is_always_lock_free);  // a signal handler reads it

}  // namespace

void print_answer(std::string_view text) {
    answer_begins();
    fmt::print("{}", visible(text));
}

void keep_answer(std::string answer) {
    static std::string kept;
    answer_begins();
    kept = std::move(answer);
    if (!kept.empty()) kept_answer.store(&kept);
}

const std::string* answer_at_limit() noexcept { return kept_answer.load(); }

void answer_begins() { kept_answer.store(nullptr); }

void AnswerHead::add(WorkEnd end) {
    if (end == WorkEnd::interrupted) interrupted = true;
    if (end == WorkEnd::effort_limit) add_limit("effort_limit");
    if (end == WorkEnd::state_limit || end == WorkEnd::memory_limit || end == WorkEnd::time_limit ||
        end == WorkEnd::overflow)
        add_limit(with_underscores(to_string(end)));
}

void AnswerHead::add_limit(std::string_view name) {
    if (std::find(limits.begin(), limits.end(), name) == limits.end()) limits.emplace_back(name);
}

std::string json_answer(const AnswerHead& head, const nlohmann::ordered_json& members, int indent) {
    nlohmann::ordered_json answer = {{"tool", "warpnet"},
                                     {"version", version},
                                     {"command", head.command},
                                     {"schema", json_schema_number},
                                     {"complete", head.limits.empty() && !head.interrupted},
                                     {"limits", head.limits},
                                     {"interrupted", head.interrupted},
                                     {"seed", or_null(head.seed)}};
    for (const auto& [name, value] : members.items())
        if (!answer.contains(name)) answer[name] = value;
    return json_text(answer, indent) + "\n";
}

namespace {

std::string type_text(const nlohmann::ordered_json& schema) {
    if (schema.contains("enum")) {
        std::string values;
        for (const auto& value : schema.at("enum")) values += (values.empty() ? "" : "|") + value.dump();
        return values;
    }
    if (!schema.contains("type")) return "";
    const auto& type = schema.at("type");
    if (type.is_string()) return type;
    std::string types;
    for (const auto& one : type) types += (types.empty() ? "" : "|") + one.get<std::string>();
    return types;
}

}  // namespace

std::string json_help(std::string_view command) {
    const auto& all = json_schemas();
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.first == command; });
    if (found == all.end()) return "";
    const auto schema = nlohmann::ordered_json::parse(found->second);
    std::string text = schema.at("description").get<std::string>() + "\n\n";
    const AnswerHead none{std::string(command), {}, {}};
    const auto head = nlohmann::ordered_json::parse(json_answer(none, {}));
    const auto& required = schema.at("required");
    for (const auto& [name, member] : schema.at("properties").items()) {
        if (head.contains(name)) continue;
        const bool always = std::find(required.begin(), required.end(), name) != required.end();
        text += fmt::format("  {:<22} {:<22} {}{}\n", name, type_text(member),
                            member.value("description", ""), always ? "" : " (not always)");
    }
    return text;
}

}  // namespace warpnet::cli
