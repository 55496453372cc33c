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
    const KernelProfile kernel = launch_profile_of(code, report).value();

    const SmDevice device = sm_device(preset_devices().at("JetsonOrin"));
    SmPredictOptions options;
    options.worst = true;
    if (PtxReport longest = report; take_longest_warp(longest.profile))
        options.worst_kernel = launch_profile_of(code, longest);
    const SmPrediction time = predict_sm(device, kernel, options).value();

    WarpsSpec warps;
    add_warps(counted_kernel(kernel), launch_on_sm(kernel, device), warps);
    const WorstCase worst = worst_case(warps, {.search = false});

    for (const std::string& warning : warnings_of(report)) std::cerr << warning << '\n';
    std::cout << kernel.name << ": " << time.us << " us predicted, never more than " << time.worst->us
              << " us; " << warps.warps.size() << " warps take at most " << *worst.bound << " steps\n";
    return time.us <= time.worst->us ? 0 : 1;
}
