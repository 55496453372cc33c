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
    /// Longer documents are refused. Reading takes about six times the size of the document in memory.
    std::size_t max_bytes = std::size_t{1} << 30U;
    /// Is given what was read but is probably a mistake: messages as those of PnmlError.
    std::vector<std::string>* warnings = nullptr;
};

/// The place/transition net of a PNML document in any dialect of pnml/FORMAT.md, its nodes in the order of
/// the file. Whatever would have to be guessed is refused with a PnmlError. `source_name` is what error
/// messages call the text. O(size), apart from sorting the arcs.
Net read_pnml(std::string_view text, const std::string& source_name, const PnmlReadOptions& options = {});

/// As read_pnml, to the end of the stream.
Net read_pnml(std::istream& stream, const std::string& source_name, const PnmlReadOptions& options = {});

/// As read_pnml. Throws InputError where the file cannot be read.
Net read_pnml_file(const std::filesystem::path& file, const PnmlReadOptions& options = {});

}  // namespace warpnet
