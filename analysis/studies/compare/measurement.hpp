#pragma once

#include "analysis/studies/predict/predict.hpp"
#include "engine/base/progress_hook.hpp"
#include "netgen/warps/warps.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpnet {

/// A measured kernel and what a model may know of it.
struct Measurement {
    std::string kernel;    ///< what people read: name and launch shape
    std::string function;  ///< launches of one function are left out together
    double measured = 0;   ///< time of one launch, in the unit of the whole comparison
    std::int64_t launches = 1;
    std::optional<WarpCounts> counts = {};  ///< of a warp; with `warps`: what the family `warps` needs
    std::int64_t warps = 1;                 ///< on the SM
    std::optional<KernelProfile> profile = {};
    /// The shortest and the longest of the launches that were timed; both 0 where only `measured` is known.
    double least = 0, most = 0;
    double mean = 0;                     ///< of the launches; 0: only `measured` is known
    double clock_mhz = 0;                ///< of the run; 0: not known
    std::string_view clock_source = {};  ///< what says so
    /// Of one launch, summed over the SMs, as a profiler counts them; 0: not known.
    double elapsed_cycles = 0;
};

enum class ModelFamily : std::uint8_t {
    sm,           ///< the net of netgen/sm/sm.hpp, in microseconds
    warps,        ///< the net of [Gogolinska17]: steps, which need a scale
    closed_form,  ///< sm_closed_form()
    throughput,   ///< throughput_estimate()
};
inline constexpr std::size_t model_family_count = 4;

struct CompareOptions {
    std::vector<ModelFamily> families = {ModelFamily::sm};
    /// Of the measured values: "us" or "cycles". With a device cycles become microseconds by its clock, which
    /// the families predict.
    std::string unit = "us";
    std::optional<SmDevice> device = {};  ///< needed by all families but `warps` of plain counts
    SmPredictOptions predict;
    /// The times lie between two events: `event_us` of the device is part of them.
    bool between_events = false;
    /// The clock of the runs; absent: what the measurements say, else that of the device.
    std::optional<double> clock_mhz = {};
    Tokens schedulers = 4;  ///< of the family `warps`; with a device: those of the device
    Tokens shared_latency = 2;
    Tokens global_latency = 20;
    std::uint64_t resamples = 2000;
    ProgressHook progress = {};  ///< of the measurements
};

}  // namespace warpnet
