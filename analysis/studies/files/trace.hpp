#pragma once

#include "engine/net/net.hpp"
#include "engine/run/replay.hpp"
#include "engine/run/run.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpnet::studies {

enum class TraceFormat : std::uint8_t {
    csv,   ///< a row per step: step, immediate, fired (word_of_trace() of ids, spaces between), then the
           ///< places
    json,  ///< {"net", "trace": [{"step", "immediate", "fired": {id: times}, "marking": {id: tokens}}]}
    json_lines,  ///< the objects of that list, one a line
    vcd,         ///< VcdTrace
};

/// The format of a file by the end of its name, CSV for "-"; empty for any other end.
std::optional<TraceFormat> trace_format(const std::string& file);

/// An id as one word of the column `fired`: in quotes, doubled within, where it has spaces or quotes.
std::string word_of_trace(const std::string& id);

/// Writes down every step of a run as text: what fired and the marking after it, from the initial marking
/// (step 0) on. JSON markings list the places that are not empty. Memory: the text. Not for VCD.
class Trace : public Observer {
  public:
    Trace(const Net& net, TraceFormat format);

    void step(std::uint64_t number, bool immediate, std::span<const Firing> firings,
              std::span<const Tokens> marking) override;

    /// The whole text; ends the trace.
    std::string finish();

  private:
    void add_csv_row(std::uint64_t number, bool immediate, std::span<const Firing> firings,
                     std::span<const Tokens> marking);
    void add_json_object(std::uint64_t number, bool immediate, std::span<const Firing> firings,
                         std::span<const Tokens> marking);

    TraceFormat format_;
    std::vector<std::string> places_;       // ids as the format spells them
    std::vector<std::string> transitions_;  // ids as the format spells them
    std::string text_;
    bool empty_ = true;
};

/// Writes down a run as a value change dump (VCD, IEEE 1364-2001 section 18), which waveform viewers such as
/// GTKWave show: in scope `places` a vector of just enough bits for each place, in scope `transitions` an
/// event for each firing transition of a step. A time unit is a timed step; immediate steps happen at the
/// time of the step before them. Memory: the text, and only what changes is written.
class VcdTrace : public Observer {
  public:
    explicit VcdTrace(const Net& net);

    void step(std::uint64_t number, bool immediate, std::span<const Firing> firings,
              std::span<const Tokens> marking) override;

    /// The whole text; ends the trace.
    std::string finish();

  private:
    void move_to(std::uint64_t time);
    void add_value(std::size_t place);

    const Net& net_;
    std::vector<std::vector<std::uint32_t>> changed_by_;  // per transition: the places that it may change
    Marking marking_;
    Marking highest_;  // per place
    std::uint64_t time_ = 0;
    std::string changes_;
};

/// Records a run in several forms at once.
class RunRecorder : public Observer {
  public:
    /// A trace, if there is a format for it, and the schedule.
    RunRecorder(const Net& net, std::optional<TraceFormat> format, bool schedule);

    /// Null if nothing is recorded: a run without an observer is faster.
    Observer* observer() { return trace_ || vcd_ || schedule_ ? this : nullptr; }
    void step(std::uint64_t number, bool immediate, std::span<const Firing> firings,
              std::span<const Tokens> marking) override;

    /// The whole text of the trace; ends it.
    std::string finish_trace() { return vcd_ ? vcd_->finish() : trace_->finish(); }
    const Schedule& schedule() const { return schedule_->schedule(); }

  private:
    std::optional<Trace> trace_;
    std::optional<VcdTrace> vcd_;
    std::optional<ScheduleRecorder> schedule_;
};

/// Identifiers that VCD readers take, one for each id, all different: other characters than letters, digits
/// and underscores become underscores, and a number is added where two would be the same.
std::vector<std::string> vcd_names(const std::vector<std::string>& ids);

}  // namespace warpnet::studies
