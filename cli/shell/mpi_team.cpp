// The ranks of an MPI computation as a Team. Only a process that is one of several ranks loads this module
// (team.cpp), so the program runs without Open MPI.

#include "analysis/ranks/collectives.hpp"

#include <list>
#include <utility>

#include <mpi.h>

namespace warpnet::cli {

namespace {

/// The ranks of MPI_COMM_WORLD. Errors of MPI end the job, as is its default.
class MpiTeam : public ranks::Team {
  public:
    MpiTeam() {
        int provided = 0;
        MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided);
        MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
        MPI_Comm_size(MPI_COMM_WORLD, &size_);
    }

    /// All ranks leave together. Each rank sends an empty message to every other rank and waits for theirs.
    /// It drops all remaining messages, because a long message occupies its sender until it is received.
    ~MpiTeam() override {
        for (int rank = 0; rank < size_; ++rank)
            if (rank != rank_) send(rank, "");
        while (left_ < size_ - 1) receive();
        for (Letter& letter : sent_) MPI_Wait(&letter.request, MPI_STATUS_IGNORE);
        MPI_Finalize();
    }
    MpiTeam(const MpiTeam&) = delete;
    MpiTeam& operator=(const MpiTeam&) = delete;

    int rank() const override { return rank_; }
    int size() const override { return size_; }

    void send(int to, std::string message) override {
        drop_sent();
        Letter& letter = sent_.emplace_back(Letter{std::move(message), MPI_REQUEST_NULL});
        MPI_Isend(letter.text.data(), static_cast<int>(letter.text.size()), MPI_BYTE, to, 0, MPI_COMM_WORLD,
                  &letter.request);
    }

    std::optional<ranks::TeamMessage> receive() override {
        drop_sent();
        int arrived = 0;
        MPI_Message handle = MPI_MESSAGE_NULL;
        MPI_Status status = {};
        MPI_Improbe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &arrived, &handle, &status);
        if (arrived == 0) return {};
        int length = 0;
        MPI_Get_count(&status, MPI_BYTE, &length);
        ranks::TeamMessage message{status.MPI_SOURCE, std::string(static_cast<std::size_t>(length), '\0')};
        MPI_Mrecv(message.text.data(), length, MPI_BYTE, &handle, MPI_STATUS_IGNORE);
        if (message.text.empty()) ++left_;
        return message;
    }

  private:
    /// A message on its way: its text must not move in memory.
    struct Letter {
        std::string text;
        MPI_Request request;
    };

    void drop_sent() {
        sent_.remove_if([](Letter& letter) {
            int arrived = 0;
            MPI_Test(&letter.request, &arrived, MPI_STATUS_IGNORE);
            return arrived != 0;
        });
    }

    int rank_ = 0;
    int size_ = 1;
    int left_ = 0;  // ranks that have sent their last message
    std::list<Letter> sent_;
};

}  // namespace

}  // namespace warpnet::cli

extern "C" warpnet::ranks::Team* warpnet_open_mpi_team() { return new warpnet::cli::MpiTeam(); }
