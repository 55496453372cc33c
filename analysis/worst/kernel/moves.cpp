// All moves change one window of the string: the entries between the first and the last changed position. So
// a candidate is the window alone, and the schedulers evaluate it from the state before the window. A gather
// moves entries of one warp together; a gang does it for several warps, in lock-step or in succession. The
// warps then run through a stretch of the kernel in phases.

#include "analysis/worst/kernel/moves.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace warpnet::worst {
namespace {

/// A position at most `reach` from `from` in [0, size), all equally likely.
std::size_t near(std::size_t from, std::uint32_t reach, std::size_t size, CounterRandom& random) {
    const std::size_t low = from > reach ? from - reach : 0;
    const std::size_t high = std::min(from + reach, size - 1);
    return low + random.below(static_cast<std::uint32_t>(high - low + 1));
}

std::size_t anywhere(std::size_t size, CounterRandom& random) {
    return random.below(static_cast<std::uint32_t>(size));
}

}  // namespace

Neighbourhood::Neighbourhood(const MoveWeights& weights)
    : up_to_{weights.exchange,   weights.exchange_near, weights.shift,
             weights.shift_near, weights.gather,        weights.gang} {
    std::partial_sum(up_to_.begin(), up_to_.end(), up_to_.begin());
}

bool Neighbourhood::draw(std::span<const Warp> string, CounterRandom& random) {
    const std::size_t size = string.size();
    const std::uint32_t drawn = random.below(up_to_.back());
    const std::size_t from = anywhere(size, random);
    if (drawn < up_to_[0]) return exchange(string, from, anywhere(size, random));
    if (drawn < up_to_[1]) return exchange(string, from, near(from, near_exchange, size, random));
    if (drawn < up_to_[2]) return shift(string, from, anywhere(size, random));
    if (drawn < up_to_[3]) return shift(string, from, near(from, near_shift, size, random));
    if (drawn < up_to_[4]) return gather(string, from, random);
    return gang(string, from, random);
}

bool Neighbourhood::exchange(std::span<const Warp> string, std::size_t a, std::size_t b) {
    if (string[a] == string[b]) return false;
    if (a > b) std::swap(a, b);
    first_ = a;
    letters_.assign(string.begin() + std::ptrdiff_t(a), string.begin() + std::ptrdiff_t(b) + 1);
    std::swap(letters_.front(), letters_.back());
    return true;
}

bool Neighbourhood::shift(std::span<const Warp> string, std::size_t from, std::size_t to) {
    first_ = std::min(from, to);
    const std::size_t last = std::max(from, to);
    letters_.assign(string.begin() + std::ptrdiff_t(first_), string.begin() + std::ptrdiff_t(last) + 1);
    if (from < to)
        std::rotate(letters_.begin(), letters_.begin() + 1, letters_.end());
    else
        std::rotate(letters_.begin(), letters_.end() - 1, letters_.end());
    return !std::equal(letters_.begin(), letters_.end(), string.begin() + std::ptrdiff_t(first_));
}

bool Neighbourhood::gather(std::span<const Warp> string, std::size_t from, CounterRandom& random) {
    const std::uint32_t wanted = 2 + random.below(longest_block - 1);
    const Warp warp = string[from];
    block_.clear();
    rest_.clear();
    for (std::size_t p = from; p < string.size() && block_.size() < wanted; ++p)
        (string[p] == warp ? block_ : rest_).push_back(string[p]);
    return put_block(string, from, near(from, far_block, string.size(), random));
}

bool Neighbourhood::gang(std::span<const Warp> string, std::size_t from, CounterRandom& random) {
    const std::uint32_t warps_wanted = 2 + random.below(largest_gang - 1);
    const std::uint32_t wanted = 1 + random.below(longest_block);
    const bool lock_step = random.below(2) == 0;
    const bool in_place = random.below(2) == 0;
    // The first warps that occur from here on, and the number of taken entries of each.
    std::array<Warp, largest_gang> warps;
    std::array<std::uint32_t, largest_gang> taken{};
    std::size_t gang_size = 0;
    std::size_t complete = 0;
    rest_.clear();
    for (std::size_t p = from; p < string.size() && complete < warps_wanted; ++p) {
        const auto found = std::find(warps.begin(), warps.begin() + std::ptrdiff_t(gang_size), string[p]);
        const auto member = static_cast<std::size_t>(found - warps.begin());
        if (member == gang_size && gang_size < warps_wanted) warps[gang_size++] = string[p];
        if (member < gang_size && taken[member] < wanted)
            complete += ++taken[member] == wanted;
        else
            rest_.push_back(string[p]);
    }
    block_.clear();
    if (lock_step) {
        for (std::uint32_t i = 0; i < wanted; ++i)
            for (std::size_t member = 0; member < gang_size; ++member)
                if (i < taken[member]) block_.push_back(warps[member]);
    } else {
        for (std::size_t member = 0; member < gang_size; ++member)
            block_.insert(block_.end(), taken[member], warps[member]);
    }
    return put_block(string, from, in_place ? from : near(from, near_shift, string.size(), random));
}

bool Neighbourhood::put_block(std::span<const Warp> string, std::size_t from, std::size_t to) {
    // block_ and rest_ together are the entries from `from` on, up to some end.
    const auto begin = string.begin();
    const std::size_t end = from + block_.size() + rest_.size();
    letters_.clear();
    if (to <= from) {
        first_ = to;
        letters_.insert(letters_.end(), block_.begin(), block_.end());
        letters_.insert(letters_.end(), begin + std::ptrdiff_t(to), begin + std::ptrdiff_t(from));
        letters_.insert(letters_.end(), rest_.begin(), rest_.end());
    } else {
        // `to - from` of the remaining entries go before the block.
        first_ = from;
        const std::size_t inside = std::min(to - from, rest_.size());
        const std::size_t behind = std::min(to - from - inside, string.size() - end);
        letters_.insert(letters_.end(), rest_.begin(), rest_.begin() + std::ptrdiff_t(inside));
        letters_.insert(letters_.end(), begin + std::ptrdiff_t(end), begin + std::ptrdiff_t(end + behind));
        letters_.insert(letters_.end(), block_.begin(), block_.end());
        letters_.insert(letters_.end(), rest_.begin() + std::ptrdiff_t(inside), rest_.end());
    }
    return !std::equal(letters_.begin(), letters_.end(), begin + std::ptrdiff_t(first_));
}

}  // namespace warpnet::worst
