#pragma once

#include "pnml/dialect/labels.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace warpnet::xml {

/// What a transition's labels mean for its firing.
struct Timing {
    bool immediate = false;
    std::int32_t priority = 0;
};

/// Understands the timing labels of PIPE (<timed>, <priority>, <rate>), Tina (<delay>) and TAPAAL
/// (invariants). Those that make a difference only together are collected over the whole net (FORMAT.md,
/// "Time").
class TimingLabels {
  public:
    explicit TimingLabels(const Labels& labels) : labels_(labels) {}

    /// The labels that follow belong to the next transition.
    void begin_transition();

    /// Takes notice of a label of a transition. Refuses delays that a net without time cannot have.
    void read(pugi::xml_node label, std::string_view local_name);

    /// Refuses an age limit of tokens.
    void check_invariant(pugi::xml_node where, std::string_view invariant) const;

    /// Whether all transitions are ordinary, whatever others of the net say.
    bool says_nothing() const;

    /// Of every transition, in the order of the net; empty where all are ordinary.
    std::vector<Timing> result() const;

  private:
    void check_delay(pugi::xml_node delay) const;

    struct Said {
        bool timed = false;
        std::int32_t priority = 0;
    };

    const Labels& labels_;
    std::vector<Said> said_;
    bool any_timed_label_ = false;
};

}  // namespace warpnet::xml
