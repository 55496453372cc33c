#include "analysis/studies/files/kernel_facts.hpp"

#include "analysis/studies/compare/compare.hpp"
#include "analysis/studies/files/table.hpp"
#include "engine/base/parse_number.hpp"
#include "engine/input/csv.hpp"
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

std::optional<double> KernelFacts::find(const std::string& function, std::string_view field) const {
    const auto found = facts_.find(function);
    if (found == facts_.end()) return std::nullopt;
    const auto fact = std::find_if(found->second.rbegin(), found->second.rend(),
                                   [&](const auto& one) { return one.first == field; });
    return fact == found->second.rend() ? std::nullopt : std::optional(fact->second);
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

KernelFacts read_ptxas_resources(std::string_view text) {
    constexpr std::string_view entry = "Compiling entry function '", used = "Used ";
    KernelFacts facts;
    std::string function;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        const std::string_view line = text.substr(begin, end - begin);
        begin = end + 1;
        if (const std::size_t at = line.find(entry); at != std::string_view::npos) {
            const std::string_view rest = line.substr(at + entry.size());
            function = rest.substr(0, rest.find('\''));
        } else if (const std::size_t at_used = line.find(used); at_used != std::string_view::npos) {
            const std::string_view rest = line.substr(at_used + used.size());
            const auto registers = parse_number<std::int64_t>(rest.substr(0, rest.find(' ')));
            if (registers && !function.empty())
                facts.set(function, "registers", static_cast<double>(*registers));
            function.clear();
        }
    }
    return facts;
}

KernelFacts read_kernel_facts(std::string_view text, const std::string& source) {
    Table table = read_table(plain_utf8(text), source);
    if (table.columns().empty())
        throw InputError(fmt::format("{}: expected a table of facts, found nothing", source));
    if (!table.has("kernel"))
        throw InputError(
            fmt::format("{}: expected a column 'kernel', {}", table.where(), table.found_columns()));
    for (const std::string& field : table.columns()) {
        KernelProfile scratch;
        if (field != "kernel" && !set_profile_field(scratch, field, 1))
            throw InputError(fmt::format("{}: expected columns among kernel, {}; found '{}'", table.where(),
                                         fmt::join(profile_fields(), ", "), field));
    }
    KernelFacts facts;
    std::vector<std::string> seen;
    for (const CsvRow& row : table.rows()) {
        table.check_width(row);
        const std::string& function = table.field(row, "kernel");
        const std::string where = table.where(row);
        if (function.empty()) throw InputError(fmt::format("{}: expected a 'kernel', found none", where));
        if (std::find(seen.begin(), seen.end(), function) != seen.end())
            throw InputError(fmt::format("{}: kernel '{}' stands twice", where, function));
        seen.push_back(function);
        for (const std::string& field : table.columns()) {
            const std::string& value = table.field(row, field);
            if (field == "kernel" || value.empty()) continue;
            facts.set(function, field, profile_number(field, value, fmt::format("{}: {}", where, field)));
        }
    }
    return facts;
}

}  // namespace warpnet
