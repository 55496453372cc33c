#include "tests/support/source_dir.hpp"
#include "tests/support/transcript.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include <catch2/catch.hpp>

using namespace warpnet::testing;
namespace fs = std::filesystem;

namespace {

/// Which part of the house a path such as "engine/net/net.hpp" belongs to: a folder, but engine/ has two
/// parts, what nets are and how they are executed.
std::string part_of(const std::string& path) {
    if (path.starts_with("engine/net/") || path.starts_with("engine/base/")) return "net";
    return path.substr(0, path.find('/'));
}

/// Who may include whom; everybody may include its own part.
const std::map<std::string, std::set<std::string>> known = {
    {"net", {}},
    {"engine", {"net"}},
    {"pnml", {"net"}},
    {"netgen", {"net"}},
    {"analysis", {"net", "engine", "netgen"}},
    {"cli", {"net", "engine", "pnml", "netgen", "analysis"}},
};

/// What a line includes in quotes.
std::optional<std::string> included(const std::string& line) {
    const std::string start = "#include \"";
    if (!line.starts_with(start)) return std::nullopt;
    return line.substr(start.size(), line.find('"', start.size()) - start.size());
}

/// Messages, one for each include that goes against the arrows.
std::vector<std::string> wrong_includes(const std::string& file, const std::vector<std::string>& lines) {
    std::vector<std::string> wrong;
    const std::string part = part_of(file);
    for (const std::string& line : lines) {
        const auto path = included(line);
        if (!path) continue;
        const std::string other = part_of(*path);
        if (path->find('/') == std::string::npos || (other != part && !known.at(part).contains(other))) {
            wrong.push_back(file + " includes " + *path);
        }
    }
    return wrong;
}

}  // namespace

TEST_CASE("includes point one way: net <- engine, pnml, netgen <- analysis <- cli") {
    const fs::path root = source_dir();
    std::size_t sources = 0;
    for (const char* folder : {"engine", "pnml", "netgen", "analysis", "cli"}) {
        for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
            const std::string extension = entry.path().extension().string();
            if (extension != ".cpp" && extension != ".hpp") continue;
            ++sources;
            const std::string file = fs::relative(entry.path(), root).generic_string();
            CHECK(wrong_includes(file, lines_of(read_file(entry.path()))) == std::vector<std::string>{});
        }
    }
    CHECK(sources > 100);
}

TEST_CASE("an include against the arrows is noticed") {
    CHECK(wrong_includes("pnml/a.cpp", {"#include \"engine/net/net.hpp\"", "#include <engine/run/run.hpp>"})
              .empty());
    CHECK(wrong_includes("pnml/a.cpp", {"#include \"engine/run/run.hpp\""}).size() == 1);
    CHECK(wrong_includes("netgen/a.cpp", {"#include \"pnml/read_pnml.hpp\""}).size() == 1);
    CHECK(wrong_includes("engine/net/net.hpp", {"#include \"engine/run/run.hpp\""}).size() == 1);
    CHECK(wrong_includes("engine/run/run.hpp", {"#include \"net.hpp\""}).size() == 1);
    CHECK(wrong_includes("analysis/a/b.hpp", {"#include \"cli/input/csv.hpp\""}).size() == 1);
    CHECK(wrong_includes("analysis/a/b.hpp", {"#include \"engine/run/run.hpp\""}).empty());
}
