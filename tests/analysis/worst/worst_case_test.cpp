// The certificates of `worst`, compared with every run of small nets: under several flags, policies and
// memory limits.

#include "analysis/worst/worst_case.hpp"

#include "analysis/states/explore/run_extremes.hpp"
#include "analysis/worst/bounds/run_bounds.hpp"
#include "analysis/worst/kernel/schedule.hpp"
#include "engine/executors/modules/net.hpp"
#include "engine/input/usage_error.hpp"
#include "engine/net/error.hpp"
#include "engine/plan.hpp"
#include "netgen/kernel/kernel.hpp"
#include "netgen/warps/warps.hpp"
#include "tests/support/case_count.hpp"
#include "tests/support/random_module_net.hpp"
#include "tests/support/random_net.hpp"
#include "tests/support/random_parts_net.hpp"
#include "tests/support/reference_exploration.hpp"
#include "tests/support/sample_nets.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;

namespace {

bool chance(CounterRandom& random, std::uint32_t percent) { return random.below(100) < percent; }

/// The net without some arcs, with other weights or other kinds of arcs, and with transitions that change
/// nothing and test some places.
Net mutant(const Net& net, CounterRandom& random, std::uint32_t changed_percent, std::uint32_t loops) {
    NetBuilder builder;
    std::vector<PlaceId> places;
    for (const Place& place : net.places()) places.push_back(builder.add_place(place.id, place.initial));
    for (std::size_t t = 0; t < net.transitions().size(); ++t) {
        const Transition& transition = net.transitions()[t];
        const TransitionId added = builder.add_transition(transition.id);
        if (transition.immediate) builder.set_immediate(added);
        if (transition.priority != 0) builder.set_priority(added, transition.priority);
        for (const Arc& arc : net.arcs_of(TransitionId(t))) {
            if (!chance(random, changed_percent)) {
                builder.add_arc(arc.kind, places[index(arc.place)], added, arc.weight);
                continue;
            }
            constexpr std::array kinds{ArcKind::input, ArcKind::output, ArcKind::inhibitor, ArcKind::read};
            switch (random.below(3)) {
                case 0:
                    break;
                case 1:
                    builder.add_arc(arc.kind, places[index(arc.place)], added, 1 + random.below(3));
                    break;
                default:
                    builder.add_arc(kinds[random.below(4)], places[index(arc.place)], added, arc.weight);
            }
        }
    }
    const auto any = [&] { return places[random.below(static_cast<std::uint32_t>(places.size()))]; };
    for (std::uint32_t loop = 0; loop < loops; ++loop) {
        const TransitionId added = builder.add_transition("added" + std::to_string(loop));
        if (chance(random, 85)) {
            const PlaceId borrowed = chance(random, 60) ? places.front() : any();
            builder.add_input(borrowed, added);
            builder.add_output(added, borrowed);
        }
        for (std::uint32_t tests = random.below(3); tests > 0; --tests)
            builder.add_arc(chance(random, 70) ? ArcKind::inhibitor : ArcKind::read, any(), added,
                            1 + random.below(2));
    }
    return builder.build();
}

Net small_warps(CounterRandom& random) {
    netgen::WarpsSpec spec;
    const std::uint32_t warps = 1 + random.below(2);
    for (std::uint32_t w = 0; w < warps; ++w)
        spec.warps.push_back({random.below(3), random.below(2), random.below(2)});
    spec.schedulers = 1 + random.below(2);
    spec.shared_latency = 1 + random.below(2);
    spec.global_latency = 1 + random.below(3);
    return netgen::warps_net(spec);
}

Net small_kernel(CounterRandom& random) {
    netgen::KernelSpec spec;
    for (std::uint32_t length = 1 + random.below(3); length > 0; --length)
        spec.string += random.below(2) == 0 ? 'C' : 'L';
    spec.warps = static_cast<int>(2 + random.below(2));
    spec.units = {{'C', {1 + static_cast<int>(random.below(2)), 1}}, {'L', {1, 1}}};
    return netgen::kernel_net(spec, netgen::MultiCycle::non_preemptive);
}

/// Every run, according to the slow twin.
struct Truth {
    std::optional<std::uint64_t> longest;  ///< none: a run is endless
    bool some_end = false;
};

std::optional<Truth> truth_of(const Net& net, std::size_t most_states) {
    const auto space = reference_space(net, Semantics::maximal, most_states);
    if (!space) return std::nullopt;
    enum Colour : std::uint8_t { fresh, open, done };
    const std::size_t size = space->markings.size();
    std::vector<Colour> colour(size, fresh);
    std::vector<std::uint64_t> longest(size, 0);
    std::vector<std::pair<std::size_t, std::size_t>> path{{0, 0}};
    Truth truth;
    bool endless = false;
    colour[0] = open;
    while (!path.empty()) {
        auto& [state, next] = path.back();
        const auto& edges = space->edges[state];
        if (edges.empty()) truth.some_end = true;
        if (next == edges.size()) {
            for (const ReferenceEdge& edge : edges)
                longest[state] = std::max(longest[state],
                                          longest[space->numbers.at(edge.after)] + (edge.immediate ? 0 : 1));
            colour[state] = done;
            path.pop_back();
            continue;
        }
        const std::size_t target = space->numbers.at(edges[next++].after);
        endless |= colour[target] == open;
        if (colour[target] != fresh) continue;
        colour[target] = open;
        path.emplace_back(target, 0);
    }
    if (!endless) truth.longest = longest[0];
    return truth;
}

struct Counts {
    std::size_t nets = 0;
    std::size_t endless = 0;        ///< with an endless run
    std::size_t bounded_parts = 0;  ///< among these: the moves of the parts are bounded, the runs are not
    std::size_t told = 0;           ///< reports that there is no finite worst case
    std::size_t finite = 0;         ///< nets
    std::size_t certified = 0;      ///< among the finite nets: reports with a bound
    std::size_t proved = 0;         ///< nets with hub loops that run_bounds() proves to stop
    std::size_t undecided = 0;      ///< finite nets without a proof by run_bounds()
    Counts& operator+=(const Counts& other) {
        nets += other.nets;
        endless += other.endless;
        bounded_parts += other.bounded_parts;
        told += other.told;
        finite += other.finite;
        certified += other.certified;
        proved += other.proved;
        undecided += other.undecided;
        return *this;
    }
};

struct Flags {
    const char* name;
    std::function<void(worst::WorstCaseOptions&)> set;
};

const std::vector<Flags>& all_flags() {
    static const std::vector<Flags> flags = {
        {"default", [](worst::WorstCaseOptions&) {}},
        {"--bound", [](worst::WorstCaseOptions& options) { options.search = false; }},
        {"--exact", [](worst::WorstCaseOptions& options) { options.exact = true; }},
        {"--policy gto", [](worst::WorstCaseOptions& options) { options.policy = Policy::gto; }},
        {"--policy lrr", [](worst::WorstCaseOptions& options) { options.policy = Policy::lrr; }},
        {"--memory 1k", [](worst::WorstCaseOptions& options) { options.limits.memory = 1024; }},
        {"--memory 1k --bound",
         [](worst::WorstCaseOptions& options) {
             options.limits.memory = 1024;
             options.search = false;
         }},
    };
    return flags;
}

void check_report(const worst::WorstCase& report, const Truth& truth, Counts& counts) {
    const bool of_one_policy = report.policy && report.policy_decides && report.exact;
    if (report.endless == worst::EndlessRuns::every) CHECK_FALSE(truth.some_end);
    if (report.endless != worst::EndlessRuns::none_known) {
        CHECK_FALSE(truth.longest);
        ++counts.told;
    }
    if (report.endless == worst::EndlessRuns::some) CHECK(truth.some_end);
    if (report.found && !truth.some_end) FAIL("a run that ends was found where none does");
    if (!truth.longest) {
        // Under a policy that leaves only one run, that run may end.
        if (of_one_policy && report.found) return;
        CHECK_FALSE(report.bound);
        CHECK(report.bounds.empty());
        return;
    }
    if (report.bound && !of_one_policy) {
        CHECK(*report.bound >= *truth.longest);
        ++counts.certified;
    }
    if (!of_one_policy)
        for (const worst::StepBound& bound : report.bounds) CHECK(bound.steps >= *truth.longest);
    if (report.found) CHECK(*report.found <= *truth.longest);
    if (report.exact && !of_one_policy) CHECK(report.found == truth.longest);
    CHECK(worst::no_worst_case(report).empty());
}

void judge(const Net& net, std::size_t most_states, Counts& counts) {
    const std::optional<Truth> truth = truth_of(net, most_states);
    if (!truth) return;
    ++counts.nets;
    ++(truth->longest ? counts.finite : counts.endless);
    const Plan planned = plan(compile(net), {}, {.borrowed_hubs = true});
    const worst::RunBounds bounds = worst::run_bounds(net, planned);
    const bool open = bounds.no_upper.starts_with("when no part moves") ||
                      bounds.no_upper.starts_with("it is not proved that every run ends");
    if (open) ++(truth->longest ? counts.undecided : counts.bounded_parts);
    if (truth->longest && planned.modules() && !planned.modules()->loops.empty() && !bounds.upper.empty())
        ++counts.proved;
    for (const worst::StepBound& bound : bounds.upper) {
        CAPTURE(bound.argument);
        CHECK(truth->longest);
        if (truth->longest) CHECK(bound.steps >= *truth->longest);
    }
    for (const Flags& flags : all_flags()) {
        CAPTURE(flags.name);
        worst::WorstCaseOptions options;
        options.threads = 1;
        options.chains = 1;
        options.iterations = 5;
        options.max_steps = 5'000;
        flags.set(options);
        try {
            check_report(worst::worst_case(net, options), *truth, counts);
        } catch (const InputError&) {  // no parts for a policy to serve
            CHECK(options.policy);
        }
    }
}

struct Shape {
    const char* name;
    std::function<Net(std::uint64_t seed, CounterRandom& random)> make;
};

const std::vector<Shape>& shapes() {
    static const std::vector<Shape> all = {
        {"parts and hubs",
         [](std::uint64_t seed, CounterRandom& random) {
             return mutant(RandomPartsNet(seed).build(), random, 0, random.below(3));
         }},
        {"unions",
         [](std::uint64_t seed, CounterRandom& random) {
             RandomNetOptions small{.places = 2, .transitions = 3, .gadgets = 0, .immediates = false};
             small.priorities = small.sources = false;
             std::vector<Net> nets = {small_kernel(random), random_net(seed, small)};
             if (chance(random, 50)) nets.front() = small_warps(random);
             return mutant(net_union(nets, chance(random, 50)), random, 0, random.below(2));
         }},
        {"mutants of generated nets",
         [](std::uint64_t, CounterRandom& random) {
             const Net net = chance(random, 70) ? small_warps(random) : small_kernel(random);
             return mutant(net, random, random.below(3), random.below(2));
         }},
        {"immediate transitions",
         [](std::uint64_t seed, CounterRandom& random) {
             RandomNetOptions options{.places = 4, .transitions = 5, .gadgets = 1};
             options.priorities = options.sources = false;
             return mutant(random_net(seed, options), random, 0, random.below(2));
         }},
        {"priorities",
         [](std::uint64_t seed, CounterRandom& random) {
             RandomNetOptions options{.places = 4, .transitions = 5, .gadgets = 1, .immediates = false};
             options.sources = false;
             return mutant(random_net(seed, options), random, 0, random.below(2));
         }},
        {"read and inhibitor arcs",
         [](std::uint64_t seed, CounterRandom& random) {
             RandomNetOptions options{.places = 5, .transitions = 5, .gadgets = 0, .immediates = false};
             options.priorities = options.sources = false;
             return mutant(random_net(seed, options), random, 10, random.below(3));
         }},
        {"distorted delays",
         [](std::uint64_t seed, CounterRandom& random) {
             RandomNetOptions options{.places = 3, .transitions = 4, .gadgets = 2, .immediates = false};
             options.priorities = options.sources = false;
             const Net net = chance(random, 50) ? random_net(seed, options) : RandomPartsNet(seed).build();
             return mutant(net, random, 5, random.below(2));
         }},
    };
    return all;
}

netgen::WarpsSpec warps_in_any_assignment(CounterRandom& random, std::uint32_t warps) {
    netgen::WarpsSpec spec;
    for (; warps > 0; --warps) spec.warps.push_back({random.below(3), random.below(2), random.below(2)});
    spec.schedulers = 1 + random.below(3);
    spec.assignment = netgen::Assignment::any;
    spec.dispatch_units = 1 + random.below(2);
    spec.shared_latency = 1;
    spec.global_latency = 1 + random.below(3);
    return spec;
}

}  // namespace

TEST_CASE("worst certifies no bound below a run, and none for nets with endless runs") {
    constexpr std::size_t most_states = 400;
    Counts all;
    for (std::size_t s = 0; s < shapes().size(); ++s) {
        const Shape& shape = shapes()[s];
        CAPTURE(shape.name);
        Counts counts;
        for (std::uint64_t seed = 0; seed < case_count(60); ++seed) {
            CAPTURE(seed);
            CounterRandom random(seed, 100 + s);
            judge(shape.make(seed, random), most_states, counts);
        }
        WARN(shape.name << ": " << counts.nets << " nets; " << counts.endless
                        << " with endless runs, of which " << counts.bounded_parts
                        << " with bounds on the moves of their parts; " << counts.told
                        << " reports of no worst case; " << counts.finite << " finite, " << counts.certified
                        << " bounds of them, " << counts.proved << " with loops that are proved to stop, "
                        << counts.undecided << " without a proof");
        all += counts;
    }
    CHECK(all.nets >= least_count(200));
    CHECK(all.bounded_parts >= least_count(10));
    CHECK(all.told >= least_count(100));
    CHECK(all.certified >= least_count(200));
    CHECK(all.proved >= least_count(5));
}

TEST_CASE("instruction strings have the worst case of their net, with a schedule of instructions") {
    netgen::KernelSpec spec;
    spec.string = "LCLCC";
    spec.warps = 3;
    spec.units = {{'C', {1, 1}}, {'L', {1, 1}}};
    spec.schedulers = 2;
    worst::WorstCaseOptions options;
    options.iterations = 500;
    for (const worst::Objective objective : {worst::Objective::longest, worst::Objective::shortest}) {
        options.objective = objective;
        const netgen::KernelInstance instance = netgen::normalise(spec);
        const worst::WorstCase of_string = worst::worst_case(instance, options);
        const worst::WorstCase of_net = worst::worst_case(netgen::kernel_net(spec), options);
        CHECK(of_string.exact);
        CHECK(of_string.found == of_net.found);
        CHECK(of_string.bound == of_net.bound);
        CHECK(of_string.arguments == of_net.arguments);
        CHECK(to_text(of_string.machine) == to_text(of_net.machine));
        REQUIRE_FALSE(of_string.bounds.empty());
        CHECK(of_string.bounds.front().steps == of_string.bound);
        for (const worst::StepBound& bound : of_string.bounds)
            CHECK_FALSE(worst::better(objective, *of_string.bound, bound.steps));
        CHECK(of_string.covers == "all runs of 3 warps");
        CHECK(of_string.instructions.size() == of_string.found);
        CHECK(check_schedule(instance, of_string.instructions).empty());
        CHECK(of_net.schedule.size() == of_net.found);
    }
    options.policy = Policy::gto;
    CHECK_THROWS_AS(worst::worst_case(netgen::normalise(spec), options), InputError);
}

TEST_CASE("a start that a search does not have is refused, for each kind of search") {
    netgen::KernelSpec kernel;
    kernel.string = "LCC";
    kernel.warps = 2;
    kernel.units = {{'C', {1, 1}}, {'L', {1, 1}}};
    netgen::WarpsSpec warps;
    warps.warps.assign(2, {.arith = 1, .shared = 1, .global = 0});
    const Net hubs = netgen::warps_net(warps);
    NetBuilder builder;
    const PlaceId p = builder.add_place("p", 1);
    builder.add_arc(ArcKind::input, p, builder.add_transition("t"));
    const Net strings = std::move(builder).build();
    worst::WorstCaseOptions options;
    options.iterations = 20;
    for (const worst::SearchStart start : worst::search_starts) {
        CAPTURE(to_string(start));
        options.start = start;
        const auto refused = [&](const auto& subject) {
            try {
                worst::worst_case(subject, options);
                return false;
            } catch (const UsageError&) {
                return true;
            }
        };
        CHECK(refused(netgen::normalise(kernel)) == (start == worst::SearchStart::starvation));
        CHECK(refused(hubs) == (start == worst::SearchStart::most_pending));
        CHECK(refused(strings) ==
              (start == worst::SearchStart::starvation || start == worst::SearchStart::most_pending));
    }
}

TEST_CASE("what is left unfinished is named once, and all bounds are listed") {
    netgen::KernelSpec spec;
    spec.string = "LCLCLLC";
    spec.warps = 6;
    spec.units = {{'C', {1, 1}}, {'L', {1, 1}}};
    spec.latency['L'] = 2;
    spec.wait['L'] = 3;
    spec.schedulers = 1;
    worst::WorstCaseOptions options;
    options.iterations = 20;
    options.limits.memory = 10'000;
    std::vector<std::string> told;
    options.progress = [&](const WorkPart& part) {
        if (part.name == "search") told.push_back(part.known());
        return std::shared_ptr<void>();
    };
    const worst::WorstCase worst = worst::worst_case(netgen::normalise(spec), options);
    REQUIRE_FALSE(worst.exact);
    REQUIRE(told.size() == 1);
    CHECK(std::ranges::any_of(worst.bounds, [&](const worst::StepBound& bound) {
        return bound.steps >= *worst.bound && told.front() == "at most " + std::to_string(bound.steps);
    }));
    CHECK(worst.bounds.front().steps == worst.bound);
    const std::set<std::string> limits(worst.limits_hit.begin(), worst.limits_hit.end());
    CHECK(limits.size() == worst.limits_hit.size());
}

TEST_CASE("an interrupted search of a kernel keeps the bound that counting proves") {
    netgen::KernelSpec spec;
    spec.string = "LCLCLLC";
    spec.warps = 6;
    spec.units = {{'C', {1, 1}}, {'L', {1, 1}}};
    const std::atomic<bool> interrupt = true;
    worst::WorstCaseOptions options;
    options.limits.interrupt = &interrupt;
    const worst::WorstCase worst = worst::worst_case(netgen::normalise(spec), options);
    CHECK(worst.interrupted);
    REQUIRE(worst.found);
    REQUIRE(worst.bound);
    CHECK(worst.bounds.front().steps == worst.bound);
    options.limits.interrupt = nullptr;
    const worst::WorstCase whole = worst::worst_case(netgen::normalise(spec), options);
    CHECK(worst.found <= whole.found);
    CHECK(worst.bound >= whole.bound);
}

TEST_CASE("the search of a kernel ends at the bound that counting proves") {
    const netgen::KernelInstance instance = netgen::normalise(netgen::fermi_kernel({.threads = 16 * 28}));
    worst::WorstCaseOptions options;
    options.iterations = 200'000;
    for (const int threads : {1, 4}) {
        options.threads = threads;
        const worst::WorstCase worst = worst::worst_case(instance, options);
        CHECK(worst.found == 86);
        CHECK(worst.exact);
        CHECK(worst.iterations < 8 * 200'000 / 100);
    }
    options.iterations = 1'000;
    options.method = worst::AnnealingMethod::tempering;
    CHECK(worst::worst_case(instance, options).iterations == 8 * 1'000);
}

TEST_CASE("a kernel that is too large for searches has the bound that counting proves") {
    worst::WorstCaseOptions options;
    options.search = false;
    const netgen::KernelSpec spec = netgen::fermi_kernel({.threads = 16 * 1'000, .repeat = 2});
    for (const worst::WorstCase& worst : {worst::worst_case(netgen::normalise(spec), options),
                                          worst::worst_case(netgen::kernel_net(spec), options)}) {
        CHECK(worst.bound == static_cast<std::uint64_t>(netgen::fermi_bound(16 * 1'000, 2)));
        CHECK_FALSE(worst.found);
        CHECK_FALSE(worst.exact);
        CHECK(worst.limits_hit.size() == 1);
    }
    CHECK(worst::worst_case(netgen::normalise(netgen::fermi_kernel({.threads = 1'600'000})), options).bound ==
          300'002);
    options.search = true;
    CHECK_THROWS_AS(worst::worst_case(netgen::normalise(spec), options), InputError);
}

TEST_CASE("schedulers fixed to warps: another worst case than that of shared ones") {
    netgen::WarpsSpec spec;
    spec.warps.assign(3, {.arith = 2, .shared = 0, .global = 1});
    spec.schedulers = 2;
    spec.shared_latency = 1;
    spec.global_latency = 3;
    const worst::WorstCase shared = worst::worst_case(spec);
    CHECK(shared.exact);
    CHECK(shared.found == 20);
    spec.assignment = netgen::Assignment::fixed;
    for (const bool exact : {false, true}) {
        const worst::WorstCase fixed = worst::worst_case(spec, {.exact = exact});
        CHECK(fixed.exact);
        CHECK(fixed.found == 23);
        CHECK(fixed.replayed);
        CHECK(fixed.machine.schedulers == worst::SchedulerUse::fixed);
    }
    for (const Policy policy : {Policy::gto, Policy::lrr}) {
        const worst::WorstCase served = worst::worst_case(spec, {.policy = policy});
        REQUIRE(served.found);
        CHECK(served.replayed);
        CHECK(served.found <= 23);
    }
    spec.warps.assign(3, {.arith = 2, .shared = 1, .global = 0});
    const worst::WorstCase shortest =
        worst::worst_case(spec, {.objective = worst::Objective::shortest, .exact = true});
    CHECK(shortest.exact);
    CHECK(shortest.found == 24);
    spec.assignment = netgen::Assignment::shared;
    CHECK(worst::worst_case(spec).found == 22);
}

TEST_CASE("warps that are not active: the worst case of a net without them") {
    for (const auto assignment : {netgen::Assignment::shared, netgen::Assignment::fixed}) {
        netgen::WarpsSpec spec;
        spec.warps.assign(5, {.arith = 2, .shared = 0, .global = 1});
        spec.schedulers = 2;
        spec.shared_latency = 1;
        spec.global_latency = 3;
        spec.assignment = assignment;
        spec.active = 3;
        const Net net = netgen::warps_net(spec);
        const std::uint64_t longest = assignment == netgen::Assignment::shared ? 20 : 23;
        const states::RunExtremes all =
            states::run_extremes(compile(net), {.semantics = Semantics::maximal, .max_states = 200'000});
        REQUIRE(all.stop == WorkEnd::complete);
        CHECK(all.longest == longest);
        const worst::WorstCase worst = worst::worst_case(net, {.exact = true});
        CHECK(worst.exact);
        CHECK(worst.found == longest);
        CHECK(worst.replayed);
        for (const std::size_t active : {1U, 2U, 4U}) {
            CAPTURE(active);
            spec.active = active;
            netgen::WarpsSpec alone = spec;
            alone.warps.resize(active);
            alone.active = {};
            const worst::WorstCase with = worst::worst_case(spec), without = worst::worst_case(alone);
            CHECK(with.bound == without.bound);
            CHECK(with.found == without.found);
        }
    }
}

TEST_CASE("warps in any assignment to schedulers: against every run, and as fixed if all are equal") {
    std::size_t nets = 0, exact = 0;
    for (std::uint64_t seed = 0; seed < case_count(40); ++seed) {
        CAPTURE(seed);
        CounterRandom random(seed, 9);
        netgen::WarpsSpec spec = warps_in_any_assignment(random, 2 + random.below(2));
        const Net net = netgen::warps_net(spec);
        const states::RunExtremes all =
            states::run_extremes(compile(net), {.semantics = Semantics::maximal, .max_states = 20'000});
        if (all.stop != WorkEnd::complete) continue;
        REQUIRE(all.longest);
        ++nets;
        const worst::WorstCase worst = worst::worst_case(net);
        CHECK(worst.replayed);
        CHECK(worst.found <= all.longest);
        REQUIRE(worst.bound);
        CHECK(worst.bound >= all.longest);
        if (worst.exact) ++exact;
        REQUIRE(worst::quick_bound(net));
        CHECK(worst::quick_bound(net)->steps >= *all.longest);
        CHECK(worst.machine.schedulers == worst::SchedulerUse::any);
        std::fill(spec.warps.begin(), spec.warps.end(), spec.warps.front());
        const worst::WorstCase any = worst::worst_case(spec);
        spec.assignment = netgen::Assignment::fixed;
        const worst::WorstCase fixed = worst::worst_case(spec);
        CHECK(any.found == fixed.found);
        CHECK(any.bound == fixed.bound);
    }
    CHECK(exact > nets / 2);
    CHECK(nets >= least_count(20));
    WARN(nets << " nets, " << exact << " exact");
}

TEST_CASE("warps in any assignment to schedulers: the shortest run against every run") {
    std::size_t nets = 0, exact = 0;
    for (std::uint64_t seed = 0; seed < case_count(60); ++seed) {
        CAPTURE(seed);
        CounterRandom random(seed, 11);
        const netgen::WarpsSpec spec = warps_in_any_assignment(random, 2 + random.below(3));
        const Net net = netgen::warps_net(spec);
        const states::RunExtremes all =
            states::run_extremes(compile(net), {.semantics = Semantics::maximal, .max_states = 20'000});
        if (all.stop != WorkEnd::complete) continue;
        REQUIRE(all.shortest);
        ++nets;
        const worst::WorstCase best = worst::worst_case(net, {.objective = worst::Objective::shortest});
        CHECK(best.replayed);
        REQUIRE(best.found);
        CHECK(best.found >= all.shortest);
        REQUIRE(best.bound);
        CHECK(best.bound <= all.shortest);
        if (best.exact) ++exact;
    }
    CHECK(exact > nets / 2);
    CHECK(nets >= least_count(20));
    WARN(nets << " nets, " << exact << " exact");
}

TEST_CASE("warps in any assignment to schedulers: of many sets an even assignment is searched") {
    netgen::WarpsSpec spec;
    for (Tokens warp = 0; warp < 9; ++warp) spec.warps.push_back({2 + warp, 9 - warp, warp % 3});
    spec.schedulers = 3;
    spec.assignment = netgen::Assignment::any;
    const worst::WorstCase best =
        worst::worst_case(spec, {.objective = worst::Objective::shortest, .iterations = 200});
    REQUIRE(best.found);
    REQUIRE(best.bound);
    CHECK(best.replayed);
    CHECK(best.bound <= best.found);
    CHECK(*best.bound >= static_cast<std::uint64_t>(netgen::warps_step_bounds(spec).lower));
    CHECK(static_cast<double>(*best.found) < 1.3 * static_cast<double>(*best.bound));
}

TEST_CASE("warps in any assignment to schedulers: two sets of many bound them all") {
    netgen::WarpsSpec spec;
    for (Tokens warp = 0; warp < 9; ++warp) spec.warps.push_back({2 + warp, 9 - warp, warp % 3});
    spec.schedulers = 3;
    spec.assignment = netgen::Assignment::any;
    const worst::WorstCase any = worst::worst_case(spec, {.iterations = 200});
    REQUIRE(any.bound);
    CHECK(any.replayed);
    CHECK(any.found <= any.bound);
    // Any three warps can be on one scheduler together.
    netgen::WarpsSpec three = spec;
    three.assignment = netgen::Assignment::shared;
    three.schedulers = 1;
    std::uint64_t most = 0;
    for (std::size_t a = 0; a < 9; ++a)
        for (std::size_t b = 0; b < a; ++b)
            for (std::size_t c = 0; c < b; ++c) {
                three.warps = {spec.warps[a], spec.warps[b], spec.warps[c]};
                most = std::max(most, worst::quick_bound(netgen::warps_net(three))->steps);
            }
    CHECK(any.bound >= most);
    CHECK(*any.bound < most + most / 100);
    spec.blocks = 2;
    const worst::WorstCase grid = worst::worst_case(spec, {.iterations = 200});
    CHECK(grid.bound == 2 * *any.bound + 1);
    CHECK(grid.found == 2 * *any.found + 1);
    CHECK(grid.replayed);
}

TEST_CASE("a kernel whose schedulers are never short is that without schedulers") {
    netgen::KernelSpec spec{.string = "LCLCC", .warps = 4, .units = {{'C', {2, 1}}, {'L', {1, 1}}}};
    spec.wait = {{'L', 5}};
    const worst::WorstCase free = worst::worst_case(netgen::kernel_net(spec));
    REQUIRE(free.exact);
    spec.assignment = netgen::Assignment::fixed;
    for (const int schedulers : {2, 4, 7}) {
        CAPTURE(schedulers);
        spec.schedulers = schedulers;
        spec.dispatch_units = schedulers < 4 ? 2 : 1;
        const worst::WorstCase fixed = worst::worst_case(netgen::kernel_net(spec));
        CHECK(fixed.exact);
        CHECK(fixed.replayed);
        CHECK(fixed.found == free.found);
        CHECK(fixed.machine.schedulers == worst::SchedulerUse::fixed);
    }
    // One token for two warps, and too few schedulers.
    spec.schedulers = 2;
    spec.dispatch_units = 1;
    CHECK_FALSE(worst::kernel_of_free_schedulers(netgen::kernel_net(spec)));
    CHECK(worst::worst_case(netgen::kernel_net(spec)).found >= free.found);
    spec.schedulers = 4;
    spec.own_units = "C";
    spec.units['C'] = {1, 1};
    CHECK(worst::kernel_of_free_schedulers(netgen::kernel_net(spec)));
}

TEST_CASE("schedulers fixed to warps: each scheduler is searched alone, in a grid as well") {
    netgen::WarpsSpec spec;
    spec.warps.assign(5, {.arith = 20, .shared = 5, .global = 2});
    spec.schedulers = 4;
    spec.assignment = netgen::Assignment::fixed;
    const worst::WorstCase block = worst::worst_case(spec);
    REQUIRE(block.found);
    REQUIRE(block.bound);
    CHECK(*block.bound <= 166 + 94);
    CHECK(static_cast<double>(*block.found) >= 0.995 * static_cast<double>(*block.bound));
    CHECK(block.replayed);
    spec.sms = 2;
    spec.blocks = 3;
    const worst::WorstCase grid = worst::worst_case(spec);
    CHECK(grid.found == 2 * *block.found + 1);
    CHECK(grid.bound == 2 * *block.bound + 1);
    CHECK(grid.replayed);
    CHECK(grid.schedule.size() == grid.found);
    CHECK(grid.machine.sms == 2);
}

TEST_CASE("a grid has the worst case of its block, round by round") {
    netgen::WarpsSpec spec;
    spec.warps.assign(2, {.arith = 2, .shared = 1, .global = 0});
    spec.sms = 2;
    spec.blocks = 5;
    const worst::WorstCase block = worst::worst_case(netgen::one_block(spec));
    const worst::WorstCase grid = worst::worst_case(spec);
    REQUIRE(block.exact);
    CHECK(grid.exact);
    CHECK(grid.replayed);
    CHECK(grid.found ==
          static_cast<std::uint64_t>(netgen::grid_steps(spec, static_cast<Tokens>(*block.found))));
    CHECK(grid.bound == grid.found);
    CHECK(grid.schedule.size() == grid.found);
    REQUIRE(worst::quick_bound(netgen::warps_net(spec)));
    CHECK(worst::quick_bound(netgen::warps_net(spec))->steps >= grid.bound);
    CHECK(to_text(worst::quick_bound(netgen::warps_net(spec))->machine) == to_text(grid.machine));
    REQUIRE_FALSE(grid.arguments.empty());
    CHECK(grid.arguments.front().starts_with("one block: " + block.arguments.front()));
}

TEST_CASE("under a policy a run is found first, and the bound of all runs of a grid holds") {
    netgen::WarpsSpec spec;
    spec.warps.assign(4, {.arith = 3, .shared = 1, .global = 1});
    spec.sms = 2;
    spec.blocks = 6;
    worst::WorstCaseOptions options;
    options.limits.memory = 1024;  // no exploration of the grid
    options.search = false;
    const worst::WorstCase all = worst::worst_case(spec, options);
    REQUIRE(all.bound);
    options.chains = 1;
    options.iterations = 3;
    for (const Policy policy : {Policy::gto, Policy::lrr}) {
        CAPTURE(to_string(policy));
        options.policy = policy;
        options.search = false;
        options.limits.deadline.reset();
        CHECK(worst::worst_case(spec, options).bound == all.bound);
        options.search = true;
        for (const bool in_time : {true, false}) {
            CAPTURE(in_time);
            if (!in_time) options.limits.deadline = std::chrono::steady_clock::now();
            const worst::WorstCase one = worst::worst_case(spec, options);
            REQUIRE(one.found);
            CHECK(one.replayed);
            CHECK(one.bound == all.bound);
            CHECK(one.found <= one.bound);
            REQUIRE_FALSE(one.arguments.empty());
            CHECK(one.arguments.front().starts_with("one block: "));
        }
    }
}

TEST_CASE("under a policy the bound of parts that share nothing is that of the longest") {
    netgen::WarpsSpec four, three;
    four.warps.assign(4, {.arith = 3, .shared = 1, .global = 1});
    three.warps.assign(3, {.arith = 2, .shared = 1, .global = 0});
    const Net net = net_union({netgen::warps_net(four), netgen::warps_net(three)}, true);
    worst::WorstCaseOptions options;
    options.limits.memory = 1024;
    options.search = false;
    const worst::WorstCase all = worst::worst_case(net, options);
    REQUIRE(all.bound);
    options.policy = Policy::lrr;
    CHECK(worst::worst_case(net, options).bound == all.bound);
}

TEST_CASE("a policy is refused where parts that wait for each other are not alike") {
    NetBuilder builder;
    const PlaceId hub = builder.add_place("h", 1);
    for (const int steps : {2, 1}) {  // each takes the hub and returns it; the first continues
        const std::string id = "p" + std::to_string(steps);
        const PlaceId start = builder.add_place(id + "_start", 1), held = builder.add_place(id + "_held");
        const TransitionId take = builder.add_transition(id + "_take"),
                           give = builder.add_transition(id + "_give");
        builder.add_input(start, take);
        builder.add_input(hub, take);
        builder.add_output(take, held);
        builder.add_input(held, give);
        builder.add_output(give, hub);
        if (steps == 1) continue;
        const PlaceId behind = builder.add_place(id + "_behind");
        builder.add_output(give, behind);
        builder.add_input(behind, builder.add_transition(id + "_end"));
    }
    worst::WorstCaseOptions options;
    options.policy = Policy::gto;
    CHECK_THROWS_WITH(worst::worst_case(builder.build(), options),
                      Catch::Contains("no place of this net serves parts that are alike"));
}

TEST_CASE("a policy with nothing to decide leaves the answer of the net") {
    netgen::WarpsSpec spec;
    spec.warps.assign(1, {.arith = 3, .shared = 1, .global = 1});
    for (const std::uint32_t blocks : {0u, 3u}) {
        CAPTURE(blocks);
        spec.blocks = blocks;
        worst::WorstCaseOptions options;
        const worst::WorstCase without = worst::worst_case(spec, options);
        CHECK(without.policy_decides);
        options.policy = Policy::gto;
        const worst::WorstCase with = worst::worst_case(spec, options);
        CHECK(with.policy == Policy::gto);
        CHECK_FALSE(with.policy_decides);
        CHECK(with.found == without.found);
        CHECK(with.bound == without.bound);
        CHECK(with.arguments == without.arguments);
    }
}

TEST_CASE("a saved search goes on to the answer of one that was not interrupted") {
    netgen::WarpsSpec spec;
    spec.warps.assign(3, {.arith = 4, .shared = 2, .global = 1});
    const Net net = netgen::warps_net(spec);
    worst::WorstCaseOptions options;
    options.iterations = 300;
    options.chains = 2;
    options.policy = Policy::gto;     // no exact search
    options.limits.memory = 1 << 20;  // nor a long exploration
    std::size_t saves = 0, ends = 0;
    std::string last;
    options.save = [&](const std::function<std::string()>& text, bool end) {
        ++(end ? ends : saves);
        if (end) last = text();
    };
    options.wants_order = true;
    const worst::WorstCase whole = worst::worst_case(net, options);
    if (whole.iterations == 0) return;  // nothing was left to search
    CHECK(ends == 1);
    options.iterations = 600;
    const worst::WorstCase longer = worst::worst_case(net, options);
    options.saved = {"saved.json", last};
    const worst::WorstCase continued = worst::worst_case(net, options);
    CHECK(continued.iterations == 1200);
    CHECK(continued.iterations == longer.iterations);
    options.chains = 3;
    CHECK_THROWS_WITH(worst::worst_case(net, options),
                      Catch::StartsWith("saved.json: this search has other options"));
}

TEST_CASE("the parts of a worst case are shown, and with a search its best run and the certified bound") {
    std::set<std::string> names;
    std::string of_search;
    worst::WorstCaseOptions options;
    options.iterations = 100;
    options.progress = [&](const WorkPart& part) {
        names.insert(part.name);
        return std::shared_ptr<void>(nullptr, [&, name = part.name, known = part.known](void*) {
            if (name == "candidates") of_search = known();
        });
    };
    netgen::WarpsSpec spec;
    spec.warps.assign(4, {.arith = 3, .shared = 2, .global = 2});
    const Net net = netgen::warps_net(spec);
    const worst::WorstCase watched = worst::worst_case(net, options);
    CHECK(names.contains("bound"));
    CHECK(names.contains("exact search"));
    CHECK(names.contains("replay"));
    options.progress = {};
    const worst::WorstCase unwatched = worst::worst_case(net, options);
    CHECK(watched.found == unwatched.found);
    CHECK(watched.bound == unwatched.bound);
    CHECK(watched.schedule == unwatched.schedule);

    const netgen::KernelInstance kernel{.warps = 3, .type = {0, 0, 1, 1}, .capacity = {1, 1}};
    options.progress = [&](const WorkPart& part) {
        return std::shared_ptr<void>(nullptr, [&, name = part.name, known = part.known](void*) {
            if (name == "candidates") of_search = known();
        });
    };
    const worst::WorstCase searched = worst::worst_case(kernel, options);
    CHECK(of_search.starts_with("best "));
    CHECK(of_search.find(", at most ") != std::string::npos);
    CHECK(searched.found <= searched.bound);
}
