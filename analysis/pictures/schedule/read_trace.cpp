// A trace is one of three formats, and the first characters show which. Each is reduced to steps of
// transition names with repetitions, and names are looked up in the net. Cost: linear in the trace.
//
// A trace belongs to the net if its columns are the places of the net in their order, or if its first marking
// is the initial one. Steps are not checked against the net, because a film shows what the file has. At most
// most_frames steps are accepted, since the picture has an element for each change.

#include "analysis/pictures/schedule/read_trace.hpp"

#include "engine/base/text.hpp"
#include "engine/input/csv.hpp"
#include "engine/input/json.hpp"
#include "engine/net/error.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

namespace warpnet::pictures {

namespace {

class FrameReader {
  public:
    FrameReader(const std::string& source, const Net& net) : source_(source), net_(net), nodes_(net) {}

    TraceFrame frame(const JsonValue& entry) const {
        TraceFrame frame{
            static_cast<std::uint64_t>(entry.at("step").integer(0)), entry.at("immediate").boolean(), {}, {}};
        for (const auto& [id, times] : entry.at("fired").members())
            frame.fired.push_back({transition(id, times.where()), times.integer(0)});
        frame.marking.assign(net_.places().size(), 0);
        for (const auto& [id, tokens] : entry.at("marking").members())
            frame.marking[place(id, tokens.where())] = tokens.integer(0);
        return frame;
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

    const std::string& source_;
    const Net& net_;
    WrittenIds nodes_;
};

/// All steps in the text, without a limit.
std::vector<TraceFrame> read_frames(std::string_view text, const std::string& source, const Net& net) {
    const FrameReader reader(source, net);
    if (!text.starts_with('{')) return reader.csv(text);
    std::vector<TraceFrame> frames;
    if (text.starts_with("{\"net\"") || text.starts_with("{\"tool\"")) {
        return read_json(text, source, [&](const JsonValue& root) {
            if (!root.has("trace")) root.fail("a trace of 'run --trace'");
            root.at("net").text();
            for (const JsonValue& entry : root.at("trace").elements()) frames.push_back(reader.frame(entry));
            return frames;
        });
    }
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string entry = fmt::format("{}: entry {}", source, frames.size() + 1);
        frames.push_back(
            read_json(text.substr(0, end), entry, [&](const JsonValue& root) { return reader.frame(root); }));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return frames;
}

}  // namespace

std::vector<TraceFrame> read_trace(std::string_view text, const std::string& source, const Net& net) {
    std::vector<TraceFrame> frames = read_frames(text, source, net);
    constexpr std::size_t most_frames = 2000;
    if (frames.size() > most_frames)
        throw InputError(
            fmt::format("{}: expected at most {} steps to show, found {}; shorten the run with "
                        "--max-steps or --until",
                        source, most_frames, frames.size()));
    if (frames.empty() || frames[0].step != 0 || !frames[0].fired.empty()) return frames;
    for (std::size_t p = 0; p < net.places().size(); ++p) {
        const Place& place = net.places()[p];
        if (frames[0].marking[p] != place.initial)
            throw InputError(
                fmt::format("{}: expected a trace of net '{}', which begins with {} in '{}', found one that "
                            "begins with {}",
                            source, net.id(), place.initial, place.id, frames[0].marking[p]));
    }
    return frames;
}

}  // namespace warpnet::pictures
