#include "netgen/sm/mechanisms.hpp"

#include <array>
#include <cstddef>

namespace warpnet::netgen {

namespace {

struct Switch {
    std::string_view name;
    bool SmMechanisms::*member;
};

constexpr std::array switches = {
    Switch{"last-wave", &SmMechanisms::last_wave},
    Switch{"run-clock", &SmMechanisms::run_clock},
    Switch{"line-transactions", &SmMechanisms::line_transactions},
    Switch{"wide-conversions", &SmMechanisms::wide_conversions},
    Switch{"load-lanes", &SmMechanisms::load_lanes},
    Switch{"replays", &SmMechanisms::replays},
    Switch{"integer-kinds", &SmMechanisms::integer_kinds},
    Switch{"local-stores", &SmMechanisms::local_stores},
    Switch{"warm-caches", &SmMechanisms::warm_caches},
    Switch{"conflict-latency", &SmMechanisms::conflict_latency},
    Switch{"l2-counters", &SmMechanisms::l2_counters},
    Switch{"common-lines", &SmMechanisms::common_lines},
    Switch{"addresses", &SmMechanisms::addresses},
    Switch{"idle-warps", &SmMechanisms::idle_warps},
    Switch{"two-pipes", &SmMechanisms::two_pipes},
    Switch{"wide-shared", &SmMechanisms::wide_shared},
    Switch{"other-counters", &SmMechanisms::other_counters},
    Switch{"routines", &SmMechanisms::routines},
    Switch{"fused", &SmMechanisms::fused},
    Switch{"sectors-once", &SmMechanisms::sectors_once},
    Switch{"footprint", &SmMechanisms::footprint},
    Switch{"pending-hits", &SmMechanisms::pending_hits},
    Switch{"fma-halves", &SmMechanisms::fma_halves},
    Switch{"wavefronts", &SmMechanisms::wavefronts},
    Switch{"store-rate", &SmMechanisms::store_rate},
    Switch{"cold-start", &SmMechanisms::cold_start},
    Switch{"counted-dram", &SmMechanisms::counted_dram},
    Switch{"code", &SmMechanisms::code},
    Switch{"spills", &SmMechanisms::spills},
    Switch{"atomics", &SmMechanisms::atomics},
    Switch{"overlap", &SmMechanisms::overlap},
};

constexpr auto switch_names = [] {
    std::array<std::string_view, switches.size()> names;
    for (std::size_t i = 0; i < names.size(); ++i) names[i] = switches[i].name;
    return names;
}();

}  // namespace

std::span<const std::string_view> sm_mechanism_names() { return switch_names; }

bool switch_off(SmMechanisms& mechanisms, std::string_view name) {
    for (const Switch& one : switches) {
        if (one.name != name) continue;
        mechanisms.*one.member = false;
        return true;
    }
    return false;
}

}  // namespace warpnet::netgen
