#pragma once

#include "engine/net/net_builder.hpp"
#include "netgen/cfg/cfg.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace warpnet {

/// Lays the blocks of a graph as a net, in program order. When a block's turn comes, what it stands in has
/// already said where its control goes next. What a branch does that splits is the derived class's matter.
class CfgLayout {
  public:
    CfgLayout(const StructuredCfg& cfg, SplitSet splits);
    CfgLayout(const CfgLayout&) = delete;
    CfgLayout& operator=(const CfgLayout&) = delete;
    virtual ~CfgLayout() = default;

    /// REQUIRES: not called before.
    Net build();

  protected:
    /// Lays a branch that splits; control goes on to `after`.
    virtual void split(BlockId at, PlaceId after) = 0;
    /// Lays the block of a branch that does not split; its sides begin at `sides`.
    virtual void begin_sides(BlockId at, PlaceId sides);
    /// The output arc by which control gets to a place.
    virtual void go(TransitionId from, PlaceId to);
    /// Called for each transition that takes control out of a place as soon as it is there.
    virtual void at_once(PlaceId from, TransitionId transition);

    /// Where control goes to run this sequence and then go on to `after`.
    PlaceId enter(std::span<const BlockId> sequence, PlaceId after);
    /// A delay gadget ([Gogolinska17] section 4): exactly e(b) steps from the token's arrival until it is in
    /// `out`.
    void delay(BlockId at, PlaceId out);
    /// A new immediate transition that takes control out of `from`.
    TransitionId add_immediate(const std::string& id, PlaceId from);

    const StructuredCfg& cfg_;
    const SplitSet splits_;
    NetBuilder net_;
    std::vector<PlaceId> run_;  ///< of each block

  private:
    void lay(BlockId at);

    std::vector<std::optional<PlaceId>> after_;
};

}  // namespace warpnet
