#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warpnet {

// Readers drop nothing silently. A document records which of its parts a reader looked at. What is left when
// the reader is done is an error that names the part and its place, unless the reader lists it as ignored
// together with what follows for the answer, which becomes a warning. read_json() and read_xml() ask for that
// judgement themselves, so that no reader can forget it.

/// A part of a document that its reader did not look at.
struct UnreadPart {
    std::string construct;  ///< "member 'tiem'", "attribute 'x'", "element <x>"
    std::string path;       ///< names from the root, without positions: "kernels/tiem", "swModel/tasks/@x"
    std::function<std::string()> where;      ///< "t.json:4: kernels[2]"; asked for few parts only
    std::function<std::string()> hint = {};  ///< of an error: "did you mean 'time'?", or nothing
};

/// Parts that a reader knows and leaves out.
struct IgnoredPart {
    std::string_view path;         ///< as in UnreadPart; "*/x": x at any depth; "x/*": all below x
    std::string_view consequence;  ///< for the answer; empty: none, which needs no warning
};

/// What a reader understands in a way that the answer depends on.
struct ReaderNote {
    std::string what;                    ///< "ModeSwitch"; empty if the place names it
    std::string consequence;             ///< "its longest entry is taken"
    std::function<std::string()> where;  ///< as in UnreadPart
};

/// Throws InputError for the first part that is not in `ignored`. `warnings`, unless null, gets one line per
/// kind of note, and per entry of `ignored` and kind of part, with the first place and the number of places.
void judge_unread(std::span<const UnreadPart> unread, std::span<const IgnoredPart> ignored,
                  std::vector<ReaderNote> notes, std::vector<std::string>* warnings);

}  // namespace warpnet
