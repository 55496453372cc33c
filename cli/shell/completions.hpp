#pragma once

#include <string>

namespace CLI {
class App;
}  // namespace CLI

namespace warpnet::cli {

/// The script that lets a shell ("bash", "zsh", "fish") complete the commands of a program, their options and
/// the values of those that have a list of them. It is made from the declarations of the options. Empty for
/// another shell.
std::string completions(const CLI::App& program, const std::string& shell);

}  // namespace warpnet::cli
