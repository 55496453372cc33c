#pragma once

#include "engine/net/net.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace warpnet::pnml {

/// The format of a net file.
enum class NetFormat : std::uint8_t {
    pnml,
    lola,  ///< LoLA: .lola
    tina,  ///< Tina: .net
    aut,   ///< Aldebaran: .aut, a state graph
};

std::string_view to_string(NetFormat format);

/// The format by the file extension; PNML for an unknown extension.
NetFormat format_of(const std::string& path);

Net parse_net(NetFormat format, std::string_view text, const std::string& source);

/// The net in a file of any of these formats. FILE#ID selects the net with that id in a PNML file with
/// several nets. Adds ignored parts to the warnings, and the capacities of places to `capacities`, without
/// which they are rejected. Throws InputError.
Net read_net_file(const std::string& path, std::vector<std::string>& warnings,
                  std::map<std::string, Tokens>* capacities = nullptr);

}  // namespace warpnet::pnml
