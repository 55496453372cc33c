#pragma once

#include <stdexcept>
#include <string_view>

namespace warpnet::cli {

/// What a command printed could not be written; what() says why.
class OutputError : public std::runtime_error {
  public:
    using runtime_error::runtime_error;
    explicit OutputError(int error);  ///< a value of errno
};

/// Gives standard streams that are closed a place of their own: else the next file that is opened would take
/// it, and what is printed would end up in there. Reading and writing there fails. To be called first.
void occupy_standard_streams();

/// Prints what a command has to say, text or JSON, with the control characters of names made visible.
void print_answer(std::string_view text);

/// Writes out what was printed so far. Throws OutputError where any of it was lost, now or earlier.
void flush_standard_output();

}  // namespace warpnet::cli
