#pragma once

#include "analysis/ranks/collectives.hpp"

#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include <tbb/global_control.h>
#include <tbb/task_arena.h>

namespace warpnet::testing {

/// The result of `work` with so many threads allowed, even if there are fewer cores.
template <class Work>
auto on_threads(int threads, Work&& work) {
    tbb::global_control allow(tbb::global_control::max_allowed_parallelism,
                              static_cast<std::size_t>(threads));
    tbb::task_arena arena(threads);
    return arena.execute(work);
}

/// A team within one process: one thread per rank, messages in queues.
class TeamOfThreads {
  public:
    /// Calls work(team) on each of `size` ranks and waits for all. Throws the exception of rank 0.
    static void run(int size, const std::function<void(ranks::Team&)>& work) {
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
        std::deque<ranks::TeamMessage> messages;
    };

    class Member : public ranks::Team {
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
        std::optional<ranks::TeamMessage> receive() override {
            Mailbox& mailbox = mailboxes_[static_cast<std::size_t>(rank_)];
            const std::lock_guard lock(mailbox.mutex);
            if (mailbox.messages.empty()) return {};
            ranks::TeamMessage message = std::move(mailbox.messages.front());
            mailbox.messages.pop_front();
            return message;
        }

      private:
        int rank_;
        std::vector<Mailbox>& mailboxes_;
    };
};

/// The results of work(ranks) on each of `size` ranks. Throws the exception of rank 0.
template <class Result, class Work>
std::vector<Result> results_of_ranks(int size, const Work& work) {
    std::vector<Result> results(static_cast<std::size_t>(size));
    TeamOfThreads::run(size, [&](ranks::Team& team) {
        ranks::Collectives ranks(team);
        results[static_cast<std::size_t>(team.rank())] = work(ranks);
    });
    return results;
}

/// The result of work(options) on rank 0 of `size`; each rank has its own options with its `ranks`.
template <class Options, class Work>
auto result_on_ranks(int size, const Options& options, const Work& work) {
    using Result = decltype(work(options));
    return std::move(results_of_ranks<Result>(size, [&](ranks::Collectives& ranks) {
                         Options own = options;
                         own.ranks = &ranks;
                         return work(own);
                     }).front());
}

}  // namespace warpnet::testing
