#pragma once

#include "engine/net/net.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace warpnet::cli {

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

/// Reads a text that is not PNML. Throws InputError.
Net parse_net(NetFormat format, std::string_view text, const std::string& source);

}  // namespace warpnet::cli
