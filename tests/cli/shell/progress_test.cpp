#include "cli/shell/progress.hpp"

#include "tests/support/transcript.hpp"

#include <atomic>
#include <chrono>

#include <catch2/catch.hpp>
#include <fcntl.h>
#include <unistd.h>

using namespace warpnet;
using namespace warpnet::cli;
using namespace warpnet::testing;

namespace {

/// Sends the standard error to a file while the object exists.
class ErrorsToFile {
  public:
    explicit ErrorsToFile(const std::filesystem::path& file) : before_(::dup(STDERR_FILENO)) {
        const int descriptor = ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
        ::dup2(descriptor, STDERR_FILENO);
        ::close(descriptor);
    }
    ~ErrorsToFile() {
        ::dup2(before_, STDERR_FILENO);
        ::close(before_);
    }
    ErrorsToFile(const ErrorsToFile&) = delete;
    ErrorsToFile& operator=(const ErrorsToFile&) = delete;

  private:
    int before_;
};

}  // namespace

TEST_CASE("a progress line tells how much, how fast and how long") {
    CHECK(progress_line("runs", 0, 10, 3) == "0 of 10 runs, 0:03 so far");
    CHECK(progress_line("runs", 250, 1000, 10) == "250 of 1,000 runs, 25 %, 25 runs/s, 0:30 left");
    CHECK(progress_line("runs", 1, 7200, 1) == "1 of 7,200 runs, 0 %, 1 runs/s, 1:59:59 left");
    CHECK(progress_line("runs", 10, 10, 2) == "10 of 10 runs, 100 %, 5 runs/s, 0:00 left");
    CHECK(progress_line("states", 4'200'000, 0, 2) == "4,200,000 states, 2,100,000 states/s, 0:02");
}

TEST_CASE("progress is logged line by line if there is no terminal, if asked for") {
    const TemporaryFolder folder;
    const auto file = folder.path() / "log";
    const std::atomic<std::uint64_t> done = 3;
    {
        const ErrorsToFile errors(file);
        const Progress silent({"runs", 10, &done});
        const Progress progress({"runs", 10, &done}, std::chrono::milliseconds(1));
        while (lines_of(read_file(file)).size() < 2) ::usleep(1000);
    }
    for (const std::string& line : lines_of(read_file(file))) CHECK(line.starts_with("3 of 10 runs, 30 %, "));
}

TEST_CASE("a part of a part is shown in the line of the outer part, with the best known value") {
    const TemporaryFolder folder;
    const auto file = folder.path() / "log";
    const std::atomic<std::uint64_t> values = 3, candidates = 98'944;
    {
        const ErrorsToFile errors(file);
        const ProgressHook hook = progress_of(std::chrono::milliseconds(1), "deadline 1 ms open; ");
        const auto outer = hook({"values", 12, &values});
        const auto search =
            hook({"candidates", 160'000, &candidates, [] { return "best 638, at most 641"; }});
        while (lines_of(read_file(file)).empty()) ::usleep(1000);
    }
    CHECK(lines_of(read_file(file))
              .back()
              .starts_with("deadline 1 ms open; 3 of 12 values; best 638, at most "
                           "641; 98,944 of 160,000 candidates, 61 %, "));
}

TEST_CASE("a part that counts nothing shows its name and its time") {
    const TemporaryFolder folder;
    const auto file = folder.path() / "log";
    {
        const ErrorsToFile errors(file);
        const Progress bound({"bound"}, std::chrono::milliseconds(1));
        while (lines_of(read_file(file)).empty()) ::usleep(1000);
    }
    CHECK(lines_of(read_file(file)).front() == "bound, 0:00");
}
