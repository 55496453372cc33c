#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <type_traits>
#include <utility>

#include <pybind11/pybind11.h>

namespace warpnet::python {

/// Does work on its own thread and waits for it. Meanwhile further threads of Python run (the GIL is free),
/// and signals are checked several times per second. If one of them raises an exception, as Ctrl-C does,
/// `interrupt` is set, and the exception is returned after the work has ended; otherwise None is returned. An
/// exception of the work is thrown here, unless a signal has raised one, which is then thrown instead. The
/// work must not touch Python.
pybind11::object in_background(const std::function<void(const std::atomic<bool>& interrupt)>& work);

/// Throws the exception that in_background() returned, if it is one.
void throw_signal(const pybind11::object& signal);

/// The result of work, and the exception of a signal that ended it early, or None.
template <class Result>
struct Interruptible {
    Result result;
    pybind11::object signal;
};

/// The same for work that returns a value, whose part is useful after an interrupt.
template <class Work>
auto part_in_background(Work&& work) {
    std::optional<std::invoke_result_t<Work, const std::atomic<bool>&>> result;
    pybind11::object signal =
        in_background([&](const std::atomic<bool>& interrupt) { result.emplace(work(interrupt)); });
    return Interruptible<std::invoke_result_t<Work, const std::atomic<bool>&>>{std::move(*result),
                                                                               std::move(signal)};
}

/// The same for work that returns a value, which is discarded after an interrupt.
template <class Work>
auto result_in_background(Work&& work) {
    auto [result, signal] = part_in_background(std::forward<Work>(work));
    throw_signal(signal);
    return std::move(result);
}

}  // namespace warpnet::python
