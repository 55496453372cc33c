#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace warpnet {

/// A part of long work while it takes place.
struct WorkPart {
    std::string name;         ///< "exact search"; if something is counted, its plural noun: "runs"
    std::uint64_t total = 0;  ///< of the count; 0: unknown
    const std::atomic<std::uint64_t>* done = nullptr;  ///< the count; null: nothing is counted
    /// What is known so far: "at most 641". Called now and then, from another thread; may be empty.
    std::function<std::string()> known = {};
};

/// Called when a part of the work begins. The part lasts as long as the returned object, and so do its
/// counter and `known`. Parts may lie within another one. Through this hook a library that knows of no
/// terminal shows its progress.
using ProgressHook = std::function<std::shared_ptr<void>(const WorkPart&)>;

/// Begins a part; null without a hook.
inline std::shared_ptr<void> begin_part(const ProgressHook& progress, const WorkPart& part) {
    return progress ? progress(part) : nullptr;
}

}  // namespace warpnet
