#pragma once

#include <cstddef>

#include <malloc.h>

namespace warpnet::testing {

/// The memory that the allocator handed out and did not get back.
inline std::size_t allocated_bytes() {
    const auto info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

}  // namespace warpnet::testing
