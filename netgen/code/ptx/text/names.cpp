// The modifiers and special registers of PTX ISA 9.0, to find misspelt ones. Memory operations have their own
// list, so a modifier of arithmetic is unknown on a load. Names with numbers in them, such as the shapes of
// tiles and tensor memory, are matched by form. A list is one string of sorted words, and a binary search
// moves to the borders of words.

#include "netgen/code/ptx/text/names.hpp"

#include "netgen/code/ptx/text/opcodes.hpp"

namespace warpnet::netgen {

namespace {

constexpr SortedWords memory_modifiers(
    "1d 2d 2dms 3d 4d 5d L1 L1::evict_first L1::evict_last L1::evict_normal L1::evict_unchanged "
    "L1::no_allocate L2 L2::128B L2::256B L2::64B L2::cache_hint L2::evict_first L2::evict_last "
    "L2::evict_normal L2::evict_unchanged NaN a a1d a2d a2dms abs acc::f16 acc::f32 acq_rel acquire acube "
    "add addr_mode_0 addr_mode_1 addr_mode_2 aligned and array_size async b b1 b128 b16 b32 b4x16_p64 b64 "
    "b6x16_p32 b8 b8x16 base bf16 bf16x2 bulk bulk_group c ca cas cg channel_data_type channel_order clamp "
    "cluster col const cp cp_fenceproxy cp_mask cs cta cta_group::1 cta_group::2 cube cv d dec depth down "
    "e4m3 e4m3x2 e4m3x4 e5m2 e5m2x2 e5m2x4 exch f16 f16x2 f32 f64 filter_mode force_unnormalized_filtering g "
    "global gpu grad height ignore_oob im2col im2col::w im2col::w::128 im2col_no_offs inc ld ld_reduce level "
    "load local lu m16n16 m8n16 m8n8 max mbarrier::complete_tx::bytes memory_layout min mmio "
    "multicast::cluster nc noftz normalized_coords num_mipmap_levels num_samples or p pack::16b param "
    "param::entry param::func pred prefetch r red reduce relaxed release row s16 s32 s4 s64 s8 samplerref "
    "shared shared::cluster shared::cta shift st store surfref sync sys tensor tensormap tensormap::generic "
    "tf32 tile tile::gather4 tile::scatter4 trans trap u16 u32 u4 u64 u8 unified unpack::16b v2 v4 v8 "
    "volatile warpx2::01_23 warpx2::02_13 warpx4 wb weak width wt x1 x128 x16 x2 x32 x4 x64 x8 xor zero");

constexpr SortedWords other_modifiers(
    "L2 L2::evict_first L2::evict_last L2::evict_normal L2::evict_unchanged NaN abs acq_rel acquire add "
    "alias aligned all alloc and any approx arrive arrive_drop ashift async async::generic b1 b1024 b128 b16 "
    "b32 b4e b64 b8 ballot bf16 bf16x2 bfly block16 block32 block_scale box_dim bulk cc clamp cluster col "
    "collector::a::discard collector::a::fill collector::a::lastuse collector::a::use collector::b0::discard "
    "collector::b0::fill collector::b0::lastuse collector::b0::use collector::b1::discard "
    "collector::b1::fill collector::b1::lastuse collector::b1::use collector::b2::discard "
    "collector::b2::fill collector::b2::lastuse collector::b2::use collector::b3::discard "
    "collector::b3::fill collector::b3::lastuse collector::b3::use commit commit_group complete_tx const "
    "cp_fenceproxy cta cta_group::1 cta_group::2 cvt dealloc dec down e2m1 e2m1x2 e2m1x4 e2m3 e2m3x2 e2m3x4 "
    "e3m2 e3m2x2 e3m2x4 e4m3 e4m3x2 e4m3x4 e5m2 e5m2x2 e5m2x4 ecl ecr element_stride elemtype eq equ "
    "expect_tx f16 f16x2 f32 f32x2 f4e f64 fence fence::after_thread_sync fence::before_thread_sync "
    "fill_mode finite fractional ftz full ge get_first_ctaid get_first_ctaid::x get_first_ctaid::y "
    "get_first_ctaid::z geu gl global global_address global_dim global_stride gpu gt gtu hi hs idx inc "
    "infinite init interleave_layout inval is_canceled kind::f16 kind::f8f6f4 kind::i8 kind::mxf4 "
    "kind::mxf4nvf4 kind::mxf8f6f4 kind::tf32 l launch_dependents le leu lo local ls lt ltu m8n8 mask max "
    "mbarrier mbarrier::arrive::one mbarrier::complete_tx::bytes mbarrier_init min mma mma_async "
    "multicast::cluster multicast::cluster::all nan ne neu noComplete noftz noinc normal notanumber num "
    "number oob op_restrict or pack param param::entry parity pending_count po popc pred proxy query_cancel "
    "r range rank rc16 rc8 read red relaxed release relinquish_alloc_permit relu replace rm rmi rn rna rni "
    "row rp rpi rs rz rzi s16 s16x2 s2f6x2 s32 s4 s64 s8 samplerref sat satfinite sc scale_vec::1X "
    "scale_vec::2X scale_vec::4X scaled::n2::ue8m0 shared shared::cluster shared::cta shiftamt shr15 shr7 sp "
    "sp::ordered_metadata subnormal surfref swizzle_atomicity swizzle_mode sync "
    "sync_restrict::shared::cluster sync_restrict::shared::cta sys tensormap tensormap::generic test_wait "
    "texref tf32 tile to trans try_cancel try_wait u16 u16x2 u32 u4 u64 u8 ue4m3 ue8m0 ue8m0x2 uni up v2 v4 "
    "v8 wait wait::ld wait::st wait_all wait_group warp wide wrap ws xor xorsign");

constexpr SortedWords special_registers(
    "%aggr_smem_size %clock %clock64 %clock_hi %cluster_ctaid %cluster_ctarank %cluster_nctaid "
    "%cluster_nctarank %clusterid %ctaid %current_graph_exec %dynamic_smem_size %globaltimer %globaltimer_hi "
    "%globaltimer_lo %gridid %is_explicit_cluster %laneid %lanemask_eq %lanemask_ge %lanemask_gt "
    "%lanemask_le %lanemask_lt %nclusterid %nctaid %nsmid %ntid %nwarpid %reserved_smem_offset_0 "
    "%reserved_smem_offset_1 %reserved_smem_offset_begin %reserved_smem_offset_cap %reserved_smem_offset_end "
    "%smid %tid %total_smem_size %warpid");

constexpr std::string_view decimal_digits = "0123456789";

// m16n16k16, 32x32b, 16x32bx2, 128x256b.
bool is_shape(std::string_view part) {
    if (part.empty() || part.find_first_of(decimal_digits) == std::string_view::npos) return false;
    if (part.starts_with('m'))
        return part.find('n') != std::string_view::npos &&
               part.find_first_not_of("0123456789mnk") == std::string_view::npos;
    return part.front() >= '0' && part.front() <= '9' && part.find('x') != std::string_view::npos &&
           part.find('b') != std::string_view::npos &&
           part.find_first_not_of("0123456789xb") == std::string_view::npos;
}

}  // namespace

bool SortedWords::contains(std::string_view word) const {
    std::size_t first = 0;
    std::size_t last = words_.size();  // the word begins in [first, last), if it is in the list
    while (first < last) {
        const std::size_t middle = first + (last - first) / 2;
        const std::size_t space = words_.substr(first, middle - first).rfind(' ');
        const std::size_t begin = space == std::string_view::npos ? first : first + space + 1;
        const std::string_view own = word_at(begin);
        if (own == word) return true;
        if (own < word) {
            first = begin + own.size() + 1;
        } else {
            last = begin;
        }
    }
    return false;
}

std::vector<std::string_view> unknown_modifiers(std::string_view opcode) {
    std::vector<std::string_view> unknown;
    // The opcodes of waits for bulk copies have the same beginning as those of the copies.
    const bool memory = find_memory_row(opcode) != nullptr && ptx_class_of(opcode) != PtxClass::fence;
    any_ptx_part(opcode, [&](std::string_view part) {
        const bool known = memory ? memory_modifiers.contains(part) : other_modifiers.contains(part);
        if (!known && !is_shape(part)) unknown.push_back(part);
        return false;
    });
    return unknown;
}

bool is_ptx_special_register(std::string_view name) {
    if (name == "WARP_SZ" || special_registers.contains(name)) return true;
    // %envreg0 to %envreg31; %pm0 to %pm7, with _64 of 64 bits.
    std::string_view number;
    if (name.starts_with("%envreg")) number = name.substr(7);
    if (name.starts_with("%pm")) number = name.substr(3, name.ends_with("_64") ? name.size() - 6 : name.npos);
    return !number.empty() && number.size() <= 2 &&
           number.find_first_not_of(decimal_digits) == std::string_view::npos;
}

}  // namespace warpnet::netgen
