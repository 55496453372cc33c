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

/// A labelled transition system in Aldebaran's format, `des (initial, edges, states)` and a line `(from,
/// label, to)` per edge, as a state machine: one place per state, one token, and one transition per edge,
/// named by its label. Throws InputError ("source:line: ...").
Net read_aut(std::string_view text, const std::string& source);

/// A net in LoLA's format (PLACE ...; MARKING ...; TRANSITION ... CONSUME ...; PRODUCE ...;), low-level nets
/// only. SAFE and FAIR declarations are ignored, since they do not change the net. Throws InputError
/// ("source:line: ...").
Net read_lola(std::string_view text, const std::string& source);

/// Writes LoLA's format, which has neither inhibitor arcs nor priorities: throws InputError for nets with
/// them. Read arcs become loops. Ids that LoLA could not read are changed.
std::string write_lola(const Net& net);

/// A net in Tina's .net format: `net`, `tr`, `pl` and `lb` lines, arcs p, p*w, p?w (read) and p?-w
/// (inhibitor). Time intervals other than [0,w[, stopwatch arcs and priorities are rejected, because they
/// change the behaviour. Throws InputError ("source:line: ...").
Net read_tina(std::string_view text, const std::string& source);

/// Writes Tina's .net format. Ids are kept, in braces if needed, and names become labels. Throws InputError
/// for immediate transitions and priorities with an effect.
std::string write_tina(const Net& net);

}  // namespace warpnet::pnml
