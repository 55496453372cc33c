#pragma once

#include <cstddef>

namespace warpnet {

/// A number of words that the compiler knows, so that loops over them vanish.
template <std::size_t count>
struct FixedWords {
    constexpr std::size_t operator()() const noexcept { return count; }
};

/// The largest number of words that with_words() fixes.
inline constexpr std::size_t most_fixed_words = 4;

/// Any number of words.
struct AnyWords {
    std::size_t count;
    std::size_t operator()() const noexcept { return count; }
};

/// Calls work(words) with the fixed number where it is small.
template <class Work>
decltype(auto) with_words(std::size_t count, Work&& work) {
    switch (count) {
        case 1:
            return work(FixedWords<1>());
        case 2:
            return work(FixedWords<2>());
        case 3:
            return work(FixedWords<3>());
        case 4:
            return work(FixedWords<4>());
        default:
            return work(AnyWords{count});
    }
}

}  // namespace warpnet
