// Damaged input for the readers of control-flow graphs: they accept it or throw InputError. Accepted graphs
// are sound enough for everything that is made from a graph.

#include "engine/base/random.hpp"
#include "engine/net/error.hpp"
#include "netgen/cfg/net.hpp"
#include "netgen/cfg/text.hpp"
#include "tests/support/case_count.hpp"
#include "tests/support/cfg_samples.hpp"

#include <string>
#include <string_view>
#include <vector>

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;

namespace {

const std::string text_seed =
    "a 1 o p\np 3 q r\nq 4 s\nr 5 s\ns 1 z # join\no 1 c z loop=2\nc 1 i y\ni 2 i l loop=5\ny 3 l\nl 1 o\nz "
    "0\n";

std::string mutated(std::string text, std::span<const std::string_view> pieces, CounterRandom& random) {
    const auto place = [&] { return random.below(static_cast<std::uint32_t>(text.size()) + 1); };
    for (std::uint32_t n = 1 + random.below(4); n > 0; --n) {
        const std::size_t at = place();
        const std::size_t length = random.below(12);
        switch (random.below(5)) {
            case 0:
                text.erase(at, length);
                break;
            case 1:
                text.insert(at, pieces[random.below(static_cast<std::uint32_t>(pieces.size()))]);
                break;
            case 2:
                text.replace(at, 1, 1, static_cast<char>(random.below(256)));
                break;
            case 3:
                text.insert(place(), text.substr(at, length));
                break;
            default:
                text.replace(at, length, pieces[random.below(static_cast<std::uint32_t>(pieces.size()))]);
                break;
        }
    }
    return text;
}

// Whether the text was accepted.
bool survives(const std::string& text) {
    try {
        const netgen::StructuredCfg cfg = netgen::read_cfg(text, "g");
        netgen::SplitSet all(cfg.size());
        for (const netgen::BlockId branch : cfg.branches()) all[index(branch)] = true;
        const netgen::CfgAnnotation annotation = netgen::annotate(cfg, all, netgen::unit_demand(cfg, all));
        netgen::cfg_net(cfg, annotation);
        netgen::cfg_dot(cfg, annotation);
        CHECK(netgen::read_cfg_json(netgen::write_cfg_json(cfg), "g") == cfg);
        return true;
    } catch (const InputError&) {
        return false;
    }
}

void check_mutations(const std::string& seed_text, std::span<const std::string_view> pieces) {
    REQUIRE(survives(seed_text));
    std::size_t accepted = 0;
    for (std::uint64_t seed = 0; seed < case_count(4000); ++seed) {
        CounterRandom random(seed, 0);
        const std::string text = mutated(seed_text, pieces, random);
        CAPTURE(seed, text);
        REQUIRE_NOTHROW(accepted += survives(text) ? 1U : 0U);
    }
    CHECK(accepted >= least_count(20));
    CHECK(accepted < 3960);
}

}  // namespace

TEST_CASE("damaged graph text is read or refused") {
    constexpr std::string_view pieces[] = {"\n",
                                           " ",
                                           "a",
                                           "z",
                                           "h 1 h z loop=3\n",
                                           "loop=9223372036854775807",
                                           "loop=",
                                           "0",
                                           "99999999999999999999",
                                           "-",
                                           "#",
                                           "\n\n",
                                           "s 1\n",
                                           "o",
                                           " p",
                                           "\t",
                                           "\r"};
    check_mutations(text_seed, pieces);
}

TEST_CASE("damaged JSON graphs are read or refused") {
    constexpr std::string_view pieces[] = {"[",
                                           "]",
                                           "{",
                                           "}",
                                           ",",
                                           "\"",
                                           ":",
                                           "null",
                                           "1e999",
                                           "-1",
                                           "\"b1\"",
                                           "\"b7\"",
                                           "\"b99\"",
                                           "[]",
                                           "{}",
                                           "0",
                                           "true",
                                           "\\u0000",
                                           "\\ud800",
                                           "9223372036854775807",
                                           "\"false\":[],",
                                           "\"root\":"};
    check_mutations(netgen::write_cfg_json(figure_2()), pieces);
}
