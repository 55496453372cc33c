#include "engine/net/net_builder.hpp"
#include "pnml/write_pnml.hpp"
#include "tests/support/transcript.hpp"

#include <array>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <string>

#include <catch2/catch.hpp>
#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <sys/wait.h>
#include <unistd.h>

using namespace warpnet;
using namespace warpnet::testing;

namespace {

/// A net that tosses a coin forever.
Net endless_net() {
    NetBuilder net("coin");
    const PlaceId hand = net.add_place("hand", 1);
    for (const char* side : {"heads", "tails"}) {
        const PlaceId up = net.add_place(side);
        const TransitionId toss = net.add_transition(std::string("toss_") + side);
        net.add_input(hand, toss);
        net.add_output(toss, up);
        const TransitionId take = net.add_transition(std::string("take_") + side);
        net.add_input(up, take);
        net.add_output(take, hand);
    }
    return net.build();
}

std::string read_to_end(int descriptor) {
    std::string text;
    std::array<char, 4096> buffer;
    for (ssize_t size = 0; (size = ::read(descriptor, buffer.data(), buffer.size())) > 0;)
        text.append(buffer.data(), static_cast<std::size_t>(size));
    return text;
}

/// A program whose messages go to a terminal of the test, and its results to a pipe.
class ProgramAtTerminal {
  public:
    explicit ProgramAtTerminal(std::vector<std::string> command) {
        terminal_ = ::posix_openpt(O_RDWR | O_NOCTTY);
        REQUIRE(terminal_ >= 0);
        REQUIRE(::grantpt(terminal_) == 0);
        REQUIRE(::unlockpt(terminal_) == 0);
        const std::string terminal_name = ::ptsname(terminal_);
        std::array<int, 2> pipe = {};
        REQUIRE(::pipe(pipe.data()) == 0);
        std::vector<char*> arguments;
        for (std::string& argument : command) arguments.push_back(argument.data());
        arguments.push_back(nullptr);
        child_ = ::fork();
        REQUIRE(child_ >= 0);
        if (child_ == 0) {
            const int messages = ::open(terminal_name.c_str(), O_RDWR | O_NOCTTY);
            ::dup2(messages, STDERR_FILENO);
            ::dup2(pipe[1], STDOUT_FILENO);
            ::close(pipe[0]);
            ::execv(arguments[0], arguments.data());
            ::_exit(127);
        }
        ::close(pipe[1]);
        results_ = pipe[0];
    }
    ~ProgramAtTerminal() {
        ::close(results_);
        ::close(terminal_);
    }
    ProgramAtTerminal(const ProgramAtTerminal&) = delete;
    ProgramAtTerminal& operator=(const ProgramAtTerminal&) = delete;

    /// Waits until the program has shown `text` on the terminal.
    void wait_for(const std::string& text) {
        std::array<char, 4096> buffer;
        while (shown_.find(text) == std::string::npos) {
            const ssize_t size = ::read(terminal_, buffer.data(), buffer.size());
            INFO(shown_);
            REQUIRE(size > 0);
            shown_.append(buffer.data(), static_cast<std::size_t>(size));
        }
    }

    void send(int signal) const { REQUIRE(::kill(child_, signal) == 0); }

    std::string results() const { return read_to_end(results_); }

    int exit_code() const {
        int status = 0;
        REQUIRE(::waitpid(child_, &status, 0) == child_);
        return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    }

  private:
    int terminal_ = -1;
    int results_ = -1;
    pid_t child_ = -1;
    std::string shown_;
};

}  // namespace

// The progress line shows that the run has started. Only then is the signal sent.
TEST_CASE("a long run that is interrupted prints what it knows and exits with 130") {
    const int signal = GENERATE(SIGINT, SIGTERM, SIGHUP);
    const TemporaryFolder folder;
    const std::string net = (folder.path() / "coin.pnml").string();
    pnml::write_pnml_file(endless_net(), net);
    ProgramAtTerminal terminal(
        {program().string(), "run", net, "--json", "--marking", "--max-steps", "4000000000000000000"});
    terminal.wait_for("0 of 1 runs");
    terminal.send(signal);
    terminal.send(signal);  // as `timeout` does, which signals its child and then their group
    const auto json = nlohmann::json::parse(terminal.results());
    CHECK(terminal.exit_code() == 130);
    CHECK(json["interrupted"] == true);
    CHECK(json["dead"] == 0);
    CHECK(json["results"].size() == 1);
    CHECK(json["results"][0]["reason"] == "interrupted");
    CHECK(json["results"][0]["steps"] > 0);
    CHECK(json["results"][0]["marking"].size() == 1);
}

TEST_CASE("a comparison of a folder that is interrupted in its second table prints the first one") {
    const TemporaryFolder folder;
    std::ofstream(folder.path() / "counters.csv")
        << "ID,Kernel Name,Grid Size,Block Size,gpu__time_duration.sum,smsp__inst_executed.sum\n,,,,us,inst\n"
           "0,k,\"(10, 1, 1)\",\"(64, 1, 1)\",5,2000\n";
    std::ofstream times(folder.path() / "times.csv");
    times << "kernel,blocks,threads,fp32,loads,time_us\n";
    for (int i = 0; i < 2000; ++i) times << "k" << i << ",100000,256,500,20,900\n";
    times.close();
    ProgramAtTerminal terminal({program().string(), "compare", folder.path().string(), "--device", "H100SXM",
                                "--seeds", "50", "--json"});
    terminal.wait_for("of 2,000 kernels");
    terminal.send(SIGINT);
    const auto json = nlohmann::json::parse(terminal.results());
    CHECK(terminal.exit_code() == 130);
    CHECK(json["interrupted"] == true);
    CHECK(json["tables"]["counters.csv"]["count"] == 1);
    CHECK(json["tables"]["counters.csv"]["interrupted"] == false);
}

TEST_CASE("many runs that are interrupted report those that ended") {
    const TemporaryFolder folder;
    const std::string net = (folder.path() / "coin.pnml").string();
    pnml::write_pnml_file(endless_net(), net);
    ProgramAtTerminal terminal({program().string(), "run", net, "--json", "--runs", "1000000", "--max-steps",
                                "4000000000", "--threads", "2"});
    terminal.wait_for("of 1,000,000 runs");
    terminal.send(SIGINT);
    const auto json = nlohmann::json::parse(terminal.results());
    CHECK(terminal.exit_code() == 130);
    CHECK(json["interrupted"] == true);
    CHECK(json["requested"] == 1000000);
    CHECK(json["runs"] < 1000000);
}
