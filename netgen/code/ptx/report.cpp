#include "netgen/code/ptx/report.hpp"

#include <algorithm>
#include <initializer_list>
#include <numeric>

namespace warpnet {

namespace {

std::int64_t sum(const PtxCounts& counts, std::initializer_list<PtxClass> classes) {
    std::int64_t result = 0;
    for (const PtxClass c : classes) result += counts[c];
    return result;
}

}  // namespace

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
    using enum PtxClass;
    return sum(*this, {branch, call, leave, skipped});
}

PtxMix PtxExecution::averages() const {
    if (mix) return *mix;
    PtxMix whole;
    for (std::size_t c = 0; c < ptx_class_count; ++c)
        whole.by_class[c] = static_cast<double>(counts.by_class[c]);
    using enum AccessKind;
    const auto as_double = [](std::int64_t number) { return static_cast<double>(number); };
    const auto count = [&](PtxClass c) { return as_double(counts[c]); };
    for (const AccessKind kind : access_kinds) whole.bytes[kind] = as_double(bytes[kind]);
    const ByAccess<double> plain = {count(PtxClass::global_load), count(PtxClass::global_store),
                                    count(PtxClass::shared_load), count(PtxClass::shared_store)};
    whole.requests = plain;
    whole.requests[global_load] += count(PtxClass::async_copy) + count(PtxClass::texture);
    whole.requests[global_store] += count(PtxClass::global_atomic);
    whole.requests[shared_load] += count(PtxClass::shared_atomic);
    for (const AccessKind kind : access_kinds) {
        // A warp moves 32 times the bytes of a thread: in sectors of 32 bytes, or in passes of 128.
        const double transactions = whole.bytes[kind] / (is_global(kind) ? 1 : 4);
        // Requests without a width count as those that have one.
        if (plain[kind] > 0)
            whole.transactions[kind] =
                std::max(transactions, plain[kind]) * (whole.requests[kind] / plain[kind]);
        if (is_global(kind)) whole.dense_sectors[kind] = whole.transactions[kind];
    }
    whole.dram_sectors = whole.transactions[global_load];
    whole.wide_conversions = static_cast<double>(wide_conversions);
    whole.integer_conversions = static_cast<double>(integer_conversions);
    return whole;
}

}  // namespace warpnet
