#include "cli/report/predict_report.hpp"

#include "engine/base/text.hpp"
#include "engine/input/csv.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace warpnet::cli {

namespace {

std::string one_text(const Device& device, const PredictedLaunch& launch) {
    const KernelProfile& kernel = launch.kernel;
    const SmPrediction& prediction = launch.prediction;
    std::string text =
        fmt::format("{} on {}: {} of {}{}, {} of them on the busiest SM, {} at a time\n\n", kernel.name,
                    device.name, plural(static_cast<std::uint64_t>(kernel.blocks), "block"),
                    plural(static_cast<std::uint64_t>(kernel.threads), "thread"),
                    launch.assumed.empty()       ? ""
                    : launch.assumed.size() == 2 ? " (assumed)"
                                                 : fmt::format(" ({} assumed)", launch.assumed.front()),
                    prediction.blocks, prediction.resident);
    text += fmt::format("  predicted   {:10.3f} us   {:.3f} to {:.3f} over the seeds{}\n", prediction.us,
                        prediction.low_us, prediction.high_us,
                        prediction.traffic ? "; the DRAM traffic of the whole kernel" : "");
    text += fmt::format("  closed form {:10.3f} us   limited by {}\n", prediction.closed.us,
                        to_string(prediction.closed.binding));
    text += fmt::format("  net         {:10.0f} {} of {}{}\n\n", prediction.steps,
                        prediction.steps == 1 ? "step" : "steps",
                        plural(static_cast<std::uint64_t>(prediction.step_cycles), "cycle"),
                        prediction.extrapolated ? ", extrapolated from the steady state" : "");
    text += "  each limit alone, us:\n";
    for (std::size_t i = 0; i < sm_bound_count; ++i) {
        if (prediction.closed.cycles[i] <= 0) continue;
        text += fmt::format("    {:<12} {:10.3f}\n", to_string(static_cast<SmBound>(i)),
                            prediction.closed.cycles[i] / device.at("clock_mhz"));
    }
    for (const std::string& reason : prediction.outside)
        text += fmt::format("  outside what this model can know: {}\n", reason);
    const auto unverified = unverified_facts(device);
    if (!unverified.empty())
        text += fmt::format("  not verified for {}: {}\n", device.name, fmt::join(unverified, ", "));
    return text;
}

}  // namespace

std::string predict_text(const Device& device, const std::vector<PredictedLaunch>& launches) {
    if (launches.size() == 1 && launches.front().launches == 1) return one_text(device, launches.front());
    std::string text = fmt::format("{:<52} {:>9} {:>12} {:>13}  {}\n", "kernels on " + device.name,
                                   "launches", "us a launch", "us in all", "limited by");
    bool outside = false;
    for (const PredictedLaunch& launch : launches) {
        std::string name = launch.kernel.name;
        if (name.size() > 52) name = name.substr(name.size() - 52);
        text += fmt::format("{:<52} {:>9} {:>12.3f} {:>13.3f}  {}{}\n", name, launch.launches,
                            launch.prediction.us, launch.prediction.us * static_cast<double>(launch.launches),
                            to_string(launch.prediction.closed.binding),
                            launch.prediction.outside.empty() ? "" : " *");
        outside |= !launch.prediction.outside.empty();
    }
    text += fmt::format("{:<52} {:>9} {:>12} {:>13.3f}\n", "all, one after the other", "", "",
                        total_us(launches));
    if (outside) text += "* outside what this model can know ('warpnet predict --row' says why)\n";
    return text;
}

}  // namespace warpnet::cli
