#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warpnet::cli {

/// A command line in which one number is a range.
struct SweptRange {
    std::vector<std::string> arguments;
    std::size_t argument = 0;           ///< index of the argument with the range
    std::size_t begin = 0, length = 0;  ///< position in this argument
    std::string name;                   ///< of the flag, without its dashes: "warps"; "units C" of C=1..4
    std::vector<std::int64_t> values;   ///< ascending
    bool multiplied = false;            ///< each value is the previous one times a factor

    /// The command line with one of the values.
    std::vector<std::string> with(std::int64_t value) const;
};

/// The values of a range A..B, A..B..STEP or A..B..xFACTOR; `step` replaces a missing one. Empty if the text
/// is something else. Throws UsageError of the flag for a range with no values or too many.
std::vector<std::int64_t> range_values(std::string_view text, const std::string& flag, std::int64_t step = 1);

/// Finds the only range, which is the value of a flag or an item of its list (--units C=1..4,L=1): A..B,
/// A..B..STEP or A..B..xFACTOR with whole numbers A <= B. Throws UsageError if there is no range, more than
/// one, or one with more than 10,000 values.
SweptRange find_swept_range(const std::vector<std::string>& arguments);

}  // namespace warpnet::cli
