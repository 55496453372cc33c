#include "analysis/states/explore/orbit_form.hpp"

#include <algorithm>

namespace warpnet {

OrbitForm::OrbitForm(const NetSymmetry& symmetry, const PackedLayout& layout) : symmetry_(symmetry) {
    std::vector<Word> moved(layout.words(), 0);
    for (const std::uint32_t place : symmetry.places()) {
        fields_.push_back(layout[place]);
        moved[layout[place].word] |= layout[place].mask();
    }
    for (std::uint32_t word = 0; word < moved.size(); ++word)
        if (moved[word] != 0) cleared_.push_back({word, ~moved[word]});
}

std::span<Tokens> OrbitForm::gathered(const Word* packed) const {
    thread_local std::vector<Tokens> tokens;
    tokens.resize(fields_.size());
    for (std::size_t i = 0; i < fields_.size(); ++i) {
        const PackedField& field = fields_[i];
        tokens[i] = static_cast<Tokens>((packed[field.word] >> field.shift) & field.capacity());
    }
    return tokens;
}

void OrbitForm::make_canonical(Word* packed) const {
    const std::span<Tokens> tokens = gathered(packed);
    symmetry_.make_canonical(tokens);
    for (const Cleared& cleared : cleared_) packed[cleared.word] &= cleared.kept;
    for (std::size_t i = 0; i < fields_.size(); ++i)
        packed[fields_[i].word] |= static_cast<Word>(tokens[i]) << fields_[i].shift;
}

std::uint64_t OrbitForm::orbit_size(const Word* canonical) const {
    return symmetry_.orbit_size(gathered(canonical));
}

void OrbitForm::equalise(const NetSymmetry& symmetry, std::span<std::uint8_t> bits) {
    const std::span<const std::uint32_t> orbits = symmetry.place_orbits();
    std::vector<std::uint8_t> widest(bits.size(), 0);
    for (std::size_t p = 0; p < bits.size(); ++p) widest[orbits[p]] = std::max(widest[orbits[p]], bits[p]);
    for (std::size_t p = 0; p < bits.size(); ++p) bits[p] = widest[orbits[p]];
}

}  // namespace warpnet
