#pragma once

#include "analysis/ranks/team.hpp"
#include "engine/base/work_limits.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace warpnet {

/// Work cut into tasks. Rank 0 hands them out, a rank at a time having one, and takes their results; it does
/// tasks itself in a thread beside. A slow rank therefore does fewer tasks and holds nobody up. The answer
/// must not depend on who did what, nor on the order in which results come.
struct TaskSource {
    /// A task that can be done now; nothing where all are done, or wait for the results of others.
    std::function<std::optional<std::string>()> next;
    /// What came of a task, `seconds` after it was handed out.
    std::function<void(std::string_view result, double seconds)> take;
    /// Called between messages, every few milliseconds: to save what is known. May be empty.
    std::function<void()> save = {};
};

/// Does a task; on any rank.
using TaskFunction = std::function<std::string(std::string_view task)>;

/// What ends the work early, and how far it is; every rank has its own.
struct FarmSignals {
    WorkLimits limits = {};  ///< the interrupt is of the user of this rank; the deadline looked at by rank 0
    /// How long rank 0 awaits the tasks under way after an interrupt: a rank may be gone.
    std::chrono::milliseconds patience{500};
    /// Set once the work is to be left: a task then ends soon, with what it has.
    std::atomic<bool> stop = false;
    /// Counted up by tasks; on rank 0 also by those of the others, a few times a second.
    std::atomic<std::uint64_t>* done = nullptr;
};

/// Rank 0: until all tasks are done or something ends the work early. Then the tasks under way are awaited,
/// so that their results are not lost; after an interrupt for a time only.
/// Throws what a task threw, as InputError or std::runtime_error where that was on another rank, and
/// std::runtime_error where a rank has left. Can be called several times in a row.
WorkEnd lead(Team& team, const TaskSource& source, const TaskFunction& perform, FarmSignals& signals);

/// All other ranks: does tasks until rank 0 calls dismiss(). False: it has left instead.
bool follow(Team& team, const TaskFunction& perform, FarmSignals& signals);

/// Rank 0: nothing more is handed out; follow() returns on the others.
void dismiss(Team& team);

/// Between different uses of a team: returns on rank 0 once all others are there, and nothing that they sent
/// is left; on the others once rank 0 is there, false where it has left. Throws std::runtime_error on rank 0
/// where another rank has left.
bool regroup(Team& team);

/// On rank 0 sends `text` to all and returns it; on the others waits for it, and returns nothing where rank 0
/// has left instead.
std::optional<std::string> broadcast(Team& team, const std::string& text);

}  // namespace warpnet
