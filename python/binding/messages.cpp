// Captures the messages that library functions of the program write to std::cerr. The stream is global, so
// one capture at a time holds a lock.

#include "python/binding/messages.hpp"

#include <iostream>
#include <string_view>

namespace warpnet::python {

namespace {

std::mutex& one_at_a_time() {
    static std::mutex mutex;
    return mutex;
}

}  // namespace

Messages::Messages() : lock_(one_at_a_time()), former_(std::cerr.rdbuf(text_.rdbuf())) {}

Messages::~Messages() { std::cerr.rdbuf(former_); }

std::vector<std::string> Messages::lines() const {
    constexpr std::string_view program = "warpnet: ";
    std::vector<std::string> lines;
    std::istringstream text(text_.str());
    for (std::string line; std::getline(text, line);)
        lines.push_back(line.starts_with(program) ? line.substr(program.size()) : line);
    return lines;
}

}  // namespace warpnet::python
