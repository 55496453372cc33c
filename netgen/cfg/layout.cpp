#include "netgen/cfg/layout.hpp"

#include "netgen/delay/delay_gadget.hpp"

#include <algorithm>
#include <utility>

namespace warpnet {

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

}  // namespace warpnet
