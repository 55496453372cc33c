#include "netgen/cfg/dot.hpp"

#include "engine/base/visible_text.hpp"

#include <string_view>
#include <vector>

namespace warpnet {

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
            "digraph cfg {\n  node [shape=box, fontname=\"DejaVu Sans\"];\n"
            "  edge [fontname=\"DejaVu Sans\", fontsize=10];\n"
            "  start [shape=point];\n  end [shape=doublecircle, label=\"\", width=0.12];\n";
        line("start -> " + enter(cfg_.root(), "end"));
        for (const BlockId block : cfg_.program_order()) draw(block);
        return std::move(text_) + "}\n";
    }

  private:
    static std::string node(BlockId block) { return "n" + std::to_string(index(block)); }

    void line(const std::string& statement) { text_ += "  " + statement + ";\n"; }

    // The node where control goes to run a sequence and then go on to `after`.
    std::string enter(std::span<const BlockId> sequence, const std::string& after) {
        for (std::size_t i = 0; i < sequence.size(); ++i)
            after_[index(sequence[i])] = i + 1 < sequence.size() ? node(sequence[i + 1]) : after;
        return sequence.empty() ? after : node(sequence.front());
    }

    void draw(BlockId at) {
        const CfgBlock& block = cfg_[at];
        const BlockAnnotation* own = annotation_ != nullptr ? &annotation_->blocks[index(at)] : nullptr;
        const bool split = own != nullptr && own->split;
        std::string style = "label=\"" + escaped(block.id) + "\\n" + std::to_string(block.time) + "\"";
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
            line(merge + " [shape=point, width=0.1, xlabel=\"merge " + escaped(block.id) + "\"]");
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
        line(node(at) + " -> " + enter(side, after) + " [label=\"" + label + "\"]");
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

}  // namespace warpnet
