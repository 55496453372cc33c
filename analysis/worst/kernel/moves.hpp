#pragma once

#include "analysis/worst/kernel/precedence_string.hpp"
#include "engine/base/random.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace warpnet::worst {

/// The ways to make a neighbour of a pseudo-precedence string, each with its frequency; not all 0.
struct MoveWeights {
    std::uint32_t exchange = 0;       ///< two positions anywhere exchanged: the paper's neighbour
    std::uint32_t exchange_near = 0;  ///< two positions exchanged, at most near_exchange apart
    std::uint32_t shift = 0;          ///< one entry moved anywhere
    std::uint32_t shift_near = 0;     ///< the same, at most near_shift away
    /// Up to longest_block successive entries of one warp put together, at most far_block away.
    std::uint32_t gather = 0;
    /// The same for several warps, all their entries put together at one position: warps that execute a
    /// stretch of the kernel in lock-step, or in succession.
    std::uint32_t gang = 0;
};

inline constexpr std::uint32_t near_exchange = 12;
inline constexpr std::uint32_t near_shift = 30;
inline constexpr std::uint32_t longest_block = 10;
inline constexpr std::uint32_t far_block = 40;
inline constexpr std::uint32_t largest_gang = 6;

/// Draws neighbours. A neighbour is a window: `letters`, a permutation of the entries from position `first`
/// on, replaces them.
class Neighbourhood {
  public:
    explicit Neighbourhood(const MoveWeights& weights);

    /// One candidate: sets first() and letters(). False if the draw changes nothing. O(length of the window).
    bool draw(std::span<const Warp> string, CounterRandom& random);

    std::size_t first() const noexcept { return first_; }
    std::span<const Warp> letters() const noexcept { return letters_; }

  private:
    bool exchange(std::span<const Warp> string, std::size_t a, std::size_t b);
    bool shift(std::span<const Warp> string, std::size_t from, std::size_t to);
    bool gather(std::span<const Warp> string, std::size_t from, CounterRandom& random);
    bool gang(std::span<const Warp> string, std::size_t from, CounterRandom& random);
    bool put_block(std::span<const Warp> string, std::size_t from, std::size_t to);

    std::array<std::uint32_t, 6> up_to_;  // sums of weights
    std::size_t first_ = 0;
    std::vector<Warp> letters_;
    std::vector<Warp> block_;  // the entries put together
    std::vector<Warp> rest_;   // the entries between them
};

}  // namespace warpnet::worst
