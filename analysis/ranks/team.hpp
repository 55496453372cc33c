#pragma once

#include <optional>
#include <string>

namespace warpnet {

/// A message and the rank that sent it.
struct TeamMessage {
    int from = 0;
    std::string text;
};

/// Processes that work on one thing together, numbered by rank from 0, and talk by messages. What they
/// compute never depends on how many there are. An implementation is used by one thread at a time.
class Team {
  public:
    virtual ~Team() = default;

    virtual int rank() const = 0;
    virtual int size() const = 0;
    /// Returns at once. Messages from one rank to another arrive in their order. An empty one means that the
    /// sender has left, and is sent by implementations alone.
    virtual void send(int to, std::string message) = 0;
    /// The next message that has arrived, whoever sent it; nothing where none has. Returns at once.
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

}  // namespace warpnet
