// Words that a list can find: private ones, and literal translations. CONTRIBUTING.md says how we write.

#include "tests/project/project_sources.hpp"
#include "tests/support/shared_data.hpp"

#include <filesystem>
#include <regex>
#include <set>
#include <string>

#include <catch2/catch.hpp>

using namespace warpnet::testing;
namespace fs = std::filesystem;

TEST_CASE("no page, comment or message has a word of the list") {
    // Broken by brackets, so that this file does not find itself.
    const std::regex words(
        "\\b(for[ ]ever|at[ ]hand|without[ ]a word|that[ ]is said|as[ "
        "]ever|[m]ended|[m]ends?|[w]hoever|passed[ ]over|"
        "other[ ]ones|refused,? by[ ]name|the[ ]house)\\b",
        std::regex::icase);
    const std::set<std::string> kinds = {".md", ".hpp", ".cpp", ".py", ".sh", ".txt", ".cu"};
    std::size_t files = 0;
    for (const char* folder : project_folders) {
        for (const auto& entry : fs::recursive_directory_iterator(fs::path(source_dir()) / folder)) {
            if (!kinds.contains(entry.path().extension().string())) continue;
            ++files;
            const std::string text = read_file(entry.path());
            for (std::sregex_iterator at(text.begin(), text.end(), words), end; at != end; ++at) {
                CAPTURE(entry.path(), at->str(), text.substr(static_cast<std::size_t>(at->position()), 60));
                CHECK(false);
            }
        }
    }
    CHECK(files > 1'000);
}
