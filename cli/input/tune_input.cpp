// The space of launches of `predict --tune`: all combinations of axes, or the rows of a table. Each launch is
// the flags of the command with some values replaced, so an axis can replace any flag. Names of axes follow
// the conventions of auto-tuners, such as block_size_x. Launches that the device rejects are left out and
// named. A space has at most 10,000 launches.

#include "cli/input/tune_input.hpp"

#include "analysis/studies/files/table.hpp"
#include "cli/input/swept_range.hpp"
#include "cli/output/notes.hpp"
#include "engine/base/round_up.hpp"
#include "engine/base/text.hpp"
#include "engine/input/flag_items.hpp"
#include "engine/input/input_file.hpp"
#include "engine/net/error.hpp"
#include "netgen/sm/kernel_metrics.hpp"

#include <algorithm>
#include <atomic>
#include <cctype>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace warpnet::cli {

namespace {

constexpr std::size_t most_launches = 10'000;
constexpr std::string_view measured_axis = "time_us";

struct Axis {
    std::string name;
    std::vector<std::string> values;
};

struct Space {
    std::vector<std::string> axes;
    std::vector<std::vector<std::string>> rows;
    std::string folder;     ///< of the table, with a trailing slash: files are first looked for there
    bool of_table = false;  ///< unknown axes only name the rows
};

/// "block_x" for "block_size_x", the name that auto-tuners use.
std::string axis_key(std::string_view name) {
    std::string key = lower_case(name);
    if (const std::size_t at = key.find("_size"); at != std::string::npos) key.erase(at, 5);
    if (key == "threads" || key == "block_threads") return "block";
    if (key == "blocks") return "grid";
    return key == "shared_memory" ? "shared_bytes" : key;
}

/// 0, 1, 2 for the stem followed by _x, _y, _z.
std::optional<std::size_t> dimension_of(std::string_view key, std::string_view stem) {
    if (key.size() != stem.size() + 2 || !key.starts_with(stem) || key[stem.size()] != '_')
        return std::nullopt;
    const std::size_t dimension = std::string_view("xyz").find(key.back());
    return dimension == std::string_view::npos ? std::nullopt : std::optional(dimension);
}

/// The flags that one launch of the space changes.
class LaunchMaker {
  public:
    LaunchMaker(const SmInput& base, const TuneInput& tune, const Space& space)
        : input_(base), tune_(tune), space_(space), block_(base.ptx.options.launch.block) {}

    SmInput make(const std::vector<std::string>& values) {
        for (std::size_t a = 0; a < values.size(); ++a)
            if (!values[a].empty()) set(space_.axes[a], values[a]);
        if (tune_.work[0] > 0) cover_work();
        if (input_.ptx.given()) {
            input_.ptx.options.launch.block = block_;
            if (grid_[0] > 0) input_.ptx.options.launch.grid = grid_;
        } else {
            if (block_[0] > 0) set_field("threads", static_cast<double>(block_[0] * block_[1] * block_[2]));
            if (grid_[0] > 0) set_field("blocks", static_cast<double>(grid_[0] * grid_[1] * grid_[2]));
        }
        return std::move(input_);
    }

    /// Whether an axis changes a prediction; other axes only name a launch.
    static bool is_known(const std::string& name) {
        const std::string key = axis_key(name);
        constexpr std::array others = {"ptx", "kernel", "resources", "trips", "param", "block", "grid"};
        netgen::KernelProfile scratch;
        return std::ranges::find(others, key) != others.end() || dimension_of(key, "block") ||
               dimension_of(key, "grid") || dimension_of(key, "tile") ||
               netgen::set_profile_field(scratch, key, 1);
    }

  private:
    using Shape = std::array<std::int64_t, 3>;

    void set(const std::string& name, const std::string& value) {
        const std::string key = axis_key(name);
        netgen::KernelProfile scratch;
        if (key == "ptx" || key == "resources") {
            std::error_code error;
            const std::string in_folder = space_.folder + value;
            (key == "ptx" ? input_.ptx.file : input_.resources) =
                !space_.folder.empty() && std::filesystem::exists(in_folder, error) ? in_folder : value;
        } else if (key == "kernel") {
            input_.ptx.kernel = value;
        } else if (key == "trips") {
            netgen::parse_trips(value, input_.ptx.options);
        } else if (key == "param") {
            netgen::parse_params(value, input_.ptx.options);
        } else if (key == "block" || key == "grid") {
            (key == "block" ? block_ : grid_) = netgen::metric_shape(value, name);
        } else if (set_dimension(key, "block", value, block_) || set_dimension(key, "grid", value, grid_) ||
                   set_dimension(key, "tile", value, tile_)) {
            return;
        } else if (netgen::set_profile_field(scratch, key, 1)) {
            set_field(key, netgen::profile_number(key, value, name));
        } else if (!space_.of_table && name != measured_axis) {
            netgen::parse_params(fmt::format("{}={}", name, value), input_.ptx.options);
        }
    }

    static bool set_dimension(const std::string& key, std::string_view stem, const std::string& value,
                              Shape& shape) {
        const auto dimension = dimension_of(key, stem);
        if (!dimension) return false;
        for (std::int64_t& extent : shape) extent = std::max<std::int64_t>(extent, 1);
        shape[*dimension] = netgen::metric_extent(value, key);
        return true;
    }

    void set_field(const std::string& field, double value) {
        std::erase_if(input_.fields, [&](const auto& one) { return one.first == field; });
        input_.fields.emplace_back(field, value);
    }

    void cover_work() {
        const bool blocks =
            std::ranges::any_of(input_.fields, [](const auto& field) { return field.first == "blocks"; });
        if (grid_[0] > 0 || input_.ptx.options.launch.grid[0] > 0 || blocks)
            throw UsageError("--work", "gives the grid, and so does an axis or a flag");
        if (block_[0] == 0)
            throw UsageError("--work",
                             "expected the threads of a block by --block or an axis, found neither");
        for (std::size_t i = 0; i < grid_.size(); ++i) {
            const std::int64_t covered = std::max<std::int64_t>(1, block_[i]) * tile_[i];
            grid_[i] = divided_up(tune_.work[i], covered);
        }
    }

    SmInput input_;
    const TuneInput& tune_;
    const Space& space_;
    Shape block_, grid_ = {}, tile_ = {1, 1, 1};
};

/// Throws UsageError if some values of a shape have several dimensions and others only one: in
/// block=16x16,32,8 the numbers after the first might be meant as a shape.
void check_dimensions(const Axis& axis) {
    const std::string key = axis_key(axis.name);
    if (key != "block" && key != "grid") return;
    const auto dimensions = [](const std::string& value) { return std::ranges::count(value, 'x'); };
    const auto other = std::ranges::find_if(axis.values, [&](const std::string& value) {
        return dimensions(value) != dimensions(axis.values.front());
    });
    if (other == axis.values.end()) return;
    throw UsageError("--tune",
                     fmt::format("expected values of as many dimensions for '{0}', found {0}={1} and "
                                 "{0}={2}; one row is {2}x1",
                                 axis.name, axis.values.front(), *other));
}

/// "block=64..256..x2,n=5,7" as axes with their values; a range of threads has a step of one warp.
std::vector<Axis> parse_axes(const std::vector<std::string>& texts) {
    std::vector<Axis> axes;
    for (const std::string& text : texts)
        each_item(text, [&](const std::string& item) {
            const std::size_t equals = item.find('=');
            if (equals == 0 || (equals == std::string::npos && axes.empty()) || item.empty())
                throw UsageError("--tune",
                                 fmt::format("expected axes with values, such as block=64..1024,n=5,7, or a "
                                             "table FILE.csv with one launch per row; found '{}'",
                                             text));
            if (equals != std::string::npos) {
                const std::string name = item.substr(0, equals);
                require_once(std::ranges::none_of(
                                 axes, [&](const Axis& a) { return axis_key(a.name) == axis_key(name); }),
                             "--tune", name);
                axes.push_back({name, {}});
            }
            Axis& axis = axes.back();
            const std::string value = item.substr(equals == std::string::npos ? 0 : equals + 1);
            const bool threads = axis_key(axis.name).starts_with("block");
            const std::vector<std::int64_t> range = range_values(value, "--tune", threads ? 32 : 1);
            for (const std::int64_t number : range) axis.values.push_back(std::to_string(number));
            if (range.empty()) {
                if (value.find("..") != std::string::npos)
                    throw UsageError("--tune", fmt::format("expected a range A..B, A..B..STEP or "
                                                           "A..B..xFACTOR of whole numbers, found '{}'",
                                                           value));
                axis.values.push_back(value);
            }
        });
    for (const Axis& axis : axes) check_dimensions(axis);
    return axes;
}

/// All combinations; the last axis varies fastest.
Space combinations(const std::vector<Axis>& axes) {
    Space space;
    space.rows = {{}};
    for (const Axis& axis : axes) {
        space.axes.push_back(axis.name);
        if (space.rows.size() * axis.values.size() > most_launches)
            throw UsageError("--tune", fmt::format("expected at most {} launches", most_launches));
        std::vector<std::vector<std::string>> longer;
        for (const std::vector<std::string>& row : space.rows)
            for (const std::string& value : axis.values) {
                longer.push_back(row);
                longer.back().push_back(value);
            }
        space.rows = std::move(longer);
    }
    return space;
}

Space read_space(const std::string& file) {
    const studies::Table table = studies::read_table(plain_utf8(read_text(file)), input_name(file));
    Space space;
    space.of_table = true;
    space.axes = table.columns();
    if (table.rows().empty())
        throw InputError(fmt::format("{}: expected a row per launch, found none", table.where()));
    if (table.rows().size() > most_launches)
        throw InputError(fmt::format("{}: expected at most {} launches, found {}", input_name(file),
                                     most_launches, table.rows().size()));
    for (const CsvRow& row : table.rows()) {
        table.check_width(row);
        space.rows.push_back(row.fields);
    }
    space.folder = file.substr(0, file.rfind('/') + 1);
    std::vector<std::string> names;
    for (const std::string& axis : space.axes)
        if (!LaunchMaker::is_known(axis) && axis != measured_axis) names.push_back(axis);
    if (!names.empty())
        print_note("warpnet: {}: columns that name rows and change no prediction: {}\n", input_name(file),
                   visible(fmt::format("{}", fmt::join(names, ", "))));
    return space;
}

Space space_of(const TuneInput& tune) {
    const bool file = tune.texts.front().find('=') == std::string::npos;
    if (file && tune.texts.size() > 1)
        throw UsageError("--tune", "expected one table, or axes; found a table and more");
    Space space = file ? read_space(tune.texts.front()) : combinations(parse_axes(tune.texts));
    for (const std::string& axis : space.axes)
        if (const std::string key = axis_key(axis);
            std::ranges::count_if(space.axes, [&](const auto& one) { return axis_key(one) == key; }) > 1)
            throw UsageError("--tune", fmt::format("'{}' is given twice", key));
    return space;
}

std::string name_of(const Space& space, const std::vector<std::string>& values) {
    std::string name;
    for (std::size_t a = 0; a < values.size(); ++a)
        name += fmt::format("{}{}={}", a == 0 ? "" : " ", space.axes[a], values[a]);
    return name;
}

std::optional<double> measured_of(const Space& space, const std::vector<std::string>& values) {
    const auto found = std::ranges::find(space.axes, measured_axis);
    if (found == space.axes.end()) return std::nullopt;
    const std::string& text = values[static_cast<std::size_t>(found - space.axes.begin())];
    if (text.empty()) return std::nullopt;
    const double us = netgen::metric_number(text, std::string(measured_axis));
    if (!(us > 0))
        throw InputError(fmt::format("{}: expected a time above 0, found {}", measured_axis, text));
    return us;
}

/// Throws UsageError if a flag sets the value of an axis.
void refuse_doubles(const SmInput& input, const Space& space) {
    for (const std::string& axis : space.axes) {
        const std::string key = axis_key(axis);
        const bool field =
            std::ranges::any_of(input.fields, [&](const auto& one) { return axis_key(one.first) == key; });
        if (field || (key == "block" && input.ptx.options.launch.block[0] > 0) ||
            (key == "grid" && input.ptx.options.launch.grid[0] > 0) ||
            (key == "kernel" && !input.ptx.kernel.empty()) ||
            (key == "resources" && !input.resources.empty()) || (key == "ptx" && input.ptx.given()))
            throw UsageError("--tune", fmt::format("'{}' is an axis, and a flag gives it as well", axis));
    }
}

}  // namespace

void add_tune_input(Command& command, TuneInput& tune) {
    command
        .add_option("--tune", tune.texts,
                    "Predict many launches and rank them: all combinations of axes (block, block_x, grid, "
                    "registers, ptx, a parameter of the kernel, …; A..B by warps or by 1, A..B..STEP, "
                    "A..B..xFACTOR), or the rows of a table, whose column time_us is compared with the ranks")
        .type_name("AXIS=VALUES,...|FILE.csv")
        .excludes("--metrics");
    command
        .add_option_function<std::string>(
            "--work",
            [&tune](const std::string& text) {
                constexpr std::int64_t most = 2'147'483'647;
                tune.work = netgen::parse_shape("--work", text, {most, most, most});
            },
            "Elements in x, y, z that every launch covers: the grid has as many blocks as that takes, with "
            "the axes tile_x, tile_y, tile_z elements per thread")
        .type_name("X[xY[xZ]]")
        .needs("--tune");
}

studies::TunedSpace predict_space(const SmInput& input, const TuneInput& tune,
                                  const studies::SmPredictOptions& options) {
    const Space space = space_of(tune);
    refuse_doubles(input, space);
    const netgen::SmDevice device = input.device.sm();
    std::atomic<std::uint64_t> done = 0;
    const auto shown = begin_part(options.progress, {"launches", space.rows.size(), &done});
    studies::TunedSpace result;
    for (const std::string& axis : space.axes)
        if (axis != measured_axis) result.axes.push_back(axis);
    for (const std::vector<std::string>& values : space.rows) {
        const auto leave_out = [&](const char* why) {
            result.left_out.push_back(fmt::format("{}: {}", name_of(space, values), why));
        };
        try {
            studies::TunedLaunch launch;
            for (std::size_t a = 0; a < values.size(); ++a)
                if (space.axes[a] != measured_axis) launch.values.push_back(values[a]);
            launch.measured_us = measured_of(space, values);
            studies::KernelLaunch one = LaunchMaker(input, tune, space).make(values).launch();
            auto prediction = studies::predict_sm(device, one.kernel, options);
            if (!prediction) break;
            launch.predicted = {{std::move(one.kernel), 1, std::move(one.assumed)}, std::move(*prediction)};
            result.launches.push_back(std::move(launch));
        } catch (const UsageError& error) {
            leave_out(error.what());
        } catch (const InputError& error) {
            leave_out(error.what());
        }
        ++done;
    }
    result.not_predicted = space.rows.size() - result.launches.size() - result.left_out.size();
    if (result.launches.empty() && result.not_predicted == 0)
        throw InputError(
            fmt::format("expected a launch that the device accepts, found none of {}; the first: {}",
                        space.rows.size(), result.left_out.front()));
    if (!result.launches.empty()) studies::rank_launches(result);
    return result;
}

}  // namespace warpnet::cli
