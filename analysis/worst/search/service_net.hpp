#pragma once

#include "engine/base/no_index.hpp"
#include "engine/executors/modules/net.hpp"

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

/// A node of the automaton as an order sees it; aligned, so that a shift computes its number.
struct alignas(32) ServiceNode {
    const Route* const* ways;  ///< per label, `mask` + 1 of them
    std::uint32_t mask;        ///< 0: only one way
    std::uint8_t only;         ///< then: the label of that way, or ServiceNet::unlabelled
    std::uint32_t demand_class;
    ModuleNode::Kind kind;
};

/// The automaton of a net with labels for its ways. As far as possible, equal labels at different nodes mean
/// equal firings. A label that a node does not have selects one of its ways, so every order is valid at every
/// node.
class ServiceNet {
  public:
    /// Both must outlive it.
    ServiceNet(const CompiledNet& net, const ModuleNet& parts);
    ServiceNet(const ServiceNet&) = delete;
    ServiceNet& operator=(const ServiceNet&) = delete;

    const CompiledNet& net() const noexcept { return net_; }
    const ModuleNet& parts() const noexcept { return modules_; }
    const ServiceNode& node(const RouteNode& node) const noexcept { return nodes_[node.number]; }
    const ServiceNode& node(std::uint32_t number) const noexcept { return nodes_[number]; }
    static constexpr std::uint8_t unlabelled = 0xff;
    /// Labels are below this.
    std::uint32_t labels() const noexcept { return labels_; }
    /// The label of a way of a node, one of ServiceNode::ways.
    std::uint8_t label_of(const ServiceNode& node, const Route& way) const;

    std::size_t rows() const noexcept { return parts().size() + parts().loops.size(); }
    /// Parts of one kind with equal starts have one number, ascending by their first parts.
    const std::vector<std::uint32_t>& likeness() const noexcept { return likeness_; }
    /// Per demand class: whether it wants one hub that no other class wants.
    bool is_private(std::uint32_t demand_class) const noexcept {
        return ((private_ >> demand_class) & 1) != 0;
    }
    std::uint64_t private_classes() const noexcept { return private_; }

  private:
    void label_ways();
    void find_private_classes();

    const CompiledNet& net_;
    const ModuleNet& modules_;
    std::uint32_t labels_ = 1;
    std::vector<ServiceNode> nodes_;
    std::vector<const Route*> ways_;
    std::vector<std::uint32_t> likeness_;
    std::uint64_t private_ = 0;
};

}  // namespace warpnet::worst
