#pragma once

#include "engine/net/net.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace warpnet::pnml::xml {

/// A document that is read at arbitrary offsets.
struct TextSource {
    std::size_t size = 0;  ///< bytes
    /// Returns `count` bytes from an offset on, or fewer at the end of the document. Called by one thread at
    /// a time.
    std::function<std::string(std::size_t offset, std::size_t count)> read;
};

/// The net of a large plain document: one net that consists of places, transitions and arcs without timing,
/// with arcs after their ends. The document is divided into pieces. Each piece, together with the content
/// before the first and after the last, is a small document, and these are read in parallel by the ordinary
/// reader.
///
/// Empty if the document is of another kind, or if it contains something that needs an error or a warning. It
/// must then be read as a whole. The result is the same. Memory: the net, and about 25 times `piece_bytes`
/// per core. O(size).
std::optional<Net> read_in_pieces(const TextSource& source, const std::optional<std::string>& net_id,
                                  std::size_t piece_bytes);

}  // namespace warpnet::pnml::xml
