#pragma once

#include "engine/net/net.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warpnet {

/// How a net is written down.
enum class NetFormat : std::uint8_t {
    pnml,
    lola,  ///< LoLA: .lola
    tina,  ///< Tina: .net
    aut,   ///< Aldebaran: .aut, a state graph
};

std::string_view to_string(NetFormat format);

/// By the end of the file's name; PNML for all others.
NetFormat format_of(const std::string& path);

Net parse_net(NetFormat format, std::string_view text, const std::string& source);

/// The net in a file of any of these formats; of several in a PNML file that with the id, for FILE#ID. Adds
/// to the warnings what reading leaves out. Throws InputError.
Net read_net_file(const std::string& path, std::vector<std::string>& warnings);

}  // namespace warpnet
