#pragma once

#include "engine/base/work_limits.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace warpnet::ranks {

/// Values as bytes, for messages between ranks, which are the same program on machines of the same kind.
class ByteWriter {
  public:
    template <class Value>
    void put(const Value& value) {
        static_assert(std::is_trivially_copyable_v<Value>);
        append(&value, sizeof(Value));
    }
    template <class Value>
    void put_all(std::span<const Value> values) {
        static_assert(std::is_trivially_copyable_v<Value>);
        append(values.data(), values.size_bytes());
    }
    /// With its length.
    void put_text(std::string_view text) {
        put(text.size());
        append(text.data(), text.size());
    }
    template <class Value>
    void put_list(const std::vector<Value>& values) {
        put(values.size());
        put_all(std::span<const Value>(values));
    }

    void reserve(std::size_t bytes) { bytes_.reserve(bytes); }
    const std::string& bytes() const noexcept { return bytes_; }
    std::string take() && { return std::move(bytes_); }

  private:
    void append(const void* from, std::size_t count) {
        if (count > 0) bytes_.append(static_cast<const char*>(from), count);
    }

    std::string bytes_;
};

/// Reads the values that a ByteWriter wrote, in the same order. The bytes must outlive it.
class ByteReader {
  public:
    explicit ByteReader(std::string_view bytes) : bytes_(bytes) {}

    template <class Value>
    Value get() {
        Value value;
        read(&value, sizeof(Value));
        return value;
    }
    template <class Value>
    std::vector<Value> get_all(std::size_t count) {
        std::vector<Value> values(count);
        read(values.data(), count * sizeof(Value));
        return values;
    }
    template <class Value>
    void get_all(std::span<Value> values) {
        read(values.data(), values.size_bytes());
    }
    std::string get_text() {
        std::string text(get<std::size_t>(), '\0');
        read(text.data(), text.size());
        return text;
    }
    template <class Value>
    std::vector<Value> get_list() {
        return get_all<Value>(get<std::size_t>());
    }
    bool at_end() const noexcept { return bytes_.empty(); }

  private:
    void read(void* to, std::size_t count) {
        if (count > 0) std::memcpy(to, bytes_.data(), count);
        bytes_.remove_prefix(count);
    }

    std::string_view bytes_;
};

/// A message and the rank that sent it.
struct TeamMessage {
    int from = 0;
    std::string text;
};

/// Processes that run the same program, numbered by rank from 0, and the transport of their messages. An
/// implementation is used by one thread at a time.
class Team {
  public:
    virtual ~Team() = default;

    virtual int rank() const = 0;
    virtual int size() const = 0;
    /// Returns at once. Messages from one rank to another arrive in their order. An empty one means that the
    /// sender has left, and only implementations send it.
    virtual void send(int to, std::string message) = 0;
    /// The next message that has arrived, from any rank; nothing if none has. Returns at once.
    virtual std::optional<TeamMessage> receive() = 0;
};

/// The team of a program that was started by itself.
class Alone : public Team {
  public:
    int rank() const override { return 0; }
    int size() const override { return 1; }
    void send(int, std::string) override {}
    std::optional<TeamMessage> receive() override { return {}; }
};

/// The joint operations of all ranks of a team. Each rank calls the same functions in the same order. So all
/// must take the same decisions, from equal results or from values that they have exchanged.
///
/// Functions that can divide their work take a `Collectives* ranks`; null means that there is one process.
/// They are called on all ranks with equal arguments, unless they say otherwise, and their result never
/// depends on the number of ranks.
///
/// Waiting ranks give their core away. A function throws if another rank called fail() or has left:
/// InputError, std::bad_alloc or std::runtime_error, as the exception there.
class Collectives {
  public:
    /// The team must outlive it, and has no other user from now on. Longer texts are sent in pieces.
    explicit Collectives(Team& team, std::size_t piece_bytes = std::size_t{1} << 28);

    int rank() const noexcept { return rank_; }
    int size() const noexcept { return size_; }

    /// Sends to[r] to each rank r; returns what each rank sent to this one. The text to itself is returned
    /// too. REQUIRES: size() texts.
    std::vector<std::string> exchange(std::vector<std::string> to);
    /// The texts of all ranks, by rank, on each of them.
    std::vector<std::string> gather(std::string text);
    /// The text of one rank, on each of them; the texts of the remaining ranks are dropped.
    std::string broadcast(int from, std::string text);

    /// Returns at once. REQUIRES: another rank.
    void send(int to, std::string_view text);
    /// The next text of a rank; waits for it. REQUIRES: another rank.
    std::string receive(int from);

    /// Tells all other ranks that this rank leaves because of the exception that is being handled. Each of
    /// them throws as soon as it waits for a message.
    void fail() noexcept;

  private:
    void send_to_others(std::string_view text);
    void receive_from_others(std::vector<std::string>& texts);
    void send_error(char tag, std::string_view text);

    Team& team_;
    int rank_;
    int size_;
    std::size_t piece_bytes_;
    std::vector<std::deque<std::string>> arrived_;  // by sender: pieces of texts that were not requested yet
};

/// Whether this is the rank that reads files, saves and reports: rank 0, or the only process.
inline bool leads(const Collectives* ranks) noexcept { return ranks == nullptr || ranks->rank() == 0; }

/// The result of work(). An exception in it ends the work of all ranks.
template <class Work>
auto together(Collectives* ranks, Work&& work) {
    try {
        return work();
    } catch (...) {
        if (ranks != nullptr) ranks->fail();
        throw;
    }
}

/// The values of all ranks, by rank, on each of them.
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

/// The result of work() on rank 0, for all ranks; only rank 0 calls it. For work that is not divided, and for
/// results that depend on the clock or on an interrupt of one rank.
template <class Work>
std::invoke_result_t<Work&> value_of_first(Collectives* ranks, Work&& work) {
    if (ranks == nullptr) return work();
    ByteWriter writer;
    if (ranks->rank() == 0) writer.put(work());
    const std::string text = ranks->broadcast(0, std::move(writer).take());
    return ByteReader(text).get<std::invoke_result_t<Work&>>();
}

/// Complete if all ranks can continue, else the reason of the first rank that cannot.
WorkEnd end_of_any(Collectives* ranks, WorkEnd own);

/// The rank that keeps each shard of something that is divided. Each rank has successive shards, and the
/// numbers of shards are nearly equal. So the order of shards is that of ranks.
class ShardOwners {
  public:
    /// More ranks than shards: some have none.
    ShardOwners(std::uint32_t shards, int ranks) noexcept
        : shards_(shards), ranks_(static_cast<std::uint32_t>(ranks)) {}

    std::uint32_t first(int rank) const noexcept {
        return shards_ * static_cast<std::uint32_t>(rank) / ranks_;
    }
    std::uint32_t end(int rank) const noexcept { return first(rank + 1); }
    int owner(std::uint32_t shard) const noexcept {
        return static_cast<int>(((shard + 1) * ranks_ - 1) / shards_);
    }

  private:
    std::uint32_t shards_;
    std::uint32_t ranks_;
};

}  // namespace warpnet::ranks
