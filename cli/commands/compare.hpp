#pragma once

#include "analysis/pictures/picture_style.hpp"
#include "analysis/studies/compare/compare_json.hpp"
#include "cli/input/options.hpp"
#include "cli/input/sm_input.hpp"
#include "cli/report/table_text.hpp"

#include <string>
#include <vector>

namespace warpnet::cli {

/// The values of the flags of `compare`.
struct CompareFlags {
    std::vector<std::string> files;
    std::string metrics_for;
    std::string facts;
    std::vector<std::string> ptx;
    std::string resources;
    netgen::DeviceInput device;
    CommonOptions common;
    studies::CompareOptions compare;
    bool families_given = false;
    std::string plot;
    pictures::PictureStyle style;
    std::string csv;
    TableFormat format = TableFormat::text;
    studies::CompareParts parts;
    bool columns = false;
    bool events = false;
    std::vector<Option> of_comparisons;  ///< flags that only a comparison takes
    std::vector<Option> of_warps;        ///< of the family warps
    std::vector<Option> of_devices;      ///< of all other families
};

void add_compare_flags(Command& command, CompareFlags& flags);
/// Times between two events need a fact of the device: a message on stderr, or with --events UsageError.
void check_events(const CompareFlags& flags, const studies::CompareOptions& options);

}  // namespace warpnet::cli
