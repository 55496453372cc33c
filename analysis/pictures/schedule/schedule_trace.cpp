// Writes Chrome's trace format, which Perfetto, Speedscope and browsers read without a schema: complete
// events ("ph": "X") with a begin and a duration in microseconds. Slices of one thread that overlap must
// nest, so kinds that fire in the same steps are one slice with both names.

#include "analysis/pictures/schedule/schedule_trace.hpp"

#include "analysis/pictures/schedule/schedule_rows.hpp"
#include "engine/base/to_json.hpp"

#include <cstdint>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace warpnet::pictures {

namespace {

using Json = nlohmann::ordered_json;

/// The steps [first, end) in which the same kinds of one row fire.
struct Slice {
    std::string name;
    std::uint64_t first = 0, end = 0;
    std::set<std::uint32_t> fired;
};

Json event(std::string_view name, std::uint32_t row, std::uint64_t begin, std::uint64_t duration) {
    return {{"name", name}, {"ph", "X"}, {"pid", 1}, {"tid", row + 1}, {"ts", begin}, {"dur", duration}};
}

Json metadata(std::string_view what, std::uint32_t thread, const std::string& name) {
    return {{"name", what}, {"ph", "M"}, {"pid", 1}, {"tid", thread}, {"args", {{"name", name}}}};
}

class Trace {
  public:
    explicit Trace(const Net& net) : net_(net), rows_(schedule_rows(net)), open_(rows_.names.size()) {}

    Json of(const Schedule& schedule) {
        events_.push_back(metadata("process_name", 0, net_.name().empty() ? net_.id() : net_.name()));
        for (std::uint32_t row = 0; row < rows_.names.size(); ++row)
            events_.push_back(metadata("thread_name", row + 1, rows_.names[row]));
        for (const ScheduleWait& wait : waits_of(net_, rows_, schedule))
            events_.push_back(event("waiting", wait.row, wait.first - 1, wait.steps()));
        std::uint64_t now = 0;
        for (const ScheduledStep& step : schedule)
            if (!step.immediate) add(step, now++);
        for (std::uint32_t row = 0; row < open_.size(); ++row) close(row);
        return std::move(events_);
    }

  private:
    void add(const ScheduledStep& step, std::uint64_t now) {
        std::map<std::uint32_t, std::vector<std::uint32_t>> of_rows;
        for (const std::uint32_t t : step.transitions) of_rows[rows_.row_of[t]].push_back(t);
        for (const auto& [row, transitions] : of_rows) {
            std::set<std::string> kinds;
            for (const std::uint32_t t : transitions) kinds.insert(rows_.kind_of[t]);
            std::string name;
            for (const std::string& kind : kinds) name += (name.empty() ? "" : " + ") + kind;
            Slice& slice = open_[row];
            if (slice.end != now || slice.name != name) {
                close(row);
                slice = {name, now, now, {}};
            }
            slice.end = now + 1;
            slice.fired.insert(transitions.begin(), transitions.end());
        }
    }

    void close(std::uint32_t row) {
        const Slice& slice = open_[row];
        if (slice.first == slice.end) return;
        Json one = event(slice.name, row, slice.first, slice.end - slice.first);
        for (const std::uint32_t t : slice.fired) one["args"]["fired"].push_back(net_.transitions()[t].id);
        events_.push_back(std::move(one));
    }

    const Net& net_;
    const ScheduleRows rows_;
    std::vector<Slice> open_;
    Json events_ = Json::array();
};

}  // namespace

std::string schedule_trace(const Net& net, const Schedule& schedule) {
    const Json json = {{"traceEvents", Trace(net).of(schedule)},
                       {"displayTimeUnit", "ns"},
                       {"otherData", {{"unit", "1 us is one step"}}}};
    return json_text(json, -1) + "\n";
}

}  // namespace warpnet::pictures
