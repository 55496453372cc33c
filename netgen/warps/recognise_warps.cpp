// Recognises nets of the warps family by their ids. The parameters are read from the initial tokens, and the
// net is then generated again from them. Only an equal net is accepted, so the reading needs no checks of its
// own.

#include "netgen/warps/warps.hpp"

#include <algorithm>
#include <string>

namespace warpnet {

namespace {

/// Reads the parameters from the places of a net with the ids of warps_net(). Meaningless for other nets.
class WarpsReader {
  public:
    explicit WarpsReader(const Net& net) : net_(net), index_(net) {}

    std::optional<WarpsSpec> read() const {
        const bool one = index_.place("sm").has_value();
        const std::string prefix = one ? "" : "sm1_";
        WarpsSpec spec;
        const auto schedulers = tokens(prefix + "sm");
        const auto shared = tokens(prefix + "w1_shared_timer"), global = tokens(prefix + "w1_global_timer");
        if (!schedulers || !shared || !global) return std::nullopt;
        spec.schedulers = *schedulers;
        spec.shared_latency = *shared;
        spec.global_latency = *global;
        spec.published = !index_.place(prefix + "alive");
        for (std::size_t w = 1;; ++w) {
            const std::string warp = prefix + "w" + std::to_string(w) + "_";
            const auto arith = tokens(warp + "arith_left");
            if (!arith) break;
            spec.warps.push_back(
                {*arith, tokens(warp + "shared_left").value_or(0), tokens(warp + "global_left").value_or(0)});
        }
        if (!one) {
            while (index_.place("sm" + std::to_string(spec.sms + 1) + "_sm")) ++spec.sms;
            if (spec.sms == 1) {  // one of several SMs has a block
                spec.sms = 2;
                spec.blocks = 1;
            }
        }
        if (const auto waiting = tokens("blocks")) spec.blocks = *waiting + static_cast<Tokens>(spec.sms);
        return spec;
    }

  private:
    std::optional<Tokens> tokens(const std::string& id) const {
        const auto place = index_.place(id);
        if (!place) return std::nullopt;
        return net_[*place].initial;
    }

    const Net& net_;
    NodeIndex index_;
};

bool is_same(const Net& a, const Net& b) {
    const auto same_place = [](const Place& x, const Place& y) {
        return x.id == y.id && x.initial == y.initial;
    };
    const auto same_transition = [](const Transition& x, const Transition& y) {
        return x.id == y.id && x.immediate == y.immediate && x.priority == y.priority;
    };
    return std::ranges::equal(a.places(), b.places(), same_place) &&
           std::ranges::equal(a.transitions(), b.transitions(), same_transition) &&
           std::ranges::equal(a.arcs(), b.arcs());
}

}  // namespace

std::optional<WarpsSpec> recognise_warps(const Net& net) {
    std::optional<WarpsSpec> spec = WarpsReader(net).read();
    if (!spec || spec->warps.empty() || (spec->published && spec->sms > 1)) return std::nullopt;
    // The parameters are valid only if the net equals the net with these parameters.
    const std::size_t busy = spec->blocks == 1 ? 1 : spec->sms;
    const std::size_t nodes = 18 * spec->warps.size() * busy;
    if (net.places().size() < nodes || net.places().size() > nodes + 3 * busy + 1) return std::nullopt;
    if (spec->schedulers < 1 || spec->shared_latency < 1 || spec->global_latency < 1) return std::nullopt;
    if (!is_same(net, warps_net(*spec))) return std::nullopt;
    return spec;
}

}  // namespace warpnet
