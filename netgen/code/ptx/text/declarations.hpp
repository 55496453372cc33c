#pragma once

#include "netgen/code/ptx/text/module.hpp"
#include "netgen/code/ptx/text/scanner.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace warpnet::netgen {

/// A use of a name in a text.
struct PtxUse {
    std::string_view name;
    std::uint32_t line;
    auto operator<=>(const PtxUse&) const = default;
};

struct PtxNames {
    /// With the number of variables that `name<N>` declares, 0 without `<N>`.
    std::unordered_map<std::string_view, std::int64_t> declared;
    /// Of parameters: the space to which they point.
    std::unordered_map<std::string_view, std::string_view> pointers = {};
    std::vector<PtxUse> used;  ///< in initial values, declared or not
};

/// Reads a declaration of variables from the directive of its state space up to and including the semicolon.
std::vector<PtxSharedVariable> read_ptx_declaration(PtxScanner& scanner, PtxNames& names);

/// Reads `(.param .u64 a, .reg .b32 b, ...)`: the parameters or results of a function.
void read_ptx_parameters(PtxScanner& scanner, PtxNames& names);

/// Reads `.align 8 .v2 .f32`, before names, and returns the bytes of an element and their alignment. `space`
/// receives the target space of a `.ptr`.
struct PtxType {
    std::int64_t bytes = 1;
    std::int64_t alignment = 1;
};
PtxType read_ptx_type(PtxScanner& scanner, std::string_view* space = nullptr);

/// Whether a directive begins the declaration of a variable or register: `.global`, `.reg`.
bool is_ptx_space(std::string_view directive);

/// Skips `count` whole numbers, which messages call `what`.
void skip_ptx_integers(PtxScanner& scanner, int count, std::string_view what);

/// Reads the rest of `.file`, `.loc`, `.pragma` and `.attribute`.
void read_ptx_file(PtxScanner& scanner);
void read_ptx_location(PtxScanner& scanner);
bool read_ptx_pragma(PtxScanner& scanner, std::vector<std::string>& warnings);  ///< whether it is "nounroll"
void read_ptx_attribute(PtxScanner& scanner);

/// Reads the rest of `.section NAME {…}`: bytes and labels, which have no effect on instructions.
void read_ptx_section(PtxScanner& scanner, std::vector<std::string>& warnings);

}  // namespace warpnet::netgen
