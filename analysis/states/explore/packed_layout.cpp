// Packs the token counts of places into words. A place goes into the first word with enough free bits
// (first-fit), and no field crosses the border of two words. So a condition on a place concerns one word, and
// firing never carries into another place: the guard bit above each field catches it.

#include "analysis/states/explore/packed_layout.hpp"

#include "engine/base/bits.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace warpnet::states {

namespace {

constexpr unsigned word_bits = 64;

unsigned room_of(unsigned bits) { return bits == 1 ? 1 : bits + 1; }

}  // namespace

PackedLayout::PackedLayout(std::vector<std::uint8_t> bits) : bits_(std::move(bits)) {
    std::vector<unsigned> used = {0};
    std::size_t first_open = 0;  // words before it are full
    for (const std::uint8_t width : bits_) {
        const unsigned room = room_of(width);
        while (first_open < used.size() && used[first_open] == word_bits) ++first_open;
        std::size_t word = first_open;
        while (word < used.size() && used[word] + room > word_bits) ++word;
        if (word == used.size()) used.push_back(0);
        fields_.push_back({static_cast<std::uint32_t>(word), static_cast<std::uint8_t>(used[word]), width});
        used[word] += room;
    }
    guards_.assign(used.size(), 0);
    singles_.assign(used.size(), 0);
    std::vector<std::vector<std::size_t>> planes_of(used.size());  // per word: by weight
    for (const PackedField& field : fields_) {
        guards_[field.word] |= field.guard();
        if (field.bits == 1) singles_[field.word] |= field.low();
        for (unsigned weight = 0; weight < field.bits; ++weight) {
            std::vector<std::size_t>& planes = planes_of[field.word];
            if (weight == planes.size()) {
                planes.push_back(planes_.size());
                planes_.push_back({field.word, weight, 0});
            }
            planes_[planes[weight]].mask |= field.low() << weight;
        }
    }
}

void PackedLayout::unpack(const Word* packed, std::span<Tokens> marking) const noexcept {
    for (std::size_t place = 0; place < fields_.size(); ++place) marking[place] = tokens(packed, place);
}

bool PackedLayout::pack(std::span<const Tokens> marking, Word* packed) const noexcept {
    std::fill_n(packed, words(), 0);
    bool fits = true;
    for (std::size_t place = 0; place < fields_.size(); ++place) {
        const PackedField& field = fields_[place];
        const auto tokens = static_cast<Word>(marking[place]);
        fits = fits && tokens <= field.capacity();
        packed[field.word] |= tokens << field.shift;
    }
    return fits;
}

std::uint64_t PackedLayout::total(const Word* packed) const noexcept {
    constexpr auto most = ~std::uint64_t{0};
    std::uint64_t sum = 0;
    for (const Plane& plane : planes_) {
        const std::uint64_t count = count_bits(packed[plane.word] & plane.mask);
        if (static_cast<unsigned>(std::bit_width(count)) + plane.weight > word_bits) return most;
        if (__builtin_add_overflow(sum, count << plane.weight, &sum)) return most;
    }
    return sum;
}

void PackedLayout::raise(Word* maxima, const Word* packed) const noexcept {
    for (std::size_t word = 0; word < words(); ++word) {
        maxima[word] |= packed[word] & singles_[word];
        const Word at_least =
            ((maxima[word] | guards_[word]) - (packed[word] & ~singles_[word])) & guards_[word];
        if (at_least == guards_[word]) continue;
        for (const PackedField& field : fields_) {
            if (field.word != word || field.bits == 1) continue;
            const Word mask = field.mask();
            if ((packed[word] & mask) > (maxima[word] & mask))
                maxima[word] = (maxima[word] & ~mask) | (packed[word] & mask);
        }
    }
}

std::uint8_t field_bits(Tokens tokens) noexcept {
    return static_cast<std::uint8_t>(
        std::max(1, static_cast<int>(std::bit_width(static_cast<Word>(tokens)))));
}

}  // namespace warpnet::states
