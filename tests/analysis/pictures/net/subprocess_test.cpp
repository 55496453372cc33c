#include "analysis/pictures/net/subprocess.hpp"

#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <thread>

#include <catch2/catch.hpp>
#include <sys/wait.h>
#include <unistd.h>

using namespace warpnet;
using namespace std::chrono_literals;

TEST_CASE("a program gets its input and gives its output, messages and exit code") {
    const pictures::ProcessResult result =
        pictures::run_process({"bash", "-c", "cat; echo oops >&2; exit 7"}, "some text", 1min);
    CHECK(result.output == "some text");
    CHECK(result.errors == "oops\n");
    CHECK(result.exit_code == 7);
    CHECK_FALSE(result.timed_out);
}

TEST_CASE("input and output may be larger than any buffer") {
    const std::string large(3'000'000, 'x');
    CHECK(pictures::run_process({"cat"}, large, 1min).output == large);
}

TEST_CASE("a program need not read its input") {
    CHECK(pictures::run_process({"true"}, std::string(3'000'000, 'x'), 1min).exit_code == 0);
}

TEST_CASE("arguments reach the program as they are") {
    CHECK(pictures::run_process({"printf", "%s|", "$HOME", "a b", "`id`", ";'\""}, "", 1min).output ==
          "$HOME|a b|`id`|;'\"|");
}

TEST_CASE("a program that takes too long is killed") {
    const pictures::ProcessResult result = pictures::run_process({"sleep", "1000"}, "", 50ms);
    CHECK(result.timed_out);
    CHECK(result.exit_code == 128 + 9);
}

TEST_CASE("a program is killed when it is interrupted") {
    std::atomic<bool> interrupt = false;
    std::thread later([&] {
        std::this_thread::sleep_for(10ms);
        interrupt = true;
    });
    const pictures::ProcessResult result = pictures::run_process({"sleep", "1000"}, "", 10min, &interrupt);
    later.join();
    CHECK(result.interrupted);
    CHECK_FALSE(result.timed_out);
    CHECK(result.exit_code == 128 + 9);
}

TEST_CASE("what a program has started is killed with it") {
    const pictures::ProcessResult result =
        pictures::run_process({"bash", "-c", "sleep 1000 & echo $!; exec sleep 1000"}, "", 500ms);
    REQUIRE(result.timed_out);
    if (result.output.empty()) return;  // the process ended before its output
    const pid_t started = std::stoi(result.output);
    const auto runs = [&] {  // a zombie does not run
        std::ifstream status("/proc/" + std::to_string(started) + "/stat");
        std::string number, name, state;
        return (status >> number >> name >> state) && state != "Z";
    };
    while (runs()) std::this_thread::sleep_for(1ms);
    CHECK_FALSE(runs());
}

TEST_CASE("a program that does not exist is an error") {
    try {
        pictures::run_process({"no-such-program-here"}, "", 1min);
        FAIL("no error");
    } catch (const std::system_error& error) {
        CHECK(error.code() == std::errc::no_such_file_or_directory);
    }
}

TEST_CASE("a program ends with the process that started it") {
    const std::filesystem::path file =
        std::filesystem::temp_directory_path() / ("warpnet_child_of_" + std::to_string(::getpid()));
    const pid_t parent = ::fork();
    if (parent == 0) {
        try {
            pictures::run_process({"bash", "-c", "echo $$ > '" + file.string() + "'; exec sleep 1000"}, "",
                                  1min);
        } catch (const std::exception&) {
        }
        ::_exit(0);
    }
    pid_t child = 0;
    for (int i = 0; i < 1000 && child == 0; ++i) {
        std::this_thread::sleep_for(10ms);
        std::ifstream(file) >> child;
    }
    std::filesystem::remove(file);
    REQUIRE(child > 0);
    ::kill(parent, SIGKILL);
    ::waitpid(parent, nullptr, 0);
    bool ended = false;  // the process may remain as a zombie
    for (int i = 0; i < 1000 && !ended; ++i) {
        std::this_thread::sleep_for(10ms);
        std::string status, line;
        std::ifstream text("/proc/" + std::to_string(child) + "/status");
        while (std::getline(text, line)) {
            if (line.starts_with("State:")) status = line;
        }
        ended = status.empty() || status.find('Z') != std::string::npos;
    }
    CHECK(ended);
}
