// Graphs with splits as nets. A layout lays the blocks of a graph as delays. In different layouts a branch
// splits with units of a pool, with units handed over in a fixed order, or with allotted units. In a pool, a
// place marks that something ends at this instant, so that ends come before decisions. O(blocks) nodes.
//
// The place `turn` makes the decisions of a pool follow one another, in the order of their priorities. So
// each one sees the units that the one before it has left. A block without time is an immediate transition,
// because a delay takes at least one step. `moving` counts the tokens that still have to pass such blocks,
// and decisions wait for them.

#include "netgen/cfg/net.hpp"

#include "engine/net/error.hpp"
#include "netgen/delay/delay_gadget.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

namespace warpnet::netgen {

CfgLayout::CfgLayout(const StructuredCfg& cfg, SplitSet splits)
    : cfg_(cfg), splits_(std::move(splits)), net_("cfg"), after_(cfg.size()) {
    run_.reserve(cfg.size());
    for (std::size_t i = 0; i < cfg.size(); ++i) {
        const Tokens initial = BlockId(i) == cfg.root().front() ? 1 : 0;
        run_.push_back(net_.add_place(cfg[BlockId(i)].id + "_run", initial));
    }
    enter(cfg.root(), net_.add_place("end"));
}

Net CfgLayout::build() {
    for (const BlockId block : cfg_.program_order()) lay(block);
    return net_.build();
}

void CfgLayout::go(TransitionId from, PlaceId to) { net_.add_output(from, to); }

void CfgLayout::begin_sides(BlockId at, PlaceId sides) { delay(at, sides); }

void CfgLayout::at_once(PlaceId, TransitionId) {}

PlaceId CfgLayout::enter(std::span<const BlockId> sequence, PlaceId after) {
    for (auto at = sequence.rbegin(); at != sequence.rend(); ++at) {
        after_[index(*at)] = after;
        after = run_[index(*at)];
    }
    return after;
}

void CfgLayout::delay(BlockId at, PlaceId out) {
    const std::string& id = cfg_[at].id;
    const std::int64_t time = cfg_[at].time;
    const PlaceId run = run_[index(at)];
    const TransitionId done =
        add_delay(net_, run, std::max<Tokens>(time, 1), {id + "_done", id + "_timer", id + "_tick"});
    if (time == 0) {
        net_.set_immediate(done);
        at_once(run, done);
    }
    go(done, out);
}

TransitionId CfgLayout::add_immediate(const std::string& id, PlaceId from) {
    const TransitionId transition = net_.add_transition(id);
    net_.set_immediate(transition);
    net_.add_input(from, transition);
    return transition;
}

void CfgLayout::lay(BlockId at) {
    const CfgBlock& block = cfg_[at];
    const PlaceId after = *after_[index(at)];
    if (!block.is_branch()) {
        delay(at, after);
    } else if (splits_[index(at)]) {
        split(at, after);
    } else {
        const PlaceId second = enter(block.false_side, after);
        begin_sides(at, enter(block.true_side, second));
    }
}

namespace {

class PoolLayout : public CfgLayout {
  public:
    PoolLayout(const StructuredCfg& cfg, const SplitSet& splits, Units units)
        : CfgLayout(cfg, splits),
          units_(net_.add_place("units", units - 1)),
          turn_(net_.add_place("turn", 1)),
          moving_(net_.add_place("moving", cfg[cfg.root().front()].time == 0 ? 1 : 0)) {
        for (std::size_t i = 0; i < cfg.size(); ++i) {
            if (cfg[BlockId(i)].time > 0) continue;
            passed_.insert(run_[i]);
            sides_can_end_at_once_ = sides_can_end_at_once_ || !cfg[BlockId(i)].is_branch();
        }
    }

  private:
    void go(TransitionId from, PlaceId to) override {
        CfgLayout::go(from, to);
        if (passed_.count(to) > 0) net_.add_output(from, moving_);
    }

    void at_once(PlaceId, TransitionId transition) override { net_.add_input(moving_, transition); }

    void begin_sides(BlockId at, PlaceId sides) override {
        if (!sides_can_end_at_once_) return delay(at, sides);
        const PlaceId ready = net_.add_place(cfg_[at].id + "_ready");
        delay(at, ready);
        --priority_;
        go(decision(cfg_[at].id + "_serial", ready), sides);
    }

    void split(BlockId at, PlaceId after) override {
        const CfgBlock& block = cfg_[at];
        const PlaceId ready = net_.add_place(block.id + "_ready");
        const PlaceId both = net_.add_place(block.id + "_both");
        const PlaceId one = net_.add_place(block.id + "_one");
        const PlaceId alone = net_.add_place(block.id + "_alone");
        const PlaceId true_end = net_.add_place(block.id + "_true_end");
        const PlaceId false_end = net_.add_place(block.id + "_false_end");
        passed_.insert(true_end);
        passed_.insert(false_end);
        delay(at, ready);
        const PlaceId true_side = enter(block.true_side, true_end);
        const PlaceId false_side = enter(block.false_side, false_end);

        --priority_;
        const TransitionId fork = decision(block.id + "_fork", ready);
        net_.add_input(units_, fork);
        net_.add_output(fork, both);
        go(fork, true_side);
        go(fork, false_side);
        const TransitionId serial = decision(block.id + "_serial", ready);
        net_.add_inhibitor(units_, serial);
        net_.add_output(serial, alone);
        go(serial, true_side);

        for (const bool is_true : {true, false}) {
            const std::string id = block.id + (is_true ? "_true" : "_false");
            const PlaceId end = is_true ? true_end : false_end;
            const TransitionId first = ending(id + "_first", end, both);
            net_.add_output(first, one);
            net_.add_output(first, units_);
            go(ending(id + "_last", end, one), after);
            const TransitionId next = ending(id + "_next", end, alone);
            if (is_true) net_.add_output(next, alone);
            go(next, is_true ? false_side : after);
        }
    }

    TransitionId decision(const std::string& id, PlaceId ready) {
        const TransitionId transition = add_immediate(id, ready);
        net_.set_priority(transition, priority_);
        net_.add_inhibitor(moving_, transition);
        net_.add_input(turn_, transition);
        net_.add_output(transition, turn_);
        return transition;
    }

    // `state` indicates how the branch runs.
    TransitionId ending(const std::string& id, PlaceId end, PlaceId state) {
        const TransitionId transition = add_immediate(id, end);
        at_once(end, transition);
        net_.add_input(state, transition);
        return transition;
    }

    const PlaceId units_, turn_, moving_;
    std::set<PlaceId> passed_;            // places that an immediate transition empties at once
    bool sides_can_end_at_once_ = false;  // if set, unsplit branches take turns, too
    std::int32_t priority_ = 0;
};

class HandOverLayout : public CfgLayout {
  public:
    HandOverLayout(const StructuredCfg& cfg, std::span<const HandOver> hand_overs)
        : CfgLayout(cfg, splits_of(cfg, hand_overs)), to_(cfg.size()), unit_(cfg.size()) {
        for (const HandOver& hand_over : hand_overs) {
            unit_[index(hand_over.to)] =
                net_.add_place(cfg[hand_over.to].id + "_unit", hand_over.from ? 0 : 1);
            if (!hand_over.from) continue;
            Receivers& to = to_[index(hand_over.from->branch)];
            (hand_over.from->true_side ? to.of_true_side : to.of_false_side) = unit_[index(hand_over.to)];
        }
    }

  private:
    static SplitSet splits_of(const StructuredCfg& cfg, std::span<const HandOver> hand_overs) {
        SplitSet splits(cfg.size(), false), given(cfg.size(), false);
        for (const HandOver& hand_over : hand_overs) {
            const auto require = [&](bool holds, const char* what) {
                if (!holds) throw InputError("the hand-over to '" + cfg[hand_over.to].id + "' " + what);
            };
            require(cfg[hand_over.to].is_branch(), "is to a block that is no branch");
            require(!splits[index(hand_over.to)], "is the second one to it");
            splits[index(hand_over.to)] = true;
            if (!hand_over.from) continue;
            const std::size_t from = index(hand_over.from->branch);
            require(splits[from] && hand_over.from->branch != hand_over.to,
                    "is from a branch that does not split before it");
            require(!given[from], "is of a unit that was handed over before");
            given[from] = true;
        }
        return splits;
    }

    void split(BlockId at, PlaceId after) override {
        const CfgBlock& block = cfg_[at];
        const PlaceId ready = net_.add_place(block.id + "_ready");
        delay(at, ready);
        const TransitionId fork = add_immediate(block.id + "_fork", ready);
        net_.add_input(*unit_[index(at)], fork);
        const TransitionId join = net_.add_transition(block.id + "_join");
        net_.set_immediate(join);
        net_.add_output(join, after);
        side(block.id + "_true", block.true_side, to_[index(at)].of_true_side, fork, join);
        side(block.id + "_false", block.false_side, to_[index(at)].of_false_side, fork, join);
    }

    void side(const std::string& id, std::span<const BlockId> sequence, std::optional<PlaceId> unit,
              TransitionId fork, TransitionId join) {
        const PlaceId end = net_.add_place(id + "_end");
        net_.add_output(fork, enter(sequence, end));
        if (!unit) {
            net_.add_input(end, join);
            return;
        }
        const TransitionId give = add_immediate(id + "_give", end);
        const PlaceId over = net_.add_place(id + "_over");
        net_.add_output(give, over);
        net_.add_output(give, *unit);
        net_.add_input(over, join);
    }

    struct Receivers {
        std::optional<PlaceId> of_true_side, of_false_side;
    };
    std::vector<Receivers> to_;
    std::vector<std::optional<PlaceId>> unit_;  // the place from which a split branch takes its unit
};

}  // namespace

Net pool_net(const StructuredCfg& cfg, const SplitSet& splits, Units units) {
    annotate_pooled(cfg, splits, units, UnitSharing::first_come);  // checks them
    return PoolLayout(cfg, splits, units).build();
}

Net hand_over_net(const StructuredCfg& cfg, std::span<const HandOver> hand_overs) {
    return HandOverLayout(cfg, hand_overs).build();
}

namespace {

// The place with the spare units of a part of the graph. Empty if the part has one unit only.
using SparePlace = std::optional<PlaceId>;

class AllottedLayout : public CfgLayout {
  public:
    AllottedLayout(const StructuredCfg& cfg, const CfgAnnotation& annotation)
        : CfgLayout(cfg, annotation.splits()), annotation_(annotation), spare_(cfg.size()) {
        hand_down(cfg.root(), add_spare("units", annotation.units, annotation.units - 1));
    }

  private:
    // An unsplit branch passes its units to both of its sides, in any order of the blocks.
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
        // The wavefront continues as one side. The other side and the spare units of both come from the
        // enclosing part.
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

}  // namespace warpnet::netgen
