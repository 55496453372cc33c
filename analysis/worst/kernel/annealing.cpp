// Annealing over pseudo-precedence strings [Berezovskyi13]. A candidate changes a few entries of the current
// string. The incremental schedulers evaluate it from the last state before the change, at about the cost of
// the changed part. With the serial scheduler four chains share a thread. The file also has the JSON text of
// a search.

#include "analysis/worst/kernel/annealing.hpp"

#include "analysis/worst/kernel/precedence_string.hpp"
#include "analysis/worst/kernel/schedulers.hpp"
#include "analysis/worst/search/annealing_rounds.hpp"
#include "analysis/worst/search/annealing_text.hpp"
#include "engine/base/to_json.hpp"
#include "engine/input/parse_json.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace warpnet::worst {
namespace {

// All moves change one window of the string: the entries between the first and the last changed position. So
// a candidate is the window alone, and the schedulers evaluate it from the state before the window. A gather
// moves entries of one warp together; a gang does it for several warps, in lock-step or in succession. The
// warps then run through a stretch of the kernel in phases.

/// A position at most `reach` from `from` in [0, size), all equally likely.
std::size_t near(std::size_t from, std::uint32_t reach, std::size_t size, CounterRandom& random) {
    const std::size_t low = from > reach ? from - reach : 0;
    const std::size_t high = std::min(from + reach, size - 1);
    return low + random.below(static_cast<std::uint32_t>(high - low + 1));
}

std::size_t anywhere(std::size_t size, CounterRandom& random) {
    return random.below(static_cast<std::uint32_t>(size));
}

}  // namespace

Neighbourhood::Neighbourhood(const MoveWeights& weights)
    : up_to_{weights.exchange,   weights.exchange_near, weights.shift,
             weights.shift_near, weights.gather,        weights.gang} {
    std::partial_sum(up_to_.begin(), up_to_.end(), up_to_.begin());
}

bool Neighbourhood::draw(std::span<const Warp> string, CounterRandom& random) {
    const std::size_t size = string.size();
    const std::uint32_t drawn = random.below(up_to_.back());
    const std::size_t from = anywhere(size, random);
    if (drawn < up_to_[0]) return exchange(string, from, anywhere(size, random));
    if (drawn < up_to_[1]) return exchange(string, from, near(from, near_exchange, size, random));
    if (drawn < up_to_[2]) return shift(string, from, anywhere(size, random));
    if (drawn < up_to_[3]) return shift(string, from, near(from, near_shift, size, random));
    if (drawn < up_to_[4]) return gather(string, from, random);
    return gang(string, from, random);
}

bool Neighbourhood::exchange(std::span<const Warp> string, std::size_t a, std::size_t b) {
    if (string[a] == string[b]) return false;
    if (a > b) std::swap(a, b);
    first_ = a;
    letters_.assign(string.begin() + std::ptrdiff_t(a), string.begin() + std::ptrdiff_t(b) + 1);
    std::swap(letters_.front(), letters_.back());
    return true;
}

bool Neighbourhood::shift(std::span<const Warp> string, std::size_t from, std::size_t to) {
    first_ = std::min(from, to);
    const std::size_t last = std::max(from, to);
    letters_.assign(string.begin() + std::ptrdiff_t(first_), string.begin() + std::ptrdiff_t(last) + 1);
    if (from < to)
        std::rotate(letters_.begin(), letters_.begin() + 1, letters_.end());
    else
        std::rotate(letters_.begin(), letters_.end() - 1, letters_.end());
    return !std::equal(letters_.begin(), letters_.end(), string.begin() + std::ptrdiff_t(first_));
}

bool Neighbourhood::gather(std::span<const Warp> string, std::size_t from, CounterRandom& random) {
    const std::uint32_t wanted = 2 + random.below(longest_block - 1);
    const Warp warp = string[from];
    block_.clear();
    rest_.clear();
    for (std::size_t p = from; p < string.size() && block_.size() < wanted; ++p)
        (string[p] == warp ? block_ : rest_).push_back(string[p]);
    return put_block(string, from, near(from, far_block, string.size(), random));
}

bool Neighbourhood::gang(std::span<const Warp> string, std::size_t from, CounterRandom& random) {
    const std::uint32_t warps_wanted = 2 + random.below(largest_gang - 1);
    const std::uint32_t wanted = 1 + random.below(longest_block);
    const bool lock_step = random.below(2) == 0;
    const bool in_place = random.below(2) == 0;
    // The first warps that occur from here on, and the number of taken entries of each.
    std::array<Warp, largest_gang> warps;
    std::array<std::uint32_t, largest_gang> taken{};
    std::size_t gang_size = 0;
    std::size_t complete = 0;
    rest_.clear();
    for (std::size_t p = from; p < string.size() && complete < warps_wanted; ++p) {
        const auto found = std::find(warps.begin(), warps.begin() + std::ptrdiff_t(gang_size), string[p]);
        const auto member = static_cast<std::size_t>(found - warps.begin());
        if (member == gang_size && gang_size < warps_wanted) warps[gang_size++] = string[p];
        if (member < gang_size && taken[member] < wanted)
            complete += ++taken[member] == wanted;
        else
            rest_.push_back(string[p]);
    }
    block_.clear();
    if (lock_step) {
        for (std::uint32_t i = 0; i < wanted; ++i)
            for (std::size_t member = 0; member < gang_size; ++member)
                if (i < taken[member]) block_.push_back(warps[member]);
    } else {
        for (std::size_t member = 0; member < gang_size; ++member)
            block_.insert(block_.end(), taken[member], warps[member]);
    }
    return put_block(string, from, in_place ? from : near(from, near_shift, string.size(), random));
}

bool Neighbourhood::put_block(std::span<const Warp> string, std::size_t from, std::size_t to) {
    // block_ and rest_ together are the entries from `from` on, up to some end.
    const auto begin = string.begin();
    const std::size_t end = from + block_.size() + rest_.size();
    letters_.clear();
    if (to <= from) {
        first_ = to;
        letters_.insert(letters_.end(), block_.begin(), block_.end());
        letters_.insert(letters_.end(), begin + std::ptrdiff_t(to), begin + std::ptrdiff_t(from));
        letters_.insert(letters_.end(), rest_.begin(), rest_.end());
    } else {
        // `to - from` of the remaining entries go before the block.
        first_ = from;
        const std::size_t inside = std::min(to - from, rest_.size());
        const std::size_t behind = std::min(to - from - inside, string.size() - end);
        letters_.insert(letters_.end(), rest_.begin(), rest_.begin() + std::ptrdiff_t(inside));
        letters_.insert(letters_.end(), begin + std::ptrdiff_t(end), begin + std::ptrdiff_t(end + behind));
        letters_.insert(letters_.end(), block_.begin(), block_.end());
        letters_.insert(letters_.end(), rest_.begin() + std::ptrdiff_t(inside), rest_.end());
    }
    return !std::equal(letters_.begin(), letters_.end(), begin + std::ptrdiff_t(first_));
}

namespace {

constexpr MoveWeights paper_mixture{.exchange = 1};

/// The best moves depend on the instance. If capacities bind one type at a time, bad schedules are even, and
/// moves that bunch the entries of a warp lead away from them. If instructions of one type can take all
/// schedulers, bad schedules drive gangs of warps through the kernel in phases, which moves of single entries
/// cannot assemble.
constexpr std::array<MoveWeights, KernelStrings::mixtures> portfolio_mixtures{
    {{.exchange = 1, .shift = 1},
     {.exchange_near = 10, .shift = 5, .shift_near = 5, .gather = 35, .gang = 45}}};

/// The Worker of a chain, see analysis/worst/search/annealing.hpp.
template <class Scheduler>
class StringWorker {
  public:
    using Evaluator = Scheduler;

    explicit StringWorker(const netgen::KernelInstance& instance) : evaluator(instance) {}

    int reset(const PrecedenceString& string) { return evaluator.reset(string); }
    void use_moves(AnnealingMethod method, std::size_t mixture) {
        neighbourhood_ =
            Neighbourhood(method == AnnealingMethod::paper ? paper_mixture : portfolio_mixtures[mixture]);
    }
    bool draw(CounterRandom& random) {
        if (!neighbourhood_.draw(evaluator.string(), random)) return false;
        evaluator.propose(neighbourhood_.first(), neighbourhood_.letters());
        return true;
    }
    int value() const { return evaluator.makespan(); }
    int candidate_value() const { return evaluator.candidate_makespan(); }
    void accept() { evaluator.accept(); }
    static void reject() noexcept {}
    const PrecedenceString& current() const { return evaluator.string(); }
    static StopReason end() noexcept { return StopReason::dead; }

    Scheduler evaluator;

  private:
    Neighbourhood neighbourhood_{paper_mixture};
};

}  // namespace

template <class Function>
void KernelStrings::with_worker(const netgen::KernelInstance& instance, Function&& function) {
    if (search_reading(instance) == StringReading::serial) {
        function.template operator()<StringWorker<SerialScheduler>>();
    } else {
        function.template operator()<StringWorker<MaximalStepScheduler>>();
    }
}

AnnealingResult annealing_result(const AnnealingState& state, WorkEnd stop) {
    AnnealingResult result{search_result(state, stop), {}, {}};
    result.string = canonical(result.best);
    result.schedule = decode(state.instance, result.string, search_reading(state.instance));
    return result;
}

AnnealingResult annealing_search(const netgen::KernelInstance& instance,
                                 const AnnealingSearchOptions& options, const AnnealingLimits& limits) {
    AnnealingState state = begin_search(instance, options, limits.work);
    const WorkEnd stop = continue_search(state, limits);
    return annealing_result(state, stop);
}

template Chain begin_chain_of<KernelStrings>(const netgen::KernelInstance&, const AnnealingOptions&,
                                             std::uint32_t, SearchStart, const WorkLimits&);
template void advance_chains_of<KernelStrings>(const netgen::KernelInstance&, const AnnealingOptions&,
                                               const ChainHooks&, std::span<const ChainStretch>);
template AnnealingState begin_search(const netgen::KernelInstance&, const AnnealingSearchOptions&,
                                     const WorkLimits&);
template AnnealingState begin_search_at(const netgen::KernelInstance&, AnnealingSearchOptions,
                                        const PrecedenceString&, const WorkLimits&);
template WorkEnd advance_search(AnnealingState&, std::uint64_t, const AnnealingLimits&);
template WorkEnd continue_search(AnnealingState&, const AnnealingLimits&);
template WorkEnd continue_search(AnnealingState&, const AnnealingLimits&, ranks::Collectives&);
template void share_search(AnnealingState&, ranks::Collectives&);
template SearchResultOf<KernelStrings> search_result(const AnnealingState&, WorkEnd);

template <>
struct annealing::CandidateText<KernelStrings> {
    static Json write(const netgen::KernelInstance&, const PrecedenceString& string) { return string; }
    static PrecedenceString read(const netgen::KernelInstance&, const Json& json) {
        return json.get<PrecedenceString>();
    }
};

namespace {

using Json = annealing::Json;

constexpr int version = 5;

Json to_json(const netgen::KernelInstance& instance) {
    Json json = {{"warps", instance.warps},
                 {"type", instance.type},
                 {"capacity", instance.capacity},
                 {"schedulers", instance.schedulers ? Json(*instance.schedulers) : Json()},
                 {"level", instance.level}};
    if (instance.waiting) json["waiting"] = *instance.waiting;
    return json;
}

netgen::KernelInstance instance_from(const Json& json) {
    netgen::KernelInstance instance{.warps = json.at("warps"),
                                    .type = json.at("type").get<std::vector<std::uint8_t>>(),
                                    .capacity = json.at("capacity").get<std::vector<int>>(),
                                    .schedulers = {},
                                    .level = json.at("level").get<std::vector<int>>()};
    if (json.contains("waiting")) instance.waiting = json.at("waiting").get<std::uint8_t>();
    if (!json.at("schedulers").is_null()) instance.schedulers = json.at("schedulers").get<int>();
    return instance;
}

}  // namespace

std::string write_checkpoint(const AnnealingState& state) {
    Json json = annealing::state_to_json(state);
    json["warpnet_checkpoint"] = version;
    json["instance"] = to_json(state.instance);
    return sealed_json(std::move(json));
}

AnnealingState read_checkpoint(std::string_view text) {
    AnnealingState state = name_json_faults("checkpoint", [&] {
        const Json json = read_sealed_json(text, "checkpoint", "warpnet_checkpoint", version);
        return annealing::state_from_json<KernelStrings>(instance_from(json.at("instance")), json);
    });
    const StringReading reading = search_reading(state.instance);
    annealing::check_state(state, [&](const PrecedenceString& string) {
        check_precedence_string(state.instance, string);
        return static_cast<int>(decode(state.instance, string, reading).size());
    });
    return state;
}

template std::string write_chains_of<KernelStrings>(const netgen::KernelInstance&, std::span<const Chain>);
template std::vector<Chain> read_chains_of<KernelStrings>(const netgen::KernelInstance&, std::string_view);

}  // namespace warpnet::worst
