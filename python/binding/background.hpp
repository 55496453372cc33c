#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <type_traits>
#include <utility>

#include <pybind11/pybind11.h>

namespace warpnet::python {

/// Does work on a thread of its own and waits for it. Meanwhile other threads of Python run (the GIL is
/// free), and signals are looked at several times per second: when one of them raises an exception, as Ctrl-C
/// does, `interrupt` is set, and once the work has ended the exception is returned; else None is. What the
/// work throws is thrown here, but for the sake of the exception of a signal, which then is thrown itself.
/// The work must not touch Python.
pybind11::object in_background(const std::function<void(const std::atomic<bool>& interrupt)>& work);

/// Throws the exception that in_background() returned, if it is one.
void throw_signal(const pybind11::object& signal);

/// The result of work, as far as it was done when a signal raised an exception: that one, or None.
template <class Result>
struct Interruptible {
    Result result;
    pybind11::object signal;
};

/// The same for work that gives a value, of which a part is of use when it is interrupted.
template <class Work>
auto part_in_background(Work&& work) {
    std::optional<std::invoke_result_t<Work, const std::atomic<bool>&>> result;
    pybind11::object signal =
        in_background([&](const std::atomic<bool>& interrupt) { result.emplace(work(interrupt)); });
    return Interruptible<std::invoke_result_t<Work, const std::atomic<bool>&>>{std::move(*result),
                                                                               std::move(signal)};
}

/// The same for work that gives a value, which is thrown away when it is interrupted.
template <class Work>
auto result_in_background(Work&& work) {
    auto [result, signal] = part_in_background(std::forward<Work>(work));
    throw_signal(signal);
    return std::move(result);
}

}  // namespace warpnet::python
