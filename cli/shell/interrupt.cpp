#include "cli/shell/interrupt.hpp"

#include <csignal>

namespace warpnet::cli {

namespace {

// A signal handler can reach nothing else than a global.
std::atomic<bool> interrupt_requested = false;
static_assert(std::atomic<bool>::is_always_lock_free);

void request_interrupt(int) { interrupt_requested.store(true); }

void install(void (*handler)(int)) {
    struct sigaction action = {};
    action.sa_handler = handler;
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    sigaction(SIGINT, &action, nullptr);
    sigaction(SIGTERM, &action, nullptr);
}

}  // namespace

Interrupt::Interrupt() {
    interrupt_requested.store(false);
    install(request_interrupt);
}

Interrupt::~Interrupt() {
    if (set_elsewhere_ == nullptr) install(SIG_DFL);
}

const std::atomic<bool>& Interrupt::flag() const noexcept {
    return set_elsewhere_ == nullptr ? interrupt_requested : *set_elsewhere_;
}

}  // namespace warpnet::cli
