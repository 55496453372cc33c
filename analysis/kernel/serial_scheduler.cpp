#include "analysis/kernel/serial_scheduler.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <type_traits>

namespace warpnet {
namespace {

constexpr int no_planes = -1;   // the number of schedulers does not matter
constexpr int most_planes = 8;  // enough to count max_search_warps

/// The next number of planes that code is compiled for.
int compiled_planes(int capacity) {
    const auto needed = static_cast<int>(std::bit_width(static_cast<unsigned>(capacity - 1)));
    return needed <= 2 ? (needed == 0 ? 0 : 2) : (needed <= 4 ? 4 : most_planes);
}

}  // namespace

/// Adds instructions to a State.
///
/// The occupancy has a row for every 64 cycles, and in a row a column for the schedulers, if their number
/// matters, and one for each type. A column is the set of full cycles followed by `planes` words, the bits of
/// a counter for each of the 64 cycles, least first, that starts so that it overflows when the capacity is
/// reached. To count one more is to let a carry ripple through the planes: no address and no branch depends
/// on which cycle was found, and that keeps the chain of dependent operations from one instruction to the
/// next short, on which the speed of a search hangs.
template <int type_planes, int scheduler_planes>
class SerialScheduler::Inserter {
  public:
    Inserter(State& state, std::size_t stride)
        : ready_(state.ready.data()), occupancy_(state.occupancy.data()), stride_(stride) {}

    std::uint32_t place(Letter letter) {
        const std::uint32_t ready = ready_[letter.warp];
        std::uint32_t row_number = ready >> 6;
        std::uint64_t* row = occupancy_ + row_number * stride_;
        std::uint64_t free = ~full(row, letter) & (~std::uint64_t{0} << (ready & 63));
        while (free == 0) {
            row += stride_;
            ++row_number;
            free = ~full(row, letter);
        }
        add(row, free & (~free + 1), letter);
        const std::uint32_t cycle = row_number << 6 | static_cast<std::uint32_t>(std::countr_zero(free));
        ready_[letter.warp] = cycle + 1;
        return cycle;
    }

    /// What place() does once it has found this cycle.
    void occupy(std::uint32_t cycle, Letter letter) {
        ready_[letter.warp] = cycle + 1;
        add(occupancy_ + (cycle >> 6) * stride_, std::uint64_t{1} << (cycle & 63), letter);
    }

  private:
    static std::uint64_t full(const std::uint64_t* row, Letter letter) {
        if constexpr (scheduler_planes == no_planes) return row[letter.column];
        return row[letter.column] | row[0];
    }

    static void add(std::uint64_t* row, std::uint64_t cycle, Letter letter) {
        if constexpr (scheduler_planes != no_planes) row[0] |= count<scheduler_planes>(row + 1, cycle);
        std::uint64_t* const column = row + letter.column;
        const std::uint64_t overflow = count<type_planes>(column + 1, cycle);
        column[0] |= overflow & (std::uint64_t{0} - std::uint64_t{letter.limited});
    }

    template <int planes>
    static std::uint64_t count(std::uint64_t* plane, std::uint64_t carry) {
        for (int i = 0; i < planes; ++i) {
            const std::uint64_t before = plane[i];
            plane[i] = before ^ carry;
            carry &= before;
        }
        return carry;
    }

    std::uint32_t* ready_;
    std::uint64_t* occupancy_;
    std::size_t stride_;
};

SerialScheduler::SerialScheduler(const KernelInstance& instance)
    : warps_(static_cast<std::size_t>(instance.warps)),
      scheduler_planes_(instance.schedulers.value_or(instance.warps) < instance.warps
                            ? compiled_planes(*instance.schedulers)
                            : no_planes),
      spacing_(std::max<std::size_t>(32, warps_ * instance.type.size() / 32)) {
    // A capacity that all warps, or the schedulers, together cannot exceed is none.
    const bool schedulers = scheduler_planes_ != no_planes;
    const int most = schedulers ? *instance.schedulers : instance.warps;
    for (const int capacity : instance.capacity)
        if (capacity < most) type_planes_ = std::max(type_planes_, compiled_planes(capacity));

    std::vector<std::uint64_t> row;
    const auto add_column = [&](int planes, int capacity) {
        row.push_back(0);
        const auto first = static_cast<unsigned>((1 << planes) - std::min(capacity, 1 << planes));
        for (int plane = 0; plane < planes; ++plane)
            row.push_back((first >> plane & 1) != 0 ? ~std::uint64_t{0} : 0);
    };
    if (schedulers) add_column(scheduler_planes_, most);
    std::vector<Letter> of_type;
    for (const int capacity : instance.capacity) {
        of_type.push_back({0, capacity < most, static_cast<std::uint16_t>(row.size())});
        add_column(type_planes_, capacity);
    }
    for (const std::uint8_t type : instance.type) instruction_.push_back(of_type[type]);
    stride_ = row.size();

    const std::size_t cycles = warps_ * instance.type.size();
    State empty{.ready = std::vector<std::uint32_t>(warps_, 0), .occupancy = {}};
    for (std::size_t cycle = 0; cycle <= cycles; cycle += 64)
        empty.occupancy.insert(empty.occupancy.end(), row.begin(), row.end());
    kept_.assign((cycles - 1) / spacing_ + 1, empty);
    scratch_ = std::move(empty);
}

int SerialScheduler::reset(PrecedenceString string) {
    string_ = std::move(string);
    const std::size_t size = string_.size();
    instruction_at_.resize(size);
    letter_at_.resize(size);
    cycle_.resize(size);
    candidate_cycle_.resize(size);
    next_.assign(warps_, 0);
    last_at_.resize(warps_);
    for (std::size_t p = 0; p < size; ++p) instruction_at_[p] = next_[string_[p]]++;
    evaluate(0, PrecedenceString(string_));
    accept();
    return makespan_;
}

/// Whether scratch_ lets everything behind go on as `kept` does.
bool SerialScheduler::agrees(const State& kept) const {
    if (scratch_.ready != kept.ready) return false;
    const std::size_t first_row = kept.floor / 64 * stride_;
    const std::uint64_t alive = ~std::uint64_t{0} << (kept.floor % 64);
    for (std::size_t i = first_row; i < first_row + stride_; ++i)
        if (((scratch_.occupancy[i] ^ kept.occupancy[i]) & alive) != 0) return false;
    return std::equal(scratch_.occupancy.begin() + static_cast<std::ptrdiff_t>(first_row + stride_),
                      scratch_.occupancy.end(),
                      kept.occupancy.begin() + static_cast<std::ptrdiff_t>(first_row + stride_));
}

template <int type_planes, int scheduler_planes>
void SerialScheduler::schedule_candidate() {
    const std::size_t size = string_.size();
    const std::size_t first = candidate_first_;
    const std::size_t window_end = first + window_.size();
    std::size_t block = first / spacing_;
    scratch_ = kept_[block];
    Inserter<type_planes, scheduler_planes> inserter(scratch_, stride_);
    for (std::size_t p = block * spacing_; p < first; ++p) inserter.occupy(cycle_[p], letter_at_[p]);

    // The window is a permutation of what it replaces, so a warp's first letter stands for the same
    // instruction.
    for (std::size_t p = window_end; p-- > first;) next_[string_[p]] = instruction_at_[p];
    std::uint32_t* const cycle = candidate_cycle_.data();
    for (std::size_t p = first; p < window_end; ++p) {
        const Warp warp = window_[p - first];
        const std::uint32_t instruction = next_[warp]++;
        window_instruction_[p - first] = instruction;
        Letter letter = instruction_[instruction];
        letter.warp = warp;
        cycle[p] = inserter.place(letter);
    }

    const Letter* const letter = letter_at_.data();
    std::size_t p = window_end;
    for (block = (window_end + spacing_ - 1) / spacing_; block < kept_.size(); ++block) {
        for (; p < block * spacing_; ++p) cycle[p] = inserter.place(letter[p]);
        if (agrees(kept_[block])) {
            candidate_end_ = p;
            candidate_makespan_ = makespan_;
            return;
        }
    }
    for (; p < size; ++p) cycle[p] = inserter.place(letter[p]);
    candidate_end_ = size;
    candidate_makespan_ = static_cast<int>(*std::max_element(scratch_.ready.begin(), scratch_.ready.end()));
}

template <int type_planes, int scheduler_planes>
void SerialScheduler::keep_states() {
    for (std::size_t block = candidate_first_ / spacing_ + 1; block * spacing_ < candidate_end_; ++block) {
        State& state = kept_[block];
        state = kept_[block - 1];
        Inserter<type_planes, scheduler_planes> inserter(state, stride_);
        for (std::size_t p = (block - 1) * spacing_; p < block * spacing_; ++p)
            inserter.occupy(cycle_[p], letter_at_[p]);
        state.floor = ~std::uint32_t{0};
        for (std::size_t w = 0; w < warps_; ++w)
            if (last_at_[w] >= block * spacing_) state.floor = std::min(state.floor, state.ready[w]);
    }
}

template <typename Function>
void SerialScheduler::with_planes(Function function) {
    const auto with_types = [&]<int schedulers>(std::integral_constant<int, schedulers>) {
        switch (type_planes_) {
            case 0:
                return function.template operator()<0, schedulers>();
            case 2:
                return function.template operator()<2, schedulers>();
            case 4:
                return function.template operator()<4, schedulers>();
            default:
                return function.template operator()<most_planes, schedulers>();
        }
    };
    switch (scheduler_planes_) {
        case no_planes:
            return with_types(std::integral_constant<int, no_planes>());
        case 0:
            return with_types(std::integral_constant<int, 0>());
        case 2:
            return with_types(std::integral_constant<int, 2>());
        case 4:
            return with_types(std::integral_constant<int, 4>());
        default:
            return with_types(std::integral_constant<int, most_planes>());
    }
}

int SerialScheduler::evaluate(std::size_t first, std::span<const Warp> window) {
    assert(first + window.size() <= string_.size());
    candidate_first_ = first;
    window_.assign(window.begin(), window.end());
    window_instruction_.resize(window.size());
    with_planes([&]<int types, int schedulers>() { schedule_candidate<types, schedulers>(); });
    return candidate_makespan_;
}

void SerialScheduler::accept() {
    const auto first = static_cast<std::ptrdiff_t>(candidate_first_);
    std::copy(window_.begin(), window_.end(), string_.begin() + first);
    std::copy(window_instruction_.begin(), window_instruction_.end(), instruction_at_.begin() + first);
    for (std::size_t p = candidate_first_; p < candidate_first_ + window_.size(); ++p) {
        letter_at_[p] = instruction_[instruction_at_[p]];
        letter_at_[p].warp = string_[p];
        if (instruction_at_[p] + 1 == instruction_.size()) last_at_[string_[p]] = p;
    }
    std::copy(candidate_cycle_.begin() + first,
              candidate_cycle_.begin() + static_cast<std::ptrdiff_t>(candidate_end_), cycle_.begin() + first);
    makespan_ = candidate_makespan_;
    with_planes([&]<int types, int schedulers>() { keep_states<types, schedulers>(); });
}

}  // namespace warpnet
