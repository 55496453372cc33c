#include "analysis/states/explore/marking_tree.hpp"

#include <algorithm>

// Wide markings as trees [Laarman11]. The words of a marking are the leaves of a binary tree; a node is the
// pair of the numbers of its two parts, and distinct words and pairs are kept once, in one table for all
// markings. What is left of a marking is its root, 8 bytes, and two markings are equal exactly if their roots
// are. A successor that differs from its parent in three words of a hundred is found by about twenty
// look-ups, most of them in a cache of the thread. Its hash follows from that of the parent, so neither the
// other words nor known markings are touched.

namespace warpnet {

MarkingTree::MarkingTree(WordTable& table, std::size_t words)
    : table_(&table),
      words_(words),
      base_(words, 0),
      numbers_(2 * words, WordTable::no_number),
      changed_(words / 64 + 1, 0) {
    for (std::size_t i = 0; i < words; ++i) base_sum_ += StateHash::term(i, 0);
}

const Word* MarkingTree::unfold(Word root) {
    load(2, static_cast<std::uint32_t>(root >> 32));
    load(3, static_cast<std::uint32_t>(root));
    has_base_ = true;
    return base_.data();
}

/// What has the number that it had in the last base is as it was there.
void MarkingTree::load(std::size_t node, std::uint32_t number) {
    if (numbers_[node] == number) return;
    numbers_[node] = number;
    const Word word = (*table_)[number];
    if (node < words_) {
        load(2 * node, static_cast<std::uint32_t>(word >> 32));
        load(2 * node + 1, static_cast<std::uint32_t>(word));
        return;
    }
    Word& leaf = base_[node - words_];
    base_sum_ += StateHash::term(node - words_, word) - StateHash::term(node - words_, leaf);
    leaf = word;
}

void MarkingTree::restore_base() {
    for (const auto& [node, number] : replaced_) numbers_[node] = number;
    replaced_.clear();
    std::fill(changed_.begin(), changed_.end(), 0);
}

}  // namespace warpnet
