// The rows of a chart and the kinds of its transitions, from the ids alone. A row is a frame of the net, such
// as a warp, or a common first word of ids. A colour shows a kind. The net of the family `warps` has 17 kinds
// of transitions, and no reader can follow 17 colours. So known words in an id decide first, and map to a few
// classes such as "global memory" and "latency". O(net log net).

#include "analysis/pictures/schedule/schedule_rows.hpp"

#include "analysis/pictures/net/picture_frames.hpp"
#include "engine/base/no_index.hpp"
#include "engine/base/text.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace warpnet::pictures {

namespace {

/// Words of the families warps and sm, and the class of an instruction that has them.
constexpr std::array<std::pair<std::string_view, std::string_view>, 9> classes = {{
    {"arith", "arithmetic"},
    {"shared", "shared memory"},
    {"global", "global memory"},
    {"load", "memory"},
    {"store", "memory"},
    {"delay", "latency"},
    {"join", "barrier"},
    {"wait", "latency"},
    {"refill", "refill"},
}};

bool is_numbered(std::string_view word, std::string_view letters) {
    return word.size() > letters.size() && word.starts_with(letters) &&
           std::all_of(word.begin() + static_cast<std::ptrdiff_t>(letters.size()), word.end(), is_digit);
}

/// The kind of `name`, the id of a transition within its row: i3_L is an L, select_global global memory, the
/// end of sm0_2_end an end.
std::string kind_of(std::string_view name) {
    const std::vector<std::string_view> words = split(name, '_');
    for (const std::string_view word : words)
        for (const auto& [known, kind] : classes)
            if (word == known) return std::string(kind);
    if (words.size() > 1 && (is_numbered(words[0], "i") || is_numbered(words[0], "sm")))
        return std::string(words.back());
    return std::string(name);
}

/// The prefix of the row of each node with this id; empty: no row.
class Prefixes {
  public:
    explicit Prefixes(const Net& net) : frames_(find_frames(net)) {
        for (std::size_t p = 0; p < net.places().size(); ++p)
            if (frames_.of_place[p] != no_index)
                of_places_.insert(inner(frames_.of_place[p], net.places()[p].id));
        if (!frames_.prefixes.empty()) return;
        for (const auto& transition : net.transitions()) ++first_words_[first_word(transition.id)];
        constexpr std::size_t most_rows = 60;
        if (first_words_.size() > most_rows) first_words_.clear();
    }

    std::string of(const Net& net, std::size_t t) const {
        const std::string& id = net.transitions()[t].id;
        const std::uint32_t frame = frames_.of_transition[t];
        if (frame == no_index) {
            const auto word = first_words_.find(first_word(id));
            return word == first_words_.end() || word->second < 3 ? std::string() : word->first;
        }
        std::string prefix = inner(frame, id);
        return of_places_.contains(prefix) ? prefix : frames_.prefixes[frame];
    }

    const PictureFrames& frames() const { return frames_; }

  private:
    /// Frames within frames: sm1_w1_ready makes the row sm1_w1. The instructions of a warp, such as w1_i2_L,
    /// share its row.
    std::string inner(std::uint32_t frame, const std::string& id) const {
        const std::string& prefix = frames_.prefixes[frame];
        const std::string_view within = frame_prefix(std::string_view(id).substr(prefix.size()));
        return is_numbered(within.substr(0, within.find('_')), "i") ? prefix : prefix + std::string(within);
    }
    static std::string first_word(const std::string& id) {
        const std::size_t end = id.find('_');
        return end == std::string::npos ? std::string() : id.substr(0, end + 1);
    }

    PictureFrames frames_;
    std::set<std::string> of_places_;
    std::map<std::string, std::size_t> first_words_;
};

/// The row of the transitions in no other row.
std::string name_of_rest(const std::vector<std::string>& prefixes) {
    if (prefixes.empty()) return "net";
    const auto is_warp = [](std::string_view prefix) {
        const std::size_t last = prefix.rfind('_', prefix.size() - 2);
        return prefix.substr(last == std::string_view::npos ? 0 : last + 1).starts_with('w');
    };
    return std::all_of(prefixes.begin(), prefixes.end(), is_warp) ? "no warp" : "no part";
}

}  // namespace

ScheduleRows schedule_rows(const Net& net) {
    const Prefixes prefixes(net);
    ScheduleRows rows;
    std::vector<std::string> used;
    std::map<std::string, std::uint32_t> numbers;
    for (std::size_t t = 0; t < net.transitions().size(); ++t) {
        const std::string prefix = prefixes.of(net, t);
        rows.kind_of.push_back(kind_of(std::string_view(net.transitions()[t].id).substr(prefix.size())));
        rows.row_of.push_back(no_index);
        if (prefix.empty()) continue;
        const auto [at, added] = numbers.try_emplace(prefix, static_cast<std::uint32_t>(used.size()));
        if (added) used.push_back(prefix);
        rows.row_of.back() = at->second;
    }
    for (const std::string& prefix : used) rows.names.push_back(prefix.substr(0, prefix.size() - 1));
    rows.names.push_back(name_of_rest(used));
    for (std::uint32_t& row : rows.row_of) row = std::min(row, rows.rest());
    return rows;
}

std::vector<std::size_t> colours_of(const ScheduleRows& rows, const std::vector<std::string>& kinds) {
    constexpr std::size_t most_of_net = 40, grey = 9;
    std::set<std::string> all(rows.kind_of.begin(), rows.kind_of.end());
    std::map<std::string, std::size_t> number_of;
    for (const std::string& kind : all.size() > most_of_net ? kinds : rows.kind_of) {
        const std::size_t number = number_of.size() - number_of.count("idle");
        number_of.try_emplace(kind, kind == "idle" ? grey : number < grey ? number : number + 1);
    }
    std::vector<std::size_t> colours;
    colours.reserve(kinds.size());
    for (const std::string& kind : kinds) colours.push_back(number_of.at(kind));
    return colours;
}

namespace {

/// The rows that have begun. A row begins when one of its transitions has tokens in all its own input places,
/// those from which only this row takes: a warp that lacks only a scheduler has begun, and a block of a
/// control-flow graph begins after the block before it.
class BegunRows {
  public:
    BegunRows(const Net& net, const ScheduleRows& rows)
        : net_(net),
          tokens_(net.initial_marking()),
          owner_(net.places().size(), no_index),
          transitions_(rows.names.size()),
          begun_(rows.names.size()) {
        std::vector<std::uint8_t> taken(owner_.size());
        for (const Arc& arc : net.arcs()) {
            if (arc.kind != ArcKind::input) continue;
            const std::size_t place = index(arc.place);
            const std::uint32_t row = rows.row_of[index(arc.transition)];
            owner_[place] = taken[place] == 0 || owner_[place] == row ? row : no_index;
            taken[place] = 1;
        }
        for (std::size_t t = 0; t < rows.row_of.size(); ++t)
            transitions_[rows.row_of[t]].push_back(static_cast<TransitionId>(t));
        for (std::uint32_t row = 0; row < begun_.size(); ++row) see(row);
    }

    /// Fires a transition; returns the rows that begin with the tokens that it gives.
    std::vector<std::uint32_t> fire(std::uint32_t t) {
        std::vector<std::uint32_t> begun;
        const auto arcs = net_.arcs_of(static_cast<TransitionId>(t));
        for (const Arc& arc : arcs) {
            if (arc.kind == ArcKind::input) tokens_[index(arc.place)] -= arc.weight;
            if (arc.kind == ArcKind::output) tokens_[index(arc.place)] += arc.weight;
        }
        for (const Arc& arc : arcs) {
            const std::uint32_t row = owner_[index(arc.place)];
            if (arc.kind == ArcKind::output && row != no_index && begun_[row] == 0 && see(row))
                begun.push_back(row);
        }
        return begun;
    }

  private:
    /// Whether a row begins now, if it has not begun before.
    bool see(std::uint32_t row) {
        begun_[row] = std::ranges::any_of(transitions_[row], [&](TransitionId transition) {
            return std::ranges::all_of(net_.arcs_of(transition), [&](const Arc& arc) {
                const std::size_t place = index(arc.place);
                return arc.kind != ArcKind::input || owner_[place] != row || tokens_[place] >= arc.weight;
            });
        });
        return begun_[row] != 0;
    }

    const Net& net_;
    Marking tokens_;
    std::vector<std::uint32_t> owner_;  // per place the row that alone takes from it, or no_index
    std::vector<std::vector<TransitionId>> transitions_;  // per row
    std::vector<std::uint8_t> begun_;                     // per row
};

}  // namespace

std::vector<ScheduleWait> waits_of(const Net& net, const ScheduleRows& rows, const Schedule& schedule) {
    std::vector<ScheduleWait> waits;
    BegunRows begun(net, rows);
    std::vector<std::uint64_t> last(rows.names.size());  // the step in which a row last fired or began
    std::uint64_t now = 0;
    for (const ScheduledStep& step : schedule) {
        if (!step.immediate) ++now;
        for (const std::uint32_t t : step.transitions) {
            for (const std::uint32_t row : begun.fire(t)) last[row] = now;
            const std::uint32_t row = rows.row_of[t];
            if (step.immediate) continue;
            if (row != rows.rest() && now > last[row] + 1) waits.push_back({row, last[row] + 1, now - 1});
            last[row] = now;
        }
    }
    return waits;
}

}  // namespace warpnet::pictures
