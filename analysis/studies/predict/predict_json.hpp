#pragma once

#include "analysis/studies/predict/predict.hpp"
#include "analysis/worst/bounds/step_bound.hpp"
#include "netgen/code/ptx/report.hpp"
#include "netgen/sm/presets.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace warpnet::studies {

/// A kernel of a program, and how it is launched.
struct KernelLaunch {
    netgen::KernelProfile kernel;
    std::int64_t launches = 1;
    std::vector<std::string> assumed = {};  ///< missing facts of the launch: "blocks", "threads"
    /// The kernel with the longest warps, which a certificate is for; absent if the warps are alike, or if
    /// this is unknown.
    std::optional<netgen::KernelProfile> longest = {};
    std::optional<netgen::PtxPaths> paths = {};  ///< that the counts are of, if they come from code
    bool alike = false;                          ///< the warps are known to execute the same counts
    std::string trips = {};                      ///< of loops, as they were given instead of proved
    /// Why a bound of the net is no certificate of the kernel, besides KernelProfile::uncounted; empty: it is
    /// one.
    std::vector<std::string> uncounted = {};
};

/// A launch with its predicted time. `uncounted` includes that of its kernel.
struct PredictedLaunch : KernelLaunch {
    SmPrediction prediction = {};
    std::vector<Assumption> assumptions = {};  ///< of the certificate, if there is one
    /// Of the certificate, if a deadline is given.
    std::optional<double> deadline_us = {};
    /// Never `certified` if something is uncounted. REQUIRES: deadline_us.
    worst::DeadlineVerdict verdict() const;
};

/// The time of all launches in succession.
double total_us(const std::vector<PredictedLaunch>& launches);

/// Whether any of them has a certified worst case (SmPredictOptions::worst).
bool has_worst_case(const std::vector<PredictedLaunch>& launches);

/// The unverified facts of the device that the family `sm` uses.
std::vector<std::string> unverified_facts(const netgen::Device& device);

/// [{about, text}, …]
nlohmann::ordered_json assumptions_json(const std::vector<Assumption>& assumptions);

/// Everything about one kernel that is launched once; otherwise {device, total_us, kernels: [each with
/// launches]}.
nlohmann::ordered_json to_json(const netgen::Device& device, const std::vector<PredictedLaunch>& launches);

}  // namespace warpnet::studies
