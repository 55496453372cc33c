#include "netgen/sass/sass_opcodes.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace warpnet {

namespace {

using Entry = std::pair<std::string_view, std::string_view>;

// Sorted. Names: CUDA Binary Utilities, instruction set references of Volta, Turing, Ampere and Hopper.
constexpr std::array table = {
    Entry{"ACQBULK", "membar.gl"},
    Entry{"ARRIVES", "mbarrier.arrive.shared.b64"},
    Entry{"ATOM", "atom.global.add.u32"},
    Entry{"ATOMG", "atom.global.add.u32"},
    Entry{"ATOMS", "atom.shared.add.u32"},
    Entry{"B2R", "mov.u32"},
    Entry{"BAR", "bar.sync"},
    Entry{"BMOV", "mov.u32"},
    Entry{"BMSK", "bmsk.clamp.b32"},
    Entry{"BPT", "trap"},
    Entry{"BRA", "bra"},
    Entry{"BREAK", "mov.u32"},
    Entry{"BREV", "brev.b32"},
    Entry{"BRX", "trap"},  // where it goes stands in a table that the listing does not have
    Entry{"BRXU", "trap"},
    Entry{"BSSY", "mov.u32"},
    Entry{"BSYNC", "mov.u32"},
    Entry{"CALL", "call"},
    Entry{"CCTL", "membar.gl"},
    Entry{"CCTLL", "membar.gl"},
    Entry{"CS2R", "mov.u32"},
    Entry{"DADD", "add.f64"},
    Entry{"DEPBAR", "membar.cta"},
    Entry{"DFMA", "fma.rn.f64"},
    Entry{"DMMA", "mma.sync.f64"},
    Entry{"DMUL", "mul.f64"},
    Entry{"DSET", "set.lt.f64"},
    Entry{"DSETP", "setp.lt.f64"},
    Entry{"ERRBAR", "membar.gl"},
    Entry{"EXIT", "exit"},
    Entry{"F2F", "cvt.f32.f16"},
    Entry{"F2FP", "cvt.rn.f16x2.f32"},
    Entry{"F2I", "cvt.s32.f32"},
    Entry{"FADD", "add.f32"},
    Entry{"FCHK", "testp.finite.f32"},
    Entry{"FENCE", "membar.gl"},
    Entry{"FFMA", "fma.rn.f32"},
    Entry{"FLO", "bfind.u32"},
    Entry{"FMNMX", "min.f32"},
    Entry{"FMUL", "mul.f32"},
    Entry{"FRND", "cvt.rni.f32.f32"},
    Entry{"FSEL", "selp.f32"},
    Entry{"FSET", "set.lt.f32"},
    Entry{"FSETP", "setp.lt.f32"},
    Entry{"FSWZADD", "add.f32"},
    Entry{"HADD2", "add.f16x2"},
    Entry{"HFMA2", "fma.rn.f16x2"},
    Entry{"HGMMA", "wgmma.mma_async.sync"},
    Entry{"HMMA", "mma.sync.f16"},
    Entry{"HMNMX2", "min.f16x2"},
    Entry{"HMUL2", "mul.f16x2"},
    Entry{"HSET2", "set.lt.f16x2"},
    Entry{"HSETP2", "setp.lt.f16x2"},
    Entry{"I2F", "cvt.f32.s32"},
    Entry{"I2FP", "cvt.f32.s32"},
    Entry{"I2I", "cvt.s32.s16"},
    Entry{"IABS", "abs.s32"},
    Entry{"IADD", "add.s32"},
    Entry{"IADD3", "add.s32"},
    Entry{"IDP", "dp4a.s32.s32"},
    Entry{"IGMMA", "wgmma.mma_async.sync"},
    Entry{"IMAD", "mad.lo.s32"},
    Entry{"IMMA", "mma.sync.s32"},
    Entry{"IMNMX", "min.s32"},
    Entry{"ISCADD", "add.s32"},
    Entry{"ISETP", "setp.lt.s32"},
    Entry{"JMP", "trap"},
    Entry{"KILL", "trap"},
    Entry{"LD", "ld.f32"},
    Entry{"LDC", "ld.const.f32"},
    Entry{"LDG", "ld.global.f32"},
    Entry{"LDGDEPBAR", "membar.cta"},
    Entry{"LDGSTS", "cp.async.ca.shared.global"},
    Entry{"LDL", "ld.local.f32"},
    Entry{"LDS", "ld.shared.f32"},
    Entry{"LDSM", "ldmatrix.sync"},
    Entry{"LEA", "add.s32"},
    Entry{"LEPC", "mov.u32"},
    Entry{"LOP3", "lop3.b32"},
    Entry{"MATCH", "match.any.sync.b32"},
    Entry{"MEMBAR", "membar.gl"},
    Entry{"MOV", "mov.u32"},
    Entry{"MOVM", "movmatrix.sync"},
    Entry{"MUFU", "rcp.approx.f32"},
    Entry{"NANOSLEEP", "nanosleep.u32"},
    Entry{"NOP", "mov.u32"},
    Entry{"P2R", "mov.u32"},
    Entry{"PLOP3", "and.pred"},
    Entry{"POPC", "popc.b32"},
    Entry{"PRMT", "prmt.b32"},
    Entry{"QMMA", "mma.sync.e4m3"},
    Entry{"QSPC", "isspacep.global"},
    Entry{"R2P", "mov.u32"},
    Entry{"R2UR", "mov.u32"},
    Entry{"RED", "red.global.add.u32"},
    Entry{"REDUX", "redux.sync.add.s32"},
    Entry{"RET", "ret"},
    Entry{"S2R", "mov.u32"},
    Entry{"S2UR", "mov.u32"},
    Entry{"SEL", "selp.b32"},
    Entry{"SGXT", "shr.s32"},
    Entry{"SHF", "shf.l.wrap.b32"},
    Entry{"SHFL", "shfl.sync.idx.b32"},
    Entry{"SHL", "shl.b32"},
    Entry{"SHR", "shr.s32"},
    Entry{"ST", "st.f32"},
    Entry{"STG", "st.global.f32"},
    Entry{"STL", "st.local.f32"},
    Entry{"STS", "st.shared.f32"},
    Entry{"SULD", "suld.b.2d.b32.trap"},
    Entry{"SUST", "sust.b.2d.b32.trap"},
    Entry{"SYNCS", "mbarrier.arrive.shared.b64"},
    Entry{"TEX", "tex.2d.v4.f32.f32"},
    Entry{"TLD", "tex.2d.v4.f32.f32"},
    Entry{"TLD4", "tld4.r.2d.v4.f32.f32"},
    Entry{"TXQ", "txq.width.b32"},
    Entry{"UBMSK", "bmsk.clamp.b32"},
    Entry{"UFLO", "bfind.u32"},
    Entry{"UIADD3", "add.s32"},
    Entry{"UIMAD", "mad.lo.s32"},
    Entry{"UISETP", "setp.lt.s32"},
    Entry{"ULDC", "mov.u32"},
    Entry{"ULEA", "add.s32"},
    Entry{"ULOP3", "lop3.b32"},
    Entry{"UMOV", "mov.u32"},
    Entry{"UP2UR", "mov.u32"},
    Entry{"UPLOP3", "and.pred"},
    Entry{"UPOPC", "popc.b32"},
    Entry{"UPRMT", "prmt.b32"},
    Entry{"USEL", "selp.b32"},
    Entry{"USGXT", "shr.s32"},
    Entry{"USHF", "shf.l.wrap.b32"},
    Entry{"VABSDIFF", "vabsdiff.s32.s32.s32"},
    Entry{"VIADD", "add.s32"},
    Entry{"VIMNMX", "min.s32"},
    Entry{"VOTE", "vote.sync.any.pred"},
    Entry{"VOTEU", "vote.sync.any.pred"},
    Entry{"WARPSYNC", "bar.warp.sync"},
    Entry{"YIELD", "mov.u32"},
};
static_assert(std::is_sorted(table.begin(), table.end(),
                             [](const Entry& a, const Entry& b) { return a.first < b.first; }));

bool has(std::string_view opcode, std::string_view part) {
    for (std::size_t dot = opcode.find('.'); dot != std::string_view::npos;) {
        const std::size_t end = std::min(opcode.find('.', dot + 1), opcode.size());
        if (opcode.substr(dot + 1, end - dot - 1) == part) return true;
        dot = end == opcode.size() ? std::string_view::npos : end;
    }
    return false;
}

/// Accesses of other widths than 32 bits.
std::string_view by_width(std::string_view opcode, std::string_view one, std::string_view half,
                          std::string_view byte, std::string_view two, std::string_view four) {
    if (has(opcode, "128")) return four;
    if (has(opcode, "64")) return two;
    if (has(opcode, "U16") || has(opcode, "S16")) return half;
    if (has(opcode, "U8") || has(opcode, "S8")) return byte;
    return one;
}

/// Conversions whose rate depends on their types.
std::string_view conversion(std::string_view base, std::string_view opcode) {
    const bool wide = has(opcode, "F64") || has(opcode, "S64") || has(opcode, "U64");
    if (!wide) return {};
    if (base == "F2F") return "cvt.f64.f32";
    if (base == "F2I") return "cvt.s64.f32";
    if (base == "I2F") return "cvt.f64.s32";
    return {};
}

}  // namespace

std::string_view ptx_counterpart_of_sass(std::string_view opcode) {
    const std::string_view base = opcode.substr(0, opcode.find('.'));
    // A multiply-addition that only moves or shifts.
    if (base == "IMAD" && has(opcode, "MOV")) return "mov.u32";
    if (base == "IMAD" && has(opcode, "SHL")) return "shl.b32";
    if (base == "IMAD" && has(opcode, "IADD")) return "add.s32";
    if (base == "LDG")
        return by_width(opcode, "ld.global.f32", "ld.global.u16", "ld.global.u8", "ld.global.v2.f32",
                        "ld.global.v4.f32");
    if (base == "STG")
        return by_width(opcode, "st.global.f32", "st.global.u16", "st.global.u8", "st.global.v2.f32",
                        "st.global.v4.f32");
    if (base == "LDS")
        return by_width(opcode, "ld.shared.f32", "ld.shared.u16", "ld.shared.u8", "ld.shared.v2.f32",
                        "ld.shared.v4.f32");
    if (base == "STS")
        return by_width(opcode, "st.shared.f32", "st.shared.u16", "st.shared.u8", "st.shared.v2.f32",
                        "st.shared.v4.f32");
    if (const std::string_view converted = conversion(base, opcode); !converted.empty()) return converted;
    if (base == "MUFU" && (has(opcode, "RCP64H") || has(opcode, "RSQ64H"))) return "rcp.approx.f32";
    const auto found =
        std::lower_bound(table.begin(), table.end(), base,
                         [](const Entry& entry, std::string_view name) { return entry.first < name; });
    return found != table.end() && found->first == base ? found->second : std::string_view();
}

}  // namespace warpnet
