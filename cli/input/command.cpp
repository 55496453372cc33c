// Commands and options on top of CLI11, which is compiled here once: including it costs four seconds per
// file.
//
// Option and Command hold only a pointer to the object of CLI11, which belongs to the program, so they can be
// copied freely. Templates are instantiated here for the few types in use, so that the headers need no CLI11.
// Validators run after all arguments are parsed, which is why rules between options (belongs_to) are
// validators. Sizes need a unit, because "4" for 4 GiB would otherwise be 4 bytes.

#include "cli/input/command.hpp"

#include "engine/base/text.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <string_view>
#include <system_error>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace warpnet::cli {

namespace {

/// A whole number with K, M, G or T for powers of 1024, or at least 65,536 bytes: "4" is a forgotten unit.
std::optional<std::uint64_t> parse_bytes(std::string_view text) {
    if (text.ends_with('B')) text.remove_suffix(1);
    if (text.ends_with('i')) text.remove_suffix(1);
    std::uint64_t unit = 1;
    constexpr std::string_view letters = "KMGTkmgt";
    if (const std::size_t letter = text.empty() ? std::string_view::npos : letters.find(text.back());
        letter != std::string_view::npos) {
        unit = std::uint64_t{1024} << (10 * (letter % 4));
        text.remove_suffix(1);
    }
    const auto number = parse_number<std::int64_t>(text);
    constexpr std::int64_t least_without_unit = 65'536;
    if (!number || *number < (unit == 1 ? least_without_unit : 1)) return {};
    const auto count = static_cast<std::uint64_t>(*number);
    constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    if (count > most / unit) return {};
    return count * unit;
}

}  // namespace

Option& Option::type_name(const std::string& name) {
    option_->type_name(name);
    return *this;
}

Option& Option::capture_default_str() {
    option_->capture_default_str();
    return *this;
}

Option& Option::default_str(const std::string& text) {
    option_->default_str(text);
    return *this;
}

Option& Option::required() {
    option_->required();
    return *this;
}

Option& Option::excludes(Option other) {
    option_->excludes(other.option_);
    return *this;
}

Option& Option::excludes(const std::string& name) {
    option_->excludes(name);
    return *this;
}

Option& Option::needs(Option other) {
    option_->needs(other.option_);
    return *this;
}

Option& Option::needs(const std::string& name) {
    option_->needs(name);
    return *this;
}

std::string Option::name() const {
    return option_->get_positional() ? option_->get_type_name() : option_->get_name();
}

Option& Option::belongs_to(const std::vector<Option>& others) {
    // CLI11 calls a validator only for a given value, after all arguments are parsed.
    option_->check(CLI::Validator(
        [others](std::string&) {
            std::string names;
            for (std::size_t i = 0; i < others.size(); ++i) {
                if (others[i].count() > 0) return std::string();
                const bool last = i + 1 == others.size();
                names += (i == 0 ? "" : last ? " or " : ", ") + others[i].name();
            }
            return "requires " + names;
        },
        ""));
    return *this;
}

Option& Option::delimiter(char separator) {
    option_->delimiter(separator);
    return *this;
}

Option& Option::not_empty() {
    option_->check([](const std::string& text) {
        return std::string(text.empty() ? "expected a value, found an empty one" : "");
    });
    return *this;
}

Option& Option::one_of(const std::vector<std::string>& values) {
    const std::string listed = fmt::format("{}", fmt::join(values, "|"));
    option_->type_name(listed)->check(CLI::Validator(
        [values, listed](std::string& text) {
            if (std::ranges::find(values, text) != values.end()) return std::string();
            const std::string nearest = most_similar(text, values);
            return fmt::format("expected {}, found '{}'{}", listed, text,
                               nearest.empty() ? "" : "; did you mean '" + nearest + "'?");
        },
        ""));
    return *this;
}

Option& Option::existing_directory() {
    option_->check(CLI::Validator(
        [](std::string& text) {
            std::error_code error;
            return std::filesystem::is_directory(text, error) ? std::string()
                                                              : "expected a folder, found '" + text + "'";
        },
        ""));
    return *this;
}

Option& Option::as_size() {
    option_->transform(CLI::Validator(
        [](std::string& text) {
            const auto bytes = parse_bytes(text);
            if (!bytes) return "expected a size with its unit, such as 500M or 4G, found '" + text + "'";
            text = std::to_string(*bytes);
            return std::string();
        },
        ""));
    return *this;
}

std::size_t Option::count() const { return option_->count(); }

Command Command::add_subcommand(const std::string& name, const std::string& description) {
    return Command(*app_->add_subcommand(name, description));
}

void Command::require_subcommand() { app_->require_subcommand(1); }

template <class Target>
Option Command::add_option(const std::string& names, Target& target, const std::string& help) {
    return Option(app_->add_option(names, target, help));
}

template Option Command::add_option(const std::string&, std::string&, const std::string&);
template Option Command::add_option(const std::string&, std::vector<std::string>&, const std::string&);
template Option Command::add_option(const std::string&, std::size_t&, const std::string&);
template Option Command::add_option(const std::string&, std::optional<std::uint32_t>&, const std::string&);
template Option Command::add_option(const std::string&, std::optional<std::uint64_t>&, const std::string&);
template Option Command::add_option(const std::string&, std::optional<double>&, const std::string&);

template <class Value>
Option Command::add_option_function(const std::string& names,
                                    const std::function<void(const Value&)>& function,
                                    const std::string& help) {
    return Option(app_->add_option_function(names, function, help));
}

template Option Command::add_option_function(const std::string&,
                                             const std::function<void(const std::string&)>&,
                                             const std::string&);
template Option Command::add_option_function(const std::string&,
                                             const std::function<void(const std::vector<std::string>&)>&,
                                             const std::string&);
template Option Command::add_option_function(const std::string&,
                                             const std::function<void(const std::uint64_t&)>&,
                                             const std::string&);

Option Command::add_flag(const std::string& names, bool& target, const std::string& help) {
    return Option(app_->add_flag(names, target, help)->disable_flag_override());
}

Option Command::add_flag_callback(const std::string& names, const std::function<void()>& function,
                                  const std::string& help) {
    return Option(app_->add_flag_callback(names, function, help)->disable_flag_override());
}

Option Command::get_option(const std::string& name) { return Option(app_->get_option(name)); }

void Command::footer(const std::string& text) { app_->footer(text); }

void Command::callback(const std::function<void()>& function) { app_->callback(function); }

void Command::allow_others() { app_->allow_extras(); }

std::vector<std::string> Command::others() const { return app_->remaining(); }

}  // namespace warpnet::cli
