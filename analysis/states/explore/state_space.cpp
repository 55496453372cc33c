#include "analysis/states/explore/state_space.hpp"

#include "analysis/states/explore/marking_tree.hpp"

#include <utility>

namespace warpnet {

StateSpace::StateSpace(PackedLayout layout, Form form, const std::string& scratch)
    : layout_(std::move(layout)) {
    if (!scratch.empty()) scratch_ = std::make_unique<ScratchMemory>(scratch);
    if (form == Form::trees)
        tree_words_ = std::make_unique<WordTable>(WordTable::most_in_a_stripe, scratch_.get());
    const auto hashed = in_trees() ? StateShard::Hashed::other : StateShard::Hashed::words;
    for (std::uint32_t s = 0; s < shard_count; ++s)
        shards_.emplace_back(kept_words(), hashed, scratch_.get());
}

std::uint64_t StateSpace::size() const noexcept {
    std::uint64_t size = 0;
    for (const StateShard& shard : shards_) size += shard.size();
    return size;
}

std::size_t StateSpace::bytes() const noexcept {
    std::size_t bytes = in_trees() ? tree_words_->bytes() : 0;
    for (const StateShard& shard : shards_) bytes += shard.bytes();
    return bytes;
}

std::size_t StateSpace::all_bytes() const noexcept {
    std::size_t bytes = in_trees() ? tree_words_->all_bytes() : 0;
    for (const StateShard& shard : shards_) bytes += shard.all_bytes();
    return bytes;
}

Marking StateSpace::marking(StateId state) const {
    Marking marking(layout_.places());
    if (in_trees()) {
        layout_.unpack(MarkingTree(*tree_words_, layout_.words()).unfold(*kept(state)), marking);
    } else {
        layout_.unpack(kept(state), marking);
    }
    return marking;
}

std::optional<StateId> StateSpace::find(const Marking& marking) const {
    std::vector<Word> packed(layout_.words());
    if (!layout_.pack(marking, packed.data())) return std::nullopt;
    const AnyWords words{packed.size()};
    const StateHash hash(packed.data(), words);
    if (in_trees()) {
        const std::optional<Word> root = MarkingTree(*tree_words_, packed.size()).known_root(packed.data());
        if (!root) return std::nullopt;
        packed.front() = *root;
    }
    const auto number = with_kept_words(words, [&](auto kept_words) {
        return shards_[hash.shard()].find(hash.in_shard(), packed.data(), kept_words);
    });
    return number ? std::optional(id(hash.shard(), *number)) : std::nullopt;
}

}  // namespace warpnet
