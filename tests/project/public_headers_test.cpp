#include "tests/support/source_dir.hpp"
#include "tests/support/transcript.hpp"

#include <regex>
#include <set>
#include <string>

#include <catch2/catch.hpp>

using namespace warpnet::testing;

namespace {

using Names = std::set<std::string>;

/// Every match's first group in the parts of `text` from a match of `begin` to the next `end`.
Names names_between(const std::string& text, const std::string& begin, const std::string& end,
                    const std::regex& name, const std::string& prefix) {
    Names names;
    for (std::size_t at = text.find(begin); at != std::string::npos; at = text.find(begin, at + 1)) {
        const std::string part = text.substr(at, text.find(end, at) - at);
        for (std::sregex_iterator match(part.begin(), part.end(), name), none; match != none; ++match)
            names.insert(prefix + (*match)[1].str());
    }
    return names;
}

}  // namespace

TEST_CASE("the README lists the headers that a user includes") {
    Names declared;
    for (const std::string library : {"engine", "pnml", "netgen", "analysis/ranks", "analysis/states",
                                      "analysis/worst", "analysis/studies", "analysis/pictures"}) {
        const std::string lists = read_file(source_dir() / library / "CMakeLists.txt");
        declared.merge(
            names_between(lists, "PUBLIC_HEADERS", "SOURCES", std::regex("([a-z_/]+\\.hpp)"), library + "/"));
    }
    const Names listed = names_between(read_file(source_dir() / "README.md"), "| to | include |", "\n\n",
                                       std::regex("`([a-z_/]+\\.hpp)`"), "");
    CHECK(listed == declared);
    CHECK(listed.size() > 20);
}
