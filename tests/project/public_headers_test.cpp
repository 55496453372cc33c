#include "tests/support/shared_data.hpp"
#include "tests/support/transcript.hpp"

#include <regex>
#include <set>
#include <string>

#include <catch2/catch.hpp>

using namespace warpnet::testing;

namespace {

std::set<std::string> names_in(const char* file, const std::regex& name) {
    const std::string text = read_file(source_dir() / file);
    std::set<std::string> names;
    for (std::sregex_iterator match(text.begin(), text.end(), name), none; match != none; ++match)
        names.insert((*match)[1].str());
    return names;
}

}  // namespace

TEST_CASE("the page on C++ lists the headers that a user includes") {
    const auto listed = names_in("docs/how-to/cpp.md", std::regex("\\| `warpnet/([a-z]+)\\.hpp` \\|"));
    CHECK(listed == names_in("CMakeLists.txt", std::regex("\nwarpnet_face\\(\\s*([a-z]+)")));
    CHECK(listed.size() == 10);
}
