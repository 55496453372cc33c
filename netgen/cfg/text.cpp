// Control-flow graphs as text: JSON of structured graphs, lines of general ones, Graphviz. A numbered graph,
// such as the benchmarks of [Klashtorny24], has an implicit exit and no else sides. They are restored from
// adjacent one-sided branches.
//
// A format is recognised by its first characters, and each reader names the line of an error. Ids of blocks
// are found by a hash table after all lines were read, because a block may lead to a later one. The picture
// is drawn in program order without recursion, since generated graphs nest thousands of branches. O(text).

#include "netgen/cfg/text.hpp"

#include "engine/base/text.hpp"
#include "engine/input/file_format.hpp"
#include "engine/input/json.hpp"
#include "engine/input/lines.hpp"
#include "engine/net/error.hpp"
#include "netgen/cfg/graph.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace warpnet::netgen {

namespace {

class Reader {
  public:
    explicit Reader(const JsonValue& document) : document_(document) {
        document_.text_or("name", "");  // informative, like that of a block
    }

    StructuredCfg read() {
        const std::vector<JsonValue> list = document_.at("blocks").elements();
        std::vector<CfgBlock> blocks;
        blocks.reserve(list.size());
        for (std::size_t i = 0; i < list.size(); ++i) {
            list[i].text_or("name", "");
            const std::string& id = list[i].at("id").text();
            blocks.push_back({id, list[i].at("time").integer(0)});
            if (!ids_.emplace(id, BlockId(i)).second)
                throw InputError(list[i].at("id").where() + ": block id '" + id + "' is used twice");
        }
        for (std::size_t i = 0; i < list.size(); ++i) {
            if (const auto side = list[i].find("true")) blocks[i].true_side = read_sequence(*side);
            if (const auto side = list[i].find("false")) blocks[i].false_side = read_sequence(*side);
        }
        std::vector<BlockId> root = read_sequence(document_.at("root"));
        try {
            return {std::move(blocks), std::move(root)};
        } catch (const InputError& error) {
            throw InputError(document_.where() + ": " + error.what());
        }
    }

  private:
    std::vector<BlockId> read_sequence(const JsonValue& list) const {
        std::vector<BlockId> sequence;
        for (const JsonValue& id : list.elements()) {
            const auto found = ids_.find(id.text());
            if (found == ids_.end()) id.fail("the id of a block in 'blocks'");
            sequence.push_back(found->second);
        }
        return sequence;
    }

    const JsonValue& document_;
    std::unordered_map<std::string, BlockId> ids_;
};

}  // namespace

StructuredCfg read_cfg_json(std::string_view text, const std::string& source) {
    return read_json(text, source, [](const JsonValue& root) { return Reader(root).read(); });
}

namespace {

std::string escaped(std::string_view text) {
    std::string result;
    for (const char c : visible(text)) {
        if (c == '"' || c == '\\') result += '\\';
        result += c;
    }
    return result;
}

class Picture {
  public:
    Picture(const StructuredCfg& cfg, const CfgAnnotation* annotation)
        : cfg_(cfg), annotation_(annotation), after_(cfg.size()) {}

    std::string run() {
        text_ =
            "digraph cfg {\n  node [shape=box, fontname=\"DejaVu Sans\", fontsize=12, color=\"#888888\", "
            "fontcolor=\"#24292f\"];\n"
            "  edge [fontname=\"DejaVu Sans\", fontsize=10, color=\"#24292f\", fontcolor=\"#24292f\", "
            "arrowsize=0.7];\n"
            "  start [shape=point];\n  end [shape=doublecircle, label=\"\", width=0.12];\n";
        line("start -> " + enter(cfg_.root(), "end"));
        for (const BlockId block : cfg_.program_order()) draw(block);
        return std::move(text_) + "}\n";
    }

  private:
    static std::string node(BlockId block) { return "n" + std::to_string(index(block)); }

    void line(const std::string& statement) { text_ += "  " + statement + ";\n"; }

    // The node at which control enters a sequence that continues at `after`.
    std::string enter(std::span<const BlockId> sequence, const std::string& after) {
        for (std::size_t i = 0; i < sequence.size(); ++i)
            after_[index(sequence[i])] = i + 1 < sequence.size() ? node(sequence[i + 1]) : after;
        return sequence.empty() ? after : node(sequence.front());
    }

    void draw(BlockId at) {
        const CfgBlock& block = cfg_[at];
        const BlockAnnotation* own = annotation_ != nullptr ? &annotation_->blocks[index(at)] : nullptr;
        const bool split = own != nullptr && own->split;
        std::string style = "label=\"" + escaped(block.id) + "\\ntime " + std::to_string(block.time) + "\"";
        if (block.is_branch()) style += ", shape=diamond";
        if (split) style += ", style=filled, fillcolor=\"#ffd37a\"";
        line(node(at) + " [" + style + "]");
        std::string after = after_[index(at)];
        if (!block.is_branch()) {
            line(node(at) + " -> " + after);
            return;
        }
        if (split) {
            const std::string merge = "m" + std::to_string(index(at));
            line(merge + " [style=rounded, fontsize=10, height=0.25, margin=\"0.06,0.02\", label=\"merge " +
                 escaped(block.id) + "\"]");
            line(merge + " -> " + after);
            after = merge;
        }
        const bool allotted = split && annotation_->sharing == UnitSharing::allotted;
        draw_side(at, block.true_side, after, "T", allotted ? own->true_units : 0);
        draw_side(at, block.false_side, after, "F", allotted ? own->false_units : 0);
    }

    void draw_side(BlockId at, std::span<const BlockId> side, const std::string& after, const char* name,
                   Units units) {
        std::string label = name;
        if (units > 0) label += ": " + std::to_string(units) + (units == 1 ? " unit" : " units");
        // The blanks keep a bent arc away from its label.
        line(node(at) + " -> " + enter(side, after) + " [label=\"   " + label + "   \"]");
    }

    const StructuredCfg& cfg_;
    const CfgAnnotation* annotation_;
    std::vector<std::string> after_;
    std::string text_;
};

}  // namespace

std::string cfg_dot(const StructuredCfg& cfg) { return Picture(cfg, nullptr).run(); }

std::string cfg_dot(const StructuredCfg& cfg, const CfgAnnotation& annotation) {
    check_annotation(cfg, annotation);
    return Picture(cfg, &annotation).run();
}

namespace {

constexpr std::string_view loop_prefix = "loop=";
constexpr std::string_view lanes_prefix = "lanes=";

std::vector<std::string_view> words_of(std::string_view line) {
    constexpr std::string_view space = " \t\r\f\v";
    line = line.substr(0, line.find('#'));
    std::vector<std::string_view> words;
    while (true) {
        const std::size_t first = line.find_first_not_of(space);
        if (first == std::string_view::npos) return words;
        line.remove_prefix(first);
        const std::size_t length = std::min(line.find_first_of(space), line.size());
        words.push_back(line.substr(0, length));
        line.remove_prefix(length);
    }
}

class TextReader {
  public:
    explicit TextReader(const std::string& source) : source_(source) {}

    ControlFlowGraph read(std::string_view text) {
        each_line(text, [&](std::size_t number, std::string_view line) {
            line_ = number;
            read_line(words_of(line));
        });
        add_exit_of_numbered();
        for (const Reference& reference : references_) {
            const auto found = ids_.find(reference.id);
            const bool rounds = numbered() && found != ids_.end() && found->second == reference.from &&
                                !graph_.nodes[reference.from].loop_bound;
            if (rounds) continue;
            if (found == ids_.end()) {
                throw InputError(source_ + ": line " + std::to_string(reference.line) + ": successor '" +
                                 std::string(reference.id) + "' of '" + graph_.nodes[reference.from].id +
                                 "' has no line of its own");
            }
            graph_.nodes[reference.from].successors.push_back(found->second);
        }
        if (graph_.nodes.empty())
            throw InputError(source_ +
                             ": a control-flow graph without nodes, expected lines 'id time successors'");
        return std::move(graph_);
    }

    bool numbered() const { return !exit_id_.empty(); }

  private:
    struct Reference {
        std::size_t from;
        std::string_view id;
        std::size_t line;
    };

    /// Adds the exit of a numbered graph (text.hpp), which has no line.
    void add_exit_of_numbered() {
        for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
            if (graph_.nodes[i].id != std::to_string(i)) return;
        }
        const std::string exit = std::to_string(graph_.nodes.size());
        const bool used = std::any_of(references_.begin(), references_.end(),
                                      [&](const Reference& reference) { return reference.id == exit; });
        if (!used) return;
        exit_id_ = exit;
        ids_.emplace(exit_id_, graph_.nodes.size());
        graph_.nodes.push_back({exit_id_, 0});
    }

    void read_line(const std::vector<std::string_view>& words) {
        if (words.empty()) return;
        const std::string_view id = name(words[0]);
        if (words.size() < 2)
            fail("expected a time after node '" + std::string(id) + "', found the end of the line");
        const std::size_t node = graph_.nodes.size();
        if (!ids_.emplace(id, node).second) fail("node '" + std::string(id) + "' is described a second time");
        graph_.nodes.push_back({std::string(id), number(words[1], 0, "a time")});
        for (std::size_t i = 2; i < words.size(); ++i) {
            if (words[i].starts_with(loop_prefix)) {
                if (graph_.nodes[node].loop_bound) fail("node '" + std::string(id) + "' has two loop bounds");
                graph_.nodes[node].loop_bound =
                    number(words[i].substr(loop_prefix.size()), 1, "a loop bound");
            } else if (words[i].starts_with(lanes_prefix)) {
                graph_.nodes[node].lanes = lanes(words[i].substr(lanes_prefix.size()));
            } else {
                references_.push_back({node, name(words[i]), line_});
            }
        }
    }

    // Names appear in nets and pictures, so they must be plain text.
    std::string_view name(std::string_view word) const {
        const bool printable =
            std::all_of(word.begin(), word.end(), [](char c) { return c > ' ' && c < 0x7f; });
        if (!printable) fail("a node's name holds something else than printable ASCII characters");
        if (word.starts_with(loop_prefix) || word.starts_with(lanes_prefix))
            fail("expected a node's name, found '" + std::string(word) + "'");
        return word;
    }

    CfgLanes lanes(std::string_view word) const {
        for (const CfgLanes known : {CfgLanes::uniform, CfgLanes::divergent, CfgLanes::others})
            if (word == to_string(known)) return known;
        fail("expected lanes=uniform, lanes=divergent or lanes=else, found 'lanes=" + visible(word) + "'");
    }

    std::int64_t number(std::string_view word, std::int64_t least, const char* what) const {
        const auto value = parse_number<std::int64_t>(word);
        if (!value || *value < least) {
            std::string shown;
            for (const char c : word.substr(0, 40)) shown += c > ' ' && c < 0x7f ? c : '?';
            fail(std::string("expected ") + what + ", a whole number from " + std::to_string(least) + " to " +
                 std::to_string(std::numeric_limits<std::int64_t>::max()) + ", found '" + shown + "'");
        }
        return *value;
    }

    [[noreturn]] void fail(const std::string& message) const {
        throw InputError(source_ + ": line " + std::to_string(line_) + ": " + message);
    }

    const std::string& source_;
    ControlFlowGraph graph_;
    std::unordered_map<std::string_view, std::size_t> ids_;
    std::vector<Reference> references_;
    std::string exit_id_;
    std::size_t line_ = 0;
};

}  // namespace

ControlFlowGraph read_cfg_text(std::string_view text, const std::string& source) {
    return TextReader(source).read(text);
}

std::string write_cfg_text(const ControlFlowGraph& graph) {
    std::string text;
    for (const CfgNode& node : graph.nodes) {
        text += node.id + ' ' + std::to_string(node.time);
        for (const std::size_t next : node.successors) text += ' ' + graph.nodes[next].id;
        if (node.loop_bound) text += ' ' + std::string(loop_prefix) + std::to_string(*node.loop_bound);
        if (node.lanes != CfgLanes::unknown)
            text += ' ' + std::string(lanes_prefix) + std::string(to_string(node.lanes));
        text += '\n';
    }
    return text;
}

namespace {

/// A row of the solver's table: "wcet,is_bsb_node,is_reconv_node,successor;successor".
CfgNode table_row(std::string_view line, std::size_t number, const std::string& where) {
    std::array<std::string_view, 4> fields = {};
    std::size_t count = 0;
    for (std::string_view rest = line;; ++count) {
        const std::size_t end = rest.find(',');
        if (count < fields.size()) fields[count] = trimmed(rest.substr(0, end));
        if (end == std::string_view::npos) break;
        rest.remove_prefix(end + 1);
    }
    const auto time = parse_number<std::int64_t>(fields[0]);
    const auto is_flag = [](std::string_view flag) { return flag == "True" || flag == "False"; };
    if (count + 1 != fields.size() || !time || *time < 0 || !is_flag(fields[1]) || !is_flag(fields[2]))
        throw InputError(fmt::format("{}: expected time,True or False,True or False,successors, found '{}'",
                                     where, visible(std::string(line))));
    CfgNode node{std::to_string(number), *time};
    for (std::string_view rest = fields[3]; !rest.empty();) {
        const std::size_t end = std::min(rest.find(';'), rest.size());
        const auto to = parse_number<std::size_t>(trimmed(rest.substr(0, end)));
        if (!to)
            throw InputError(fmt::format("{}: expected row numbers between ';', found '{}'", where,
                                         visible(std::string(fields[3]))));
        node.successors.push_back(*to);
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    if (fields[1] == "True" && node.successors.size() == 2) node.lanes = CfgLanes::others;
    return node;
}

}  // namespace

ControlFlowGraph read_cfg_table(std::string_view text, const std::string& source) {
    ControlFlowGraph graph;
    std::vector<std::size_t> lines;
    each_line(text, [&](std::size_t number, std::string_view line) {
        line = trimmed(line);
        if (number == 1 || line.empty()) return;
        lines.push_back(number);
        graph.nodes.push_back(
            table_row(line, graph.nodes.size(), fmt::format("{}: line {}", source, number)));
    });
    for (std::size_t n = 0; n < graph.nodes.size(); ++n)
        for (const std::size_t to : graph.nodes[n].successors)
            if (to >= graph.nodes.size())
                throw InputError(
                    fmt::format("{}: line {}: expected a row from 0 to {} as successor, found {}", source,
                                lines[n], graph.nodes.size() - 1, to));
    if (graph.nodes.empty())
        throw InputError(source + ": expected a row per block below the column names, found none");
    return graph;
}

StructuredCfg read_cfg(std::string_view text, const std::string& source) {
    require_format(text, source, "a control-flow graph as text or JSON",
                   {FileFormat::json, FileFormat::flow_graph});
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    if (first != std::string_view::npos && (text[first] == '{' || text[first] == '['))
        return read_cfg_json(text, source);
    TextReader reader(source);
    const bool table = trimmed(text).starts_with("wcet,");
    const ControlFlowGraph graph = table ? read_cfg_table(text, source) : reader.read(text);
    try {
        const StructuredCfg cfg = structure(graph);
        return !table && reader.numbered() ? with_else_sides(cfg) : cfg;
    } catch (const InputError& error) {
        throw InputError(source + ": " + error.what());
    }
}

}  // namespace warpnet::netgen
