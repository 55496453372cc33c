#pragma once

#include "netgen/blocks/task_set.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpnet::netgen {

/// What an AMALTHEA model does not say about a kernel.
struct AmaltheaOptions {
    /// Blocks of a GPU task; absent: one per SM.
    std::optional<std::int64_t> blocks = {};
    /// Threads of a block; absent: all of an SM, so that kernels run one after the other, which is the safe
    /// side.
    std::optional<std::int64_t> threads = {};
    bool copies = true;  ///< copies to and from the GPU as operations of the copy engine
    /// Runnables on CPU cores as CPU segments: those before and behind the GPU task that their task triggers
    /// are one stream with it, and tasks without one are streams of their own.
    bool cpu = true;
    /// Whether the set is for sporadic_bounds() alone: then stimuli with a jitter are read, and those of
    /// which the model has only least distances. Without it they are errors.
    bool sporadic = false;
    /// A task of the GPU whose runnables have ticks for the core of the task that triggers it, too, becomes a
    /// choice: variant "GPU" as the model maps it, variant "core" as CPU segments, without copies.
    bool variants = false;
    std::vector<std::string>* warnings = nullptr;  ///< gets what is ignored or assumed, unless null
};

/// Reads the tasks of an AMALTHEA model (.amxmi, version 0.7.0 or later; the model of the WATERS 2019
/// challenge): times in nanoseconds, worst case ticks over the frequency of the GPU or core, periods from the
/// stimuli of the task or of those that trigger it. Mapping and limits: netgen/blocks/README.md. Throws
/// InputError with `source`, the line and the element if the XML is malformed, a reference leads nowhere, a
/// construct is unknown or has no upper bound, or no task is left.
TaskSet read_amalthea(std::string_view text, const std::string& source, const AmaltheaOptions& options = {});

}  // namespace warpnet::netgen
