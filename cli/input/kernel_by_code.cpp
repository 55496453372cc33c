// The block time of a kernel from its certificate. The model of blocks gives each block a fixed time. A
// kernel alone on a GPU takes this time once per round of blocks on the busiest SM. So the certified time of
// the whole launch divided by the rounds is a block time with which no kernel alone ends too early. The
// answer lists one assumption: blocks of other kernels on the same SM delay a block no more than blocks of
// its own kernel do.

#include "cli/input/kernel_by_code.hpp"

#include "engine/input/input_file.hpp"
#include "engine/input/json.hpp"
#include "engine/input/parse_json.hpp"
#include "engine/net/error.hpp"

#include <filesystem>
#include <functional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace warpnet::cli {

namespace {

namespace fs = std::filesystem;

std::string in_folder_of(const std::string& source, const std::string& file) {
    const fs::path path = fs::path(source).parent_path() / file;
    return fs::path(file).is_relative() && fs::exists(path) ? path.string() : file;
}

/// A text, or a whole number as a text.
std::string text_of(const JsonValue& value) {
    return value.is_number() ? std::to_string(value.integer()) : value.text();
}

/// Calls `parse` with the text of a member, if there is one. A UsageError names the member.
void take(const JsonValue& kernel, const char* member, const std::function<void(const std::string&)>& parse) {
    const auto value = kernel.find(member);
    if (!value) return;
    try {
        parse(text_of(*value));
    } catch (const UsageError& error) {
        throw InputError(fmt::format("{}: {}", value->where(), error.what()));
    }
}

std::vector<studies::Assumption> with_neighbours(std::vector<studies::Assumption> assumptions) {
    std::erase_if(assumptions, [](const studies::Assumption& one) { return one.about == "alone"; });
    assumptions.push_back(
        {"alone", "blocks of other kernels on an SM delay a block no more than those of its own"});
    return assumptions;
}

std::int64_t rounds_of(std::int64_t blocks, std::int64_t resident) { return (blocks - 1) / resident + 1; }

PredictInput input_of(const JsonValue& kernel, const std::string& source, const std::string& device,
                      const PredictInput* of_all) {
    PredictInput asked = of_all != nullptr ? *of_all : PredictInput{};
    netgen::PtxInput& ptx = asked.input.ptx;
    ptx.file = in_folder_of(source, kernel.at("ptx").text());
    asked.input.device.name = kernel.text_or("device", device);
    if (asked.input.device.name.empty())
        kernel.at("ptx").fail("a \"device\" of the kernel or of \"gpu\", whose time is certified");
    ptx.kernel = kernel.text_or("kernel", "");
    take(kernel, "grid", [&](const std::string& text) { netgen::parse_grid(text, ptx.options); });
    take(kernel, "block", [&](const std::string& text) { netgen::parse_block(text, ptx.options); });
    take(kernel, "param", [&](const std::string& text) { netgen::parse_params(text, ptx.options); });
    take(kernel, "trips", [&](const std::string& text) { netgen::parse_trips(text, ptx.options); });
    take(kernel, "taken", [&](const std::string& text) { netgen::parse_shares(text, ptx.options); });
    take(kernel, "margin", [&](const std::string& text) { asked.margins = studies::parse_margins(text); });
    if (const auto paths = kernel.find("paths")) {
        if (paths->text() != "all" && paths->text() != "longest") paths->fail("\"all\" or \"longest\"");
        ptx.options.paths = paths->text() == "all" ? netgen::PtxPaths::all_sides : netgen::PtxPaths::longest;
    }
    if (const auto dispatcher = kernel.find("dispatcher")) {
        if (dispatcher->text() != "in-order" && dispatcher->text() != "any")
            dispatcher->fail("\"in-order\" or \"any\"");
        asked.options.dispatcher =
            dispatcher->text() == "any" ? studies::Dispatcher::any : studies::Dispatcher::in_order;
    }
    for (const auto& [member, field] :
         {std::pair("registers", "registers"), std::pair("shared", "shared_bytes")})
        if (const auto value = kernel.find(member))
            asked.input.fields.emplace_back(field, static_cast<double>(value->integer(0, 1 << 30)));
    for (const char* const shape : {"grid", "block"})
        if (!kernel.has(shape))
            kernel.at("ptx").fail(fmt::format("\"{}\" next to it, the shape of the launch", shape));
    asked.options.worst = true;
    return asked;
}

netgen::KernelByCode kernel_of_ptx(const JsonValue& kernel, const std::string& name,
                                   const PredictInput& asked, std::vector<CertifiedKernel>& certified) {
    std::vector<studies::PredictedLaunch> predicted = asked.predictions({asked.input.launch()});
    const studies::PredictedLaunch& launch = predicted.front();
    const studies::SmPrediction& prediction = launch.prediction;
    if (!prediction.worst) kernel.at("ptx").fail("a kernel of which a bound is proved");
    if (!launch.uncounted.empty())
        kernel.at("ptx").fail(fmt::format("a kernel whose work is all counted; its net leaves out {}",
                                          fmt::join(launch.uncounted, "; ")));
    certified.push_back({name, asked.input.device.device().name, prediction.worst->us,
                         rounds_of(prediction.blocks, prediction.resident),
                         with_neighbours(launch.assumptions)});
    return {launch.kernel.blocks, launch.kernel.threads, launch.kernel.shared_bytes, launch.kernel.registers,
            certified.back().block_us()};
}

netgen::KernelByCode kernel_of_prediction(const JsonValue& kernel, const std::string& name,
                                          const std::string& source,
                                          std::vector<CertifiedKernel>& certified) {
    const std::string file = in_folder_of(source, kernel.at("predict").text());
    try {
        const auto json = parse_json(read_text(file), file);
        CertifiedKernel one{name,
                            json.at("device"),
                            json.at("worst").at("us"),
                            rounds_of(json.at("blocks_per_sm"), json.at("resident_blocks")),
                            {}};
        if (!json.at("worst").at("certified").get<bool>())
            kernel.at("predict").fail("the prediction of a kernel whose work is all counted");
        for (const auto& assumption : json.at("worst").at("assumptions"))
            one.assumptions.push_back({assumption.at("about"), assumption.at("text")});
        one.assumptions = with_neighbours(std::move(one.assumptions));
        certified.push_back(std::move(one));
        return {json.at("blocks"), json.at("threads"), json.at("shared_bytes"), json.at("registers"),
                certified.back().block_us()};
    } catch (const nlohmann::json::exception& error) {
        throw InputError(fmt::format("{}: expected what 'predict --worst --json' prints of one kernel: {}",
                                     file, json_fault(error)));
    }
}

}  // namespace

netgen::KernelByCodeReader certified_kernels(const std::string& source, const PredictInput* of_all,
                                             std::vector<CertifiedKernel>& certified) {
    return [source, of_all, &certified](const JsonValue& kernel, const std::string& name,
                                        const std::string& device) {
        if (kernel.has("ptx"))
            return kernel_of_ptx(kernel, name, input_of(kernel, source, device, of_all), certified);
        if (of_all != nullptr)
            kernel.at("predict").fail("\"ptx\", of which --dispatcher and --margin make a certificate");
        return kernel_of_prediction(kernel, name, source, certified);
    };
}

}  // namespace warpnet::cli
