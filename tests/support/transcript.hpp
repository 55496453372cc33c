#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace warpnet::testing {

/// A typed command, and the terminal's output. In a text:
///
///     $ warpnet run no_such.pnml
///     warpnet: cannot read no_such.pnml: no such file
///     [exit 3]
///
/// Output and messages are in the order of their appearance. A line `[exit N]` follows a command with an exit
/// code other than 0. A line `...` matches any number of lines.
struct TypedCommand {
    std::string text;
    std::vector<std::string> expected;
};

/// The program warpnet of the build that contains the tests.
std::filesystem::path program();

std::vector<TypedCommand> parse_transcript(std::string_view text);

/// The contents of the fenced blocks in one language of a Markdown text, such as ```console.
std::vector<std::string> fenced_blocks(std::string_view markdown, std::string_view language);

/// Runs the commands one after the other with bash in `folder`. `warpnet` means program(), and examples/ is
/// the project's folder. Returns all differences; empty if there is none.
std::string run_transcript(const std::vector<TypedCommand>& commands, const std::filesystem::path& folder);

/// The transcript with the present output of its commands; commands whose expectation has a `...` keep
/// theirs.
std::string record_transcript(std::string_view text, const std::filesystem::path& folder);

/// The whole content of a file.
std::string read_file(const std::filesystem::path& file);

std::vector<std::string> lines_of(std::string_view text);

/// A new empty folder, which the destructor removes with all its content.
class TemporaryFolder {
  public:
    TemporaryFolder();
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    const std::filesystem::path& path() const { return path_; }

  private:
    std::filesystem::path path_;
};

}  // namespace warpnet::testing
