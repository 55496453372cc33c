#pragma once

#include "engine/base/random.hpp"
#include "engine/net/net_builder.hpp"

#include <string>
#include <vector>

namespace warpnet::testing {

/// Two to four copies of a part around common places. The parts may contain copies of smaller parts, take
/// from their neighbours in a ring, and be tested by transitions that treat all copies alike. Arcs are of all
/// kinds; there are priorities and immediate transitions. One net in five has a part that differs in one
/// weight or one token. Equal seeds give equal nets.
class SymmetricNet {
  public:
    explicit SymmetricNet(std::uint64_t seed) : random_(seed, 0), seed_(seed) {
        for (std::uint32_t h = 0; h < 1 + random_.below(2); ++h)
            common_.push_back(net_.add_place("common" + std::to_string(h), random_.below(3)));
        const std::uint32_t copies = 2 + random_.below(3);
        const std::uint32_t inside = random_.below(3) == 0 ? 2 : 0;
        const bool ring = random_.below(3) == 0;
        odd_ = random_.below(5) == 0;
        std::vector<std::vector<PlaceId>> parts;
        for (std::uint32_t copy = 0; copy < copies; ++copy) {
            const std::string id = "part" + std::to_string(copy);
            CounterRandom shape(seed, 1);
            parts.push_back(add_part(id, common_, 2 + shape.below(2), shape, odd_ && copy == 0));
            for (std::uint32_t i = 0; i < inside; ++i) {
                CounterRandom inner(seed, 2);
                add_part(id + "_" + std::to_string(i), parts.back(), 2, inner, odd_ && copy == 1 && i == 0);
            }
        }
        if (ring) {
            for (std::uint32_t copy = 0; copy < copies; ++copy) {
                CounterRandom shape(seed, 3);
                join("ring" + std::to_string(copy), parts[copy], parts[(copy + 1) % copies], shape);
            }
        }
        if (random_.below(2) == 0) add_common_transition(parts);
    }

    Net build() { return net_.build(); }

  private:
    static PlaceId one_of(const std::vector<PlaceId>& places, CounterRandom& random) {
        return places[random.below(static_cast<std::uint32_t>(places.size()))];
    }
    static Tokens weight(CounterRandom& random) { return random.below(5) == 0 ? 2 : 1; }

    std::vector<PlaceId> add_part(const std::string& id, const std::vector<PlaceId>& around,
                                  std::uint32_t size, CounterRandom& shape, bool odd) {
        std::vector<PlaceId> own;
        for (std::uint32_t p = 0; p < size; ++p) {
            const Tokens tokens = p == 0 ? 1 : shape.below(4) / 3;
            own.push_back(net_.add_place(id + "_p" + std::to_string(p), tokens + (odd && p == 1 ? 1 : 0)));
        }
        for (std::uint32_t t = 0; t < 2 + shape.below(2); ++t) {
            const TransitionId transition = net_.add_transition(id + "_t" + std::to_string(t));
            const std::uint32_t from = shape.below(size);
            net_.add_input(own[from], transition, weight(shape));
            const bool immediate = from + 1 < size && shape.below(6) == 0;
            if (immediate) net_.set_immediate(transition);
            if (shape.below(6) == 0) net_.set_priority(transition, 1);
            // Immediate transitions only move tokens forward, so that they come to an end.
            net_.add_output(transition, own[immediate ? size - 1 : (from + 1) % size]);
            if (!immediate && shape.below(2) == 0) net_.add_input(one_of(around, shape), transition);
            if (!immediate && shape.below(3) > 0) net_.add_output(transition, one_of(around, shape));
            if (shape.below(5) == 0) net_.add_inhibitor(one_of(around, shape), transition, weight(shape) + 1);
            if (shape.below(6) == 0) net_.add_read(one_of(own, shape), transition);
        }
        return own;
    }

    void join(const std::string& id, const std::vector<PlaceId>& left, const std::vector<PlaceId>& right,
              CounterRandom& shape) {
        const TransitionId transition = net_.add_transition(id);
        net_.add_input(one_of(left, shape), transition);
        net_.add_output(transition, one_of(right, shape));
        if (shape.below(2) == 0) net_.add_inhibitor(one_of(right, shape), transition, 2);
    }

    void add_common_transition(const std::vector<std::vector<PlaceId>>& parts) {
        const TransitionId transition = net_.add_transition("all");
        net_.add_input(one_of(common_, random_), transition);
        net_.add_output(transition, one_of(common_, random_));
        const std::uint32_t place = random_.below(2);
        const bool reads = random_.below(2) == 0;
        for (const auto& part : parts) {
            if (reads) {
                net_.add_read(part[place], transition);
            } else {
                net_.add_inhibitor(part[place], transition);
            }
        }
    }

    CounterRandom random_;
    std::uint64_t seed_;
    NetBuilder net_;
    std::vector<PlaceId> common_;
    bool odd_ = false;
};

}  // namespace warpnet::testing
