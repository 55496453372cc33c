#pragma once

#include "analysis/ranks/collectives.hpp"
#include "analysis/studies/runs/run_study.hpp"
#include "cli/input/options.hpp"
#include "cli/shell/progress.hpp"
#include "engine/net/net.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace warpnet::cli {

/// Whether mpirun or srun started this process as another rank than the first of several. Its results and
/// messages are those of rank 0, so it prints nothing. Looks at the environment alone.
bool is_follower();

/// The team of this process: by Open MPI where mpirun or srun started several ranks, else Alone, which costs
/// nothing. Rank 0 must let go of it last, after all that it prints. Throws InputError if the
/// program was built without MPI, or Open MPI cannot be loaded.
std::unique_ptr<ranks::Team> open_team();

/// The net of a file, or what read() returns, on rank 0 and sent to the others, which may have neither its
/// file nor its standard input.
Net read_shared_net(ranks::Collectives& ranks, const std::string& path);
Net share_net(ranks::Collectives& ranks, const std::function<Net()>& read);

/// Threads of each rank: as the user says; else all cores for one rank, one thread each for several.
int threads_of(const CommonOptions& options, const ranks::Collectives& ranks);

/// The first of several ranks logs its progress: it seldom has a terminal.
ProgressLines progress_lines_of(const ranks::Collectives& ranks);

/// "Open MPI" or "no MPI": how this program was built.
std::string_view mpi_support();
/// Whether its library is found here: ", found" or what is missing; empty if none is supported.
std::string mpi_state();

/// All that the results of runs depend on besides their numbers, as JSON: the net, by a hash of its PNML, and
/// options. Saved runs with another one are not those runs.
std::string run_experiment(const Net& net, const studies::RunStudyOptions& options);

}  // namespace warpnet::cli
