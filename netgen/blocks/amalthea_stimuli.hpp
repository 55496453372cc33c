#pragma once

#include "engine/input/xml.hpp"
#include "netgen/blocks/task_set.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpnet::netgen::amalthea {

/// The times at which a task begins.
struct Activation {
    Time release = 0;
    std::optional<Time> period = {};
    Time jitter = 0;
};

/// The type of a stimulus, by its name from version 0.8.3 on.
std::string_view stimulus_type(const XmlElement& stimulus);

/// Whether stimuli of a type have their own times.
bool is_timed(std::string_view type);

/// The activations of a timed stimulus, one per time of a period. InputError if a time is unknown. Unless
/// `sporadic`, InputError also if only a least distance is known.
std::vector<Activation> activations_by(const XmlElement& stimulus, std::string_view type, bool sporadic);

/// The reason to refuse a type.
std::string why_refused(std::string_view type);

/// Whole nanoseconds, at least 1. InputError if they do not fit.
Time rounded_up(const XmlElement& at, double nanoseconds);

}  // namespace warpnet::netgen::amalthea
