// Widens the fields of packed markings as larger token counts occur. Four short random runs show how many
// tokens places hold. If a successor still does not fit, the round is dropped. The fields that were too small
// are widened, all markings are packed again, and the round is repeated. So no bound has to be known in
// advance. Among ranks the markings are then sent to the rank to which they belong, in the order of one
// process. While fields are widened, a rank holds its markings up to three times.

#include "analysis/states/explore/repack.hpp"

#include "analysis/ranks/collectives.hpp"
#include "analysis/states/explore/successors.hpp"
#include "engine/plan.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <utility>
#include <vector>

namespace warpnet::states {

namespace {

/// Records the most tokens that each place holds in a run, and ends the run after some steps.
class PilotObserver : public Observer {
  public:
    PilotObserver(const CompiledNet& net, const WorkLimits& limits, Marking& most)
        : net_(net), limits_(limits), most_(most) {}
    const std::atomic<bool>& enough() const noexcept { return enough_; }

    void step(std::uint64_t /*number*/, bool /*immediate*/, std::span<const Firing> firings,
              std::span<const Tokens> marking) override {
        for (const Firing& firing : firings)
            for (const Effect& effect : net_.effects[firing.transition])
                most_[effect.place] = std::max(most_[effect.place], marking[effect.place]);
        const auto many = [&](const Firing& firing) { return firing.times > most_firings; };
        if (++steps_ == most_steps || limits_.must_end() || std::any_of(firings.begin(), firings.end(), many))
            enough_.store(true);
    }

    static constexpr std::uint64_t most_steps = 2000;
    static constexpr Tokens most_firings = 10'000;  // of a transition in a multiset step

  private:
    const CompiledNet& net_;
    const WorkLimits& limits_;
    Marking& most_;
    std::uint64_t steps_ = 0;
    std::atomic<bool> enough_ = false;
};

}  // namespace

PackedLayout first_layout(const CompiledNet& net, Semantics semantics, const NetSymmetry* symmetry,
                          const WorkLimits& limits) {
    Marking most = net.initial;
    const Plan planned = plan(net, {.semantics = semantics});
    for (std::uint64_t pilot = 0; pilot < 4 && !limits.must_end(); ++pilot) {
        PilotObserver observer(net, limits, most);
        RunOptions run_options;
        run_options.semantics = semantics;
        run_options.run = pilot;
        run_options.max_steps = PilotObserver::most_steps;
        run_options.limits.interrupt = &observer.enough();
        run_options.limits.deadline = limits.deadline;
        run(planned, run_options, &observer);
    }
    std::vector<std::uint8_t> bits;
    for (const Tokens tokens : most) bits.push_back(field_bits(tokens));
    // A carry is noticed if the added tokens fit into the field.
    for (std::size_t t = 0; t < net.transition_count(); ++t) {
        for (const Effect& effect : net.effects[t]) {
            if (effect.delta > 0) bits[effect.place] = std::max(bits[effect.place], field_bits(effect.delta));
        }
    }
    if (symmetry != nullptr) OrbitForm::equalise(*symmetry, bits);
    return PackedLayout(std::move(bits));
}

void ShardFigures::take_over(const ShardFigures& before, const PackedLayout& from, const PackedLayout& to) {
    Marking largest(to.places());
    from.unpack(before.maxima.data(), largest);
    maxima.resize(to.words());
    to.pack(largest, maxima.data());
    most_tokens = before.most_tokens;
    markings = before.markings;
}

void StateStore::keep(StateSpace& space, const KeptForm& form, std::uint32_t parent) {
    const AnyWords words{space.layout().words()};
    space.with_kept_words(words, [&](auto kept_words) {
        space.shard(form.hash.shard()).insert(form.hash.in_shard(), form.words, parent, kept_words);
    });
}

std::optional<StateStore> repacked(const StateStore& store, StateSpace wider) {
    const StateSpace& space = store.space;
    StateCoder from_coder(space), to_coder(wider);
    std::vector<ShardFigures> figures(StateSpace::shard_count);
    std::vector<std::vector<std::uint32_t>> moved_to(StateSpace::shard_count);
    const std::size_t words = wider.layout().words();
    Marking marking(wider.layout().places());
    std::vector<Word> packed(words);
    bool fits = true;
    const auto move = [&](std::uint32_t s, std::uint32_t begin, std::uint32_t end) {
        for (std::uint32_t i = begin; i < end && fits; ++i) {
            space.layout().unpack(from_coder.unpack_kept(StateSpace::id(s, i)), marking);
            wider.layout().pack(marking, packed.data());
            const std::optional<KeptForm> form = to_coder.kept_form(packed.data(), AnyWords{words});
            fits = form.has_value();
            if (!fits) return;
            const std::uint32_t shard = form->hash.shard();
            moved_to[s].push_back(
                static_cast<std::uint32_t>(StateSpace::id(shard, wider.shard(shard).size())));
            StateStore::keep(wider, *form, space.shard(s).parent(i));
        }
    };
    const std::vector<ShardFigures>& before = store.figures;
    for (std::uint32_t s = 0; s < StateSpace::shard_count; ++s) move(s, 0, before[s].expanded);
    for (std::uint32_t s = 0; s < StateSpace::shard_count; ++s) figures[s].expanded = wider.shard(s).size();
    for (std::uint32_t s = 0; s < StateSpace::shard_count; ++s)
        move(s, before[s].expanded, before[s].level_end);
    for (std::uint32_t s = 0; s < StateSpace::shard_count; ++s) figures[s].level_end = wider.shard(s).size();
    for (std::uint32_t s = 0; s < StateSpace::shard_count; ++s)
        move(s, before[s].level_end, space.shard(s).size());
    if (!fits) return std::nullopt;
    const auto moved = [&](std::uint32_t state) {
        return moved_to[StateSpace::shard_of(StateId{state})][StateSpace::number_of(StateId{state})];
    };
    for (std::uint32_t s = 0; s < StateSpace::shard_count; ++s) {
        StateShard& shard = wider.shard(s);
        for (std::uint32_t i = 0; i < shard.size(); ++i) shard.set_parent(i, moved(shard.parent(i)));
        figures[s].take_over(before[s], space.layout(), wider.layout());
    }
    StateStore result{std::move(wider), std::move(figures)};
    result.initial = StateId{moved(static_cast<std::uint32_t>(store.initial))};
    if (store.deadlock) result.deadlock = StateId{moved(static_cast<std::uint32_t>(*store.deadlock))};
    return result;
}

namespace {

// Markings enter their new shards in this order: first expanded markings, then the rest of the current level,
// then the next level.
constexpr std::size_t phases = 3;

template <class Value>
using PerPhaseAndShard = std::array<std::array<Value, StateSpace::shard_count>, phases>;

/// repacked() on one of several ranks.
class DividedRepack {
  public:
    DividedRepack(const StateStore& store, StateSpace wider, ranks::Collectives& ranks)
        : store_(store),
          ranks_(ranks),
          owners_(StateSpace::shard_count, ranks.size()),
          words_(wider.layout().words()),
          moved_(StateSpace::shard_count),
          result_{std::move(wider), std::vector<ShardFigures>(StateSpace::shard_count)} {}

    std::optional<StateStore> run() && {
        sort_out();
        const bool fits = take_in(ranks_.exchange(letters()));
        for (const std::string& of_rank : ranks_.gather(fits ? "fits" : ""))
            if (of_rank.empty()) return std::nullopt;
        move_parents();
        for (std::uint32_t s = 0; s < StateSpace::shard_count; ++s)
            result_.figures[s].take_over(store_.figures[s], store_.space.layout(), result_.space.layout());
        result_.initial = moved_by_owner(store_.initial);
        if (store_.deadlock) result_.deadlock = moved_by_owner(*store_.deadlock);
        return std::move(result_);
    }

  private:
    /// The destination of a marking: its position among those that this rank sends there in its phase.
    struct Destination {
        std::uint32_t shard;
        std::uint32_t place;
    };

    std::size_t phase_of(StateId state) const {
        const ShardFigures& figures = store_.figures[StateSpace::shard_of(state)];
        const std::uint32_t number = StateSpace::number_of(state);
        return number < figures.expanded ? 0 : number < figures.level_end ? 1 : 2;
    }

    /// Entries, the parent by its old number and the packed words, by phase and new shard.
    void sort_out() {
        StateCoder coder(store_.space);
        const PackedLayout& layout = result_.space.layout();
        Marking marking(layout.places());
        std::vector<Word> packed(words_);
        for (std::uint32_t s = 0; s < StateSpace::shard_count; ++s) {
            const StateShard& shard = store_.space.shard(s);
            for (std::uint32_t i = 0; i < shard.size(); ++i) {
                const StateId state = StateSpace::id(s, i);
                store_.space.layout().unpack(coder.unpack_kept(state), marking);
                layout.pack(marking, packed.data());
                const std::uint32_t to = StateHash(packed.data(), AnyWords{words_}).shard();
                std::vector<Word>& entries = entries_[phase_of(state)][to];
                moved_[s].push_back({to, static_cast<std::uint32_t>(entries.size() / (words_ + 1))});
                entries.push_back(shard.parent(i));
                entries.insert(entries.end(), packed.begin(), packed.end());
            }
        }
    }

    /// The number of entries for each shard, sent to each rank, and the entries for its shards.
    std::vector<std::string> letters() {
        PerPhaseAndShard<std::uint32_t> counts = {};
        for (std::size_t phase = 0; phase < phases; ++phase)
            for (std::uint32_t s = 0; s < StateSpace::shard_count; ++s)
                counts[phase][s] = static_cast<std::uint32_t>(entries_[phase][s].size() / (words_ + 1));
        std::vector<std::string> letters;
        for (int rank = 0; rank < ranks_.size(); ++rank) {
            ranks::ByteWriter letter;
            letter.put(counts);
            for (auto& of_phase : entries_) {
                for (std::uint32_t s = owners_.first(rank); s < owners_.end(rank); ++s) {
                    letter.put_all(std::span<const Word>(of_phase[s]));
                    of_phase[s] = {};
                }
            }
            letters.push_back(std::move(letter).take());
        }
        return letters;
    }

    /// False if the memory does not suffice for all.
    bool take_in(const std::vector<std::string>& letters) {
        std::vector<ranks::ByteReader> readers(letters.begin(), letters.end());
        std::vector<PerPhaseAndShard<std::uint32_t>> counts;
        counts.reserve(readers.size());
        for (ranks::ByteReader& reader : readers)
            counts.push_back(reader.get<PerPhaseAndShard<std::uint32_t>>());
        StateCoder coder(result_.space);
        bool fits = true;
        for (std::size_t phase = 0; phase < phases; ++phase) {
            for (std::uint32_t s = 0; s < StateSpace::shard_count; ++s) {
                const bool own = owners_.owner(s) == ranks_.rank();
                for (std::size_t rank = 0; rank < readers.size(); ++rank) {
                    if (static_cast<int>(rank) == ranks_.rank()) first_[phase][s] = sizes_[s];
                    sizes_[s] += counts[rank][phase][s];
                    for (std::uint32_t i = 0; own && i < counts[rank][phase][s]; ++i)
                        fits = take_in(readers[rank], coder) && fits;
                }
                if (phase == 0) result_.figures[s].expanded = sizes_[s];
                if (phase == 1) result_.figures[s].level_end = sizes_[s];
            }
        }
        return fits;
    }
    bool take_in(ranks::ByteReader& reader, StateCoder& coder) {
        const auto parent = static_cast<std::uint32_t>(reader.get<Word>());
        const std::vector<Word> packed = reader.get_all<Word>(words_);
        const std::optional<KeptForm> form = coder.kept_form(packed.data(), AnyWords{words_});
        if (form) StateStore::keep(result_.space, *form, parent);
        return form.has_value();
    }

    /// The new number of a marking that this rank had.
    StateId moved(StateId state) const {
        const Destination to = moved_[StateSpace::shard_of(state)][StateSpace::number_of(state)];
        return StateSpace::id(to.shard, first_[phase_of(state)][to.shard] + to.place);
    }

    /// Old numbers are sent to the ranks that had the markings, and return as new ones.
    void move_parents() {
        std::vector<ranks::ByteWriter> questions(static_cast<std::size_t>(ranks_.size()));
        const auto asked = [&](std::uint32_t parent) {
            return static_cast<std::size_t>(owners_.owner(StateSpace::shard_of(StateId{parent})));
        };
        const auto for_each_child = [&](auto&& visit) {
            for (std::uint32_t s = owners_.first(ranks_.rank()); s < owners_.end(ranks_.rank()); ++s)
                for (std::uint32_t i = 0; i < result_.space.shard(s).size(); ++i)
                    visit(result_.space.shard(s), i);
        };
        for_each_child([&](const StateShard& shard, std::uint32_t i) {
            questions[asked(shard.parent(i))].put(shard.parent(i));
        });
        std::vector<std::string> letters;
        letters.reserve(questions.size());
        for (ranks::ByteWriter& of_rank : questions) letters.push_back(std::move(of_rank).take());
        letters = ranks_.exchange(std::move(letters));
        for (std::string& letter : letters) {
            ranks::ByteWriter answer;
            for (ranks::ByteReader reader(letter); !reader.at_end();)
                answer.put(moved(StateId{reader.get<std::uint32_t>()}));
            letter = std::move(answer).take();
        }
        const std::vector<std::string> answers = ranks_.exchange(std::move(letters));
        std::vector<ranks::ByteReader> readers(answers.begin(), answers.end());
        for_each_child([&](StateShard& shard, std::uint32_t i) {
            shard.set_parent(i, readers[asked(shard.parent(i))].get<std::uint32_t>());
        });
    }

    StateId moved_by_owner(StateId state) {
        const int owner = owners_.owner(StateSpace::shard_of(state));
        ranks::ByteWriter answer;
        if (owner == ranks_.rank()) answer.put(moved(state));
        const std::string text = ranks_.broadcast(owner, std::move(answer).take());
        return ranks::ByteReader(text).get<StateId>();
    }

    const StateStore& store_;
    ranks::Collectives& ranks_;
    ranks::ShardOwners owners_;
    std::size_t words_;
    std::vector<std::vector<Destination>> moved_;  // per old shard of this rank
    PerPhaseAndShard<std::vector<Word>> entries_;
    std::array<std::uint32_t, StateSpace::shard_count> sizes_ = {};  // of the new shards, so far
    PerPhaseAndShard<std::uint32_t> first_ = {};  // the new number of the first one that this rank sends
    StateStore result_;
};

}  // namespace

std::optional<StateStore> repacked(const StateStore& store, StateSpace wider, ranks::Collectives& ranks) {
    return DividedRepack(store, std::move(wider), ranks).run();
}

}  // namespace warpnet::states
