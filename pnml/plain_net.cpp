#include "pnml/plain_net.hpp"

#include "engine/net/error.hpp"

#include <string>

namespace warpnet {

namespace {

[[noreturn]] void fail(std::string_view format, const std::string& what, const std::string& why) {
    throw InputError(std::string(format) + " has no " + what + ": " + why);
}

}  // namespace

void require_no_order(const Net& net, std::string_view format) {
    for (const Transition& transition : net.transitions()) {
        const Transition& first = net.transitions().front();
        if (transition.immediate != first.immediate) {
            fail(format, "immediate transitions",
                 "'" + (transition.immediate ? transition : first).id +
                     "' fires before the others (convert --timed-only replaces them)");
        }
        if (transition.priority != first.priority) {
            fail(format, "priorities", "'" + first.id + "' and '" + transition.id + "' have different ones");
        }
    }
}

void require_plain(const Net& net, std::string_view format) {
    for (const Arc& arc : net.arcs()) {
        if (arc.kind != ArcKind::inhibitor) continue;
        throw InputError(std::string(format) + " has no inhibitor arcs: the one from place '" +
                         net[arc.place].id + "' to transition '" + net[arc.transition].id +
                         "' must be eliminated first (by a complement place)");
    }
    require_no_order(net, format);
}

}  // namespace warpnet
