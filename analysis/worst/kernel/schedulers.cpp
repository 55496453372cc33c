// The serial scheduler is bit-parallel and incremental; schedulers.hpp explains the idea. The string is cut
// into blocks, and the state between two blocks of the current string is kept. A candidate starts at the kept
// state before its window and stops at the first block boundary behind it at which both states agree in
// everything that still matters. Placing an instruction is a chain of dependent operations without a branch
// on its position. The maximal-step scheduler, needed for waits and fairness levels, goes cycle by cycle and
// restarts at the first cycle in which a changed position could matter; it is slower.

#include "analysis/worst/kernel/schedulers.hpp"

#include "engine/base/round_up.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <type_traits>

namespace warpnet::worst {

namespace {

constexpr int no_planes = -1;   // the number of schedulers does not matter
constexpr int most_planes = 8;  // enough to count max_search_warps
constexpr std::size_t shortest_block = 48;
constexpr std::size_t most_blocks = 32;

/// Enough planes to count to a capacity, rounded up to a number for which code is compiled.
int compiled_planes(int capacity) {
    const auto needed = static_cast<int>(std::bit_width(static_cast<unsigned>(capacity - 1)));
    return needed <= 2 ? 2 : (needed <= 4 ? 4 : most_planes);
}

}  // namespace

/// Adds instructions to a state.
///
/// A state begins with the progress of each warp: the cycles it may still use in the 64 cycles of its present
/// row, as bits, and the word offset of that row and the number of its next instruction, as a lower and an
/// upper half.
///
/// Behind it is the occupancy: a row per 64 cycles, and in each row a column for the schedulers, if their
/// number matters, and one for each type. A column is the set of free cycles followed by `planes` words, the
/// bits of a counter for each of the 64 cycles, least first, which starts so that it overflows when the
/// capacity is reached. Counting one more lets a carry ripple through the planes: no address and no branch
/// depends on the cycle found, which keeps the chain of dependent operations from one instruction to the next
/// short.
class SerialScheduler::Placer {
  public:
    explicit Placer(const SerialScheduler& scheduler)
        : column_(scheduler.column_.data()), stride_(scheduler.stride_) {}

    /// Places the next instruction of a warp.
    template <int type_planes, int scheduler_planes>
    void place(std::uint64_t* state, Warp warp) const {
        std::uint64_t* const progress = state + std::size_t{2} * warp;
        const std::uint64_t at = progress[1];
        std::uint64_t* row = state + static_cast<std::uint32_t>(at);
        const std::size_t column = column_[at >> 32];
        std::uint64_t free = progress[0] & free_cycles<scheduler_planes>(row, column);
        if (free == 0) [[unlikely]] {
            do {
                row += stride_;
                free = free_cycles<scheduler_planes>(row, column);
            } while (free == 0);
            progress[1] = (at & upper_half) | static_cast<std::uint64_t>(row - state);
        }
        const std::uint64_t cycle = free & (~free + 1);
        progress[0] = ~(cycle + cycle) + 1;
        progress[1] += next_instruction;
        if constexpr (scheduler_planes != no_planes) count<scheduler_planes>(row + first_column, cycle);
        count<type_planes>(row + column, cycle);
    }

    static constexpr std::uint64_t next_instruction = std::uint64_t{1} << 32;
    static constexpr std::uint64_t upper_half = ~std::uint64_t{0} << 32;

  private:
    static constexpr std::size_t first_column = 0;

    template <int scheduler_planes>
    static std::uint64_t free_cycles(const std::uint64_t* row, std::size_t column) {
        if constexpr (scheduler_planes == no_planes) return row[column];
        return row[column] & row[first_column];
    }

    template <int planes>
    static void count(std::uint64_t* column, std::uint64_t carry) {
        for (int plane = 1; plane <= planes; ++plane) {
            const std::uint64_t before = column[plane];
            column[plane] = before ^ carry;
            carry &= before;
        }
        column[0] ^= carry;  // it was free, otherwise the cycle would not have been found
    }

    const std::uint32_t* column_;
    std::size_t stride_;
};

SerialScheduler::SerialScheduler(const netgen::KernelInstance& instance)
    : warps_(static_cast<std::size_t>(instance.warps)), length_(instance.type.size()) {
    const std::size_t letters = warps_ * length_;
    blocks_ = divided_up(letters, std::max(shortest_block, divided_up(letters, most_blocks)));
    block_length_ = divided_up(letters, blocks_);

    // More units than warps, or than schedulers, make no difference.
    const bool schedulers = instance.schedulers.value_or(instance.warps) < instance.warps;
    const int most = schedulers ? *instance.schedulers : instance.warps;
    scheduler_planes_ = schedulers ? compiled_planes(most) : no_planes;
    for (const int capacity : instance.capacity)
        type_planes_ = std::max(type_planes_, compiled_planes(std::min(capacity, most)));

    std::vector<std::uint64_t> row;
    const auto add_column = [&](int planes, int capacity) {
        row.push_back(~std::uint64_t{0});
        const auto first = static_cast<unsigned>((1 << planes) - capacity);
        for (int plane = 0; plane < planes; ++plane)
            row.push_back((first >> plane & 1) != 0 ? ~std::uint64_t{0} : 0);
    };
    if (schedulers) add_column(scheduler_planes_, most);
    std::vector<std::uint32_t> of_type;
    for (const int capacity : instance.capacity) {
        of_type.push_back(static_cast<std::uint32_t>(row.size()));
        add_column(type_planes_, std::min(capacity, most));
    }
    stride_ = row.size();
    for (const std::uint8_t type : instance.type) column_.push_back(of_type[type]);
    // A nonexistent warp fills the last block; after all real warps, it changes nothing.
    const std::size_t filling = blocks_ * block_length_ - letters;
    column_.resize(std::max(length_, filling), of_type[0]);

    first_row_ = 2 * (warps_ + 1);
    std::vector<std::uint64_t> empty;
    for (std::size_t w = 0; w <= warps_; ++w) {
        empty.push_back(~std::uint64_t{0});
        empty.push_back(first_row_);
    }
    for (std::size_t cycle = 0; cycle <= letters + filling; cycle += 64)
        empty.insert(empty.end(), row.begin(), row.end());
    state_words_ = empty.size();
    for (std::size_t slot = 0; slot < 2 * (blocks_ + 1); ++slot) {
        states_.insert(states_.end(), empty.begin(), empty.end());
        (slot % 2 == 0 ? kept_ : spare_).push_back(slot);
    }
}

int SerialScheduler::reset(PrecedenceString string) {
    string_ = std::move(string);
    candidate_ = string_;
    candidate_.resize(blocks_ * block_length_, static_cast<Warp>(warps_));
    evaluate(0, PrecedenceString(string_));
    accept();
    return makespan_;
}

/// The first cycle that a warp may use.
std::uint32_t SerialScheduler::ready_cycle(const std::uint64_t* state, std::size_t warp) const {
    const std::size_t row = (static_cast<std::uint32_t>(state[2 * warp + 1]) - first_row_) / stride_;
    return static_cast<std::uint32_t>(row * 64) +
           static_cast<std::uint32_t>(std::countr_zero(state[2 * warp]));
}

/// Later words are as in an empty schedule: n instructions use only the first n cycles.
std::size_t SerialScheduler::words_in_use(std::size_t block) const {
    return first_row_ + (block * block_length_ / 64 + 1) * stride_;
}

/// Whether everything from a block on is the same from both states.
bool SerialScheduler::agrees(const std::uint64_t* kept, const std::uint64_t* candidate,
                             std::size_t block) const {
    if (!std::equal(kept, kept + first_row_, candidate)) return false;
    // No later instruction can use a cycle below the first one of the remaining warps.
    std::uint32_t floor = ~std::uint32_t{0};
    for (std::size_t w = 0; w < warps_; ++w)
        if (kept[2 * w + 1] >> 32 < length_) floor = std::min(floor, ready_cycle(kept, w));
    std::size_t word = first_row_ + floor / 64 * stride_;
    const std::size_t next_row = word + stride_;
    const std::uint64_t alive = ~std::uint64_t{0} << (floor % 64);
    for (; word < next_row; ++word)
        if (((kept[word] ^ candidate[word]) & alive) != 0) return false;
    const std::size_t end = std::max(word, words_in_use(block));
    return std::equal(kept + word, kept + end, candidate + word);
}

void SerialScheduler::propose(std::size_t first, std::span<const Warp> window) {
    assert(first + window.size() <= string_.size());
    const auto dropped = static_cast<std::ptrdiff_t>(candidate_first_);
    std::copy_n(string_.begin() + dropped, window_length_, candidate_.begin() + dropped);
    candidate_first_ = first;
    window_length_ = window.size();
    std::copy(window.begin(), window.end(), candidate_.begin() + static_cast<std::ptrdiff_t>(first));
    first_block_ = block_ = first / block_length_;
    evaluated_ = false;
}

/// The actions after a block of the candidate has been placed.
void SerialScheduler::finish_block() {
    ++block_;
    const std::uint64_t* const reached = state(spare_[block_]);
    if (block_ == blocks_) {
        candidate_makespan_ = 0;
        for (std::size_t w = 0; w < warps_; ++w)
            candidate_makespan_ = std::max(candidate_makespan_, static_cast<int>(ready_cycle(reached, w)));
        evaluated_ = true;
    } else if (block_ * block_length_ >= candidate_first_ + window_length_ &&
               agrees(state(kept_[block_]), reached, block_)) {
        candidate_makespan_ = makespan_;
        evaluated_ = true;
    }
}

template <typename Function>
void SerialScheduler::with_planes(const SerialScheduler& scheduler, Function function) {
    const auto with_types = [&]<int schedulers>(std::integral_constant<int, schedulers>) {
        switch (scheduler.type_planes_) {
            case 2:
                return function.template operator()<2, schedulers>();
            case 4:
                return function.template operator()<4, schedulers>();
            default:
                return function.template operator()<most_planes, schedulers>();
        }
    };
    switch (scheduler.scheduler_planes_) {
        case no_planes:
            return with_types(std::integral_constant<int, no_planes>());
        case 2:
            return with_types(std::integral_constant<int, 2>());
        case 4:
            return with_types(std::integral_constant<int, 4>());
        default:
            return with_types(std::integral_constant<int, most_planes>());
    }
}

template <std::size_t count>
void SerialScheduler::place_block(SerialScheduler* const* schedulers) {
    std::array<std::uint64_t*, count> state;
    std::array<const Warp*, count> letters;
    for (std::size_t s = 0; s < count; ++s) {
        SerialScheduler& scheduler = *schedulers[s];
        const std::size_t block = scheduler.block_;
        const std::size_t from =
            block == scheduler.first_block_ ? scheduler.kept_[block] : scheduler.spare_[block];
        state[s] = scheduler.state(scheduler.spare_[block + 1]);
        std::copy_n(scheduler.state(from), scheduler.words_in_use(block + 1), state[s]);
        letters[s] = scheduler.candidate_.data() + block * scheduler.block_length_;
    }
    const Placer placer(*schedulers[0]);
    const std::size_t length = schedulers[0]->block_length_;
    with_planes(*schedulers[0], [&]<int type_planes, int scheduler_planes>() {
        for (std::size_t i = 0; i < length; ++i)
#pragma GCC unroll 4
            for (std::size_t s = 0; s < count; ++s)
                placer.place<type_planes, scheduler_planes>(state[s], letters[s][i]);
    });
    for (std::size_t s = 0; s < count; ++s) schedulers[s]->finish_block();
}

void SerialScheduler::advance(std::span<SerialScheduler* const> schedulers) {
    std::size_t next = 0;
    for (; next + 4 <= schedulers.size(); next += 4) place_block<4>(&schedulers[next]);
    for (; next + 2 <= schedulers.size(); next += 2) place_block<2>(&schedulers[next]);
    if (next < schedulers.size()) place_block<1>(&schedulers[next]);
}

int SerialScheduler::evaluate(std::size_t first, std::span<const Warp> window) {
    propose(first, window);
    SerialScheduler* const self = this;
    while (!evaluated_) advance({&self, 1});
    return candidate_makespan_;
}

void SerialScheduler::accept() {
    assert(evaluated_);
    const auto first = static_cast<std::ptrdiff_t>(candidate_first_);
    std::copy_n(candidate_.begin() + first, window_length_, string_.begin() + first);
    window_length_ = 0;
    makespan_ = candidate_makespan_;
    for (std::size_t block = first_block_ + 1; block <= block_; ++block)
        std::swap(kept_[block], spare_[block]);
}

std::vector<std::uint32_t> SerialScheduler::cycles() const {
    SerialScheduler copy = *this;
    std::uint64_t* const state = copy.state(copy.kept_[0]);
    std::vector<std::uint32_t> cycles;
    with_planes(*this, [&]<int type_planes, int scheduler_planes>() {
        for (const Warp warp : string_) {
            Placer(*this).place<type_planes, scheduler_planes>(state, warp);
            cycles.push_back(ready_cycle(state, warp) - 1);
        }
    });
    return cycles;
}

MaximalStepScheduler::MaximalStepScheduler(const netgen::KernelInstance& instance)
    : instance_(instance),
      warps_(static_cast<std::size_t>(instance.warps)),
      length_(instance.type.size()),
      position_(warps_ * length_),
      executed_(warps_ * length_) {}

int MaximalStepScheduler::reset(PrecedenceString string) {
    candidate_ = std::move(string);
    string_ = candidate_;
    cycle_.assign(string_.size(), 0);
    std::vector<std::uint32_t> next(warps_, 0);
    number_positions(string_, next, position_);
    candidate_position_ = position_;
    candidate_executed_ = executed_;
    candidate_first_ = 0;
    run_from(0);
    accept();
    return makespan_;
}

/// The position of each instruction in the string; waits have none.
void MaximalStepScheduler::number_positions(const PrecedenceString& string, std::vector<std::uint32_t>& next,
                                            std::vector<std::uint32_t>& position) const {
    for (std::size_t p = 0; p < string.size(); ++p) {
        std::uint32_t& instruction = next[string[p]];
        while (instance_.waits_at(instruction)) ++instruction;
        position[string[p] * length_ + instruction++] = static_cast<std::uint32_t>(p);
    }
}

std::uint32_t MaximalStepScheduler::first_cycle_touched() const {
    // A position matters from the cycle in which its instruction is ready.
    std::uint32_t first = static_cast<std::uint32_t>(makespan_);
    for (std::size_t i = 0; i < position_.size(); ++i) {
        if (position_[i] == candidate_position_[i]) continue;
        first = std::min(first, i % length_ == 0 ? 0 : executed_[i - 1] + 1);
    }
    return first;
}

int MaximalStepScheduler::evaluate(std::size_t first, std::span<const Warp> window) {
    propose(first, window);
    return candidate_makespan_;
}

void MaximalStepScheduler::propose(std::size_t first, std::span<const Warp> window) {
    assert(first + window.size() <= string_.size());
    candidate_first_ = first;
    candidate_ = string_;
    std::copy(window.begin(), window.end(), candidate_.begin() + static_cast<std::ptrdiff_t>(first));
    next_.assign(warps_, 0);
    number_positions(candidate_, next_, candidate_position_);
    candidate_executed_ = executed_;
    run_from(first_cycle_touched());
}

void MaximalStepScheduler::run_from(std::uint32_t cycle) {
    next_.assign(warps_, 0);
    std::size_t left = warps_ * length_;
    candidate_makespan_ = static_cast<int>(cycle);
    if (cycle > 0) {
        for (std::size_t w = 0; w < warps_; ++w) {
            const std::uint32_t* executed = executed_.data() + w * length_;
            while (next_[w] < length_ && executed[next_[w]] < cycle) ++next_[w];
            left -= next_[w];
        }
    }
    for (; left > 0; ++cycle) {
        ready_.clear();
        for (std::size_t w = 0; w < warps_; ++w) {
            if (next_[w] == length_) continue;
            if (instance_.waits_at(next_[w])) {
                candidate_executed_[w * length_ + next_[w]++] = cycle;
                --left;
                continue;
            }
            const std::uint64_t level =
                instance_.level.empty() ? 0
                                        : static_cast<std::uint64_t>(instance_.level[next_[w]]) + (1u << 31);
            ready_.emplace_back(level << 32 | candidate_position_[w * length_ + next_[w]],
                                static_cast<Warp>(w));
        }
        std::sort(ready_.begin(), ready_.end());
        room_ = instance_.capacity;
        int schedulers = instance_.schedulers.value_or(instance_.warps);
        for (const auto& [key, warp] : ready_) {
            int& room = room_[instance_.type[next_[warp]]];
            if (room == 0 || schedulers == 0) continue;
            --room;
            --schedulers;
            candidate_executed_[warp * length_ + next_[warp]++] = cycle;
            --left;
        }
        candidate_makespan_ = static_cast<int>(cycle) + 1;
    }
}

void MaximalStepScheduler::accept() {
    string_ = candidate_;
    position_ = candidate_position_;
    executed_ = candidate_executed_;
    makespan_ = candidate_makespan_;
    for (std::size_t i = 0; i < position_.size(); ++i)
        if (!instance_.waits_at(i % length_)) cycle_[position_[i]] = executed_[i];
}

KernelSchedule decode(const netgen::KernelInstance& instance, std::span<const Warp> string,
                      StringReading reading) {
    check_instance(instance);
    check_precedence_string(instance, string);
    if (reading == StringReading::serial && instance.waiting)
        throw InputError("pseudo-precedence string: with waits it is read by maximal steps alone");
    const auto schedule_with = [&](auto scheduler) {
        KernelSchedule schedule(
            static_cast<std::size_t>(scheduler.reset(PrecedenceString(string.begin(), string.end()))));
        const auto cycles = scheduler.cycles();
        std::vector<std::size_t> next(static_cast<std::size_t>(instance.warps), 0);
        std::vector<std::size_t> free(next.size(), 0);  // the first cycle of the warp's next one
        const auto wait = [&](std::size_t warp) {
            while (next[warp] < instance.type.size() && instance.waits_at(next[warp]))
                schedule[free[warp]++].push_back({static_cast<int>(warp), static_cast<int>(next[warp]++)});
        };
        for (std::size_t w = 0; w < next.size(); ++w) wait(w);
        for (std::size_t p = 0; p < string.size(); ++p) {
            const Warp warp = string[p];
            schedule[cycles[p]].push_back({warp, static_cast<int>(next[warp]++)});
            free[warp] = cycles[p] + 1;
            wait(warp);
        }
        for (auto& cycle : schedule)
            std::sort(cycle.begin(), cycle.end(),
                      [](const InstructionRun& a, const InstructionRun& b) { return a.warp < b.warp; });
        return schedule;
    };
    return reading == StringReading::serial ? schedule_with(SerialScheduler(instance))
                                            : schedule_with(MaximalStepScheduler(instance));
}

}  // namespace warpnet::worst
