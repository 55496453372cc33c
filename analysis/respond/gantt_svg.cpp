#include "analysis/respond/gantt_svg.hpp"

#include "analysis/pictures/svg_text.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include <fmt/format.h>

namespace warpnet {
namespace {

constexpr double left = 90;
constexpr double chart_width = 1000;
constexpr double band_height = 160;
constexpr double copy_height = 30;
constexpr double gap = 20;

/// Neighbouring numbers get distant hues.
std::string colour(std::uint32_t operation) {
    return fmt::format("hsl({:.0f},65%,65%)",
                       static_cast<double>(operation) * 137.508 -
                           360.0 * static_cast<int>(static_cast<double>(operation) * 137.508 / 360));
}

/// Where the threads of an SM go in its band: each block to the lowest stretch that is free while it runs.
/// Blocks of mixed sizes may leave holes; then a block is drawn across what lies there, half transparent.
class Band {
  public:
    explicit Band(std::int64_t threads) : threads_(threads) {}

    std::int64_t place(Time start, Time end, std::int64_t threads) {
        std::erase_if(busy_, [&](const Stretch& stretch) { return stretch.end <= start; });
        std::int64_t lowest = 0;
        for (const Stretch& stretch : busy_) {  // by position
            if (stretch.from >= lowest + threads) break;
            lowest = std::max(lowest, stretch.from + stretch.threads);
        }
        lowest = std::clamp<std::int64_t>(lowest, 0, std::max<std::int64_t>(0, threads_ - threads));
        const auto place = std::find_if(busy_.begin(), busy_.end(),
                                        [&](const Stretch& stretch) { return stretch.from > lowest; });
        busy_.insert(place, {lowest, threads, end});
        return lowest;
    }

  private:
    struct Stretch {
        std::int64_t from;
        std::int64_t threads;
        Time end;
    };
    std::int64_t threads_;
    std::vector<Stretch> busy_;
};

/// Between labels of the time axis: 1, 2 or 5 times a power of ten, so that there are at most 13.
Time label_distance(Time end) {
    Time distance = 1;
    for (int i = 0; end / distance > 12; ++i) distance = i % 3 == 1 ? distance / 2 * 5 : distance * 2;
    return distance;
}

}  // namespace

std::string gantt_svg(const TaskSet& tasks, const RespondResult& result) {
    const std::size_t sms = tasks.gpu.sms.size();
    const bool copies = std::any_of(result.groups.begin(), result.groups.end(), [](const BlockGroup& group) {
        return group.sm == BlockGroup::copy_engine;
    });
    const std::vector<std::int64_t> cores = cores_of(tasks);
    const double bands = static_cast<double>(sms) * (band_height + gap);
    const double core_bands = 30 + bands + (copies ? copy_height + gap : 0);  // where they begin
    const double height = core_bands + static_cast<double>(cores.size()) * (copy_height + gap) + 30 +
                          20 * static_cast<double>(tasks.operations.size());
    const double scale = chart_width / static_cast<double>(std::max<Time>(1, result.makespan));
    std::string svg = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
        "font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" "
        "fill=\"white\"/>\n",
        left + chart_width + 30, height);
    for (std::size_t sm = 0; sm < sms; ++sm) {
        const double top = 30 + static_cast<double>(sm) * (band_height + gap);
        svg += fmt::format(
            "<text x=\"8\" y=\"{}\">SM {}</text><rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" "
            "fill=\"none\" stroke=\"#999\"/>\n",
            top + band_height / 2, sm, left, top, chart_width, band_height);
    }
    if (copies)
        svg += fmt::format("<text x=\"8\" y=\"{}\">copy engine</text>\n", 30 + bands + copy_height / 2);
    for (std::size_t core = 0; core < cores.size(); ++core)
        svg += fmt::format("<text x=\"8\" y=\"{}\">core {}</text>\n",
                           core_bands + static_cast<double>(core) * (copy_height + gap) + copy_height / 2,
                           cores[core]);

    std::vector<Band> layout;
    for (const StreamingMultiprocessor& sm : tasks.gpu.sms) layout.emplace_back(sm.threads);
    for (const BlockGroup& group : result.groups) {
        const JobResponse& job = result.jobs[group.job];
        const bool on_sm = group.sm < BlockGroup::first_core;
        for (std::int64_t block = 0; block < group.blocks; ++block) {
            double top = 30 + bands;
            double block_height = copy_height;
            if (group.on_core()) top = core_bands + (group.sm - BlockGroup::first_core) * (copy_height + gap);
            if (on_sm) {
                const auto all = static_cast<double>(tasks.gpu.sms[group.sm].threads);
                const std::int64_t threads = block_demand(tasks.gpu, tasks.operations[job.operation]).threads;
                const std::int64_t from = layout[group.sm].place(group.start, group.end, threads);
                block_height = band_height * static_cast<double>(threads) / all;
                top = 30 + static_cast<double>(group.sm) * (band_height + gap) + band_height -
                      band_height * static_cast<double>(from) / all - block_height;
            }
            svg += fmt::format(
                "<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" fill=\"{}\" "
                "fill-opacity=\"0.8\" "
                "stroke=\"#333\" stroke-width=\"0.5\"><title>{}, job {}: {} to {} {}</title></rect>\n",
                left + scale * static_cast<double>(group.start), top,
                scale * static_cast<double>(group.end - group.start), block_height, colour(job.operation),
                svg_text(tasks.operations[job.operation].name), job.index + 1, group.start, group.end,
                svg_text(tasks.unit));
        }
    }
    const double axis = height - 20 * static_cast<double>(tasks.operations.size()) - 12;
    const Time distance = label_distance(result.makespan);
    for (Time time = 0; time <= result.makespan; time += distance) {
        const double x = left + scale * static_cast<double>(time);
        svg += fmt::format(
            "<line x1=\"{0}\" y1=\"30\" x2=\"{0}\" y2=\"{1}\" stroke=\"#ccc\" stroke-dasharray=\"2,4\"/>"
            "<text x=\"{0}\" y=\"{2}\" text-anchor=\"middle\">{3}</text>\n",
            x, axis - 12, axis, time);
    }
    svg += fmt::format(
        "<text x=\"{}\" y=\"16\">time in {}{}</text>\n", left, svg_text(tasks.unit),
        static_cast<std::int64_t>(result.groups.size()) < result.group_count
            ? fmt::format(" (the first {} of {} groups of blocks)", result.groups.size(), result.group_count)
            : std::string());
    for (std::uint32_t i = 0; i < tasks.operations.size(); ++i) {
        const double y = axis + 8 + 20 * i;
        svg += fmt::format(
            "<rect x=\"{}\" y=\"{}\" width=\"14\" height=\"14\" fill=\"{}\"/><text x=\"{}\" "
            "y=\"{}\">{}</text>\n",
            left, y, colour(i), left + 20, y + 12, svg_text(tasks.operations[i].name));
    }
    return svg + "</svg>\n";
}

}  // namespace warpnet
