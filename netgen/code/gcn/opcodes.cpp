// Mnemonics of AMD GPUs as PTX opcodes. A mnemonic has a family (s, v, ds, flat, …), a base and parts: types,
// widths, encodings. The base determines the kind of instruction, and the types distinguish integers and the
// floating-point formats. Rows name bases instead of the 1,700 mnemonics of one version of LLVM, so that new
// combinations of known parts are also known. A part that no instruction has makes a mnemonic unknown.
// Source: AMD's instruction set references from GCN3 to CDNA3 and RDNA3, and LLVM's AMDGPU usage guide.

#include "netgen/code/gcn/opcodes.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>

namespace warpnet::netgen {

namespace {

/// The counterparts of a base: for integers and bits, and for each floating-point format.
struct Kind {
    std::string_view integer, real16, real32, real64;
};
constexpr Kind add = {"add.s32", "add.f16", "add.f32", "add.f64"};
constexpr Kind multiply = {"mul.lo.s32", "mul.f16", "mul.f32", "mul.f64"};
constexpr Kind multiply_add = {"mad.lo.s32", "fma.rn.f16", "fma.rn.f32", "fma.rn.f64"};
constexpr Kind compare = {"setp.lt.s32", "setp.lt.f16", "setp.lt.f32", "setp.lt.f64"};
constexpr Kind special = {"rcp.approx.f32", "rcp.approx.f32", "rcp.approx.f32", "rcp.rn.f64"};
constexpr Kind logic = {"and.b32", "and.b32", "and.b32", "and.b32"};
constexpr Kind shift = {"shl.b32", "shl.b32", "shl.b32", "shl.b32"};
constexpr Kind bits = {"popc.b32", "popc.b32", "popc.b32", "popc.b32"};
constexpr Kind move = {"mov.u32", "mov.u32", "mov.u32", "mov.u32"};
constexpr Kind convert = {"cvt.f32.s32", "cvt.f32.f16", "cvt.f32.s32", "cvt.f64.s32"};
constexpr Kind dot = {"dp4a.s32.s32", "fma.rn.f16", "fma.rn.f32", "fma.rn.f64"};
constexpr Kind matrix = {"mma.sync.f16", "mma.sync.f16", "mma.sync.f16", "mma.sync.f64"};
constexpr Kind shuffle = {"shfl.sync.idx.b32", "shfl.sync.idx.b32", "shfl.sync.idx.b32", "shfl.sync.idx.b32"};

struct Row {
    std::string_view base;
    const Kind& kind;
    bool any_parts = false;  ///< ignores the parts behind the base
};

// Of scalar and vector arithmetic, without "s_", "v_", "v_pk_" and "v_dual_".
constexpr std::array rows = {
    Row{"abs", add},
    Row{"absdiff", add},
    Row{"add", add},
    Row{"add3", add},
    Row{"addc", add},
    Row{"addk", add},
    Row{"sub", add},
    Row{"subrev", add},
    Row{"subb", add},
    Row{"subbrev", add},
    Row{"sad", add},
    Row{"msad", add},
    Row{"qsad", add},
    Row{"mqsad", add},
    Row{"lerp", add},
    Row{"ceil", add},
    Row{"floor", add},
    Row{"trunc", add},
    Row{"rndne", add},
    Row{"fract", add},
    Row{"ldexp", add},
    Row{"frexp", add, true},
    Row{"trig_preop", add},
    Row{"div_scale", multiply_add},
    Row{"div_fixup", multiply_add},
    Row{"div_fmas", multiply_add},
    Row{"mul", multiply},
    Row{"mulk", multiply},
    Row{"mullit", multiply},
    Row{"mad", multiply_add, true},
    Row{"mac", multiply_add},
    Row{"fma", multiply_add},
    Row{"fmac", multiply_add},
    Row{"fmaak", multiply_add},
    Row{"fmamk", multiply_add},
    Row{"madak", multiply_add},
    Row{"madmk", multiply_add},
    Row{"cubeid", add},
    Row{"cubema", add},
    Row{"cubesc", add},
    Row{"cubetc", add},
    Row{"interp", multiply_add, true},
    Row{"dot2", dot},
    Row{"dot2c", dot},
    Row{"dot2acc", dot},
    Row{"dot4", dot},
    Row{"dot4c", dot},
    Row{"dot8", dot},
    Row{"dot8c", dot},
    Row{"mfma", matrix, true},
    Row{"smfmac", matrix, true},
    Row{"wmma", matrix, true},
    Row{"swmmac", matrix, true},
    Row{"rcp", special},
    Row{"rsq", special},
    Row{"sqrt", special},
    Row{"exp", special},
    Row{"log", special},
    Row{"sin", special},
    Row{"cos", special},
    Row{"tanh", special},
    Row{"cmp", compare, true},
    Row{"cmpx", compare, true},
    Row{"cmps", compare, true},
    Row{"cmpsx", compare, true},
    Row{"cmpk", compare, true},
    Row{"bitcmp0", compare},
    Row{"bitcmp1", compare},
    Row{"cselect", compare},
    Row{"cndmask", compare},
    Row{"min", compare},
    Row{"max", compare},
    Row{"min3", compare},
    Row{"max3", compare},
    Row{"med3", compare},
    Row{"minmax", compare},
    Row{"maxmin", compare},
    Row{"minimum", compare},
    Row{"maximum", compare},
    Row{"minimum3", compare},
    Row{"maximum3", compare},
    Row{"and", logic},
    Row{"or", logic},
    Row{"xor", logic},
    Row{"not", logic},
    Row{"nand", logic},
    Row{"nor", logic},
    Row{"xnor", logic},
    Row{"andn1", logic},
    Row{"andn2", logic},
    Row{"orn1", logic},
    Row{"orn2", logic},
    Row{"and_not0", logic},
    Row{"and_not1", logic},
    Row{"or_not0", logic},
    Row{"or_not1", logic},
    Row{"and_or", logic},
    Row{"or3", logic},
    Row{"xor3", logic},
    Row{"xad", logic},
    Row{"bfi", logic},
    Row{"perm", logic},
    Row{"alignbit", logic},
    Row{"alignbyte", logic},
    Row{"bitop3", logic},
    Row{"wqm", logic},
    Row{"quadmask", logic},
    Row{"bitset0", logic},
    Row{"bitset1", logic},
    Row{"lshl", shift},
    Row{"lshr", shift},
    Row{"ashr", shift},
    Row{"lshlrev", shift},
    Row{"lshrrev", shift},
    Row{"ashrrev", shift},
    Row{"add_lshl", shift},
    Row{"lshl_add", shift},
    Row{"lshl_or", shift},
    Row{"lshl1_add", shift},
    Row{"lshl2_add", shift},
    Row{"lshl3_add", shift},
    Row{"lshl4_add", shift},
    Row{"bcnt", bits},
    Row{"bcnt0", bits},
    Row{"bcnt1", bits},
    Row{"ff0", bits},
    Row{"ff1", bits},
    Row{"flbit", bits},
    Row{"clz", bits},
    Row{"ctz", bits},
    Row{"cls", bits},
    Row{"ffbh", bits},
    Row{"ffbl", bits},
    Row{"bfe", bits},
    Row{"bfm", bits},
    Row{"bfrev", bits},
    Row{"brev", bits},
    Row{"bitreplicate", bits},
    Row{"mbcnt", bits},
    Row{"sext", bits},
    Row{"mov", move},
    Row{"movk", move},
    Row{"cmov", move},
    Row{"cmovk", move},
    Row{"movreld", move},
    Row{"movrels", move},
    Row{"movrelsd", move},
    Row{"pack", move, true},
    Row{"swap", move},
    Row{"swaprel", move},
    Row{"accvgpr", move, true},
    Row{"readlane", move},
    Row{"readfirstlane", move},
    Row{"writelane", move},
    Row{"getpc", move},
    Row{"getreg", move},
    Row{"setreg", move, true},
    Row{"memtime", move},
    Row{"memrealtime", move},
    Row{"get_waveid_in_workgroup", move},
    Row{"cvt", convert, true},
    Row{"sat_pk", convert, true},
    Row{"cvtpk", convert, true},
    Row{"permlane16", shuffle, true},
    Row{"permlanex16", shuffle, true},
    Row{"permlane32", shuffle, true},
    Row{"permlane64", shuffle, true},
};

struct Whole {
    std::string_view mnemonic;
    std::string_view counterpart;
};

// Instructions without a result: control, waits, hints. Parts behind these names are ignored.
constexpr std::array wholes = {
    Whole{"s_branch", "bra"},
    Whole{"s_cbranch", "bra"},
    Whole{"s_subvector_loop_begin", "bra"},
    Whole{"s_subvector_loop_end", "bra"},
    Whole{"s_endpgm", "exit"},
    Whole{"s_setpc", "ret"},
    Whole{"s_rfe", "ret"},
    Whole{"s_swappc", "call"},
    Whole{"s_call", "call"},
    Whole{"s_trap", "brkpt"},
    Whole{"s_barrier", "bar.sync"},
    Whole{"s_waitcnt", "membar.cta"},
    Whole{"s_wait", "membar.cta"},
    Whole{"s_dcache", "membar.gl"},
    Whole{"s_icache", "membar.gl"},
    Whole{"s_gl1", "membar.gl"},
    Whole{"s_atc", "prefetch.global.L2"},
    Whole{"s_prefetch", "prefetch.global.L2"},
    Whole{"s_alloc_vgpr", "nanosleep.u32"},
    Whole{"s_clause", "nanosleep.u32"},
    Whole{"s_code_end", "nanosleep.u32"},
    Whole{"s_decperflevel", "nanosleep.u32"},
    Whole{"s_delay_alu", "nanosleep.u32"},
    Whole{"s_denorm_mode", "nanosleep.u32"},
    Whole{"s_incperflevel", "nanosleep.u32"},
    Whole{"s_inst_prefetch", "nanosleep.u32"},
    Whole{"s_nop", "nanosleep.u32"},
    Whole{"s_round_mode", "nanosleep.u32"},
    Whole{"s_sendmsg", "nanosleep.u32"},
    Whole{"s_sendmsghalt", "nanosleep.u32"},
    Whole{"s_set_gpr_idx", "nanosleep.u32"},
    Whole{"s_sethalt", "nanosleep.u32"},
    Whole{"s_setkill", "nanosleep.u32"},
    Whole{"s_setprio", "nanosleep.u32"},
    Whole{"s_setvskip", "nanosleep.u32"},
    Whole{"s_sleep", "nanosleep.u32"},
    Whole{"s_ttracedata", "nanosleep.u32"},
    Whole{"s_version", "nanosleep.u32"},
    Whole{"s_wakeup", "nanosleep.u32"},
    Whole{"v_clrexcp", "nanosleep.u32"},
    Whole{"v_nop", "nanosleep.u32"},
    Whole{"v_pipeflush", "nanosleep.u32"},
    Whole{"v_screen_partition", "mov.u32"},
    Whole{"ds_nop", "nanosleep.u32"},
    Whole{"ds_gws", "bar.sync"},
    Whole{"ds_swizzle", "shfl.sync.idx.b32"},
    Whole{"ds_permute", "shfl.sync.idx.b32"},
    Whole{"ds_bpermute", "shfl.sync.idx.b32"},
    Whole{"image", "tex.2d.v4.f32.f32"},
    Whole{"exp", "st.global.v4.b32"},
};

/// Whether `text` is `begin`, alone or in front of further parts.
bool begins(std::string_view text, std::string_view begin) {
    return text.starts_with(begin) && (text.size() == begin.size() || text[begin.size()] == '_');
}

/// Calls visit(part) for the parts between underscores until it returns false. Returns whether it never did.
template <class Visit>
bool all_parts(std::string_view text, Visit visit) {
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('_'), text.size());
        if (end > 0 && !visit(text.substr(0, end))) return false;
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return true;
}

bool is_type(std::string_view part) {
    constexpr std::array<std::string_view, 9> sizes = {"4", "8", "16", "24", "32", "64", "96", "128", "1"};
    if (part.starts_with("bf")) part.remove_prefix(1);
    return !part.empty() && std::string_view("fiub").find(part.front()) != std::string_view::npos &&
           std::find(sizes.begin(), sizes.end(), part.substr(1)) != sizes.end();
}

bool is_known_part(std::string_view part) {
    constexpr std::array<std::string_view, 26> parts = {
        "lo",  "hi",  "co",    "ci",    "nc",       "pk",       "legacy", "clamp", "iflag",
        "k",   "imm", "imm32", "2",     "saveexec", "wrexec",   "mix",    "mixlo", "mixhi",
        "num", "rtz", "x2",    "accum", "dx9",      "fixedb64", "no",     "carry"};
    return is_type(part) || std::find(parts.begin(), parts.end(), part) != parts.end();
}

/// The counterpart for the types among the parts.
std::string_view by_type(const Kind& kind, std::string_view parts) {
    bool real16 = false, real32 = false, real64 = false;
    all_parts(parts, [&](std::string_view part) {
        real16 |= part == "f16" || part == "bf16";
        real32 |= part == "f32";
        real64 |= part == "f64";
        return true;
    });
    return real64 ? kind.real64 : real32 ? kind.real32 : real16 ? kind.real16 : kind.integer;
}

std::string_view arithmetic(std::string_view name) {
    for (const std::string_view prefix : {"pk_", "dual_"})
        if (name.starts_with(prefix)) name.remove_prefix(prefix.size());
    const Row* best = nullptr;
    for (const Row& row : rows)
        if (begins(name, row.base) && (best == nullptr || row.base.size() > best->base.size())) best = &row;
    if (best == nullptr) return {};
    const std::string_view parts = name.substr(best->base.size());
    if (!best->any_parts && !all_parts(parts, is_known_part)) return {};
    return by_type(best->kind, parts);
}

/// Counterparts of an access by its bytes per thread: 1, 2, 4, 8, 12, 16, 32 and more.
using ByWidth = std::array<std::string_view, 7>;
constexpr ByWidth shared_load = {"ld.shared.u8",     "ld.shared.u16",    "ld.shared.b32",
                                 "ld.shared.v2.b32", "ld.shared.v3.b32", "ld.shared.v4.b32",
                                 "ld.shared.v8.b32"};
constexpr ByWidth shared_store = {"st.shared.u8",     "st.shared.u16",    "st.shared.b32",
                                  "st.shared.v2.b32", "st.shared.v3.b32", "st.shared.v4.b32",
                                  "st.shared.v8.b32"};
constexpr ByWidth global_load = {"ld.global.u8",     "ld.global.u16",    "ld.global.b32",
                                 "ld.global.v2.b32", "ld.global.v3.b32", "ld.global.v4.b32",
                                 "ld.global.v8.b32"};
constexpr ByWidth global_store = {"st.global.u8",     "st.global.u16",    "st.global.b32",
                                  "st.global.v2.b32", "st.global.v3.b32", "st.global.v4.b32",
                                  "st.global.v8.b32"};
constexpr ByWidth local_load = {"ld.local.u8",     "ld.local.u16",    "ld.local.b32",   "ld.local.v2.b32",
                                "ld.local.v3.b32", "ld.local.v4.b32", "ld.local.v8.b32"};
constexpr ByWidth local_store = {"st.local.u8",     "st.local.u16",    "st.local.b32",   "st.local.v2.b32",
                                 "st.local.v3.b32", "st.local.v4.b32", "st.local.v8.b32"};
constexpr ByWidth constant_load = {"ld.const.u8",     "ld.const.u16",    "ld.const.b32",   "ld.const.v2.b32",
                                   "ld.const.v3.b32", "ld.const.v4.b32", "ld.const.v8.b32"};

/// The index in ByWidth for the parts of a load or store, such as "dwordx4" or "format_xy"; sets `twice` for
/// those of two elements. Nothing (7) if a part is unknown.
std::size_t width_of(std::string_view parts, bool twice) {
    struct Width {
        std::string_view part;
        std::size_t place;
    };
    constexpr std::size_t one = 0, two = 1, word = 2, pair = 3, triple = 4, quad = 5, more = 6, none = 7;
    constexpr std::array widths = {
        Width{"byte", one},     Width{"ubyte", one},    Width{"sbyte", one},      Width{"u8", one},
        Width{"i8", one},       Width{"b8", one},       Width{"short", two},      Width{"ushort", two},
        Width{"sshort", two},   Width{"u16", two},      Width{"i16", two},        Width{"b16", two},
        Width{"dword", word},   Width{"b32", word},     Width{"x", word},         Width{"dwordx2", pair},
        Width{"b64", pair},     Width{"xy", pair},      Width{"dwordx3", triple}, Width{"b96", triple},
        Width{"xyz", triple},   Width{"dwordx4", quad}, Width{"b128", quad},      Width{"xyzw", quad},
        Width{"dwordx8", more}, Width{"b256", more},    Width{"dwordx16", more},  Width{"b512", more}};
    constexpr std::array<std::string_view, 7> others = {"d16", "hi", "lds", "addtid", "src2", "format", "tr"};
    std::size_t place = none;
    const bool known = all_parts(parts, [&](std::string_view part) {
        const auto* const found = std::find_if(widths.begin(), widths.end(),
                                               [&](const Width& width) { return width.part == part; });
        if (found != widths.end()) place = found->place;
        return found != widths.end() || std::find(others.begin(), others.end(), part) != others.end();
    });
    if (!known) return none;
    return place == none || !twice ? place : place == word ? pair : place == pair ? quad : place;
}

std::string_view sized(const ByWidth& counterparts, std::string_view parts, bool twice = false) {
    const std::size_t place = width_of(parts, twice);
    return place < counterparts.size() ? counterparts[place] : std::string_view();
}

std::string_view shared_access(std::string_view name) {
    for (const std::string_view two : {"read2st64", "read2", "load_2addr_stride64", "load_2addr"})
        if (begins(name, two)) return sized(shared_load, name.substr(two.size()), true);
    for (const std::string_view two : {"write2st64", "write2", "store_2addr_stride64", "store_2addr"})
        if (begins(name, two)) return sized(shared_store, name.substr(two.size()), true);
    for (const std::string_view load : {"read", "load"})
        if (begins(name, load)) return sized(shared_load, name.substr(load.size()));
    for (const std::string_view store : {"write", "store"})
        if (begins(name, store)) return sized(shared_store, name.substr(store.size()));
    constexpr std::array<std::string_view, 24> atomics = {
        "add",       "sub",  "rsub",       "inc",    "dec",      "min",     "max",     "and",
        "or",        "xor",  "mskor",      "cmpst",  "cmpstore", "wrxchg",  "wrxchg2", "wrxchg2st64",
        "storexchg", "wrap", "condxchg32", "append", "consume",  "ordered", "pk_add",  "bvh"};
    const bool is_atomic = std::any_of(atomics.begin(), atomics.end(),
                                       [&](std::string_view atomic) { return begins(name, atomic); });
    return is_atomic ? "atom.shared.add.u32" : std::string_view();
}

std::string_view memory_access(std::string_view name, const ByWidth& load, const ByWidth& store) {
    if (begins(name, "load_monitor")) return sized(load, name.substr(12));
    if (begins(name, "load")) return sized(load, name.substr(4));
    if (begins(name, "store_lds")) return sized(store, name.substr(9));
    if (begins(name, "store")) return sized(store, name.substr(5));
    if (begins(name, "atomic")) return "atom.global.add.u32";
    if (begins(name, "prefetch")) return "prefetch.global.L2";
    for (const std::string_view cache :
         {"wbinvl1", "wbl2", "invl2", "gl0_inv", "gl1_inv", "wb", "inv", "wbinv"})
        if (begins(name, cache)) return "membar.gl";
    return {};
}

}  // namespace

bool is_gcn_mnemonic(std::string_view word) {
    if (word == "exp" || word == "export") return true;
    if (word.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") != std::string_view::npos)
        return false;
    for (const std::string_view family : {"s_", "v_", "ds_", "flat_", "global_", "scratch_", "buffer_",
                                          "tbuffer_", "image_", "cluster_", "tensor_"})
        if (word.starts_with(family) && word.size() > family.size()) return true;
    return false;
}

std::string_view gcn_without_encoding(std::string_view mnemonic) {
    for (bool again = true; again;) {
        again = false;
        for (const std::string_view encoding : {"_e32", "_e64", "_sdwa", "_dpp", "_dpp8", "_pad_s_nop"})
            if (mnemonic.ends_with(encoding)) {
                mnemonic.remove_suffix(encoding.size());
                again = true;
            }
    }
    return mnemonic;
}

std::string_view ptx_counterpart_of_gcn(std::string_view mnemonic) {
    mnemonic = gcn_without_encoding(mnemonic);
    const Whole* best = nullptr;
    for (const Whole& whole : wholes)
        if (begins(mnemonic, whole.mnemonic) &&
            (best == nullptr || whole.mnemonic.size() > best->mnemonic.size()))
            best = &whole;
    if (best != nullptr) return best->counterpart;
    const auto behind = [&](std::string_view prefix) { return mnemonic.substr(prefix.size()); };
    for (const std::string_view scalar : {"s_load", "s_buffer_load", "s_scratch_load"})
        if (begins(mnemonic, scalar)) return sized(constant_load, behind(scalar));
    for (const std::string_view scalar : {"s_store", "s_buffer_store", "s_scratch_store"})
        if (begins(mnemonic, scalar)) return sized(global_store, behind(scalar));
    for (const std::string_view scalar : {"s_atomic", "s_buffer_atomic"})
        if (begins(mnemonic, scalar)) return "atom.global.add.u32";
    if (mnemonic.starts_with("s_") || mnemonic.starts_with("v_")) return arithmetic(mnemonic.substr(2));
    if (mnemonic.starts_with("ds_")) return shared_access(mnemonic.substr(3));
    if (mnemonic.starts_with("scratch_")) return memory_access(behind("scratch_"), local_load, local_store);
    for (const std::string_view family : {"flat_", "global_", "buffer_", "tbuffer_"})
        if (mnemonic.starts_with(family)) return memory_access(behind(family), global_load, global_store);
    return {};
}

std::string_view exact_ptx_of_gcn(std::string_view mnemonic) {
    constexpr std::array exact = {
        Whole{"s_mov_b32", "mov.b32"},         Whole{"s_movk_i32", "mov.b32"},
        Whole{"s_add_i32", "add.s32"},         Whole{"s_add_u32", "add.u32"},
        Whole{"s_addk_i32", "add.s32"},        Whole{"s_sub_i32", "sub.s32"},
        Whole{"s_sub_u32", "sub.u32"},         Whole{"s_mul_i32", "mul.lo.s32"},
        Whole{"s_mulk_i32", "mul.lo.s32"},     Whole{"s_and_b32", "and.b32"},
        Whole{"s_or_b32", "or.b32"},           Whole{"s_xor_b32", "xor.b32"},
        Whole{"s_min_i32", "min.s32"},         Whole{"s_min_u32", "min.u32"},
        Whole{"s_max_i32", "max.s32"},         Whole{"s_max_u32", "max.u32"},
        Whole{"s_lshl_b32", "shl.b32"},        Whole{"s_lshr_b32", "shr.u32"},
        Whole{"s_ashr_i32", "shr.s32"},        Whole{"s_cmp_eq_i32", "setp.eq.s32"},
        Whole{"s_cmp_eq_u32", "setp.eq.u32"},  Whole{"s_cmp_lg_i32", "setp.ne.s32"},
        Whole{"s_cmp_lg_u32", "setp.ne.u32"},  Whole{"s_cmp_lt_i32", "setp.lt.s32"},
        Whole{"s_cmp_lt_u32", "setp.lo.u32"},  Whole{"s_cmp_le_i32", "setp.le.s32"},
        Whole{"s_cmp_le_u32", "setp.ls.u32"},  Whole{"s_cmp_gt_i32", "setp.gt.s32"},
        Whole{"s_cmp_gt_u32", "setp.hi.u32"},  Whole{"s_cmp_ge_i32", "setp.ge.s32"},
        Whole{"s_cmp_ge_u32", "setp.hs.u32"},  Whole{"s_cmpk_eq_i32", "setp.eq.s32"},
        Whole{"s_cmpk_eq_u32", "setp.eq.u32"}, Whole{"s_cmpk_lg_i32", "setp.ne.s32"},
        Whole{"s_cmpk_lg_u32", "setp.ne.u32"}, Whole{"s_cmpk_lt_i32", "setp.lt.s32"},
        Whole{"s_cmpk_lt_u32", "setp.lo.u32"}, Whole{"s_cmpk_le_i32", "setp.le.s32"},
        Whole{"s_cmpk_le_u32", "setp.ls.u32"}, Whole{"s_cmpk_gt_i32", "setp.gt.s32"},
        Whole{"s_cmpk_gt_u32", "setp.hi.u32"}, Whole{"s_cmpk_ge_i32", "setp.ge.s32"},
        Whole{"s_cmpk_ge_u32", "setp.hs.u32"}};
    const auto* const found = std::find_if(exact.begin(), exact.end(),
                                           [&](const Whole& whole) { return whole.mnemonic == mnemonic; });
    return found == exact.end() ? std::string_view() : found->counterpart;
}

namespace {

/// Whether a constant has no code and takes a word behind the instruction.
bool is_literal(std::string_view operand) {
    if (operand.find('@') != std::string_view::npos) return true;
    const bool minus = operand.starts_with('-');
    const std::string_view digits = operand.substr(minus ? 1 : 0);
    if (digits.empty() || digits.front() < '0' || digits.front() > '9') return false;
    for (const std::string_view real : {"0.5", "1.0", "2.0", "4.0"})
        if (digits == real) return false;
    if (digits.starts_with("0.15915494")) return false;
    const bool hex = digits.starts_with("0x");
    std::uint64_t value = 0;
    const std::string_view number = digits.substr(hex ? 2 : 0);
    const auto [end, error] =
        std::from_chars(number.data(), number.data() + number.size(), value, hex ? 16 : 10);
    if (error != std::errc() || end != number.data() + number.size()) return true;
    constexpr std::uint64_t largest = 64, least = 16;
    return minus ? value > least : value > largest && value < 0xFFFFFFF0U;
}

/// Vector instructions that compilers write without an encoding and that take one word.
bool is_short_without_encoding(std::string_view mnemonic) {
    constexpr std::array<std::string_view, 14> names = {
        "v_readfirstlane_b32", "v_nop",     "v_swap_b32",    "v_clrexcp",        "v_mov_b32",
        "v_and_b32",           "v_or_b32",  "v_xor_b32",     "v_not_b32",        "v_add_f32",
        "v_sub_f32",           "v_mul_f32", "v_cndmask_b32", "v_accvgpr_mov_b32"};
    return std::find(names.begin(), names.end(), mnemonic) != names.end();
}

}  // namespace

std::uint32_t gcn_bytes(std::string_view mnemonic, const std::vector<std::string_view>& operands) {
    constexpr std::uint32_t word = 4;
    for (const std::string_view encoding : {"_e64", "_sdwa", "_dpp", "_dpp8"})
        if (mnemonic.ends_with(encoding)) return 2 * word;
    const std::uint32_t with_literal =
        std::any_of(operands.begin(), operands.end(), is_literal) ? 2 * word : word;
    if (mnemonic.starts_with("v_"))
        return mnemonic.ends_with("_e32") || is_short_without_encoding(mnemonic) ? with_literal : 2 * word;
    if (!mnemonic.starts_with("s_")) return 2 * word;
    for (const std::string_view memory :
         {"s_load", "s_store", "s_buffer", "s_scratch", "s_atomic", "s_memtime", "s_memrealtime", "s_dcache",
          "s_atc", "s_prefetch", "s_setreg_imm32"})
        if (begins(mnemonic, memory)) return 2 * word;
    for (const std::string_view immediate :
         {"s_movk",    "s_addk",          "s_mulk",    "s_cmpk",      "s_cmovk",      "s_getreg",
          "s_setreg",  "s_call",          "s_cbranch", "s_branch",    "s_waitcnt",    "s_nop",
          "s_sleep",   "s_setprio",       "s_sendmsg", "s_sethalt",   "s_trap",       "s_endpgm",
          "s_barrier", "s_inst_prefetch", "s_clause",  "s_delay_alu", "s_set_gpr_idx"})
        if (begins(mnemonic, immediate)) return word;
    return with_literal;
}

bool gcn_keeps_scc(std::string_view mnemonic) {
    if (!mnemonic.starts_with("s_")) return true;
    constexpr std::array<std::string_view, 12> kept = {"s_mov",  "s_movk",        "s_cmov",    "s_cmovk",
                                                       "s_mul",  "s_mulk",        "s_nop",     "s_waitcnt",
                                                       "s_load", "s_buffer_load", "s_cselect", "s_barrier"};
    return std::any_of(kept.begin(), kept.end(),
                       [&](std::string_view name) { return begins(mnemonic, name); });
}

}  // namespace warpnet::netgen
