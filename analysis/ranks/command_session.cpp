#include "analysis/ranks/command_session.hpp"

#include "analysis/ranks/task_farm.hpp"

#include <algorithm>
#include <exception>

namespace warpnet {

namespace {

constexpr char over = 'o';
constexpr char command = 'c';

Team& regrouped(Team& team) {
    regroup(team);
    return team;
}

}  // namespace

CommandSession::CommandSession(Team& team) : ranks_(regrouped(team)) {}

CommandSession::~CommandSession() {
    if (ended_) return;
    try {
        ranks_.broadcast(0, std::string(1, over));
    } catch (const std::exception&) {  // then they notice that this rank leaves
        return;
    }
}

void CommandSession::begin(const std::string& what) { ranks_.broadcast(0, command + what); }

void CommandSession::end() {
    ended_ = true;
    ranks_.broadcast(0, std::string(1, over));
    for (int rank = 1; rank < ranks_.size(); ++rank) ranks_.receive(rank);
}

WorkEnd end_of_any(Collectives* ranks, WorkEnd own) {
    for (const WorkEnd of_rank : values_of_all(ranks, own))
        if (of_rank != WorkEnd::complete) return of_rank;
    return WorkEnd::complete;
}

TimeLeft time_left(const WorkLimits& limits) {
    if (!limits.deadline) return {};
    return *limits.deadline - std::chrono::steady_clock::now();
}

void set_deadline(WorkLimits& limits, const TimeLeft& left) {
    limits.deadline.reset();
    if (left) limits.deadline = std::chrono::steady_clock::now() + *left;
}

bool follow_commands(Team& team, const CommandFunction& perform) {
    if (!regroup(team)) return false;
    Collectives ranks(team);
    for (;;) {
        const std::string text = ranks.receive(0);
        if (text.front() == over) break;
        try {
            perform(std::string_view(text).substr(1), ranks);
        } catch (...) {
            ranks.fail();
            throw;
        }
    }
    ranks.send(0, "");
    return true;
}

bool follow_commands(Team& team, std::span<const CommandHelper> helpers) {
    return follow_commands(team, [&](std::string_view text, Collectives& ranks) {
        ByteReader reader(text);
        const std::string name = reader.get_text();
        const auto helper = std::find_if(helpers.begin(), helpers.end(),
                                         [&](const CommandHelper& one) { return one.name == name; });
        helper->perform(reader, ranks);
    });
}

}  // namespace warpnet
