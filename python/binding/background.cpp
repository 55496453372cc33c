// Runs work on its own thread without the GIL, while the calling thread checks for signals every 50 ms. The
// first Ctrl-C interrupts the work, which then returns its partial result. An error of the work does not hide
// the exception of the signal.

#include "python/binding/background.hpp"

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>

namespace warpnet::python {

namespace py = pybind11;

namespace {

constexpr std::chrono::milliseconds between_looks{50};

/// A thread that does the work, and whether it has finished.
class Background {
  public:
    explicit Background(const std::function<void(const std::atomic<bool>&)>& work)
        : thread_([this, &work] {
              try {
                  work(interrupt_);
              } catch (...) {
                  thrown_ = std::current_exception();
              }
              const std::lock_guard lock(mutex_);
              done_ = true;
              changed_.notify_one();
          }) {}
    ~Background() { thread_.join(); }
    Background(const Background&) = delete;
    Background& operator=(const Background&) = delete;

    /// Waits for a while without the GIL. Returns whether the work has finished.
    bool wait() {
        const py::gil_scoped_release free;
        std::unique_lock lock(mutex_);
        return changed_.wait_for(lock, between_looks, [this] { return done_; });
    }
    void interrupt() noexcept { interrupt_.store(true); }
    /// REQUIRES: the work has finished.
    const std::exception_ptr& thrown() const noexcept { return thrown_; }

  private:
    std::atomic<bool> interrupt_ = false;
    std::mutex mutex_;
    std::condition_variable changed_;
    bool done_ = false;
    std::exception_ptr thrown_;
    std::thread thread_;  // the last member, because it uses all members above
};

}  // namespace

py::object in_background(const std::function<void(const std::atomic<bool>&)>& work) {
    std::optional<py::error_already_set> signalled;
    Background background(work);
    while (!background.wait()) {
        if (PyErr_CheckSignals() == 0) continue;
        py::error_already_set raised;  // takes over the exception
        if (signalled) continue;       // a second Ctrl-C has no further effect
        signalled.emplace(std::move(raised));
        background.interrupt();
    }
    py::object signal = signalled ? signalled->value() : py::none();
    if (background.thrown()) {
        throw_signal(signal);
        std::rethrow_exception(background.thrown());
    }
    return signal;
}

void throw_signal(const py::object& signal) {
    if (signal.is_none()) return;
    PyErr_SetObject(py::type::handle_of(signal).ptr(), signal.ptr());
    throw py::error_already_set();
}

}  // namespace warpnet::python
