#pragma once

#include "engine/net/net.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace warpnet::xml {

/// A document that is read here and there.
struct TextSource {
    std::size_t size = 0;  ///< bytes
    /// Bytes from an offset on, as many as asked for unless the document ends before. Called by one thread at
    /// a time.
    std::function<std::string(std::size_t offset, std::size_t count)> read;
};

/// The net of a large document of the plain kind: one net in which nothing but places, transitions and
/// arcs stand one behind the other, arcs behind their ends, without timing. Every piece of them, with what
/// stands before the first and behind the last, is a small document of its own, read as any other, on all
/// cores.
///
/// Nothing where the document is of another kind, or has something that an error or a warning must be said
/// of: then it is to be read whole. The result is the same. Memory: the net, and `piece_bytes` times about 25
/// for each core. O(size).
std::optional<Net> read_in_pieces(const TextSource& source, const std::optional<std::string>& net_id,
                                  std::size_t piece_bytes);

}  // namespace warpnet::xml
