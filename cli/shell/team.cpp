// Ranks under mpirun. Only ranks load the module that calls Open MPI, so the program starts fast and runs
// without Open MPI. The first rank reads the net once and shares it.
//
// The library of MPI is opened with dlopen() and global names, which its plugins need. Rank 0 shares the net
// as PNML, the format that keeps all of it, so that other ranks need no access to the file. An experiment is
// described by a hash of this text and all options that change runs. Saved runs continue only if the
// description is equal.

#include "cli/shell/team.hpp"

#include "cli/input/net_io.hpp"
#include "cli/shell/process.hpp"
#include "engine/base/random.hpp"
#include "engine/base/text.hpp"
#include "engine/base/to_json.hpp"
#include "engine/net/error.hpp"
#include "pnml/read_pnml.hpp"
#include "pnml/write_pnml.hpp"

#include <cstdlib>
#include <initializer_list>

#include <dlfcn.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace warpnet::cli {

namespace {

std::string hash_of(const std::string& text) {
    std::uint64_t hash = 0;
    for (const char c : text) hash = hash_bits(hash, static_cast<unsigned char>(c));
    return fmt::format("{:016x}", hash);
}

}  // namespace

std::string run_experiment(const Net& net, const studies::RunStudyOptions& options) {
    const ManyOptions& many = options.runs.many;
    const RunOptions& run = many.run;
    return json_text(nlohmann::json{{"net", hash_of(pnml::write_pnml(net))},
                                    {"semantics", to_string(run.semantics)},
                                    {"policy", to_string(run.policy)},
                                    {"seed", run.seed},
                                    {"keyed", run.keyed},
                                    {"plain", many.plain},
                                    {"until", options.until},
                                    {"max_steps", run.max_steps},
                                    {"counts", run.count_firings},
                                    {"marking", many.markings},
                                    {"statistics", options.statistics}});
}

namespace {

#ifdef WARPNET_MPI_LIBRARY
void* load(const char* library, int flags) {
    void* loaded = dlopen(library, flags);
    if (loaded == nullptr) throw InputError(std::string("cannot load MPI: ") + dlerror());
    return loaded;
}

/// Only ranks load Open MPI and the module that uses it. So all other starts of the program are faster and do
/// not need Open MPI. Its plugins need its names to be visible globally.
std::unique_ptr<ranks::Team> open_mpi_team() {
    load(WARPNET_MPI_LIBRARY, RTLD_NOW | RTLD_GLOBAL);
    void* module = load(WARPNET_MPI_MODULE, RTLD_NOW);
    const auto open = reinterpret_cast<ranks::Team* (*)()>(dlsym(module, "warpnet_open_mpi_team"));
    if (open == nullptr) throw InputError(std::string("cannot load MPI: ") + dlerror());
    return std::unique_ptr<ranks::Team>(open());
}
#else
std::unique_ptr<ranks::Team> open_mpi_team() {
    throw InputError("started as one of several ranks, but this warpnet was built without MPI");
}
#endif

}  // namespace

bool is_follower() { return is_one_of_several() && *rank_of_environment() > 0; }

std::unique_ptr<ranks::Team> open_team() {
    if (!is_one_of_several()) return std::make_unique<ranks::Alone>();
    return open_mpi_team();
}

Net share_net(ranks::Collectives& ranks, const std::function<Net()>& read) {
    if (ranks.rank() > 0) return pnml::read_pnml(ranks.broadcast(0, ""), "the net of rank 0");
    Net net = read();
    if (ranks.size() > 1) ranks.broadcast(0, pnml::write_pnml(net));
    return net;
}

Net read_shared_net(ranks::Collectives& ranks, const std::string& path) {
    return share_net(ranks, [&] { return read_net(path); });
}

int threads_of(const CommonOptions& options, const ranks::Collectives& ranks) {
    return options.threads == 0 && ranks.size() > 1 ? 1 : options.threads;
}

ProgressLines progress_lines_of(const ranks::Collectives& ranks) {
    return ranks.size() > 1 && ranks.rank() == 0 ? ProgressLines(std::chrono::seconds(10)) : std::nullopt;
}

std::string_view mpi_support() {
#ifdef WARPNET_MPI_LIBRARY
    return "built with Open MPI";
#else
    return "built without MPI";
#endif
}

std::string mpi_state() {
#ifdef WARPNET_MPI_LIBRARY
    void* library = dlopen(WARPNET_MPI_LIBRARY, RTLD_LAZY | RTLD_LOCAL);
    if (library == nullptr)
        return fmt::format(", whose {} is not here: mpirun needs it, nothing else", WARPNET_MPI_LIBRARY);
    dlclose(library);
    return fmt::format(", {} found", WARPNET_MPI_LIBRARY);
#else
    return "";
#endif
}

}  // namespace warpnet::cli
