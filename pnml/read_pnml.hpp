#pragma once

#include "engine/net/net.hpp"
#include "pnml/xml/pnml_error.hpp"

#include <cstddef>
#include <filesystem>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpnet {

struct PnmlReadOptions {
    /// Which net of a document with several; needed there, checked elsewhere.
    /// Its id or, where no net has it as id, its number from 1.
    std::optional<std::string> net_id = {};
    /// Longer documents are refused. A document that is read whole takes about six times its size in memory
    /// and is at most max_whole bytes long; one that is read in pieces takes what the net takes.
    std::size_t max_bytes = std::size_t{1} << 36U;
    static constexpr std::size_t max_whole = std::size_t{1} << 30U;
    /// Is given what was ignored, and what was read but is probably a mistake: messages with places.
    std::vector<std::string>* warnings = nullptr;
};

/// The place/transition net of a PNML document in any dialect of pnml/FORMAT.md, its nodes in the order of
/// the file. Whatever would have to be guessed is refused with a PnmlError. `source_name` is what error
/// messages call the text. O(size), apart from sorting the arcs.
///
/// Large documents of the plain kind, one net with its places, transitions and arcs one behind the other, are
/// read in pieces, on all cores.
Net read_pnml(std::string_view text, const std::string& source_name, const PnmlReadOptions& options = {});

/// As read_pnml, to the end of the stream.
Net read_pnml(std::istream& stream, const std::string& source_name, const PnmlReadOptions& options = {});

/// As read_pnml. Throws InputError where the file cannot be read.
Net read_pnml_file(const std::filesystem::path& file, const PnmlReadOptions& options = {});

}  // namespace warpnet
