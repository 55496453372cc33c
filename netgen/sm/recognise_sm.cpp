// Recognises nets of the sm family by their ids. The program is read from weights and names, and the net is
// then generated again from it. Only an equal net is accepted, so the reading needs no checks of its own.
//
// A reader that checks each arc would repeat the generator and could drift away from it. Comparing whole nets
// costs O(net) time and the memory of a second net. Ids are only hints. A net with the same ids and other
// arcs is not equal, so it is not accepted. The search in such nets is shorter (analysis/worst/net_case.cpp).

#include "engine/base/text.hpp"
#include "netgen/same_structure.hpp"
#include "netgen/sm/sm.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace warpnet::netgen {

namespace {

constexpr std::int64_t most_warps = 4096;  // of an SM; more are no net of this family

/// The number n in "w<n>_<rest>", and the rest. 0 for ids of another form.
std::pair<std::int64_t, std::string_view> of_warp(std::string_view id) {
    const std::size_t end = id.find('_');
    if (id.empty() || id.front() != 'w' || end == id.npos) return {0, {}};
    return {parse_number<std::int64_t>(id.substr(1, end - 1)).value_or(0), id.substr(end + 1)};
}

/// Reads the program from a net with the ids of sm_net(). Undefined for other nets.
class SmReader {
  public:
    explicit SmReader(const Net& net)
        : net_(net), index_(net), credit_(net.places().size(), sm_credit_count) {}

    std::optional<SmNet> read() {
        const auto alive = index_.place("alive");
        if (!alive || !index_.place("blocks_left") || !index_.transition("b1_start")) return std::nullopt;
        SmNet sm;
        sm.blocks = net_[*alive].initial;
        sm.trips = weight("w1_begin", "w1_trips_left") + 1;
        SmProgram& program = sm.program;
        program.trips = sm.trips;
        read_credits(program);
        program.launch_refill = weight("refill_launch", "launch");
        program.launch_cap = weight("refill_launch", "launch", ArcKind::inhibitor);
        program.launch_cost = weight("b1_start", "launch", ArcKind::input);
        std::int64_t resident = 0;
        while (index_.transition(fmt::format("b{}_start", resident + 1))) ++resident;
        for (std::size_t t = 0; t < net_.transitions().size(); ++t) {
            const auto [warp, rest] = of_warp(net_.transitions()[t].id);
            if (warp < 1 || warp > most_warps) continue;
            const auto w = static_cast<std::size_t>(warp);
            if (program.bodies.size() < w) program.bodies.resize(w);
            if (const std::optional<SmOp> op = op_of(TransitionId(t), warp, rest))
                program.bodies[w - 1].push_back(*op);
        }
        const auto warps = static_cast<std::int64_t>(program.bodies.size());
        if (warps == 0 || warps % resident != 0 || program.schedulers < 1) return std::nullopt;
        program.warps_per_block = warps / resident;
        program.load_slots = 0;  // warps without loads have none
        for (std::int64_t warp = 1; warp <= warps && program.load_slots == 0; ++warp)
            program.load_slots = counted(fmt::format("w{}_load_{{}}", warp));
        return sm;
    }

  private:
    /// The weight of the arc between two nodes; 0: there is none.
    Tokens weight(std::string_view transition, std::string_view place, ArcKind kind = ArcKind::output) const {
        const auto from = index_.transition(transition);
        const auto to = index_.place(place);
        if (!from || !to) return 0;
        for (const Arc& arc : net_.arcs_of(*from))
            if (arc.place == *to && arc.kind == kind) return arc.weight;
        return 0;
    }

    /// The number of places with an id and the numbers 1, 2, ...
    std::int64_t counted(const std::string& id) const {
        std::int64_t number = 0;
        while (index_.place(fmt::format(fmt::runtime(id), number + 1))) ++number;
        return number;
    }

    void read_credits(SmProgram& program) {
        program.schedulers = counted("issue_{}");
        for (std::size_t c = 0; c < sm_credit_count; ++c) {
            const auto credit = static_cast<SmCredit>(c);
            const std::string name(to_string(credit));
            const std::string first = per_scheduler(credit) ? name + "_1" : name;
            if (!index_.place(first)) continue;
            program.refill[c] = weight("refill_" + first, first);
            program.cap[c] = weight("refill_" + first, first, ArcKind::inhibitor);
            const std::string more = "refill_more_" + first;
            program.last_refill[c] = weight(more, first);
            if (program.last_refill[c] > 0)
                program.last_blocks = weight(more, "alive", ArcKind::inhibitor) - 1;
            const std::int64_t places = per_scheduler(credit) ? program.schedulers : 1;
            for (std::int64_t s = 0; s < places; ++s) {
                const auto place =
                    index_.place(per_scheduler(credit) ? fmt::format("{}_{}", name, s + 1) : name);
                if (place) credit_[index(*place)] = c;
            }
        }
    }

    /// The operation of a transition "w1_i5_alu", or "w1_i5_load_1" of a load. The transitions for its
    /// further slots are the same.
    std::optional<SmOp> op_of(TransitionId transition, std::int64_t warp, std::string_view rest) const {
        const std::size_t end = rest.find('_');
        if (rest.empty() || rest.front() != 'i' || end == rest.npos) return std::nullopt;
        std::string_view name = rest.substr(end + 1);
        if (name.ends_with("_1")) name.remove_suffix(2);
        SmOp op;
        std::size_t kind = 0;
        while (kind < sm_op_kind_count && to_string(static_cast<SmOpKind>(kind)) != name) ++kind;
        if (kind == sm_op_kind_count) return std::nullopt;
        op.kind = static_cast<SmOpKind>(kind);
        const std::string prefix = fmt::format("w{}_", warp);
        for (const Arc& arc : net_.arcs_of(transition)) {
            const std::string_view place = net_[arc.place].id;
            if (arc.kind == ArcKind::input && credit_[index(arc.place)] < sm_credit_count)
                op.credits[credit_[index(arc.place)]] = arc.weight;
            if (arc.kind != ArcKind::output || !place.ends_with("_wait") || !place.starts_with(prefix))
                continue;
            const std::string_view gadget = place.substr(prefix.size(), place.size() - prefix.size() - 5);
            const auto steps = parse_number<std::int64_t>(gadget.substr(gadget.rfind('_') + 1));
            (gadget.starts_with("load_") ? op.slot : op.delay) = steps.value_or(0);
        }
        return op;
    }

    const Net& net_;
    NodeIndex index_;
    std::vector<std::size_t> credit_;  // per place: sm_credit_count for a place without credits
};

/// Whether sm_net() can make a net of these operations.
bool is_complete(const SmProgram& program) {
    const auto barriers = [](const std::vector<SmOp>& body) {
        return std::ranges::count(body, SmOpKind::barrier, &SmOp::kind);
    };
    const auto warps = static_cast<std::size_t>(program.warps_per_block);
    for (std::size_t w = 0; w < program.bodies.size(); ++w) {
        const std::vector<SmOp>& body = program.bodies[w];
        if (body.empty() || barriers(body) != barriers(program.bodies[w - w % warps])) return false;
        if (std::ranges::any_of(body, [](const SmOp& op) { return op.delay < 1 || op.slot < 0; }))
            return false;
    }
    return true;
}

}  // namespace

std::optional<SmNet> recognise_sm(const Net& net) {
    std::optional<SmNet> sm = SmReader(net).read();
    if (!sm || sm->blocks < 1 || sm->trips < 1 || !is_complete(sm->program)) return std::nullopt;
    if (!same_structure(net, sm_net(sm->program, sm->blocks, sm->trips))) return std::nullopt;
    return sm;
}

}  // namespace warpnet::netgen
