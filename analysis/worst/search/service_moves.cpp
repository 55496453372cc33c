// Moves change decisions of a service order, mostly those of a stretch of time and not of a range of indices,
// because parts reach different decisions at the same moment. Large structures (gangs, periods, one part
// starved) cannot be assembled from single exchanges: every step on the way there is worse. So there are
// moves that arrange several parts alike, copy a period, or serve a part before or after all other parts for
// a while. A change is undone from saved rows.

#include "analysis/worst/search/service_moves.hpp"

#include <algorithm>

namespace warpnet::worst {

namespace {

constexpr std::uint32_t last_priority = 0xffffffff;

}  // namespace

ServiceMoves::ServiceMoves(const ServiceNet& net, const ServiceMoveWeights& weights)
    : parts_(static_cast<std::uint32_t>(net.parts().size())),
      rows_(static_cast<std::uint32_t>(net.rows())),
      labels_(net.labels()),
      up_to_{weights.exchange, weights.shift, weights.gather, weights.gang,    weights.serve,
             weights.stretch,  weights.swap,  weights.copy,   weights.relabel, weights.repeat},
      count_(256),
      done_(256) {
    for (std::size_t i = 1; i < up_to_.size(); ++i) up_to_[i] += up_to_[i - 1];
    for (std::uint32_t part = 0; part < parts_; ++part) {
        if (net.node(net.parts().start[part]).kind != ModuleNode::Kind::over) active_.push_back(part);
    }
    if (active_.empty()) active_.push_back(0);
}

bool ServiceMoves::draw(ServiceOrder& order, const ServiceRun& runner, CounterRandom& random) {
    saves_.clear();
    saved_priority_.clear();
    saved_choice_.clear();
    const std::uint32_t drawn = random.below(up_to_.back());
    switch (std::upper_bound(up_to_.begin(), up_to_.end(), drawn) - up_to_.begin()) {
        case 0:
            exchange(order, runner, random);
            break;
        case 1:
            shift(order, runner, random);
            break;
        case 2:
            gather(order, runner, random);
            break;
        case 3:
            gang(order, runner, random);
            break;
        case 4:
            serve(order, runner, random);
            break;
        case 5:
            stretch(order, runner, random);
            break;
        case 6:
            swap(order, runner, random);
            break;
        case 7:
            copy(order, runner, random);
            break;
        case 8:
            relabel(order, runner, random);
            break;
        default:
            repeat(order, runner, random);
            break;
    }
    find_changes(order);
    return !changes_.empty();
}

void ServiceMoves::save(const ServiceOrder& order, std::uint32_t row, std::uint32_t begin, std::uint32_t end,
                        bool priority) {
    const auto first = static_cast<std::ptrdiff_t>(order.first[row]);
    const auto from = first + static_cast<std::ptrdiff_t>(begin);
    const auto to = first + static_cast<std::ptrdiff_t>(end);
    if (priority) {
        saves_.push_back({row, begin, end, saved_priority_.size(), true});
        saved_priority_.insert(saved_priority_.end(), order.priority.begin() + from,
                               order.priority.begin() + to);
    } else {
        saves_.push_back({row, begin, end, saved_choice_.size(), false});
        saved_choice_.insert(saved_choice_.end(), order.choice.begin() + from, order.choice.begin() + to);
    }
}

void ServiceMoves::undo(ServiceOrder& order) const {
    // Backwards: a decision that was changed twice was saved twice, the second time after the first change.
    for (std::size_t i = saves_.size(); i-- > 0;) {
        const Saved& saved = saves_[i];
        const std::size_t count = saved.end - saved.begin;
        const std::size_t to = order.first[saved.row] + saved.begin;
        if (saved.priority) {
            std::copy_n(saved_priority_.begin() + static_cast<std::ptrdiff_t>(saved.at), count,
                        order.priority.begin() + static_cast<std::ptrdiff_t>(to));
        } else {
            std::copy_n(saved_choice_.begin() + static_cast<std::ptrdiff_t>(saved.at), count,
                        order.choice.begin() + static_cast<std::ptrdiff_t>(to));
        }
    }
}

/// From the saved rows: the first and the last decision of each stretch that differ.
void ServiceMoves::find_changes(const ServiceOrder& order) {
    changes_.clear();
    for (const Saved& saved : saves_) {
        std::uint32_t begin = saved.begin, end = saved.end;
        const auto same = [&](std::uint32_t number) {
            const std::size_t at = saved.at + number - saved.begin;
            const std::size_t now = order.first[saved.row] + number;
            return saved.priority ? saved_priority_[at] == order.priority[now]
                                  : saved_choice_[at] == order.choice[now];
        };
        while (begin < end && same(begin)) ++begin;
        while (begin < end && same(end - 1)) --end;
        if (begin == end) continue;
        ServiceChange change{saved.row};
        (saved.priority ? change.first_priority : change.first_choice) = begin;
        change.end = end;
        changes_.push_back(change);
    }
}

/// A decision of a row, with all moments equally likely.
std::uint32_t ServiceMoves::any_position(std::uint32_t row, const ServiceRun& runner,
                                         CounterRandom& random) const {
    if (random.below(2) == 0) return random.below(std::max(1u, runner.decisions(row)));
    return position(row, any_moment(runner, random), runner, random);
}

std::size_t ServiceMoves::any_moment(const ServiceRun& runner, CounterRandom& random) const {
    return random.below(static_cast<std::uint32_t>(runner.moments()));
}

/// A decision of a row between a moment and the next one.
std::uint32_t ServiceMoves::position(std::uint32_t row, std::size_t moment, const ServiceRun& runner,
                                     CounterRandom& random) const {
    const std::uint32_t begin = runner.moment(moment)[row];
    const std::uint32_t end =
        moment + 1 < runner.moments() ? runner.moment(moment + 1)[row] : runner.decisions(row);
    return begin + random.below(end - begin + 1);
}

/// Short ones are more likely; all orders of magnitude are equally likely.
std::uint32_t ServiceMoves::stretch_length(std::uint32_t most, CounterRandom& random) const {
    std::uint32_t bits = 1;
    while ((most >> bits) != 0) ++bits;
    const std::uint32_t scale = std::uint32_t{2} << random.below(bits);
    return std::min(most, 1 + random.below(scale));
}

void ServiceMoves::exchange(ServiceOrder& order, const ServiceRun& runner, CounterRandom& random) {
    const std::uint32_t row = any_part(random);
    const auto choices = order.choices(row);
    const auto length = static_cast<std::uint32_t>(choices.size());
    const std::uint32_t from = std::min(any_position(row, runner, random), length - 1);
    std::uint32_t to = (from + stretch_length(length, random)) % length;
    const std::uint32_t last = std::min(length, to + 64);
    while (to < last && choices[to] == choices[from]) ++to;
    if (to == last) return;
    save(order, row, std::min(from, to), std::max(from, to) + 1, false);
    std::swap(choices[from], choices[to]);
}

void ServiceMoves::shift(ServiceOrder& order, const ServiceRun& runner, CounterRandom& random) {
    const std::uint32_t row = any_part(random);
    const auto choices = order.choices(row);
    const auto length = static_cast<std::uint32_t>(choices.size());
    const std::uint32_t begin = std::min(any_position(row, runner, random), length - 1);
    const std::uint32_t middle = std::min(length, begin + 1 + random.below(12));
    const std::uint32_t end = std::min(length, middle + stretch_length(length, random));
    save(order, row, begin, end, false);
    const auto first = choices.begin();
    std::rotate(first + begin, first + (random.below(2) == 0 ? middle : begin + end - middle), first + end);
}

/// Orders choices [begin, end): label by label in a permutation of the labels, or mixed evenly.
void ServiceMoves::arrange(ServiceOrder& order, std::uint32_t row, std::uint32_t begin, std::uint32_t end,
                           std::uint32_t manner) {
    save(order, row, begin, end, false);
    const auto choices = order.choices(row).subspan(begin, end - begin);
    std::fill_n(count_.begin(), labels_, 0);
    std::fill_n(done_.begin(), labels_, 0);
    for (const std::uint8_t choice : choices) ++count_[choice];
    const bool forwards = (manner & 1) != 0, evenly = (manner & 2) != 0;
    const std::uint32_t rotation = (manner >> 2) % labels_;
    std::uint32_t rounds = 1;
    if (evenly) rounds = std::max(1u, *std::max_element(count_.begin(), count_.begin() + labels_));
    std::size_t at = 0;
    for (std::uint64_t round = 1; round <= rounds; ++round) {
        for (std::uint32_t i = 0; i < labels_; ++i) {
            const std::uint32_t label = (rotation + (forwards ? i : labels_ - 1 - i)) % labels_;
            const auto until = static_cast<std::uint32_t>(count_[label] * round / rounds);
            for (; done_[label] < until; ++done_[label]) choices[at++] = static_cast<std::uint8_t>(label);
        }
    }
}

void ServiceMoves::gather(ServiceOrder& order, const ServiceRun& runner, CounterRandom& random) {
    const std::uint32_t row = any_part(random);
    const std::uint32_t length = order.length(row);
    const std::uint32_t begin = std::min(any_position(row, runner, random), length - 1);
    const std::uint32_t end = std::min(length, begin + 1 + stretch_length(length, random));
    arrange(order, row, begin, end, random.below(4 * labels_));
}

void ServiceMoves::gang(ServiceOrder& order, const ServiceRun& runner, CounterRandom& random) {
    const std::uint32_t manner = random.below(4 * labels_);
    const std::size_t moment = any_moment(runner, random);
    const std::uint32_t share = 1 + random.below(8);  // of 8 parts
    const std::uint32_t leader = any_part(random);
    const std::uint32_t length = stretch_length(order.length(leader), random);
    for (std::uint32_t row = 0; row < parts_; ++row) {
        if (random.below(8) >= share) continue;
        const std::uint32_t most = order.length(row);
        const std::uint32_t begin = std::min(position(row, moment, runner, random), most - 1);
        arrange(order, row, begin, std::min(most, begin + 1 + length), manner);
    }
}

void ServiceMoves::serve(ServiceOrder& order, const ServiceRun& runner, CounterRandom& random) {
    const std::uint32_t row = any_row(random), other = any_row(random);
    if (row == other) return;
    const std::size_t moment = any_moment(runner, random);
    const std::uint32_t from = std::min(position(row, moment, runner, random), order.length(row) - 1);
    const std::uint32_t to = std::min(position(other, moment, runner, random), order.length(other) - 1);
    save(order, row, from, from + 1, true);
    const std::uint32_t priority = order.priorities(other)[to];
    std::uint32_t& changed = order.priorities(row)[from];
    changed = changed <= priority ? (priority == last_priority ? last_priority : priority + 1)
                                  : (priority == 0 ? 0 : priority - 1);
}

void ServiceMoves::stretch(ServiceOrder& order, const ServiceRun& runner, CounterRandom& random) {
    const std::uint32_t row = any_row(random);
    const std::size_t moment = any_moment(runner, random);
    const std::uint32_t length = order.length(row);
    const std::uint32_t begin = std::min(position(row, moment, runner, random), length - 1);
    const std::uint32_t end = std::min(length, begin + stretch_length(length, random));
    save(order, row, begin, end, true);
    const auto priorities = order.priorities(row).subspan(begin, end - begin);
    switch (random.below(3)) {
        case 0:
            std::fill(priorities.begin(), priorities.end(), 0);
            break;
        case 1:
            std::fill(priorities.begin(), priorities.end(), last_priority);
            break;
        default: {
            const auto others = order.priorities(any_row(random));
            const std::uint32_t level = others[random.below(static_cast<std::uint32_t>(others.size()))];
            std::fill(priorities.begin(), priorities.end(), level);
            break;
        }
    }
}

void ServiceMoves::swap(ServiceOrder& order, const ServiceRun& runner, CounterRandom& random) {
    const std::uint32_t row = any_row(random), other = any_row(random);
    if (row == other) return;
    const std::size_t moment = any_moment(runner, random);
    const std::uint32_t a = std::min(position(row, moment, runner, random), order.length(row) - 1);
    const std::uint32_t b = std::min(position(other, moment, runner, random), order.length(other) - 1);
    std::uint32_t length = std::min(order.length(row) - a, order.length(other) - b);
    if (random.below(2) == 0) length = stretch_length(length, random);
    save(order, row, a, a + length, true);
    save(order, other, b, b + length, true);
    std::swap_ranges(order.priority.begin() + order.first[row] + a,
                     order.priority.begin() + order.first[row] + a + length,
                     order.priority.begin() + order.first[other] + b);
}

/// As many of each label as there are, in the order in which another part has them.
void ServiceMoves::copy(ServiceOrder& order, const ServiceRun& runner, CounterRandom& random) {
    const std::uint32_t row = any_part(random), other = any_part(random);
    if (row == other) return;
    const std::size_t moment = any_moment(runner, random);
    const std::uint32_t a = std::min(position(row, moment, runner, random), order.length(row) - 1);
    const std::uint32_t b = std::min(position(other, moment, runner, random), order.length(other) - 1);
    const std::uint32_t length =
        stretch_length(std::min(order.length(row) - a, order.length(other) - b), random);
    save(order, row, a, a + length, false);
    const auto mine = order.choices(row).subspan(a, length);
    const auto theirs = order.choices(other).subspan(b, length);
    std::fill_n(count_.begin(), labels_, 0);
    for (const std::uint8_t choice : mine) ++count_[choice];
    std::size_t at = 0;
    for (const std::uint8_t choice : theirs) {
        if (choice >= labels_ || count_[choice] == 0) continue;
        --count_[choice];
        mine[at++] = choice;
    }
    for (std::uint32_t label = 0; label < labels_; ++label) {
        for (; count_[label] > 0; --count_[label]) mine[at++] = static_cast<std::uint8_t>(label);
    }
}

void ServiceMoves::relabel(ServiceOrder& order, const ServiceRun& runner, CounterRandom& random) {
    const std::uint32_t row = any_part(random);
    const std::uint32_t at = std::min(any_position(row, runner, random), order.length(row) - 1);
    save(order, row, at, at + 1, false);
    order.choices(row)[at] = static_cast<std::uint8_t>(random.below(labels_));
}

/// Repeats the decisions of all rows between two moments several times after them. Long runs are periodic. An
/// improvement of one period improves all periods, and annealing would have to find it in each.
void ServiceMoves::repeat(ServiceOrder& order, const ServiceRun& runner, CounterRandom& random) {
    const auto moments = static_cast<std::uint32_t>(runner.moments());
    if (moments < 3) return;
    const std::size_t moment = random.below(moments - 2);
    const std::uint32_t most = moments - 1 - static_cast<std::uint32_t>(moment);
    const std::uint32_t length = stretch_length(std::min(most, 16u), random);
    const std::uint32_t times = stretch_length(std::max(1u, most / length), random);
    const std::span<const std::uint32_t> begin = runner.moment(moment);
    const std::span<const std::uint32_t> end = runner.moment(moment + length);
    for (std::uint32_t row = 0; row < rows_; ++row) {
        if (begin[row] >= end[row] || end[row] >= order.length(row)) continue;
        const std::uint32_t repeated =
            std::min(order.length(row) - end[row], times * (end[row] - begin[row]));
        save(order, row, end[row], end[row] + repeated, true);
        const auto priorities = order.priorities(row);
        for (std::uint32_t i = end[row]; i < end[row] + repeated; ++i)
            priorities[i] = priorities[i - (end[row] - begin[row])];
        if (row < parts_) repeat_choices(order, row, begin[row], end[row], repeated);
    }
}

/// Arranges the `length` choices after `end` in the order of those of [begin, end), as long as there are such
/// choices; the remaining choices follow in their order.
void ServiceMoves::repeat_choices(ServiceOrder& order, std::uint32_t row, std::uint32_t begin,
                                  std::uint32_t end, std::uint32_t length) {
    const std::uint32_t last = order.length(row);
    save(order, row, end, last, false);
    const auto choices = order.choices(row);
    std::fill_n(count_.begin(), labels_, 0);
    std::fill_n(done_.begin(), labels_, 0);
    const auto old = std::span(saved_choice_).last(last - end);
    for (const std::uint8_t choice : old) {
        if (choice < labels_) ++count_[choice];
    }
    std::uint32_t at = end;
    for (std::uint32_t i = 0; i < length; ++i) {
        const std::uint8_t choice = choices[begin + i % (end - begin)];
        if (choice >= labels_ || done_[choice] == count_[choice]) continue;
        ++done_[choice];
        choices[at++] = choice;
    }
    for (const std::uint8_t choice : old) {
        if (choice < labels_ && done_[choice] > 0) {
            --done_[choice];
        } else {
            choices[at++] = choice;
        }
    }
}

}  // namespace warpnet::worst
