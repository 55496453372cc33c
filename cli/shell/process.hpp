#pragma once

#include <cstdint>
#include <optional>
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

/// The rank that mpirun or srun gave this process, and whether there are several. Both look at the
/// environment alone.
std::optional<std::int64_t> rank_of_environment();
bool is_one_of_several();

/// The same, with the first line that begins so in bold: the verdict. Only on a terminal, unless NO_COLOR is
/// set or TERM is dumb (https://no-color.org).
void print_verdict(std::string_view text, std::string_view begin = "");

/// Writes out what was printed so far. Throws OutputError if any of it was lost, now or earlier.
void flush_standard_output();

/// Three quarters of the memory of this machine, or of the control group that the process is in where that
/// has less. Bytes.
std::uint64_t default_memory_limit();

/// A limit as memory.max of a control group (version 2) says it: bytes; "max" and what is no number: none.
std::optional<std::uint64_t> parse_group_limit(std::string_view text);

/// Bytes.
struct MachineMemory {
    std::uint64_t total = 0, available = 0;
    std::optional<std::uint64_t> limit;  ///< of the data of this process
};

MachineMemory machine_memory();

/// Lets no allocation of this process go beyond so many bytes of data: it ends with std::bad_alloc, long
/// before the machine begins to swap. A lower limit that is set already stays. 320 MiB and 8 MiB for each
/// core are always allowed: without them, threads fail to start, and the library of threads aborts.
void limit_memory(std::uint64_t bytes);

}  // namespace warpnet::cli
