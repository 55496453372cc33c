#pragma once

#include <tbb/task_arena.h>

namespace warpnet {

/// What `work` returns if it may use so many threads; 0: as many as the caller may use. A library changes
/// nothing for its whole process: more threads than cores work side by side only after allow_threads().
template <class Work>
decltype(auto) with_threads(int threads, Work&& work) {
    tbb::task_arena arena(threads > 0 ? threads : tbb::this_task_arena::max_concurrency());
    return arena.execute(work);
}

/// For programs, which own their process: from now on so many threads may work, be there cores for them or
/// not.
void allow_threads(int threads);

}  // namespace warpnet
