#include "analysis/ranks/bytes.hpp"
#include "analysis/ranks/collectives.hpp"
#include "analysis/ranks/shard_owners.hpp"
#include "analysis/states/explore/repack.hpp"

#include <array>
#include <utility>

namespace warpnet {

namespace {

// In this order markings come into their new shards: those that have been expanded, the rest of the current
// level, the next level.
constexpr std::size_t phases = 3;

template <class Value>
using PerPhaseAndShard = std::array<std::array<Value, StateSpace::shard_count>, phases>;

/// repacked() on one of several ranks.
class DividedRepack {
  public:
    DividedRepack(const StateStore& store, StateSpace wider, Collectives& ranks)
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
    /// Where a marking goes: its place among those that this rank sends there in its phase.
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

    /// To each rank how many entries there are for each shard, and those for its own.
    std::vector<std::string> letters() {
        PerPhaseAndShard<std::uint32_t> counts = {};
        for (std::size_t phase = 0; phase < phases; ++phase)
            for (std::uint32_t s = 0; s < StateSpace::shard_count; ++s)
                counts[phase][s] = static_cast<std::uint32_t>(entries_[phase][s].size() / (words_ + 1));
        std::vector<std::string> letters;
        for (int rank = 0; rank < ranks_.size(); ++rank) {
            ByteWriter letter;
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

    /// False where there is no room for all.
    bool take_in(const std::vector<std::string>& letters) {
        std::vector<ByteReader> readers(letters.begin(), letters.end());
        std::vector<PerPhaseAndShard<std::uint32_t>> counts;
        counts.reserve(readers.size());
        for (ByteReader& reader : readers) counts.push_back(reader.get<PerPhaseAndShard<std::uint32_t>>());
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
    bool take_in(ByteReader& reader, StateCoder& coder) {
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

    /// Old numbers go to those who had the markings, and come back as new ones.
    void move_parents() {
        std::vector<ByteWriter> questions(static_cast<std::size_t>(ranks_.size()));
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
        for (ByteWriter& of_rank : questions) letters.push_back(std::move(of_rank).take());
        letters = ranks_.exchange(std::move(letters));
        for (std::string& letter : letters) {
            ByteWriter answer;
            for (ByteReader reader(letter); !reader.at_end();)
                answer.put(moved(StateId{reader.get<std::uint32_t>()}));
            letter = std::move(answer).take();
        }
        const std::vector<std::string> answers = ranks_.exchange(std::move(letters));
        std::vector<ByteReader> readers(answers.begin(), answers.end());
        for_each_child([&](StateShard& shard, std::uint32_t i) {
            shard.set_parent(i, readers[asked(shard.parent(i))].get<std::uint32_t>());
        });
    }

    StateId moved_by_owner(StateId state) {
        const int owner = owners_.owner(StateSpace::shard_of(state));
        ByteWriter answer;
        if (owner == ranks_.rank()) answer.put(moved(state));
        const std::string text = ranks_.broadcast(owner, std::move(answer).take());
        return ByteReader(text).get<StateId>();
    }

    const StateStore& store_;
    Collectives& ranks_;
    ShardOwners owners_;
    std::size_t words_;
    std::vector<std::vector<Destination>> moved_;  // per old shard of this rank
    PerPhaseAndShard<std::vector<Word>> entries_;
    std::array<std::uint32_t, StateSpace::shard_count> sizes_ = {};  // of the new shards, so far
    PerPhaseAndShard<std::uint32_t> first_ = {};  // the new number of the first one that this rank sends
    StateStore result_;
};

}  // namespace

std::optional<StateStore> repacked(const StateStore& store, StateSpace wider, Collectives& ranks) {
    return DividedRepack(store, std::move(wider), ranks).run();
}

}  // namespace warpnet
