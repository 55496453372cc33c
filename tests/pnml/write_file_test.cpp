#include "pnml/write_file.hpp"

#include "engine/net/error.hpp"

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include <catch2/catch.hpp>
#include <sys/stat.h>
#include <unistd.h>

using namespace warpnet;
namespace fs = std::filesystem;

namespace {

/// A folder for one test, which is finally removed with its content.
class Folder {
  public:
    Folder() {
        std::string name = (fs::temp_directory_path() / "warpnet_XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
        path_ = name;
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    ~Folder() { fs::remove_all(path_); }

    fs::path operator/(const char* name) const { return path_ / name; }
    std::size_t files() const {
        return static_cast<std::size_t>(
            std::distance(fs::directory_iterator(path_), fs::directory_iterator()));
    }

  private:
    fs::path path_;
};

std::string content(const fs::path& file) {
    std::ostringstream text;
    text << std::ifstream(file, std::ios::binary).rdbuf();
    return text.str();
}

}  // namespace

TEST_CASE("a file is written whole and nothing else is left") {
    const Folder folder;
    pnml::write_file(folder / "new", "first");
    CHECK(content(folder / "new") == "first");
    pnml::write_file(folder / "new", std::string(3'000'000, 'x'));
    CHECK(fs::file_size(folder / "new") == 3'000'000);
    pnml::write_file(folder / "new", "");
    CHECK(content(folder / "new").empty());
    CHECK(folder.files() == 1);
}

TEST_CASE("an existing file keeps its permissions, and a link stays a link") {
    const Folder folder;
    pnml::write_file(folder / "file", "first");
    fs::permissions(folder / "file", fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_read);
    fs::create_symlink("file", folder / "link");
    pnml::write_file(folder / "link", "second");
    CHECK(fs::is_symlink(folder / "link"));
    CHECK(content(folder / "file") == "second");
    CHECK(fs::status(folder / "file").permissions() ==
          (fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_read));
}

TEST_CASE("what cannot be written is named and leaves nothing behind") {
    const Folder folder;
    CHECK_THROWS_WITH(pnml::write_file(folder / "absent/file", "x"),
                      Catch::Contains("absent/file") && Catch::Contains("does not exist"));
    fs::create_directory(folder / "directory");
    CHECK_THROWS_WITH(pnml::write_file(folder / "directory", "x"), Catch::Contains("Is a directory"));
    CHECK(folder.files() == 1);
}

TEST_CASE("a device is written to, not replaced") {
    pnml::write_file("/dev/null", "x");
    CHECK(fs::is_character_file("/dev/null"));
    if (fs::exists("/dev/full")) {
        CHECK_THROWS_WITH(pnml::write_file("/dev/full", "x"), Catch::Contains("No space left"));
        CHECK(fs::is_character_file("/dev/full"));
    }
}
