// Reads a net file in the format of its extension; unknown extensions are PNML. FILE#ID selects a net of a
// PNML file unless a file of that name exists.

#include "pnml/text/net_file.hpp"

#include "engine/base/text.hpp"
#include "engine/input/input_file.hpp"
#include "engine/net/error.hpp"
#include "pnml/read_pnml.hpp"

#include <filesystem>

namespace warpnet::pnml {

std::string_view to_string(NetFormat format) {
    switch (format) {
        case NetFormat::pnml:
            return "pnml";
        case NetFormat::lola:
            return "lola";
        case NetFormat::tina:
            return "tina";
        case NetFormat::aut:
            return "aut";
    }
    return "";
}

NetFormat format_of(const std::string& path) {
    const std::string extension = std::filesystem::path(path).extension().string();
    if (extension == ".lola") return NetFormat::lola;
    if (extension == ".net") return NetFormat::tina;
    if (extension == ".aut") return NetFormat::aut;
    return NetFormat::pnml;
}

Net parse_net(NetFormat format, std::string_view text, const std::string& source) {
    // An empty text would be a net of Tina.
    if (format != NetFormat::pnml && trimmed(text).empty())
        throw InputError(source + ": expected a net in the format " + std::string(to_string(format)) +
                         ", found an empty file");
    switch (format) {
        case NetFormat::pnml:
            return read_pnml(text, source);
        case NetFormat::lola:
            return read_lola(text, source);
        case NetFormat::tina:
            return read_tina(text, source);
        case NetFormat::aut:
            return read_aut(text, source);
    }
    return {};
}

Net read_net_file(const std::string& path, std::vector<std::string>& warnings,
                  std::map<std::string, Tokens>* capacities) {
    const NetFormat format = format_of(path);
    if (format != NetFormat::pnml) {
        Net net = parse_net(format, read_input_file(path), path);
        if (net.places().empty() && net.transitions().empty())
            warnings.push_back(path + ": expected a place or a transition, found none");
        return net;
    }
    PnmlReadOptions options;
    options.warnings = &warnings;
    options.capacities = capacities;
    const std::size_t hash = path.rfind('#');
    if (hash == std::string::npos || std::filesystem::exists(path)) return read_pnml_file(path, options);
    options.net_id = path.substr(hash + 1);
    return read_pnml_file(path.substr(0, hash), options);
}

}  // namespace warpnet::pnml
