#pragma once

#include <cstdint>

namespace warpnet::testing {

/// How many random cases a test tries: a quarter of them under sanitizers, where each takes ten times as long
/// and memory is what is judged.
constexpr std::uint64_t case_count(std::uint64_t optimised) {
#ifdef __SANITIZE_ADDRESS__
    return optimised / 4;
#else
    return optimised;
#endif
}

}  // namespace warpnet::testing
