#include "analysis/studies/files/trace.hpp"
#include "engine/net/net_builder.hpp"
#include "engine/plan.hpp"
#include "engine/run/replay.hpp"
#include "tests/support/random_net.hpp"

#include <map>
#include <sstream>
#include <stdexcept>

#include <catch2/catch.hpp>
#include <rapidcheck.h>
#include <rapidcheck/catch.h>

using namespace warpnet;
using namespace warpnet::testing;

namespace {

/// A reader of value change dumps that knows only the standard's grammar, and nothing of the writer.
class VcdReader {
  public:
    struct Variable {
        std::string type;
        std::size_t bits = 0;
        std::vector<std::string> scopes;
    };

    explicit VcdReader(const std::string& text) : words_(text) {
        read_declarations();
        read_changes();
    }

    std::map<std::string, Variable> variables;                 // by scope/name
    std::vector<std::map<std::string, std::uint64_t>> values;  // at the end of each time unit
    std::vector<std::map<std::string, std::size_t>> events;    // in each time unit

  private:
    static void require(bool holds, const std::string& what) {
        if (!holds) throw std::runtime_error("VCD: " + what);
    }

    std::string word() {
        std::string next;
        require(static_cast<bool>(words_ >> next), "ends within a section");
        return next;
    }

    void read_declarations() {
        std::vector<std::string> scopes;
        std::string last;
        for (std::string keyword = word(); keyword != "$enddefinitions"; keyword = word()) {
            if (keyword == "$scope") {
                require(word() == "module", "scope type");
                scopes.push_back(identifier(word()));
            } else if (keyword == "$upscope") {
                require(!scopes.empty(), "upscope without scope");
                scopes.pop_back();
            } else if (keyword == "$var") {
                const std::string type = word();
                require(type == "reg" || type == "event", "variable type");
                const std::size_t bits = std::stoul(word());
                require(bits >= 1 && bits <= 63, "size");
                const std::string code = word();
                for (const char c : code) require(c >= '!' && c <= '~', "code");
                const std::string name = scopes.back() + "/" + identifier(word());
                require(names_.emplace(code, name).second, "code twice");
                require(variables.emplace(name, Variable{type, bits, scopes}).second, "name twice");
            } else {
                require(keyword == "$comment" || keyword == "$timescale" || keyword == "$version", keyword);
                while (word() != "$end") {
                }
                continue;
            }
            require(word() == "$end", "section without $end");
        }
        require(word() == "$end", "definitions without $end");
        require(scopes.empty(), "scope without upscope");
    }

    static std::string identifier(const std::string& name) {
        require(!name.empty() && (name[0] < '0' || name[0] > '9'), "name " + name);
        for (const char c : name) {
            require((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_',
                    "name " + name);
        }
        return name;
    }

    void read_changes() {
        std::map<std::string, std::uint64_t> now;
        std::map<std::string, std::size_t> fired;
        bool dumping = false;
        std::uint64_t time = 0;
        const auto close_until = [&](std::uint64_t next) {
            for (; time < next; ++time) {
                values.push_back(now);
                events.push_back(fired);
                fired.clear();
            }
        };
        std::string next;
        require(word() == "#0", "does not begin with time 0");
        while (words_ >> next) {
            if (next[0] == '#') {
                const std::uint64_t later = std::stoull(next.substr(1));
                require(!dumping && later > time, "time does not advance");
                close_until(later);
            } else if (next == "$dumpvars") {
                dumping = true;
            } else if (next == "$end") {
                require(dumping, "$end without section");
                dumping = false;
            } else if (next[0] == 'b') {
                const std::string name = names_.at(word());
                const std::string bits = next.substr(1);
                require(variables.at(name).type == "reg" && bits.size() <= variables.at(name).bits,
                        "value too wide");
                require(bits == "0" || bits[0] == '1', "value is not in its shortest form");
                now[name] = std::stoull(bits, nullptr, 2);
            } else {
                require(next[0] == '1' && variables.at(names_.at(next.substr(1))).type == "event", next);
                require(!dumping, "event among the first values");
                ++fired[names_.at(next.substr(1))];
            }
        }
        close_until(time + 1);
    }

    std::istringstream words_;
    std::map<std::string, std::string> names_;  // by code
};

/// The markings after the last step of each time unit, and its firings.
struct Steps : Observer {
    std::vector<Marking> markings;
    std::vector<std::map<std::uint32_t, std::size_t>> fired;
    explicit Steps(const Net& net) : markings{net.initial_marking()}, fired(1) {}
    void step(std::uint64_t number, bool, std::span<const Firing> firings,
              std::span<const Tokens> marking) override {
        if (number == markings.size()) {
            markings.emplace_back();
            fired.emplace_back();
        }
        markings.back().assign(marking.begin(), marking.end());
        for (const Firing& firing : firings) ++fired.back()[firing.transition];
    }
};

}  // namespace

TEST_CASE("a value change dump holds every marking and firing of a run") {
    rc::prop("as a reader of the standard's grammar sees it", [](std::uint64_t seed) {
        const Net net = random_net(seed);
        const CompiledNet compiled = compile(net);
        RunOptions options;
        options.max_steps = 25;
        options.seed = seed;
        Steps steps(net);
        run(compiled, options, &steps);
        studies::VcdTrace trace(net);
        run(compiled, options, &trace);
        const VcdReader read(trace.finish());
        RC_ASSERT(read.values.size() == steps.markings.size());
        RC_ASSERT(read.variables.size() == net.places().size() + net.transitions().size());
        for (std::size_t time = 0; time < steps.markings.size(); ++time) {
            for (std::size_t p = 0; p < net.places().size(); ++p) {
                RC_ASSERT(read.values[time].at("places/" + net.places()[p].id) ==
                          static_cast<std::uint64_t>(steps.markings[time][p]));
            }
            RC_ASSERT(read.events[time].size() == steps.fired[time].size());
            for (const auto& [transition, times] : steps.fired[time]) {
                RC_ASSERT(read.events[time].at("transitions/" + net.transitions()[transition].id) == times);
            }
        }
    });
}

TEST_CASE("a value change dump, letter for letter") {
    NetBuilder builder("a net");
    const PlaceId p = builder.add_place("p", 4);
    const PlaceId q = builder.add_place("q.1");
    const TransitionId t = builder.add_transition("t");
    builder.add_input(p, t, 4);
    builder.add_output(t, q);
    const Net net = builder.build();
    studies::VcdTrace trace(net);
    run(compile(net), {}, &trace);
    CHECK(trace.finish() ==
          "$comment one second is one step $end\n"
          "$timescale 1 s $end\n"
          "$scope module a_net $end\n"
          "$scope module places $end\n"
          "$var reg 3 ! p $end\n"
          "$var reg 1 \" q_1 $end\n"
          "$upscope $end\n"
          "$scope module transitions $end\n"
          "$var event 1 # t $end\n"
          "$upscope $end\n"
          "$upscope $end\n"
          "$enddefinitions $end\n"
          "#0\n$dumpvars\nb100 !\nb0 \"\n$end\n"
          "#1\n1#\nb0 !\nb1 \"\n");
}

TEST_CASE("names of a value change dump are legal and different") {
    CHECK(studies::vcd_names({"p", "q r", "q_r", "q-r", "7", "", "\xc3\xa9"}) ==
          std::vector<std::string>{"p", "q_r_2", "q_r", "q_r_3", "_7", "_", "__"});
}

TEST_CASE("there are codes for any number of nodes") {
    NetBuilder builder;
    for (int i = 0; i < 20'000; ++i) builder.add_place("p" + std::to_string(i), 1);
    const Net net = builder.build();
    studies::VcdTrace trace(net);
    CHECK(VcdReader(trace.finish()).variables.size() == 20'000);
}
