#pragma once

#include "analysis/states/explore/packed_layout.hpp"
#include "analysis/states/explore/state_space.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace warpnet {

/// Packed markings as binary trees whose leaves are their words: a node is the pair of the numbers of its two
/// parts, itself a word, and words are kept once in a table for all markings and all places in the tree
/// [Laarman11]. Two markings have equal roots exactly if they are equal, and markings that differ little
/// share all but the ways from the differences to the root.
///
/// One a thread: it unfolds a marking, the *base*, and then finds roots of others at the cost of what is
/// different: O(words) comparisons and, for each changed word, up to log2(words) + 1 look-ups, of which a
/// cache answers most.
class MarkingTree {
  public:
    /// `words` of a marking, at least 2. The table must outlive it, and is not owned.
    MarkingTree(WordTable& table, std::size_t words);

    /// The words of the marking with this root, the base from now on. They stay where they are.
    const Word* unfold(Word root);

    /// The root of a marking, whose words are added to the table; nothing where that is full.
    std::optional<Word> root(const Word* marking) {
        return root_by(marking, [this](Word word, std::uint64_t hash) { return table_->add(word, hash); });
    }
    /// Without adding anything: nothing where no marking with this root can have been folded.
    std::optional<Word> known_root(const Word* marking) {
        return root_by(marking, [this](Word word, std::uint64_t hash) { return table_->find(word, hash); });
    }
    /// Of the marking that was last asked for by root() or known_root().
    StateHash hash() const noexcept { return StateHash::of_sum(asked_sum_); }

  private:
    /// Numbers of words that were looked up lately, by hash.
    struct Cached {
        Word word = 0;
        std::uint32_t number = WordTable::no_number;
    };
    static constexpr std::size_t cache_size = 2048;
    static constexpr std::size_t compared_at_once = 8;

    template <class LookUp>
    std::optional<Word> root_by(const Word* marking, LookUp&& look_up);
    template <class LookUp>
    bool renumber(std::size_t node, Word word, LookUp& look_up);
    template <class LookUp>
    bool fold_changes(LookUp& look_up);
    void restore_base();

    void load(std::size_t node, std::uint32_t number);
    Word pair(std::size_t node) const noexcept {
        return Word{numbers_[2 * node]} << 32 | numbers_[2 * node + 1];
    }
    void mark(std::size_t node) noexcept { changed_[node / 64] |= std::uint64_t{1} << node % 64; }

    WordTable* table_;
    std::size_t words_;
    bool has_base_ = false;
    std::vector<Word> base_;
    std::uint64_t base_sum_ = 0, asked_sum_ = 0;  // of StateHash
    /// Node 1 is the root, 2 i and 2 i + 1 are the parts of node i, the leaves are words_ and up.
    std::vector<std::uint32_t> numbers_;
    std::vector<std::uint64_t> changed_;                           // a bit a node: a part has a new number
    std::vector<std::pair<std::size_t, std::uint32_t>> replaced_;  // nodes and their numbers in the base
    std::vector<Cached> cache_;                                    // empty until a root is asked for
};

template <class LookUp>
std::optional<Word> MarkingTree::root_by(const Word* marking, LookUp&& look_up) {
    if (cache_.empty()) cache_.resize(cache_size);
    bool found = true;
    asked_sum_ = base_sum_;
    for (std::size_t begin = 0; begin < words_; begin += compared_at_once) {
        const std::size_t end = std::min(begin + compared_at_once, words_);
        Word differences = 0;
        for (std::size_t i = begin; i < end; ++i) differences |= marking[i] ^ base_[i];
        if (differences == 0 && has_base_) continue;
        for (std::size_t i = begin; i < end; ++i) {
            if (marking[i] == base_[i] && has_base_) continue;
            asked_sum_ += StateHash::term(i, marking[i]) - StateHash::term(i, base_[i]);
            found = found && renumber(words_ + i, marking[i], look_up);
        }
    }
    found = found && fold_changes(look_up);
    const std::optional<Word> root = found ? std::optional(pair(1)) : std::nullopt;
    restore_base();
    return root;
}

template <class LookUp>
bool MarkingTree::renumber(std::size_t node, Word word, LookUp& look_up) {
    const std::uint64_t hash = WordTable::hash(word);
    Cached& cached = cache_[hash % cache_size];
    if (cached.word != word || cached.number == WordTable::no_number) {
        const std::optional<std::uint32_t> number = look_up(word, hash);
        if (!number) return false;
        cached = {word, *number};
    }
    replaced_.emplace_back(node, numbers_[node]);
    numbers_[node] = cached.number;
    mark(node / 2);
    return true;
}

/// Gives new numbers to all nodes above changed ones, the lower ones first.
template <class LookUp>
bool MarkingTree::fold_changes(LookUp& look_up) {
    for (std::size_t block = changed_.size(); block-- > 0;) {
        while (changed_[block] != 0) {
            const auto bit = static_cast<std::size_t>(63 - __builtin_clzll(changed_[block]));
            changed_[block] ^= std::uint64_t{1} << bit;
            const std::size_t node = block * 64 + bit;
            if (node > 1 && !renumber(node, pair(node), look_up)) return false;
        }
    }
    return true;
}

/// A marking as a StateSpace keeps it, and where it belongs there.
struct KeptForm {
    StateHash hash;
    const Word* words;  ///< StateSpace::kept_words() of them
};

/// Turns packed markings into the form in which a StateSpace keeps them and back: the same words, or the root
/// of a MarkingTree. One a thread; the space must outlive it and not move.
class StateCoder {
  public:
    explicit StateCoder(const StateSpace& space) : space_(&space) {
        if (space.in_trees()) tree_.emplace(*space.tree_words(), space.layout().words());
    }

    /// The packed words of a marking. They stay there until the next call, and those that are like it take
    /// less time from now on.
    const Word* unpack_kept(StateId state) {
        const Word* kept = space_->kept(state);
        return tree_ ? tree_->unfold(*kept) : kept;
    }

    /// For a marking that is to be kept; nothing where the table of the trees is full. What it refers to
    /// stays there until the next call.
    template <class Words>
    std::optional<KeptForm> kept_form(const Word* packed, Words words) {
        if constexpr (std::is_same_v<Words, AnyWords>)
            if (tree_) return of_root(tree_->root(packed));
        return KeptForm{StateHash(packed, words), packed};
    }

    /// For a marking that is looked for; nothing where it is certainly not in the space.
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

}  // namespace warpnet
