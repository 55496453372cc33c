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

/// The net in a PNML file, or for FILE#ID the net with this ID; "-" is the standard input. Files that end in
/// .lola, .net and .aut are read in these formats (net_file.hpp). `capacities` receives the capacities of
/// places; if it is null, capacities are rejected. Throws InputError.
Net read_net(const std::string& path, std::map<std::string, Tokens>* capacities = nullptr);

/// The destination of a generated net.
struct NetOutput {
    std::string file = "-";
    pnml::PnmlFlavour flavour = pnml::PnmlFlavour::compat;
    bool for_others = false;  ///< a flavour was requested
    bool json = false;
    std::optional<Net>* kept = nullptr;  ///< if given, the destination instead of a file
};

/// -o FILE, --pnml FLAVOUR and --json, for every command that makes a net; nothing if the net is kept in
/// memory.
void add_net_output(Command& command, NetOutput& output);

/// Writes the net and, unless it went to the standard output, reports its size; or keeps it in memory.
void write_net(const Net& net, const NetOutput& output);

/// The size of a net.
struct NetSize {
    std::size_t places = 0, transitions = 0;
    std::size_t input_arcs = 0, output_arcs = 0, inhibitor_arcs = 0, read_arcs = 0;
    std::optional<Tokens> tokens = 0;  ///< of the initial marking; nothing if the sum exceeds max_tokens
};

NetSize size_of(const Net& net);

/// {"places","transitions","arcs":{"input","output","inhibitor","read"},"tokens"}
nlohmann::ordered_json to_json(const NetSize& size);

/// "20 places, 16 transitions, 61 arcs (54 input and output, 4 inhibitor), 25 tokens"
std::string to_text(const NetSize& size);

}  // namespace warpnet::cli
