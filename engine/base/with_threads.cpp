#include "engine/base/with_threads.hpp"

#include <cstddef>
#include <mutex>
#include <optional>

#include <tbb/global_control.h>

namespace warpnet {

void allow_threads(int threads) {
    static std::mutex mutex;
    static std::optional<tbb::global_control> allowed;
    const std::lock_guard lock(mutex);
    constexpr auto kind = tbb::global_control::max_allowed_parallelism;
    if (threads <= static_cast<int>(tbb::global_control::active_value(kind))) return;
    allowed.reset();  // of two that exist together the lower one counts
    allowed.emplace(kind, static_cast<std::size_t>(threads));
}

}  // namespace warpnet
