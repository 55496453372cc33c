#include "engine/executors/modules/shared_places.hpp"

#include "netgen/kernel/kernel.hpp"
#include "netgen/warps/warps.hpp"

#include <catch2/catch.hpp>

using namespace warpnet;

namespace {

std::vector<std::string> shared_ids(const Net& net) {
    std::vector<std::string> ids;
    for (const std::uint32_t place : shared_places(compile(net))) ids.push_back(net.places()[place].id);
    return ids;
}

Net sms(std::size_t sms, std::size_t warps) {
    WarpsSpec spec;
    spec.warps.assign(warps, {.arith = 3, .shared = 1, .global = 1});
    spec.sms = sms;
    return warps_net(spec);
}

}  // namespace

TEST_CASE("shared places: schedulers and units, not the count of warps alive") {
    CHECK(shared_ids(sms(1, 3)) == std::vector<std::string>{"sm"});
    CHECK(shared_ids(sms(1, 16)) == std::vector<std::string>{"sm"});
    CHECK(shared_ids(sms(2, 8)).size() == 2);
    KernelSpec kernel;
    kernel.string = "LCC";
    kernel.warps = 4;
    kernel.units = {{'C', {2, 1}}, {'L', {1, 1}}};
    kernel.schedulers = 2;
    CHECK(shared_ids(kernel_net(kernel)) == std::vector<std::string>{"unit_C", "unit_L", "schedulers"});
}

TEST_CASE("shared places: one warp shares nothing") { CHECK(shared_ids(sms(1, 1)).empty()); }
