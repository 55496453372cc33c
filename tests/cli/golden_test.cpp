#include "tests/support/shared_data.hpp"
#include "tests/support/transcript.hpp"

#include <algorithm>
#include <fstream>

#include <catch2/catch.hpp>

using namespace warpnet::testing;
namespace fs = std::filesystem;

namespace {

std::vector<fs::path> transcripts() {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(source_dir() / "tests/cli/golden")) {
        if (entry.path().extension() == ".txt") files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    return files;
}

}  // namespace

// Each file of golden/ is a transcript: commands and their exact output. A new file is a new test of ctest,
// which names its section. `cli_test "[transcripts]"` checks all of them.
TEST_CASE("commands print what the transcripts say", "[.][transcripts]") {
    REQUIRE(transcripts().size() >= 7);
    for (const fs::path& file : transcripts()) {
        DYNAMIC_SECTION(file.stem().string()) {
            const TemporaryFolder folder;
            const auto commands = parse_transcript(read_file(file));
            REQUIRE_FALSE(commands.empty());
            const std::string differences = run_transcript(commands, folder.path());
            INFO(differences);
            CHECK(differences.empty());
        }
    }
}

// No test: after a change of the output of commands, `cli_test "[record]"` records the transcripts, to be
// read as a diff.
TEST_CASE("record the transcripts", "[.][record]") {
    for (const fs::path& file : transcripts()) {
        const TemporaryFolder folder;
        const std::string recorded = record_transcript(read_file(file), folder.path());
        std::ofstream(file, std::ios::binary) << recorded;
    }
}

TEST_CASE("a transcript that is not followed is reported") {
    const TemporaryFolder folder;
    const auto differences = [&](const char* text) {
        return run_transcript(parse_transcript(text), folder.path());
    };
    CHECK(differences("$ printf 'a\\nb\\n'\na\nb\n").empty());
    CHECK(differences("$ printf 'a\\nb\\nc\\n'\n...\nc\n").empty());
    CHECK(differences("$ exit 3\n[exit 3]\n").empty());
    CHECK_FALSE(differences("$ printf 'a\\nb\\n'\na\n").empty());
    CHECK_FALSE(differences("$ printf 'a\\n'\n...\nc\n").empty());
    CHECK_FALSE(differences("$ exit 3\n").empty());
    CHECK_FALSE(differences("$ true\n[exit 3]\n").empty());
}
