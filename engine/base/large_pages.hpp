#pragma once

#include <cstddef>
#include <cstdint>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace warpnet {

/// Asks the system to back the memory of a vector or string of many megabytes by large pages, before it is
/// written: one page fault for each 2 MB instead of 512, and fewer misses where it is read at random. Advice
/// that changes no result; does nothing for small ones and on systems other than Linux.
template <class Container>
void advise_large_pages([[maybe_unused]] Container& reserved) noexcept {
#ifdef MADV_HUGEPAGE
    constexpr std::uintptr_t page = 1U << 21U;
    const auto begin = reinterpret_cast<std::uintptr_t>(reserved.data());  // NOLINT
    const std::uintptr_t end = begin + reserved.capacity() * sizeof(typename Container::value_type);
    const std::uintptr_t first = (begin + page - 1) / page * page;
    const std::uintptr_t last = end / page * page;
    if (first < last) madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);  // NOLINT
#endif
}

}  // namespace warpnet
