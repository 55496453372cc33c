#include "analysis/ranks/task_farm.hpp"

#include "analysis/ranks/pause.hpp"
#include "engine/net/error.hpp"

#include <charconv>
#include <future>
#include <stdexcept>
#include <thread>
#include <vector>

#include <fmt/format.h>

namespace warpnet {

namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr auto between_progress_messages = 200ms;

// What a message is about: its first character.
constexpr char task_message = 't';
constexpr char stop_message = 's';
constexpr char result_message = 'r';
constexpr char progress_message = 'p';
constexpr char dismiss_message = 'd';
constexpr char regroup_message = 'g';
constexpr char input_error_message = 'i';
constexpr char error_message = 'e';

std::string tagged(char tag, std::string_view text) { return tag + std::string(text); }

/// A task of this rank, in a thread of its own.
class OwnTask {
  public:
    OwnTask(const TaskFunction& perform, FarmSignals& signals) : perform_(perform), signals_(signals) {}
    ~OwnTask() {
        if (busy()) signals_.stop = true;
    }
    OwnTask(const OwnTask&) = delete;
    OwnTask& operator=(const OwnTask&) = delete;

    bool busy() const { return result_.valid(); }
    void begin(std::string task) {
        result_ = std::async(std::launch::async,
                             [this, task = std::move(task)] { return perform_(std::string_view(task)); });
    }
    /// The result if it comes within `pause`, or what the task threw.
    std::optional<std::string> wait(std::chrono::microseconds pause) {
        if (!busy()) {
            std::this_thread::sleep_for(pause);
            return {};
        }
        if (result_.wait_for(pause) != std::future_status::ready) return {};
        return result_.get();
    }

  private:
    const TaskFunction& perform_;
    FarmSignals& signals_;
    std::future<std::string> result_;  // the last member: its destructor waits for the task
};

[[noreturn]] void throw_error_of(const TeamMessage& message) {
    const std::string text = message.text.empty() ? "has left" : message.text.substr(1);
    if (message.text.starts_with(input_error_message)) throw InputError(text);
    throw std::runtime_error(fmt::format("rank {}: {}", message.from, text));
}

void send_to_others(Team& team, const std::string& text) {
    for (int rank = 1; rank < team.size(); ++rank) team.send(rank, text);
}

/// The next message about one of these, or that a rank has left; others are dropped.
TeamMessage next_of_kind(Team& team, std::string_view tags) {
    for (Pause pause;;) {
        auto message = team.receive();
        if (!message) {
            std::this_thread::sleep_for(pause.next());
        } else if (message->text.empty() || tags.find(message->text.front()) != std::string_view::npos) {
            return *std::move(message);
        }
    }
}

std::uint64_t number_in(std::string_view text) {
    std::uint64_t number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

/// Rank 0 at work.
class Leader {
  public:
    Leader(Team& team, const TaskSource& source, const TaskFunction& perform, FarmSignals& signals)
        : team_(team),
          source_(source),
          signals_(signals),
          own_(perform, signals),
          begun_(static_cast<std::size_t>(team.size())) {}

    WorkEnd lead() {
        for (;;) {
            if (stop_ == WorkEnd::complete) look_for_end();
            if (stop_ == WorkEnd::complete) hand_out();
            if (away_ == 0 || (Clock::now() >= patience_ && !begun_[0])) return stop_;
            while (const auto message = team_.receive()) handle(*message);
            if (const auto result = own_.wait(pause_.next())) take(0, *result);
            if (source_.save) source_.save();
        }
    }

  private:
    void look_for_end() {
        stop_ = asked_to_stop_ ? WorkEnd::interrupted : signals_.limits.asked_to_end();
        if (stop_ == WorkEnd::complete) return;
        if (stop_ == WorkEnd::interrupted) patience_ = Clock::now() + signals_.patience;
        signals_.stop = true;
        send_to_others(team_, std::string(1, stop_message));
    }

    void hand_out() {
        for (int rank = team_.size(); rank-- > 0;) {
            std::optional<Clock::time_point>& begun = begun_[static_cast<std::size_t>(rank)];
            if (begun) continue;
            std::optional<std::string> task = source_.next();
            if (!task) return;
            begun = Clock::now();
            ++away_;
            if (rank == 0) {
                own_.begin(std::move(*task));
            } else {
                team_.send(rank, tagged(task_message, *task));
            }
        }
    }

    void handle(const TeamMessage& message) {
        pause_.reset();
        const std::string_view text = message.text;
        if (text.starts_with(result_message)) {
            take(message.from, text.substr(1));
        } else if (text.starts_with(progress_message)) {
            if (signals_.done != nullptr) signals_.done->fetch_add(number_in(text.substr(1)));
        } else if (text.starts_with(stop_message)) {
            asked_to_stop_ = true;
        } else {
            throw_error_of(message);
        }
    }

    void take(int rank, std::string_view result) {
        pause_.reset();
        std::optional<Clock::time_point>& begun = begun_[static_cast<std::size_t>(rank)];
        if (!begun) return;  // of a task that was given up after an interrupt
        source_.take(result, std::chrono::duration<double>(Clock::now() - *begun).count());
        begun.reset();
        --away_;
    }

    Team& team_;
    const TaskSource& source_;
    FarmSignals& signals_;
    WorkEnd stop_ = WorkEnd::complete;
    bool asked_to_stop_ = false;  // by another rank
    Clock::time_point patience_ = Clock::time_point::max();
    Pause pause_;
    OwnTask own_;
    std::vector<std::optional<Clock::time_point>> begun_;  // per rank: when its task was handed out
    int away_ = 0;                                         // tasks handed out without a result yet
};

/// Another rank at work.
class Follower {
  public:
    Follower(Team& team, const TaskFunction& perform, FarmSignals& signals)
        : team_(team), signals_(signals), own_(perform, signals) {}

    bool follow() {
        while (!left_ && !dismissed_) {
            while (const auto message = dismissed_ ? std::nullopt : team_.receive()) handle(message->text);
            pass_on_interrupt();
            wait_for_task();
        }
        return !left_;
    }

  private:
    void handle(std::string_view text) {
        pause_.reset();
        if (text.empty()) {
            left_ = true;
        } else if (text.starts_with(dismiss_message)) {
            dismissed_ = true;
        } else if (text.starts_with(task_message)) {
            own_.begin(std::string(text.substr(1)));
        } else if (text.starts_with(stop_message)) {
            signals_.stop = true;
        }
    }

    void pass_on_interrupt() {
        if (!signals_.limits.interrupted() || signals_.stop) return;
        signals_.stop = true;
        team_.send(0, std::string(1, stop_message));
    }

    void wait_for_task() {
        try {
            const auto result = own_.wait(pause_.next());
            if (result) pause_.reset();
            tell_progress(result.has_value());
            if (result) team_.send(0, tagged(result_message, *result));
        } catch (const InputError& error) {
            team_.send(0, tagged(input_error_message, error.what()));
        } catch (const std::exception& error) {
            team_.send(0, tagged(error_message, error.what()));
        }
    }

    void tell_progress(bool now) {
        if (signals_.done == nullptr || (!now && Clock::now() < next_told_)) return;
        next_told_ = Clock::now() + between_progress_messages;
        const std::uint64_t done = signals_.done->load();
        if (done != told_) team_.send(0, tagged(progress_message, std::to_string(done - told_)));
        told_ = done;
    }

    Team& team_;
    FarmSignals& signals_;
    bool left_ = false;
    bool dismissed_ = false;
    Pause pause_;
    std::uint64_t told_ = 0;
    Clock::time_point next_told_ = Clock::now();
    OwnTask own_;
};

}  // namespace

WorkEnd lead(Team& team, const TaskSource& source, const TaskFunction& perform, FarmSignals& signals) {
    return Leader(team, source, perform, signals).lead();
}

bool follow(Team& team, const TaskFunction& perform, FarmSignals& signals) {
    return Follower(team, perform, signals).follow();
}

void dismiss(Team& team) { send_to_others(team, std::string(1, dismiss_message)); }

bool regroup(Team& team) {
    const std::string here(1, regroup_message);
    if (team.rank() > 0) {
        const std::string from_first = next_of_kind(team, here).text;
        if (!from_first.empty()) team.send(0, here);
        return !from_first.empty();
    }
    send_to_others(team, here);
    for (int waits_for = team.size() - 1; waits_for > 0; --waits_for) {
        const TeamMessage message = next_of_kind(team, here);
        if (message.text.empty()) throw_error_of(message);
    }
    return true;
}

std::optional<std::string> broadcast(Team& team, const std::string& text) {
    if (team.rank() == 0) {
        send_to_others(team, tagged(task_message, text));
        return text;
    }
    const TeamMessage message = next_of_kind(team, tagged(task_message, ""));
    if (message.text.empty()) return {};
    return message.text.substr(1);
}

}  // namespace warpnet
