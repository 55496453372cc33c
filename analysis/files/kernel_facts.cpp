#include "analysis/files/kernel_facts.hpp"

#include "analysis/compare/compare.hpp"
#include "analysis/files/csv.hpp"
#include "analysis/files/profiler_text.hpp"
#include "engine/net/error.hpp"
#include "netgen/sm/kernel_metrics.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace warpnet {

bool KernelFacts::set(const std::string& function, std::string_view field, double value) {
    KernelProfile scratch;
    if (!set_profile_field(scratch, field, value)) return false;
    facts_[function].emplace_back(field, value);
    return true;
}

std::vector<std::string> KernelFacts::functions() const {
    std::vector<std::string> names;
    for (const auto& [function, fields] : facts_) names.push_back(function);
    return names;
}

bool KernelFacts::knows(const std::string& function, std::string_view field) const {
    const auto found = facts_.find(function);
    return found != facts_.end() && std::any_of(found->second.begin(), found->second.end(),
                                                [&](const auto& one) { return one.first == field; });
}

void KernelFacts::apply(const std::string& function, KernelProfile& kernel) const {
    const auto found = facts_.find(function);
    if (found == facts_.end()) return;
    for (const auto& [field, value] : found->second) set_profile_field(kernel, field, value);
    validate(kernel);
}

std::string fact_function(std::string_view kernel) {
    const std::string name = function_name(kernel);
    return name.substr(0, name.find(' '));
}

KernelFacts read_kernel_facts(std::string_view text, const std::string& source) {
    const std::vector<CsvRow> rows = parse_table(plain_utf8(text), source);
    if (rows.empty()) throw InputError(fmt::format("{}: expected a table of facts, found nothing", source));
    const CsvRow& header = rows.front();
    const std::size_t kernel = column_of(header, "kernel");
    if (kernel == header.fields.size())
        throw InputError(fmt::format("{}: expected a column 'kernel', {}", at_line(source, header),
                                     found_columns(header)));
    KernelFacts facts;
    std::vector<std::string> seen;
    for (std::size_t i = 1; i < rows.size(); ++i) {
        check_width(header, rows[i], source);
        const std::string& function = rows[i].fields[kernel];
        const std::string where = at_line(source, rows[i]);
        if (function.empty()) throw InputError(fmt::format("{}: expected a 'kernel', found none", where));
        if (std::find(seen.begin(), seen.end(), function) != seen.end())
            throw InputError(fmt::format("{}: kernel '{}' stands twice", where, function));
        seen.push_back(function);
        for (std::size_t k = 0; k < header.fields.size(); ++k) {
            const std::string& value = rows[i].fields[k];
            if (k == kernel || value.empty()) continue;
            const std::string& field = header.fields[k];
            if (!facts.set(function, field, metric_number(value, fmt::format("{}: {}", where, field))))
                throw InputError(fmt::format("{}: expected columns among kernel, {}; found '{}'",
                                             at_line(source, header), fmt::join(profile_fields(), ", "),
                                             field));
        }
    }
    return facts;
}

}  // namespace warpnet
