#include "tests/project/project_sources.hpp"
#include "tests/support/shared_data.hpp"
#include "tests/support/transcript.hpp"

#include <filesystem>
#include <regex>
#include <set>
#include <string>

#include <catch2/catch.hpp>

using namespace warpnet::testing;
namespace fs = std::filesystem;

namespace {

void add_matches(const std::string& text, const std::regex& pattern, std::set<std::string>& found) {
    for (std::sregex_iterator at(text.begin(), text.end(), pattern), end; at != end; ++at)
        found.insert((*at)[1].str());
}

/// The keys that sources and pages cite.
std::set<std::string> cited() {
    const std::regex key(R"(\[([A-Z][a-z]+[0-9]{2})\])");
    std::set<std::string> keys;
    for (const char* folder : project_folders) {
        for (const auto& entry : fs::recursive_directory_iterator(fs::path(source_dir()) / folder)) {
            const std::string extension = entry.path().extension().string();
            if (extension == ".cpp" || extension == ".hpp" || extension == ".md")
                add_matches(read_file(entry.path()), key, keys);
        }
    }
    return keys;
}

}  // namespace

TEST_CASE("what is cited is in REFERENCES.md, and nothing else is") {
    std::set<std::string> listed;
    add_matches(read_file(fs::path(source_dir()) / "REFERENCES.md"),
                std::regex(R"(\n\| ([A-Z][a-z]+[0-9]{2}) \|)"), listed);
    CHECK(listed.size() >= 5);
    CHECK(cited() == listed);
}
