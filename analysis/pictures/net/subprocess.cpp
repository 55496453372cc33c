// A program runs in a process group of its own, so that it can be killed with its children, and it dies with
// the parent. Input and output are exchanged in one loop with poll(), because a program may write before it
// has read everything. The child reports a failed start through a pipe that a successful exec closes.
//
// Between fork() and exec the child calls only functions that are safe there, since the program has other
// threads. Sockets replace pipes for the standard streams, because a write to a socket can be made without
// SIGPIPE. The descriptors do not block, and poll() waits at most 50 ms at a time if there is an interrupt to
// look at. Memory is that of the output, without a limit of its own.

#include "analysis/pictures/net/subprocess.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace warpnet::pictures {

namespace {

constexpr std::chrono::milliseconds::rep between_looks = 50;  // checks of interrupts

[[noreturn]] void fail(int error, const std::string& what) {
    throw std::system_error(error, std::generic_category(), what);
}

class Descriptor {
  public:
    explicit Descriptor(int value = -1) : value_(value) {}
    Descriptor(Descriptor&& other) noexcept : value_(std::exchange(other.value_, -1)) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        std::swap(value_, other.value_);
        return *this;
    }
    ~Descriptor() { close(); }

    int get() const { return value_; }
    bool open() const { return value_ >= 0; }
    void close() {
        if (open()) ::close(std::exchange(value_, -1));
    }

  private:
    int value_;
};

/// Two connected ends. Sockets instead of pipes, because a write to a socket can be made without SIGPIPE.
struct Channel {
    Descriptor ours, theirs;
};

Channel open_channel() {
    std::array<int, 2> ends = {};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) fail(errno, "socketpair");
    ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
    return {Descriptor(ends[0]), Descriptor(ends[1])};
}

/// In the child: this may only call functions that are safe after fork() in a program with threads.
[[noreturn]] void become(char* const* arguments, const std::array<int, 3>& streams, pid_t parent,
                         int failure) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // the child ends with its parent
    if (::getppid() != parent) ::_exit(1);
    ::setpgid(0, 0);  // the child's processes can be killed with it
    for (int to = 0; to < 3; ++to) ::dup2(streams[static_cast<std::size_t>(to)], to);
    ::execvp(arguments[0], arguments);
    const int error = errno;
    [[maybe_unused]] const ssize_t written = ::write(failure, &error, sizeof error);
    ::_exit(127);
}

/// Starts a program with its standard streams; it ends with this thread at the latest.
pid_t spawn(const std::vector<std::string>& command, const std::array<int, 3>& streams) {
    std::vector<char*> arguments;
    arguments.reserve(command.size() + 1);
    for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
    arguments.push_back(nullptr);
    std::array<int, 2> failure = {};  // the program's start closes it
    if (::pipe2(failure.data(), O_CLOEXEC) != 0) fail(errno, "pipe");
    Descriptor reading(failure[0]), writing(failure[1]);
    const pid_t parent = ::getpid();
    const pid_t child = ::fork();
    if (child == 0) become(arguments.data(), streams, parent, writing.get());
    if (child < 0) fail(errno, command.front());
    writing.close();
    int error = 0;
    if (::read(reading.get(), &error, sizeof error) == sizeof error) {
        ::waitpid(child, nullptr, 0);
        fail(error, command.front());
    }
    return child;
}

/// Appends the available bytes to `text`; closes the channel at its end.
void receive(Descriptor& from, std::string& text) {
    std::array<char, 65536> buffer;
    const ssize_t size = ::read(from.get(), buffer.data(), buffer.size());
    if (size > 0) text.append(buffer.data(), static_cast<std::size_t>(size));
    if (size == 0 || (size < 0 && errno != EAGAIN && errno != EINTR)) from.close();
}

/// Sends as much as possible; closes the channel when all is sent or the reader is gone.
void send_some(Descriptor& to, std::string_view& rest) {
    const ssize_t size = ::send(to.get(), rest.data(), rest.size(), MSG_NOSIGNAL);
    if (size > 0) rest.remove_prefix(static_cast<std::size_t>(size));
    if (rest.empty() || (size < 0 && errno != EAGAIN && errno != EINTR)) to.close();
}

}  // namespace

ProcessResult run_process(const std::vector<std::string>& command, std::string_view input,
                          std::chrono::milliseconds limit, const std::atomic<bool>* interrupt) {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point deadline = Clock::now() + limit;

    Channel in = open_channel(), out = open_channel(), err = open_channel();
    const pid_t child = spawn(command, {in.theirs.get(), out.theirs.get(), err.theirs.get()});
    for (Channel* channel : {&in, &out, &err}) channel->theirs.close();
    if (input.empty()) in.ours.close();

    ProcessResult result;
    while (in.ours.open() || out.ours.open() || err.ours.open()) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
        result.interrupted = interrupt != nullptr && interrupt->load();
        result.timed_out = !result.interrupted && left.count() <= 0;
        if (result.interrupted || result.timed_out) {
            ::kill(-child, SIGKILL);
            break;
        }
        // A closed descriptor is -1, which poll() ignores.
        std::array<pollfd, 3> polled = {
            {{in.ours.get(), POLLOUT, 0}, {out.ours.get(), POLLIN, 0}, {err.ours.get(), POLLIN, 0}}};
        const auto wait = std::min<std::chrono::milliseconds::rep>(
            left.count() + 1, interrupt != nullptr ? between_looks : 60'000);
        if (::poll(polled.data(), polled.size(), static_cast<int>(wait)) < 0 && errno != EINTR) {
            ::kill(-child, SIGKILL);
            fail(errno, "poll");
        }
        if (polled[0].revents != 0) send_some(in.ours, input);
        if (polled[1].revents != 0) receive(out.ours, result.output);
        if (polled[2].revents != 0) receive(err.ours, result.errors);
    }
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return result;
}

}  // namespace warpnet::pictures
