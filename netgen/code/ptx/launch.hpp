#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace warpnet {

/// What is known of a launch: it makes constants of parameters and of special registers.
struct PtxLaunch {
    /// Kernel parameters by their name in the PTX ("scale_param_2"), or by what stands behind "_param_"
    /// ("2"). "bytes@11" is no parameter: the bytes of the memory operation in line 11, if its text does not
    /// say how many they are.
    std::map<std::string, std::int64_t, std::less<>> params = {};
    std::array<std::int64_t, 3> grid = {};   ///< blocks in x, y, z; 0: not known
    std::array<std::int64_t, 3> block = {};  ///< threads of one

    bool empty() const { return params.empty() && grid == std::array<std::int64_t, 3>{} && block == grid; }
    std::optional<std::int64_t> param(std::string_view name) const;
    bool gives_bytes() const;                              ///< of any line
    std::int64_t bytes_of_line(std::uint32_t line) const;  ///< 0: not given
    /// %ntid.x, %nctaid.y, …, if the shape is known; %tid and %ctaid of an axis of length 1.
    std::optional<std::int64_t> special(std::string_view name) const;
    /// Whether the name is one of these registers, and the shape of its blocks or grid is known.
    bool has_shape_of(std::string_view name) const;
};

}  // namespace warpnet
