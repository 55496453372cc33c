// The program under mpirun. tests/analysis/ranks/ tests the computations of a team with threads. Here real
// processes communicate through Open MPI, print, fail and are killed.

#include "cli/shell/team.hpp"

#include "analysis/pictures/net/subprocess.hpp"
#include "tests/support/shared_data.hpp"
#include "tests/support/transcript.hpp"

#include <algorithm>
#include <csignal>
#include <fstream>
#include <functional>
#include <future>
#include <thread>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace warpnet;
using namespace warpnet::testing;
namespace fs = std::filesystem;
using Json = nlohmann::json;

namespace {

std::optional<fs::path> mpirun() {
    if (cli::mpi_support() != "built with Open MPI") return {};
    for (const char* path : {"/usr/bin/mpirun", "/usr/local/bin/mpirun"})
        if (fs::exists(path)) return fs::path(path);
    return {};
}

/// A command line for bash, run in a folder; `warpnet` means the program of this build.
pictures::ProcessResult bash(const fs::path& folder, const std::string& command,
                             const std::string& input = "") {
    const std::string script = "cd '" + folder.string() + "' && PATH='" + program().parent_path().string() +
                               "':$PATH && export OMPI_MCA_mpi_yield_when_idle=1\n" + command;
    return pictures::run_process({"bash", "-c", script}, input, std::chrono::minutes(5));
}

/// "mpirun -n 2 … COMMAND" with options for any machine.
std::string on_ranks(int ranks, const std::string& command) {
    return "mpirun --allow-run-as-root --oversubscribe --bind-to none -n " + std::to_string(ranks) + " " +
           command;
}

/// Whether a command prints the same with and without ranks; `run` runs a command line.
template <class Run>
void check_same_on_ranks(std::initializer_list<int> rank_counts, const std::string& command, const Run& run) {
    const pictures::ProcessResult one = run(command);
    REQUIRE(one.output.size() > 50);
    for (const int ranks : rank_counts) {
        const pictures::ProcessResult several = run(on_ranks(ranks, command));
        CAPTURE(ranks, several.errors);
        CHECK(several.output == one.output);
        CHECK(several.exit_code == one.exit_code);
    }
}

/// A folder with the nets of these tests.
class NetFolder : public TemporaryFolder {
  public:
    NetFolder() {
        REQUIRE(bash(path(),
                     "warpnet generate warps --warps 4 --schedulers 2 --arith 60 --shared 5 --global 10 -o "
                     "warps.pnml && warpnet generate warps --warps 4 --schedulers 2 --arith 12 --shared 2 "
                     "--global 3 -o "
                     "few.pnml && warpnet generate kernel --string LCLCC --warps 5 --units C=2,L=1 "
                     "--schedulers 2 -o kernel.pnml")
                    .exit_code == 0);
    }
};

/// JSON without its times.
Json timeless(const std::string& text) {
    Json json = Json::parse(text);
    json.erase("seconds");
    return json;
}

/// Long enough for any machine. A job that fails instead must not block the tests forever.
void wait_for(const std::function<bool()>& happened) {
    const auto give_up = std::chrono::steady_clock::now() + std::chrono::minutes(2);
    while (!happened()) {
        REQUIRE(std::chrono::steady_clock::now() < give_up);
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
}

/// The process whose number was written to a file, as soon as the file exists.
pid_t pid_in(const fs::path& file) {
    wait_for([&] { return fs::exists(file) && read_file(file).ends_with('\n'); });
    return static_cast<pid_t>(std::stol(read_file(file)));
}

/// Writes its process number to a file and becomes the program.
const std::string numbered_rank = "bash -c 'echo $$ > rank.$OMPI_COMM_WORLD_RANK; exec \"$@\"' - ";

/// The number of runs that continues a file of --resume: one more than the last run in it.
std::uint64_t runs_saved(const fs::path& file) {
    std::uint64_t end = 0;
    const Json saved = Json::parse(read_file(file));
    for (const Json& share : saved.at("shares"))
        end = std::max(end, share.at("first").get<std::uint64_t>() + share.at("steps").size());
    return end;
}

}  // namespace

TEST_CASE("run prints the same on 1, 2 and 4 ranks") {
    SKIP_WITHOUT(mpirun(), "mpirun");
    const NetFolder folder;
    const std::string flags =
        GENERATE(as<std::string>(), "--runs 3000", "--runs 2000 --json --marking --counts --all --seed 5",
                 "--runs 300 --statistics --first-run 9", "--runs 500 --until 'w1_active = 0' --threads 2",
                 "--runs 200 --semantics interleaving --policy round-robin --max-steps 300", "--json");
    CAPTURE(flags);
    check_same_on_ranks({1, 2, 4}, "warpnet run warps.pnml " + flags,
                        [&](const std::string& command) { return bash(folder.path(), command); });
}

TEST_CASE("worst finds the same on 1, 2 and 4 ranks") {
    SKIP_WITHOUT(mpirun(), "mpirun");
    const NetFolder folder;
    const std::string flags = GENERATE(
        as<std::string>(), "kernel.pnml --iterations 5000", "kernel.pnml --iterations 5000 --best --paper",
        "kernel.pnml --iterations 5000 --method tempering --chains 6", "few.pnml --iterations 150",
        "kernel.pnml --iterations 100 --exact --best", "few.pnml --iterations 100 --exact");
    CAPTURE(flags);
    const std::string command =
        "warpnet worst " + flags + " --json --write-schedule schedule.csv --log log.csv";
    const auto without_times = [&] {
        return bash(folder.path(), "cut -d, -f 2- log.csv && cat schedule.csv").output;
    };
    const pictures::ProcessResult one = bash(folder.path(), command);
    const std::string files = without_times();
    REQUIRE(one.exit_code == 0);
    REQUIRE(files.size() > 50);
    for (const int ranks : {1, 2, 4}) {
        const pictures::ProcessResult several = bash(folder.path(), on_ranks(ranks, command));
        CAPTURE(ranks, several.errors);
        REQUIRE(several.exit_code == 0);
        CHECK(timeless(several.output) == timeless(one.output));
        CHECK(without_times() == files);
    }
}

TEST_CASE("explore prints the same on 2 and 4 ranks as without") {
    SKIP_WITHOUT(mpirun(), "mpirun");
    const NetFolder folder;
    const std::string flags =
        GENERATE(as<std::string>(), "few.pnml --engine explicit --max-states 30000 --scratch . --json",
                 "kernel.pnml --json --write-schedule path.csv",
                 "kernel.pnml --reach dead --without random-runs --write-schedule path.csv",
                 "few.pnml --max 'sm + alive' --without "
                 "state-equation,decision-diagrams,guided-search,reductions --max-states 9000 --json",
                 "kernel.pnml --semantics maximal --bounds --threads 2");
    CAPTURE(flags);
    const auto with_path = [&](const std::string& command) {
        pictures::ProcessResult result = bash(folder.path(), command);
        result.output += bash(folder.path(), "cat path.csv; rm -f path.csv").output;
        return result;
    };
    check_same_on_ranks({2, 4}, "warpnet explore " + flags, with_path);
}

TEST_CASE("an exploration of which one rank is interrupted ends on all") {
    SKIP_WITHOUT(mpirun(), "mpirun");
    const NetFolder folder;
    auto job = std::async(std::launch::async, [&] {
        return bash(folder.path(), on_ranks(3, numbered_rank + "warpnet explore warps.pnml --plain --engine "
                                                               "explicit --time-limit 100s"));
    });
    const pid_t victim = pid_in(folder.path() / "rank.1");
    std::this_thread::sleep_for(std::chrono::milliseconds(500));  // at an arbitrary point of the work
    REQUIRE(::kill(victim, SIGINT) == 0);
    const pictures::ProcessResult result = job.get();
    CAPTURE(result.errors, result.output);
    CHECK(result.exit_code == 130);
}

TEST_CASE("rank 0 reads the net, wherever it comes from") {
    SKIP_WITHOUT(mpirun(), "mpirun");
    const NetFolder folder;
    const pictures::ProcessResult several =
        bash(folder.path(), on_ranks(2, "warpnet run - --runs 500"), read_file(folder.path() / "warps.pnml"));
    CHECK(several.output == bash(folder.path(), "warpnet run warps.pnml --runs 500").output);
}

TEST_CASE("an error is reported once, and with the usual exit code") {
    SKIP_WITHOUT(mpirun(), "mpirun");
    const NetFolder folder;
    const auto [flags, exit_code, message] = GENERATE(
        table<std::string, int, std::string>({{"run none.pnml --runs 5", 3, "cannot read none.pnml"},
                                              {"run warps.pnml --until 'nowhere > 1'", 2, "nowhere"},
                                              {"worst none.pnml", 3, "cannot read none.pnml"},
                                              {"worst", 2, "NET is missing"},
                                              {"run warps.pnml --rnus 5", 2, "--rnus"},
                                              {"explore none.pnml", 3, "cannot read none.pnml"},
                                              {"explore few.pnml --liveness", 2, "without mpirun"},
                                              {"explore warps.pnml --plain --memory 3M", 4, ""},
                                              {"explore warps.pnml --plain --time-limit 1ms", 4, ""},
                                              {"run warps.pnml --trace t.csv --resume r.json", 2, "--resume"},
                                              {"run warps.pnml --max-steps 3", 4, ""}}));
    CAPTURE(flags);
    const pictures::ProcessResult several = bash(folder.path(), on_ranks(3, "warpnet " + flags));
    CHECK(several.exit_code == exit_code);
    const auto first = several.errors.find(message);
    CHECK(first != std::string::npos);
    if (!message.empty()) CHECK(several.errors.find("warpnet: ", first) == std::string::npos);
}

TEST_CASE("runs of which a rank was killed go on from what was saved") {
    SKIP_WITHOUT(mpirun(), "mpirun");
    const NetFolder folder;
    const fs::path saved = folder.path() / "runs.json";
    auto job = std::async(std::launch::async, [&] {
        bash(folder.path(),
             on_ranks(3, numbered_rank + "warpnet run warps.pnml --statistics --runs 100000000 "
                                         "--resume runs.json --save-every 20ms"));
    });
    const pid_t victim = pid_in(folder.path() / "rank.1");
    wait_for([&] { return fs::exists(saved) && runs_saved(saved) > 0; });
    CHECK(::kill(victim, SIGKILL) == 0);
    job.get();
    const std::uint64_t runs = runs_saved(saved) + 500;
    const std::string command =
        "warpnet run warps.pnml --statistics --json --runs " + std::to_string(runs) + " ";
    const std::string expected = bash(folder.path(), command).output;
    const std::string before = read_file(saved);
    for (const int ranks : {2, 1}) {
        std::ofstream(saved) << before;
        const pictures::ProcessResult resumed =
            bash(folder.path(), on_ranks(ranks, command + "--resume runs.json"));
        CAPTURE(resumed.errors);
        CHECK(resumed.output == expected);
        CHECK(runs_saved(saved) == runs);
    }
}

TEST_CASE("a search of which a rank was killed goes on from what was saved") {
    SKIP_WITHOUT(mpirun(), "mpirun");
    const NetFolder folder;
    const std::string method = GENERATE(as<std::string>(), "portfolio", "tempering");
    const std::string command =
        "warpnet worst --string LLLLLCCCCCCCCCLLCCCCCCCCC --warps 6 --units C=4,L=1 --schedulers 4 --json "
        "--iterations 400000 --chains 3 --save-every 20ms --resume search.json --method " +
        method;
    const fs::path saved = folder.path() / "search.json";
    auto job =
        std::async(std::launch::async, [&] { bash(folder.path(), on_ranks(3, numbered_rank + command)); });
    const pid_t victim = pid_in(folder.path() / "rank.2");
    wait_for([&] { return fs::exists(saved); });
    ::kill(victim, SIGKILL);
    job.get();
    const Json resumed = timeless(bash(folder.path(), on_ranks(2, command)).output);
    fs::remove(saved);
    CHECK(resumed == timeless(bash(folder.path(), command).output));
}

TEST_CASE("mpirun that is interrupted prints what is known") {
    SKIP_WITHOUT(mpirun(), "mpirun");
    const NetFolder folder;
    auto job = std::async(std::launch::async, [&] {
        return bash(folder.path(),
                    "echo $$ > mpirun.pid; exec " + on_ranks(2,
                                                             "warpnet run warps.pnml --runs "
                                                             "100000000 --resume r.json --save-every 20ms"));
    });
    const pid_t started = pid_in(folder.path() / "mpirun.pid");
    const fs::path saved = folder.path() / "r.json";
    wait_for([&] { return fs::exists(saved) && runs_saved(saved) > 0; });
    REQUIRE(::kill(started, SIGINT) == 0);
    const pictures::ProcessResult result = job.get();
    CAPTURE(result.errors);
    CHECK(result.exit_code != 0);
    CHECK(result.output.find("runs ended in a dead marking") != std::string::npos);
    CHECK(result.output.find("runs not started") != std::string::npos);
}

TEST_CASE("a program that is alone has no team") {
    const std::unique_ptr<ranks::Team> team = cli::open_team();
    CHECK(team->rank() == 0);
    CHECK(team->size() == 1);
    CHECK_FALSE(cli::is_follower());
    CHECK(cli::threads_of({}, ranks::Collectives(*team)) == 0);
}

TEST_CASE("ranks are known from what mpirun and srun set") {
    const auto [environment, output] =
        GENERATE(table<std::string, bool>({{"OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=1", true},
                                           {"PMIX_RANK=0", true},
                                           {"PMIX_RANK=1 SLURM_STEP_NUM_TASKS=2", false},
                                           {"PMI_RANK=3 PMI_SIZE=4", false},
                                           {"OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=2", false}}));
    CAPTURE(environment);
    const TemporaryFolder folder;
    // Wrong usage is found before a team is needed. All ranks but the first are silent about it.
    const pictures::ProcessResult result = bash(folder.path(), environment + " warpnet run");
    CHECK(result.errors.empty() != output);
    CHECK(result.exit_code == (output ? 2 : 0));
}
