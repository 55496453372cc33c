// Words of AMD GPU assembly: operands, numbers, scalar registers, and the directives of LLVM and CLRX. Known
// directives change no count. The reader names data directives among instructions and unknown directives.

#include "netgen/code/gcn/syntax.hpp"

#include "engine/base/text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <system_error>

namespace warpnet::netgen {

namespace {

constexpr std::string_view blanks = " \t\r\f\v";

}  // namespace

std::string_view gcn_word(std::string_view& text) {
    text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
    const std::string_view word = text.substr(0, text.find_first_of(blanks));
    text.remove_prefix(word.size());
    return word;
}

std::vector<std::string_view> gcn_operands(std::string_view text) {
    std::vector<std::string_view> operands;
    while (!trimmed(text).empty()) {
        const std::size_t end = std::min(text.find(','), text.size());
        operands.push_back(trimmed(text.substr(0, end)));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return operands;
}

std::optional<std::int64_t> gcn_integer(std::string_view text) {
    const bool minus = text.starts_with('-');
    if (minus) text.remove_prefix(1);
    const bool hex = text.starts_with("0x");
    if (hex) text.remove_prefix(2);
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, hex ? 16 : 10);
    if (error != std::errc() || end != text.data() + text.size() || text.empty() || value > 0xFFFFFFFFU)
        return std::nullopt;
    return minus ? -static_cast<std::int64_t>(value) : static_cast<std::int64_t>(value);
}

GcnScalars gcn_scalars(std::string_view operand) {
    if (!operand.starts_with('s') || operand.size() < 2) return {};
    operand.remove_prefix(1);
    const bool range = operand.starts_with('[') && operand.ends_with(']');
    if (range) operand = operand.substr(1, operand.size() - 2);
    const std::size_t colon = operand.find(':');
    const auto first = gcn_integer(trimmed(operand.substr(0, colon)));
    const auto last =
        range && colon != std::string_view::npos ? gcn_integer(trimmed(operand.substr(colon + 1))) : first;
    if (!first || !last || *first < 0 || *last < *first || *last >= gcn_scalar_registers) return {};
    return {static_cast<std::uint32_t>(*first), static_cast<std::uint32_t>(*last - *first + 1)};
}

bool gcn_writes_exec(std::string_view mnemonic, const std::vector<std::string_view>& operands) {
    if (mnemonic.find("saveexec") != std::string_view::npos ||
        mnemonic.find("wrexec") != std::string_view::npos || mnemonic.starts_with("v_cmpx"))
        return true;
    return mnemonic.starts_with("s_") && !operands.empty() && operands.front().starts_with("exec");
}

bool gcn_turns_exec(std::string_view mnemonic, const std::vector<std::string_view>& operands) {
    for (const std::string_view turn : {"s_or_saveexec", "s_andn2_saveexec", "s_and_not1_saveexec"})
        if (mnemonic.starts_with(turn)) return true;
    return mnemonic.starts_with("s_xor_") && operands.size() == 3 && operands[0].starts_with("exec") &&
           (operands[1].starts_with("exec") || operands[2].starts_with("exec"));
}

bool begins_gcn_block(std::string_view directive) {
    for (const std::string_view block :
         {".amdgpu_metadata", ".amd_kernel_code_t", ".amd_amdgpu_hsa_metadata", ".amdgpu_pal_metadata",
          ".amdhsa_kernel", ".amdgpu_runtime_metadata"})
        if (directive == block) return true;
    return false;
}

bool is_known_gcn_directive(std::string_view name) {
    constexpr std::array<std::string_view, 50> known = {
        ".text",          ".protected", ".globl",   ".global",   ".weak",      ".hidden",
        ".local",         ".internal",  ".p2align", ".p2alignl", ".align",     ".balign",
        ".type",          ".size",      ".section", ".ident",    ".addrsig",   ".addrsig_sym",
        ".set",           ".equ",       ".file",    ".loc",      ".previous",  ".pushsection",
        ".popsection",    ".ascii",     ".asciz",   ".string",   ".zero",      ".space",
        ".skip",          ".fill",      ".comm",    ".lcomm",    ".data",      ".rodata",
        ".bss",           ".target",    ".gpu",     ".rocm",     ".newbinfmt", ".arch_minor",
        ".arch_stepping", ".eflags",    ".kernel",  ".amdgcn",   ".cv_file",   ".cv_loc",
        ".weakref",       ".org"};
    for (const std::string_view family : {".amd", ".hsa", ".cfi_", ".md_", ".end_"})
        if (name.starts_with(family)) return true;
    return std::find(known.begin(), known.end(), name) != known.end();
}

bool is_gcn_data_directive(std::string_view name) {
    for (const std::string_view data : {".long", ".quad", ".short", ".byte", ".word", ".int", ".2byte",
                                        ".4byte", ".8byte", ".uleb128", ".sleb128"})
        if (name == data) return true;
    return false;
}

bool needs_gcn_assembler(std::string_view name) {
    for (const std::string_view macro : {".macro", ".endm", ".rept", ".irp", ".irpc", ".endr", ".else",
                                         ".elseif", ".endif", ".include", ".incbin", ".altmacro"})
        if (name == macro) return true;
    return name.starts_with(".if");
}

}  // namespace warpnet::netgen
