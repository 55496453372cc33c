#pragma once

#include "analysis/states/explore/explore.hpp"
#include "cli/commands/explore_questions.hpp"
#include "cli/input/options.hpp"

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

namespace warpnet::cli {

class Command;

/// The flags of `explore`.
struct ExploreFlags {
    CommonOptions common;
    std::string net;
    states::ExploreOptions explore;
    std::optional<std::chrono::milliseconds> time_limit;
    states::ExploreEngine engine = states::ExploreEngine::automatic;
    bool symmetric = false;
    bool plain = false;
    std::size_t dead_markings = 0;
    bool liveness = false;
    bool bounds = false;
    std::string graph_file;
    std::string coverability_file;
    std::string schedule_file;
    ExploreQuestions questions;

    /// With --max-states, symmetry is off by default: the flag counts markings, and a class may have several.
    bool wants_symmetry() const;
};

/// Whether a file of a graph is Graphviz text.
bool is_dot(const std::string& file);

void add_explore_flags(Command& command, ExploreFlags& flags);

/// Throws UsageError for flags that exclude each other, and with several ranks for flags that need one
/// process.
void check(const ExploreFlags& flags, int ranks);

}  // namespace warpnet::cli
