#pragma once

#include "analysis/states/explore/packed_layout.hpp"
#include "analysis/states/explore/state_space.hpp"
#include "engine/base/no_index.hpp"
#include "engine/compile/compiled_net.hpp"
#include "engine/net/net.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace warpnet::states {

/// Markings by number, packed; fields grow with the counts met.
class MarkingStore {
  public:
    /// Marking 0.
    explicit MarkingStore(const Marking& first) : MarkingStore(first, PackedLayout(bits_for(first))) {}
    MarkingStore(const Marking& first, PackedLayout layout)
        : layout_(std::move(layout)), shard_(layout_.words()) {
        insert(first, 0);
    }

    /// The number of a new marking; nothing if it is known.
    std::optional<std::uint32_t> insert(const Marking& marking, std::uint32_t parent) {
        pack(marking);
        return insert_packed(parent) ? std::optional(shard_.size() - 1) : std::nullopt;
    }

    /// The number of a marking, which is added if it is new.
    std::uint32_t number_of(const Marking& marking, std::uint32_t parent) {
        pack(marking);
        return number_of_packed(parent);
    }

    /// The number of the marking after a firing, whose effects these are, which is the largest one if it is
    /// new; no_index if its tokens do not fit into 63 bits. O(effects + words), however many places there
    /// are.
    std::uint32_t number_after(std::uint32_t before, std::span<const Effect> effects) {
        packed_.assign(shard_[before], shard_[before] + layout_.words());
        for (const Effect& effect : effects) {
            const PackedField& field = layout_[effect.place];
            Tokens tokens = 0;
            if (__builtin_add_overflow(layout_.tokens(packed_.data(), effect.place), effect.delta, &tokens))
                return no_index;
            if (tokens > static_cast<Tokens>(field.capacity())) return number_of_wider(before, effects);
            packed_[field.word] = (packed_[field.word] & ~field.mask()) | static_cast<Word>(tokens)
                                                                              << field.shift;
        }
        return number_of_packed(before);
    }

    Marking operator[](std::uint32_t number) const {
        Marking marking(layout_.places());
        layout_.unpack(shard_[number], marking);
        return marking;
    }
    const PackedLayout& layout() const { return layout_; }
    /// Until the next one is added.
    const Word* packed(std::uint32_t number) const { return shard_[number]; }
    std::uint32_t parent(std::uint32_t number) const { return shard_.parent(number); }
    std::uint32_t size() const { return shard_.size(); }
    std::size_t bytes() const { return shard_.bytes(); }
    /// Markings that were packed again because a field was too small, each time that one was.
    std::uint64_t repacked() const { return repacked_; }

  private:
    static std::vector<std::uint8_t> bits_for(const Marking& marking) {
        std::vector<std::uint8_t> bits;  // of no field 0, or each place with its first token would widen it
        for (const Tokens tokens : marking) bits.push_back(field_bits(std::max<Tokens>(tokens, 1)));
        return bits;
    }

    void pack(const Marking& marking) {
        packed_.resize(layout_.words());
        while (!layout_.pack(marking, packed_.data())) widen(marking);
    }

    /// Whether the marking in packed_ is new.
    bool insert_packed(std::uint32_t parent) {
        const AnyWords words{layout_.words()};
        return shard_.insert(StateHash(packed_.data(), words).in_shard(), packed_.data(), parent, words);
    }
    std::uint32_t number_of_packed(std::uint32_t parent) {
        if (insert_packed(parent)) return shard_.size() - 1;
        const AnyWords words{layout_.words()};
        return *shard_.find(StateHash(packed_.data(), words).in_shard(), packed_.data(), words);
    }

    /// number_after() if a field is too small.
    std::uint32_t number_of_wider(std::uint32_t before, std::span<const Effect> effects) {
        Marking marking = (*this)[before];
        for (const Effect& effect : effects)
            if (__builtin_add_overflow(marking[effect.place], effect.delta, &marking[effect.place]))
                return no_index;
        return number_of(marking, before);
    }

    void widen(const Marking& marking) {
        std::vector<std::uint8_t> bits(layout_.bits().begin(), layout_.bits().end());
        std::uint8_t widest = 0;
        for (std::size_t p = 0; p < bits.size(); ++p) {
            if (field_bits(marking[p]) <= bits[p]) continue;
            // One bit more than needed, so that not every token widens it.
            bits[p] = static_cast<std::uint8_t>(std::min<int>(field_bits(marking[p]) + 1, max_field_bits));
            widest = std::max(widest, bits[p]);
        }
        // If places grow one after the other, all become as wide at once.
        repacked_ += shard_.size();
        if (repacked_ > most_repacked * shard_.size())
            for (std::uint8_t& of_place : bits) of_place = std::max(of_place, widest);
        PackedLayout layout(std::move(bits));
        StateShard shard(layout.words());
        packed_.resize(layout.words());
        const AnyWords words{layout.words()};
        for (std::uint32_t i = 0; i < shard_.size(); ++i) {
            layout.pack((*this)[i], packed_.data());
            shard.insert(StateHash(packed_.data(), words).in_shard(), packed_.data(), shard_.parent(i),
                         words);
        }
        layout_ = std::move(layout);
        shard_ = std::move(shard);
    }

    static constexpr std::uint64_t most_repacked = 2;  // times per marking

    std::uint64_t repacked_ = 0;
    PackedLayout layout_;
    StateShard shard_;
    std::vector<Word> packed_;
};

}  // namespace warpnet::states
