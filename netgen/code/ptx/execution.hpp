#pragma once

#include "netgen/code/ptx/tally.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace warpnet::netgen {

/// Letters of all instructions, each block once. If a loop is named, ends after the first iteration of this
/// loop of the kernel itself. Throws InputError for more than a million letters.
std::string ptx_rolled_string(const PtxProgram& program, PtxLetters letters,
                              std::optional<std::uint32_t> until_loop = {});

/// The same in run-length notation with the loops: "3L 2C (2L 5C)*64 L".
std::string ptx_formula(const PtxProgram& program, PtxLetters letters);

/// Every loop unrolled. Throws InputError for more than `most_letters`.
std::string ptx_expanded_string(const PtxProgram& program, PtxLetters letters, std::size_t most_letters);

/// The execution of one warp of a program's kernel. Includes the facts about memory requests and idle warps
/// that follow from addresses and from conditions on the number of the thread.
PtxExecution ptx_execution(const PtxProgram& program);

}  // namespace warpnet::netgen
