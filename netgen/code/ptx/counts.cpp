#include "netgen/code/ptx/counts.hpp"

#include <algorithm>
#include <initializer_list>
#include <numeric>

namespace warpnet {

namespace {

constexpr std::array<std::string_view, ptx_class_count> names = {
    "float32",       "float16",      "double",      "special",      "integer",    "multiply",
    "divide",        "logic",        "shift",       "compare",      "move",       "convert",
    "global_load",   "global_store", "shared_load", "shared_store", "local_load", "local_store",
    "constant_load", "param_load",   "param_store", "texture",      "async_copy", "global_atomic",
    "shared_atomic", "shuffle",      "vote",        "tensor",       "barrier",    "warp_barrier",
    "fence",         "branch",       "call",        "leave",        "other",      "unknown"};

std::int64_t sum(const PtxCounts& counts, std::initializer_list<PtxClass> classes) {
    std::int64_t result = 0;
    for (const PtxClass c : classes) result += counts[c];
    return result;
}

}  // namespace

std::string_view to_string(PtxClass ptx_class) { return names[static_cast<std::size_t>(ptx_class)]; }

std::int64_t PtxCounts::total() const {
    return std::accumulate(by_class.begin(), by_class.end(), std::int64_t{0});
}

std::int64_t PtxCounts::arith() const {
    using enum PtxClass;
    return sum(*this,
               {float32, float16, integer, multiply, divide, logic, shift, compare, move, convert, vote});
}

std::int64_t PtxCounts::shared() const {
    using enum PtxClass;
    return sum(*this, {shared_load, shared_store, shared_atomic});
}

std::int64_t PtxCounts::global() const {
    using enum PtxClass;
    return sum(*this, {global_load, global_store, global_atomic, async_copy});
}

std::int64_t PtxCounts::local() const { return sum(*this, {PtxClass::local_load, PtxClass::local_store}); }

std::int64_t PtxCounts::constant() const {
    return sum(*this, {PtxClass::constant_load, PtxClass::param_load, PtxClass::param_store});
}

std::int64_t PtxCounts::barriers() const { return sum(*this, {PtxClass::barrier, PtxClass::warp_barrier}); }

std::int64_t PtxCounts::control() const {
    return sum(*this, {PtxClass::branch, PtxClass::call, PtxClass::leave});
}

PtxMix PtxExecution::averages() const {
    if (mix) return *mix;
    PtxMix whole;
    for (std::size_t c = 0; c < ptx_class_count; ++c)
        whole.by_class[c] = static_cast<double>(counts.by_class[c]);
    whole.bytes = {static_cast<double>(global_load_bytes), static_cast<double>(global_store_bytes),
                   static_cast<double>(shared_load_bytes), static_cast<double>(shared_store_bytes)};
    constexpr std::array classes = {PtxClass::global_load, PtxClass::global_store, PtxClass::shared_load,
                                    PtxClass::shared_store};
    for (std::size_t k = 0; k < classes.size(); ++k)  // passes are of 4 bytes a thread, sectors of one
        whole.transactions[k] = std::max(whole.bytes[k] / (k < 2 ? 1 : 4), whole[classes[k]]);
    whole.requests = {static_cast<double>(counts[PtxClass::global_load] + counts[PtxClass::async_copy] +
                                          counts[PtxClass::texture]),
                      static_cast<double>(counts[PtxClass::global_store] + counts[PtxClass::global_atomic]),
                      static_cast<double>(counts[PtxClass::shared_load] + counts[PtxClass::shared_atomic]),
                      static_cast<double>(counts[PtxClass::shared_store])};
    // Requests without a width count as those that have one.
    for (std::size_t k = 0; k < classes.size(); ++k)
        whole.transactions[k] *= whole[classes[k]] > 0 ? whole.requests[k] / whole[classes[k]] : 0;
    for (std::size_t k = 0; k < whole.dense_sectors.size(); ++k)
        whole.dense_sectors[k] = whole.transactions[k];
    whole.dram_sectors = whole.transactions[0];
    whole.wide_conversions = static_cast<double>(wide_conversions);
    whole.integer_conversions = static_cast<double>(integer_conversions);
    return whole;
}

std::optional<std::size_t> access_kind(PtxClass c) {
    switch (c) {
        case PtxClass::global_load:
            return 0;
        case PtxClass::global_store:
            return 1;
        case PtxClass::shared_load:
            return 2;
        case PtxClass::shared_store:
            return 3;
        default:
            return std::nullopt;
    }
}

}  // namespace warpnet
