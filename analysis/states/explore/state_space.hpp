#pragma once

#include "analysis/ranks/scratch.hpp"
#include "analysis/states/explore/marking_tree.hpp"
#include "analysis/states/explore/packed_layout.hpp"
#include "engine/compile/compiled_net.hpp"
#include "engine/net/net.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace warpnet::states {

/// Some of the markings met, each once, numbered in the order of their insertion, with the marking from which
/// each was first reached. Open addressing with linear probing over slots of 4 bytes (6 bits of the hash, 26
/// bits of number + 1), between a third and two thirds full.
///
/// A marking costs its words, 4 bytes for its parent and 6 to 12 bytes for its slot. `Words` is a function
/// that returns the number of words, so that common numbers are known to the compiler.
class StateShard {
  public:
    static constexpr std::uint32_t most_states = (1u << 26) - 2;

    /// The data that are hashed.
    enum class Hashed : std::uint8_t {
        words,  ///< the words that are kept
        other,  ///< another form of them: hashes are kept too, 4 bytes per marking
    };
    /// With `scratch`, which may be null and must outlive it, everything but the slots is stored there.
    explicit StateShard(std::size_t words, Hashed hashed = Hashed::words,
                        ranks::ScratchMemory* scratch = nullptr);

    std::uint32_t size() const noexcept { return size_; }
    const Word* operator[](std::uint32_t state) const noexcept {
        return chunks_[state >> chunk_shift_].get() + (state & chunk_mask_) * words_;
    }
    std::uint32_t parent(std::uint32_t state) const noexcept {
        return parents_[state >> chunk_shift_][state & chunk_mask_];
    }
    void set_parent(std::uint32_t state, std::uint32_t parent) noexcept {
        parents_[state >> chunk_shift_][state & chunk_mask_] = parent;
    }

    /// The bytes of memory of this shard, plus half as many slots again if they will soon have to be doubled.
    std::size_t bytes() const noexcept {
        return slot_bytes() + (scratch_ == nullptr ? size_ * state_bytes() : 0);  // the rest is untouched
    }
    /// The same in memory and in the scratch folder.
    std::size_t all_bytes() const noexcept { return slot_bytes() + size_ * state_bytes(); }

    void prefetch_slot(std::uint32_t hash) const noexcept { __builtin_prefetch(&slots_[home(hash)]); }

    /// After prefetch_slot() has had its time: the marking in the slot, if it may be the one sought.
    void prefetch_state(std::uint32_t hash) const noexcept {
        const std::uint32_t slot = slots_[home(hash)];
        if (slot != 0 && (slot ^ hash) >> number_bits == 0)
            __builtin_prefetch((*this)[(slot & number_mask) - 1]);
    }

    /// True if the marking is new; its number is then size() - 1. REQUIRES: size() < most_states.
    template <class Words>
    bool insert(std::uint32_t hash, const Word* packed, std::uint32_t parent, Words words) {
        std::size_t at = home(hash);
        for (; slots_[at] != 0; at = (at + 1) & slot_mask_) {
            if (is(slots_[at], hash, packed, words)) return false;
        }
        slots_[at] = (hash & ~number_mask) | (size_ + 1);
        append(packed, parent, hash);
        return true;
    }

    template <class Words>
    std::optional<std::uint32_t> find(std::uint32_t hash, const Word* packed, Words words) const noexcept {
        for (std::size_t at = home(hash); slots_[at] != 0; at = (at + 1) & slot_mask_) {
            if (is(slots_[at], hash, packed, words)) return (slots_[at] & number_mask) - 1;
        }
        return std::nullopt;
    }

  private:
    static constexpr unsigned number_bits = 26;
    static constexpr std::uint32_t number_mask = (1u << number_bits) - 1;

    std::size_t home(std::uint32_t hash) const noexcept { return hash & slot_mask_; }

    template <class Words>
    bool is(std::uint32_t slot, std::uint32_t hash, const Word* packed, Words words) const noexcept {
        if ((slot ^ hash) >> number_bits != 0) return false;
        const Word* known = (*this)[(slot & number_mask) - 1];
        for (std::size_t i = 0; i < words(); ++i) {
            if (known[i] != packed[i]) return false;
        }
        return true;
    }
    void append(const Word* packed, std::uint32_t parent, std::uint32_t hash) {
        if ((size_ & chunk_mask_) == 0) add_chunk();
        Word* place = chunks_[size_ >> chunk_shift_].get() + (size_ & chunk_mask_) * words_;
        for (std::size_t i = 0; i < words_; ++i) place[i] = packed[i];
        parents_[size_ >> chunk_shift_][size_ & chunk_mask_] = parent;
        if (hashed_ == Hashed::other) hashes_[size_ >> chunk_shift_][size_ & chunk_mask_] = hash;
        ++size_;
        if (std::uint64_t{3} * size_ > 2 * slots_.size()) grow();
    }
    std::size_t slot_bytes() const noexcept;
    std::size_t state_bytes() const noexcept {
        return words_ * sizeof(Word) + (hashed_ == Hashed::other ? 2 : 1) * sizeof(std::uint32_t);
    }
    void add_chunk();
    void grow();

    std::size_t words_ = 1;
    Hashed hashed_ = Hashed::words;
    ranks::ScratchMemory* scratch_ = nullptr;
    unsigned chunk_shift_ = 0;
    std::uint32_t chunk_mask_ = 0;
    std::uint32_t size_ = 0;
    std::size_t slot_mask_ = 0;
    std::vector<std::uint32_t> slots_;
    std::vector<ranks::Chunk<Word>> chunks_;
    std::vector<ranks::Chunk<std::uint32_t>> parents_;
    std::vector<ranks::Chunk<std::uint32_t>> hashes_;  // Hashed::other alone
};

/// A marking of a StateSpace: its shard in the top bits, its number in the shard in the lower bits.
enum class StateId : std::uint32_t {};

/// Distinct markings, packed, in shards by hash that can be filled in parallel. Each knows its parent: the
/// marking from which it was first reached.
///
/// A shard keeps the packed words of a marking or, if it is wide, the root of its tree (MarkingTree).
/// StateCoder converts between the two forms.
class StateSpace {
  public:
    static constexpr std::uint32_t shard_count = 1u << StateHash::shard_bits;

    enum class Form : std::uint8_t {
        packed,  ///< each marking separately: 8 bytes per word
        trees,   ///< common parts once: 8 to 12 bytes per marking, and these parts
    };
    /// REQUIRES: for trees, may_be_trees(layout).
    /// With the name of a folder, everything but the slots is stored in a file there (ScratchMemory). Throws
    /// InputError if the file cannot be written. Adding markings throws it too if the disk is full.
    explicit StateSpace(PackedLayout layout, Form form = Form::packed, const std::string& scratch = {});

    /// Whether markings with this number of words may be kept as trees.
    static bool may_be_trees(const PackedLayout& layout) noexcept {
        return layout.words() > most_fixed_words;
    }

    const PackedLayout& layout() const noexcept { return layout_; }
    bool in_trees() const noexcept { return tree_words_ != nullptr; }
    WordTable* tree_words() const noexcept { return tree_words_.get(); }  ///< null: not in trees
    std::size_t kept_words() const noexcept { return in_trees() ? 1 : layout_.words(); }
    StateShard& shard(std::uint32_t number) noexcept { return shards_[number]; }
    const StateShard& shard(std::uint32_t number) const noexcept { return shards_[number]; }

    static constexpr StateId id(std::uint32_t shard, std::uint32_t number) noexcept {
        return StateId{shard << in_shard_bits | number};
    }
    static constexpr std::uint32_t shard_of(StateId state) noexcept {
        return static_cast<std::uint32_t>(state) >> in_shard_bits;
    }
    static constexpr std::uint32_t number_of(StateId state) noexcept {
        return static_cast<std::uint32_t>(state) & ((1u << in_shard_bits) - 1);
    }

    std::uint64_t size() const noexcept;
    std::size_t bytes() const noexcept;      ///< of memory
    std::size_t all_bytes() const noexcept;  ///< in memory and in the scratch folder

    const Word* kept(StateId state) const noexcept { return shards_[shard_of(state)][number_of(state)]; }
    Marking marking(StateId state) const;
    /// The initial marking is its own parent.
    StateId parent(StateId state) const noexcept {
        return StateId{shards_[shard_of(state)].parent(number_of(state))};
    }

    std::optional<StateId> find(const Marking& marking) const;

    /// Calls work(words) with the number of words that are kept of a marking of `packed_words` words.
    template <class Words, class Work>
    decltype(auto) with_kept_words(Words words, Work&& work) const {
        if constexpr (std::is_same_v<Words, AnyWords>)
            if (in_trees()) return work(FixedWords<1>());
        return work(words);
    }

  private:
    static constexpr unsigned in_shard_bits = 32 - StateHash::shard_bits;

    PackedLayout layout_;
    std::unique_ptr<ranks::ScratchMemory> scratch_;
    std::unique_ptr<WordTable> tree_words_;
    std::vector<StateShard> shards_;
};

/// A marking as a StateSpace keeps it, and its position there.
struct KeptForm {
    StateHash hash;
    const Word* words;  ///< StateSpace::kept_words() of them
};

/// Converts packed markings into the form in which a StateSpace keeps them and back: the same words, or the
/// root of a MarkingTree. One per thread; the space must outlive it and not move.
class StateCoder {
  public:
    explicit StateCoder(const StateSpace& space) : space_(&space) {
        if (space.in_trees()) tree_.emplace(*space.tree_words(), space.layout().words());
    }

    /// The packed words of a marking. They stay valid until the next call. Similar markings take less time
    /// from now on.
    const Word* unpack_kept(StateId state) {
        const Word* kept = space_->kept(state);
        return tree_ ? tree_->unfold(*kept) : kept;
    }

    /// For a marking that is to be kept; nothing if the table of the trees is full. The result stays valid
    /// until the next call.
    template <class Words>
    std::optional<KeptForm> kept_form(const Word* packed, Words words) {
        if constexpr (std::is_same_v<Words, AnyWords>)
            if (tree_) return of_root(tree_->root(packed));
        return KeptForm{StateHash(packed, words), packed};
    }

    /// For a marking that is sought; nothing if it is certainly not in the space.
    template <class Words>
    std::optional<KeptForm> known_form(const Word* packed, Words words) {
        if constexpr (std::is_same_v<Words, AnyWords>)
            if (tree_) return of_root(tree_->known_root(packed));
        return KeptForm{StateHash(packed, words), packed};
    }

  private:
    std::optional<KeptForm> of_root(std::optional<Word> root) {
        if (!root) return std::nullopt;
        root_ = *root;
        return KeptForm{tree_->hash(), &root_};
    }

    const StateSpace* space_;
    std::optional<MarkingTree> tree_;
    Word root_ = 0;
};

/// An observer that sees every marking of an exploration once.
class MarkingWatch {
  public:
    virtual ~MarkingWatch() = default;

    /// A new marking of a shard. Several threads fill shards, but only one at a time fills a given shard, in
    /// an order that does not depend on the threads.
    virtual void see(std::uint32_t shard, const PackedLayout& layout, const Word* packed) = 0;

    /// Asked between rounds, while no thread is in see(): whether nothing more has to be seen. By then all
    /// markings nearer to the initial one than the farthest marking seen have been seen.
    virtual bool satisfied() = 0;

    /// Among ranks each rank sees the markings of its own shards. Returns, as bytes, the news of this rank
    /// since the last call. take() receives the news of all ranks, by rank, before satisfied() is called.
    /// Only then can the watch end the exploration.
    virtual std::string news() { return {}; }
    virtual void take(const std::vector<std::string>& news_of_ranks) { (void)news_of_ranks; }
};

/// Keeps the dead markings of an exploration that are nearest to the initial one. They do not depend on the
/// number of threads. O(transitions) per marking.
class DeadMarkings : public MarkingWatch {
  public:
    /// Keeps at most `most`.
    DeadMarkings(const CompiledNet& net, std::size_t most) : net_(net), most_(most) {}

    void see(std::uint32_t shard, const PackedLayout& layout, const Word* packed) override;
    bool satisfied() override;

    /// The markings found, nearest first. To be asked after the exploration has ended.
    std::vector<Marking> nearest();

  private:
    void gather();

    const CompiledNet& net_;
    std::size_t most_;
    std::vector<Marking> found_;
    std::array<std::vector<Marking>, StateSpace::shard_count> seen_;  ///< in this round
};

}  // namespace warpnet::states
