#pragma once

#include "engine/run/run.hpp"
#include "netgen/blocks/blocks.hpp"
#include "netgen/blocks/task_set.hpp"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace warpnet::testing {

/// One case of vectors/blocks.json as a task set, with the whole JSON entry, which has the independent
/// answers.
struct BlockCase {
    std::string id;
    std::string kind;
    netgen::TaskSet tasks;
    nlohmann::json expected;
};

/// `gmax` interchangeable block slots as one SM.
inline netgen::Gpu flat_gpu(std::int64_t gmax) {
    netgen::Gpu gpu;
    gpu.warp_size = 1;
    gpu.sms = {{gmax, gmax, 0, 0}};
    return gpu;
}

inline netgen::Operation flat_kernel(std::size_t number, netgen::Time time, std::int64_t blocks,
                                     netgen::Time release = 0) {
    netgen::Operation kernel;
    kernel.name = std::string("k").append(std::to_string(number));
    kernel.blocks = blocks;
    kernel.time = time;
    kernel.release = release;
    return kernel;
}

inline netgen::TaskSet flat_tasks(std::int64_t gmax,
                                  const std::vector<std::pair<netgen::Time, std::int64_t>>& time_and_blocks) {
    netgen::TaskSet tasks;
    tasks.gpu = flat_gpu(gmax);
    for (const auto& [time, blocks] : time_and_blocks)
        tasks.operations.push_back(flat_kernel(tasks.operations.size() + 1, time, blocks));
    return tasks;
}

inline BlockCase block_case(const nlohmann::json& entry) {
    BlockCase result{entry["id"], entry["kind"], {}, entry};
    netgen::TaskSet& tasks = result.tasks;
    if (entry.contains("gmax")) tasks.gpu = flat_gpu(entry["gmax"]);
    if (entry.contains("kernels"))
        for (const auto& kernel : entry["kernels"])
            tasks.operations.push_back(
                flat_kernel(tasks.operations.size() + 1, kernel["C"], kernel["g"], kernel["r"]));
    if (entry.contains("tasks"))
        for (const auto& task : entry["tasks"]) {
            tasks.operations.push_back(flat_kernel(tasks.operations.size() + 1, task["C"], task["g"]));
            tasks.operations.back().period = task["T"].get<netgen::Time>();
            tasks.operations.back().deadline = tasks.operations.back().period;
        }
    if (entry.contains("ops")) {
        tasks.gpu.warp_size = 1;
        tasks.gpu.sms.clear();
        for (const auto& sm : entry["sms"])
            tasks.gpu.sms.push_back({sm["threads"], sm["max_blocks"], sm["smem"], 65536});
        for (const auto& op : entry["ops"]) {
            netgen::Operation operation;
            operation.name = std::string("k").append(std::to_string(tasks.operations.size() + 1));
            operation.time = op["C"];
            operation.release = op["release"];
            operation.stream = op["stream"].get<std::int64_t>();
            for (const auto& stream : entry["streams"])
                if (stream["id"] == op["stream"]) operation.priority = stream["priority"];
            if (op["kind"] == "C") {
                operation.kind = netgen::OperationKind::copy;
            } else {
                operation.blocks = op["blocks"];
                operation.threads = op["threads"];
                operation.shared = op["smem"];
            }
            tasks.operations.push_back(operation);
        }
    }
    return result;
}

inline std::vector<BlockCase> block_cases(const std::filesystem::path& file) {
    std::ifstream stream(file);
    const nlohmann::json document = nlohmann::json::parse(stream);
    std::vector<BlockCase> cases;
    for (const auto& entry : document["cases"]) cases.push_back(block_case(entry));
    return cases;
}

/// Per operation the steps at which its done place received tokens, one entry per job.
class BlockCompletions : public Observer {
  public:
    explicit BlockCompletions(const netgen::BlocksNet& blocks) : times(blocks.done.size()), blocks_(blocks) {}

    void step(std::uint64_t number, bool, std::span<const Firing>, std::span<const Tokens> marking) override {
        for (std::size_t i = 0; i < times.size(); ++i)
            while (static_cast<Tokens>(times[i].size()) < marking[index(blocks_.done[i])])
                times[i].push_back(static_cast<netgen::Time>(number));
    }

    std::vector<std::vector<netgen::Time>> times;

  private:
    const netgen::BlocksNet& blocks_;
};

}  // namespace warpnet::testing
