#pragma once

#include "analysis/worst/search/annealing.hpp"
#include "engine/base/random.hpp"

#include <cstddef>
#include <utility>

namespace warpnet {

/// A Worker of a Problem (annealing.hpp) that changes a copy of its current candidate and evaluates it at
/// once. Own is derived from it and has
///
///   change(candidate, random)  a neighbour, perhaps the same
///   evaluate(candidate)        its value
template <class Own, class Problem>
class CopyingWorker {
  public:
    using Evaluator = EvaluatedAtOnce;
    using Candidate = typename Problem::Candidate;
    using Value = typename Problem::Value;

    Value reset(Candidate candidate) {
        current_ = std::move(candidate);
        return value_ = own().evaluate(current_);
    }
    static void use_moves(AnnealingMethod, std::size_t) noexcept {}
    bool draw(CounterRandom& random) {
        candidate_ = current_;
        own().change(candidate_, random);
        if (candidate_ == current_) return false;
        candidate_value_ = own().evaluate(candidate_);
        return true;
    }
    Value value() const { return value_; }
    Value candidate_value() const { return candidate_value_; }
    void accept() {
        current_.swap(candidate_);
        value_ = candidate_value_;
    }
    static void reject() noexcept {}
    const Candidate& current() const { return current_; }

    Evaluator evaluator;

  private:
    Own& own() { return static_cast<Own&>(*this); }

    Candidate current_, candidate_;
    Value value_ = 0, candidate_value_ = 0;
};

}  // namespace warpnet
