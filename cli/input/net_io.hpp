#pragma once

#include "cli/input/command.hpp"
#include "engine/input/input_file.hpp"
#include "engine/net/net.hpp"
#include "pnml/write_pnml.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace warpnet::cli {

/// The net in a PNML file, or the net ID of several in it for FILE#ID; "-" is the standard input. Files that
/// end in .lola, .net and .aut are read as such (net_file.hpp). `capacities` receives those of places, which
/// are rejected if it is null. Throws InputError.
Net read_net(const std::string& path, std::map<std::string, Tokens>* capacities = nullptr);

/// Where a command that makes a net puts it.
struct NetOutput {
    std::string file = "-";
    pnml::PnmlFlavour flavour = pnml::PnmlFlavour::compat;
    bool for_others = false;  ///< a flavour was asked for
    bool json = false;
    std::optional<Net>* kept = nullptr;  ///< where the net goes instead of a file, if that is given
};

/// -o FILE, --pnml FLAVOUR and --json, for every command that makes a net; nothing if it is kept.
void add_net_output(Command& command, NetOutput& output);

/// Writes the net and, unless it went to the standard output, says what was written; or keeps it.
void write_net(const Net& net, const NetOutput& output);

/// How large a net is.
struct NetSize {
    std::size_t places = 0, transitions = 0;
    std::size_t input_arcs = 0, output_arcs = 0, inhibitor_arcs = 0, read_arcs = 0;
    std::optional<Tokens> tokens = 0;  ///< of the initial marking; nothing if that exceeds max_tokens
};

NetSize size_of(const Net& net);

/// {"places","transitions","arcs":{"input","output","inhibitor","read"},"tokens"}
nlohmann::ordered_json to_json(const NetSize& size);

/// "20 places, 16 transitions, 61 arcs (54 input and output, 4 inhibitor), 25 tokens"
std::string to_text(const NetSize& size);

}  // namespace warpnet::cli
