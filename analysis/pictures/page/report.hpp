#pragma once

#include "analysis/worst/worst_case.hpp"
#include "engine/base/progress_hook.hpp"
#include "engine/net/net.hpp"
#include "engine/run/replay.hpp"
#include "engine/run_many.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpnet::pictures {

/// The step counts of many runs of a net.
struct ReportedRuns {
    std::string semantics;
    std::string policy;
    std::uint64_t seed = 1;
    std::vector<std::uint64_t> steps;  ///< of each run that reached a dead marking
    std::uint64_t unfinished = 0;      ///< runs without one
};

/// One improvement of a chain of a search.
struct ReportedImprovement {
    double seconds = 0;
    std::uint32_t chain = 0;
    std::uint64_t iteration = 0;
    std::uint64_t value = 0;  ///< steps
};

/// The result of a search for the longest (shortest) run.
struct ReportedSearch {
    bool longest = true;
    std::optional<std::uint64_t> found;  ///< steps of the schedule; absent: no run that ends is known
    std::optional<std::uint64_t> bound;  ///< certified, in steps
    bool exact = false;
    std::string no_worst_case = {};  ///< "no finite worst case: …"; empty: that is not known
    std::string method;
    std::vector<std::string> arguments;  ///< in words, the proof of the bound
    std::vector<ReportedImprovement> log;
    std::uint64_t iterations = 0;  ///< of each chain; the end of the axis of the search
    std::string machine = {};  ///< the machine of the result, a sentence without its full stop; may be empty
};

/// The content of a page. Each part may be absent; its section is then left out.
struct ReportContent {
    std::string title = {};
    std::string subtitle = {};  ///< e.g. the command line behind it
    const Net* net = nullptr;
    std::string net_svg = {};          ///< its picture, with the ids of nodes (draw_dot); may be empty
    std::string note_on_picture = {};  ///< instead, why there is none
    std::optional<Schedule> schedule =
        {};  ///< a run of `net`, shown as a Gantt chart that can be stepped through
    std::optional<ReportedRuns> runs = {};
    std::optional<ReportedSearch> search = {};
    /// The object of `warpnet compare --json`; empty: none.
    std::string comparison_json = {};
};

/// One self-contained HTML page: it opens from disk, without a network, and shows the net, the schedule step
/// by step, the distribution of step counts, the convergence of the chains and model against measurement. A
/// schedule of more than 100,000 firings is left out, and the page reports that. Throws InputError if the
/// comparison is not such an object. O(size of the content).
std::string report_html(const ReportContent& content);

/// The runs, the search and the schedule that a page shows for a net.
struct ReportQuestions {
    ManyOptions runs = {.run = {}, .runs = 1000};        ///< `runs.runs` = 0: none
    std::optional<worst::WorstCaseOptions> search = {};  ///< of the longest or shortest run; absent: none
    std::optional<Schedule> schedule = {};               ///< shown instead of the run that the search finds
    ProgressHook progress = {};                          ///< of the runs, the picture and the page
};

/// Searches, runs and draws the net. If the limits of the runs report an interrupt, the rest is missing, and
/// the note on the picture says so. The title is the name of the net, or else its id; the net must outlive
/// the content. Cost: that of worst_case() and run_many(), and at most 30 s for the picture.
ReportContent report_study(const Net& net, const ReportQuestions& questions);

}  // namespace warpnet::pictures
