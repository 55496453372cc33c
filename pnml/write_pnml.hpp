#pragma once

#include "engine/net/net.hpp"

#include <filesystem>
#include <string>
#include <string_view>

namespace warpnet::pnml {

/// The readers for which a document is written. docs/reference/pnml.md describes what each of them supports.
enum class PnmlFlavour {
    compat,  ///< most tools: ISO 15909-2, with inhibitor arcs in three spellings at once
    strict,  ///< ISO 15909-2 exactly: no inhibitor arcs, nothing that changes the order of firing
    pipe,    ///< PIPE 4 and 5
};

std::string_view to_string(PnmlFlavour flavour);

/// The net as a PNML document. Reading it returns an equal net, in every flavour, and equal nets give equal
/// bytes. Throws InputError for a position that is not finite. The strict flavour throws it for a net with
/// inhibitor arcs, and for immediate transitions or priorities with an effect. O(net) in time and memory.
std::string write_pnml(const Net& net, PnmlFlavour flavour = PnmlFlavour::compat);

/// Writes the document to a file, completely or not at all (write_file.hpp).
void write_pnml_file(const Net& net, const std::filesystem::path& file,
                     PnmlFlavour flavour = PnmlFlavour::compat);

}  // namespace warpnet::pnml
