// Machine opcodes as PTX opcodes. A sorted table has the counterpart of each opcode. Accesses are found by
// their width, since one machine opcode has as many counterparts as widths.
//
// The counterpart stands for the class and the traffic of an instruction, not for its result. The reader of
// SASS records no registers, so results are never computed, and a counterpart may differ in its arithmetic. A
// modifier outside the list is reported and does not make the opcode unknown, because most modifiers change
// rounding or caching alone. Look-ups are O(log table) and need no memory. The compiler checks that the
// tables are sorted.

#include "netgen/code/sass/opcodes.hpp"

#include "netgen/code/ptx/text/names.hpp"
#include "netgen/code/ptx/text/opcodes.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace warpnet::netgen {

namespace {

using Entry = std::pair<std::string_view, std::string_view>;

// Sorted. Names: CUDA Binary Utilities, instruction set references of Kepler, Maxwell, Volta, Turing, Ampere,
// Hopper and Blackwell. netgen/code/ptx/text/opcodes.cpp has the traffic of the counterparts.
constexpr auto table = std::to_array<Entry>({
    Entry{"ACQBULK", "membar.gl"},
    Entry{"ACQSHMINIT", "membar.cta"},
    Entry{"ARRIVES", "mbarrier.arrive.shared.b64"},
    Entry{"B2R", "mov.u32"},
    Entry{"BAR", "bar.sync"},
    Entry{"BARRIER", "barrier.sync"},
    Entry{"BFE", "bfe.u32"},
    Entry{"BFI", "bfi.b32"},
    Entry{"BGMMA", "wgmma.mma_async.sync"},
    Entry{"BMMA", "mma.sync.b1"},
    Entry{"BMOV", "mov.u32"},
    Entry{"BMSK", "bmsk.clamp.b32"},
    Entry{"BPT", "brkpt"},
    Entry{"BRA", "bra"},
    Entry{"BREAK", "mov.u32"},
    Entry{"BREV", "brev.b32"},
    Entry{"BRK", "bra"},
    Entry{"BRX", "brx"},
    Entry{"BRXU", "brx"},
    Entry{"BSSY", "mov.u32"},
    Entry{"BSYNC", "mov.u32"},
    Entry{"CAL", "call"},
    Entry{"CALL", "call"},
    Entry{"CCTL", "membar.gl"},
    Entry{"CCTLL", "membar.gl"},
    Entry{"CCTLT", "membar.gl"},
    Entry{"CGAERRBAR", "membar.gl"},
    Entry{"CONT", "bra"},
    Entry{"CREDUX", "redux.sync.add.s32"},
    Entry{"CS2R", "mov.u32"},
    Entry{"CS2UR", "mov.u32"},
    Entry{"CSET", "set.lt.s32"},
    Entry{"CSETP", "setp.lt.s32"},
    Entry{"DADD", "add.f64"},
    Entry{"DEPBAR", "membar.cta"},
    Entry{"DFMA", "fma.rn.f64"},
    Entry{"DMMA", "mma.sync.f64"},
    Entry{"DMNMX", "min.f64"},
    Entry{"DMUL", "mul.f64"},
    Entry{"DSET", "set.lt.f64"},
    Entry{"DSETP", "setp.lt.f64"},
    Entry{"ELECT", "elect.sync"},
    Entry{"ENDCOLLECTIVE", "bar.warp.sync"},
    Entry{"ERRBAR", "membar.gl"},
    Entry{"EXIT", "exit"},
    Entry{"F2F", "cvt.f32.f16"},
    Entry{"F2FP", "cvt.rn.f16x2.f32"},
    Entry{"F2I", "cvt.s32.f32"},
    Entry{"F2IP", "cvt.s32.f32"},
    Entry{"FADD", "add.f32"},
    Entry{"FADD2", "add.f32x2"},
    Entry{"FADD32I", "add.f32"},
    Entry{"FCHK", "testp.finite.f32"},
    Entry{"FCMP", "slct.f32.f32"},
    Entry{"FENCE", "membar.gl"},
    Entry{"FFMA", "fma.rn.f32"},
    Entry{"FFMA2", "fma.rn.f32x2"},
    Entry{"FFMA32I", "fma.rn.f32"},
    Entry{"FLO", "bfind.u32"},
    Entry{"FMNMX", "min.f32"},
    Entry{"FMNMX3", "min.f32"},
    Entry{"FMUL", "mul.f32"},
    Entry{"FMUL2", "mul.f32x2"},
    Entry{"FMUL32I", "mul.f32"},
    Entry{"FRND", "cvt.rni.f32.f32"},
    Entry{"FSEL", "selp.f32"},
    Entry{"FSET", "set.lt.f32"},
    Entry{"FSETP", "setp.lt.f32"},
    Entry{"FSWZADD", "add.f32"},
    Entry{"GETLMEMBASE", "mov.u32"},
    Entry{"HADD2", "add.f16x2"},
    Entry{"HADD2_32I", "add.f16x2"},
    Entry{"HFMA2", "fma.rn.f16x2"},
    Entry{"HFMA2_32I", "fma.rn.f16x2"},
    Entry{"HGMMA", "wgmma.mma_async.sync"},
    Entry{"HMMA", "mma.sync.f16"},
    Entry{"HMNMX2", "min.f16x2"},
    Entry{"HMUL2", "mul.f16x2"},
    Entry{"HMUL2_32I", "mul.f16x2"},
    Entry{"HSET2", "set.lt.f16x2"},
    Entry{"HSETP2", "setp.lt.f16x2"},
    Entry{"I2F", "cvt.f32.s32"},
    Entry{"I2FP", "cvt.f32.s32"},
    Entry{"I2I", "cvt.s32.s16"},
    Entry{"I2IP", "cvt.s32.s16"},
    Entry{"IABS", "abs.s32"},
    Entry{"IADD", "add.s32"},
    Entry{"IADD3", "add.s32"},
    Entry{"IADD32I", "add.s32"},
    Entry{"ICMP", "slct.s32.s32"},
    Entry{"IDE", "mov.u32"},
    Entry{"IDP", "dp4a.s32.s32"},
    Entry{"IGMMA", "wgmma.mma_async.sync"},
    Entry{"IMAD", "mad.lo.s32"},
    Entry{"IMAD32I", "mad.lo.s32"},
    Entry{"IMADSP", "mad.lo.s32"},
    Entry{"IMMA", "mma.sync.s32"},
    Entry{"IMNMX", "min.s32"},
    Entry{"IMNMX3", "min.s32"},
    Entry{"IMUL", "mul.lo.s32"},
    Entry{"IMUL32I", "mul.lo.s32"},
    Entry{"ISAD", "sad.s32"},
    Entry{"ISCADD", "add.s32"},
    Entry{"ISET", "set.lt.s32"},
    Entry{"ISETP", "setp.lt.s32"},
    Entry{"JCAL", "call"},
    Entry{"JMP", "bra"},
    Entry{"JMX", "brx"},
    Entry{"JMXU", "brx"},
    Entry{"KIL", "trap"},
    Entry{"KILL", "trap"},
    Entry{"LDCU", "ld.const.f32"},
    Entry{"LDGDEPBAR", "membar.cta"},
    Entry{"LDGSTS", "cp.async.ca.shared.global"},
    Entry{"LDT", "tcgen05.ld.sync.aligned"},
    Entry{"LDTM", "tcgen05.ld.sync.aligned"},
    Entry{"LEA", "add.s32"},
    Entry{"LEPC", "mov.u32"},
    Entry{"LONGJMP", "bra"},
    Entry{"LOP", "and.b32"},
    Entry{"LOP3", "lop3.b32"},
    Entry{"LOP32I", "and.b32"},
    Entry{"MATCH", "match.any.sync.b32"},
    Entry{"MEMBAR", "membar.gl"},
    Entry{"MOV", "mov.u32"},
    Entry{"MOV32I", "mov.u32"},
    Entry{"MOVM", "movmatrix.sync"},
    Entry{"MUFU", "rcp.approx.f32"},
    Entry{"NANOSLEEP", "nanosleep.u32"},
    Entry{"NOP", "mov.u32"},
    Entry{"OMMA", "mma.sync.e2m1"},
    Entry{"P2R", "mov.u32"},
    Entry{"PBK", "mov.u32"},
    Entry{"PCNT", "mov.u32"},
    Entry{"PEXIT", "mov.u32"},
    Entry{"PLONGJMP", "mov.u32"},
    Entry{"PLOP3", "and.pred"},
    Entry{"PMTRIG", "pmevent"},
    Entry{"POPC", "popc.b32"},
    Entry{"PREEXIT", "griddepcontrol.launch_dependents"},
    Entry{"PRET", "mov.u32"},
    Entry{"PRMT", "prmt.b32"},
    Entry{"PSET", "and.pred"},
    Entry{"PSETP", "setp.lt.s32"},
    Entry{"QGMMA", "wgmma.mma_async.sync"},
    Entry{"QMMA", "mma.sync.e4m3"},
    Entry{"QSPC", "isspacep.global"},
    Entry{"R2B", "mov.u32"},
    Entry{"R2P", "mov.u32"},
    Entry{"R2UR", "mov.u32"},
    Entry{"RAM", "mov.u32"},
    Entry{"REDAS", "red.async.shared::cluster.add.u32"},
    Entry{"REDUX", "redux.sync.add.s32"},
    Entry{"RET", "ret"},
    Entry{"RPCMOV", "mov.u32"},
    Entry{"RRO", "mov.u32"},
    Entry{"RTT", "ret"},
    Entry{"S2R", "mov.u32"},
    Entry{"S2UR", "mov.u32"},
    Entry{"SAM", "mov.u32"},
    Entry{"SEL", "selp.b32"},
    Entry{"SETCTAID", "mov.u32"},
    Entry{"SETLMEMBASE", "mov.u32"},
    Entry{"SGXT", "shr.s32"},
    Entry{"SHF", "shf.l.wrap.b32"},
    Entry{"SHFL", "shfl.sync.idx.b32"},
    Entry{"SHL", "shl.b32"},
    Entry{"SHR", "shr.s32"},
    Entry{"SSY", "mov.u32"},
    Entry{"STAS", "st.async.shared::cluster.b32"},
    Entry{"STT", "tcgen05.st.sync.aligned"},
    Entry{"STTM", "tcgen05.st.sync.aligned"},
    Entry{"SYNC", "bra"},
    Entry{"SYNCS", "mbarrier.arrive.shared.b64"},
    Entry{"TEX", "tex.2d.v4.f32.f32"},
    Entry{"TEXDEPBAR", "membar.cta"},
    Entry{"TEXS", "tex.2d.v4.f32.f32"},
    Entry{"TLD", "tex.2d.v4.f32.f32"},
    Entry{"TLD4", "tld4.r.2d.v4.f32.f32"},
    Entry{"TLD4S", "tld4.r.2d.v4.f32.f32"},
    Entry{"TLDS", "tex.2d.v4.f32.f32"},
    Entry{"TMML", "txq.width.b32"},
    Entry{"TXD", "tex.grad.2d.v4.f32.f32"},
    Entry{"TXQ", "txq.width.b32"},
    Entry{"UBLKPF", "cp.async.bulk.prefetch.L2.global"},
    Entry{"UBLKRED", "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32"},
    Entry{"UBMSK", "bmsk.clamp.b32"},
    Entry{"UBREV", "brev.b32"},
    Entry{"UCGABAR_ARV", "barrier.cluster.arrive"},
    Entry{"UCGABAR_WAIT", "barrier.cluster.wait"},
    Entry{"UCLEA", "add.s32"},
    Entry{"UF2F", "cvt.f32.f16"},
    Entry{"UF2FP", "cvt.rn.f16x2.f32"},
    Entry{"UF2I", "cvt.s32.f32"},
    Entry{"UF2IP", "cvt.s32.f32"},
    Entry{"UFADD", "add.f32"},
    Entry{"UFFMA", "fma.rn.f32"},
    Entry{"UFLO", "bfind.u32"},
    Entry{"UFMNMX", "min.f32"},
    Entry{"UFMUL", "mul.f32"},
    Entry{"UFRND", "cvt.rni.f32.f32"},
    Entry{"UFSEL", "selp.f32"},
    Entry{"UFSET", "set.lt.f32"},
    Entry{"UFSETP", "setp.lt.f32"},
    Entry{"UGETNEXTWORKID", "clusterlaunchcontrol.try_cancel"},
    Entry{"UI2F", "cvt.f32.s32"},
    Entry{"UI2FP", "cvt.f32.s32"},
    Entry{"UI2I", "cvt.s32.s16"},
    Entry{"UI2IP", "cvt.s32.s16"},
    Entry{"UIABS", "abs.s32"},
    Entry{"UIADD3", "add.s32"},
    Entry{"UIMAD", "mad.lo.s32"},
    Entry{"UIMNMX", "min.s32"},
    Entry{"UISETP", "setp.lt.s32"},
    Entry{"ULDC", "mov.u32"},
    Entry{"ULEA", "add.s32"},
    Entry{"ULEPC", "mov.u32"},
    Entry{"ULOP", "and.b32"},
    Entry{"ULOP3", "lop3.b32"},
    Entry{"ULOP32I", "and.b32"},
    Entry{"UMEMSETS", "st.bulk.weak.shared::cta"},
    Entry{"UMOV", "mov.u32"},
    Entry{"UMOV32I", "mov.u32"},
    Entry{"UP2UR", "mov.u32"},
    Entry{"UPLOP3", "and.pred"},
    Entry{"UPOPC", "popc.b32"},
    Entry{"UPRMT", "prmt.b32"},
    Entry{"UPSETP", "setp.lt.s32"},
    Entry{"UR2UP", "mov.u32"},
    Entry{"USEL", "selp.b32"},
    Entry{"USETMAXREG", "setmaxnreg.inc.sync.aligned.u32"},
    Entry{"USGXT", "shr.s32"},
    Entry{"USHF", "shf.l.wrap.b32"},
    Entry{"USHL", "shl.b32"},
    Entry{"USHR", "shr.s32"},
    Entry{"UTCATOMSWS", "tcgen05.alloc"},
    Entry{"UTCBAR", "tcgen05.commit"},
    Entry{"UTCCP", "tcgen05.cp"},
    Entry{"UTCHMMA", "tcgen05.mma"},
    Entry{"UTCIMMA", "tcgen05.mma"},
    Entry{"UTCMXQMMA", "tcgen05.mma"},
    Entry{"UTCOMMA", "tcgen05.mma"},
    Entry{"UTCQMMA", "tcgen05.mma"},
    Entry{"UTCSHIFT", "tcgen05.shift"},
    Entry{"UTMACCTL", "membar.gl"},
    Entry{"UTMACMDFLUSH", "cp.async.bulk.commit_group"},
    Entry{"UTMALDG", "cp.async.bulk.tensor.2d.shared::cluster.global"},
    Entry{"UTMAPF", "cp.async.bulk.prefetch.tensor.2d.L2.global"},
    Entry{"UTMAREDG", "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add"},
    Entry{"UTMASTG", "cp.async.bulk.tensor.2d.global.shared::cta"},
    Entry{"UVIADD", "add.s32"},
    Entry{"UVIMNMX", "min.s32"},
    Entry{"UVIRTCOUNT", "mov.u32"},
    Entry{"VABSDIFF", "vabsdiff.s32.s32.s32"},
    Entry{"VABSDIFF4", "vabsdiff4.u32.u32.u32"},
    Entry{"VADD", "vadd.s32.s32.s32"},
    Entry{"VHMNMX", "min.f16x2"},
    Entry{"VIADD", "add.s32"},
    Entry{"VIADDMNMX", "min.s32"},
    Entry{"VIMNMX", "min.s32"},
    Entry{"VIMNMX3", "min.s32"},
    Entry{"VMAD", "vmad.s32.s32.s32"},
    Entry{"VMNMX", "vmin.s32.s32.s32"},
    Entry{"VOTE", "vote.sync.any.pred"},
    Entry{"VOTEU", "vote.sync.any.pred"},
    Entry{"VSET", "vset.s32.s32.lt"},
    Entry{"VSHL", "vshl.u32.u32.u32"},
    Entry{"VSHR", "vshr.u32.u32.u32"},
    Entry{"WARPGROUP", "wgmma.fence.sync.aligned"},
    Entry{"WARPGROUPSET", "wgmma.fence.sync.aligned"},
    Entry{"WARPSYNC", "bar.warp.sync"},
    Entry{"XMAD", "mad.lo.s32"},
    Entry{"YIELD", "mov.u32"},
});
static_assert(std::is_sorted(table.begin(), table.end(),
                             [](const Entry& a, const Entry& b) { return a.first < b.first; }));

// Shapes of matrices (64x128x16) are matched by form.
constexpr SortedWords sass_modifiers(
    "128 16 168128 16816 168256 16832 1684 16864 1688 1D 1D_ARRAY 1X 2 256 2A 2CTA 2D 2D_ARRAY 2X 3 32 3D 4 "
    "4A 4D 4X 5D 64 88128 8816 8832 884 A A0T1 A0TR A0TX A1T0 A1TR A1TX ABS ACC ACCESS ACQ ACQUIRE ACQ_REL "
    "ADD ADDR ALIGN ALL ALLOC AND ANY AOFFI ARRIVE ART0 ARV ASYNC ASYNC_GLOBAL B B0 B1 B2 B3 B4E B64 BA BF "
    "BF16 BF16_V2 BFLY BLOCK16 BLOCK32 BREV BROADCAST BYPASS C CAS CAS64 CAST CBCC CEIL CG CHI CI CLEAR CLO "
    "CLUSTER COLLECTIVE CONSTANT CONV COS CS CSFU CTA CTAPOOL CTXSW CV CVT64 D D2 D4 DC DEALLOC DEC DEEP "
    "DEFER_BLOCKING DEPBAR DIV DIVIDE DOWN DSMEM E E2M1 E2M3 E3M2 E4M3 E5M2 EF EFP EL ENL2 EQ EU EX EX2 EXCH "
    "EXCLUSIVE F16 F16_V2 F16x2 F32 F4E F64 F8 FILL FIND_AND_SET FLOOR FMZ FTZ G GATHER4 GE GEU GL GMC GPU "
    "GT GTU H0 H0_H0 H1 H1_H1 HI IADD IDX IGN IGNORE_OOB IL IM2COL IM2COL_W INC INVALIDATE IS ISL IV IVALL "
    "IVALLD IVALLP KEEP KEEPREFCOUNT L L2 LB LDCU LDGSTSBAR LE LEU LG2 LL LMT LO LOCK LS LT LTC LTC128B "
    "LTC256B LTC64B LTU LU LUT LZ M168 M816 M88 MASK MAX MERGE_C MIN MMA MMIO MOV MRG MRG_16H MS MT1616 "
    "MT168 MT88 MULTICAST MX NA NAN NDV NE NEU NODEC NODEP NOFTZ NOINC NOOP NO_ATEXIT NTZ NUM NZ OOB OPTOUT "
    "OR P PACK16 PACK_AB PACK_AB_MERGE_C PACK_B PAIR PARITY PASS_B PER_BYTE PF PF1 PF2 PHASECHK PML1 PML1_5 "
    "PML2 PO POPC PQUAD PREEMPTED PREFETCH PRIVATE PSL QRY QUAD R RC16 RC8 RCP RCP64H RECONVERGENT RED REL "
    "RELEASE RELIABLE RELU RESULT RG RGBA RM RML2 RN ROUND RP RS RSLB RSQ RSQ64H RZ S S16 S32 S4 S64 S8 SAT "
    "SATFINITE SC SCATTER4 SCR SELFCAST SEXT SF SFT SH SHL SIN SINCOS SM SP SPIN SQRT STEP0 STEP1 STEP2 "
    "STEP3 STRONG SUM SX32 SYNC SYNCS SYS T T16 TANH TF32 TILE TILE_GATHER4 TILE_SCATTER4 TRANS64 TRAP TRUNC "
    "TRYWAIT TRY_ALLOC U U16 U32 U4 U4TO8 U4x16P64TO8 U64 U6TO8 U6x16P32TO8 U8 UD UE4M3 UE8M0 UNLOCK "
    "UNPACK16 UNPACK_B UP VC VIEW W WARP WB WEAK WIDE WIDEN WT X X16 XHI XLO XOR XORSIGN Z ZFILL tnspA tnspB "
    "x1 x128 x16 x2 x32 x4 x64 x8");

// 64x128x16, 32dp32bit, 4x32dp128bit.
bool is_sass_shape(std::string_view part) {
    const std::size_t x = part.find('x');
    const bool product = x != std::string_view::npos && x > 0 && x + 1 < part.size() &&
                         part.find_first_not_of("0123456789x") == std::string_view::npos;
    const bool lanes = part.front() >= '0' && part.front() <= '9' && part.ends_with("bit") &&
                       part.find_first_not_of("0123456789xdpbit") == std::string_view::npos;
    return product || lanes;
}

// Accesses by width: 8, 16, 32, 64, 128 and 256 bits. The narrow atomics are packed halves.
struct Widths {
    std::string_view base;
    std::array<std::string_view, 6> of;
};
constexpr std::array accesses = {
    Widths{"ATOM", {"atom.add.u32", "atom.add.u32", "atom.add.u32", "atom.add.u64", "atom.cas.b128", ""}},
    Widths{"ATOMG",
           {"atom.global.add.u32", "atom.global.add.u32", "atom.global.add.u32", "atom.global.add.u64",
            "atom.global.cas.b128", ""}},
    Widths{"ATOMS",
           {"atom.shared.add.u32", "atom.shared.add.u32", "atom.shared.add.u32", "atom.shared.add.u64",
            "atom.shared.cas.b128", ""}},
    Widths{"LD", {"ld.u8", "ld.u16", "ld.f32", "ld.v2.f32", "ld.v4.f32", "ld.v8.f32"}},
    Widths{"LDC", {"ld.const.u8", "ld.const.u16", "ld.const.f32", "ld.const.v2.f32", "ld.const.v4.f32", ""}},
    Widths{"LDG",
           {"ld.global.u8", "ld.global.u16", "ld.global.f32", "ld.global.v2.f32", "ld.global.v4.f32",
            "ld.global.v8.f32"}},
    Widths{"LDGMC",
           {"multimem.ld_reduce.global.add.f16", "multimem.ld_reduce.global.add.f16",
            "multimem.ld_reduce.global.add.f32", "multimem.ld_reduce.global.add.v2.f32",
            "multimem.ld_reduce.global.add.v4.f32", ""}},
    Widths{"LDL", {"ld.local.u8", "ld.local.u16", "ld.local.f32", "ld.local.v2.f32", "ld.local.v4.f32", ""}},
    Widths{"LDS",
           {"ld.shared.u8", "ld.shared.u16", "ld.shared.f32", "ld.shared.v2.f32", "ld.shared.v4.f32", ""}},
    Widths{
        "LDU",
        {"ldu.global.u8", "ldu.global.u16", "ldu.global.f32", "ldu.global.v2.f32", "ldu.global.v4.f32", ""}},
    Widths{"RED",
           {"red.global.add.u32", "red.global.add.u32", "red.global.add.u32", "red.global.add.u64",
            "red.global.add.v4.f32", ""}},
    Widths{"REDG",
           {"red.global.add.u32", "red.global.add.u32", "red.global.add.u32", "red.global.add.u64",
            "red.global.add.v4.f32", ""}},
    Widths{"ST", {"st.u8", "st.u16", "st.f32", "st.v2.f32", "st.v4.f32", "st.v8.f32"}},
    Widths{"STG",
           {"st.global.u8", "st.global.u16", "st.global.f32", "st.global.v2.f32", "st.global.v4.f32",
            "st.global.v8.f32"}},
    Widths{"STL", {"st.local.u8", "st.local.u16", "st.local.f32", "st.local.v2.f32", "st.local.v4.f32", ""}},
    Widths{"STS",
           {"st.shared.u8", "st.shared.u16", "st.shared.f32", "st.shared.v2.f32", "st.shared.v4.f32", ""}},
    Widths{"SUATOM",
           {"sured.b.add.2d.u32", "sured.b.add.2d.u32", "sured.b.add.2d.u32", "sured.b.add.2d.u64", "", ""}},
    Widths{"SULD",
           {"suld.b.2d.b8.trap", "suld.b.2d.b16.trap", "suld.b.2d.b32.trap", "suld.b.2d.v2.b32.trap",
            "suld.b.2d.v4.b32.trap", ""}},
    Widths{"SURED",
           {"sured.b.add.2d.u32", "sured.b.add.2d.u32", "sured.b.add.2d.u32", "sured.b.add.2d.u64", "", ""}},
    Widths{"SUST",
           {"sust.b.2d.b8.trap", "sust.b.2d.b16.trap", "sust.b.2d.b32.trap", "sust.b.2d.v2.b32.trap",
            "sust.b.2d.v4.b32.trap", ""}},
    Widths{"UREDGR",
           {"red.global.add.u32", "red.global.add.u32", "red.global.add.u32", "red.global.add.u64",
            "red.global.add.v4.f32", ""}},
    Widths{"USTGR",
           {"st.global.u8", "st.global.u16", "st.global.f32", "st.global.v2.f32", "st.global.v4.f32", ""}},
};

/// Bits of "S64", "F16x4", "BF16_V2", "64"; 0 if it is no type.
int type_bits(std::string_view part) {
    for (const std::string_view kind : {"BF", "F", "U", "S", "B"}) {
        if (!part.starts_with(kind)) continue;
        part.remove_prefix(kind.size());
        break;
    }
    int bits = 1;
    bool vector = false;
    while (!part.empty()) {
        if (vector && !part.starts_with('x') && !part.starts_with("_V")) return 0;
        if (vector) part.remove_prefix(part.starts_with('x') ? 1 : 2);
        int number = 0;
        const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), number);
        constexpr std::array widths = {8, 16, 32, 64, 128};
        const bool width = std::find(widths.begin(), widths.end(), number) != widths.end();
        if (error != std::errc() || (vector ? number < 2 || number > 8 : !width)) return 0;
        bits *= number;
        if (bits > 128) return 0;
        part.remove_prefix(static_cast<std::size_t>(end - part.data()));
        vector = true;
    }
    return vector ? bits : 0;
}

/// The index of an atomic in Widths::of: the widest of its types counts.
std::size_t width_of_atomic(std::string_view opcode) {
    int bits = 0;
    any_ptx_part(opcode, [&](std::string_view part) {
        bits = std::max(bits, type_bits(part));
        return false;
    });
    return bits > 64 ? 4 : bits > 32 ? 3 : 2;
}

/// The index of an access in Widths::of.
std::size_t width_of(std::string_view opcode) {
    for (const std::string_view atomic : {"ATOM", "LDGMC", "RED", "SUATOM", "SURED", "UREDGR"})
        if (opcode.starts_with(atomic)) return width_of_atomic(opcode);
    // Formatted surfaces: four bytes of each channel.
    if (opcode.starts_with("SU") && has_ptx_part(opcode, "RGBA")) return 4;
    if (opcode.starts_with("SU") && has_ptx_part(opcode, "RG")) return 3;
    if (has_ptx_part(opcode, "256")) return 5;
    if (has_ptx_part(opcode, "128")) return 4;
    if (has_ptx_part(opcode, "64") || has_ptx_part(opcode, "F64")) return 3;
    if (has_ptx_part(opcode, "U16") || has_ptx_part(opcode, "S16")) return 1;
    if (has_ptx_part(opcode, "U8") || has_ptx_part(opcode, "S8")) return 0;
    return 2;
}

/// The number in the last part for matrices of 8x8 halves: 1, 2 or 4. For 16x16 bytes: 1 or 2.
std::string_view matrices(std::string_view opcode, bool load) {
    if (load && has_ptx_part(opcode, "MT1616"))
        return has_ptx_part(opcode, "2") ? "ldmatrix.sync.aligned.m16n16.x2.trans.shared.b8"
                                         : "ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8";
    if (has_ptx_part(opcode, "4"))
        return load ? "ldmatrix.sync.aligned.m8n8.x4.shared.b16" : "stmatrix.sync.aligned.m8n8.x4.shared.b16";
    if (has_ptx_part(opcode, "2"))
        return load ? "ldmatrix.sync.aligned.m8n8.x2.shared.b16" : "stmatrix.sync.aligned.m8n8.x2.shared.b16";
    return load ? "ldmatrix.sync.aligned.m8n8.x1.shared.b16" : "stmatrix.sync.aligned.m8n8.x1.shared.b16";
}

/// UBLKCP.S.G: to shared from global memory.
std::string_view bulk_copy(std::string_view opcode) {
    const std::size_t shared = opcode.find(".S");
    const std::size_t global = opcode.find(".G");
    if (global == std::string_view::npos)
        return "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes";
    return shared < global ? "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
                           : "cp.async.bulk.global.shared::cta.bulk_group";
}

/// Conversions whose rate depends on their types.
std::string_view conversion(std::string_view base, std::string_view opcode) {
    const bool wide =
        has_ptx_part(opcode, "F64") || has_ptx_part(opcode, "S64") || has_ptx_part(opcode, "U64");
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
    if (base == "IMAD" && has_ptx_part(opcode, "MOV")) return "mov.u32";
    if (base == "IMAD" && has_ptx_part(opcode, "SHL")) return "shl.b32";
    if (base == "IMAD" && has_ptx_part(opcode, "IADD")) return "add.s32";
    if (base == "LDSM" || base == "STSM") return matrices(opcode, base == "LDSM");
    if (base == "UBLKCP") return bulk_copy(opcode);
    if (base == "BPT" && has_ptx_part(opcode, "TRAP")) return "trap";
    for (const Widths& access : accesses)
        if (access.base == base) return access.of[width_of(opcode)];
    if (const std::string_view converted = conversion(base, opcode); !converted.empty()) return converted;
    if (base == "MUFU" && (has_ptx_part(opcode, "RCP64H") || has_ptx_part(opcode, "RSQ64H")))
        return "rcp.approx.f32";
    const auto found =
        std::lower_bound(table.begin(), table.end(), base,
                         [](const Entry& entry, std::string_view name) { return entry.first < name; });
    return found != table.end() && found->first == base ? found->second : std::string_view();
}

std::vector<std::string_view> unknown_sass_modifiers(std::string_view opcode) {
    std::vector<std::string_view> unknown;
    any_ptx_part(opcode, [&](std::string_view part) {
        if (part.empty() || (!sass_modifiers.contains(part) && !is_sass_shape(part) && type_bits(part) == 0))
            unknown.push_back(part);
        return false;
    });
    return unknown;
}

std::int64_t sass_copy_bytes(std::string_view opcode) {
    if (!opcode.starts_with("LDGSTS")) return 0;
    return has_ptx_part(opcode, "128") ? 16 : has_ptx_part(opcode, "64") ? 8 : 4;
}

}  // namespace warpnet::netgen
