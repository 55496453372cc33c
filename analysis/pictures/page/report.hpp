#pragma once

#include "engine/net/net.hpp"
#include "engine/run/replay.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpnet {

/// The step counts of many runs of a net.
struct ReportedRuns {
    std::string semantics;
    std::string policy;
    std::uint64_t seed = 1;
    std::vector<std::uint64_t> steps;  ///< of each run that reached a dead marking
    std::uint64_t unfinished = 0;      ///< runs that did not
};

/// One improvement of a chain of a search.
struct ReportedImprovement {
    double seconds = 0;
    std::uint32_t chain = 0;
    std::uint64_t iteration = 0;
    std::uint64_t value = 0;  ///< steps
};

/// What a search for the longest (shortest) run found.
struct ReportedSearch {
    bool longest = true;
    std::optional<std::uint64_t> found;  ///< steps of the schedule; absent: no run that ends is known
    std::optional<std::uint64_t> bound;  ///< certified, in steps
    bool exact = false;
    std::string no_worst_case = {};  ///< "no finite worst case: …"; empty: that is not known
    std::string method;
    std::vector<std::string> arguments;  ///< in words, what proves the bound
    std::vector<ReportedImprovement> log;
    std::string machine = {};  ///< that this is true of, as a sentence without its full stop; may be empty
};

/// What a page shows. Each part may be absent; there is then no section for it.
struct ReportContent {
    std::string title = {};
    std::string subtitle = {};  ///< e.g. the command line behind it
    const Net* net = nullptr;
    std::string net_svg = {};          ///< its picture, whose nodes carry ids (draw_dot); may be empty
    std::string note_on_picture = {};  ///< in its place, why there is none
    std::optional<Schedule> schedule =
        {};  ///< a run of `net`, shown as a Gantt chart that can be stepped through
    std::optional<ReportedRuns> runs = {};
    std::optional<ReportedSearch> search = {};
    /// The object that `warpnet compare --json` prints; empty: none.
    std::string comparison_json = {};
};

/// One self-contained HTML page: it opens from disk, without network, and shows the net, the schedule step by
/// step, the distribution of step counts, the convergence of the chains and model against measurement. A
/// schedule of more than 100,000 firings is left out, and the page says so. Throws InputError for a
/// comparison that is not such an object. O(size of the content).
std::string report_html(const ReportContent& content);

}  // namespace warpnet
