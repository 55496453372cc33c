// Any bytes are rejected with an InputError as a table of devices, a schedule, an order, a marking and a
// trace of a net, or are one of them. A written schedule or order is read back unchanged.

#include "analysis/pictures/schedule/read_trace.hpp"
#include "analysis/studies/files/marking_json.hpp"
#include "analysis/studies/files/schedule_csv.hpp"
#include "analysis/worst/order_csv.hpp"
#include "engine/net/error.hpp"
#include "engine/net/net_builder.hpp"
#include "netgen/sm/presets.hpp"

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string_view>

using namespace warpnet;

namespace {

/// Two transitions that compete for one token.
Net competing() {
    NetBuilder net("n");
    const PlaceId p = net.add_place("p", 1);
    const PlaceId q = net.add_place("q");
    for (const char* id : {"t", "u"}) {
        const TransitionId t = net.add_transition(id);
        net.add_input(p, t);
        net.add_output(t, q);
    }
    return net.build();
}

template <class Read>
void read(Read reader) {
    try {
        reader();
    } catch (const InputError&) {
    }
}

void demand(bool equal) {
    if (!equal) throw std::logic_error("a value that its text does not give back");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const Net net = competing();
    static const CompiledNet compiled = compile(net);
    static const worst::OrderInstance instance(net, plan(compiled), 100);
    // Bytes may be reinterpreted as characters.
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    read([&] { netgen::read_devices(text, "text"); });
    read([&] { studies::read_marking_json(text, "text", net); });
    read([&] { studies::read_firings_json(text, "text", net); });
    read([&] { pictures::read_trace(text, "text", net); });
    read([&] {
        const Schedule schedule = studies::read_schedule_csv(text, "text", net);
        demand(studies::read_schedule_csv(studies::write_schedule_csv(net, schedule), "written", net) ==
               schedule);
        studies::check_schedule(net, schedule, "text");
    });
    read([&] {
        const auto order = worst::read_order_csv(text, "text", instance);
        demand(worst::read_order_csv(worst::write_order_csv(instance, order), "written", instance) == order);
    });
    return 0;
}
