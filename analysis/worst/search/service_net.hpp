#pragma once

#include "engine/executors/modules/net.hpp"

#include <cstdint>
#include <vector>

namespace warpnet::worst {

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
