#include "analysis/states/explore/repack.hpp"

#include <utility>

namespace warpnet {

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

}  // namespace warpnet
