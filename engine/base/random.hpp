#pragma once

#include <cstdint>

namespace warpnet {

/// Bijective mixing of 64 bits (the output function of SplitMix64 [Steele14]).
constexpr std::uint64_t mix_bits(std::uint64_t x) noexcept {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

inline constexpr std::uint64_t golden_ratio_64 = 0x9e3779b97f4a7c15u;

/// A hash that depends on all bits of both arguments. It can be chained: hash_bits(hash_bits(seed, run),
/// step).
constexpr std::uint64_t hash_bits(std::uint64_t key, std::uint64_t value) noexcept {
    return mix_bits(mix_bits(key + golden_ratio_64) + (value + 1) * golden_ratio_64);
}

/// A number exactly uniform in [0, bound), bound >= 1, from uniform numbers of 32 bits returned by `next()`
/// [Lemire19].
template <class Next>
constexpr std::uint32_t uniform_below(std::uint32_t bound, Next&& next) noexcept {
    std::uint64_t product = std::uint64_t{next()} * bound;
    if (static_cast<std::uint32_t>(product) < bound) [[unlikely]] {
        const std::uint32_t threshold = static_cast<std::uint32_t>(-bound) % bound;
        while (static_cast<std::uint32_t>(product) < threshold) product = std::uint64_t{next()} * bound;
    }
    return static_cast<std::uint32_t>(product >> 32);
}

/// Counter-based random numbers. The n-th number is a function of (seed, stream, n) alone, so a run or search
/// chain draws the same numbers on any thread and in any order of execution. A number costs three
/// multiplications.
class CounterRandom {
  public:
    /// `stream` is the number of the run or chain. Different streams of one seed are independent for all
    /// purposes of this project.
    constexpr CounterRandom(std::uint64_t seed, std::uint64_t stream) noexcept
        : state_(hash_bits(seed, stream)) {}

    constexpr std::uint64_t next() noexcept { return mix_bits(state_ += golden_ratio_64); }

    /// Exactly uniform in [0, bound), bound >= 1.
    constexpr std::uint32_t below(std::uint32_t bound) noexcept {
        return uniform_below(bound, [this]() noexcept { return next() >> 32; });
    }

    /// Uniform in [0, 1), 53 bits.
    constexpr double uniform() noexcept { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

  private:
    std::uint64_t state_;
};

/// Two uniform draws out of each random number.
class HalfDraws {
  public:
    explicit HalfDraws(CounterRandom random) noexcept : random_(random), ahead_(random_.next()) {}

    /// Exactly uniform in [0, bound), bound >= 1.
    std::uint32_t below(std::uint32_t bound) noexcept {
        return uniform_below(bound, [this]() noexcept { return half(); });
    }

  private:
    std::uint64_t half() noexcept {
        const std::uint64_t spare = spare_;
        spare_ = 0;
        if (spare != 0) return spare & 0xffffffff;
        const std::uint64_t number = ahead_;
        ahead_ = random_.next();
        spare_ = (number & 0xffffffff) | (std::uint64_t{1} << 32);
        return number >> 32;
    }

    CounterRandom random_;
    std::uint64_t ahead_;      // computed in advance, so that no draw waits for it
    std::uint64_t spare_ = 0;  // bit 32 is set if there is one
};

}  // namespace warpnet
