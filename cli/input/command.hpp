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

// Commands and their options, parsed by CLI11. Its header takes longer to compile than all that a command
// does, so only command.cpp and what looks into a parsed program (main, manual pages, messages) include it.

/// An option, a flag or an argument of a command. As light as a pointer; the program owns what it stands for.
class Option {
  public:
    explicit Option(CLI::Option* option) noexcept : option_(option) {}

    /// How the value is called in the help.
    Option& type_name(const std::string& name);
    /// What the help gives as default: the value that the target has now, or the text.
    Option& capture_default_str();
    Option& default_str(const std::string& text);
    Option& required();
    /// Not together with, or only together with, another option of the command.
    Option& excludes(Option other);
    Option& excludes(const std::string& name);
    Option& needs(Option other);
    Option& needs(const std::string& name);
    /// Only together with one of these others.
    Option& belongs_to(const std::vector<Option>& others);
    /// One value per item of a list in which items are between such characters.
    Option& delimiter(char separator);
    Option& one_of(const std::vector<std::string>& values);
    Option& existing_directory();
    /// Of a number of bytes: 4K, 4M, 4G.
    Option& as_size();

    /// How often it is in the command line.
    std::size_t count() const;
    /// As the help calls it.
    std::string name() const;

  private:
    CLI::Option* option_;
};

/// A command of the program, or the program itself. As light as a pointer.
class Command {
  public:
    explicit Command(CLI::App& app) noexcept : app_(&app) {}

    Command add_subcommand(const std::string& name, const std::string& description);
    void require_subcommand();
    /// An option whose name begins with '-', or an argument. Targets: std::string, std::vector<std::string>,
    /// numbers and optional numbers.
    template <class Target>
    Option add_option(const std::string& names, Target& target, const std::string& help);
    /// The same with the name of the value in the help.
    template <class Target>
    Option add_option(const std::string& names, Target& target, const std::string& help,
                      const std::string& type_name) {
        return add_option(names, target, help).type_name(type_name);
    }
    /// The same with a function that is given the value: std::string, std::vector<std::string>,
    /// std::uint64_t.
    template <class Value>
    Option add_option_function(const std::string& names, const std::function<void(const Value&)>& function,
                               const std::string& help);
    Option add_flag(const std::string& names, bool& target, const std::string& help);
    Option add_flag_callback(const std::string& names, const std::function<void()>& function,
                             const std::string& help);
    Option get_option(const std::string& name);
    /// What the help says at its end.
    void footer(const std::string& text);
    /// What the command does, called once the command line is understood.
    void callback(const std::function<void()>& function);
    /// Lets arguments pass that the command does not know; what they were, in their order.
    void allow_others();
    std::vector<std::string> others() const;

  private:
    CLI::App* app_;
};

}  // namespace warpnet::cli
