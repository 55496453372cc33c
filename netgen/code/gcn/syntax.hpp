#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace warpnet::netgen {

constexpr std::uint32_t gcn_scalar_registers = 128;

/// Removes the next word and the blanks before it from the front, and returns it.
std::string_view gcn_word(std::string_view& text);

/// The operands, which commas separate; "s[0:1]" is one operand.
std::vector<std::string_view> gcn_operands(std::string_view text);

/// A whole number in the syntax of assemblers: 12, -3, 0x1f. Nothing if it needs more than 32 bits.
std::optional<std::int64_t> gcn_integer(std::string_view text);

struct GcnScalars {
    std::uint32_t first = 0, count = 0;
};

/// The registers of "s7" or "s[4:7]"; empty for other operands.
GcnScalars gcn_scalars(std::string_view operand);

/// Whether an instruction writes EXEC, the mask of the lanes that execute.
bool gcn_writes_exec(std::string_view mnemonic, const std::vector<std::string_view>& operands);

/// Whether the mask selects the lanes that did not run the preceding code: the else of an if.
bool gcn_turns_exec(std::string_view mnemonic, const std::vector<std::string_view>& operands);

/// The directives that begin a part of the text without code, up to ".end_" and the rest of the name.
bool begins_gcn_block(std::string_view directive);

bool is_known_gcn_directive(std::string_view name);
bool is_gcn_data_directive(std::string_view name);

/// Macros, conditions and includes, which need an assembler.
bool needs_gcn_assembler(std::string_view name);

}  // namespace warpnet::netgen
