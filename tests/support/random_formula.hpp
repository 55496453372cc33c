#pragma once

#include "engine/base/random.hpp"
#include "engine/formula/formula.hpp"
#include "engine/net/net.hpp"

#include <cstdint>
#include <utility>
#include <vector>

namespace warpnet::testing {

/// Formulas about a net, of every kind; the same numbers give the same formulas.
class RandomFormulas {
  public:
    RandomFormulas(const Net& net, std::uint64_t seed) : net_(net), random_(seed, 77) {}

    LinearSum sum() {
        LinearSum result;
        for (std::uint32_t terms = 1 + random_.below(3); terms > 0; --terms) {
            const auto place = random_.below(static_cast<std::uint32_t>(net_.places().size()));
            bool there = false;
            for (const auto& term : result.tokens) there = there || term.node == place;
            if (!there) result.tokens.push_back({place, random_.below(4) == 0 ? -1 : 1});
        }
        return result;
    }

    Formula condition(int depth) {
        const std::uint32_t choice = random_.below(depth == 0 ? 12 : 20);
        if (choice < 9) {
            LinearSum both = sum();
            both.constant = -static_cast<std::int64_t>(random_.below(4));
            return comparison(std::move(both), static_cast<Relation>(random_.below(6)));
        }
        if (choice < 11 && !net_.transitions().empty()) {
            std::vector<std::uint32_t> transitions;
            for (std::uint32_t i = 1 + random_.below(2); i > 0; --i)
                transitions.push_back(random_.below(static_cast<std::uint32_t>(net_.transitions().size())));
            return enabled_one_of(std::move(transitions));
        }
        if (choice < 12) return random_.below(2) == 0 ? dead_marking() : constant(random_.below(2) == 0);
        if (choice < 14) return negation(condition(depth - 1));
        std::vector<Formula> operands;
        for (std::uint32_t i = 2 + random_.below(2); i > 0; --i) operands.push_back(condition(depth - 1));
        return choice < 17 ? conjunction(std::move(operands)) : disjunction(std::move(operands));
    }

    Formula ctl(int depth) {
        const std::uint32_t choice = random_.below(12);
        if (depth == 0 || choice == 0) return condition(1);
        if (choice == 1) return negation(ctl(depth - 1));
        if (choice <= 3) {
            std::vector<Formula> operands;
            for (std::uint32_t i = 2 + random_.below(2); i > 0; --i) operands.push_back(ctl(depth - 1));
            return choice == 2 ? conjunction(std::move(operands)) : disjunction(std::move(operands));
        }
        const bool all = random_.below(2) == 0;
        if (choice <= 5) return temporal(Formula::Kind::next, all, {ctl(depth - 1)});
        if (choice <= 7) return temporal(Formula::Kind::finally, all, {ctl(depth - 1)});
        if (choice <= 9) return temporal(Formula::Kind::globally, all, {ctl(depth - 1)});
        return temporal(Formula::Kind::until, all, {ctl(depth - 1), ctl(depth - 1)});
    }

  private:
    const Net& net_;
    CounterRandom random_;
};

}  // namespace warpnet::testing
