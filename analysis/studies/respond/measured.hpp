#pragma once

#include "analysis/studies/respond/respond.hpp"
#include "netgen/blocks/scheduling_examiner.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpnet::studies {

struct MeasuredBlockOptions {
    netgen::SmPolicy policy = netgen::SmPolicy::most_free;
    /// Two measured times closer than this count as one instant (the TX2's timer advances by about 1 us).
    netgen::Time tolerance = 10'000;
};

/// One block, predicted and measured; the k-th to start of its kernel in either. Times in nanoseconds,
/// measured ones less the offset.
struct BlockComparison {
    std::uint32_t operation = 0;
    netgen::Time predicted_start = 0, predicted_end = 0;
    netgen::Time measured_start = 0, measured_end = 0;
    std::uint32_t predicted_sm = 0;
    std::optional<std::int64_t> measured_sm = {};
};

/// Predicted and measured completion of an operation, in ns.
struct OperationComparison {
    netgen::Time predicted_completion = 0;
    netgen::Time measured_completion = 0;  ///< as logged, offset included
    /// (measured - predicted) / predicted: as logged, and less the offset.
    double error = 0;
    double error_less_offset = 0;
};

struct MeasuredComparison {
    std::vector<std::uint32_t> launch_order;  ///< positions in the configuration, as the log shows it
    /// From the log's zero to the first block: the time that set-up and the first launch took. The prediction
    /// starts at the first block.
    netgen::Time offset = 0;
    std::vector<OperationComparison> operations;  ///< in the order of the configuration
    std::vector<BlockComparison> blocks;          ///< by measured start
    double max_error = 0;                         ///< largest magnitude over the operations
    double max_error_less_offset = 0;
    std::vector<std::string> violations;  ///< of the scheduler's rules, seen in the log, in words
    std::vector<std::string> notes;       ///< further inconsistencies
    RespondResult predicted;  ///< for the launch order of the log; its operations are in that order
};

/// Predicts the schedule of a configuration, in the launch order that the logs show, and compares it with
/// them. Checks on the log alone: threads, shared memory, registers and block slots of each SM (R1-R3), one
/// kernel after the other within a stream (G4) and within an execution-engine queue (X1, G3), higher
/// priorities first (A2).
///
/// Throws InputError if logs and benchmarks do not match one to one: by label, then by the number of
/// kernels and blocks; or if a launch waits for kernels before it.
MeasuredComparison compare_measured(const netgen::ExaminerConfig& config,
                                    const std::vector<netgen::MeasuredLog>& logs,
                                    const MeasuredBlockOptions& options = {});

}  // namespace warpnet::studies
