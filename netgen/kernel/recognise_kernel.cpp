// Recognises kernels by the structure of a net, so that a kernel written as PNML gets the faster search and
// the proofs for kernels. Each transition must be an instruction, which moves one token and borrows up to
// two, or part of a delay gadget. The borrowed places are units and schedulers. The remaining places form
// chains of program counters. The result is accepted only if all warps run the same instructions.

#include "engine/base/no_index.hpp"
#include "netgen/kernel/kernel.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace warpnet::netgen {
namespace {

/// The longest chain of cycles over all warps that is expanded.
constexpr std::size_t max_cycles = 10'000'000;

/// A link in the chain of a warp: an instruction, which borrows a unit and perhaps a scheduler for one cycle,
/// or a wait, which borrows nothing.
struct Link {
    PlaceId from{};
    PlaceId to{};
    std::vector<PlaceId> borrowed;
    TransitionId last{};  ///< moves the warp
    TransitionId tick{};  ///< of a wait of several cycles: fires in all but the last of them
    std::size_t cycles = 1;
    bool waits() const noexcept { return borrowed.empty(); }
};

/// The arcs of a transition by kind. Empty if there are other kinds or if the transition is immediate.
struct Flow {
    std::vector<std::pair<PlaceId, Tokens>> in, out;
};

std::optional<Flow> flow_of(const Net& net, TransitionId transition) {
    if (net[transition].immediate) return std::nullopt;
    Flow flow;
    for (const Arc& arc : net.arcs_of(transition)) {
        if (arc.kind == ArcKind::input)
            flow.in.emplace_back(arc.place, arc.weight);
        else if (arc.kind == ArcKind::output)
            flow.out.emplace_back(arc.place, arc.weight);
        else
            return std::nullopt;
    }
    return flow;
}

/// A link of one cycle: moves one token from one place to another and borrows one token each from up to two
/// other places.
std::optional<Link> as_move(const Flow& flow) {
    std::vector<PlaceId> inputs;
    std::vector<PlaceId> outputs;
    for (const auto& [places, flows] : {std::pair(&inputs, &flow.in), std::pair(&outputs, &flow.out)}) {
        for (const auto& [place, weight] : *flows) {
            if (weight != 1) return std::nullopt;
            places->push_back(place);
        }
    }
    Link link;
    std::vector<PlaceId> from;
    std::vector<PlaceId> to;
    std::ranges::set_intersection(inputs, outputs, std::back_inserter(link.borrowed));
    std::ranges::set_difference(inputs, outputs, std::back_inserter(from));
    std::ranges::set_difference(outputs, inputs, std::back_inserter(to));
    if (from.size() != 1 || to.size() != 1 || link.borrowed.size() > 2) return std::nullopt;
    link.from = from[0];
    link.to = to[0];
    return link;
}

/// The transitions of the net as links.
class Links {
  public:
    explicit Links(const Net& net) : net_(net), tick_(net.places().size(), no_index) {}

    /// Empty if a transition is neither an instruction nor a part of a wait.
    std::optional<std::vector<Link>> operator()() {
        std::vector<std::pair<TransitionId, Flow>> others;
        std::size_t ticks = 0;
        for (std::size_t i = 0; i < net_.transitions().size(); ++i) {
            const auto t = TransitionId(i);
            auto flow = flow_of(net_, t);
            if (!flow) return std::nullopt;
            if (is_tick(*flow)) {
                std::size_t& tick = tick_[index(flow->out[0].first)];
                if (std::exchange(tick, index(t)) != no_index) return std::nullopt;
                ++ticks;
            } else {
                others.emplace_back(t, std::move(*flow));
            }
        }
        std::vector<Link> links;
        for (const auto& [t, flow] : others) {
            auto link = is_end_of_wait(flow) ? as_wait(flow) : as_move(flow);
            if (!link || (link->cycles == 1 && tick_[index(link->from)] != no_index)) return std::nullopt;
            link->last = t;
            if (link->cycles > 1) --ticks;
            links.push_back(std::move(*link));
        }
        if (ticks != 0) return std::nullopt;
        return links;
    }

    const std::vector<PlaceId>& timers() const noexcept { return timers_; }

  private:
    /// wait + timer -> 2 wait
    static bool is_tick(const Flow& flow) {
        return flow.in.size() == 2 && flow.out.size() == 1 && flow.out[0].second == 2 &&
               std::ranges::all_of(flow.in, [](const auto& arc) { return arc.second == 1; }) &&
               std::ranges::any_of(flow.in, [&](const auto& arc) { return arc.first == flow.out[0].first; });
    }

    static bool is_end_of_wait(const Flow& flow) { return flow.in.size() == 1 && flow.in[0].second > 1; }

    /// d wait -> to + (d - 1) timer, together with its tick.
    std::optional<Link> as_wait(const Flow& flow) {
        const auto [wait, cycles] = flow.in[0];
        const std::size_t tick = tick_[index(wait)];
        if (flow.out.size() != 2 || tick == no_index || static_cast<std::size_t>(cycles) > max_cycles)
            return std::nullopt;
        const auto ticking = flow_of(net_, TransitionId(tick));
        const PlaceId timer = ticking->in[0].first == wait ? ticking->in[1].first : ticking->in[0].first;
        const bool timer_first = flow.out[0].first == timer;
        const auto& [back, refill] = flow.out[timer_first ? 0 : 1];
        const auto& [to, one] = flow.out[timer_first ? 1 : 0];
        if (back != timer || refill != cycles - 1 || one != 1 || to == wait ||
            net_[timer].initial != cycles - 1)
            return std::nullopt;
        timers_.push_back(timer);
        return Link{wait, to, {}, {}, TransitionId(tick), static_cast<std::size_t>(cycles)};
    }

    const Net& net_;
    std::vector<std::size_t> tick_;  // per waiting place
    std::vector<PlaceId> timers_;
};

/// The place for the schedulers, which every instruction borrows. The outer optional is empty if the
/// instructions do not agree, and the inner one if there is no such place.
std::optional<std::optional<PlaceId>> find_schedulers(const Net& net, const std::vector<Link>& links) {
    std::optional<std::vector<PlaceId>> common;
    std::size_t borrowed = 0;
    for (const Link& link : links) {
        if (link.waits()) continue;
        if (!common) {
            common = link.borrowed;
            borrowed = link.borrowed.size();
        }
        if (link.borrowed.size() != borrowed) return std::nullopt;
        std::erase_if(*common, [&](PlaceId place) { return std::ranges::count(link.borrowed, place) == 0; });
    }
    if (!common) return std::nullopt;
    if (borrowed == 1) return std::optional<PlaceId>();
    if (common->empty()) return std::nullopt;
    const auto named = std::ranges::find_if(*common, [&](PlaceId place) {
        return net[place].id.ends_with("schedulers") || net[place].name.ends_with("schedulers");
    });
    return named != common->end() ? *named : common->back();
}

class KernelReader {
  public:
    explicit KernelReader(const Net& net)
        : net_(net),
          is_resource_(net.places().size(), false),
          is_counter_(is_resource_),
          is_timer_(is_resource_),
          leaving_(net.places().size(), no_index),
          arriving_(leaving_),
          type_of_(leaving_) {}

    std::optional<KernelNet> operator()() {
        Links find_links(net_);
        auto links = find_links();
        if (!links) return std::nullopt;
        links_ = *std::move(links);
        for (const PlaceId timer : find_links.timers()) is_timer_[index(timer)] = true;
        schedulers_ = find_schedulers(net_, links_);
        if (!schedulers_ || !find_roles() || !find_resources() || !find_warps()) return std::nullopt;
        return std::move(kernel_);
    }

  private:
    /// Classifies the places: units and schedulers, program counters, and timers of waits.
    bool find_roles() {
        for (std::size_t l = 0; l < links_.size(); ++l) {
            const std::size_t from = index(links_[l].from);
            const std::size_t to = index(links_[l].to);
            if (leaving_[from] != no_index || arriving_[to] != no_index) return false;
            leaving_[from] = l;
            arriving_[to] = l;
            is_counter_[from] = is_counter_[to] = true;
            for (const PlaceId place : links_[l].borrowed) is_resource_[index(place)] = true;
        }
        for (std::size_t p = 0; p < is_resource_.size(); ++p)
            if (int(is_resource_[p]) + int(is_counter_[p]) + int(is_timer_[p]) != 1) return false;
        return true;
    }

    bool find_resources() {
        for (std::size_t p = 0; p < is_resource_.size(); ++p) {
            const Place& place = net_.places()[p];
            if (!is_resource_[p]) continue;
            if (place.initial < 1 || place.initial > std::numeric_limits<int>::max()) return false;
            if (*schedulers_ == PlaceId(p)) {
                kernel_.instance.schedulers = static_cast<int>(place.initial);
                continue;
            }
            type_of_[p] = kernel_.unit.size();
            kernel_.unit.push_back(PlaceId(p));
            kernel_.instance.capacity.push_back(static_cast<int>(place.initial));
        }
        return kernel_.unit.size() < std::numeric_limits<std::uint8_t>::max();
    }

    /// Every chain of program counters is a warp. All warps must run the same instructions.
    bool find_warps() {
        KernelInstance& instance = kernel_.instance;
        if (std::ranges::any_of(links_, &Link::waits))
            instance.waiting = static_cast<std::uint8_t>(kernel_.unit.size());
        instance.warps = 0;
        std::size_t seen = 0;
        for (std::size_t p = 0; p < is_counter_.size(); ++p) {
            if (!is_counter_[p]) continue;
            const bool is_start = arriving_[p] == no_index;
            if (net_.places()[p].initial != (is_start ? 1 : 0)) return false;
            if (!is_start) continue;
            std::vector<std::uint8_t> type;
            std::vector<int> level;
            for (std::size_t l = leaving_[p]; l != no_index; l = leaving_[index(links_[l].to)]) {
                if (!append(links_[l], type, level)) return false;
                ++seen;
            }
            if (++instance.warps == 1) {
                instance.type = std::move(type);
                instance.level = std::move(level);
            } else if (type != instance.type || level != instance.level) {
                return false;
            }
        }
        if (instance.waiting) instance.capacity.push_back(instance.warps);
        if (std::ranges::all_of(instance.level, [](int l) { return l == 0; })) instance.level.clear();
        // A ring of program counters has no start, so no chain contains its links.
        return seen == links_.size();
    }

    /// Appends the cycles of a link.
    bool append(const Link& link, std::vector<std::uint8_t>& type, std::vector<int>& level) {
        if (link.waits()) {
            if (type.empty() || kernel_.transition.size() + link.cycles > max_cycles) return false;
            type.insert(type.end(), link.cycles, *kernel_.instance.waiting);
            level.insert(level.end(), link.cycles, level.back());
            kernel_.transition.insert(kernel_.transition.end(), link.cycles - 1, link.tick);
        } else {
            const auto& borrowed = link.borrowed;
            const PlaceId unit = borrowed[0] == *schedulers_ ? borrowed[1] : borrowed[0];
            const std::int32_t priority = net_[link.last].priority;
            if (priority == std::numeric_limits<std::int32_t>::min()) return false;
            type.push_back(static_cast<std::uint8_t>(type_of_[index(unit)]));
            level.push_back(-priority);
        }
        kernel_.transition.push_back(link.last);
        return true;
    }

    const Net& net_;
    std::vector<Link> links_;
    std::optional<std::optional<PlaceId>> schedulers_;
    std::vector<bool> is_resource_;
    std::vector<bool> is_counter_;
    std::vector<bool> is_timer_;
    std::vector<std::size_t> leaving_;
    std::vector<std::size_t> arriving_;
    std::vector<std::size_t> type_of_;
    KernelNet kernel_;
};

}  // namespace

std::optional<KernelNet> recognise_kernel(const Net& net) {
    const std::size_t transitions = net.transitions().size();
    if (transitions == 0 || transitions > static_cast<std::size_t>(std::numeric_limits<int>::max()))
        return std::nullopt;
    return KernelReader(net)();
}

}  // namespace warpnet::netgen
