// Breadth-first search in rounds of two halves. Some thousand markings of the current level, about as many of
// each shard, are expanded, each thread into its own buffers, one buffer per shard. Then each shard takes in
// its buffers, in the order of the markings. Nothing is locked. The result does not depend on the number of
// threads or ranks: numbers of markings, parents, paths, and the point at which a state limit ends the
// search.
//
// Memory latency is hidden: within a buffer the slot of the marking twelve entries ahead is fetched, and the
// known marking that it refers to six entries ahead. A slot has 4 bytes: 6 bits of the hash, so that few
// comparisons fail, and the number. A marking keeps its parent and not its depth: levels make the first path
// to a marking a shortest one, and the steps between parents are found by enumerating again.
//
// Under a symmetry each successor is replaced by its representative before it is hashed; edges and dead
// markings are counted with the size of their orbit.
//
// Cost: O(edges x words of a marking). A marking takes its packed words, 4 bytes for its parent and 6 to 12
// bytes for its slot. As a tree (marking_tree.cpp) it takes 8 bytes, 4 for its hash, the same as before for
// parent and slot, and 14 to 20 for each word or pair that is new. Trees cost time, 1.0 to 3.6 times that of
// packed markings on nets whose markings have 34 to 228 words and 2.5 times at 7 words. So markings of up to
// 4 words are never trees. Those of 16 and more words are tried from 16 MiB of packed markings on, those
// between when packed markings take a quarter of the memory limit. Trees are kept only if they take at most
// half as much memory.

#include "analysis/states/explore/explore.hpp"

#include "analysis/ranks/collectives.hpp"
#include "analysis/states/explore/repack.hpp"
#include "analysis/states/explore/rounds.hpp"
#include "analysis/states/explore/successors.hpp"
#include "analysis/states/steps/possible_steps.hpp"
#include "engine/base/capped.hpp"

#include <algorithm>
#include <limits>
#include <type_traits>
#include <utility>

#include <tbb/parallel_for.h>

namespace warpnet::states {

namespace {

constexpr std::size_t most_lanes = 64;
constexpr std::uint64_t effort_of_a_round = 400;    // of a round with few markings, without its edges
constexpr std::uint64_t effort_of_an_edge = 8;      // besides the words of its marking
constexpr std::uint64_t nodes_of_a_unit = 8;        // of the net, in which a marking is looked at
constexpr std::size_t states_of_a_lane = 128;       // at least, for several lanes of few words
constexpr std::size_t states_of_a_wide_lane = 16;   // the same for markings of many words
constexpr std::size_t entries_for_threads = 4096;   // of few words: one thread takes in fewer than this
constexpr std::size_t words_of_a_round = 1u << 18;  // of the successors of a round, about
constexpr std::size_t wide_words = 16;  // of a marking: trees cost little time compared with the rest
constexpr std::size_t first_try_bytes = 1u << 24;  // of wide packed markings before trees are tried
constexpr std::uint64_t tried_share = 4;  // of the memory, before trees are tried for narrower markings
constexpr std::uint64_t bytes_at_once = 1u << 16;  // of successors, reserved by a lane in one go
constexpr std::uint32_t shards_at_once = 8;        // turned into trees in parallel
constexpr std::size_t prefetch_slots = 12, prefetch_states = 6;  // ahead of the current entry

/// The limits that all threads check while they expand markings.
class Stop {
  public:
    explicit Stop(const ExploreOptions& options) : options_(options) {}

    /// Checks the clock and the interrupt flag.
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

/// Checks of the clock. Finding a step takes up to the square of the number of competing transitions.
std::uint64_t edges_between_looks(const CompiledNet& net) {
    const std::uint64_t transitions = std::max<std::uint64_t>(1, net.transition_count());
    return std::clamp<std::uint64_t>(4'000'000 / (transitions * transitions), 1, 4096);
}

class Explorer {
  public:
    Explorer(const CompiledNet& net, const ExploreOptions& options)
        : net_(net),
          options_(options),
          ranks_(options.ranks, options.watch),
          store_{empty_space(first_layout(net, options.semantics, options.symmetry, options.limits),
                             options.form, options.scratch),
                 std::vector<ShardFigures>(StateSpace::shard_count)},
          space_(store_.space),
          figures_(store_.figures),
          firing_(net, space_.layout()),
          fired_(net.transition_count(), 0),
          edges_between_looks_(edges_between_looks(net)),
          try_trees_at_(first_try_at()),
          stop_(options),
          shard_coders_(StateSpace::shard_count) {
        for (ShardFigures& figures : figures_) figures.maxima.assign(space_.layout().words(), 0);
        compile_symmetry();
    }

    Exploration run() && {
        insert_initial();
        WorkEnd stop = WorkEnd::complete;
        while (stop == WorkEnd::complete && next_round()) stop = round();
        ShardTotals totals = ranks_.totals_of_all(own_totals());
        Exploration result{.stop = stop,
                           .markings = totals.markings,
                           .edges = edges_,
                           .deadlocks = deadlocks_,
                           .space_markings = totals.space_markings,
                           .space_edges = space_edges_,
                           .depth = depth_,
                           .bounds = std::move(totals.bounds),
                           .most_tokens = totals.most_tokens,
                           .fired = std::move(totals.fired),
                           .deadlock = store_.deadlock,
                           .initial = store_.initial,
                           .space = std::move(space_)};
        if (options_.symmetry == nullptr) {
            result.markings = result.space_markings;
            return result;
        }
        raise_over_orbits(options_.symmetry->place_orbits(), result.bounds);
        raise_over_orbits(options_.symmetry->transition_orbits(), result.fired);
        return result;
    }

  private:
    ShardTotals own_totals() const {
        ShardTotals totals{.space_markings = space_.size(), .fired = fired_};
        totals.bounds.assign(net_.place_count(), 0);
        for (const ShardFigures& figures : figures_) {
            for (std::size_t place = 0; place < totals.bounds.size(); ++place) {
                totals.bounds[place] =
                    std::max(totals.bounds[place], space_.layout().tokens(figures.maxima.data(), place));
            }
            totals.most_tokens = std::max(totals.most_tokens, figures.most_tokens);
            totals.markings = capped_sum(totals.markings, figures.markings);
        }
        return totals;
    }

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
        store_.initial = StateSpace::id(hash.shard(), 0);
        figures_[hash.shard()].level_end = 1;
        if (!ranks_.own(hash.shard())) return;
        StateCoder coder(space_);
        StateStore::keep(space_, *coder.kept_form(packed.data(), words),
                         static_cast<std::uint32_t>(store_.initial));
        figures_[hash.shard()].markings = 1;
        figures_[hash.shard()].maxima = packed;
        figures_[hash.shard()].most_tokens = space_.layout().total(packed.data());
        if (options_.watch != nullptr) options_.watch->see(hash.shard(), space_.layout(), packed.data());
    }

    /// Takes the markings of the next round from the current level, or from the next one if the current level
    /// is finished. False if there are none.
    bool next_round() {
        if (gather()) return true;
        const auto sizes = ranks_.sizes_of_all(own_sizes());
        for (std::uint32_t s = 0; s < StateSpace::shard_count; ++s) figures_[s].level_end = sizes[s];
        if (!gather()) return false;
        ++depth_;
        return true;
    }

    /// About the same number of each shard, so that the ranks have equal work. False if there are none.
    bool gather() {
        const std::size_t entry = space_.layout().words() + 1;
        const std::uint64_t per_state = (space_edges_ / std::max<std::uint64_t>(expanded_, 1) + 1) * entry;
        const std::size_t most = std::clamp<std::size_t>(words_of_a_round / per_state, 1, 1u << 16);
        const std::size_t share = std::max<std::size_t>(most / StateSpace::shard_count, 1);
        round_.clear();
        round_size_ = 0;
        for (std::uint32_t s = 0; s < StateSpace::shard_count; ++s) {
            ShardFigures& figures = figures_[s];
            const std::size_t count = std::min<std::size_t>(
                {share, most - round_size_, std::size_t{figures.level_end - figures.expanded}});
            figures.round_end = figures.expanded + static_cast<std::uint32_t>(count);
            round_size_ += count;
            for (std::uint32_t i = figures.expanded; ranks_.own(s) && i < figures.round_end; ++i)
                round_.push_back(StateSpace::id(s, i));
        }
        return round_size_ > 0;
    }

    RoundExchange::ShardSizes own_sizes() const {
        RoundExchange::ShardSizes sizes = {};
        for (std::uint32_t s = 0; s < StateSpace::shard_count; ++s) sizes[s] = space_.shard(s).size();
        return sizes;
    }

    WorkEnd round() {
        if (!ranks_.divided() && answered()) return WorkEnd::answered;
        RoundReport report = expanded_round();
        report = ranks_.exchange(report, lanes_in_use(), words_of_entry());
        if (ranks_.divided() && answered()) return WorkEnd::answered;
        if (report.stop != WorkEnd::complete) return report.stop;
        if (report.figures.overflow) return WorkEnd::overflow;
        if (!report.figures.wanted_bits.empty()) {  // the round is dropped and repeated
            const auto bits = space_.layout().bits();
            for (std::size_t p = 0; p < bits.size(); ++p)
                report.figures.wanted_bits[p] = std::max(bits[p], report.figures.wanted_bits[p]);
            if (options_.symmetry != nullptr)
                OrbitForm::equalise(*options_.symmetry, report.figures.wanted_bits);
            return repack(PackedLayout(std::move(report.figures.wanted_bits))) ? WorkEnd::complete
                                                                               : WorkEnd::state_limit;
        }
        for (std::uint32_t s = 0; s < StateSpace::shard_count; ++s)
            if (report.sizes[s] + report.incoming[s] >= StateShard::most_states) return WorkEnd::state_limit;
        return accept_round(report) ? WorkEnd::complete : WorkEnd::state_limit;
    }

    bool answered() { return options_.watch != nullptr && options_.watch->satisfied(); }

    /// The report of this rank's part of the round.
    RoundReport expanded_round() {
        RoundReport report{.sizes = own_sizes()};
        report.stop = reason_to_stop();
        if (report.stop != WorkEnd::complete) return report;
        expand_round();
        report.stop = stop_.reason();
        if (report.stop != WorkEnd::complete) return report;
        for (const Lane& lane : lanes_in_use()) report.add(lane, words_of_entry());
        return report;
    }
    WorkEnd reason_to_stop() {
        if (stop_.reached()) return stop_.reason();
        if (effort_left(0) == 0) return WorkEnd::effort_limit;
        if (!options_.form && space_.all_bytes() > try_trees_at_) try_trees();
        if (bytes() > options_.limits.memory) return WorkEnd::memory_limit;
        round_room_.store(options_.limits.memory - std::min(options_.limits.memory, space_.bytes()));
        return WorkEnd::complete;
    }
    /// Units of effort that remain after this round has found `edges` edges. The number of edges that each
    /// lane finds does not depend on the number of threads.
    std::uint64_t effort_left(std::uint64_t edges) const {
        const std::uint64_t effort = options_.limits.effort;
        if (effort == 0) return std::numeric_limits<std::uint64_t>::max();
        const std::uint64_t words = std::max<std::uint64_t>(space_.layout().words(), 1);
        const std::uint64_t of_edges =
            capped_product(capped_sum(space_edges_, edges), words + effort_of_an_edge);
        const std::uint64_t of_states =
            capped_product(expanded_ + repacked_, net_.place_count() + net_.transition_count()) /
            nodes_of_a_unit;
        return effort -
               std::min(effort, capped_sum(capped_sum(of_edges, of_states), rounds_ * effort_of_a_round));
    }

    /// Reserves bytes of the memory for the successors of a round. False if too few are left.
    bool take_room(std::uint64_t bytes) {
        std::uint64_t room = round_room_.load(std::memory_order_relaxed);
        while (bytes <= room)
            if (round_room_.compare_exchange_weak(room, room - bytes, std::memory_order_relaxed)) return true;
        stop_.set(WorkEnd::memory_limit);
        return false;
    }
    std::size_t words_of_entry() const {
        std::size_t words = 0;
        with_entry_form([&](auto form) { words = form.size(); });
        return words;
    }

    std::span<const Lane> lanes_in_use() const { return std::span(lanes_).first(lane_count_); }
    std::span<Lane> lanes_in_use() { return std::span(lanes_).first(lane_count_); }

    std::size_t bytes() const {
        std::size_t words = 0;
        for (const Lane& lane : lanes_) {
            for (const WordBuffer& buffer : lane.successors) words += buffer.capacity();
        }
        return space_.bytes() + ranks_.bytes() + words * sizeof(Word);
    }

    /// One task per lane or shard, in parallel if there is enough work.
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
            using Words = decltype(words);
            if (std::is_same_v<Words, AnyWords> && space_.in_trees()) {
                if (ranks_.divided()) {
                    work(EntryForm<Words, EntryKind::to_be_folded>{words});
                } else {
                    work(EntryForm<Words, EntryKind::with_root>{words});
                }
            } else {
                work(EntryForm<Words, EntryKind::packed>{words});
            }
        });
    }

    template <class Entry>
    void expand(std::span<const StateId> states, const Entry& entry, Lane& lane) {
        const auto words = entry.words;
        lane.clear();
        if (Entry::in_trees && !lane.coder) lane.coder.emplace(space_);
        Successors successors(net_, options_.semantics, space_.layout(), firing_,
                              [&] { return stop_.reached(); });
        const std::uint64_t bytes_of_edge = 2 * sizeof(Word) * entry.size();  // twice, because buffers grow
        std::uint64_t bytes = 0;                                              // to be reserved
        std::vector<Word> canonical(words());
        std::uint64_t edges = 0;
        for (const StateId state : states) {
            const std::uint64_t before = edges;
            const Word* const packed = Entry::in_trees ? lane.coder->unpack_kept(state) : space_.kept(state);
            successors.for_each(packed, words, [&](const Word* next, std::span<const std::uint32_t> fired) {
                ++edges;
                for (const std::uint32_t transition : fired) lane.fired[transition] = 1;
                if (orbits_) {
                    std::copy_n(next, words(), canonical.data());
                    orbits_->make_canonical(canonical.data());
                    next = canonical.data();
                }
                if constexpr (Entry::kind == EntryKind::with_root) {
                    const std::optional<KeptForm> form = lane.coder->kept_form(next, words);
                    if (!form) {
                        stop_.set(WorkEnd::state_limit);
                        return false;
                    }
                    entry.append(lane.successors[form->hash.shard()], state, form->hash, form->words, next);
                } else {
                    const StateHash hash(next, words);
                    entry.append(lane.successors[hash.shard()], state, hash, nullptr, next);
                }
                if (edges % edges_between_looks_ == 0) {
                    if (effort_left(edges) == 0) stop_.set(WorkEnd::effort_limit);
                    if (stop_.reached()) return false;
                }
                bytes += bytes_of_edge;
                return bytes < bytes_at_once || take_room(std::exchange(bytes, 0));
            });
            if (stop_.reason() != WorkEnd::complete) return;
            const std::uint64_t alike = orbits_ ? orbits_->orbit_size(packed) : 1;
            lane.figures.edges = capped_sum(lane.figures.edges, capped_product(edges - before, alike));
            if (edges == before && !successors.misfit() && !successors.overflow()) {
                lane.figures.deadlocks = capped_sum(lane.figures.deadlocks, alike);
                if (!lane.figures.deadlock) lane.figures.deadlock = state;
            }
        }
        lane.figures.entries = edges;
        lane.figures.overflow = successors.overflow();
        if (successors.misfit()) lane.figures.wanted_bits = successors.wanted_bits();
    }

    /// False if a marking was left out because there would have been too many.
    bool accept_round(const RoundReport& report) {
        for (ShardFigures& figures : figures_) figures.expanded = figures.round_end;
        expanded_ += round_size_;
        ++rounds_;
        edges_ = capped_sum(edges_, report.figures.edges);
        deadlocks_ = capped_sum(deadlocks_, report.figures.deadlocks);
        if (!store_.deadlock) store_.deadlock = report.figures.deadlock;
        for (const Lane& lane : lanes_in_use())
            for (std::size_t t = 0; t < fired_.size(); ++t) fired_[t] |= lane.fired[t];
        space_edges_ += report.figures.entries;
        std::uint64_t size = 0;
        for (const std::uint32_t of_shard : report.sizes) size += of_shard;
        const std::uint64_t room = options_.max_states - std::min(options_.max_states, size);
        bool fits = true;
        with_entry_form([&](auto form) {
            if (report.figures.entries > room) {
                fits = insert_within(form, room);
                return;
            }
            const std::uint64_t work = report.figures.entries * std::max(form.words(), most_fixed_words);
            const std::uint32_t first = ranks_.first_shard();
            for_each_index(ranks_.end_shard() - first, work > entries_for_threads * most_fixed_words,
                           [&](std::size_t i) { insert(form, first + static_cast<std::uint32_t>(i)); });
        });
        if (options_.found != nullptr)
            options_.found->store(ranks_.divided() ? size : space_.size(), std::memory_order_relaxed);
        return fits;
    }

    /// Adds as many markings as the limit allows; false if some were left out. The remaining number is passed
    /// from rank to rank.
    template <class Entry>
    bool insert_within(const Entry& form, std::uint64_t room) {
        room = ranks_.take_room(room);
        const bool fits = insert_some(form, room);
        ranks_.pass_room(room);
        return ranks_.all(fits);
    }

    template <class Entry>
    bool insert_some(const Entry& form, std::uint64_t& room) {
        bool fits = true;
        for (std::uint32_t s = ranks_.first_shard(); fits && s < ranks_.end_shard(); ++s) {
            ranks_.for_each_buffer(s, lanes_in_use(), [&](std::span<const Word> entries) {
                for (std::size_t at = 0; fits && at < entries.size(); at += form.size()) {
                    const Word* entry = entries.data() + at;
                    if (is_known(entry, form, s)) continue;
                    fits = room > 0;
                    if (!fits) break;
                    --room;
                    insert_one(entry, form, s);
                }
                return fits;
            });
        }
        return fits;
    }

    StateCoder& shard_coder(std::uint32_t shard) {
        std::optional<StateCoder>& coder = shard_coders_[shard];
        if (!coder) coder.emplace(space_);
        return *coder;
    }

    template <class Entry>
    bool is_known(const Word* entry, const Entry& form, std::uint32_t number) {
        const StateShard& shard = space_.shard(number);
        if constexpr (Entry::kind == EntryKind::packed) {
            return shard.find(form.hash(entry), form.packed(entry), form.words).has_value();
        } else if constexpr (Entry::kind == EntryKind::with_root) {
            return shard.find(form.hash(entry), form.root(entry), FixedWords<1>()).has_value();
        } else {
            const auto known = shard_coder(number).known_form(form.packed(entry), form.words);
            return known && shard.find(form.hash(entry), known->words, FixedWords<1>());
        }
    }

    template <class Entry>
    bool keep_new(const Word* entry, const Entry& form, std::uint32_t number) {
        StateShard& shard = space_.shard(number);
        const std::uint32_t parent = form.parent(entry);
        if constexpr (Entry::kind == EntryKind::packed) {
            return shard.insert(form.hash(entry), form.packed(entry), parent, form.words);
        } else if constexpr (Entry::kind == EntryKind::with_root) {
            return shard.insert(form.hash(entry), form.root(entry), parent, FixedWords<1>());
        } else {
            const auto kept = shard_coder(number).kept_form(form.packed(entry), form.words);
            if (!kept) stop_.set(WorkEnd::state_limit);
            return kept && shard.insert(form.hash(entry), kept->words, parent, FixedWords<1>());
        }
    }

    template <class Entry>
    void insert_one(const Word* entry, const Entry& form, std::uint32_t number) {
        if (!keep_new(entry, form, number)) return;
        const Word* const packed = form.packed(entry);
        ShardFigures& figures = figures_[number];
        space_.layout().raise(figures.maxima.data(), packed);
        figures.most_tokens = std::max(figures.most_tokens, space_.layout().total(packed));
        if (orbits_) figures.markings = capped_sum(figures.markings, orbits_->orbit_size(packed));
        if (options_.watch != nullptr) options_.watch->see(number, space_.layout(), packed);
    }

    /// Adds all entries of a shard.
    template <class Entry>
    void insert(const Entry& form, std::uint32_t number) {
        // Markings that are found in one round resemble each other.
        if (Entry::kind == EntryKind::to_be_folded && space_.shard(number).size() > 0)
            shard_coder(number).unpack_kept(StateSpace::id(number, space_.shard(number).size() - 1));
        ranks_.for_each_buffer(number, lanes_in_use(), [&](std::span<const Word> entries) {
            insert(entries, form, number);
            return true;
        });
    }

    template <class Entry>
    void insert(std::span<const Word> entries, const Entry& form, std::uint32_t number) {
        const StateShard& shard = space_.shard(number);
        const std::size_t stride = form.size();
        const std::size_t count = entries.size() / stride;
        const auto hash = [&](std::size_t i) { return form.hash(entries.data() + i * stride); };
        for (std::size_t i = 0; i < std::min(count, prefetch_slots); ++i) shard.prefetch_slot(hash(i));
        for (std::size_t i = 0; i < std::min(count, prefetch_states); ++i) shard.prefetch_state(hash(i));
        for (std::size_t i = 0; i < count; ++i) {
            if (i + prefetch_slots < count) shard.prefetch_slot(hash(i + prefetch_slots));
            if (i + prefetch_states < count) shard.prefetch_state(hash(i + prefetch_states));
            insert_one(entries.data() + i * stride, form, number);
        }
    }

    /// The bytes of the space at which trees are tried. They cost time, but little of it for wide markings.
    std::uint64_t first_try_at() const {
        const std::uint64_t share = options_.limits.memory / tried_share;
        return space_.layout().words() >= wide_words ? std::min<std::uint64_t>(first_try_bytes, share)
                                                     : share;
    }

    /// Keeps all markings as trees from now on if that takes at most half the memory. Markings stay in their
    /// shards and in their order.
    void try_trees() {
        if (space_.in_trees() || !StateSpace::may_be_trees(space_.layout())) return;
        const std::size_t enough = space_.all_bytes() / 2;
        // If the attempt fails, it is repeated later. The last attempt is at two thirds of the memory, while
        // both forms still fit.
        constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();
        const std::uint64_t last_try = options_.scratch.empty() ? options_.limits.memory / 3 * 2 : never;
        try_trees_at_ = try_trees_at_ < last_try ? std::min(2 * try_trees_at_, last_try) : never;
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

    /// False if the memory does not suffice.
    bool copy_shard(std::uint32_t number, StateSpace& to) const {
        const StateShard& shard = space_.shard(number);
        StateCoder from_coder(space_), to_coder(to);
        const AnyWords words{to.layout().words()};
        for (std::uint32_t i = 0; i < shard.size(); ++i) {
            const Word* packed = from_coder.unpack_kept(StateSpace::id(number, i));
            const std::optional<KeptForm> form = to_coder.kept_form(packed, words);
            if (!form) return false;
            StateStore::keep(to, *form, shard.parent(i));
        }
        return true;
    }

    void replace_space(StateSpace space) {
        forget_coders();
        space_ = std::move(space);
    }
    void forget_coders() {
        for (Lane& lane : lanes_) lane.coder.reset();
        for (std::optional<StateCoder>& coder : shard_coders_) coder.reset();
    }

    /// The same markings in wider fields. False if the memory does not suffice.
    bool repack(PackedLayout layout) {
        StateSpace wider = empty_space(
            std::move(layout), space_.in_trees() ? StateSpace::Form::trees : options_.form, options_.scratch);
        std::optional<StateStore> store = ranks_.divided()
                                              ? repacked(store_, std::move(wider), *options_.ranks)
                                              : repacked(store_, std::move(wider));
        if (!store) return false;
        forget_coders();
        repacked_ += expanded_;
        store_ = std::move(*store);
        firing_ = PackedFiring(net_, space_.layout());
        compile_symmetry();
        return true;
    }

    const CompiledNet& net_;
    const ExploreOptions& options_;
    RoundExchange ranks_;
    StateStore store_;  // of the shards of this rank; figures: of all shards
    StateSpace& space_;
    std::vector<ShardFigures>& figures_;
    PackedFiring firing_;
    std::optional<OrbitForm> orbits_;  // of the options' symmetry in the layout of space_
    std::vector<std::uint8_t> fired_;
    std::uint64_t edges_between_looks_;
    std::uint64_t try_trees_at_;                 // bytes of the space
    std::atomic<std::uint64_t> round_room_ = 0;  // bytes for successors
    Stop stop_;
    std::vector<StateId> round_;  // those of this rank
    std::size_t round_size_ = 0;  // of all ranks
    std::vector<Lane> lanes_;
    std::size_t lane_count_ = 0;
    std::vector<std::optional<StateCoder>> shard_coders_;  // of EntryKind::to_be_folded
    std::uint64_t expanded_ = 0;
    std::uint64_t repacked_ = 0;  // about, all layouts together
    std::uint64_t rounds_ = 0;
    std::uint64_t space_edges_ = 0;
    std::uint64_t edges_ = 0;
    std::uint64_t deadlocks_ = 0;
    std::uint64_t depth_ = 0;
};

}  // namespace

std::string_view to_string(ExploreEngine engine) {
    switch (engine) {
        case ExploreEngine::automatic:
            return "auto";
        case ExploreEngine::one_by_one:
            return "explicit";
        case ExploreEngine::diagrams:
            return "dd";
    }
    return "";
}

Exploration explore(const CompiledNet& net, const ExploreOptions& options) {
    require_bounded_steps(net, options.semantics);
    return ranks::together(options.ranks, [&] { return Explorer(net, options).run(); });
}

}  // namespace warpnet::states
