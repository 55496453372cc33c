// Recognises nets of the warps family by their ids. The parameters are read from the initial tokens, and the
// net is then generated again from them. Only an equal net is accepted, so the reading needs no checks of its
// own.

#include "netgen/same_structure.hpp"
#include "netgen/warps/warps.hpp"

#include <string>

#include <fmt/format.h>

namespace warpnet::netgen {

namespace {

/// Reads the parameters from the places of a net with the ids of warps_net(). Undefined for other nets.
class WarpsReader {
  public:
    explicit WarpsReader(const Net& net) : net_(net), index_(net) {}

    std::optional<WarpsSpec> read() const {
        const bool one = has("sm") || has("sm_1");
        const std::string prefix = one ? "" : "sm1_";
        WarpsSpec spec;
        const bool fixed = has(prefix + "sm_1"), any = has(prefix + "slots_1");
        const std::string suffix = fixed ? "_1" : "", of_warps = prefix + (any ? "s1_" : "");
        auto schedulers = tokens(prefix + "sm" + suffix);
        const auto shared = tokens(of_warps + "w1_shared_timer"),
                   global = tokens(of_warps + "w1_global_timer");
        if (!schedulers || !shared || !global) return std::nullopt;
        if (fixed) {
            spec.assignment = any ? Assignment::any : Assignment::fixed;
            spec.dispatch_units = *schedulers;
            for (*schedulers = 1; has(prefix + "sm_" + std::to_string(*schedulers + 1));) ++*schedulers;
        }
        spec.schedulers = *schedulers;
        spec.shared_latency = *shared;
        spec.global_latency = *global;
        spec.published = !has(prefix + "alive" + suffix);
        for (std::size_t w = 1;; ++w) {
            const std::string warp = of_warps + "w" + std::to_string(w) + "_";
            const auto assign =
                any ? index_.transition(prefix + "w" + std::to_string(w) + "_assign_1") : std::nullopt;
            const auto arith = count(warp + "arith_left", assign);
            if (!arith) break;
            spec.warps.push_back({*arith, count(warp + "shared_left", assign).value_or(0),
                                  count(warp + "global_left", assign).value_or(0)});
        }
        std::size_t active = 0;
        while (tokens(fmt::format("{}w{}_active", of_warps, active + 1)) == Tokens{1}) ++active;
        if (!any && active < spec.warps.size()) spec.active = active;
        if (!one) {
            while (has("sm" + std::to_string(spec.sms + 1) + "_sm" + suffix)) ++spec.sms;
            if (spec.sms == 1) {  // only one of several SMs has a block
                spec.sms = 2;
                spec.blocks = 1;
            }
        }
        if (const auto waiting = tokens("blocks")) spec.blocks = *waiting + static_cast<Tokens>(spec.sms);
        return spec;
    }

  private:
    bool has(const std::string& id) const { return index_.place(id).has_value(); }

    /// The tokens of a place at the start of a warp: initially, or given by a transition.
    std::optional<Tokens> count(const std::string& id, std::optional<TransitionId> assign) const {
        const auto place = index_.place(id);
        if (!place || !assign) return tokens(id);
        for (const Arc& arc : net_.arcs_of(*assign))
            if (arc.place == *place) return arc.weight;
        return 0;
    }

    std::optional<Tokens> tokens(const std::string& id) const {
        const auto place = index_.place(id);
        if (!place) return std::nullopt;
        return net_[*place].initial;
    }

    const Net& net_;
    NodeIndex index_;
};

}  // namespace

std::optional<WarpsSpec> recognise_warps(const Net& net) {
    std::optional<WarpsSpec> spec = WarpsReader(net).read();
    if (!spec || spec->warps.empty()) return std::nullopt;
    const bool shared = spec->assignment == Assignment::shared;
    if (spec->published && (spec->sms > 1 || !shared)) return std::nullopt;
    if (spec->active && (*spec->active == 0 || spec->sms > 1 || spec->blocks > 1)) return std::nullopt;
    // The parameters are valid only if the net equals the net with these parameters.
    const std::size_t busy = spec->blocks == 1 ? 1 : spec->sms;
    const std::size_t cores = shared ? 1 : static_cast<std::size_t>(spec->schedulers);
    const bool any = spec->assignment == Assignment::any;
    const std::size_t nodes = 18 * spec->warps.size() * busy * (any ? cores : 1);
    const std::size_t others = (any ? 3 * cores + spec->warps.size() : 2 * cores) + 1;
    if (net.places().size() < nodes || net.places().size() > nodes + others * busy + 1) return std::nullopt;
    if (spec->schedulers < 1 || spec->dispatch_units < 1 || spec->shared_latency < 1 ||
        spec->global_latency < 1)
        return std::nullopt;
    if (!same_structure(net, warps_net(*spec))) return std::nullopt;
    return spec;
}

}  // namespace warpnet::netgen
