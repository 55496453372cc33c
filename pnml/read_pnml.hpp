#pragma once

#include "engine/net/net.hpp"
#include "pnml/xml/pnml_error.hpp"

#include <cstddef>
#include <filesystem>
#include <iosfwd>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpnet::pnml {

struct PnmlReadOptions {
    /// The net to read from a document with several nets. It is the id of the net or, if no net has this id,
    /// its number from 1. Required for documents with several nets, and checked for documents with one.
    std::optional<std::string> net_id = {};
    /// Longer documents are rejected. A document that is read as a whole takes about six times its size in
    /// memory and may have at most max_whole bytes. A document that is read in pieces takes the memory of the
    /// net.
    std::size_t max_bytes = std::size_t{1} << 36U;
    static constexpr std::size_t max_whole = std::size_t{1} << 30U;
    /// Receives messages about ignored and suspicious parts, with places.
    std::vector<std::string>* warnings = nullptr;
    /// Receives the capacities of places, by their ids. Null: a place with a capacity is rejected.
    std::map<std::string, Tokens>* capacities = nullptr;
};

/// The place/transition net of a PNML document in any dialect of docs/reference/pnml.md, with its nodes in
/// the order of the file. Ambiguous documents are rejected with a PnmlError. `source_name` names the text in
/// error messages. O(size), plus sorting the arcs.
///
/// Large plain documents, which consist of one net with places, transitions and arcs, are read in pieces on
/// all cores.
Net read_pnml(std::string_view text, const std::string& source_name, const PnmlReadOptions& options = {});

/// Like read_pnml(), to the end of the stream.
Net read_pnml(std::istream& stream, const std::string& source_name, const PnmlReadOptions& options = {});

/// Like read_pnml(). Throws InputError if the file cannot be read.
Net read_pnml_file(const std::filesystem::path& file, const PnmlReadOptions& options = {});

}  // namespace warpnet::pnml
