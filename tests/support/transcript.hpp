#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace warpnet::testing {

/// A command as a person types it, and what the terminal then shows. In a text:
///
///     $ warpnet run no_such.pnml
///     warpnet: cannot read no_such.pnml: no such file
///     [exit 3]
///
/// Output and messages are in the order of their appearance; a line `[exit N]` ends a command that does not
/// end with 0; a line `...` stands for any number of lines.
struct TypedCommand {
    std::string text;
    std::vector<std::string> expected;
};

/// The program warpnet of the build that the tests belong to.
std::filesystem::path program();

std::vector<TypedCommand> parse_transcript(std::string_view text);

/// The contents of the fenced blocks of a Markdown text in one language, e.g. ```console.
std::vector<std::string> fenced_blocks(std::string_view markdown, std::string_view language);

/// Runs the commands one after the other with bash in `folder`, where `warpnet` means program() and examples/
/// is that of the project, and reports each difference: empty if there is none.
std::string run_transcript(const std::vector<TypedCommand>& commands, const std::filesystem::path& folder);

/// The transcript with what its commands show now; commands whose expectation has a `...` keep theirs.
std::string record_transcript(std::string_view text, const std::filesystem::path& folder);

/// The whole content of a file.
std::string read_file(const std::filesystem::path& file);

std::vector<std::string> lines_of(std::string_view text);

/// A new empty folder, removed with all its content when this goes out of scope.
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
