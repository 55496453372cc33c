#pragma once

namespace CLI {
class App;
}  // namespace CLI

namespace warpnet::cli {

/// Throws UsageError where a command line names one file for two outputs, or for an input and an output:
/// whatever the command does first, something would be lost. Files that are read and written on purpose
/// (--resume), the standard streams and devices may be named again. To be called once all options are parsed.
void check_file_roles(const CLI::App& program);

}  // namespace warpnet::cli
