#pragma once

#include "engine/modules/module_net.hpp"

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
struct ServicePlan {
    std::vector<std::uint32_t> first;     ///< per row: its first decision; one more: their number
    std::vector<std::uint32_t> priority;  ///< per decision: the least is served first, ties by row
    std::vector<std::uint8_t> choice;     ///< per decision: the label of a way, see PlanNet

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
    bool operator==(const ServicePlan&) const = default;
};

/// What a candidate changes of a row: nothing before `first_priority` and `first_choice`, nothing from `end`
/// on. `none` where there is no change of that kind.
struct PlanChange {
    static constexpr std::uint32_t none = 0xffffffff;
    std::uint32_t row;
    std::uint32_t first_priority = none;
    std::uint32_t first_choice = none;
    std::uint32_t end = 0;
};

/// What `to` changes of `from`, a plan with rows as long: one change for each row that differs.
std::vector<PlanChange> changes(const ServicePlan& from, const ServicePlan& to);

/// A node of the automaton as a plan sees it; aligned, so that its number is found by a shift.
struct alignas(32) PlanNode {
    const Route* const* ways;  ///< per label, `mask` + 1 of them
    std::uint32_t mask;        ///< 0: there is only one way
    std::uint8_t only;         ///< then: its label, or PlanNet::unlabelled
    std::uint32_t demand_class;
    Node::Kind kind;
};

/// The automaton of a net with its ways labelled. Equal labels at different nodes mean, as far as possible,
/// that the same transitions fire; a label that a node does not know stands for one of its ways, so that
/// every plan means something at every node.
class PlanNet {
  public:
    /// Both must outlive it.
    PlanNet(const CompiledNet& net, const ModuleNet& parts);
    PlanNet(const PlanNet&) = delete;
    PlanNet& operator=(const PlanNet&) = delete;

    const CompiledNet& net() const noexcept { return net_; }
    const ModuleNet& parts() const noexcept { return parts_; }
    const PlanNode& node(const RouteNode& node) const noexcept {
        return nodes_[parts().routes.number_of(node)];
    }
    const PlanNode& node(std::uint32_t number) const noexcept { return nodes_[number]; }
    static constexpr std::uint8_t unlabelled = 0xff;
    /// Labels are below this.
    std::uint32_t labels() const noexcept { return labels_; }
    /// The label of a way of a node.
    std::uint8_t label_of(const PlanNode& node, const Route& way) const;

    std::size_t rows() const noexcept { return parts().size() + parts().loops.size(); }
    /// Parts of one kind that begin alike have one number, ascending by their first parts.
    const std::vector<std::uint32_t>& likeness() const noexcept { return likeness_; }
    /// Per demand class: whether it wants one hub that no other class wants.
    bool is_private(std::uint32_t demand_class) const noexcept {
        return ((private_ >> demand_class) & 1) != 0;
    }
    std::uint64_t private_classes() const noexcept { return private_; }

  private:
    void label_ways();
    void find_likeness();
    void find_private_classes();

    const CompiledNet& net_;
    const ModuleNet& parts_;
    std::uint32_t labels_ = 1;
    std::vector<PlanNode> nodes_;
    std::vector<const Route*> ways_;
    std::vector<std::uint32_t> likeness_;
    std::uint64_t private_ = 0;
};

}  // namespace warpnet
