// Splits of a graph with the units that each side holds, and all their written forms: JSON, graph text,
// numbered text, comments in PTX. Demands of units are computed from the inside out, allotments from the
// outside in, both in O(blocks).
//
// The demand of a sequence is the largest of its blocks, and that of a branch the sum of its sides if it
// splits, otherwise their maximum. A side gets its own demand and no share of the spare units. They could not
// make it faster, because all splits inside it already have units.

#include "netgen/cfg/annotation.hpp"

#include "engine/base/text.hpp"
#include "engine/base/to_json.hpp"
#include "engine/net/error.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace warpnet::netgen {

namespace {

Units demand_of(std::span<const BlockId> sequence, const std::vector<Units>& demands) {
    Units most = 1;
    for (const BlockId block : sequence) most = std::max(most, demands[index(block)]);
    return most;
}

void check_size(const StructuredCfg& cfg, std::size_t entries) {
    if (entries != cfg.size()) {
        throw InputError("an annotation of " + std::to_string(entries) + " blocks for a graph of " +
                         std::to_string(cfg.size()));
    }
}

}  // namespace

const char* to_string(UnitSharing sharing) {
    switch (sharing) {
        case UnitSharing::allotted:
            return "static";
        case UnitSharing::first_come:
            return "first-come";
        case UnitSharing::fixed_hand_over:
            return "fixed";
    }
    return "";
}

SplitSet CfgAnnotation::splits() const {
    SplitSet result(blocks.size());
    std::transform(blocks.begin(), blocks.end(), result.begin(),
                   [](const BlockAnnotation& b) { return b.split; });
    return result;
}

std::vector<Units> first_units(const StructuredCfg& cfg, const CfgAnnotation& annotation) {
    std::vector<Units> first(cfg.size(), 1);
    for (const BlockId at : cfg.program_order()) {
        const BlockAnnotation& own = annotation.blocks[index(at)];
        const Units of_true_side = first[index(at)];
        const Units of_false_side = own.split ? of_true_side + own.true_units : of_true_side;
        for (const BlockId inner : cfg[at].true_side) first[index(inner)] = of_true_side;
        for (const BlockId inner : cfg[at].false_side) first[index(inner)] = of_false_side;
    }
    return first;
}

std::vector<Units> unit_demands(const StructuredCfg& cfg, const SplitSet& splits) {
    check_size(cfg, splits.size());
    std::vector<Units> demands(cfg.size(), 1);
    const std::span<const BlockId> order = cfg.program_order();
    for (auto at = order.rbegin(); at != order.rend(); ++at) {
        const CfgBlock& block = cfg[*at];
        if (!block.is_branch()) continue;
        const Units left = demand_of(block.true_side, demands);
        const Units right = demand_of(block.false_side, demands);
        demands[index(*at)] = splits[index(*at)] ? left + right : std::max(left, right);
    }
    return demands;
}

Units unit_demand(const StructuredCfg& cfg, const SplitSet& splits) {
    return demand_of(cfg.root(), unit_demands(cfg, splits));
}

CfgAnnotation annotate(const StructuredCfg& cfg, const SplitSet& splits, Units units) {
    if (units < 1) throw InputError("got " + std::to_string(units) + " units, expected 1 or more");
    const std::vector<Units> demands = unit_demands(cfg, splits);
    const Units needed = demand_of(cfg.root(), demands);
    if (needed > units) {
        throw InputError("allotting units to these splits takes " + std::to_string(needed) + ", only " +
                         std::to_string(units) + " are there");
    }
    CfgAnnotation result{units, std::vector<BlockAnnotation>(cfg.size())};
    for (const BlockId block : cfg.root()) result.blocks[index(block)].units = units;
    for (const BlockId at : cfg.program_order()) {
        const CfgBlock& block = cfg[at];
        if (!block.is_branch()) continue;
        BlockAnnotation& own = result.blocks[index(at)];
        own.split = splits[index(at)];
        own.true_units = own.split ? demand_of(block.true_side, demands) : own.units;
        own.false_units = own.split ? demand_of(block.false_side, demands) : own.units;
        for (const BlockId child : block.true_side) result.blocks[index(child)].units = own.true_units;
        for (const BlockId child : block.false_side) result.blocks[index(child)].units = own.false_units;
    }
    return result;
}

CfgAnnotation annotate_pooled(const StructuredCfg& cfg, const SplitSet& splits, Units units,
                              UnitSharing sharing) {
    check_size(cfg, splits.size());
    CfgAnnotation result{units, std::vector<BlockAnnotation>(cfg.size()), sharing};
    for (std::size_t i = 0; i < splits.size(); ++i) result.blocks[i].split = splits[i];
    check_annotation(cfg, result);
    return result;
}

void check_annotation(const StructuredCfg& cfg, const CfgAnnotation& annotation) {
    check_size(cfg, annotation.blocks.size());
    const auto require = [](bool holds, const std::string& where, Units got, Units limit) {
        if (holds) return;
        throw InputError(where + " holds " + std::to_string(got) +
                         " units, expected at least 1 and at most " + std::to_string(limit));
    };
    if (annotation.units < 1)
        throw InputError("got " + std::to_string(annotation.units) + " units, expected 1 or more");
    const auto require_sequence = [&](std::span<const BlockId> sequence, Units limit) {
        for (const BlockId block : sequence) {
            const Units units = annotation.blocks[index(block)].units;
            require(units >= 1 && units <= limit, "block '" + cfg[block].id + "'", units, limit);
        }
    };
    if (annotation.sharing == UnitSharing::allotted) require_sequence(cfg.root(), annotation.units);
    for (const BlockId at : cfg.program_order()) {
        const CfgBlock& block = cfg[at];
        const BlockAnnotation& own = annotation.blocks[index(at)];
        if (own.split && !block.is_branch())
            throw InputError("cannot split at '" + block.id + "': the block is no branch");
        if (!block.is_branch() || annotation.sharing != UnitSharing::allotted) continue;
        const std::string where = "a side of '" + block.id + "'";
        require(own.true_units >= 1 && own.true_units <= own.units, where, own.true_units, own.units);
        const Units rest = own.split ? own.units - own.true_units : own.units;
        require(own.false_units >= 1 && own.false_units <= rest, where, own.false_units, rest);
        require_sequence(block.true_side, own.true_units);
        require_sequence(block.false_side, own.false_units);
    }
}

namespace {

std::string units_text(Units units) { return plural(static_cast<std::uint64_t>(units), "unit"); }

/// The notes at each block, as text. Empty unless the block is a branch or a merge point.
struct Notes {
    std::vector<std::string> branch;  ///< at the end of the block
    std::vector<std::string> merge;   ///< at the beginning of the block
    std::string merge_at_end;

    std::string at(BlockId block) const {
        const std::string& before = merge[index(block)];
        const std::string& behind = branch[index(block)];
        return before + (before.empty() || behind.empty() ? "" : "; ") + behind;
    }
};

Notes notes_of(const StructuredCfg& cfg, const CfgAnnotation& annotation) {
    check_annotation(cfg, annotation);
    const std::vector<CfgPlace> places = places_of(cfg);
    Notes notes{std::vector<std::string>(cfg.size()), std::vector<std::string>(cfg.size()), {}};
    for (const BlockId block : cfg.program_order()) {
        if (!cfg[block].is_branch()) continue;
        const BlockAnnotation& at = annotation.blocks[index(block)];
        if (!at.split) {
            notes.branch[index(block)] = "no split";
            continue;
        }
        notes.branch[index(block)] = annotation.sharing != UnitSharing::allotted
                                         ? "split: a unit of the pool"
                                         : fmt::format("split: true side {}, false side {}",
                                                       units_text(at.true_units), units_text(at.false_units));
        const std::optional<BlockId>& behind = places[index(block)].behind;
        std::string& merge = behind ? notes.merge[index(*behind)] : notes.merge_at_end;
        merge += (merge.empty() ? "merge of " : ", ") + cfg[block].id;
    }
    return notes;
}

bool is_text_id(const std::string& id) {
    return id.front() != '#' && !id.starts_with("loop=") && !id.starts_with("lanes=") &&
           std::all_of(id.begin(), id.end(), [](char c) { return c > ' ' && c <= '~'; });
}

bool has_one_side(const CfgBlock& block) { return block.true_side.empty() != block.false_side.empty(); }

void add_line(std::string& text, const std::string& line, const std::string& note) {
    text += line;
    if (!note.empty()) text += "  # " + note;
    text += '\n';
}

std::vector<std::string> lines_of(std::string_view text) {
    std::vector<std::string> lines;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size() - 1);
        lines.emplace_back(text.substr(0, end + 1));
        text.remove_prefix(end + 1);
    }
    return lines;
}

/// Whether a line contains the instruction bra, or s_cbranch of GCN, outside a comment.
bool is_branch_line(const std::string& line) {
    const std::string code = line.substr(0, line.find("//"));
    if (code.substr(0, code.find(';')).find("s_cbranch_") != std::string::npos) return true;
    for (const char* name : {"bra", "BRA"}) {
        const std::size_t at = code.find(name);
        if (at == std::string::npos) continue;
        const char before = at == 0 ? ' ' : code[at - 1];
        const char behind = at + 3 < code.size() ? code[at + 3] : ' ';
        if ((before == ' ' || before == '\t') && (behind == ' ' || behind == '\t' || behind == '.'))
            return true;
    }
    return false;
}

}  // namespace

namespace {

std::string cfg_json(const StructuredCfg& cfg, const Notes& notes) {
    const auto ids_of = [&](std::span<const BlockId> blocks) {
        nlohmann::json ids = nlohmann::json::array();
        for (const BlockId block : blocks) ids.push_back(cfg[block].id);
        return ids;
    };
    std::string text = "{\"blocks\":[\n";
    for (std::size_t i = 0; i < cfg.size(); ++i) {
        const CfgBlock& block = cfg.blocks()[i];
        nlohmann::ordered_json entry = {{"id", block.id}, {"time", block.time}};
        if (block.is_branch()) {
            entry["true"] = ids_of(block.true_side);
            entry["false"] = ids_of(block.false_side);
        }
        if (const std::string note = notes.at(BlockId{static_cast<std::uint32_t>(i)}); !note.empty())
            entry["comment"] = note;
        text += json_text(entry) + (i + 1 == cfg.size() ? "\n" : ",\n");
    }
    text += "],\"root\":" + json_text(ids_of(cfg.root()));
    if (!notes.merge_at_end.empty())
        text += ",\"comment\":" + json_text(nlohmann::json("at the end " + notes.merge_at_end));
    return text + "}\n";
}

}  // namespace

std::string write_cfg_json(const StructuredCfg& cfg) {
    const std::vector<std::string> none(cfg.size());
    return cfg_json(cfg, {none, none, {}});
}

std::string annotated_cfg_json(const StructuredCfg& cfg, const CfgAnnotation& annotation) {
    return cfg_json(cfg, notes_of(cfg, annotation));
}

std::string annotated_cfg_text(const StructuredCfg& cfg, const CfgAnnotation& annotation) {
    const Notes notes = notes_of(cfg, annotation);
    const std::vector<CfgPlace> places = places_of(cfg);
    std::string end = "end";
    while (cfg.find(end)) end += "_";
    const bool ends = cfg[cfg.root().back()].is_branch();  // its sides need a block to merge in
    std::string text;
    for (const BlockId id : cfg.program_order()) {
        const CfgBlock& block = cfg[id];
        if (!is_text_id(block.id))
            throw InputError(fmt::format(
                "block '{}': graph text has names of printable ASCII without spaces; write JSON instead",
                block.id));
        const std::optional<BlockId>& behind = places[index(id)].behind;
        const auto target = [&](const std::vector<BlockId>& side) {
            if (!side.empty()) return " " + cfg[side.front()].id;
            if (behind) return " " + cfg[*behind].id;
            return ends ? " " + end : std::string();
        };
        std::string line = fmt::format("{} {}", block.id, block.time) + target(block.true_side);
        if (block.is_branch()) line += target(block.false_side);
        add_line(text, line, notes.at(id));
    }
    if (ends) add_line(text, end + " 0", notes.merge_at_end);
    return text;
}

std::string numbered_cfg_text(const StructuredCfg& cfg, const CfgAnnotation& annotation) {
    const Notes notes = notes_of(cfg, annotation);
    const std::vector<CfgPlace> places = places_of(cfg);
    // Whether a block of no time must separate the branch of a block from the previous one.
    std::vector<bool> apart(cfg.size(), false);
    std::vector<std::size_t> number(cfg.size(), 0);
    for (const BlockId id : cfg.program_order()) {
        const auto& behind = places[index(id)].behind;
        const bool siblings = behind && has_one_side(cfg[id]) && has_one_side(cfg[*behind]);
        if (siblings) apart[index(*behind)] = true;
    }
    std::size_t count = 0;
    for (const BlockId id : cfg.program_order()) {
        if (apart[index(id)]) ++count;
        number[index(id)] = count++;
    }
    const auto entry = [&](BlockId id) { return number[index(id)] - (apart[index(id)] ? 1 : 0); };
    std::string text;
    for (const BlockId id : cfg.program_order()) {
        const CfgBlock& block = cfg[id];
        const auto& behind = places[index(id)].behind;
        const auto target = [&](const std::vector<BlockId>& side) {
            if (!side.empty()) return entry(side.front());
            return behind ? entry(*behind) : count;
        };
        if (apart[index(id)]) add_line(text, fmt::format("{} 0 {}", entry(id), number[index(id)]), "");
        std::string line = fmt::format("{} {} {}", number[index(id)], block.time, target(block.true_side));
        if (block.is_branch()) line += fmt::format(" {}", target(block.false_side));
        std::string note = notes.at(id);
        if (block.id != std::to_string(number[index(id)]))
            note.insert(0, block.id + (note.empty() ? "" : ": "));
        add_line(text, line, note);
    }
    if (!notes.merge_at_end.empty()) text += "# " + notes.merge_at_end + " at the end\n";
    return text;
}

std::string annotated_ptx(std::string_view text, std::span<const CodeBlock> code, const StructuredCfg& cfg,
                          const CfgAnnotation& annotation, std::string_view comment) {
    const Notes notes = notes_of(cfg, annotation);
    const std::vector<CfgPlace> places = places_of(cfg);
    const std::vector<std::string> lines = lines_of(text);
    std::map<std::string, std::size_t> first;  // the first line of each block
    std::set<std::string> elses;
    std::vector<std::size_t> begins;
    for (const CodeBlock& block : code) {
        first[block.id] = block.line;
        if (block.begins_else) elses.insert(block.id);
        begins.push_back(block.line);
    }
    begins.push_back(lines.size() + 1);
    std::sort(begins.begin(), begins.end());
    std::map<std::size_t, std::string> before;  // comments by line
    for (const BlockId id : cfg.program_order()) {
        const auto place = first.find(cfg[id].id);
        // A block that is not in the text, such as a join added by structure(), merges at the next block.
        if (const std::string& merge = notes.merge[index(id)]; !merge.empty()) {
            std::optional<BlockId> at = id;
            while (at && (first.count(cfg[*at].id) == 0 || elses.count(cfg[*at].id) > 0))
                at = places[index(*at)].behind;
            if (at) before[first.at(cfg[*at].id)] += fmt::format("{} {}\n", comment, merge);
        }
        if (place == first.end() || !annotation.blocks[index(id)].split) continue;
        const std::size_t end = *std::upper_bound(begins.begin(), begins.end(), place->second);
        std::size_t at = place->second;
        for (std::size_t line = place->second; line < end && line <= lines.size(); ++line)
            if (is_branch_line(lines[line - 1])) at = line;
        before[at] += fmt::format("{} {}: {}\n", comment, cfg[id].id, notes.branch[index(id)]);
    }
    std::string result;
    for (std::size_t line = 1; line <= lines.size(); ++line) {
        if (const auto notes_there = before.find(line); notes_there != before.end())
            result += notes_there->second;
        result += lines[line - 1];
    }
    return result;
}

}  // namespace warpnet::netgen
