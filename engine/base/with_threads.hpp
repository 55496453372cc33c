#pragma once

#include <cstddef>
#include <mutex>
#include <optional>

#include <tbb/global_control.h>
#include <tbb/task_arena.h>

namespace warpnet {

/// The result of `work` with so many threads allowed; 0: as many as the caller may use. A library changes
/// nothing for its whole process. More threads than cores work in parallel only after allow_threads().
template <class Work>
decltype(auto) with_threads(int threads, Work&& work) {
    tbb::task_arena arena(threads > 0 ? threads : tbb::this_task_arena::max_concurrency());
    return arena.execute(work);
}

/// For programs, which own their process: from now on so many threads may work, even if there are fewer
/// cores.
inline void allow_threads(int threads) {
    static std::mutex mutex;
    static std::optional<tbb::global_control> allowed;
    const std::lock_guard lock(mutex);
    constexpr auto kind = tbb::global_control::max_allowed_parallelism;
    if (threads <= static_cast<int>(tbb::global_control::active_value(kind))) return;
    allowed.reset();  // if two of them exist, the lower one counts
    allowed.emplace(kind, static_cast<std::size_t>(threads));
}

}  // namespace warpnet
