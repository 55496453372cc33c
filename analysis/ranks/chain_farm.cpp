#include "analysis/ranks/chain_farm.hpp"

#include <algorithm>
#include <charconv>
#include <vector>

#include <fmt/format.h>

namespace warpnet {

namespace {

constexpr std::uint64_t stretches_of_a_chain = 64;
constexpr std::size_t chains_of_a_thread = 4;  // are faster together, see advance_chains

/// "NUMBER NUMBER\nTEXT": which chains, how far, and the chains.
struct Message {
    std::uint64_t begin = 0;
    std::uint64_t until = 0;
    std::string_view text;
};

std::string write_message(const Message& message) {
    return fmt::format("{} {}\n{}", message.begin, message.until, message.text);
}

Message read_message(std::string_view text) {
    const std::size_t end = text.find('\n');
    Message message{.text = text.substr(end + 1)};
    const char* const stop = text.data() + end;
    const char* const space = std::from_chars(text.data(), stop, message.begin).ptr;
    std::from_chars(space + 1, stop, message.until);
    return message;
}

TaskFunction task_of(const AdvanceChains& advance) {
    return [&](std::string_view message) {
        const Message task = read_message(message);
        return write_message({task.begin, task.until, advance(task.text, task.until)});
    };
}

/// The groups of a search and who is behind.
class Groups {
  public:
    Groups(const FarmedChains& chains, std::size_t size, std::uint64_t stretch)
        : chains_(chains), stretch_(stretch) {
        for (std::size_t begin = 0; begin < chains.count; begin += size)
            groups_.push_back({begin, std::min(begin + size, chains.count)});
    }

    std::optional<std::string> next() {
        Group* behind = nullptr;
        for (Group& group : groups_) {
            if (!group.away && reached(group) < chains_.until &&
                (behind == nullptr || reached(group) < reached(*behind))) {
                behind = &group;
            }
        }
        if (behind == nullptr) return {};
        behind->away = true;
        const std::uint64_t until = std::min(chains_.until, (reached(*behind) / stretch_ + 1) * stretch_);
        return write_message({behind->begin, until, chains_.write(behind->begin, behind->end)});
    }

    void take(std::string_view message) {
        const Message result = read_message(message);
        for (Group& group : groups_)
            if (group.begin == result.begin) group.away = false;
        chains_.read(result.begin, result.text);
    }

  private:
    struct Group {
        std::size_t begin, end;
        bool away = false;
    };

    std::uint64_t reached(const Group& group) const {
        std::uint64_t least = ~std::uint64_t{0};
        for (std::size_t chain = group.begin; chain < group.end; ++chain)
            least = std::min(least, chains_.iteration(chain));
        return least;
    }

    const FarmedChains& chains_;
    std::uint64_t stretch_;
    std::vector<Group> groups_;
};

}  // namespace

WorkEnd lead_chains(Team& team, int threads, const FarmedChains& chains, const AdvanceChains& advance,
                    FarmSignals& signals) {
    const auto ranks = static_cast<std::size_t>(team.size());
    const std::size_t most = chains_of_a_thread * static_cast<std::size_t>(std::max(threads, 1));
    const std::size_t size = std::clamp((chains.count + ranks - 1) / ranks, std::size_t{1}, most);
    Groups groups(chains, size, std::max(chains.until / stretches_of_a_chain, chains.shortest_stretch));
    const TaskSource source{[&] { return groups.next(); },
                            [&](std::string_view result, double) { groups.take(result); }, chains.save};
    return lead(team, source, task_of(advance), signals);
}

bool follow_chains(Team& team, const AdvanceChains& advance, FarmSignals& signals) {
    return follow(team, task_of(advance), signals);
}

}  // namespace warpnet
