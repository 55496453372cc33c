#pragma once

#include "analysis/states/explore/packed_layout.hpp"
#include "analysis/states/symmetry/net_symmetry.hpp"
#include "engine/compile/compiled_net.hpp"
#include "engine/run/run.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace warpnet::states {

/// Conditions of one transition on one word of a packed marking: they hold if ((word
///
/// guards) - demand) & mask == expected.
///
/// In a field of several bits the guard bit, set before the subtraction, survives it exactly if the field
/// holds at least the demand. A field of one bit is compared directly.
struct PackedCheck {
    Word guards = 0;
    Word demand = 0;
    Word mask = 0;
    Word expected = 0;
    std::uint32_t word = 0;
    std::uint32_t more = 0;  ///< of a transition's first check: position and number of its further checks
    std::uint32_t more_count = 0;

    bool holds(const Word* packed) const noexcept {
        return (((packed[word] | guards) - demand) & mask) == expected;
    }
};

/// The effect of firing on one word: `add` is added to it. A field is too small if `full` has a bit in common
/// with the word before, or `guards` with the word after.
struct PackedEffect {
    Word delta = 0;
    Word full = 0;
    Word guards = 0;
    std::uint32_t word = 0;
};

/// The rule of firing_rule.hpp under interleaving semantics, compiled for packed markings of one layout.
/// Tested against the plain rule in tests/analysis/states/explore/.
class PackedFiring {
  public:
    /// REQUIRES: each field can hold the tokens that one firing adds to its place (first_layout()).
    PackedFiring(const CompiledNet& net, const PackedLayout& layout);

    /// Calls fire(i) for every transition that may fire next, by its position here: those of the first level
    /// that has any. Ends when fire() returns false. O(transitions).
    template <class Fire>
    void for_each_enabled(const Word* packed, Fire&& fire) const {
        std::size_t at = 0;
        for (const std::size_t end : level_ends_) {
            bool any = false;
            for (; at < end; ++at) {
                const PackedCheck& first = first_checks_[at];
                if (!first.holds(packed) || (first.more_count != 0 && !more_hold(first, packed))) continue;
                any = true;
                if (!fire(at)) return;
            }
            if (any) return;
        }
    }

    /// Fires transition number `at` on `packed`; false, with `packed` undefined, if a field is too small.
    bool apply(std::size_t at, Word* packed) const noexcept {
        Word too_small = 0;
        for (std::uint32_t i = first_effect_[at]; i < first_effect_[at + 1]; ++i) {
            const PackedEffect& effect = effects_[i];
            const Word before = packed[effect.word];
            const Word after = before + effect.delta;
            too_small |= (before & effect.full) | (after & effect.guards);
            packed[effect.word] = after;
        }
        return too_small == 0;
    }

    /// The transition of the net at a position.
    std::uint32_t transition(std::size_t at) const noexcept { return transitions_[at]; }

  private:
    bool more_hold(const PackedCheck& first, const Word* packed) const noexcept {
        for (std::uint32_t i = first.more; i < first.more + first.more_count; ++i) {
            if (!more_checks_[i].holds(packed)) return false;
        }
        return true;
    }
    void add(const CompiledNet& net, const PackedLayout& layout, std::uint32_t transition);

    std::vector<std::size_t> level_ends_;
    std::vector<PackedCheck> first_checks_;  // per transition that can be enabled in this layout
    std::vector<std::uint32_t> transitions_;
    std::vector<std::uint32_t> first_effect_ = {0};
    std::vector<PackedCheck> more_checks_;
    std::vector<PackedEffect> effects_;
};

/// The symmetries of a net on markings packed in one layout. Equivalent places must have fields of equal
/// width; equalise() ensures that. Usable by many threads at once.
class OrbitForm {
  public:
    /// `symmetry` must outlive it.
    OrbitForm(const NetSymmetry& symmetry, const PackedLayout& layout);

    /// Replaces a marking by the representative of its class.
    void make_canonical(Word* packed) const;
    /// The number of markings that one represents; 2^64-1: that many or more. REQUIRES: canonical.
    std::uint64_t orbit_size(const Word* canonical) const;

    /// Raises each width to the largest one of an equivalent place.
    static void equalise(const NetSymmetry& symmetry, std::span<std::uint8_t> bits);

  private:
    std::span<Tokens> gathered(const Word* packed) const;

    const NetSymmetry& symmetry_;
    std::vector<PackedField> fields_;  // by position
    struct Cleared {
        std::uint32_t word;
        Word kept;
    };
    std::vector<Cleared> cleared_;  // per word that has moved fields: all fields that did not move
};

/// Enumerates the successors of packed markings under one semantics. Each thread has its own; the net, the
/// layout and the compiled rule are shared and must outlive it. If must_end(), asked during the search for
/// steps (for_each_possible_step()), returns true, the enumeration of a marking ends silently.
class Successors {
  public:
    Successors(const CompiledNet& net, Semantics semantics, const PackedLayout& layout,
               const PackedFiring& firing, std::function<bool()> must_end = {});

    /// Calls visit(successor, fired) for every possible step: the packed marking after it and the transitions
    /// that fire, with repetitions. A false return ends the enumeration. Successors that the layout cannot
    /// hold are left out and noted.
    template <class Words, class Visit>
    void for_each(const Word* packed, Words words, Visit&& visit) {
        if (semantics_ != Semantics::interleaving) {
            for_each_step(packed, std::forward<Visit>(visit));
            return;
        }
        firing_.for_each_enabled(packed, [&](std::size_t at) {
            for (std::size_t i = 0; i < words(); ++i) next_[i] = packed[i];
            const std::uint32_t transition = firing_.transition(at);
            if (firing_.apply(at, next_.data())) return visit(next_.data(), std::span(&transition, 1));
            note_misfit(packed, transition);
            return true;
        });
    }

    /// Whether the layout was too small for some successor; `wanted_bits` then has the width that each place
    /// needs.
    bool misfit() const noexcept { return misfit_; }
    const std::vector<std::uint8_t>& wanted_bits() const noexcept { return wanted_bits_; }
    /// Whether some place would have held more than max_tokens.
    bool overflow() const noexcept { return overflow_; }
    /// Whether a successor was left out since the last call.
    bool take_misfit() noexcept {
        const bool left_out = misfit_ || overflow_;
        misfit_ = overflow_ = false;
        return left_out;
    }

  private:
    using StepVisit = std::function<bool(const Word*, std::span<const std::uint32_t>)>;
    void for_each_step(const Word* packed, const StepVisit& visit);
    void note_misfit(const Word* packed, std::uint32_t transition);
    void note_misfit(const Marking& marking);

    const CompiledNet& net_;
    Semantics semantics_;
    const PackedLayout& layout_;
    const PackedFiring& firing_;
    std::function<bool()> must_end_;
    std::vector<Word> next_;
    std::vector<std::uint8_t> wanted_bits_;
    bool misfit_ = false;
    bool overflow_ = false;
};

}  // namespace warpnet::states
