#include "analysis/kernel/serial_scheduler.hpp"

#include <algorithm>
#include <bit>
#include <cassert>

namespace warpnet {
namespace {

constexpr int most_planes = 8;  // enough to count max_search_warps

}  // namespace

/// The hot part: a State with its columns as plain pointers, so that stores to one column do not force the
/// others to be read again.
///
/// Per word of 64 cycles and column (type, or all instructions together) stands the set of full cycles,
/// followed by `planes` words that are the bits of a counter of executions for each of the 64 cycles, least
/// first. A counter starts so that it overflows when the capacity is reached. Adding one is a carry rippling
/// through the planes: no address depends on the cycle found, which is what keeps the chain of dependent
/// operations from one instruction to the next short.
template <int planes, bool schedulers>
class SerialScheduler::Inserter {
  public:
    Inserter(State& state, const std::vector<std::uint64_t>& limited)
        : ready_(state.ready.data()),
          occupancy_(state.occupancy.data()),
          limited_(limited.data()),
          stride_(limited.size() * column) {}

    std::uint32_t place(Warp warp, std::uint8_t type) {
        const std::uint32_t ready = ready_[warp];
        std::uint32_t word = ready >> 6;
        std::uint64_t* row = occupancy_ + word * stride_;
        std::uint64_t free = ~taken(row, type) & (~std::uint64_t{0} << (ready & 63));
        while (free == 0) {
            row += stride_;
            ++word;
            free = ~taken(row, type);
        }
        add(row, free & (~free + 1), type);
        const std::uint32_t cycle = word << 6 | static_cast<std::uint32_t>(std::countr_zero(free));
        ready_[warp] = cycle + 1;
        return cycle;
    }

    void occupy(std::uint32_t cycle, Warp warp, std::uint8_t type) {
        ready_[warp] = cycle + 1;
        add(occupancy_ + (cycle >> 6) * stride_, std::uint64_t{1} << (cycle & 63), type);
    }

  private:
    static constexpr std::size_t column = planes + 1;

    static std::uint64_t taken(const std::uint64_t* row, std::uint8_t type) {
        if constexpr (schedulers) return row[(std::size_t{type} + 1) * column] | row[0];
        return row[type * column];
    }

    void add(std::uint64_t* row, std::uint64_t cycle, std::uint8_t type) {
        if constexpr (schedulers) {
            count(row, cycle, ~std::uint64_t{0});
            count(row + (std::size_t{type} + 1) * column, cycle, limited_[std::size_t{type} + 1]);
        } else {
            count(row + type * column, cycle, limited_[type]);
        }
    }

    static void count(std::uint64_t* counter, std::uint64_t carry, std::uint64_t limited) {
        for (int plane = 1; plane <= planes; ++plane) {
            const std::uint64_t before = counter[plane];
            counter[plane] = before ^ carry;
            carry &= before;
        }
        counter[0] |= carry & limited;
    }

    std::uint32_t* ready_;
    std::uint64_t* occupancy_;
    const std::uint64_t* limited_;
    std::size_t stride_;
};

SerialScheduler::SerialScheduler(const KernelInstance& instance)
    : warps_(static_cast<std::size_t>(instance.warps)),
      type_(instance.type),
      schedulers_(instance.schedulers.value_or(instance.warps) < instance.warps),
      spacing_(std::max<std::size_t>(32, warps_ * type_.size() / 16)) {
    // A capacity that all warps together cannot exceed is none.
    std::vector<int> capacity = instance.capacity;
    if (schedulers_) capacity.insert(capacity.begin(), *instance.schedulers);
    unsigned largest = 1;
    for (const int c : capacity) {
        limited_.push_back(c < instance.warps ? ~std::uint64_t{0} : 0);
        if (c < instance.warps) largest = std::max(largest, static_cast<unsigned>(c));
    }
    planes_ = static_cast<int>(std::bit_width(largest - 1));
    if (planes_ > 5) planes_ = most_planes;
    const std::size_t words = warps_ * type_.size() / 64 + 1;
    State empty{.ready = std::vector<std::uint32_t>(warps_, 0), .occupancy = {}};
    for (std::size_t word = 0; word < words; ++word) {
        for (const int c : capacity) {
            empty.occupancy.push_back(0);
            const unsigned first = (1u << planes_) - static_cast<unsigned>(std::min(c, 1 << planes_));
            for (int plane = 0; plane < planes_; ++plane)
                empty.occupancy.push_back(first >> plane & 1 ? ~std::uint64_t{0} : 0);
        }
    }
    kept_.assign(warps_ * type_.size() / spacing_ + 1, empty);
    scratch_ = std::move(empty);
}

int SerialScheduler::reset(PrecedenceString string) {
    string_ = std::move(string);
    instruction_at_.resize(string_.size());
    type_at_.resize(string_.size());
    cycle_.resize(string_.size());
    candidate_cycle_.resize(string_.size());
    next_.assign(warps_, 0);
    for (std::size_t p = 0; p < string_.size(); ++p) instruction_at_[p] = next_[string_[p]]++;
    valid_ = 0;
    evaluate(0, PrecedenceString(string_));
    accept();
    return makespan_;
}

void SerialScheduler::number_window() {
    // The window is a permutation of what it replaces, so a warp's first letter stands for the same
    // instruction.
    for (std::size_t i = window_.size(); i-- > 0;)
        next_[string_[candidate_first_ + i]] = instruction_at_[candidate_first_ + i];
    window_instruction_.resize(window_.size());
    window_type_.resize(window_.size());
    for (std::size_t i = 0; i < window_.size(); ++i) {
        window_instruction_[i] = next_[window_[i]]++;
        window_type_[i] = type_[window_instruction_[i]];
    }
}

template <int planes, bool schedulers>
void SerialScheduler::schedule_candidate() {
    const std::size_t first = candidate_first_;
    const std::size_t kept = first / spacing_;
    for (; valid_ < kept; ++valid_) {
        kept_[valid_ + 1] = kept_[valid_];
        Inserter<planes, schedulers> inserter(kept_[valid_ + 1], limited_);
        for (std::size_t p = valid_ * spacing_; p < (valid_ + 1) * spacing_; ++p)
            inserter.occupy(cycle_[p], string_[p], type_at_[p]);
    }

    scratch_ = kept_[kept];
    Inserter<planes, schedulers> inserter(scratch_, limited_);
    for (std::size_t p = kept * spacing_; p < first; ++p) inserter.occupy(cycle_[p], string_[p], type_at_[p]);
    std::uint32_t* const cycle = candidate_cycle_.data();
    for (std::size_t i = 0; i < window_.size(); ++i)
        cycle[first + i] = inserter.place(window_[i], window_type_[i]);
    const Warp* const string = string_.data();
    const std::uint8_t* const type = type_at_.data();
    const std::size_t size = string_.size();
    for (std::size_t p = first + window_.size(); p < size; ++p) cycle[p] = inserter.place(string[p], type[p]);
}

int SerialScheduler::evaluate(std::size_t first, std::span<const Warp> window) {
    assert(first + window.size() <= string_.size());
    candidate_first_ = first;
    window_.assign(window.begin(), window.end());
    number_window();
    const auto schedule = [&]<int planes>(std::integral_constant<int, planes>) {
        schedulers_ ? schedule_candidate<planes, true>() : schedule_candidate<planes, false>();
    };
    switch (planes_) {
        case 0:
            schedule(std::integral_constant<int, 0>());
            break;
        case 1:
            schedule(std::integral_constant<int, 1>());
            break;
        case 2:
            schedule(std::integral_constant<int, 2>());
            break;
        case 3:
            schedule(std::integral_constant<int, 3>());
            break;
        case 4:
            schedule(std::integral_constant<int, 4>());
            break;
        case 5:
            schedule(std::integral_constant<int, 5>());
            break;
        default:
            schedule(std::integral_constant<int, most_planes>());
            break;
    }
    candidate_makespan_ = static_cast<int>(*std::max_element(scratch_.ready.begin(), scratch_.ready.end()));
    return candidate_makespan_;
}

void SerialScheduler::accept() {
    const auto at = static_cast<std::ptrdiff_t>(candidate_first_);
    std::copy(window_.begin(), window_.end(), string_.begin() + at);
    std::copy(window_instruction_.begin(), window_instruction_.end(), instruction_at_.begin() + at);
    std::copy(window_type_.begin(), window_type_.end(), type_at_.begin() + at);
    std::copy(candidate_cycle_.begin() + at, candidate_cycle_.end(), cycle_.begin() + at);
    valid_ = std::min(valid_, candidate_first_ / spacing_);
    makespan_ = candidate_makespan_;
}

}  // namespace warpnet
