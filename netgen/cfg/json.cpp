#include "netgen/cfg/json.hpp"

#include "engine/input/json.hpp"
#include "engine/net/error.hpp"

#include <unordered_map>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace warpnet {

namespace {

using nlohmann::json;

class Reader {
  public:
    explicit Reader(const JsonValue& document) : document_(document) {
        document_.text_or("name", "");  // for people, as that of a block
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

json ids_of(const StructuredCfg& cfg, std::span<const BlockId> sequence) {
    json ids = json::array();
    for (const BlockId block : sequence) ids.push_back(cfg[block].id);
    return ids;
}

}  // namespace

StructuredCfg read_cfg_json(std::string_view text, const std::string& source) {
    return read_json(text, source, [](const JsonValue& root) { return Reader(root).read(); });
}

std::string write_cfg_json(const StructuredCfg& cfg) {
    std::string text = "{\"blocks\":[\n";
    for (const CfgBlock& block : cfg.blocks()) {
        nlohmann::ordered_json entry = {{"id", block.id}, {"time", block.time}};
        if (block.is_branch()) {
            entry["true"] = ids_of(cfg, block.true_side);
            entry["false"] = ids_of(cfg, block.false_side);
        }
        text += entry.dump() + (&block == &cfg.blocks().back() ? "\n" : ",\n");
    }
    return text + "],\"root\":" + ids_of(cfg, cfg.root()).dump() + "}\n";
}

}  // namespace warpnet
