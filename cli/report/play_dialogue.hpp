#pragma once

#include "engine/net/net.hpp"
#include "engine/run/replay.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace warpnet::cli {

/// The commands of a PlayDialogue, one per line with its meaning.
inline constexpr const char* play_commands =
    "  N                 make step N of the list\n"
    "  ID [ID*K] ...     make the step in which these fire; if only one step has them, that one\n"
    "  fire ID ...       the same, for ids that are commands or numbers\n"
    "  random [N]        make N random steps (default 1)\n"
    "  undo [N]          take N steps back (default 1)\n"
    "  redo [N]          make N steps again that were taken back\n"
    "  goto N            go to step N, 0 being the beginning\n"
    "  marking [ID ...]  show the tokens of all marked places, or of these\n"
    "  steps [N]         list up to N possible steps (default 20)\n"
    "  history           show the steps made\n"
    "  save FILE.csv     write the steps made, for 'run --replay' and 'play --replay'\n"
    "  help              show this\n"
    "  quit              leave (so does the end of the input)\n"
    "If a node has a name that no other node has, it is shown by it; ID is an id or such a name. Those "
    "with\n"
    "spaces or signs need quotes.\n";

/// The dialogue of `play` about one token game.
struct PlayDialogue {
    std::string welcome;  ///< the marking, and its possible steps
    /// The answer to a command; nothing for 'quit'. Throws InputError for a command that is invalid in this
    /// marking, and then changes nothing.
    std::function<std::optional<std::string>(const std::string& line)> answer;
};

/// Begins after the steps of a schedule. The net must outlive the dialogue. Throws InputError as TokenGame
/// does.
PlayDialogue play_dialogue(const Net& net, Semantics semantics, std::uint64_t seed,
                           const Schedule& begin = {});

}  // namespace warpnet::cli
