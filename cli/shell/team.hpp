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

/// Whether mpirun or srun started this process as one of several ranks, but not as the first. It prints
/// nothing, because rank 0 prints the results and messages. Reads only the environment.
bool is_follower();

/// The team of this process: Open MPI if mpirun or srun started several ranks, else Alone, which costs
/// nothing. Rank 0 must release it last, after all its output. Throws InputError if the program was built
/// without MPI, or Open MPI cannot be loaded.
std::unique_ptr<ranks::Team> open_team();

/// The net of a file, or the result of read(), on rank 0. It is sent to all other ranks, which may have
/// neither the file nor the standard input.
Net read_shared_net(ranks::Collectives& ranks, const std::string& path);
Net share_net(ranks::Collectives& ranks, const std::function<Net()>& read);

/// Threads of each rank: the user's number; else all cores for one rank, and one thread each for several
/// ranks.
int threads_of(const CommonOptions& options, const ranks::Collectives& ranks);

/// Only the first of several ranks logs its progress, because it seldom has a terminal.
ProgressLines progress_lines_of(const ranks::Collectives& ranks);

/// "built with Open MPI" or "built without MPI".
std::string_view mpi_support();
/// Whether the MPI library is installed: ", found" or the missing part; empty if this build supports none.
std::string mpi_state();

/// All that determines the results of runs, except their number, as JSON: the net, by a hash of its PNML, and
/// options. Saved runs with a different value belong to another experiment.
std::string run_experiment(const Net& net, const studies::RunStudyOptions& options);

}  // namespace warpnet::cli
