#pragma once

#include "analysis/pictures/picture_style.hpp"
#include "engine/net/error.hpp"
#include "engine/run/run.hpp"

#include <chrono>
#include <initializer_list>
#include <optional>
#include <string>

namespace warpnet::python {

/// The value of this name (to_string()). Throws InputError that lists the names.
template <class Enum>
Enum choice(const char* parameter, const std::string& name, std::initializer_list<Enum> values) {
    std::string names;
    for (const Enum value : values) {
        if (to_string(value) == name) return value;
        names += (names.empty() ? "" : ", ") + std::string(to_string(value));
    }
    throw InputError(std::string(parameter) + ": expected one of " + names + "; found '" + name + "'");
}

inline Semantics semantics_of(const std::string& name) {
    return choice("semantics", name, {Semantics::maximal, Semantics::multiset, Semantics::interleaving});
}

inline Policy policy_of(const std::string& name) {
    return choice(
        "policy", name,
        {Policy::random, Policy::first, Policy::last, Policy::round_robin, Policy::gto, Policy::lrr});
}

inline pictures::PictureStyle style_of(const std::string& theme, double font_size) {
    if (!(font_size == 0 || (font_size >= 4 && font_size <= 72)))
        throw InputError("font_size: expected points from 4 to 72, found " + std::to_string(font_size));
    return {
        choice("theme", theme,
               {pictures::PictureTheme::light, pictures::PictureTheme::dark, pictures::PictureTheme::print}),
        font_size};
}

/// Throws InputError for a time that is negative or no number.
inline std::optional<std::chrono::milliseconds> milliseconds_of(std::optional<double> seconds) {
    if (!seconds) return {};
    if (!(*seconds >= 0 && *seconds <= 1e9))
        throw InputError("time_limit: expected seconds from 0 to 1e9, found " + std::to_string(*seconds));
    return std::chrono::milliseconds(static_cast<std::int64_t>(*seconds * 1000));
}

inline std::optional<std::chrono::steady_clock::time_point> deadline_in(std::optional<double> seconds) {
    const auto time = milliseconds_of(seconds);
    if (!time) return {};
    return std::chrono::steady_clock::now() + *time;
}

}  // namespace warpnet::python
