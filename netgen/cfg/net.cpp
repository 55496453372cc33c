#include "netgen/cfg/net.hpp"

#include "netgen/cfg/layout.hpp"
#include "netgen/cfg/pool_net.hpp"

#include <string>

namespace warpnet {

namespace {

// The place of the spare units of a part of the graph; none where the part holds a single unit.
using SparePlace = std::optional<PlaceId>;

class AllottedLayout : public CfgLayout {
  public:
    AllottedLayout(const StructuredCfg& cfg, const CfgAnnotation& annotation)
        : CfgLayout(cfg, annotation.splits()), annotation_(annotation), spare_(cfg.size()) {
        hand_down(cfg.root(), add_spare("units", annotation.units, annotation.units - 1));
    }

  private:
    // An unsplit branch hands its own on to both of its sides, in whichever order the blocks are laid.
    void hand_down(std::span<const BlockId> sequence, SparePlace spare) {
        std::vector<BlockId> open(sequence.begin(), sequence.end());
        while (!open.empty()) {
            const BlockId at = open.back();
            open.pop_back();
            spare_[index(at)] = spare;
            if (splits_[index(at)]) continue;
            const CfgBlock& block = cfg_[at];
            open.insert(open.end(), block.true_side.begin(), block.true_side.end());
            open.insert(open.end(), block.false_side.begin(), block.false_side.end());
        }
    }

    SparePlace add_spare(const std::string& id, Units held, Units initial) {
        if (held == 1) return std::nullopt;
        return net_.add_place(id, initial);
    }

    void split(BlockId at, PlaceId after) override {
        const CfgBlock& block = cfg_[at];
        const BlockAnnotation& own = annotation_.blocks[index(at)];
        const PlaceId ready = net_.add_place(block.id + "_ready");
        const TransitionId fork = net_.add_transition(block.id + "_fork");
        const TransitionId join = net_.add_transition(block.id + "_join");
        net_.set_immediate(fork);
        net_.set_immediate(join);
        delay(at, ready);
        net_.add_input(ready, fork);
        net_.add_output(join, after);
        // The wavefront goes on as one side; the other side and the spares of both come from the part around.
        const Units taken = own.true_units + own.false_units - 1;
        net_.add_input(*spare_[index(at)], fork, taken);
        net_.add_output(join, *spare_[index(at)], taken);
        side(block.id + "_true", block.true_side, own.true_units, fork, join);
        side(block.id + "_false", block.false_side, own.false_units, fork, join);
    }

    void side(const std::string& id, std::span<const BlockId> sequence, Units units, TransitionId fork,
              TransitionId join) {
        const PlaceId end = net_.add_place(id + "_end");
        net_.add_input(end, join);
        const SparePlace spare = add_spare(id + "_units", units, 0);
        if (spare) {
            net_.add_output(fork, *spare, units - 1);
            net_.add_input(*spare, join, units - 1);
        }
        hand_down(sequence, spare);
        net_.add_output(fork, enter(sequence, end));
    }

    const CfgAnnotation& annotation_;
    std::vector<SparePlace> spare_;
};

}  // namespace

Net cfg_net(const StructuredCfg& cfg, const CfgAnnotation& annotation) {
    check_annotation(cfg, annotation);
    switch (annotation.sharing) {
        case UnitSharing::first_come:
            return pool_net(cfg, annotation.splits(), annotation.units);
        case UnitSharing::fixed_hand_over:
            return hand_over_net(cfg, run_pool(cfg, annotation.splits(), annotation.units).hand_overs);
        case UnitSharing::allotted:
            break;
    }
    return AllottedLayout(cfg, annotation).build();
}

}  // namespace warpnet
