#pragma once

#include <cstdint>
#include <cstdlib>

// Of the sanitizers' libraries.
extern "C" {
__attribute__((weak)) void __asan_init();
__attribute__((weak)) void __tsan_init();
}

namespace warpnet::testing {

/// Whether the program was linked with a sanitizer of memory or threads. The tests themselves may have been
/// compiled without it, see WARPNET_COMPILED_TESTS.
inline bool sanitized() { return __asan_init != nullptr || __tsan_init != nullptr; }

/// The factor on the number of random cases: `WARPNET_CASES` of the environment, else 1. Nightly runs use it.
inline std::uint64_t case_factor() {
    const char* const factor = std::getenv("WARPNET_CASES");
    return factor == nullptr ? 1 : std::strtoull(factor, nullptr, 10);
}

/// The number of random cases of a test. Sanitizers get a sixteenth of them, because each case takes ten
/// times as long and memory is what they check.
inline std::uint64_t case_count(std::uint64_t optimised) {
    return case_factor() * (sanitized() ? optimised / 16 : optimised);
}

/// The number of cases that must be of the kind that a test is about. Sanitizers run too few cases for such a
/// demand: their kinds are a matter of luck.
inline std::uint64_t least_count(std::uint64_t optimised) { return sanitized() ? 0 : optimised; }

}  // namespace warpnet::testing
