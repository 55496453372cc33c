#pragma once

#include <cstddef>

#include <tbb/global_control.h>
#include <tbb/task_arena.h>

namespace warpnet::testing {

/// What `work` returns where it may use so many threads, be there cores for them or not.
template <class Work>
auto on_threads(int threads, Work&& work) {
    tbb::global_control allow(tbb::global_control::max_allowed_parallelism,
                              static_cast<std::size_t>(threads));
    tbb::task_arena arena(threads);
    return arena.execute(work);
}

}  // namespace warpnet::testing
