#pragma once

#include "engine/run/run.hpp"
#include "netgen/blocks/blocks.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace warpnet::testing {

/// Per operation the steps at which its done place got tokens, one entry a job.
class BlockCompletions : public Observer {
  public:
    explicit BlockCompletions(const BlocksNet& blocks) : times(blocks.done.size()), blocks_(blocks) {}

    void step(std::uint64_t number, bool, std::span<const Firing>, std::span<const Tokens> marking) override {
        for (std::size_t i = 0; i < times.size(); ++i)
            while (static_cast<Tokens>(times[i].size()) < marking[index(blocks_.done[i])])
                times[i].push_back(static_cast<Time>(number));
    }

    std::vector<std::vector<Time>> times;

  private:
    const BlocksNet& blocks_;
};

}  // namespace warpnet::testing
