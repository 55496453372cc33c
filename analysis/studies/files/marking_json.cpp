// Markings and firings from JSON: an object of tokens or firings by id, or the output of `run --json`. The
// firings of several runs are averaged. Unknown ids, and numbers that are no token counts, are errors with
// the name of the file.

#include "analysis/studies/files/marking_json.hpp"

#include "engine/base/to_json.hpp"
#include "engine/input/parse_json.hpp"
#include "engine/net/error.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace warpnet::studies {

namespace {

using Json = nlohmann::json;

Json parse(std::string_view text, const std::string& source) {
    try {
        return parse_json(text, source);
    } catch (const Json::parse_error& error) {
        const auto line =
            1 + std::count(text.begin(),
                           text.begin() + static_cast<std::ptrdiff_t>(std::min(error.byte, text.size())),
                           '\n');
        throw InputError(fmt::format("{}:{}: no JSON: {}", source, line, json_fault(error)));
    } catch (const Json::exception& error) {  // a number outside the range of machine numbers
        throw InputError(fmt::format("{}: {}", source, json_fault(error)));
    }
}

bool is_token_count(const Json& json) {
    return json.is_number_unsigned() && json.get<std::uint64_t>() <= static_cast<std::uint64_t>(max_tokens);
}

}  // namespace

Marking read_marking_json(std::string_view text, const std::string& source, const Net& net) {
    Json json = parse(text, source);
    if (json.is_object() && json.contains("results")) {
        const Json::json_pointer first("/results/0/marking");
        if (!json.contains(first)) {
            throw InputError(source +
                             ": expected a marking in its first result ('run --json --marking'), found none");
        }
        json = json.at(first);
    }
    if (!json.is_object())
        throw InputError(source + ": expected an object {place: tokens}, found " + json.type_name());
    const NodeIndex nodes(net);
    Marking marking(net.places().size(), 0);
    for (const auto& [id, tokens] : json.items()) {
        const auto place = nodes.place(id);
        if (!place)
            throw InputError(
                fmt::format("{}: expected a place of net '{}', found '{}'", source, net.id(), id));
        if (!is_token_count(tokens)) {
            throw InputError(fmt::format("{}: expected a number of tokens for place '{}', found {}", source,
                                         id, json_text(tokens)));
        }
        marking[index(*place)] = tokens.get<Tokens>();
    }
    return marking;
}

std::vector<double> read_firings_json(std::string_view text, const std::string& source, const Net& net) {
    const Json json = parse(text, source);
    std::vector<Json> counts;
    if (json.is_object() && json.contains("results") && json["results"].is_array()) {
        for (const Json& result : json["results"]) {
            if (!result.is_object() || !result.contains("counts"))
                throw InputError(source +
                                 ": expected firings in each result ('run --json --counts'), found none");
            counts.push_back(result["counts"]);
        }
    } else {
        counts.push_back(json);
    }
    const NodeIndex nodes(net);
    std::vector<double> firings(net.transitions().size(), 0);
    for (const Json& count : counts) {
        if (!count.is_object())
            throw InputError(source + ": expected an object {transition: firings}, found " +
                             count.type_name());
        for (const auto& [id, times] : count.items()) {
            const auto transition = nodes.transition(id);
            if (!transition || !times.is_number() || times.get<double>() < 0) {
                throw InputError(
                    fmt::format("{}: expected the firings of a transition of net '{}', found '{}': {}",
                                source, net.id(), id, json_text(times)));
            }
            firings[index(*transition)] += times.get<double>() / static_cast<double>(counts.size());
        }
    }
    return firings;
}

}  // namespace warpnet::studies
