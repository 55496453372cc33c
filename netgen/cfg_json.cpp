#include "netgen/cfg_json.hpp"

#include "engine/error.hpp"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace warpnet {

namespace {

using nlohmann::json;

// nlohmann-json keeps the last of two equal keys; a file that says a thing twice is refused instead. (Its
// parser callback could tell as well, but takes quadratic time on long arrays.)
class RepeatedKeys : public nlohmann::json_sax<json> {
  public:
    bool null() override { return true; }
    bool boolean(bool) override { return true; }
    bool number_integer(number_integer_t) override { return true; }
    bool number_unsigned(number_unsigned_t) override { return true; }
    bool number_float(number_float_t, const string_t&) override { return true; }
    bool string(string_t&) override { return true; }
    bool binary(binary_t&) override { return true; }
    bool start_array(std::size_t) override { return true; }
    bool end_array() override { return true; }
    bool parse_error(std::size_t, const std::string&, const json::exception&) override { return false; }

    bool start_object(std::size_t) override {
        keys_.emplace_back();
        return true;
    }
    bool end_object() override {
        keys_.pop_back();
        return true;
    }
    bool key(string_t& key) override {
        if (!keys_.back().insert(key).second)
            throw InputError("field '" + key + "' stands twice in one object");
        return true;
    }

  private:
    std::vector<std::unordered_set<std::string>> keys_;  // of the objects around the parser's place
};

json parse(std::string_view text) {
    try {
        json document = json::parse(text);
        RepeatedKeys repeated;
        json::sax_parse(text, &repeated);
        return document;
    } catch (const json::exception& error) {
        const std::string_view what =
            error.what();  // "[json.exception.parse_error.101] parse error at line …"
        const std::size_t tag = what.find("] ");
        throw InputError("not valid JSON: " +
                         std::string(tag == std::string_view::npos ? what : what.substr(tag + 2)));
    }
}

// What stood there, short enough for a message.
std::string shown(const json& value) {
    if (value.is_object()) return "an object";
    if (value.is_array()) return "an array of " + std::to_string(value.size());
    std::string text = value.dump(-1, ' ', true, json::error_handler_t::replace);
    return text.size() <= 60 ? text : text.substr(0, 57) + "...";
}

[[noreturn]] void refuse(const std::string& path, const std::string& expected, const json& value) {
    throw InputError(path + ": expected " + expected + ", got " + shown(value));
}

const json& field(const json& object, const char* name, const std::string& path) {
    const auto found = object.find(name);
    if (found == object.end()) throw InputError(path + ": field '" + name + "' is missing");
    return *found;
}

void require_object(const json& value, const std::string& path,
                    std::initializer_list<std::string_view> fields) {
    if (!value.is_object()) refuse(path, "an object", value);
    for (const auto& item : value.items()) {
        if (std::find(fields.begin(), fields.end(), item.key()) != fields.end()) continue;
        std::string known;
        for (const std::string_view name : fields)
            known += (known.empty() ? "'" : ", '") + std::string(name) + "'";
        throw InputError(path + ": unknown field " + shown(json(item.key())) + ", expected one of " + known);
    }
}

std::int64_t read_time(const json& value, const std::string& path) {
    const bool fits = value.is_number_unsigned()
                          ? value.get<std::uint64_t>() <= std::numeric_limits<std::int64_t>::max()
                          : value.is_number_integer() && value.get<std::int64_t>() >= 0;
    if (!fits) refuse(path, "a whole number from 0 to 9223372036854775807", value);
    return value.get<std::int64_t>();
}

class Reader {
  public:
    explicit Reader(const json& document) : document_(document) {
        require_object(document, "the document", {"blocks", "root", "name", "note"});
    }

    StructuredCfg read() {
        const json& list = field(document_, "blocks", "the document");
        if (!list.is_array()) refuse("blocks", "an array of blocks", list);
        std::vector<CfgBlock> blocks;
        blocks.reserve(list.size());
        for (std::size_t i = 0; i < list.size(); ++i) {
            const std::string path = path_of(i);
            require_object(list[i], path, {"id", "time", "true", "false", "name", "note"});
            const json& id = field(list[i], "id", path);
            if (!id.is_string()) refuse(path + ".id", "a string", id);
            blocks.push_back(
                {id.get<std::string>(), read_time(field(list[i], "time", path), path + ".time")});
            if (!ids_.emplace(blocks.back().id, BlockId(i)).second)
                throw InputError(path + ".id: block id " + shown(id) + " is used twice");
        }
        for (std::size_t i = 0; i < list.size(); ++i) {
            blocks[i].true_side = read_side(list[i], "true", path_of(i));
            blocks[i].false_side = read_side(list[i], "false", path_of(i));
        }
        std::vector<BlockId> root = read_sequence(field(document_, "root", "the document"), "root");
        return StructuredCfg(std::move(blocks), std::move(root));
    }

  private:
    static std::string path_of(std::size_t block) { return "blocks[" + std::to_string(block) + "]"; }

    std::vector<BlockId> read_side(const json& block, const char* name, const std::string& path) const {
        const auto side = block.find(name);
        if (side == block.end()) return {};
        return read_sequence(*side, path + "." + name);
    }

    std::vector<BlockId> read_sequence(const json& list, const std::string& path) const {
        if (!list.is_array()) refuse(path, "an array of block ids", list);
        std::vector<BlockId> sequence;
        sequence.reserve(list.size());
        for (std::size_t i = 0; i < list.size(); ++i) {
            const std::string at = path + "[" + std::to_string(i) + "]";
            if (!list[i].is_string()) refuse(at, "a block id", list[i]);
            const auto found = ids_.find(list[i].get_ref<const std::string&>());
            if (found == ids_.end()) refuse(at, "the id of a block in 'blocks'", list[i]);
            sequence.push_back(found->second);
        }
        return sequence;
    }

    const json& document_;
    std::unordered_map<std::string, BlockId> ids_;
};

json ids_of(const StructuredCfg& cfg, std::span<const BlockId> sequence) {
    json ids = json::array();
    for (const BlockId block : sequence) ids.push_back(cfg[block].id);
    return ids;
}

}  // namespace

StructuredCfg read_cfg_json(std::string_view text) { return Reader(parse(text)).read(); }

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
