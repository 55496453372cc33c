#include "cli/input/measured_input.hpp"

#include "cli/input/net_io.hpp"

#include <algorithm>
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
    for (const std::string& function : options.facts.functions()) {
        const bool there =
            std::any_of(table.measurements.begin(), table.measurements.end(),
                        [&](const Measurement& one) { return fact_function(one.kernel) == function; });
        if (!there) fmt::print(stderr, "warpnet: facts about '{}', which is not in the table\n", function);
    }
    return table;
}

MeasuredOptions measured_options(const SmDevice& device, const std::string& facts_file) {
    MeasuredOptions options;
    options.line_transactions = device.line_transactions && device.mechanisms.line_transactions;
    options.l2_counters = device.mechanisms.l2_counters;
    if (!facts_file.empty()) options.facts = read_kernel_facts(read_text(facts_file), input_name(facts_file));
    return options;
}

}  // namespace warpnet::cli
