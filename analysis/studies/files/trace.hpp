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
    json_lines,  ///< the objects of that list, one per line
    vcd,         ///< VcdTrace
};

/// The format of a file by its extension, CSV for "-"; empty for any other extension.
std::optional<TraceFormat> trace_format(const std::string& file);

/// An id as one word of the column `fired`: in quotes, which are doubled inside, if it has spaces or quotes.
std::string word_of_trace(const std::string& id);

/// Writes every step of a run as text, the firings and the marking after it, from the initial marking (step
/// 0) on. JSON markings list only places with tokens. Memory: the text. Not for VCD.
class Trace : public Observer {
  public:
    Trace(const Net& net, TraceFormat format);

    void step(std::uint64_t number, bool immediate, std::span<const Firing> firings,
              std::span<const Tokens> marking) override;

    /// Ends the trace and returns the whole text.
    std::string finish();

  private:
    void add_csv_row(std::uint64_t number, bool immediate, std::span<const Firing> firings,
                     std::span<const Tokens> marking);
    void add_json_object(std::uint64_t number, bool immediate, std::span<const Firing> firings,
                         std::span<const Tokens> marking);

    TraceFormat format_;
    std::vector<std::string> places_;       // ids in the spelling of the format
    std::vector<std::string> transitions_;  // ids in the spelling of the format
    std::string text_;
    bool empty_ = true;
};

/// Writes a run as a value change dump (VCD, IEEE 1364-2001 section 18), which waveform viewers such as
/// GTKWave show. Scope `places` has a vector of just enough bits for each place, and scope `transitions` an
/// event for each firing transition of a step. A time unit is a timed step; immediate steps happen at the
/// time of the preceding step. Memory: the text, and only changes are written.
class VcdTrace : public Observer {
  public:
    explicit VcdTrace(const Net& net);

    void step(std::uint64_t number, bool immediate, std::span<const Firing> firings,
              std::span<const Tokens> marking) override;

    /// Ends the trace and returns the whole text.
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

    /// Ends the trace and returns its whole text.
    std::string finish_trace() { return vcd_ ? vcd_->finish() : trace_->finish(); }
    const Schedule& schedule() const { return schedule_->schedule(); }

  private:
    std::optional<Trace> trace_;
    std::optional<VcdTrace> vcd_;
    std::optional<ScheduleRecorder> schedule_;
};

/// Distinct identifiers that VCD readers accept, one for each id. Characters other than letters, digits and
/// underscores become underscores, and equal results get a number.
std::vector<std::string> vcd_names(const std::vector<std::string>& ids);

}  // namespace warpnet::studies
