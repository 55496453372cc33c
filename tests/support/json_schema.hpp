#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>

#include <nlohmann/json.hpp>

namespace warpnet::testing {

/// Judges a value by a JSON Schema: `type`, `const`, `enum`, `required`, `properties`,
/// `additionalProperties`, `items`, `anyOf`, and `$ref` to `$defs` of the same schema. Any other keyword that
/// would restrict a value throws, so that no part of a schema is skipped.
class JsonSchema {
  public:
    using Json = nlohmann::ordered_json;

    explicit JsonSchema(Json schema) : schema_(std::move(schema)) {}

    /// The position and the kind of the violation; empty if the value satisfies the schema.
    std::string fault(const Json& value) const { return fault(schema_, value, ""); }

  private:
    static bool has_type(const Json& value, const std::string& type) {
        if (type == "integer") return value.is_number_integer();
        if (type == "number") return value.is_number();
        if (type == "string") return value.is_string();
        if (type == "boolean") return value.is_boolean();
        if (type == "null") return value.is_null();
        if (type == "array") return value.is_array();
        if (type == "object") return value.is_object();
        throw std::runtime_error("schema: unknown type " + type);
    }

    static std::string type_fault(const Json& types, const Json& value) {
        if (types.is_string())
            return has_type(value, types.get<std::string>()) ? "" : "expected " + types.get<std::string>();
        const bool fits =
            std::any_of(types.begin(), types.end(), [&](const Json& type) { return has_type(value, type); });
        return fits ? "" : "expected one of " + types.dump();
    }

    const Json& resolved(const Json& schema) const {
        const auto reference = schema.find("$ref");
        if (reference == schema.end()) return schema;
        return schema_.at(Json::json_pointer(reference->get<std::string>().substr(1)));
    }

    std::string fault_of_members(const Json& schema, const Json& value, const std::string& where) const {
        const Json none = Json::object();
        const Json& known = schema.contains("properties") ? schema.at("properties") : none;
        for (const auto& [name, member] : value.items()) {
            std::string found;
            if (known.contains(name)) {
                found = fault(known.at(name), member, where + "/" + name);
            } else if (schema.contains("additionalProperties")) {
                found = fault(schema.at("additionalProperties"), member, where + "/" + name);
            } else {
                found = where + "/" + name + ": unknown member";
            }
            if (!found.empty()) return found;
        }
        return "";
    }

    std::string fault_of_any(const Json& choices, const Json& value, const std::string& where) const {
        std::string all;
        for (const Json& choice : choices) {
            const std::string found = fault(choice, value, where);
            if (found.empty()) return "";
            all += "\n    " + found;
        }
        return where + ": fits none of" + all;
    }

    std::string fault(const Json& unresolved, const Json& value, const std::string& where) const {
        const Json& schema = resolved(unresolved);
        for (const auto& [keyword, given] : schema.items()) {
            std::string found;
            if (keyword == "type") {
                if (const std::string wrong = type_fault(given, value); !wrong.empty())
                    found = where + ": " + wrong + ", found " + value.dump().substr(0, 60);
            } else if (keyword == "const") {
                if (value != given) found = where + ": expected " + given.dump() + ", found " + value.dump();
            } else if (keyword == "enum") {
                if (std::find(given.begin(), given.end(), value) == given.end())
                    found = where + ": expected one of " + given.dump() + ", found " + value.dump();
            } else if (keyword == "required") {
                for (const Json& name : given)
                    if (value.is_object() && !value.contains(name.get<std::string>()))
                        found = where + ": lacks " + name.dump();
            } else if (keyword == "properties" ||
                       (keyword == "additionalProperties" && !schema.contains("properties"))) {
                if (value.is_object()) found = fault_of_members(schema, value, where);
            } else if (keyword == "items") {
                for (std::size_t i = 0; value.is_array() && i < value.size() && found.empty(); ++i)
                    found = fault(given, value[i], where + "/" + std::to_string(i));
            } else if (keyword == "anyOf") {
                found = fault_of_any(given, value, where);
            } else if (keyword != "$schema" && keyword != "$id" && keyword != "$defs" && keyword != "title" &&
                       keyword != "description" && keyword != "additionalProperties") {
                throw std::runtime_error("schema: unknown keyword " + keyword);
            }
            if (!found.empty()) return found;
        }
        return "";
    }

    Json schema_;
};

}  // namespace warpnet::testing
