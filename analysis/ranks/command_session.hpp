#pragma once

#include "analysis/ranks/bytes.hpp"
#include "analysis/ranks/collectives.hpp"
#include "engine/base/work_limits.hpp"

#include <chrono>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace warpnet {

/// Rank 0 says what all ranks do together (Collectives), one thing after the other; in between, and while it
/// works alone, the others wait in follow_commands(). Before and after it the team can be used otherwise.
class CommandSession {
  public:
    /// On rank 0, of a team of any size. Returns once all others are there.
    explicit CommandSession(Team& team);
    /// Lets the others go, unless end() did; does not wait for them.
    ~CommandSession();
    CommandSession(const CommandSession&) = delete;
    CommandSession& operator=(const CommandSession&) = delete;

    int size() const noexcept { return ranks_.size(); }
    /// Has the others do what the command says, and returns work(ranks), the part of rank 0. What that throws
    /// ends what the others do.
    template <class Work>
    auto perform(const std::string& command, Work&& work) {
        begin(command);
        try {
            return work(ranks_);
        } catch (...) {
            ranks_.fail();
            throw;
        }
    }
    /// Lets the others go, and returns once they are gone.
    void end();

  private:
    void begin(const std::string& command);

    Collectives ranks_;
    bool ended_ = false;
};

/// On all ranks at once: complete where all can go on, else why the first that cannot does not. What `own`
/// says, without `ranks`.
WorkEnd end_of_any(Collectives* ranks, WorkEnd own);

/// A deadline as it travels to other ranks, whose clocks are others: the time that is left.
using TimeLeft = std::optional<std::chrono::steady_clock::duration>;
TimeLeft time_left(const WorkLimits& limits);
/// The deadline of the rank that sent it, about.
void set_deadline(WorkLimits& limits, const TimeLeft& left);

/// Does a rank's part of a command.
using CommandFunction = std::function<void(std::string_view command, Collectives& ranks)>;

/// All other ranks: does what rank 0 says until it ends the session. False: rank 0 has left. What `perform`
/// throws ends what the others do, and is thrown.
bool follow_commands(Team& team, const CommandFunction& perform);

/// Does a rank's part of the commands that begin with a name, as ByteWriter::put_text() writes it, and are
/// read on from there.
struct CommandHelper {
    std::string_view name;
    std::function<void(ByteReader& command, Collectives& ranks)> perform;
};

/// The same with commands of several kinds. REQUIRES: rank 0 gives no others.
bool follow_commands(Team& team, std::span<const CommandHelper> helpers);

}  // namespace warpnet
