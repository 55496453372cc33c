#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <type_traits>
#include <utility>

namespace warpnet::python {

/// Does work on a thread of its own and waits for it. Meanwhile other threads of Python run (the GIL is
/// free), and signals are looked at several times a second: when one of them raises an exception, as Ctrl-C
/// does, `interrupt` is set, and the exception is thrown once the work has ended. What the work throws is
/// thrown here. The work must not touch Python.
void in_background(const std::function<void(const std::atomic<bool>& interrupt)>& work);

/// The same for work that gives a value.
template <class Work>
auto result_in_background(Work&& work) {
    std::optional<std::invoke_result_t<Work, const std::atomic<bool>&>> result;
    in_background([&](const std::atomic<bool>& interrupt) { result.emplace(work(interrupt)); });
    return std::move(*result);
}

}  // namespace warpnet::python
