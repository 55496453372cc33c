// A kernel in PTX, launched on a preset of a GPU: its predicted time, the time that no run of its model
// exceeds, and the longest run of the warps that an SM holds, in steps of the family `warps`.
//   ./launch vector_add.O3.sm_80.ptx
#include <iostream>

#include <warpnet/devices.hpp>
#include <warpnet/predict.hpp>
#include <warpnet/ptx.hpp>
#include <warpnet/worst.hpp>

using namespace warpnet;

int main(int argc, char** argv) {
    if (argc != 2) {
        std::cerr << "usage: launch FILE.ptx\n";
        return 2;
    }
    PtxInput code{.file = argv[1]};
    code.options.launch = {.params = {{"3", 16'384}}, .grid = {64, 1, 1}, .block = {256, 1, 1}};
    const PtxReport report = ptx_report_of(read_code_file(code.file), code);
    KernelLaunch launch{launch_profile_of(code, report).value()};
    if (PtxReport longest = report; take_longest_warp(longest.profile))
        launch.longest = launch_profile_of(code, longest);

    const DeviceInput device{.name = "JetsonOrin"};
    const PredictedLaunch time = predict_launches(device, {launch}, {.worst = true}).at(0);

    WarpsSpec warps;
    add_warps(counted_kernel(launch.kernel), launch_on_sm(launch.kernel, device.sm()), warps);
    const WorstCase worst = worst_case(warps, {.search = false});

    for (const std::string& warning : warnings_of(report)) std::cerr << warning << '\n';
    std::cout << launch.kernel.name << ": " << time.prediction.us << " us predicted, never more than "
              << time.prediction.worst->us << " us; " << warps.warps.size() << " warps take at most "
              << *worst.bound << " steps\n";
    for (const auto& assumption : time.assumptions)
        std::cout << "  assumed: " << assumption.about << ": " << assumption.text << '\n';
    return time.prediction.us <= time.prediction.worst->us ? 0 : 1;
}
