#include "netgen/code/ptx/launch.hpp"

namespace warpnet {

std::optional<std::int64_t> PtxLaunch::param(std::string_view name) const {
    auto found = params.find(name);
    const std::size_t behind = name.rfind("_param_");
    if (found == params.end() && behind != std::string_view::npos)
        found = params.find(name.substr(behind + 7));
    return found == params.end() ? std::nullopt : std::optional(found->second);
}

bool PtxLaunch::gives_bytes() const {
    const auto first = params.lower_bound("bytes@");
    return first != params.end() && first->first.starts_with("bytes@");
}

std::int64_t PtxLaunch::bytes_of_line(std::uint32_t line) const {
    const auto found = params.find("bytes@" + std::to_string(line));
    return found == params.end() ? 0 : found->second;
}

namespace {

std::optional<std::size_t> axis_of(std::string_view name) {
    if (name.size() < 2 || name[name.size() - 2] != '.') return std::nullopt;
    const char letter = name.back();
    if (letter < 'x' || letter > 'z') return std::nullopt;
    return static_cast<std::size_t>(letter - 'x');
}

}  // namespace

bool PtxLaunch::has_shape_of(std::string_view name) const {
    const auto axis = axis_of(name);
    if (!axis) return false;
    const std::string_view base = name.substr(0, name.size() - 2);
    return ((base == "%tid" || base == "%ntid") && block[*axis] > 0) ||
           ((base == "%ctaid" || base == "%nctaid") && grid[*axis] > 0);
}

std::optional<std::int64_t> PtxLaunch::special(std::string_view name) const {
    const auto axis = axis_of(name);
    if (!axis) return std::nullopt;
    const std::string_view base = name.substr(0, name.size() - 2);
    const auto known = [](std::int64_t value) { return value > 0 ? std::optional(value) : std::nullopt; };
    if (base == "%ntid") return known(block[*axis]);
    if (base == "%nctaid") return known(grid[*axis]);
    if (base == "%tid" && block[*axis] == 1) return 0;
    if (base == "%ctaid" && grid[*axis] == 1) return 0;
    return std::nullopt;
}

}  // namespace warpnet
