// Makes whole orders from a few parameters. A strategy fixes the victim (the part that is served last), the
// patterns in which parts make their choices, and the service order of the other parts. A few runs of the net
// under random choices show how many decisions each part makes and how often it needs each label. Orders keep
// these counts, so most of them lead to runs of similar length.

#include "analysis/worst/search/service_starts.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

namespace warpnet::worst {

namespace {

constexpr std::uint32_t longest_row = 1 << 22;  // decisions
constexpr std::uint32_t first_length = 64;
constexpr std::uint32_t spare_decisions = 4;
constexpr std::uint32_t trial_runs = 4;
constexpr std::uint32_t victim_priority = std::uint32_t{1} << 31;
constexpr std::uint32_t middle_priority = std::uint32_t{1} << 30;
constexpr std::size_t most_pieces = 8;

ServiceOrder hashed_order(const ServiceNet& net, const std::vector<std::uint32_t>& lengths,
                          std::uint64_t seed) {
    ServiceOrder order;
    order.first.push_back(0);
    for (std::uint32_t row = 0; row < lengths.size(); ++row) {
        CounterRandom random(seed, row);
        for (std::uint32_t i = 0; i < lengths[row]; ++i) {
            order.priority.push_back(random.below(middle_priority));
            order.choice.push_back(static_cast<std::uint8_t>(random.below(net.labels())));
        }
        order.first.push_back(static_cast<std::uint32_t>(order.choice.size()));
    }
    return order;
}

/// Permutation number `number` of `values`, cyclically.
void permute(std::vector<std::uint8_t>& values, std::uint32_t number) {
    for (std::size_t i = 0; i + 1 < values.size(); ++i) {
        const auto left = static_cast<std::uint32_t>(values.size() - i);
        const auto from = static_cast<std::ptrdiff_t>(i);
        std::rotate(values.begin() + from, values.begin() + from + number % left,
                    values.begin() + from + number % left + 1);
        number /= left;
    }
}

}  // namespace

ServiceStarts::ServiceStarts(const ServiceNet& net, std::uint64_t max_steps, std::uint64_t seed,
                             const WorkLimits& limits)
    : net_(net), longest_(net.rows(), 0) {
    ServiceRun runner(net, max_steps);
    std::vector<std::uint32_t> lengths(net.rows(), first_length);
    ServiceTrace trace;
    for (std::uint32_t run = 0; run < trial_runs && !endless_;) {
        base_ = hashed_order(net, lengths, hash_bits(seed, run));
        trace.departures.clear();
        endless_ = !runner.run(base_, &trace).dead;
        bool enough = true;
        for (std::uint32_t row = 0; row < net.rows(); ++row) {
            const std::uint32_t made = std::min(runner.decisions(row), longest_row);
            enough &= made <= lengths[row];
            longest_[row] = std::max(longest_[row], made);
            lengths[row] = std::max(lengths[row], made);
        }
        if (limits.must_end()) break;
        if (enough) ++run;
    }
    // Other choices may lead through more decisions than those seen.
    for (std::uint32_t row = 0; row < net.rows(); ++row) lengths[row] = longest_[row] + spare_decisions;
    base_ = hashed_order(net, lengths, seed);
    for (std::uint32_t part = 0; part < net.parts().size(); ++part) {
        const auto choices = base_.choices(part);
        std::fill(choices.begin(), choices.end(), ServiceNet::unlabelled);
    }
    std::vector<std::uint32_t> made(net.rows(), 0);
    for (const ServiceTrace::Departure& departure : trace.departures) {
        const std::uint32_t number = made[departure.row]++;
        if (number < lengths[departure.row])
            base_.choice[base_.first[departure.row] + number] = departure.label;
    }
    using Likeness = std::tuple<std::uint32_t, std::uint32_t, std::vector<std::uint32_t>>;
    std::map<Likeness, std::uint32_t> likeness;
    for (std::uint32_t part = 0; part < net.parts().size(); ++part) {
        if (net.likeness()[part] == victims_.size()) victims_.push_back(part);
        std::vector<std::uint32_t> count(256);
        for (const std::uint8_t label : base_.choices(part)) ++count[label];
        std::uint32_t labels = 0;
        for (std::size_t label = 0; label < net.labels(); ++label) {
            most_rounds_ = std::max(most_rounds_, count[label]);
            if (count[label] > 0) ++labels;
        }
        most_labels_ = std::max(most_labels_, labels);
        alike_.push_back(likeness.try_emplace({net.likeness()[part], lengths[part], std::move(count)}, part)
                             .first->second);
    }
}

ServiceStrategy::Pattern ServiceStarts::random_pattern(CounterRandom& random) const {
    ServiceStrategy::Pattern pattern;
    pattern.order = random.below(24);
    if (random.below(2) == 0) return pattern;
    const double exponent = random.uniform();
    while (pattern.rounds < most_rounds_ && random.uniform() < 0.3 + 0.6 * exponent)
        pattern.rounds = pattern.rounds + 1 + pattern.rounds / 2;
    pattern.rounds = std::min(pattern.rounds, most_rounds_);
    return pattern;
}

ServiceStrategy ServiceStarts::random_strategy(CounterRandom& random) const {
    ServiceStrategy strategy;
    const auto victims = static_cast<std::uint32_t>(victims_.size());
    if (random.below(8) != 0) strategy.victim = victims_[random.below(victims)];
    strategy.victim_first = random.below(8) == 0;
    if (random.below(2) == 0)
        strategy.service = static_cast<ServiceStrategy::Service>(random.below(ServiceStrategy::services));
    strategy.of_victim = random_pattern(random);
    strategy.of_others[0] = strategy.of_others[1] = random_pattern(random);
    if (random.below(3) == 0) strategy.of_others[1] = random_pattern(random);
    strategy.turn = 1 + random.below(3);
    return strategy;
}

ServiceStrategy ServiceStarts::neighbour(const ServiceStrategy& strategy, CounterRandom& random) const {
    const ServiceStrategy other = random_strategy(random);
    ServiceStrategy result = strategy;
    switch (random.below(7)) {
        case 0:
            result.victim = other.victim;
            result.victim_first = other.victim_first;
            break;
        case 1:
            result.service = static_cast<ServiceStrategy::Service>(random.below(ServiceStrategy::services));
            break;
        case 2:
            result.of_victim = other.of_victim;
            break;
        case 3:
            result.of_others = other.of_others;
            break;
        case 4:
            result.of_others[random.below(2)] = other.of_others[0];
            break;
        case 5:
            result.turn = 1 + random.below(8);
            break;
        default:
            (random.below(2) == 0 ? result.of_others[random.below(2)] : result.of_victim).rounds =
                1 + random.below(most_rounds_);
            break;
    }
    return result;
}

ServiceStrategy ServiceStarts::reshaped(const ServiceStrategy& strategy, CounterRandom& random) const {
    ServiceStrategy result = strategy;
    for (std::uint32_t changes = 1 + random.below(2); changes > 0; --changes) {
        switch (random.below(4)) {
            case 0:
            case 1:
                reshape(result.of_victim.pieces, random);
                break;
            case 2:
                reshape(result.of_others[0].pieces, random);
                result.of_others[1] = result.of_others[0];
                break;
            default:
                reshape(result.of_others[random.below(2)].pieces, random);
                break;
        }
    }
    return result;
}

void ServiceStarts::reshape(std::vector<ServiceStrategy::Piece>& pieces, CounterRandom& random) const {
    const auto other_piece = [&]() -> ServiceStrategy::Piece& {
        return pieces[random.below(static_cast<std::uint32_t>(pieces.size()))];
    };
    const auto shift = [&](std::uint32_t& count, std::uint32_t least) {
        const std::uint32_t change = 1 + random.below(random.below(2) == 0 ? 20 : 2);
        if (random.below(2) == 0) {
            count = std::min(count + change, most_rounds_);
        } else {
            count = count > change + least ? count - change : least;
        }
    };
    const std::uint32_t kind = pieces.empty() ? 0 : random.below(6);
    if (kind == 0 && pieces.size() < most_pieces) {
        ServiceStrategy::Piece piece;
        for (std::uint32_t label = 0; label < most_labels_; ++label) piece.counts.push_back(random.below(6));
        piece.repeats = 1 + random.below(random.below(2) == 0 ? std::max(4U, most_rounds_ / 4) : 4);
        const auto at = random.below(static_cast<std::uint32_t>(pieces.size()) + 1);
        pieces.insert(pieces.begin() + at, std::move(piece));
    } else if (kind <= 1) {
        pieces.erase(pieces.begin() + random.below(static_cast<std::uint32_t>(pieces.size())));
    } else if (kind == 2) {
        shift(other_piece().repeats, 1);
    } else if (kind <= 4) {
        shift(other_piece().counts[random.below(most_labels_)], 0);
    } else {
        std::swap(other_piece(), other_piece());
    }
}

void ServiceStarts::fill_choices(ServiceOrder& order, std::uint32_t part,
                                 const ServiceStrategy::Pattern& pattern) const {
    std::vector<std::uint32_t> count(256, 0), done(256, 0);
    const auto choices = order.choices(part);
    for (const std::uint8_t label : base_.choices(part)) ++count[label];
    std::vector<std::uint8_t> labels;
    for (std::uint32_t label = 0; label < net_.labels(); ++label) {
        if (count[label] > 0) labels.push_back(static_cast<std::uint8_t>(label));
    }
    permute(labels, pattern.order);
    std::size_t at = 0;
    const auto choose_until = [&](std::uint8_t label, std::uint32_t until) {
        for (; done[label] < until; ++done[label]) choices[at++] = label;
    };
    for (const ServiceStrategy::Piece& piece : pattern.pieces) {
        for (std::uint32_t repeat = 0; repeat < piece.repeats; ++repeat) {
            for (std::size_t i = 0; i < labels.size(); ++i)
                choose_until(labels[i], std::min(done[labels[i]] + piece.counts[i], count[labels[i]]));
        }
    }
    const std::vector<std::uint32_t> before = done;
    for (std::uint64_t round = 1; round <= pattern.rounds; ++round) {
        for (const std::uint8_t label : labels) {
            const std::uint64_t rest = count[label] - before[label];
            choose_until(label, before[label] + static_cast<std::uint32_t>(rest * round / pattern.rounds));
        }
    }
    // The rest after everything that was seen.
    for (std::size_t i = at; i < choices.size(); ++i)
        choices[i] = at == 0 ? std::uint8_t{0} : choices[i % at];
}

ServiceStarts::LoneWalk ServiceStarts::walk_alone(const ServiceOrder& order, std::uint32_t part) const {
    const ModuleNet& parts = net_.parts();
    const std::uint32_t length = order.length(part);
    const auto start = parts.start_supplies_of(part);
    std::vector<Tokens> supplies(start.begin(), start.end());
    LoneWalk walk;
    walk.steps.assign(length, 0);
    const RouteNode* at = &parts.routes.node(parts.start[part]);
    for (std::uint32_t i = 0; i < length && at->kind != ModuleNode::Kind::over; ++i) {
        const ServiceNode& node = net_.node(*at);
        const Route& route = *node.ways[order.choice[order.first[part] + i] & node.mask];
        walk.steps[i] = route.steps;
        at = route.follow(parts.automaton, supplies.data());
    }
    walk.steps_left.assign(length, 0);
    std::uint64_t sum = 0;
    for (std::uint32_t i = length; i-- > 0;) walk.steps_left[i] = sum += walk.steps[i];
    return walk;
}

void ServiceStarts::fill_priorities(ServiceOrder& order, std::uint32_t part, ServiceStrategy::Service service,
                                    CounterRandom& random) const {
    using Service = ServiceStrategy::Service;
    const bool by_steps = service == Service::most_left || service == Service::least_left ||
                          service == Service::long_first || service == Service::short_first;
    const LoneWalk walk = by_steps ? walk_alone(order, part) : LoneWalk();
    const auto priorities = order.priorities(part);
    // A distance of 1024 between neighbours leaves a search room for values between them.
    const auto left_from = [&](std::uint32_t i) {
        return static_cast<std::uint32_t>(
            std::min<std::uint64_t>(walk.steps_left[i], middle_priority / 1024 - 1) * 1024);
    };
    const auto away_from = [&](std::uint32_t i) {
        return static_cast<std::uint32_t>(std::min<std::uint64_t>(walk.steps[i], 1023) << 20);
    };
    for (std::uint32_t i = 0; i < priorities.size(); ++i) {
        switch (service) {
            case Service::most_left:
                priorities[i] = middle_priority - left_from(i);
                break;
            case Service::least_left:
                priorities[i] = left_from(i);
                break;
            case Service::rotation:
                priorities[i] = std::min(i, middle_priority / 1024 - 1) * 1024;
                break;
            case Service::first:
                priorities[i] = std::min(part, middle_priority / 1024 - 1) * 1024;
                break;
            case Service::last:
                priorities[i] = middle_priority - std::min(part, middle_priority / 1024 - 1) * 1024;
                break;
            case Service::random:
                priorities[i] = random.below(middle_priority);
                break;
            case Service::long_first:
                priorities[i] = middle_priority - away_from(i) + (1 << 20) - left_from(i) / 1024;
                break;
            case Service::short_first:
                priorities[i] = away_from(i) + (1 << 20) - left_from(i) / 1024;
                break;
        }
    }
}

ServiceOrder ServiceStarts::plan(const ServiceStrategy& strategy, CounterRandom& random) const {
    using Service = ServiceStrategy::Service;
    const bool alike_served = strategy.service != Service::first && strategy.service != Service::last &&
                              strategy.service != Service::random;
    ServiceOrder order = base_;
    std::array<std::vector<std::uint32_t>, 2> done;  // other parts by pattern, all different
    std::uint32_t others = 0;
    for (std::uint32_t part = 0; part < net_.parts().size(); ++part) {
        if (part == strategy.victim) {
            fill_choices(order, part, strategy.of_victim);
            fill_priorities(order, part, strategy.service, random);
            for (std::uint32_t& priority : order.priorities(part))
                priority = strategy.victim_first ? 0 : priority + victim_priority;
            continue;
        }
        const std::uint32_t which = others++ / strategy.turn % 2;
        const auto twin = std::find_if(done[which].begin(), done[which].end(),
                                       [&](std::uint32_t other) { return alike_[other] == alike_[part]; });
        if (twin == done[which].end()) {
            fill_choices(order, part, strategy.of_others[which]);
            fill_priorities(order, part, strategy.service, random);
            done[which].push_back(part);
            continue;
        }
        std::ranges::copy(order.choices(*twin), order.choices(part).begin());
        if (alike_served) {
            std::ranges::copy(order.priorities(*twin), order.priorities(part).begin());
        } else {
            fill_priorities(order, part, strategy.service, random);
        }
    }
    return order;
}

ServiceOrder ServiceStarts::random_order(CounterRandom& random) const {
    ServiceOrder order = base_;
    for (std::uint32_t part = 0; part < net_.parts().size(); ++part) {
        const auto choices = order.choices(part);
        for (std::size_t i = choices.size(); i > 1; --i)
            std::swap(choices[i - 1], choices[random.below(static_cast<std::uint32_t>(i))]);
        for (std::uint8_t& choice : choices) {
            if (choice == ServiceNet::unlabelled)
                choice = static_cast<std::uint8_t>(random.below(net_.labels()));
        }
    }
    for (std::uint32_t& priority : order.priority) priority = random.below(middle_priority);
    return order;
}

}  // namespace warpnet::worst
