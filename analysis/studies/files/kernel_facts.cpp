#include "analysis/studies/files/kernel_facts.hpp"

#include "analysis/studies/files/table.hpp"
#include "engine/base/text.hpp"
#include "engine/input/csv.hpp"
#include "engine/net/error.hpp"
#include "netgen/code/ptx/kernel_names.hpp"
#include "netgen/sm/kernel_metrics.hpp"

#include <algorithm>
#include <set>

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

KernelFacts read_ptxas_resources(std::string_view text, const std::string& source,
                                 std::string_view compute_capability, std::vector<std::string>& warnings) {
    constexpr std::string_view entry = "Compiling entry function '", target = " for '", used = "Used ";
    std::map<std::string, std::map<std::string, std::set<std::int64_t>>> kernels;  // by name and architecture
    std::set<std::int64_t>* registers = nullptr;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        const std::string_view line = text.substr(begin, end - begin);
        begin = end + 1;
        const auto quoted = [&](std::string_view stem) {
            const std::size_t at = line.find(stem);
            if (at == std::string_view::npos) return std::string();
            const std::string_view rest = line.substr(at + stem.size());
            return std::string(rest.substr(0, rest.find('\'')));
        };
        if (const std::string function = quoted(entry); !function.empty()) {
            registers = &kernels[function][quoted(target)];
        } else if (const std::size_t at = line.find(used); at != std::string_view::npos && registers) {
            const std::string_view rest = line.substr(at + used.size());
            if (const auto count = parse_number<std::int64_t>(rest.substr(0, rest.find(' '))))
                registers->insert(*count);
            registers = nullptr;
        }
    }
    std::string wanted = fmt::format("sm_{}", compute_capability);
    std::erase(wanted, '.');
    const auto fits = [&](const std::string& name) {  // sm_90a has the registers of sm_90
        return name.starts_with(wanted) &&
               (name.size() == wanted.size() || (name.size() == wanted.size() + 1 && !is_digit(name.back())));
    };
    KernelFacts facts;
    std::vector<std::string> without;
    std::set<std::string> others;
    for (const auto& [function, by_target] : kernels) {
        auto chosen = std::find_if(by_target.begin(), by_target.end(),
                                   [&](const auto& one) { return fits(one.first); });
        if (chosen == by_target.end() && by_target.size() == 1) {
            chosen = by_target.begin();
            if (!compute_capability.empty()) others.insert(chosen->first);
        }
        if (chosen == by_target.end() || chosen->second.size() != 1) {
            without.push_back(function);
        } else {
            facts.set(function, "registers", static_cast<double>(*chosen->second.begin()));
        }
    }
    if (kernels.empty())
        warnings.push_back(
            fmt::format("{}: expected what ptxas -v prints (\"Compiling entry function 'k' for "
                        "'sm_90'\"), found no kernel: its registers are unknown",
                        source));
    if (!without.empty()) {
        const std::size_t named = std::min<std::size_t>(without.size(), 5);
        warnings.push_back(fmt::format(
            "{}: expected one line \"Used N registers\" per kernel{}, found none or several for {}, whose "
            "registers count as unknown: {}{}",
            source, compute_capability.empty() ? "" : fmt::format(" for {}", wanted),
            plural(without.size(), "kernel"),
            fmt::join(without.begin(), without.begin() + static_cast<std::ptrdiff_t>(named), ", "),
            named == without.size() ? "" : fmt::format(" and {} more", without.size() - named)));
    }
    if (!others.empty())
        warnings.push_back(
            fmt::format("{}: compiled for {}, and the device has compute capability {}: its "
                        "registers may be others",
                        source, fmt::join(others, ", "), compute_capability));
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
