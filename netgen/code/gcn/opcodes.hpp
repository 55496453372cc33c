#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace warpnet::netgen {

/// The PTX opcode as which an instruction of AMD's GCN, CDNA and RDNA counts: "ld.global.v4.b32" for
/// "flat_load_dwordx4". Empty if the mnemonic is unknown here. The text lives forever. O(length · table).
std::string_view ptx_counterpart_of_gcn(std::string_view mnemonic);

/// Whether a word has the form of a mnemonic: one of the prefixes of all instructions, in lower case.
bool is_gcn_mnemonic(std::string_view word);

/// Without the encoding: "v_add_f32" of "v_add_f32_e32".
std::string_view gcn_without_encoding(std::string_view mnemonic);

/// What a scalar instruction computes, as a PTX opcode whose meaning the proofs of trips know: "setp.ne.u32"
/// of "s_cmp_lg_u32". Empty for other instructions, and if the result depends on more than the operands.
std::string_view exact_ptx_of_gcn(std::string_view mnemonic);

/// Bytes of the instruction in GCN3 and later: 4 or 8 with its literal, as assemblers choose.
std::uint32_t gcn_bytes(std::string_view mnemonic, const std::vector<std::string_view>& operands);

/// Whether the instruction leaves SCC, the condition code of scalar branches, as it is.
bool gcn_keeps_scc(std::string_view mnemonic);

}  // namespace warpnet::netgen
