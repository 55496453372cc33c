// Every rank runs the same program and takes part in a few collective operations. These consist of messages
// that arrive in order between any two ranks. Each rank sends to all and then waits for each, so no order of
// calls can cause a deadlock. A rank that fails sends its error instead of the expected text. Each rank has
// its own limits. If a limit ends its work, the results of the round carry that to all ranks and end the
// round there.
//
// Tried and removed: tasks handed out by rank 0, and commands of rank 0 with functions on the other ranks
// that mirror its own. Both prevented a slow rank from delaying the other ranks, but every divided function
// existed twice. MPI's own collectives cannot carry an error, and those of Open MPI spin while they wait.

#include "analysis/ranks/collectives.hpp"

#include "engine/net/error.hpp"

#include <algorithm>
#include <chrono>
#include <new>
#include <stdexcept>
#include <thread>
#include <utility>

#include <fmt/format.h>

namespace warpnet::ranks {

namespace {

// The last character of a piece is its kind. A message has a length that fits an int; a text may be longer.
constexpr char whole = 'w';  // a text, or the end of one
constexpr char part = 'p';   // more of the text follows
constexpr char bad_input = 'i';
constexpr char no_memory = 'm';
constexpr char broken = 'b';

constexpr int looks_before_sleep = 64;
constexpr std::chrono::microseconds shortest_sleep{20}, longest_sleep{100};

std::string tagged(std::string_view text, char tag) {
    std::string message;
    message.reserve(text.size() + 1);
    message += text;
    message += tag;
    return message;
}

[[noreturn]] void throw_error_of(int rank, char tag, const std::string& text) {
    if (tag == bad_input) throw InputError(text);
    if (tag == no_memory) throw std::bad_alloc();
    throw std::runtime_error(fmt::format("rank {}: {}", rank, text));
}

}  // namespace

Collectives::Collectives(Team& team, std::size_t piece_bytes)
    : team_(team),
      rank_(team.rank()),
      size_(team.size()),
      piece_bytes_(piece_bytes),
      arrived_(static_cast<std::size_t>(team.size())) {}

void Collectives::send(int to, std::string_view text) {
    for (; text.size() > piece_bytes_; text.remove_prefix(piece_bytes_))
        team_.send(to, tagged(text.substr(0, piece_bytes_), part));
    team_.send(to, tagged(text, whole));
}

std::string Collectives::receive(int from) {
    std::string text;
    auto& pieces = arrived_[static_cast<std::size_t>(from)];
    auto sleep = shortest_sleep;
    for (int looks = 0;; ++looks) {
        while (!pieces.empty()) {
            std::string piece = std::move(pieces.front());
            pieces.pop_front();
            const char tag = piece.back();
            piece.pop_back();
            if (tag != whole && tag != part) throw_error_of(from, tag, piece);
            if (text.empty()) {
                text = std::move(piece);
            } else {
                text += piece;
            }
            if (tag == whole) return text;
        }
        if (auto message = team_.receive()) {
            looks = 0;
            sleep = shortest_sleep;
            if (message->text.empty()) message->text = std::string("has left") + broken;
            arrived_[static_cast<std::size_t>(message->from)].push_back(std::move(message->text));
        } else if (looks < looks_before_sleep) {
            std::this_thread::yield();
        } else {
            std::this_thread::sleep_for(sleep);
            sleep = std::min(2 * sleep, longest_sleep);
        }
    }
}

std::vector<std::string> Collectives::exchange(std::vector<std::string> to) {
    for (int other = 0; other < size_; ++other)
        if (other != rank_) send(other, std::exchange(to[static_cast<std::size_t>(other)], {}));
    receive_from_others(to);
    return to;
}

std::vector<std::string> Collectives::gather(std::string text) {
    std::vector<std::string> texts(static_cast<std::size_t>(size_));
    send_to_others(text);
    receive_from_others(texts);
    texts[static_cast<std::size_t>(rank_)] = std::move(text);
    return texts;
}

std::string Collectives::broadcast(int from, std::string text) {
    if (from != rank_) return receive(from);
    send_to_others(text);
    return text;
}

void Collectives::send_to_others(std::string_view text) {
    for (int other = 0; other < size_; ++other)
        if (other != rank_) send(other, text);
}

void Collectives::receive_from_others(std::vector<std::string>& texts) {
    for (int other = 0; other < size_; ++other)
        if (other != rank_) texts[static_cast<std::size_t>(other)] = receive(other);
}

void Collectives::send_error(char tag, std::string_view text) {
    for (int other = 0; other < size_; ++other)
        if (other != rank_) team_.send(other, tagged(text, tag));
}

void Collectives::fail() noexcept {
    try {
        try {
            throw;
        } catch (const InputError& error) {
            send_error(bad_input, error.what());
        } catch (const std::bad_alloc&) {
            send_error(no_memory, "");
        } catch (const std::exception& error) {
            send_error(broken, error.what());
        }
    } catch (...) {  // there is no memory for a message: leaving is one too
        return;
    }
}

WorkEnd end_of_any(Collectives* ranks, WorkEnd own) {
    for (const WorkEnd of_rank : values_of_all(ranks, own))
        if (of_rank != WorkEnd::complete) return of_rank;
    return WorkEnd::complete;
}

}  // namespace warpnet::ranks
