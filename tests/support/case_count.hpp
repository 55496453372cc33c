#pragma once

#include <cstdint>
#include <cstdlib>

namespace warpnet::testing {

/// Whether this build has a sanitizer of memory or threads: GCC defines a macro, clang a feature.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool sanitized = true;
#elif defined(__has_feature)
constexpr bool sanitized = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
constexpr bool sanitized = false;
#endif

/// The factor on the number of random cases: `WARPNET_CASES` of the environment, else 1. Nightly runs use it.
inline std::uint64_t case_factor() {
    const char* const factor = std::getenv("WARPNET_CASES");
    return factor == nullptr ? 1 : std::strtoull(factor, nullptr, 10);
}

/// The number of random cases of a test. Sanitizers get a sixteenth of them, because each case takes ten
/// times as long and memory is what they check.
inline std::uint64_t case_count(std::uint64_t optimised) {
    return case_factor() * (sanitized ? optimised / 16 : optimised);
}

/// The number of cases that must be of the kind that a test is about. Sanitizers run too few cases for such a
/// demand: their kinds are a matter of luck.
constexpr std::uint64_t least_count(std::uint64_t optimised) { return sanitized ? 0 : optimised; }

}  // namespace warpnet::testing
