#pragma once

#include <cstdint>
#include <cstdlib>

namespace warpnet::testing {

/// Whether this is built with a sanitizer of memory or threads: GCC says so by a macro, clang by a feature.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool sanitized = true;
#elif defined(__has_feature)
constexpr bool sanitized = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
constexpr bool sanitized = false;
#endif

/// How many times as many random cases there are to be: `WARPNET_CASES` of the environment, else 1. For
/// nights.
inline std::uint64_t case_factor() {
    const char* const factor = std::getenv("WARPNET_CASES");
    return factor == nullptr ? 1 : std::strtoull(factor, nullptr, 10);
}

/// How many random cases a test tries: a sixteenth of them under sanitizers, where each takes ten times as
/// long and memory is what is judged.
inline std::uint64_t case_count(std::uint64_t optimised) {
    return case_factor() * (sanitized ? optimised / 16 : optimised);
}

/// How many of the cases must have been of the kind that a test is about. Nothing is asked of so few as there
/// are under sanitizers: which of them come is luck.
constexpr std::uint64_t least_count(std::uint64_t optimised) { return sanitized ? 0 : optimised; }

}  // namespace warpnet::testing
