// Words and turns of phrase that a list can find: private words, and literal translations of another
// language. CONTRIBUTING.md describes how we write.
//
// The list has only what is wrong in nearly every place. Not in it: "others" and most uses of "where", which
// are right as often as not, and "stand for", "stand-in" and "standard", which are English.

#include "tests/project/project_sources.hpp"
#include "tests/support/shared_data.hpp"

#include <filesystem>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

using namespace warpnet::testing;
namespace fs = std::filesystem;

namespace {

/// Broken by brackets, so that this file does not find itself.
const std::regex unwanted(
    // Private words.
    "\\b(for[ ]ever|at[ ]hand|without[ ]a word|as[ ]ever|[m]ended|[m]ends?|passed[ ]over|refused,? by[ ]name|"
    "the[ ]house|[m]istakes?|"
    // Positions and additions.
    "[b]eside|[s]tands?(?!\\s+(?:/+\\s)?for\\b|-)|[s]tood|other[ ]ones|"
    // People as transitions, and people in place of a passive.
    "[w]ho|[w]hoever|[n]obody|[s]omebody|[e]verybody|[a]nybody|"
    // Messages that speak.
    "(is|are) (said|told)[ ]?(?!to\\b)|"
    // "a" for "per".
    "(instructions|bytes|candidates|states|rows?|lines?|columns?|files?) a[ "
    "](second|cycle|step|marking|"
    "state|warp|block|thread|core|run|kernel|command|task|transition|place|chain|SM|family|paper)|"
    // A net has a dead marking, a run ends.
    "(net|run|kernel) (never |does not )?[d]ies?|"
    // Conditions of a result.
    "throws \\w+\\s+(/+ )?[w]here|(nothing|empty|none|absent|null)\\s+(/+ )?[w]here|"
    "where[ ](there|that|none|neither) (is|are|exceeds|fails|has)(?! room))\\b|"
    "(^|[.;] )[W]here [^.;?()\"]*, ",
    std::regex::icase);

/// The pages and sources that the list is for: those of all folders, and the pages at the top.
std::vector<fs::path> files_with_prose() {
    const std::set<std::string> kinds = {".md", ".hpp", ".cpp", ".py", ".sh", ".txt", ".cu"};
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(source_dir())) {
        if (entry.path().extension() == ".md") files.push_back(entry.path());
    }
    for (const char* folder : project_folders) {
        for (const auto& entry : fs::recursive_directory_iterator(fs::path(source_dir()) / folder)) {
            if (kinds.contains(entry.path().extension().string())) files.push_back(entry.path());
        }
    }
    return files;
}

}  // namespace

TEST_CASE("no page, comment or message has a word of the list") {
    const std::vector<fs::path> files = files_with_prose();
    for (const fs::path& file : files) {
        for (const std::string& line : lines_of(read_file(file))) {
            std::smatch found;
            if (!std::regex_search(line, found, unwanted)) continue;
            CAPTURE(file, found.str(), line);
            CHECK(false);
        }
    }
    CHECK(files.size() > 1'000);
}

TEST_CASE("the list finds the words, and leaves alone what only looks like them") {
    for (const char* text : {"it s"
                             "tands twice",
                             "b"
                             "eside it",
                             "w"
                             "ho fires first",
                             "12 bytes a"
                             " state",
                             "a row a"
                             " step",
                             "Throws InputError w"
                             "here",
                             "a limit is s"
                             "aid",
                             "W"
                             "here the net is large, it",
                             "n"
                             "obody waits"})
        CHECK(std::regex_search(text, unwanted));
    for (const char* text : {"what it stands for", "a stand-in", "a standard", "the folder where it is",
                             "whole", "a row of a place", "each state a warp is in", "to whom"})
        CHECK_FALSE(std::regex_search(text, unwanted));
}
