#pragma once

#include "analysis/states/explore/packed_layout.hpp"
#include "engine/compile/compiled_net.hpp"

#include <cstdint>
#include <vector>

namespace warpnet {

/// Conditions of one transition on one word of a packed marking: they hold where
/// ((word | guards) - demand) & mask == expected.
///
/// In a field of several bits the guard bit, set before the subtraction, survives it exactly where the field
/// holds at least what is demanded; a field of one bit is compared as it stands.
struct PackedCheck {
    Word guards = 0;
    Word demand = 0;
    Word mask = 0;
    Word expected = 0;
    std::uint32_t word = 0;
    std::uint32_t more = 0;  ///< of the first check of a transition: where its others begin and how many
    std::uint32_t more_count = 0;

    bool holds(const Word* packed) const noexcept {
        return (((packed[word] | guards) - demand) & mask) == expected;
    }
};

/// What firing does to one word: it is added to. A field is too small where `full` has a bit in common with
/// the word before or `guards` with the word after.
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
    PackedFiring(const CompiledNet& net, const PackedLayout& layout);

    /// Calls fire(i) for every transition that may fire next, by its position here: those of the first
    /// stratum that has any. Ends where fire() returns false. O(transitions).
    template <class Fire>
    void for_each_enabled(const Word* packed, Fire&& fire) const {
        std::size_t at = 0;
        for (const std::size_t end : stratum_ends_) {
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

    /// Fires transition number `at` on `packed`; false, and nothing sensible in it, where a field is too
    /// small.
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

    std::vector<std::size_t> stratum_ends_;
    std::vector<PackedCheck> first_checks_;  // per transition that can be enabled in this layout
    std::vector<std::uint32_t> transitions_;
    std::vector<std::uint32_t> first_effect_ = {0};
    std::vector<PackedCheck> more_checks_;
    std::vector<PackedEffect> effects_;
};

}  // namespace warpnet
