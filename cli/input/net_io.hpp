#pragma once

#include "cli/input/command.hpp"
#include "engine/input/input_file.hpp"
#include "engine/net/net.hpp"
#include "pnml/write_pnml.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace warpnet::cli {

/// The net in a PNML file, or the net ID of several in it for FILE#ID; "-" is the standard input. Files that
/// end in .lola, .net and .aut are read as such (net_file.hpp). Throws InputError.
Net read_net(const std::string& path);

/// Writes a file whole or not at all; "-" is the standard output. Throws InputError.
void write_text(const std::string& path, std::string_view content);

/// Where a command that makes a net puts it.
struct NetOutput {
    std::string file = "-";
    PnmlFlavour flavour = PnmlFlavour::compat;
    bool for_others = false;  ///< a flavour was asked for
    bool json = false;
    std::optional<Net>* kept = nullptr;  ///< where the net goes instead of a file, if that is given
};

/// -o FILE, --pnml FLAVOUR and --json, for every command that makes a net; nothing where it is kept.
void add_net_output(Command& command, NetOutput& output);

/// Writes the net and, unless it went to the standard output, says what was written; or keeps it.
void write_net(const Net& net, const NetOutput& output);

}  // namespace warpnet::cli
