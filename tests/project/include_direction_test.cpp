#include "tests/project/project_sources.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

using namespace warpnet::testing;

namespace {

/// The library of a path such as "engine/net/net.hpp": a folder of the top level, a folder of analysis/, or
/// one of the two libraries in engine/.
std::string library_of(const std::string& path) {
    for (const char* const folder : {"engine/base/", "engine/net/", "engine/input/", "engine/formula/"})
        if (path.starts_with(folder)) return "net";
    const std::size_t end = path.find('/');
    if (!path.starts_with("analysis/")) return path.substr(0, end);
    return path.substr(end + 1, path.find('/', end + 1) - end - 1);
}

/// The libraries that each library may use, apart from itself.
const std::map<std::string, std::set<std::string>> known = {
    {"net", {}},
    {"engine", {"net"}},
    {"pnml", {"net"}},
    {"netgen", {"net"}},
    {"ranks", {"net", "engine"}},
    {"states", {"net", "engine", "ranks"}},
    {"worst", {"net", "engine", "netgen", "ranks", "states"}},
    {"studies", {"net", "engine", "netgen", "ranks", "states", "worst"}},
    {"pictures", {"net", "engine", "netgen", "ranks", "states", "worst", "studies"}},
    {"cli", {"net", "engine", "pnml", "netgen", "ranks", "states", "worst", "studies", "pictures"}},
    {"python", {"net", "engine", "pnml", "netgen", "ranks", "states", "worst", "studies", "pictures", "cli"}},
};

/// The folders of engine/ and of the libraries in analysis/, in order: each may include the folders before
/// it. Only the folder "engine" has the plan, which uses all executors.
const std::vector<std::string> order = {
    "engine/base",
    "engine/net",
    "engine/input",
    "engine/formula",
    "engine/compile",
    "engine/run",
    "engine/executors/loop",
    "engine/executors/plain",
    "engine/executors/general",
    "engine/executors/pivots",
    "engine/executors/modules",
    "engine/executors/parts",
    "engine",
    "analysis/ranks",
    "analysis/states/steps",
    "analysis/states/linear",
    "analysis/states/symmetry",
    "analysis/states/diagrams",
    "analysis/states/reductions",
    "analysis/states/explore",
    "analysis/states/structure",
    "analysis/states/properties",
    "analysis/worst/search",
    "analysis/worst/bounds",
    "analysis/worst/exact",
    "analysis/worst/kernel",
    "analysis/worst",
    "analysis/studies/respond",
    "analysis/studies/split",
    "analysis/studies/predict",
    "analysis/studies/runs",
    "analysis/studies/compare",
    "analysis/studies/files",
    "analysis/pictures",
    "analysis/pictures/plots",
    "analysis/pictures/net",
    "analysis/pictures/schedule",
    "analysis/pictures/page",
};

using Includes = std::map<std::string, std::set<std::string>>;  // per module or folder: its includes

/// The path that a line includes in quotes.
std::optional<std::string> included(const std::string& line) {
    const std::string start = "#include \"";
    if (!line.starts_with(start)) return std::nullopt;
    return line.substr(start.size(), line.find('"', start.size()) - start.size());
}

/// A header with its source.
std::string module_of(const std::string& path) { return path.substr(0, path.rfind('.')); }

std::string folder_of(const std::string& path) { return path.substr(0, path.rfind('/')); }

/// Messages, one for each include in the wrong direction.
std::vector<std::string> wrong_includes(const std::string& file, const std::vector<std::string>& lines) {
    std::vector<std::string> wrong;
    const std::string library = library_of(file);
    const auto place_of = [](const std::string& path) {
        return std::find(order.begin(), order.end(), folder_of(path));
    };
    for (const std::string& line : lines) {
        const auto path = included(line);
        if (!path) continue;
        const std::string other = library_of(*path);
        const bool outside = other != library && !known.at(library).contains(other);
        const bool upwards = place_of(*path) != order.end() && place_of(*path) > place_of(file);
        if (path->find('/') == std::string::npos || !path->ends_with(".hpp") || outside || upwards)
            wrong.push_back(file + " includes " + *path);
    }
    return wrong;
}

void add_includes(const std::string& file, const std::vector<std::string>& lines, Includes& modules,
                  Includes& folders) {
    modules[module_of(file)];
    folders[folder_of(file)];
    for (const std::string& line : lines) {
        const auto path = included(line);
        if (!path) continue;
        if (module_of(*path) != module_of(file)) modules[module_of(file)].insert(module_of(*path));
        if (folder_of(*path) != folder_of(file)) folders[folder_of(file)].insert(folder_of(*path));
    }
}

/// The first included file of a source; empty if there is none.
std::string first_include(const std::vector<std::string>& lines) {
    for (const std::string& line : lines) {
        if (!line.starts_with("#include ")) continue;
        const auto path = included(line);
        return path ? *path : line.substr(9);
    }
    return {};
}

/// The names on a cycle of includes, or on a path between two cycles.
std::set<std::string> in_cycles(Includes includes) {
    for (bool found = true; found;) {
        found = false;
        for (auto at = includes.begin(); at != includes.end();) {
            const std::string& name = at->first;
            const bool includes_nobody =
                std::none_of(at->second.begin(), at->second.end(),
                             [&](const auto& other) { return includes.contains(other); });
            const bool by_nobody = std::none_of(includes.begin(), includes.end(), [&](const auto& other) {
                return other.second.contains(name);
            });
            const bool ends_here = includes_nobody || by_nobody;
            found |= ends_here;
            at = ends_here ? includes.erase(at) : std::next(at);
        }
    }
    std::set<std::string> result;
    for (const auto& [name, others] : includes) result.insert(name);
    return result;
}

}  // namespace

TEST_CASE(
    "includes point one way: net <- engine, pnml, netgen <- ranks <- states <- worst <- studies <- pictures "
    "<- cli <- python, and to folders that come before") {
    std::size_t sources = 0;
    for_each_source([&](const std::string& file, const std::string& text) {
        ++sources;
        CHECK(wrong_includes(file, lines_of(text)) == std::vector<std::string>{});
    });
    CHECK(sources > 100);
}

TEST_CASE("a source includes its own header first, which thereby compiles alone") {
    std::set<std::string> headers;
    for_each_source([&](const std::string& file, const std::string&) {
        if (file.ends_with(".hpp")) headers.insert(file);
    });
    std::size_t sources = 0;
    for_each_source([&](const std::string& file, const std::string& text) {
        const std::string header = module_of(file) + ".hpp";
        if (file == header || !headers.contains(header)) return;
        ++sources;
        CAPTURE(file);
        CHECK(first_include(lines_of(text)) == header);
    });
    CHECK(sources > 100);
    CHECK(first_include({"// A", "#include <map>", "#include \"pnml/a.hpp\""}) == "<map>");
    CHECK(first_include({"// A", "", "#include \"pnml/a.hpp\"", "#include <map>"}) == "pnml/a.hpp");
}

TEST_CASE("no two modules include each other, and no two folders, by whatever way") {
    Includes modules, folders;
    for_each_source([&](const std::string& file, const std::string& text) {
        add_includes(file, lines_of(text), modules, folders);
    });
    CHECK(in_cycles(modules) == std::set<std::string>{});
    CHECK(in_cycles(folders) == std::set<std::string>{});
}

TEST_CASE("an include against the arrows is noticed") {
    CHECK(wrong_includes("pnml/a.cpp", {"#include \"engine/net/net.hpp\"", "#include <engine/run/run.hpp>"})
              .empty());
    CHECK(wrong_includes("pnml/a.cpp", {"#include \"engine/run/run.hpp\""}).size() == 1);
    CHECK(wrong_includes("netgen/a.cpp", {"#include \"pnml/read_pnml.hpp\""}).size() == 1);
    CHECK(wrong_includes("engine/net/net.hpp", {"#include \"engine/run/run.hpp\""}).size() == 1);
    CHECK(wrong_includes("engine/run/run.hpp", {"#include \"net.hpp\""}).size() == 1);
    CHECK(wrong_includes("engine/run/run.cpp", {"#include \"engine/run/replay.cpp\""}).size() == 1);
    CHECK(wrong_includes("engine/compile/a.cpp", {"#include \"engine/executors/general/net.hpp\""}).size() ==
          1);
    CHECK(wrong_includes("engine/executors/parts/a.cpp", {"#include \"engine/plan.hpp\""}).size() == 1);
    CHECK(wrong_includes("engine/plan.cpp", {"#include \"engine/executors/parts/net_part.hpp\""}).empty());
    CHECK(wrong_includes("analysis/worst/a/b.hpp", {"#include \"cli/input/csv.hpp\""}).size() == 1);
    CHECK(wrong_includes("analysis/worst/a/b.hpp", {"#include \"engine/run/run.hpp\""}).empty());
    CHECK(wrong_includes("analysis/states/a/b.hpp", {"#include \"analysis/worst/a/b.hpp\""}).size() == 1);
    CHECK(wrong_includes("analysis/states/steps/a.cpp", {"#include \"analysis/states/explore/b.hpp\""})
              .size() == 1);
    CHECK(wrong_includes("cli/a.cpp", {"#include \"python/binding/arrays.hpp\""}).size() == 1);
    CHECK(wrong_includes("python/a.cpp", {"#include \"cli/commands/worst.hpp\""}).empty());
}

TEST_CASE("a cycle of includes is noticed") {
    Includes modules, folders;
    add_includes("pnml/x/a.hpp", {"#include \"pnml/y/b.hpp\""}, modules, folders);
    add_includes("pnml/y/b.cpp", {"#include \"pnml/y/c.hpp\"", "#include \"pnml/y/b.hpp\""}, modules,
                 folders);
    CHECK(in_cycles(modules).empty());
    CHECK(in_cycles(folders).empty());
    add_includes("pnml/y/c.cpp", {"#include \"pnml/x/d.hpp\""}, modules, folders);
    add_includes("pnml/x/d.hpp", {}, modules, folders);
    CHECK(in_cycles(modules).empty());
    CHECK(in_cycles(folders) == std::set<std::string>{"pnml/x", "pnml/y"});
    add_includes("pnml/x/d.cpp", {"#include \"pnml/x/a.hpp\""}, modules, folders);
    CHECK(in_cycles(modules) == std::set<std::string>{"pnml/x/a", "pnml/x/d", "pnml/y/b", "pnml/y/c"});
}
