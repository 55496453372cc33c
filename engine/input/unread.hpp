#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warpnet {

// Readers ignore nothing silently. A document records which of its parts a reader has accessed. A part that
// is left unread is an error that names the part and its place. A reader may also list a part as ignored,
// together with the consequence for the answer. The consequence then becomes a warning. read_json() and
// read_xml() make this check themselves, so that no reader can omit it.

/// A part of a document that its reader has not accessed.
struct UnreadPart {
    std::string construct;  ///< "member 'tiem'", "attribute 'x'", "element <x>"
    std::string path;       ///< names from the root, without positions: "kernels/tiem", "swModel/tasks/@x"
    std::function<std::string()> where;      ///< "t.json:4: kernels[2]"; called for few parts only
    std::function<std::string()> hint = {};  ///< for an error: "did you mean 'time'?", or empty
};

/// A part that a reader knows and ignores.
struct IgnoredPart {
    std::string_view path;         ///< as in UnreadPart; "*/x": x at any depth; "x/*": everything below x
    std::string_view consequence;  ///< for the answer; if empty, no warning is needed
};

/// An interpretation by a reader that affects the answer.
struct ReaderNote {
    std::string what;                    ///< "ModeSwitch"; empty if the place names it
    std::string consequence;             ///< "its longest entry is taken"
    std::function<std::string()> where;  ///< as in UnreadPart
};

/// Throws InputError for the first part that is not in `ignored`. `warnings`, unless null, receives one line
/// per kind of note, and one per consequence in `ignored`, with the first place, the kinds of parts and their
/// number.
void judge_unread(std::span<const UnreadPart> unread, std::span<const IgnoredPart> ignored,
                  std::vector<ReaderNote> notes, std::vector<std::string>* warnings);

}  // namespace warpnet
