#include "tests/project/project_sources.hpp"
#include "tests/support/shared_data.hpp"
#include "tests/support/transcript.hpp"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <set>

#include <catch2/catch.hpp>

using namespace warpnet::testing;
namespace fs = std::filesystem;

namespace {

const fs::path root = source_dir();

/// Every page of the project, the README first.
std::vector<fs::path> pages() {
    std::vector<fs::path> files = {root / "README.md"};
    for (const auto& entry : fs::directory_iterator(root)) {
        if (entry.path().extension() == ".md" && entry.path() != files.front()) files.push_back(entry.path());
    }
    for (const char* folder : project_folders) {
        for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
            if (entry.path().extension() == ".md") files.push_back(entry.path());
        }
    }
    std::sort(files.begin() + 1, files.end());
    return files;
}

/// A folder for the commands of a page, in which examples/ is the project's folder.
class PageFolder : public TemporaryFolder {
  public:
    PageFolder() {
        for (const char* folder : {"examples/nets", "examples/kernels"}) {
            fs::create_directories(path() / folder);
            fs::copy(root / folder, path() / folder, fs::copy_options::recursive);
        }
        fs::copy(root / "examples/starving.svg", path() / "examples/starving.svg");
    }
};

/// The anchors of the headings of a page: lower case, hyphens for blanks, no punctuation.
std::set<std::string> anchors_of(const fs::path& page) {
    std::set<std::string> anchors;
    bool inside = false;
    for (const std::string& line : lines_of(read_file(page))) {
        if (line.starts_with("```")) inside = !inside;
        if (inside || !line.starts_with('#')) continue;
        std::string anchor;
        for (const char c : line.substr(std::min(line.find(' '), line.size() - 1) + 1)) {
            if (c == ' ') anchor += '-';
            if (c == '-' || c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0)
                anchor += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        }
        anchors.insert(anchor);
    }
    return anchors;
}

/// The commands of ```sh blocks, which build and install. A test cannot run them, but the scripts do.
std::set<std::string> script_lines() {
    std::set<std::string> lines;
    for (const char* script : {"examples/quickstart.sh", "tests/run.sh"}) {
        for (std::string line : lines_of(read_file(root / script))) {
            line.erase(0, line.find_first_not_of(' ') == std::string::npos ? line.size()
                                                                           : line.find_first_not_of(' '));
            lines.insert(line);
        }
    }
    return lines;
}

}  // namespace

// ```console: commands with their output, executed in the order of the page, in one folder. Each page is a
// test of ctest; `project_test "[pages]"` checks all of them.
TEST_CASE("the pages' commands print what the pages say", "[.][pages]") {
    for (const fs::path& page : pages()) {
        DYNAMIC_SECTION(fs::relative(page, root).string()) {
            const PageFolder folder;
            for (const std::string& block : fenced_blocks(read_file(page), "console")) {
                const std::string differences = run_transcript(parse_transcript(block), folder.path());
                INFO(differences);
                CHECK(differences.empty());
            }
        }
    }
    CHECK(fenced_blocks(read_file(root / "README.md"), "console").size() >= 1);
}

// ```sh: commands that build, install and test. Each is a script of the project, or a line of one.
TEST_CASE("the pages' build commands are those of the scripts") {
    const std::set<std::string> lines = script_lines();
    for (const fs::path& page : pages()) {
        for (const std::string& block : fenced_blocks(read_file(page), "sh")) {
            for (const std::string& line : lines_of(block)) {
                const std::string command = lines_of(line.substr(0, line.find("  #"))).front();
                CAPTURE(page, command);
                CHECK((lines.contains(command) || fs::exists(root / command)));
            }
        }
    }
}

// ```cpp: each block is, line by line, in an example that is compiled with the installed library.
TEST_CASE("the pages' C++ is that of the examples") {
    std::string examples;
    for (const auto& entry : fs::recursive_directory_iterator(root / "examples")) {
        if (entry.path().extension() == ".cpp") examples += read_file(entry.path());
    }
    for (const fs::path& page : pages()) {
        for (const std::string& block : fenced_blocks(read_file(page), "cpp")) {
            CAPTURE(page, block);
            CHECK(examples.find(block) != std::string::npos);
        }
    }
}

// ```pycon: sessions of Python, executed by python/tests/test_pages.py.
TEST_CASE("no block has a language that no test looks at") {
    const std::set<std::string> known = {"", "console", "sh", "cpp", "pycon", "text", "xml", "json", "csv"};
    for (const fs::path& page : pages()) {
        bool inside = false;
        for (const std::string& line : lines_of(read_file(page))) {
            if (!line.starts_with("```")) continue;
            inside = !inside;
            CAPTURE(page, line);
            CHECK((!inside || known.contains(line.substr(3))));
        }
        CHECK_FALSE(inside);
    }
}

// Each rule of the semantics has a net, and each net is on a page.
TEST_CASE("every example net is used on a page") {
    std::string text;
    for (const fs::path& page : pages()) text += read_file(page);
    for (const auto& entry : fs::directory_iterator(root / "examples/nets")) {
        CAPTURE(entry.path());
        CHECK(text.find("examples/nets/" + entry.path().filename().string()) != std::string::npos);
    }
}

// `explore.*`, `kernel/state_space.hpp`, `tests/run.sh`: a path from the folder of the README or from the
// root. A name without a folder may be anywhere below. On the other pages of docs/ it may be anywhere in the
// project, and `warpnet/run.hpp` is an installed header. Only the project's own kinds of files are checked,
// because examples make further kinds.
TEST_CASE("every file that a README or a page of docs names exists") {
    const auto is_name = [](const std::string& text) {
        constexpr std::string_view letters =
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./*";
        const std::size_t dot = text.rfind('.');
        const std::set<std::string> kinds = {".hpp", ".cpp", ".py",   ".sh", ".tsv", ".md",
                                             ".js",  ".css", ".html", ".cu", ".*"};
        return text.find_first_not_of(letters) == std::string::npos && dot != std::string::npos && dot > 0 &&
               text[0] != '*' && kinds.contains(text.substr(dot));
    };
    std::vector<std::string> of_project;
    for (const char* folder : project_folders) {
        for (const auto& entry : fs::recursive_directory_iterator(root / folder))
            if (entry.is_regular_file()) of_project.push_back(entry.path().string());
    }
    const std::string docs = (root / "docs").string() + "/";
    std::size_t names = 0;
    for (const fs::path& page : pages()) {
        const bool is_readme = page.filename() == "README.md";
        if (!is_readme && !page.string().starts_with(docs)) continue;
        const std::string above = is_readme ? page.parent_path().string() + "/" : "";
        std::vector<std::string> beneath;
        for (const std::string& file : of_project)
            if (file.starts_with(above)) beneath.push_back(file);
        const auto exists = [&](const std::string& name) {
            const std::size_t star = name.find('*');
            if (star == std::string::npos && fs::exists(root / name)) return true;
            const std::string end = star == std::string::npos ? "" : name.substr(star + 1);
            for (const fs::path& folder : {page.parent_path(), root}) {
                if (star == std::string::npos || !fs::exists((folder / name).parent_path())) continue;
                const std::string start = (folder / name.substr(0, star)).string();
                for (const auto& entry : fs::directory_iterator((folder / name).parent_path())) {
                    const std::string path = entry.path().string();
                    if (path.starts_with(start) && path.ends_with(end)) return true;
                }
            }
            const std::string wanted = "/" + name.substr(0, star);
            return std::any_of(beneath.begin(), beneath.end(), [&](const std::string& path) {
                const std::size_t at = path.rfind(wanted);
                if (at == std::string::npos) return false;
                const std::string rest = path.substr(at + wanted.size());
                return star == std::string::npos ? rest.empty()
                                                 : rest.find('/') == std::string::npos && rest.ends_with(end);
            });
        };
        std::string text = read_file(page);
        for (std::size_t fence = text.find("```"); fence != std::string::npos;
             fence = text.find("```", fence)) {
            const std::size_t end = text.find("```", fence + 3);
            REQUIRE(end != std::string::npos);
            text.erase(fence, end + 3 - fence);
        }
        for (std::size_t begin = text.find('`'); begin != std::string::npos;) {
            const std::size_t end = text.find('`', begin + 1);
            if (end == std::string::npos) break;
            const std::string name = text.substr(begin + 1, end - begin - 1);
            begin = text.find('`', end + 1);
            if (!is_name(name) || (!is_readme && name.starts_with("warpnet/"))) continue;
            ++names;
            CAPTURE(page, name);
            CHECK(exists(name));
        }
    }
    CHECK(names > 150);
}

TEST_CASE("every file and every heading that a page links to exists") {
    std::size_t links = 0;
    for (const fs::path& page : pages()) {
        const std::string text = read_file(page);
        for (std::size_t at = 0; (at = text.find("](", at)) != std::string::npos; ++at) {
            const std::string link = text.substr(at + 2, text.find_first_of(")\n ", at + 2) - at - 2);
            if (link.empty() || link.starts_with("http") || link.starts_with("mailto:")) continue;
            ++links;
            CAPTURE(page, link);
            const std::string file = link.substr(0, link.find('#'));
            const fs::path target = file.empty() ? page : page.parent_path() / file;
            CHECK(fs::exists(target));
            if (file.size() < link.size() && target.extension() == ".md" && fs::exists(target))
                CHECK(anchors_of(target).contains(link.substr(file.size() + 1)));
        }
    }
    CHECK(links > 100);
}

// The pages of a library name all its folders.
TEST_CASE("every folder with sources has a row") {
    std::size_t folders = 0;
    for (const char* library : {"engine", "netgen", "analysis", "cli", "tests"}) {
        const std::string text = read_file(root / library / "README.md");
        for (const auto& entry : fs::recursive_directory_iterator(root / library)) {
            const fs::path& path = entry.path();
            if (path.extension() != ".cpp" || path.parent_path() == root / library) continue;
            const std::string folder = fs::relative(path.parent_path(), root / library).string();
            const std::string first = folder.substr(0, folder.find('/'));
            ++folders;
            CAPTURE(library, folder);
            CHECK((text.find("`" + folder + "/`") != std::string::npos ||
                   (std::string(library) == "tests" && text.find("`" + first + "/`") != std::string::npos)));
        }
    }
    CHECK(folders > 300);
}

TEST_CASE("every library has a page") {
    for (const char* folder : project_folders) {
        CAPTURE(folder);
        CHECK(fs::exists(root / folder / "README.md"));
    }
}

// No test: `project_test "[record]"` writes the present output of the README's commands, to be read as a
// diff.
TEST_CASE("record the pages", "[.][record]") {
    for (const fs::path& page : pages()) {
        std::string text = read_file(page);
        const PageFolder folder;
        for (const std::string& block : fenced_blocks(text, "console")) {
            text.replace(text.find(block), block.size(), record_transcript(block, folder.path()));
        }
        std::ofstream(page, std::ios::binary) << text;
    }
}
