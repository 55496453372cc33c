#pragma once

#include "engine/net/net.hpp"

#include <filesystem>
#include <string>
#include <string_view>

namespace warpnet {

/// Which readers a document is for. FORMAT.md says what each of them makes of it.
enum class PnmlFlavour {
    compat,  ///< the most tools: ISO 15909-2, with inhibitor arcs spelled in three ways at once
    strict,  ///< ISO 15909-2 to the letter: no inhibitor arcs, nothing that changes the order of firing
    pipe,    ///< PIPE 4 and 5
};

std::string_view to_string(PnmlFlavour flavour);

/// The net as a PNML document. Reading it back gives an equal net, in every flavour; equal nets give equal
/// bytes. Throws InputError for a position that is not finite, and in the strict flavour for a net with
/// inhibitor arcs, or with immediate transitions or priorities that make a difference. O(net) in time and
/// memory.
std::string write_pnml(const Net& net, PnmlFlavour flavour = PnmlFlavour::compat);

/// Writes the document to a file, whole or not at all (write_file.hpp).
void write_pnml_file(const Net& net, const std::filesystem::path& file,
                     PnmlFlavour flavour = PnmlFlavour::compat);

}  // namespace warpnet
