#include "netgen/cfg/cfg_net.hpp"

#include "engine/net/net_builder.hpp"
#include "netgen/common/delay_gadget.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace warpnet {

namespace {

// The place of the spare units of a part of the graph; none where the part holds a single unit.
using SparePlace = std::optional<PlaceId>;

// Lays the blocks in program order. When a block's turn comes, what it stands in has already said where its
// control goes next and from where it takes units.
class Layout {
  public:
    Layout(const StructuredCfg& cfg, const CfgAnnotation& annotation)
        : cfg_(cfg), annotation_(annotation), net_("cfg"), after_(cfg.size()), spare_(cfg.size()) {
        run_.reserve(cfg.size());
        for (std::size_t i = 0; i < cfg.size(); ++i) {
            const Tokens initial = BlockId(i) == cfg.root().front() ? 1 : 0;
            run_.push_back(net_.add_place(cfg[BlockId(i)].id + "_run", initial));
        }
    }

    Net build() {
        const PlaceId end = net_.add_place("end");
        const SparePlace spare = add_spare("units", annotation_.units, annotation_.units - 1);
        enter(cfg_.root(), end, spare);
        for (const BlockId block : cfg_.program_order()) lay(block);
        return net_.build();
    }

  private:
    // Where control goes to run this sequence and then go on to `after`.
    PlaceId enter(std::span<const BlockId> sequence, PlaceId after, SparePlace spare) {
        for (auto at = sequence.rbegin(); at != sequence.rend(); ++at) {
            after_[index(*at)] = after;
            spare_[index(*at)] = spare;
            after = run_[index(*at)];
        }
        return after;
    }

    SparePlace add_spare(const std::string& id, Units held, Units initial) {
        if (held == 1) return std::nullopt;
        return net_.add_place(id, initial);
    }

    void lay(BlockId at) {
        const CfgBlock& block = cfg_[at];
        const PlaceId after = *after_[index(at)];
        if (!block.is_branch()) {
            delay(at, after);
        } else if (annotation_.blocks[index(at)].split) {
            split(at, after);
        } else {
            const PlaceId second = enter(block.false_side, after, spare_[index(at)]);
            delay(at, enter(block.true_side, second, spare_[index(at)]));
        }
    }

    // A delay gadget ([Gogolinska17] section 4): exactly `time` steps from the token's arrival until it is in
    // `out`.
    void delay(BlockId at, PlaceId out) {
        const std::string& id = cfg_[at].id;
        const std::int64_t time = cfg_[at].time;
        const PlaceId run = run_[index(at)];
        const TransitionId done =
            add_delay(net_, run, std::max<Tokens>(time, 1), {id + "_done", id + "_timer", id + "_tick"});
        if (time == 0) net_.set_immediate(done);
        net_.add_output(done, out);
    }

    void split(BlockId at, PlaceId after) {
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
        net_.add_output(fork, enter(sequence, end, spare));
    }

    const StructuredCfg& cfg_;
    const CfgAnnotation& annotation_;
    NetBuilder net_;
    std::vector<PlaceId> run_;
    std::vector<std::optional<PlaceId>> after_;
    std::vector<SparePlace> spare_;
};

}  // namespace

Net cfg_net(const StructuredCfg& cfg, const CfgAnnotation& annotation) {
    check_annotation(cfg, annotation);
    return Layout(cfg, annotation).build();
}

}  // namespace warpnet
