// Writing and reading back is the identity on every net, in every flavour that can express it.

#include "engine/net/error.hpp"
#include "pnml/read_pnml.hpp"
#include "pnml/write_pnml.hpp"
#include "tests/pnml/random_net.hpp"

#include <catch2/catch.hpp>
#include <rapidcheck/catch.h>

using namespace warpnet;
using testing::random_net;
using testing::Strings;

namespace {

void check_round_trip(Strings strings, pnml::PnmlFlavour flavour) {
    const Net net = random_net(strings);
    const std::string text = pnml::write_pnml(net, flavour);
    RC_LOG(text);
    const Net back = pnml::read_pnml(text, "test");
    RC_ASSERT(back == net);
    RC_ASSERT(pnml::write_pnml(back, flavour) == text);
}

}  // namespace

TEST_CASE("compat PNML keeps every net") {
    rc::prop("plain strings", [] { check_round_trip(Strings::simple, pnml::PnmlFlavour::compat); });
    rc::prop("any strings", [] { check_round_trip(Strings::any_bytes, pnml::PnmlFlavour::compat); });
}

TEST_CASE("PIPE's PNML keeps every net") {
    rc::prop("plain strings", [] { check_round_trip(Strings::simple, pnml::PnmlFlavour::pipe); });
    rc::prop("any strings", [] { check_round_trip(Strings::any_bytes, pnml::PnmlFlavour::pipe); });
}

TEST_CASE("strict PNML keeps every net that it does not refuse") {
    rc::prop("any strings", [] {
        const Net net = random_net(Strings::any_bytes);
        std::string text;
        try {
            text = pnml::write_pnml(net, pnml::PnmlFlavour::strict);
        } catch (const InputError&) {
            RC_DISCARD("refused");
        }
        RC_ASSERT(pnml::read_pnml(text, "test") == net);
    });
}
