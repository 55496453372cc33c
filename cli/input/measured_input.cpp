#include "cli/input/measured_input.hpp"

#include "cli/input/net_io.hpp"

#include <cstdio>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace warpnet::cli {

MeasuredTable read_measured_files(const std::vector<std::string>& files, const MeasuredOptions& options) {
    std::vector<SourceText> texts;
    texts.reserve(files.size());
    for (const std::string& file : files) texts.push_back({read_text(file), input_name(file)});
    MeasuredTable table = read_measured(texts, options);
    if (!table.ignored.empty())
        fmt::print(stderr, "columns without a meaning here: {}\n", fmt::join(table.ignored, ", "));
    for (const std::string& warning : table.warnings) fmt::print(stderr, "warpnet: {}\n", warning);
    return table;
}

}  // namespace warpnet::cli
