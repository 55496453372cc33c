#pragma once

#include "analysis/ranks/collectives.hpp"

#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace warpnet::testing {

/// A team within one process: a thread a rank, messages in queues.
class TeamOfThreads {
  public:
    /// Calls work(team) on each of `size` ranks and waits for all. Throws what rank 0 threw.
    static void run(int size, const std::function<void(Team&)>& work) {
        std::vector<Mailbox> mailboxes(static_cast<std::size_t>(size));
        std::exception_ptr error;
        std::vector<std::thread> threads;
        for (int rank = 0; rank < size; ++rank) {
            threads.emplace_back([&, rank] {
                Member member(rank, mailboxes);
                try {
                    work(member);
                } catch (...) {
                    if (rank == 0) error = std::current_exception();
                }
            });
        }
        for (std::thread& thread : threads) thread.join();
        if (error) std::rethrow_exception(error);
    }

  private:
    struct Mailbox {
        std::mutex mutex;
        std::deque<TeamMessage> messages;
    };

    class Member : public Team {
      public:
        Member(int rank, std::vector<Mailbox>& mailboxes) : rank_(rank), mailboxes_(mailboxes) {}
        ~Member() override {
            for (int other = 0; other < size(); ++other) {
                if (other != rank_ && (rank_ == 0 || other == 0)) send(other, "");
            }
        }
        Member(const Member&) = delete;
        Member& operator=(const Member&) = delete;

        int rank() const override { return rank_; }
        int size() const override { return static_cast<int>(mailboxes_.size()); }
        void send(int to, std::string message) override {
            Mailbox& mailbox = mailboxes_[static_cast<std::size_t>(to)];
            const std::lock_guard lock(mailbox.mutex);
            mailbox.messages.push_back({rank_, std::move(message)});
        }
        std::optional<TeamMessage> receive() override {
            Mailbox& mailbox = mailboxes_[static_cast<std::size_t>(rank_)];
            const std::lock_guard lock(mailbox.mutex);
            if (mailbox.messages.empty()) return {};
            TeamMessage message = std::move(mailbox.messages.front());
            mailbox.messages.pop_front();
            return message;
        }

      private:
        int rank_;
        std::vector<Mailbox>& mailboxes_;
    };
};

}  // namespace warpnet::testing
