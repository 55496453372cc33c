// A Gantt chart with one band per SM. Neighbouring SMs with the same blocks at the same times share a band,
// and many bands are lower, so that the SMs of a large GPU fit on a screen. The simulation knows how many
// threads a block takes on its SM, but not which, so blocks are placed in the lowest free stretch of a band.
// Operations have the colours of the palette in their order: numbers that follow from names gave three
// operations the least distinct colours.

#include "analysis/pictures/plots/gantt_svg.hpp"

#include "analysis/pictures/svg_text.hpp"
#include "engine/base/text.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace warpnet::pictures {
namespace {

constexpr double least_left = 90;
constexpr double most_left = 260;
constexpr double usual_chart_width = 1000;
constexpr double usual_gantt_font_size = 12;
constexpr double title_size = 13;
constexpr double head = 36;  // above the bands: the title
constexpr double foot = 58;  // the axis, its title and the key
constexpr double most_band_height = 160;
constexpr double least_band_height = 24;
constexpr double height_of_bands = 800;  // shared by all of them, within these limits
constexpr double copy_height = 30;
constexpr double lane_height = 24;
constexpr double gap = 20;
constexpr double label_room = 80;     // of each number of the axis
constexpr double least_outlined = 4;  // outlines of smaller blocks would hide their colours
constexpr double block_label_size = 11;

/// The position of threads in the band of their SM: each block in the lowest stretch that is free while it
/// runs. Blocks of mixed sizes may leave holes. A block that fits nowhere is drawn across other blocks, half
/// transparent.
class Band {
  public:
    explicit Band(std::int64_t threads) : threads_(threads) {}

    std::int64_t place(netgen::Time start, netgen::Time end, std::int64_t threads) {
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
        netgen::Time end;
    };
    std::int64_t threads_;
    std::vector<Stretch> busy_;
};

/// Neighbouring SMs with the same blocks at the same times.
struct EqualSms {
    std::size_t first = 0, last = 0;
    std::vector<studies::BlockGroup> groups;  ///< of each

    std::string name() const {
        return first == last ? fmt::format("SM {}", first) : fmt::format("SM {}–{}, each", first, last);
    }
};

std::vector<EqualSms> equal_sms(const netgen::TaskSet& tasks, const studies::RespondResult& result) {
    const std::vector<netgen::StreamingMultiprocessor>& sms = tasks.gpu.sms;
    std::vector<std::vector<studies::BlockGroup>> groups(sms.size());
    for (const studies::BlockGroup& group : result.groups)
        if (group.sm < sms.size()) groups[group.sm].push_back(group);
    const auto equal = [](const studies::BlockGroup& a, const studies::BlockGroup& b) {
        return std::tie(a.job, a.blocks, a.start, a.end) == std::tie(b.job, b.blocks, b.start, b.end);
    };
    std::vector<EqualSms> bands;
    for (std::size_t sm = 0; sm < sms.size(); ++sm) {
        if (!bands.empty() && sms[bands.back().last].threads == sms[sm].threads &&
            std::ranges::equal(bands.back().groups, groups[sm], equal)) {
            bands.back().last = sm;
        } else {
            bands.push_back({sm, sm, std::move(groups[sm])});
        }
    }
    return bands;
}

/// Between labels of the time axis: 1, 2 or 5 times a power of ten, so that there are at most `most` + 1
/// labels.
netgen::Time label_distance(netgen::Time end, netgen::Time most) {
    netgen::Time distance = 1;
    for (int i = 0; end / distance > most; ++i) distance = i % 3 == 1 ? distance / 2 * 5 : distance * 2;
    return distance;
}

/// The unit of the axis labels, as a multiple of the set's unit.
struct LabelUnit {
    std::string name;
    netgen::Time size = 1;
};

/// A longer unit if the distance between labels allows it: 5,000,000 ns become 5 ms. A unit that is a word is
/// in the plural: cycles.
LabelUnit label_unit(const std::string& unit, netgen::Time distance) {
    constexpr std::array<std::string_view, 4> units = {"ns", "us", "ms", "s"};
    const auto at = std::find(units.begin(), units.end(), unit == "µs" ? "us" : std::string_view(unit));
    if (at == units.end()) return {unit.empty() || unit.back() == 's' ? unit : unit + "s"};
    LabelUnit result{std::string(shown_unit(unit))};
    for (auto next = at; next < units.end() && next + 1 < units.end() && distance % 1000 == 0; ++next) {
        distance /= 1000;
        result.size *= 1000;
        result.name = shown_unit(next[1]);
    }
    return result;
}

/// The picture from top to bottom: a band for each SM, for copies and for each CPU core; a lane for each
/// operation with the responses of its jobs; the axis.
class Chart {
  public:
    Chart(const netgen::TaskSet& tasks, const studies::RespondResult& result, const PictureStyle& style)
        : tasks_(tasks),
          result_(result),
          style_(style),
          colours_(style.colours()),
          chart_width_(usual_chart_width / style.scale(usual_gantt_font_size)),
          sms_(equal_sms(tasks, result)),
          band_height_(std::clamp(height_of_bands / static_cast<double>(sms_.size()), least_band_height,
                                  most_band_height)),
          band_gap_(std::min(gap, band_height_ / 6)),
          cores_(netgen::cores_of(tasks)),
          copies_(
              std::any_of(result.groups.begin(), result.groups.end(), [](const studies::BlockGroup& group) {
                  return group.sm == studies::BlockGroup::copy_engine;
              })) {
        left_ = least_left;
        for (const EqualSms& sms : sms_)
            left_ = std::max(left_, 18 + text_width(sms.name(), usual_gantt_font_size));
        for (const netgen::Operation& operation : tasks.operations)
            left_ = std::max(left_, 38 + text_width(operation.name, usual_gantt_font_size));
        left_ = std::min(left_, most_left);
        scale_ = chart_width_ / static_cast<double>(std::max<netgen::Time>(1, result.makespan));
    }

    std::string draw() {
        const double height = axis_top() + foot;
        svg_ = svg_begin(style_, left_ + chart_width_ + 30, height, usual_gantt_font_size);
        svg_ += style_.hatching(tasks_.operations.size());
        draw_title();
        draw_axis();
        draw_bands();
        draw_groups();
        for (std::uint32_t i = 0; i < tasks_.operations.size(); ++i) draw_lane(i);
        draw_key(height - 8);
        return std::move(svg_) + "</svg>\n";
    }

  private:
    double x_of(netgen::Time time) const { return left_ + scale_ * static_cast<double>(time); }
    double band_top(std::size_t band) const {
        return head + static_cast<double>(band) * (band_height_ + band_gap_);
    }
    double copies_top() const { return band_top(sms_.size()) - band_gap_ + gap; }
    double core_top(std::size_t core) const {
        return copies_top() + static_cast<double>(core + (copies_ ? 1 : 0)) * (copy_height + gap);
    }
    double lane_top(std::size_t operation) const {
        return core_top(cores_.size()) + static_cast<double>(operation) * lane_height;
    }
    double axis_top() const { return lane_top(tasks_.operations.size()) + 6; }

    void text(double x, double y, std::string_view said, std::string_view more = "") {
        svg_ += fmt::format("<text x=\"{}\" y=\"{}\"{}>{}</text>\n", x, y, more, svg_text(said));
    }

    /// The size of the set, its makespan and whether deadlines are met.
    void draw_title() {
        const auto late =
            std::ranges::count_if(result_.operations, [](const auto& one) { return !one.met(); });
        const bool deadlines =
            std::ranges::any_of(result_.operations, [](const auto& one) { return one.deadline.has_value(); });
        std::string said =
            fmt::format("{} on {}: makespan {} {}", plural(tasks_.operations.size(), "operation"),
                        plural(tasks_.gpu.sms.size(), "SM"), result_.makespan,
                        result_.makespan == 1 ? tasks_.unit : label_unit(tasks_.unit, 1).name);
        if (late > 0)
            said += fmt::format(", deadlines missed by {} of {}", late,
                                plural(result_.operations.size(), "operation"));
        else if (deadlines)
            said += ", no deadline missed";
        svg_ += fmt::format("<title>{}</title>\n", svg_text(said));
        text(left_, 20, said, fmt::format(" font-size=\"{}\" font-weight=\"bold\"", title_size));
    }

    void draw_bands() {
        for (std::size_t band = 0; band < sms_.size(); ++band) {
            text(8, band_top(band) + band_height_ / 2 + 4, sms_[band].name());
            svg_ += fmt::format(
                "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"{}\"/>\n", left_,
                band_top(band), chart_width_, band_height_, colours_.edge);
        }
        if (copies_) text(8, copies_top() + copy_height / 2, "copy engine");
        for (std::size_t core = 0; core < cores_.size(); ++core)
            text(8, core_top(core) + copy_height / 2, fmt::format("core {}", cores_[core]));
    }

    void draw_groups() {
        for (std::size_t band = 0; band < sms_.size(); ++band) {
            const std::int64_t threads = tasks_.gpu.sms[sms_[band].first].threads;
            Band layout(threads);
            for (const studies::BlockGroup& group : sms_[band].groups) {
                for (std::int64_t block = 0; block < group.blocks; ++block)
                    draw_on_sm(group, threads, band_top(band), layout);
            }
        }
        for (const studies::BlockGroup& group : result_.groups) {
            const studies::JobResponse& job = result_.jobs[group.job];
            if (group.on_core()) {
                draw_block(group, job, core_top(group.sm - studies::BlockGroup::first_core), copy_height);
            } else if (group.sm == studies::BlockGroup::copy_engine) {
                draw_block(group, job, copies_top(), copy_height);
            }
        }
    }

    void draw_on_sm(const studies::BlockGroup& group, std::int64_t of_sm, double top, Band& layout) {
        const studies::JobResponse& job = result_.jobs[group.job];
        const std::int64_t threads =
            netgen::block_demand(tasks_.gpu, tasks_.operations[job.operation]).threads;
        const double scale = band_height_ / static_cast<double>(of_sm);
        const double height = scale * static_cast<double>(threads);
        const auto from = static_cast<double>(layout.place(group.start, group.end, threads));
        draw_block(group, job, top + band_height_ - scale * from - height, height);
    }

    void draw_block(const studies::BlockGroup& group, const studies::JobResponse& job, double top,
                    double height) {
        const double width = scale_ * static_cast<double>(group.end - group.start);
        const std::string& name = tasks_.operations[job.operation].name;
        svg_ += fmt::format(
            "<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" fill=\"{}\" "
            "fill-opacity=\"0.85\"{}><title>{}, job {}: {} to {} {}</title></rect>\n",
            x_of(group.start), top, width, height, style_.area_fill(job.operation),
            std::min(width, height) < least_outlined
                ? std::string()
                : fmt::format(" stroke=\"{}\" stroke-width=\"0.7\"", colours_.ground),
            svg_text(name), job.index + 1, group.start, group.end, svg_text(tasks_.unit));
        if (height >= block_label_size + 3 && text_width(name, block_label_size) + 6 <= width)
            text(x_of(group.start) + width / 2, top + height / 2 + 4, name,
                 fmt::format(" text-anchor=\"middle\" font-size=\"{}\" pointer-events=\"none\" {}",
                             block_label_size, style_.on_area()));
    }

    void draw_axis() {
        const auto most = std::max<netgen::Time>(2, static_cast<netgen::Time>(chart_width_ / label_room));
        const netgen::Time distance = label_distance(result_.makespan, most);
        const LabelUnit unit = label_unit(tasks_.unit, distance);
        for (netgen::Time time = 0; time <= result_.makespan; time += distance) {
            svg_ += fmt::format(
                "<line x1=\"{0}\" y1=\"{1}\" x2=\"{0}\" y2=\"{2}\" stroke=\"{3}\" "
                "stroke-dasharray=\"2,4\"/>",
                x_of(time), head, axis_top(), colours_.faint);
            text(x_of(time), axis_top() + 14, std::to_string(time / unit.size), " text-anchor=\"middle\"");
        }
        std::string said = "time in " + unit.name;
        if (static_cast<std::int64_t>(result_.groups.size()) < result_.group_count)
            said += fmt::format(" (the first {} of {} groups of blocks)", result_.groups.size(),
                                result_.group_count);
        text(left_ + chart_width_ / 2, axis_top() + 32, said, " text-anchor=\"middle\"");
    }

    /// Each job of an operation: released at an arrow upwards, due at an arrow downwards, and in between a
    /// line until it completes, with another colour after its deadline.
    void draw_lane(std::uint32_t number) {
        const netgen::Operation& operation = tasks_.operations[number];
        const double top = lane_top(number), middle = top + lane_height / 2;
        svg_ += fmt::format("<rect x=\"8\" y=\"{}\" width=\"14\" height=\"14\" fill=\"{}\"{}/>\n", middle - 7,
                            style_.area_fill(number), style_.area_edge());
        text(28, middle + 4, shortened_text(operation.name, left_ - 38, usual_gantt_font_size));
        for (const bool late : {false, true})  // what is late lies on top
            for (const studies::JobResponse& job : result_.jobs)
                if (job.operation == number) draw_response(job, operation.deadline, middle, late);
    }

    /// `late`: only what is after the deadline; otherwise the rest.
    void draw_response(const studies::JobResponse& job, std::optional<netgen::Time> relative_deadline,
                       double y, bool late) {
        const netgen::Time end = std::min(job.completion, result_.makespan);
        const netgen::Time deadline = relative_deadline ? job.release + *relative_deadline : end;
        if (late) {
            if (end <= deadline) return;
            line(std::max(deadline, job.release), end, y, colours_.missed, job);
            svg_ += fmt::format(
                "<path class=\"miss\" d=\"M{0:.2f} {1:.2f}l8 8m0 -8l-8 8\" stroke=\"{2}\" "
                "stroke-width=\"2\"/>\n",
                x_of(end) - 4, y - 4, colours_.missed);
            return;
        }
        line(job.release, std::min(end, deadline), y, lane_colour(job.operation), job);
        svg_ += arrow(job.release, y, -1);
        if (relative_deadline && deadline <= result_.makespan) svg_ += arrow(deadline, y, 1);
    }

    /// In print, names distinguish lanes, and hatching marks late jobs.
    std::string lane_colour(std::uint32_t operation) const {
        return style_.theme == PictureTheme::print ? std::string(colours_.faint)
                                                   : style_.line_colour(operation);
    }

    void line(netgen::Time from, netgen::Time to, double y, std::string_view shade,
              const studies::JobResponse& job) {
        svg_ += fmt::format(
            "<line x1=\"{:.2f}\" y1=\"{}\" x2=\"{:.2f}\" y2=\"{}\" stroke=\"{}\" stroke-width=\"5\">"
            "<title>{}, job {}: released {}, completed {} {}, response {}</title></line>\n",
            x_of(from), y, x_of(to), y, shade, svg_text(tasks_.operations[job.operation].name), job.index + 1,
            job.release, job.completion, svg_text(tasks_.unit), job.response());
    }

    /// Up (-1) or down (1), across a lane.
    std::string arrow(netgen::Time time, double y, int direction) const {
        const double half = lane_height / 2 - 3, x = x_of(time), tip = y + direction * half;
        return fmt::format(
            "<path class=\"{0}\" d=\"M{1:.2f} {2:.2f}V{3:.2f}m-3 {4}l3 {5}l3 {4}\" fill=\"none\" "
            "stroke=\"{6}\"/>\n",
            direction < 0 ? "release" : "deadline", x, y - direction * half, tip, -direction * 5,
            direction * 5, colours_.ink);
    }

    void draw_key(double y) {
        const bool deadlines =
            std::any_of(tasks_.operations.begin(), tasks_.operations.end(),
                        [](const netgen::Operation& operation) { return operation.deadline; });
        text(left_, y,
             std::string("Height of a block: its threads. ↑ release, line: response") +
                 (deadlines ? ", ↓ deadline, red line and ✕: after the deadline" : ""),
             fmt::format(" font-size=\"11\" fill=\"{}\"", colours_.soft));
    }

    const netgen::TaskSet& tasks_;
    const studies::RespondResult& result_;
    const PictureStyle& style_;
    const PictureColours& colours_;
    const double chart_width_;
    const std::vector<EqualSms> sms_;
    const double band_height_, band_gap_;
    std::vector<std::int64_t> cores_;
    bool copies_;
    double left_ = 0;
    double scale_ = 1;
    std::string svg_;
};

}  // namespace

std::string gantt_svg(const netgen::TaskSet& tasks, const studies::RespondResult& result,
                      const PictureStyle& style) {
    return Chart(tasks, result, style).draw();
}

}  // namespace warpnet::pictures
