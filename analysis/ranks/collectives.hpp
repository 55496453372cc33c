#pragma once

#include "analysis/ranks/bytes.hpp"
#include "analysis/ranks/team.hpp"

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace warpnet {

/// What all ranks of a team do together. Each calls the same functions in the same order, so all must take
/// the same decisions: on what they compute alike, or on what they have told each other.
///
/// Waiting ranks give their core away. A function throws where another rank called fail() or has left:
/// InputError, std::bad_alloc or std::runtime_error, as what was thrown there.
class Collectives {
  public:
    /// The team must outlive it, and is used by nobody else from now on. Longer texts travel in pieces.
    explicit Collectives(Team& team, std::size_t piece_bytes = std::size_t{1} << 28);

    int rank() const noexcept { return rank_; }
    int size() const noexcept { return size_; }

    /// Sends to[r] to each rank r; returns what each rank sent to this one. What it sends to itself comes
    /// back. REQUIRES: size() texts.
    std::vector<std::string> exchange(std::vector<std::string> to);
    /// The texts of all ranks, by rank, on each of them.
    std::vector<std::string> gather(std::string text);
    /// The text of one rank, on each of them; what others give is dropped.
    std::string broadcast(int from, std::string text);

    /// Returns at once. REQUIRES: another rank.
    void send(int to, std::string_view text);
    /// The next text of a rank, once it is there. REQUIRES: another rank.
    std::string receive(int from);

    /// Tells all others that this rank leaves because of the exception that is being handled. Whatever they
    /// wait for, they throw.
    void fail() noexcept;

  private:
    void send_to_others(std::string_view text);
    void receive_from_others(std::vector<std::string>& texts);
    void send_error(char tag, std::string_view text);

    Team& team_;
    int rank_;
    int size_;
    std::size_t piece_bytes_;
    std::vector<std::deque<std::string>> arrived_;  // by sender: pieces of texts that nobody asked for yet
};

/// On all ranks at once: the values of all, by rank. What `own` says, without `ranks`.
template <class Value>
std::vector<Value> values_of_all(Collectives* ranks, const Value& own) {
    if (ranks == nullptr) return {own};
    ByteWriter writer;
    writer.put(own);
    std::vector<Value> values;
    for (const std::string& text : ranks->gather(std::move(writer).take()))
        values.push_back(ByteReader(text).get<Value>());
    return values;
}

}  // namespace warpnet
