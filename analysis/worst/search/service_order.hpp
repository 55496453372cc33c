#pragma once

#include "engine/base/no_index.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace warpnet::worst {

/// The service order and the choices of each part, in a net whose modules meet only in hubs: one run of it.
///
/// The k-th departure of a part from a node of its automaton is its k-th decision. If it waits there for
/// hubs, `priority` decides when it is served among the waiting parts; if there are several ways, `choice`
/// selects one. A hub loop also has a row, after those of the parts: for its k-th contested step. A part with
/// more departures than decisions starts again with its first decision.
struct ServiceOrder {
    std::vector<std::uint32_t> first;     ///< per row: its first decision; one more entry: their number
    std::vector<std::uint32_t> priority;  ///< per decision: the least is served first, ties by row
    std::vector<std::uint8_t> choice;     ///< per decision: the label of a way, see ServiceNet

    std::size_t size() const noexcept { return choice.size(); }  ///< decisions of all rows
    std::size_t rows() const noexcept { return first.size() - 1; }
    std::uint32_t length(std::size_t row) const noexcept { return first[row + 1] - first[row]; }
    std::span<std::uint32_t> priorities(std::size_t row) noexcept {
        return std::span(priority).subspan(first[row], length(row));
    }
    std::span<const std::uint32_t> priorities(std::size_t row) const noexcept {
        return std::span(priority).subspan(first[row], length(row));
    }
    std::span<std::uint8_t> choices(std::size_t row) noexcept {
        return std::span(choice).subspan(first[row], length(row));
    }
    std::span<const std::uint8_t> choices(std::size_t row) const noexcept {
        return std::span(choice).subspan(first[row], length(row));
    }
    bool operator==(const ServiceOrder&) const = default;
};

/// The changes of a row by a candidate: nothing before `first_priority` and `first_choice`, nothing from
/// `end` on. no_index if there is no change of that kind.
struct ServiceChange {
    std::uint32_t row;
    std::uint32_t first_priority = no_index;
    std::uint32_t first_choice = no_index;
    std::uint32_t end = 0;
};

/// The differences of `to` from `from`, an order with rows of equal length: one change for each row that
/// differs.
std::vector<ServiceChange> changes(const ServiceOrder& from, const ServiceOrder& to);

}  // namespace warpnet::worst
