#pragma once

#include <cstddef>

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>

namespace warpnet::testing {

/// What `work` returns where it may use so many threads, be there cores for them or not.
template <class Work>
auto on_threads(int threads, Work&& work) {
    oneapi::tbb::global_control allow(oneapi::tbb::global_control::max_allowed_parallelism,
                                      static_cast<std::size_t>(threads));
    oneapi::tbb::task_arena arena(threads);
    return arena.execute(work);
}

}  // namespace warpnet::testing
