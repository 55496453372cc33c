#include "analysis/pictures/subprocess.hpp"

#include <system_error>

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace std::chrono_literals;

TEST_CASE("a program gets its input and gives its output, messages and exit code") {
    const ProcessResult result = run_process({"bash", "-c", "cat; echo oops >&2; exit 7"}, "some text", 1min);
    CHECK(result.output == "some text");
    CHECK(result.errors == "oops\n");
    CHECK(result.exit_code == 7);
    CHECK_FALSE(result.timed_out);
}

TEST_CASE("input and output may be larger than any buffer") {
    const std::string large(3'000'000, 'x');
    CHECK(run_process({"cat"}, large, 1min).output == large);
}

TEST_CASE("a program need not read its input") {
    CHECK(run_process({"true"}, std::string(3'000'000, 'x'), 1min).exit_code == 0);
}

TEST_CASE("arguments reach the program as they are") {
    CHECK(run_process({"printf", "%s|", "$HOME", "a b", "`id`", ";'\""}, "", 1min).output ==
          "$HOME|a b|`id`|;'\"|");
}

TEST_CASE("a program that takes too long is killed") {
    const ProcessResult result = run_process({"sleep", "1000"}, "", 50ms);
    CHECK(result.timed_out);
    CHECK(result.exit_code == 128 + 9);
}

TEST_CASE("a program that does not exist is an error") {
    try {
        run_process({"no-such-program-here"}, "", 1min);
        FAIL("no error");
    } catch (const std::system_error& error) {
        CHECK(error.code() == std::errc::no_such_file_or_directory);
    }
}
