#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>

namespace warpnet {

/// Called when work begins, with its total and a counter of the finished part, which lives as long as the
/// returned object. Through it a library that knows of no terminal shows its progress.
using ProgressHook = std::function<std::shared_ptr<void>(std::uint64_t, const std::atomic<std::uint64_t>&)>;

}  // namespace warpnet
