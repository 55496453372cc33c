#include "analysis/files/read_trace.hpp"

#include "analysis/files/csv.hpp"
#include "analysis/files/written_ids.hpp"
#include "engine/base/parse_number.hpp"
#include "engine/net/error.hpp"
#include "netgen/common/json_value.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace warpnet {

namespace {

using Json = nlohmann::json;

class FrameReader {
  public:
    FrameReader(const std::string& source, const Net& net) : source_(source), net_(net), nodes_(net) {}

    TraceFrame frame(const Json& json, std::size_t number) const {
        const std::string where = fmt::format("{}: entry {}", source_, number);
        try {
            TraceFrame frame{static_cast<std::uint64_t>(count(json.at("step"), where)),
                             json.at("immediate").get<bool>(),
                             {},
                             {}};
            for (const auto& [id, times] : json.at("fired").items())
                frame.fired.push_back({transition(id, where), count(times, where)});
            frame.marking.assign(net_.places().size(), 0);
            for (const auto& [id, tokens] : json.at("marking").items())
                frame.marking[place(id, where)] = count(tokens, where);
            return frame;
        } catch (const Json::exception& error) {
            throw InputError(where + ": expected {step, immediate, fired, marking}: " + json_fault(error));
        }
    }

    std::vector<TraceFrame> csv(std::string_view text) const {
        const std::vector<CsvRow> rows = parse_csv(text, source_);
        if (rows.empty() || !is_header(rows[0].fields)) {
            throw InputError(source_ +
                             ":1: expected the header 'step,immediate,fired,...' with the places of net '" +
                             net_.id() + "'");
        }
        std::vector<TraceFrame> frames;
        for (std::size_t i = 1; i < rows.size(); ++i) {
            const std::string where = fmt::format("{}:{}", source_, rows[i].line);
            const auto& fields = rows[i].fields;
            if (fields.size() != rows[0].fields.size())
                throw InputError(fmt::format("{}: expected {} fields, found {}", where, rows[0].fields.size(),
                                             fields.size()));
            TraceFrame frame{static_cast<std::uint64_t>(number(fields[0], where)), fields[1] == "1", {}, {}};
            for (std::size_t p = 3; p < fields.size(); ++p) frame.marking.push_back(number(fields[p], where));
            for (std::string_view rest = fields[2]; !rest.empty();) {
                frame.fired.push_back(next_firing(rest, where));
                rest.remove_prefix(std::min<std::size_t>(1, rest.size()));
            }
            frames.push_back(std::move(frame));
        }
        return frames;
    }

  private:
    std::uint32_t transition(const std::string& id, const std::string& where) const {
        const auto found = nodes_.transition(id);
        if (!found)
            throw InputError(
                fmt::format("{}: expected a transition of net '{}', found '{}'", where, net_.id(), id));
        return static_cast<std::uint32_t>(index(*found));
    }

    std::size_t place(const std::string& id, const std::string& where) const {
        const auto found = nodes_.place(id);
        if (!found)
            throw InputError(
                fmt::format("{}: expected a place of net '{}', found '{}'", where, net_.id(), id));
        return index(*found);
    }

    /// Takes `t`, `t*3`, `"my t"` or `"my t"*3` from the front, up to a space or the end.
    Firing next_firing(std::string_view& rest, const std::string& where) const {
        std::string id;
        const bool quoted = rest.front() == '"';
        if (quoted) {
            for (rest.remove_prefix(1); !rest.empty() && !(rest[0] == '"' && !rest.starts_with("\"\""));) {
                if (rest[0] == '"') rest.remove_prefix(1);
                id += rest[0];
                rest.remove_prefix(1);
            }
            if (rest.empty())
                throw InputError(where + ": a quote in column 'fired' is opened and not closed");
            rest.remove_prefix(1);
        }
        const std::size_t end = std::min(rest.find(' '), rest.size());
        const std::string_view word = rest.substr(0, end);
        rest.remove_prefix(end);
        const std::size_t star = word.rfind('*');
        if (star == std::string_view::npos || (!quoted && nodes_.transition(word)))
            return {transition(id + std::string(word), where), 1};
        return {transition(id + std::string(word.substr(0, star)), where),
                number(std::string(word.substr(star + 1)), where)};
    }

    bool is_header(const std::vector<std::string>& fields) const {
        static constexpr std::string_view first[] = {"step", "immediate", "fired"};
        const std::size_t columns = std::size(first) + net_.places().size();
        if (fields.size() != columns || !std::equal(std::begin(first), std::end(first), fields.begin()))
            return false;
        for (std::size_t p = 0; p < net_.places().size(); ++p) {
            if (nodes_.place(fields[std::size(first) + p]) != PlaceId(static_cast<std::uint32_t>(p)))
                return false;
        }
        return true;
    }

    static std::int64_t number(const std::string& text, const std::string& where) {
        const auto value = parse_number<std::int64_t>(text);
        if (!value || *value < 0)
            throw InputError(fmt::format("{}: expected a whole number, found '{}'", where, text));
        return *value;
    }

    static std::int64_t count(const Json& json, const std::string& where) {
        return JsonValue(json, where).integer(0);
    }

    const std::string& source_;
    const Net& net_;
    WrittenIds nodes_;
};

}  // namespace

std::vector<TraceFrame> read_trace(std::string_view text, const std::string& source, const Net& net) {
    const FrameReader reader(source, net);
    if (!text.starts_with('{')) return reader.csv(text);
    std::vector<TraceFrame> frames;
    try {
        if (text.starts_with("{\"net\"")) {
            const Json whole = read_json(text, source);
            for (const Json& entry : whole.at("trace"))
                frames.push_back(reader.frame(entry, frames.size() + 1));
            return frames;
        }
        while (!text.empty()) {
            const std::size_t end = std::min(text.find('\n'), text.size());
            const Json line = read_json(text.substr(0, end), source);
            frames.push_back(reader.frame(line, frames.size() + 1));
            text.remove_prefix(std::min(end + 1, text.size()));
        }
    } catch (const Json::exception& error) {
        throw InputError(source + ": expected a trace of 'run --trace': " + json_fault(error));
    }
    return frames;
}

}  // namespace warpnet
