#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace warpnet {

/// Who is served and what each part chooses, in a net whose parts meet in hubs: one run of it.
///
/// The k-th time that a part sets out from a node of its automaton is its k-th decision. If it waits there
/// for hubs, `priority` says when it is served among those that wait; if it can go on in several ways,
/// `choice` says which. A hub loop has rows too, behind those of the parts: of its k-th contested step. A
/// part that sets out more often than it has decisions begins with them again.
struct ServiceOrder {
    std::vector<std::uint32_t> first;     ///< per row: its first decision; one more: their number
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

/// What a candidate changes of a row: nothing before `first_priority` and `first_choice`, nothing from `end`
/// on. `none` where there is no change of that kind.
struct ServiceChange {
    static constexpr std::uint32_t none = 0xffffffff;
    std::uint32_t row;
    std::uint32_t first_priority = none;
    std::uint32_t first_choice = none;
    std::uint32_t end = 0;
};

/// What `to` changes of `from`, an order with rows as long: one change for each row that differs.
std::vector<ServiceChange> changes(const ServiceOrder& from, const ServiceOrder& to);

}  // namespace warpnet
