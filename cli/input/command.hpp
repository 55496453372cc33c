#pragma once

#include "engine/input/usage_error.hpp"

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace warpnet::cli {

using warpnet::UsageError;

// Commands and their options, parsed by CLI11. Compiling its header takes longer than compiling a command. So
// only command.cpp and files that inspect a parsed program (main, manual pages, messages) include it.

/// An option, a flag or an argument of a command. It is a pointer to an object of the program.
class Option {
  public:
    explicit Option(CLI::Option* option) noexcept : option_(option) {}

    /// The name of the value in the help.
    Option& type_name(const std::string& name);
    /// The default in the help: the present value of the target, or the text.
    Option& capture_default_str();
    Option& default_str(const std::string& text);
    Option& required();
    /// The option cannot be combined with another option of the command, or requires it.
    Option& excludes(Option other);
    Option& excludes(const std::string& name);
    Option& needs(Option other);
    Option& needs(const std::string& name);
    /// The option requires one of the given options.
    Option& belongs_to(const std::vector<Option>& others);
    /// One value per item of a list, whose items are separated by this character.
    Option& delimiter(char separator);
    Option& one_of(const std::vector<std::string>& values);
    Option& existing_directory();
    Option& not_empty();
    /// The value is a number of bytes: 4K, 4M, 4G.
    Option& as_size();

    /// The number of occurrences in the command line.
    std::size_t count() const;
    /// The name in the help.
    std::string name() const;

  private:
    CLI::Option* option_;
};

/// A command of the program, or the program itself. It is a pointer to an object of the program.
class Command {
  public:
    explicit Command(CLI::App& app) noexcept : app_(&app) {}

    Command add_subcommand(const std::string& name, const std::string& description);
    void require_subcommand();
    /// Adds an option, whose name begins with '-', or an argument. Targets: std::string,
    /// std::vector<std::string>, numbers and optional numbers.
    template <class Target>
    Option add_option(const std::string& names, Target& target, const std::string& help);
    /// The same with a name for the value in the help.
    template <class Target>
    Option add_option(const std::string& names, Target& target, const std::string& help,
                      const std::string& type_name) {
        return add_option(names, target, help).type_name(type_name);
    }
    /// The same with a function that receives the value: std::string, std::vector<std::string>,
    /// std::uint64_t.
    template <class Value>
    Option add_option_function(const std::string& names, const std::function<void(const Value&)>& function,
                               const std::string& help);
    Option add_flag(const std::string& names, bool& target, const std::string& help);
    Option add_flag_callback(const std::string& names, const std::function<void()>& function,
                             const std::string& help);
    Option get_option(const std::string& name);
    /// The last part of the help.
    void footer(const std::string& text);
    /// The action of the command, called after the command line is parsed.
    void callback(const std::function<void()>& function);
    /// Accepts unknown arguments. others() returns them in their order.
    void allow_others();
    std::vector<std::string> others() const;

  private:
    CLI::App* app_;
};

}  // namespace warpnet::cli
