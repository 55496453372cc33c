#pragma once

#include "analysis/pictures/page/report.hpp"
#include "analysis/worst/worst_case.hpp"
#include "engine/run_many.hpp"

#include <optional>

namespace warpnet::pictures {

/// The runs, the search and the schedule that a page shows for a net.
struct ReportQuestions {
    ManyOptions runs = {.run = {}, .runs = 1000};        ///< `runs.runs` = 0: none
    std::optional<worst::WorstCaseOptions> search = {};  ///< of the longest or shortest run; absent: none
    std::optional<Schedule> schedule = {};               ///< shown instead of the run that the search finds
};

/// Searches, runs and draws the net. If the limits of the runs report an interrupt, the rest is missing, and
/// the note on the picture says so. The title is the name of the net, or else its id; the net must outlive
/// the content. Cost: that of worst_case() and run_many(), and at most 30 s for the picture.
ReportContent report_study(const Net& net, const ReportQuestions& questions);

}  // namespace warpnet::pictures
