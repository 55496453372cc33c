#pragma once

#include "analysis/worst/search/service_run.hpp"
#include "engine/base/random.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace warpnet::worst {

/// The ways to make a neighbour of an order, each with its frequency; not all 0.
struct ServiceMoveWeights {
    std::uint32_t exchange = 0;  ///< two choices of a part exchanged
    std::uint32_t shift = 0;     ///< a block of choices of a part moved
    std::uint32_t gather = 0;    ///< a stretch of choices of a part sorted by label, or mixed evenly
    std::uint32_t gang = 0;      ///< the same stretch of several parts arranged alike
    std::uint32_t serve = 0;     ///< one decision of a part served just before or after another part
    std::uint32_t stretch = 0;   ///< a stretch of a part served before or after all other parts
    std::uint32_t swap = 0;      ///< two parts' priorities exchanged, for a while or from a moment on
    std::uint32_t copy = 0;      ///< a stretch of choices arranged as another part has it
    std::uint32_t relabel = 0;   ///< one choice drawn again: its label may occur too often
    std::uint32_t repeat = 0;    ///< the decisions of all parts for a while, repeated
};
inline constexpr std::size_t move_count = 10;

/// Draws neighbours of orders.
class ServiceMoves {
  public:
    ServiceMoves(const ServiceNet& net, const ServiceMoveWeights& weights);

    /// Changes the order; `runner` has its run. False if nothing was changed.
    bool draw(ServiceOrder& order, const ServiceRun& runner, CounterRandom& random);
    std::span<const ServiceChange> changes() const noexcept { return changes_; }
    /// Undoes the change.
    void undo(ServiceOrder& order) const;

  private:
    struct Saved {
        std::uint32_t row, begin, end;
        std::size_t at;  // in saved_priority_ or saved_choice_
        bool priority;
    };

    void save(const ServiceOrder& order, std::uint32_t row, std::uint32_t begin, std::uint32_t end,
              bool priority);
    void find_changes(const ServiceOrder& order);

    std::uint32_t any_part(CounterRandom& random) const {
        return active_[random.below(static_cast<std::uint32_t>(active_.size()))];
    }
    std::uint32_t any_row(CounterRandom& random) const {
        const std::uint32_t loops = rows_ - parts_;
        const std::uint32_t row = random.below(static_cast<std::uint32_t>(active_.size()) + loops);
        return row < loops ? parts_ + row : active_[row - loops];
    }
    std::uint32_t any_position(std::uint32_t row, const ServiceRun& runner, CounterRandom& random) const;
    std::size_t any_moment(const ServiceRun& runner, CounterRandom& random) const;
    std::uint32_t position(std::uint32_t row, std::size_t moment, const ServiceRun& runner,
                           CounterRandom& random) const;
    std::uint32_t stretch_length(std::uint32_t most, CounterRandom& random) const;

    void exchange(ServiceOrder& order, const ServiceRun& runner, CounterRandom& random);
    void shift(ServiceOrder& order, const ServiceRun& runner, CounterRandom& random);
    void arrange(ServiceOrder& order, std::uint32_t row, std::uint32_t begin, std::uint32_t end,
                 std::uint32_t manner);
    void gather(ServiceOrder& order, const ServiceRun& runner, CounterRandom& random);
    void gang(ServiceOrder& order, const ServiceRun& runner, CounterRandom& random);
    void serve(ServiceOrder& order, const ServiceRun& runner, CounterRandom& random);
    void stretch(ServiceOrder& order, const ServiceRun& runner, CounterRandom& random);
    void swap(ServiceOrder& order, const ServiceRun& runner, CounterRandom& random);
    void copy(ServiceOrder& order, const ServiceRun& runner, CounterRandom& random);
    void relabel(ServiceOrder& order, const ServiceRun& runner, CounterRandom& random);
    void repeat(ServiceOrder& order, const ServiceRun& runner, CounterRandom& random);
    void repeat_choices(ServiceOrder& order, std::uint32_t row, std::uint32_t begin, std::uint32_t end,
                        std::uint32_t length);

    std::uint32_t parts_, rows_, labels_;
    std::vector<std::uint32_t> active_;            // parts with decisions
    std::array<std::uint32_t, move_count> up_to_;  // sums of weights
    std::vector<ServiceChange> changes_;
    std::vector<Saved> saves_;
    std::vector<std::uint32_t> saved_priority_;
    std::vector<std::uint8_t> saved_choice_;
    std::vector<std::uint32_t> count_, done_;  // per label
};

}  // namespace warpnet::worst
