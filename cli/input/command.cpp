#include "cli/input/command.hpp"

#include <cstdint>
#include <optional>

#include <CLI/CLI.hpp>

namespace warpnet::cli {

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

Option& Option::delimiter(char separator) {
    option_->delimiter(separator);
    return *this;
}

Option& Option::between(int least, int most) {
    option_->check(CLI::Range(least, most));
    return *this;
}

Option& Option::not_negative() {
    option_->check(CLI::NonNegativeNumber);
    return *this;
}

Option& Option::one_of(const std::vector<std::string>& values) {
    option_->check(CLI::IsMember(values));
    return *this;
}

Option& Option::existing_directory() {
    option_->check(CLI::ExistingDirectory);
    return *this;
}

Option& Option::as_size() {
    option_->transform(CLI::AsSizeValue(false));
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
    return Option(app_->add_flag(names, target, help));
}

Option Command::add_flag_callback(const std::string& names, const std::function<void()>& function,
                                  const std::string& help) {
    return Option(app_->add_flag_callback(names, function, help));
}

Option Command::get_option(const std::string& name) { return Option(app_->get_option(name)); }

void Command::footer(const std::string& text) { app_->footer(text); }

void Command::callback(const std::function<void()>& function) { app_->callback(function); }

}  // namespace warpnet::cli
