#include "analysis/explore/explore.hpp"

#include "analysis/explore/first_layout.hpp"
#include "analysis/explore/orbit_form.hpp"
#include "analysis/explore/packed_firing.hpp"
#include "analysis/explore/state_coder.hpp"
#include "analysis/explore/successors.hpp"
#include "analysis/steps/possible_steps.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>

#include <tbb/parallel_for.h>

namespace warpnet {

namespace {

constexpr std::size_t most_lanes = 64;
constexpr std::size_t states_of_a_lane = 128;       // at least, if there are more than one and few words
constexpr std::size_t states_of_a_wide_lane = 16;   // the same of markings of many words
constexpr std::size_t entries_for_threads = 4096;   // of few words: fewer are taken in by one thread
constexpr std::size_t words_of_a_round = 1u << 18;  // that the successors of a round may take, about
constexpr std::size_t wide_words = 16;              // of a marking: trees cost little time beside the rest
constexpr std::size_t first_try_bytes = 1u << 24;   // of wide packed markings, before trees are tried
constexpr std::uint64_t tried_share = 4;            // of the memory, for markings that are less wide
constexpr std::uint32_t shards_at_once = 8;         // that are turned into trees
constexpr std::size_t prefetch_slots = 12, prefetch_states = 6;  // so many entries ahead

/// Words of memory that is not initialised.
class WordBuffer {
  public:
    Word* append(std::size_t count) {
        if (size_ + count > capacity_) grow(count);
        Word* place = words_.get() + size_;
        size_ += count;
        return place;
    }
    const Word* data() const noexcept { return words_.get(); }
    std::size_t size() const noexcept { return size_; }
    std::size_t capacity() const noexcept { return capacity_; }
    void clear() noexcept { size_ = 0; }

  private:
    void grow(std::size_t count) {
        capacity_ = std::max(2 * capacity_, size_ + count);
        auto larger = std::make_unique_for_overwrite<Word[]>(capacity_);
        std::copy_n(words_.get(), size_, larger.get());
        words_ = std::move(larger);
    }

    std::unique_ptr<Word[]> words_;
    std::size_t size_ = 0;
    std::size_t capacity_ = 0;
};

/// The limits that are looked at while markings are expanded, from all threads.
class Stop {
  public:
    explicit Stop(const ExploreOptions& options) : options_(options) {}

    /// Looks at the clock and the interrupt flag.
    bool reached() {
        if (const WorkEnd end = options_.limits.asked_to_end(); end != WorkEnd::complete) reason_.store(end);
        return reason() != WorkEnd::complete;
    }
    void set(WorkEnd reason) { reason_.store(reason); }
    WorkEnd reason() const { return reason_.load(std::memory_order_relaxed); }

  private:
    const ExploreOptions& options_;
    std::atomic<WorkEnd> reason_ = WorkEnd::complete;
};

/// An entry of a buffer: the hash within the shard and the parent in one word, the marking as it is kept and,
/// where that is something else, its packed words.
template <class Words, class KeptWords>
struct EntryForm {
    static constexpr bool both = !std::is_same_v<Words, KeptWords>;
    Words words;
    KeptWords kept_words;

    std::size_t size() const noexcept { return 1 + kept_words() + (both ? words() : 0); }
    static const Word* kept(const Word* entry) noexcept { return entry + 1; }
    const Word* packed(const Word* entry) const noexcept { return entry + 1 + (both ? kept_words() : 0); }

    void append(WordBuffer& buffer, StateId parent, const KeptForm& form, const Word* packed_words) const {
        Word* entry = buffer.append(size());
        entry[0] = Word{form.hash.in_shard()} | Word{static_cast<std::uint32_t>(parent)} << 32;
        for (std::size_t i = 0; i < kept_words(); ++i) entry[1 + i] = form.words[i];
        if constexpr (both) std::copy_n(packed_words, words(), entry + 1 + kept_words());
    }
};

template <class Words, class KeptWords>
EntryForm(Words, KeptWords) -> EntryForm<Words, KeptWords>;

/// Part of a round: some markings in their order, and their successors by shard.
struct Lane {
    std::array<WordBuffer, StateSpace::shard_count> successors;
    std::optional<StateCoder> coder;
    std::vector<std::uint8_t> fired;
    std::uint64_t entries = 0;  // in all buffers
    std::uint64_t edges = 0;    // the same, and dead markings, of all equivalent ones
    std::uint64_t deadlocks = 0;
    std::optional<StateId> deadlock;
    std::vector<std::uint8_t> wanted_bits;  // empty: the layout was large enough
    bool overflow = false;

    void clear() {
        for (WordBuffer& buffer : successors) buffer.clear();
        entries = edges = deadlocks = 0;
        deadlock.reset();
        wanted_bits.clear();
        overflow = false;
    }
};

/// What is gathered per shard from new markings.
struct ShardFigures {
    std::vector<Word> maxima;
    std::uint64_t most_tokens = 0;
    std::uint64_t markings = 0;
    std::uint32_t expanded = 0;   // markings before it have been expanded
    std::uint32_t level_end = 0;  // those before it are no farther than the current level
};

/// At the clock. Finding a step takes up to the square of the transitions that compete.
std::uint64_t edges_between_looks(const CompiledNet& net) {
    const std::uint64_t transitions = std::max<std::uint64_t>(1, net.transition_count());
    return std::clamp<std::uint64_t>(4'000'000 / (transitions * transitions), 1, 4096);
}

class Explorer {
  public:
    Explorer(const CompiledNet& net, const ExploreOptions& options)
        : net_(net),
          options_(options),
          space_(empty_space(first_layout(net, options.semantics, options.symmetry), options.form,
                             options.scratch)),
          firing_(net, space_.layout()),
          figures_(StateSpace::shard_count),
          fired_(net.transition_count(), 0),
          edges_between_looks_(edges_between_looks(net)),
          try_trees_at_(first_try_at()),
          stop_(options) {
        for (ShardFigures& figures : figures_) figures.maxima.assign(space_.layout().words(), 0);
        compile_symmetry();
    }

    Exploration run() && {
        insert_initial();
        WorkEnd stop = WorkEnd::complete;
        while (stop == WorkEnd::complete && next_round()) stop = round();
        Exploration result{.stop = stop,
                           .markings = 0,
                           .edges = edges_,
                           .deadlocks = deadlocks_,
                           .space_edges = space_edges_,
                           .depth = depth_,
                           .bounds = Marking(net_.place_count(), 0),
                           .most_tokens = 0,
                           .fired = std::move(fired_),
                           .deadlock = deadlock_,
                           .initial = initial_,
                           .space = std::move(space_)};
        for (const ShardFigures& figures : figures_) {
            for (std::size_t place = 0; place < result.bounds.size(); ++place) {
                result.bounds[place] = std::max(result.bounds[place],
                                                result.space.layout().tokens(figures.maxima.data(), place));
            }
            result.most_tokens = std::max(result.most_tokens, figures.most_tokens);
            result.markings = capped_sum(result.markings, figures.markings);
        }
        if (options_.symmetry == nullptr) {
            result.markings = result.space.size();
            return result;
        }
        raise_over_orbits(options_.symmetry->place_orbits(), result.bounds);
        raise_over_orbits(options_.symmetry->transition_orbits(), result.fired);
        return result;
    }

  private:
    static StateSpace empty_space(PackedLayout layout, std::optional<StateSpace::Form> form,
                                  const std::string& scratch) {
        const bool in_trees = form == StateSpace::Form::trees && StateSpace::may_be_trees(layout);
        return StateSpace(std::move(layout), in_trees ? StateSpace::Form::trees : StateSpace::Form::packed,
                          scratch);
    }

    /// The largest value of an orbit, for all its members.
    template <class Value>
    static void raise_over_orbits(std::span<const std::uint32_t> orbits, std::vector<Value>& values) {
        for (std::size_t i = 0; i < values.size(); ++i)
            values[orbits[i]] = std::max(values[orbits[i]], values[i]);
        for (std::size_t i = 0; i < values.size(); ++i) values[i] = values[orbits[i]];
    }

    void compile_symmetry() {
        if (options_.symmetry != nullptr) orbits_.emplace(*options_.symmetry, space_.layout());
    }

    void insert_initial() {
        std::vector<Word> packed(space_.layout().words());
        space_.layout().pack(net_.initial, packed.data());
        const AnyWords words{packed.size()};
        const StateHash hash(packed.data(), words);
        initial_ = StateSpace::id(hash.shard(), 0);
        StateCoder coder(space_);
        keep(space_, *coder.kept_form(packed.data(), words), static_cast<std::uint32_t>(initial_));
        figures_[hash.shard()].level_end = 1;
        figures_[hash.shard()].markings = 1;
        figures_[hash.shard()].maxima = packed;
        figures_[hash.shard()].most_tokens = space_.layout().total(packed.data());
        if (options_.watch != nullptr) options_.watch->see(hash.shard(), space_.layout(), packed.data());
    }

    /// Appends a marking that is not there yet.
    static void keep(StateSpace& space, const KeptForm& form, std::uint32_t parent) {
        const AnyWords words{space.layout().words()};
        space.with_kept_words(words, [&](auto kept_words) {
            space.shard(form.hash.shard()).insert(form.hash.in_shard(), form.words, parent, kept_words);
        });
    }

    /// Takes the markings of the next round from the current level, or else from the next one; false if
    /// there are none.
    bool next_round() {
        round_.clear();
        gather();
        if (!round_.empty()) return true;
        for (std::uint32_t s = 0; s < StateSpace::shard_count; ++s)
            figures_[s].level_end = space_.shard(s).size();
        gather();
        if (round_.empty()) return false;
        ++depth_;
        return true;
    }

    void gather() {
        const std::size_t entry = space_.layout().words() + 1;
        const std::uint64_t per_state = (space_edges_ / std::max<std::uint64_t>(expanded_, 1) + 1) * entry;
        const std::size_t most = std::clamp<std::size_t>(words_of_a_round / per_state, 1, 1u << 16);
        for (std::uint32_t s = 0; s < StateSpace::shard_count && round_.size() < most; ++s) {
            const ShardFigures& figures = figures_[s];
            for (std::uint32_t i = figures.expanded; i < figures.level_end && round_.size() < most; ++i)
                round_.push_back(StateSpace::id(s, i));
        }
    }

    WorkEnd round() {
        if (options_.watch != nullptr && options_.watch->satisfied()) return WorkEnd::answered;
        if (stop_.reached()) return stop_.reason();
        if (!options_.form && space_.all_bytes() > try_trees_at_) try_trees();
        if (bytes() > options_.limits.memory) return WorkEnd::memory_limit;
        expand_round();
        if (stop_.reason() != WorkEnd::complete) return stop_.reason();
        bool misfit = false;
        std::vector<std::uint8_t> bits(space_.layout().bits().begin(), space_.layout().bits().end());
        for (const Lane& lane : lanes_in_use()) {
            if (lane.overflow) return WorkEnd::overflow;
            misfit |= !lane.wanted_bits.empty();
            for (std::size_t p = 0; p < lane.wanted_bits.size(); ++p)
                bits[p] = std::max(bits[p], lane.wanted_bits[p]);
        }
        if (misfit) {  // the round is forgotten and made again
            if (options_.symmetry != nullptr) OrbitForm::equalise(*options_.symmetry, bits);
            return repack(PackedLayout(std::move(bits))) ? WorkEnd::complete : WorkEnd::state_limit;
        }
        const std::size_t entry_words =
            1 + space_.kept_words() + (space_.in_trees() ? space_.layout().words() : 0);
        for (std::uint32_t s = 0; s < StateSpace::shard_count; ++s) {
            std::uint64_t incoming = 0;
            for (const Lane& lane : lanes_in_use()) incoming += lane.successors[s].size() / entry_words;
            if (space_.shard(s).size() + incoming >= StateShard::most_states) return WorkEnd::state_limit;
        }
        return accept_round() ? WorkEnd::complete : WorkEnd::state_limit;
    }

    std::span<Lane> lanes_in_use() { return std::span(lanes_).first(lane_count_); }

    std::size_t bytes() const {
        std::size_t words = 0;
        for (const Lane& lane : lanes_) {
            for (const WordBuffer& buffer : lane.successors) words += buffer.capacity();
        }
        return space_.bytes() + words * sizeof(Word);
    }

    /// One piece of work a lane or shard, in parallel where there is enough of it.
    template <class Work>
    void for_each_index(std::size_t count, bool parallel, Work&& work) {
        if (parallel && count > 1) {
            tbb::parallel_for(std::size_t{0}, count, work);
        } else {
            for (std::size_t i = 0; i < count; ++i) work(i);
        }
    }

    void expand_round() {
        const bool wide = space_.layout().words() > most_fixed_words;
        const std::size_t of_a_lane = wide ? states_of_a_wide_lane : states_of_a_lane;
        lane_count_ = std::clamp<std::size_t>(round_.size() / of_a_lane, 1, most_lanes);
        if (options_.semantics != Semantics::interleaving)
            lane_count_ = std::min(most_lanes, round_.size());  // a marking may have very many steps
        while (lanes_.size() < lane_count_) {
            lanes_.emplace_back();
            lanes_.back().fired.assign(net_.transition_count(), 0);
        }
        with_entry_form([&](auto form) {
            for_each_index(lane_count_, round_.size() > of_a_lane / 4, [&](std::size_t lane) {
                const std::size_t begin = lane * round_.size() / lane_count_;
                const std::size_t end = (lane + 1) * round_.size() / lane_count_;
                expand(std::span(round_).subspan(begin, end - begin), form, lanes_[lane]);
            });
        });
    }

    template <class Work>
    void with_entry_form(Work&& work) const {
        with_words(space_.layout().words(), [&](auto words) {
            space_.with_kept_words(words, [&](auto kept_words) { work(EntryForm{words, kept_words}); });
        });
    }

    template <class Entry>
    void expand(std::span<const StateId> states, const Entry& entry, Lane& lane) {
        const auto words = entry.words;
        lane.clear();
        if (Entry::both && !lane.coder) lane.coder.emplace(space_);
        Successors successors(net_, options_.semantics, space_.layout(), firing_);
        const std::uint64_t most_edges = options_.limits.memory / (2 * sizeof(Word) * (words() + 1));
        std::vector<Word> canonical(words());
        std::uint64_t edges = 0;
        for (const StateId state : states) {
            const std::uint64_t before = edges;
            const Word* const packed = Entry::both ? lane.coder->unpack_kept(state) : space_.kept(state);
            successors.for_each(packed, words, [&](const Word* next, std::span<const std::uint32_t> fired) {
                ++edges;
                for (const std::uint32_t transition : fired) lane.fired[transition] = 1;
                if (orbits_) {
                    std::copy_n(next, words(), canonical.data());
                    orbits_->make_canonical(canonical.data());
                    next = canonical.data();
                }
                if constexpr (Entry::both) {
                    const std::optional<KeptForm> form = lane.coder->kept_form(next, words);
                    if (!form) {
                        stop_.set(WorkEnd::state_limit);
                        return false;
                    }
                    entry.append(lane.successors[form->hash.shard()], state, *form, next);
                } else {
                    const StateHash hash(next, words);
                    entry.append(lane.successors[hash.shard()], state, {hash, next}, next);
                }
                if (edges % edges_between_looks_ == 0 && stop_.reached()) return false;
                if (edges < most_edges) return true;
                stop_.set(WorkEnd::memory_limit);
                return false;
            });
            if (stop_.reason() != WorkEnd::complete) return;
            const std::uint64_t alike = orbits_ ? orbits_->orbit_size(packed) : 1;
            lane.edges = capped_sum(lane.edges, capped_product(edges - before, alike));
            if (edges == before && !successors.misfit() && !successors.overflow()) {
                lane.deadlocks = capped_sum(lane.deadlocks, alike);
                if (!lane.deadlock) lane.deadlock = state;
            }
        }
        lane.entries = edges;
        lane.overflow = successors.overflow();
        if (successors.misfit()) lane.wanted_bits = successors.wanted_bits();
    }

    /// False where a marking had to be left out: there would have been too many.
    bool accept_round() {
        for (const StateId state : round_)
            figures_[StateSpace::shard_of(state)].expanded = StateSpace::number_of(state) + 1;
        expanded_ += round_.size();
        std::uint64_t entries = 0;
        for (const Lane& lane : lanes_in_use()) {
            entries += lane.entries;
            edges_ = capped_sum(edges_, lane.edges);
            deadlocks_ = capped_sum(deadlocks_, lane.deadlocks);
            if (!deadlock_) deadlock_ = lane.deadlock;
            for (std::size_t t = 0; t < fired_.size(); ++t) fired_[t] |= lane.fired[t];
        }
        space_edges_ += entries;
        const std::uint64_t room = options_.max_states - std::min(options_.max_states, space_.size());
        bool fits = true;
        with_entry_form([&](auto form) {
            if (entries > room) {
                fits = insert_some(form, room);
                return;
            }
            const std::uint64_t work = entries * std::max(form.words(), most_fixed_words);
            for_each_index(StateSpace::shard_count, work > entries_for_threads * most_fixed_words,
                           [&](std::size_t shard) {
                               for (const Lane& lane : lanes_in_use())
                                   insert(lane.successors[shard], form, static_cast<std::uint32_t>(shard));
                           });
        });
        if (options_.found != nullptr) options_.found->store(space_.size(), std::memory_order_relaxed);
        return fits;
    }

    /// Takes in as many markings as there is room for; false where some had to be left out.
    template <class Entry>
    bool insert_some(const Entry& form, std::uint64_t room) {
        for (std::uint32_t s = 0; s < StateSpace::shard_count; ++s) {
            const StateShard& shard = space_.shard(s);
            for (const Lane& lane : lanes_in_use()) {
                const WordBuffer& entries = lane.successors[s];
                for (std::size_t at = 0; at < entries.size(); at += form.size()) {
                    const Word* entry = entries.data() + at;
                    if (shard.find(static_cast<std::uint32_t>(entry[0]), form.kept(entry), form.kept_words))
                        continue;
                    if (room-- == 0) return false;
                    insert_one(entry, form, s);
                }
            }
        }
        return true;
    }

    template <class Entry>
    void insert_one(const Word* entry, const Entry& form, std::uint32_t number) {
        const auto parent = static_cast<std::uint32_t>(entry[0] >> 32);
        if (!space_.shard(number).insert(static_cast<std::uint32_t>(entry[0]), form.kept(entry), parent,
                                         form.kept_words))
            return;
        const Word* const packed = form.packed(entry);
        ShardFigures& figures = figures_[number];
        space_.layout().raise(figures.maxima.data(), packed);
        figures.most_tokens = std::max(figures.most_tokens, space_.layout().total(packed));
        if (orbits_) figures.markings = capped_sum(figures.markings, orbits_->orbit_size(packed));
        if (options_.watch != nullptr) options_.watch->see(number, space_.layout(), packed);
    }

    template <class Entry>
    void insert(const WordBuffer& entries, const Entry& form, std::uint32_t number) {
        const StateShard& shard = space_.shard(number);
        const std::size_t stride = form.size();
        const std::size_t count = entries.size() / stride;
        const auto hash = [&](std::size_t i) {
            return static_cast<std::uint32_t>(entries.data()[i * stride]);
        };
        for (std::size_t i = 0; i < std::min(count, prefetch_slots); ++i) shard.prefetch_slot(hash(i));
        for (std::size_t i = 0; i < std::min(count, prefetch_states); ++i) shard.prefetch_state(hash(i));
        for (std::size_t i = 0; i < count; ++i) {
            if (i + prefetch_slots < count) shard.prefetch_slot(hash(i + prefetch_slots));
            if (i + prefetch_states < count) shard.prefetch_state(hash(i + prefetch_states));
            insert_one(entries.data() + i * stride, form, number);
        }
    }

    /// The bytes of the space at which trees are tried. They cost time, little of that for wide markings.
    std::uint64_t first_try_at() const {
        const std::uint64_t share = options_.limits.memory / tried_share;
        return space_.layout().words() >= wide_words ? std::min<std::uint64_t>(first_try_bytes, share)
                                                     : share;
    }

    /// Keeps all markings as trees from now on, where that takes at most half the memory. They stay in their
    /// shards, in their order.
    void try_trees() {
        if (space_.in_trees() || !StateSpace::may_be_trees(space_.layout())) return;
        const std::size_t enough = space_.all_bytes() / 2;
        try_trees_at_ *= 2;  // where it is in vain
        StateSpace trees(space_.layout(), StateSpace::Form::trees, options_.scratch);
        std::atomic<bool> fits = true;
        for (std::uint32_t first = 0; first < StateSpace::shard_count; first += shards_at_once) {
            for_each_index(shards_at_once, true, [&](std::size_t i) {
                if (!copy_shard(first + static_cast<std::uint32_t>(i), trees)) fits.store(false);
            });
            if (!fits.load() || trees.all_bytes() > enough) return;
        }
        replace_space(std::move(trees));
    }

    /// False where there is no room for it.
    bool copy_shard(std::uint32_t number, StateSpace& to) const {
        const StateShard& shard = space_.shard(number);
        StateCoder from_coder(space_), to_coder(to);
        const AnyWords words{to.layout().words()};
        for (std::uint32_t i = 0; i < shard.size(); ++i) {
            const Word* packed = from_coder.unpack_kept(StateSpace::id(number, i));
            const std::optional<KeptForm> form = to_coder.kept_form(packed, words);
            if (!form) return false;
            keep(to, *form, shard.parent(i));
        }
        return true;
    }

    void replace_space(StateSpace space) {
        for (Lane& lane : lanes_) lane.coder.reset();
        space_ = std::move(space);
    }

    /// The same markings in wider fields. Hashes and so shards change; that parents come before their
    /// children, and what is expanded before what is not, is kept. False where there is no room for them.
    bool repack(PackedLayout layout) {
        StateSpace wider = empty_space(
            std::move(layout), space_.in_trees() ? StateSpace::Form::trees : options_.form, options_.scratch);
        StateCoder from_coder(space_), to_coder(wider);
        std::vector<ShardFigures> figures(StateSpace::shard_count);
        std::vector<std::vector<std::uint32_t>> moved_to(StateSpace::shard_count);
        const std::size_t words = wider.layout().words();
        Marking marking(net_.place_count());
        std::vector<Word> packed(words);
        bool fits = true;
        const auto move = [&](std::uint32_t s, std::uint32_t begin, std::uint32_t end) {
            for (std::uint32_t i = begin; i < end && fits; ++i) {
                space_.layout().unpack(from_coder.unpack_kept(StateSpace::id(s, i)), marking);
                wider.layout().pack(marking, packed.data());
                const std::optional<KeptForm> form = to_coder.kept_form(packed.data(), AnyWords{words});
                fits = form.has_value();
                if (!fits) return;
                const std::uint32_t shard = form->hash.shard();
                moved_to[s].push_back(
                    static_cast<std::uint32_t>(StateSpace::id(shard, wider.shard(shard).size())));
                keep(wider, *form, space_.shard(s).parent(i));
            }
        };
        for (std::uint32_t s = 0; s < StateSpace::shard_count; ++s) move(s, 0, figures_[s].expanded);
        for (std::uint32_t s = 0; s < StateSpace::shard_count; ++s)
            figures[s].expanded = wider.shard(s).size();
        for (std::uint32_t s = 0; s < StateSpace::shard_count; ++s)
            move(s, figures_[s].expanded, figures_[s].level_end);
        for (std::uint32_t s = 0; s < StateSpace::shard_count; ++s)
            figures[s].level_end = wider.shard(s).size();
        for (std::uint32_t s = 0; s < StateSpace::shard_count; ++s)
            move(s, figures_[s].level_end, space_.shard(s).size());
        if (!fits) return false;
        const auto moved = [&](std::uint32_t state) {
            return moved_to[StateSpace::shard_of(StateId{state})][StateSpace::number_of(StateId{state})];
        };
        for (std::uint32_t s = 0; s < StateSpace::shard_count; ++s) {
            StateShard& shard = wider.shard(s);
            for (std::uint32_t i = 0; i < shard.size(); ++i) shard.set_parent(i, moved(shard.parent(i)));
            space_.layout().unpack(figures_[s].maxima.data(), marking);
            figures[s].maxima.resize(words);
            wider.layout().pack(marking, figures[s].maxima.data());
            figures[s].most_tokens = figures_[s].most_tokens;
            figures[s].markings = figures_[s].markings;
        }
        initial_ = StateId{moved(static_cast<std::uint32_t>(initial_))};
        if (deadlock_) deadlock_ = StateId{moved(static_cast<std::uint32_t>(*deadlock_))};
        replace_space(std::move(wider));
        figures_ = std::move(figures);
        firing_ = PackedFiring(net_, space_.layout());
        compile_symmetry();
        return true;
    }

    const CompiledNet& net_;
    const ExploreOptions& options_;
    StateSpace space_;
    PackedFiring firing_;
    std::optional<OrbitForm> orbits_;  // of the options' symmetry in the layout of space_
    std::vector<ShardFigures> figures_;
    std::vector<std::uint8_t> fired_;
    std::uint64_t edges_between_looks_;
    std::uint64_t try_trees_at_;  // bytes of the space
    Stop stop_;
    std::vector<StateId> round_;
    std::vector<Lane> lanes_;
    std::size_t lane_count_ = 0;
    std::uint64_t expanded_ = 0;
    std::uint64_t space_edges_ = 0;
    std::uint64_t edges_ = 0;
    std::uint64_t deadlocks_ = 0;
    std::uint64_t depth_ = 0;
    StateId initial_ = {};
    std::optional<StateId> deadlock_;
};

}  // namespace

Exploration explore(const CompiledNet& net, const ExploreOptions& options) {
    require_bounded_steps(net, options.semantics);
    return Explorer(net, options).run();
}

}  // namespace warpnet
