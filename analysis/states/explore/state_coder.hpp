#pragma once

#include "analysis/states/explore/marking_tree.hpp"
#include "analysis/states/explore/state_space.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>

namespace warpnet {

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
