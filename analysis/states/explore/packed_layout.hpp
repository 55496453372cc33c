#pragma once

#include "engine/net/net.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace warpnet::states {

/// A piece of a packed marking.
using Word = std::uint64_t;

/// The position of the tokens of one place in a packed marking: `bits` bits of a word from `shift` on. A
/// field of several bits is followed by a *guard* bit, 0 in every stored marking, which catches carries and
/// borrows of arithmetic on whole words; a field of one bit has none.
struct PackedField {
    std::uint32_t word = 0;
    std::uint8_t shift = 0;
    std::uint8_t bits = 1;  ///< 1 to 63
    Word low() const noexcept { return Word{1} << shift; }
    Word guard() const noexcept { return bits == 1 ? 0 : Word{1} << (shift + bits); }
    Word capacity() const noexcept { return (Word{1} << bits) - 1; }
    Word mask() const noexcept { return capacity() << shift; }
};

/// The largest number of bits of a field, which max_tokens needs.
inline constexpr unsigned max_field_bits = 63;

/// How the markings of a net are packed into words: one field per place, none across the border of two words,
/// placed first-fit.
class PackedLayout {
  public:
    /// `bits[p]`, 1 to 63, for each place.
    explicit PackedLayout(std::vector<std::uint8_t> bits);

    /// Words of a packed marking, at least 1.
    std::size_t words() const noexcept { return guards_.size(); }
    std::size_t places() const noexcept { return fields_.size(); }
    const PackedField& operator[](std::size_t place) const noexcept { return fields_[place]; }
    std::span<const std::uint8_t> bits() const noexcept { return bits_; }

    Tokens tokens(const Word* packed, std::size_t place) const noexcept {
        const PackedField& field = fields_[place];
        return static_cast<Tokens>((packed[field.word] >> field.shift) & field.capacity());
    }
    void unpack(const Word* packed, std::span<Tokens> marking) const noexcept;

    /// False, with `packed` undefined, if some place has more tokens than its field can hold.
    bool pack(std::span<const Tokens> marking, Word* packed) const noexcept;

    /// Tokens of all places together, capped at 2^64-1. O(words x widest field).
    std::uint64_t total(const Word* packed) const noexcept;

    /// Raises each field of `maxima` to that of `packed`. Constant time per word that does not change.
    void raise(Word* maxima, const Word* packed) const noexcept;

  private:
    /// Bit `weight` of some fields of a word.
    struct Plane {
        std::uint32_t word;
        std::uint32_t weight;
        Word mask;
    };

    std::vector<std::uint8_t> bits_;
    std::vector<PackedField> fields_;
    std::vector<Word> guards_;   // per word: the guard bits
    std::vector<Word> singles_;  // per word: the fields of one bit
    std::vector<Plane> planes_;
};

/// The number of bits that a field needs to hold `tokens`, at least 1.
std::uint8_t field_bits(Tokens tokens) noexcept;

/// A number of words that the compiler knows, so that loops over them vanish.
template <std::size_t count>
struct FixedWords {
    constexpr std::size_t operator()() const noexcept { return count; }
};

/// The largest number of words that with_words() fixes.
inline constexpr std::size_t most_fixed_words = 4;

/// Any number of words.
struct AnyWords {
    std::size_t count;
    std::size_t operator()() const noexcept { return count; }
};

/// Calls work(words) with a fixed number of words if it is small.
template <class Work>
decltype(auto) with_words(std::size_t count, Work&& work) {
    switch (count) {
        case 1:
            return work(FixedWords<1>());
        case 2:
            return work(FixedWords<2>());
        case 3:
            return work(FixedWords<3>());
        case 4:
            return work(FixedWords<4>());
        default:
            return work(AnyWords{count});
    }
}

}  // namespace warpnet::states
