#pragma once

#include "analysis/states/explore/packed_layout.hpp"
#include "analysis/states/explore/state_space.hpp"
#include "engine/net/net.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace warpnet::states {

/// Markings by number, packed; fields grow with the counts met.
class MarkingStore {
  public:
    /// Marking 0.
    explicit MarkingStore(const Marking& first) : layout_(bits_for(first)), shard_(layout_.words()) {
        insert(first, 0);
    }

    /// The number of a new marking; nothing if it is known.
    std::optional<std::uint32_t> insert(const Marking& marking, std::uint32_t parent) {
        packed_.resize(layout_.words());
        while (!layout_.pack(marking, packed_.data())) widen(marking);
        const AnyWords words{layout_.words()};
        const StateHash hash(packed_.data(), words);
        if (!shard_.insert(hash.in_shard(), packed_.data(), parent, words)) return std::nullopt;
        return shard_.size() - 1;
    }

    Marking operator[](std::uint32_t number) const {
        Marking marking(layout_.places());
        layout_.unpack(shard_[number], marking);
        return marking;
    }
    const PackedLayout& layout() const { return layout_; }
    std::uint32_t parent(std::uint32_t number) const { return shard_.parent(number); }
    std::uint32_t size() const { return shard_.size(); }
    std::size_t bytes() const { return shard_.bytes(); }

  private:
    static std::vector<std::uint8_t> bits_for(const Marking& marking) {
        std::vector<std::uint8_t> bits;
        for (const Tokens tokens : marking) bits.push_back(field_bits(tokens));
        return bits;
    }

    void widen(const Marking& marking) {
        std::vector<std::uint8_t> bits(layout_.bits().begin(), layout_.bits().end());
        for (std::size_t p = 0; p < bits.size(); ++p) {
            if (field_bits(marking[p]) > bits[p])  // more than needed, so that not every token widens it
                bits[p] =
                    static_cast<std::uint8_t>(std::min<int>(field_bits(marking[p]) + 1, max_field_bits));
        }
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

    PackedLayout layout_;
    StateShard shard_;
    std::vector<Word> packed_;
};

}  // namespace warpnet::states
