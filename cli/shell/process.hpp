#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string_view>

namespace warpnet::cli {

/// The output of a command could not be written; what() gives the reason.
class OutputError : public std::runtime_error {
  public:
    using runtime_error::runtime_error;
    explicit OutputError(int error);  ///< a value of errno
};

/// Occupies closed standard streams. Otherwise the next opened file would become one of them, and receive the
/// output. Reading and writing on an occupied stream fails. Call it first.
void occupy_standard_streams();

/// The rank that mpirun or srun gave this process, and whether there are several ranks. Both functions read
/// only the environment.
std::optional<std::int64_t> rank_of_environment();
bool is_one_of_several();

/// print_answer() with the first line that starts with `begin` in bold: the verdict. Bold only on a terminal,
/// unless NO_COLOR is set or TERM is dumb (https://no-color.org).
void print_verdict(std::string_view text, std::string_view begin = "");

/// Flushes the standard output. Throws OutputError if any output was lost, now or earlier.
void flush_standard_output();

/// Three quarters of the memory of this machine, or of the control group of the process if that has less.
/// Bytes.
std::uint64_t default_memory_limit();

/// A limit in the format of memory.max of a control group (version 2), in bytes; nothing for "max" and other
/// words.
std::optional<std::uint64_t> parse_group_limit(std::string_view text);

/// Sizes in bytes.
struct MachineMemory {
    std::uint64_t total = 0, available = 0;
    std::optional<std::uint64_t> limit;  ///< on the data of this process
};

MachineMemory machine_memory();

/// Limits the data of this process to so many bytes: a larger allocation throws std::bad_alloc, long before
/// the machine begins to swap. A lower existing limit stays. 320 MiB and 8 MiB per core are always allowed,
/// because otherwise threads fail to start, and the thread library aborts.
void limit_memory(std::uint64_t bytes);

}  // namespace warpnet::cli
