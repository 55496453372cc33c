#pragma once

#include "analysis/states/explore/packed_firing.hpp"
#include "analysis/states/explore/packed_layout.hpp"
#include "analysis/states/explore/words.hpp"
#include "engine/run/run.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace warpnet {

/// Enumerates the successors of packed markings under one semantics. Each thread has its own; the net, the
/// layout and the compiled rule are shared and must outlive it. Where must_end() says so, asked while steps
/// are looked for (for_each_possible_step()), the enumeration of a marking ends without a word.
class Successors {
  public:
    Successors(const CompiledNet& net, Semantics semantics, const PackedLayout& layout,
               const PackedFiring& firing, std::function<bool()> must_end = {});

    /// Calls visit(successor, fired) for every step that is possible: the packed marking after it
    /// and the transitions that fire, repeated ones repeated. A false return ends the enumeration. Successors
    /// that the layout cannot hold are left out and noted.
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

    /// Whether the layout was too small for some successor; `wanted_bits` then says what each place needs.
    bool misfit() const noexcept { return misfit_; }
    const std::vector<std::uint8_t>& wanted_bits() const noexcept { return wanted_bits_; }
    /// Whether some place would have held more than max_tokens.
    bool overflow() const noexcept { return overflow_; }

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

}  // namespace warpnet
