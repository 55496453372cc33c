#pragma once

#include "netgen/blocks/task_set.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpnet::netgen {

/// The facts about a kernel that an AMALTHEA model lacks.
struct AmaltheaOptions {
    /// Blocks of a GPU task; absent: one per SM.
    std::optional<std::int64_t> blocks = {};
    /// Threads of a block; absent: all of an SM. Kernels then run one after the other, which is a safe
    /// assumption.
    std::optional<std::int64_t> threads = {};
    bool copies = true;  ///< copies to and from the GPU as operations of the copy engine
    /// Runnables on CPU cores become CPU segments. Those before and behind the GPU task that their task
    /// triggers form one stream with it; tasks without a GPU task are their own streams.
    bool cpu = true;
    /// Whether the set is for sporadic_bounds() alone. If so, reads stimuli with a jitter, and stimuli for
    /// which the model has only least distances. If not, they are errors.
    bool sporadic = false;
    /// Whether a GPU task becomes a choice if its runnables also have ticks for the core of the task that
    /// triggers it. Variant "GPU" is the mapping of the model, variant "core" is CPU segments without copies.
    bool variants = false;
    std::vector<std::string>* warnings = nullptr;  ///< receives ignored and assumed facts, unless null
};

/// Reads the tasks of an AMALTHEA model (.amxmi, version 0.7.0 or later; the model of the WATERS 2019
/// challenge). Times are in nanoseconds: worst-case ticks over the frequency of the GPU or core, and the
/// periods of the stimuli of the task or of those that trigger it. docs/reference/task-sets.md has the
/// mapping and its limits. Throws InputError with `source`, the line and the element if the XML is malformed,
/// a reference has no target, a construct is unknown or has no upper bound, or no task is left.
TaskSet read_amalthea(std::string_view text, const std::string& source, const AmaltheaOptions& options = {});

}  // namespace warpnet::netgen
