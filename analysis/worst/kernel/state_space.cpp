// Numbers multisets of positions by the combinatorial number system. Ranks and terms come from two tables of
// binomial coefficients, filled with a check for overflow. If 64 bits do not suffice, the same code is
// instantiated with a wider number.

#include "analysis/worst/kernel/state_space.hpp"

#include <algorithm>
#include <cstddef>

namespace warpnet::worst {

template <class StateNumber>
std::optional<MultisetSpaceOf<StateNumber>> MultisetSpaceOf<StateNumber>::create(int warps, int length) {
    MultisetSpaceOf space(warps, length);
    const auto row = static_cast<std::size_t>(length) + 1;
    const auto cells = static_cast<std::size_t>(warps) * row;
    if (cells > 10'000'000) return std::nullopt;
    space.gain_.resize(cells);
    space.term_.resize(cells);
    // term(p, j) = sum over q < p of gain(q, j), and gain(p, j) = C(p + j, j) = sum over q <= p of gain(q, j
    // - 1).
    for (std::size_t j = 0; j < static_cast<std::size_t>(warps); ++j) {
        StateNumber* gain = space.gain_.data() + j * row;
        StateNumber* term = space.term_.data() + j * row;
        StateNumber sum = 0;
        for (std::size_t p = 0; p < row; ++p) {
            if (j == 0)
                gain[p] = 1;
            else if (__builtin_add_overflow(p == 0 ? 0 : gain[p - 1], *(gain - row + p), &gain[p]))
                return std::nullopt;
            term[p] = sum;
            if (__builtin_add_overflow(sum, gain[p], &sum)) return std::nullopt;
        }
    }
    StateNumber last = 0;
    for (int j = 0; j < warps; ++j)
        if (__builtin_add_overflow(last, space.term(length, j), &last)) return std::nullopt;
    if (last + 1 == 0) return std::nullopt;
    space.size_ = last + 1;
    return space;
}

template <class StateNumber>
StateNumber MultisetSpaceOf<StateNumber>::rank(std::span<const int> positions) const {
    StateNumber sum = 0;
    for (int j = 0; j < warps_; ++j) sum += term(positions[static_cast<std::size_t>(j)], j);
    return sum;
}

template <class StateNumber>
void MultisetSpaceOf<StateNumber>::unrank(StateNumber rank, std::span<int> positions) const {
    int position = length_;
    for (int j = warps_ - 1; j >= 0; --j) {
        while (term(position, j) > rank) --position;
        positions[static_cast<std::size_t>(j)] = position;
        rank -= term(position, j);
    }
}

template class MultisetSpaceOf<StateNumber>;
template class MultisetSpaceOf<WideStateNumber>;

template <class StateNumber>
KernelSchedule schedule_through(const MultisetSpaceOf<StateNumber>& space,
                                const std::vector<StateNumber>& states) {
    KernelSchedule schedule;
    const auto warps = static_cast<std::size_t>(space.warps());
    std::vector<int> before(warps, 0);
    std::vector<int> after(warps);
    for (std::size_t s = 1; s < states.size(); ++s) {
        space.unrank(states[s], after);
        std::vector<InstructionRun>& cycle = schedule.emplace_back();
        for (std::size_t j = warps; j-- > 0;)
            if (after[j] != before[j])
                cycle.push_back({.warp = static_cast<int>(warps - 1 - j), .instruction = before[j]});
        before = after;
    }
    return schedule;
}

template KernelSchedule schedule_through(const MultisetSpaceOf<StateNumber>&,
                                         const std::vector<StateNumber>&);
template KernelSchedule schedule_through(const MultisetSpaceOf<WideStateNumber>&,
                                         const std::vector<WideStateNumber>&);

}  // namespace warpnet::worst
