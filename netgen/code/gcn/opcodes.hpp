#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace warpnet::netgen {

/// The PTX opcode as which an instruction of AMD's GCN, CDNA and RDNA counts: "ld.global.v4.b32" for
/// "flat_load_dwordx4". Empty if the mnemonic is unknown. The text has static storage. O(length · table).
std::string_view ptx_counterpart_of_gcn(std::string_view mnemonic);

/// Whether a word has the form of a mnemonic: one of the prefixes of all instructions, in lower case.
bool is_gcn_mnemonic(std::string_view word);

/// The mnemonic without its encoding: "v_add_f32" for "v_add_f32_e32".
std::string_view gcn_without_encoding(std::string_view mnemonic);

/// The operation of a scalar instruction as a PTX opcode that the proofs of trips support: "setp.ne.u32" for
/// "s_cmp_lg_u32". Empty for other instructions, and if the result does not depend on the operands alone.
std::string_view exact_ptx_of_gcn(std::string_view mnemonic);

/// Bytes of the instruction in GCN3 and later: 4 or 8 with its literal, as assemblers choose.
std::uint32_t gcn_bytes(std::string_view mnemonic, const std::vector<std::string_view>& operands);

/// Whether the instruction preserves SCC, the condition code of scalar branches.
bool gcn_keeps_scc(std::string_view mnemonic);

}  // namespace warpnet::netgen
