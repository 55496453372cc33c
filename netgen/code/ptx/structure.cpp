// The structure of a function: its blocks and loops as nested sequences, from the innermost loop outwards.
// Without the jumps back, a loop body is an acyclic graph of blocks and inner loops. All of its items count,
// or those on a path with the most instructions (longest path in topological order). Trips are those proved
// for the threads of the launch, else those given. Costs O(instructions + edges) besides the proofs of trips
// (values/).

#include "netgen/code/ptx/structure.hpp"

#include "engine/base/capped.hpp"
#include "engine/net/error.hpp"
#include "netgen/code/ptx/shares.hpp"
#include "netgen/code/ptx/values/trips.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <queue>
#include <string>

#include <fmt/format.h>

namespace warpnet::netgen {

namespace {

constexpr std::uint32_t no_block = std::numeric_limits<std::uint32_t>::max();
constexpr std::int64_t most_trips = 1'000'000'000'000'000'000;
constexpr std::int64_t minus_infinity = std::numeric_limits<std::int64_t>::min();

// A loop's body without the jumps back, or all of a function: an acyclic graph of blocks and inner loops.
struct Region {
    PtxPass items;  // in topological order, earlier in the text first
    std::vector<std::vector<std::size_t>> next;
    std::vector<bool> jumps_back;  // has an edge to the header
    std::vector<bool> leaves;      // has an edge out of the region, or leaves the function
};

class StructureBuilder {
  public:
    StructureBuilder(const PtxModule& module, const PtxFunction& function, const PtxOptions& options,
                     const PtxBlockWeight& weight)
        : module_(module), function_(function), options_(options), weight_(weight) {}

    PtxStructure build() {
        structure_.flow = ptx_flow(module_, function_);
        structure_.loops.resize(structure_.flow.loops.size());
        loop_weight_.resize(structure_.flow.loops.size(), 0);
        item_at_.resize(structure_.flow.blocks.size());
        members_.resize(structure_.flow.loops.size() + 1);
        collect_members();
        structure_.skipped.assign(function_.instructions.size(), false);
        const bool launched = !options_.launch.empty();
        if (!structure_.loops.empty() || launched)
            constants_.emplace(function_, structure_.flow, options_.launch);
        if (constants_) {
            structure_.unrolled = find_unrolled_loops(function_, structure_.flow, *constants_);
            structure_.source_places = ptx_source_places(structure_.flow, structure_.unrolled);
        }
        if (launched) follow_threads();
        for (std::uint32_t l = 0; l < structure_.loops.size(); ++l) {
            find_trips(l);
            lay_loop(l);
        }
        for (std::uint32_t l = 0; l < structure_.loops.size(); ++l) check_never_run(l);
        const Region region = region_of(whole());
        if (options_.paths == PtxPaths::longest) structure_.whole = longest(region, region.leaves);
        // All items, even if the function never ends.
        if (structure_.whole.empty()) structure_.whole = shared_pass(region, whole(), all_of(region));
        remove_unreached(structure_.whole);
        return std::move(structure_);
    }

  private:
    std::uint32_t whole() const { return static_cast<std::uint32_t>(structure_.flow.loops.size()); }

    // The items of each loop, and after the last loop those of the function, in the order of the text.
    void collect_members() {
        for (std::uint32_t b = 0; b < structure_.flow.blocks.size(); ++b) {
            members_[structure_.flow.loop_of[b].value_or(whole())].push_back({false, b});
            const auto loop = structure_.flow.loop_of[b];
            if (loop && structure_.flow.loops[*loop].header == b)
                members_[structure_.flow.loops[*loop].parent.value_or(whole())].push_back({true, *loop});
        }
    }

    bool is_reached(PtxItem item) const {
        return reached_.empty() ||
               reached_[item.is_loop ? structure_.flow.loops[item.number].header : item.number];
    }

    void remove_unreached(PtxPass& pass) const {
        std::erase_if(pass, [&](const PtxItem item) { return !is_reached(item); });
    }

    void follow_threads() {
        structure_.threads = follow_ptx_threads(module_, function_, structure_.flow, *constants_);
        reached_.assign(structure_.flow.blocks.size(), false);
        for (const PtxPath& path : structure_.threads->paths)
            for (std::size_t b = 0; b < reached_.size(); ++b)
                if (path.reached[b]) reached_[b] = true;
        const PtxThreads& threads = *structure_.threads;
        for (std::uint32_t b = 0; b < reached_.size(); ++b) {
            check_share(b);
            for (auto [g, end] = threads.guarded_in(structure_.flow.blocks[b]); g < end; ++g)
                structure_.skipped[threads.guarded[g]] =
                    reached_[b] &&
                    std::none_of(threads.paths.begin(), threads.paths.end(),
                                 [guard = g](const PtxPath& path) { return path.guards[guard]; });
        }
    }

    /// Throws if a given share contradicts a branch that the launch decides for all threads.
    void check_share(std::uint32_t b) const {
        const auto share = given_ptx_share(options_, function_, structure_.flow, b);
        if (!share || !reached_[b] || structure_.is_open(b)) return;
        std::uint8_t ways = 0;
        for (const PtxPath& path : structure_.threads->paths)
            ways = static_cast<std::uint8_t>(ways | path.ways[b]);
        if ((ways == 1 && *share == 1) || (ways == 2 && *share == 0)) return;
        const PtxInstruction& branch = function_.instructions[structure_.flow.blocks[b].last - 1];
        throw InputError(
            fmt::format("{}:{}: the launch decides the branch to '{}', which {}, but a share of {} is given",
                        module_.source, branch.line, function_.labels[function_.targets_of(branch)[0]].name,
                        ways == 1   ? "all threads take"
                        : ways == 2 ? "no thread takes"
                                    : "the same threads take each time",
                        *share));
    }

    PtxLoopTrips proved_trips(std::uint32_t l) {
        if (structure_.threads) return ptx_loop_trips(*structure_.threads, structure_.flow, l);
        const auto proved = prove_ptx_trips(function_, structure_.flow, *constants_, l);
        if (!proved) return {.reached = true, .proved = false};
        return {.reached = true,
                .exact = proved->is_exact(),
                .least = proved->low,
                .most = proved->high,
                .surely = proved->other_exits ? 0 : proved->low};
    }

    /// Throws if a given number of trips contradicts the proved one.
    void check_given(std::uint32_t l, const std::string& name, const PtxLoopTrips& proved,
                     std::int64_t given) const {
        if (given >= proved.surely && (given <= proved.most || !proved.proved)) return;
        const std::string most = std::to_string(proved.most);
        std::string runs = "runs at most " + most + " times";
        if (!proved.reached)
            runs = "is never reached";
        else if (proved.exact && proved.least == proved.most)
            runs = "runs exactly " + most + " times";
        else if (proved.exact)
            runs = "runs " + std::to_string(proved.least) + " to " + most + " times, depending on the warp,";
        throw InputError(module_.source + ":" + std::to_string(line_of(l)) + ": loop '" + name + "' " + runs +
                         " by its constants, but " + std::to_string(given) + " trips are given");
    }

    /// The given trips of a loop, or those that follow from the given iterations of its loop of the source.
    std::optional<std::int64_t> given_trips(std::uint32_t l) const {
        const std::string& name = structure_.flow.loops[l].name;
        const auto own = given_ptx_trips(options_, name, ptx_loop_place(function_, structure_.flow, l));
        const auto pair = unrolled_loop_of(structure_.unrolled, l);
        const std::string key = ptx_source_key(structure_.source_places[l]);
        const auto iterations = function_.is_kernel ? options_.trips.find(key) : options_.trips.end();
        if (iterations != options_.trips.end()) {
            if (own)
                throw InputError(
                    fmt::format("loop '{}' has two numbers of trips: its own, and those of '{}'", name, key));
            if (!pair) return iterations->second;
            return l == pair->main ? iterations->second / pair->factor : iterations->second % pair->factor;
        }
        if (own && pair && l == pair->remainder && *own >= pair->factor)
            throw InputError(
                fmt::format("{}:{}: loop '{}' executes the iterations that '{}' leaves over, which takes {} "
                            "iterations at a "
                            "time: it runs at "
                            "most {} times, but {} trips are given",
                            module_.source, line_of(l), name, structure_.flow.loops[pair->main].name,
                            pair->factor, pair->factor - 1, *own));
        return own;
    }

    void find_trips(std::uint32_t l) {
        PtxLoopStructure& loop = structure_.loops[l];
        const std::string name = structure_.flow.loops[l].name;
        const auto given = given_trips(l);
        const PtxLoopTrips proved = proved_trips(l);
        if (given && (*given < 0 || *given > most_trips)) {
            throw InputError("trips of '" + name + "': expected 0 to 10^18, found " + std::to_string(*given));
        }
        if (given) check_given(l, name, proved, *given);
        loop.given = given;
        loop.given_by_iterations =
            function_.is_kernel && options_.trips.contains(ptx_source_key(structure_.source_places[l]));
        if (given) {
            loop.trips = given;
            loop.source = PtxTripSource::given;
        } else if (proved.proved) {
            const bool same = proved.exact && proved.least == proved.most;
            loop.trips = proved.most;
            loop.source = same ? PtxTripSource::proved : PtxTripSource::proved_at_most;
            if (proved.exact && !same) loop.least = proved.least;
        } else {
            loop.needs = missing_for_ptx_trips(function_, structure_.flow, *constants_, l);
        }
    }

    /// Whether some path through the function, or through the iteration of an outer loop, avoids the loop.
    bool can_be_passed(std::uint32_t l) const {
        const PtxFlow& flow = structure_.flow;
        const auto parent = flow.loops[l].parent;
        const std::uint32_t start = parent ? flow.loops[*parent].header : 0;
        std::vector<bool> seen(flow.blocks.size(), false);
        seen[flow.loops[l].header] = true;
        std::vector<std::uint32_t> pending;
        const auto go = [&](std::uint32_t block) {
            if (!seen[block] && is_reached({false, block})) pending.push_back(block);
            seen[block] = true;
        };
        go(start);
        while (!pending.empty()) {
            const std::uint32_t block = pending.back();
            pending.pop_back();
            if (!parent && flow.blocks[block].successors.empty()) return true;
            for (const std::uint32_t to : flow.blocks[block].successors) {
                if (parent && to == start) return true;
                if (!parent || flow.is_inside(to, *parent)) go(to);
            }
        }
        return false;
    }

    /// Throws if 0 trips are given for a loop that tests at its end and that no path avoids.
    void check_never_run(std::uint32_t l) const {
        const PtxFlowLoop& loop = structure_.flow.loops[l];
        if (structure_.loops[l].given != 0 || loop.leaves_early || !is_reached({true, l})) return;
        for (auto above = loop.parent; above; above = structure_.flow.loops[*above].parent)
            if (structure_.loops[*above].trips == 0) return;
        if (can_be_passed(l)) return;
        throw InputError(
            fmt::format("{}:{}: loop '{}' tests at its end and nothing goes past it, so that it runs "
                        "at least once; expected 1 trip or more, found 0",
                        module_.source, line_of(l), structure_.flow.loops[l].name));
    }

    std::uint32_t line_of(std::uint32_t l) const {
        const PtxBlock& header = structure_.flow.blocks[structure_.flow.loops[l].header];
        return function_.labels[*header.label].line;
    }

    void lay_loop(std::uint32_t l) {
        PtxLoopStructure& loop = structure_.loops[l];
        const Region region = region_of(l);
        const bool early = structure_.flow.loops[l].leaves_early;
        if (options_.paths == PtxPaths::longest) {
            loop.body = longest(region, region.jumps_back);
            if (early) loop.last = longest(region, region.leaves);
        } else {
            loop.body = shared_pass(region, l, all_of(region));
            if (early) loop.last = shared_pass(region, l, leading_to(region, region.leaves));
        }
        remove_unreached(loop.body);
        remove_unreached(loop.last);
        if (options_.paths == PtxPaths::longest) {
            const auto sum = [&](const PtxPass& pass) {
                std::int64_t total = 0;
                for (const PtxItem item : pass) total = capped_sum(total, weight_of(item));
                return total;
            };
            loop_weight_[l] =
                capped_sum(capped_product(sum(loop.body), loop.counted_trips()), sum(loop.last));
        }
    }

    std::int64_t weight_of(PtxItem item) const {
        return item.is_loop ? loop_weight_[item.number]
                            : weight_(structure_.flow.blocks[item.number], structure_.skipped);
    }

    Region region_of(std::uint32_t l) {
        const std::vector<PtxItem>& members = members_[l];
        const std::uint32_t header = l == whole() ? no_block : structure_.flow.loops[l].header;
        std::vector<std::vector<std::size_t>> next(members.size());
        std::vector<std::size_t> waits_for(members.size(), 0);
        std::vector<bool> jumps_back(members.size(), false);
        std::vector<bool> leaves(members.size(), false);
        for (std::size_t i = 0; i < members.size(); ++i)
            item_at_[members[i].is_loop ? structure_.flow.loops[members[i].number].header
                                        : members[i].number] = i;
        const auto add_edge = [&](std::size_t i, std::uint32_t to) {
            if (to == header) {
                jumps_back[i] = true;
                return;
            }
            const std::optional<std::uint32_t> item = item_around(to, l);
            if (!item) {
                leaves[i] = true;
            } else if (item_at_[*item] != i) {
                next[i].push_back(item_at_[*item]);
                ++waits_for[item_at_[*item]];
            }
        };
        for (std::size_t i = 0; i < members.size(); ++i) {
            const PtxItem item = members[i];
            if (!item.is_loop) {
                for (const std::uint32_t to : structure_.flow.blocks[item.number].successors) add_edge(i, to);
                if (structure_.flow.blocks[item.number].successors.empty()) leaves[i] = true;
                continue;
            }
            for (const std::uint32_t exit : structure_.flow.loops[item.number].exits)
                for (const std::uint32_t to : structure_.flow.blocks[exit].successors)
                    if (!structure_.flow.is_inside(to, item.number)) add_edge(i, to);
        }
        return in_order(members, next, waits_for, jumps_back, leaves);
    }

    // The header of the item of region l that the block lies in, or the block itself; nothing outside.
    std::optional<std::uint32_t> item_around(std::uint32_t block, std::uint32_t l) const {
        std::optional<std::uint32_t> loop = structure_.flow.loop_of[block];
        std::uint32_t item = block;
        while (loop && *loop != l) {
            item = structure_.flow.loops[*loop].header;
            loop = structure_.flow.loops[*loop].parent;
        }
        return loop.value_or(whole()) == l ? std::optional(item) : std::nullopt;
    }

    static Region in_order(const std::vector<PtxItem>& members,
                           const std::vector<std::vector<std::size_t>>& next,
                           std::vector<std::size_t>& waits_for, const std::vector<bool>& jumps_back,
                           const std::vector<bool>& leaves) {
        std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready;
        for (std::size_t i = 0; i < members.size(); ++i)
            if (waits_for[i] == 0) ready.push(i);
        std::vector<std::size_t> order;
        std::vector<std::size_t> place(members.size());
        while (!ready.empty()) {
            const std::size_t i = ready.top();
            ready.pop();
            place[i] = order.size();
            order.push_back(i);
            for (const std::size_t to : next[i])
                if (--waits_for[to] == 0) ready.push(to);
        }
        Region region;
        for (const std::size_t i : order) {
            region.items.push_back(members[i]);
            region.jumps_back.push_back(jumps_back[i]);
            region.leaves.push_back(leaves[i]);
            region.next.emplace_back();
            for (const std::size_t to : next[i]) region.next.back().push_back(place[to]);
        }
        return region;
    }

    static std::vector<bool> all_of(const Region& region) {
        return std::vector<bool>(region.items.size(), true);
    }

    static std::vector<bool> leading_to(const Region& region, const std::vector<bool>& ends) {
        std::vector<bool> leads = ends;
        for (std::size_t i = region.items.size(); i-- > 0;)
            for (const std::size_t to : region.next[i])
                if (leads[to]) leads[i] = true;
        return leads;
    }

    // The kept items, each with the share of the passes that reaches it. If only one side of a branch is
    // kept, that side is taken.
    PtxPass shared_pass(const Region& region, std::uint32_t l, const std::vector<bool>& kept) {
        PtxPass pass;
        if (options_.taken.empty()) {
            for (std::size_t i = 0; i < region.items.size(); ++i)
                if (kept[i]) pass.push_back(region.items[i]);
            return pass;
        }
        for (std::size_t i = 0; i < region.items.size(); ++i) {
            const PtxItem item = region.items[i];
            item_at_[item.is_loop ? structure_.flow.loops[item.number].header : item.number] = i;
        }
        std::vector<PtxFork> graph(region.items.size());
        for (std::size_t i = 0; i < region.items.size(); ++i) {
            PtxFork& fork = graph[i];
            for (const std::size_t to : region.next[i])
                if (kept[i] && kept[to]) fork.next.push_back(to);
            if (region.items[i].is_loop || fork.next.size() != 2) continue;
            const std::uint32_t block = region.items[i].number;
            fork.taken = given_ptx_share(options_, function_, structure_.flow, block);
            const auto first = item_around(structure_.flow.blocks[block].successors.front(), l);
            if (first && item_at_[*first] != fork.next[0]) std::swap(fork.next[0], fork.next[1]);
        }
        const std::vector<double> shares = reach_shares(graph, module_.source);
        for (std::size_t i = 0; i < region.items.size(); ++i) {
            if (!kept[i]) continue;
            pass.push_back(region.items[i]);
            pass.back().share = shares[i];
        }
        return pass;
    }

    // A path of maximal weight from the first item to one of the ends; the earliest in the text if several
    // are equal; empty if no end is reachable.
    PtxPass longest(const Region& region, const std::vector<bool>& ends) const {
        const std::size_t n = region.items.size();
        std::vector<std::int64_t> rest(n, minus_infinity);  // from here to an end, without this item
        std::vector<std::size_t> best(n, n);
        for (std::size_t i = n; i-- > 0;) {
            if (ends[i]) rest[i] = 0;
            for (const std::size_t to : region.next[i]) {
                if (rest[to] == minus_infinity) continue;
                const std::int64_t through = capped_sum(rest[to], weight_of(region.items[to]));
                if (through > rest[i] || (through == rest[i] && best[i] == n)) {
                    rest[i] = through;
                    best[i] = to;
                }
            }
        }
        PtxPass pass;
        if (n == 0 || rest[0] == minus_infinity) return pass;
        for (std::size_t i = 0; i < n; i = best[i]) pass.push_back(region.items[i]);
        return pass;
    }

    const PtxModule& module_;
    const PtxFunction& function_;
    const PtxOptions& options_;
    const PtxBlockWeight& weight_;
    PtxStructure structure_;
    std::optional<PtxConstants> constants_;
    std::vector<bool> reached_;  // by block; empty: all
    std::vector<std::vector<PtxItem>> members_;
    std::vector<std::size_t> item_at_;  // by block: position among the items of the region being laid
    std::vector<std::int64_t> loop_weight_;
};

}  // namespace

bool PtxStructure::is_open(std::uint32_t block) const {
    return !threads || std::any_of(threads->paths.begin(), threads->paths.end(),
                                   [&](const PtxPath& path) { return path.ways[block] == 3; });
}

PtxStructure ptx_structure(const PtxModule& module, const PtxFunction& function, const PtxOptions& options,
                           const PtxBlockWeight& weight) {
    return StructureBuilder(module, function, options, weight).build();
}

std::optional<std::int64_t> given_ptx_trips(const PtxOptions& options, const std::string& name,
                                            std::optional<std::size_t> place) {
    auto given = options.trips.end();
    for (const std::string& key : ptx_loop_keys(name, place)) {
        const auto found = options.trips.find(key);
        if (found == options.trips.end() || found == given) continue;
        if (given != options.trips.end())
            throw InputError(
                fmt::format("loop '{}' has two numbers of trips: '{}' and '{}' are the same loop", name,
                            given->first, key));
        given = found;
    }
    return given == options.trips.end() ? std::nullopt : std::optional(given->second);
}

std::vector<std::string> ptx_loop_keys(const std::string& name, std::optional<std::size_t> place) {
    std::vector<std::string> keys;
    for (const std::string_view front : {"", "$", "$L__"})
        if (name.starts_with(front)) keys.push_back(name.substr(front.size()));
    if (place) keys.push_back("#" + std::to_string(*place));
    return keys;
}

std::string ptx_source_key(std::size_t source_place) { return "@" + std::to_string(source_place); }

std::optional<std::size_t> ptx_loop_place(const PtxFunction& function, const PtxFlow& flow,
                                          std::uint32_t loop) {
    return function.is_kernel ? std::optional(flow.loops[loop].place) : std::nullopt;
}

}  // namespace warpnet::netgen
