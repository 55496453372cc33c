// Facts about kernels that no counter gives: from a table of the user, and from the listings of ptxas -v or
// cuobjdump -res-usage. The two listings are recognised line by line by their fixed words. If a listing has
// several architectures, the registers of the requested one count. If the lines of a kernel differ, they give
// nothing, because any of them could be right, and a warning names the kernel. cuobjdump includes the shared
// memory that the driver reserves, which is subtracted. O(text).

#include "analysis/studies/files/kernel_facts.hpp"

#include "analysis/studies/files/table.hpp"
#include "engine/base/text.hpp"
#include "engine/input/csv.hpp"
#include "engine/input/lines.hpp"
#include "engine/net/error.hpp"
#include "netgen/code/ptx/kernel_names.hpp"
#include "netgen/sm/device.hpp"
#include "netgen/sm/kernel_metrics.hpp"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace warpnet::studies {

bool KernelFacts::set(const std::string& function, std::string_view field, double value) {
    netgen::KernelProfile scratch;
    if (!netgen::set_profile_field(scratch, field, value)) return false;
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

void KernelFacts::apply(const std::string& function, netgen::KernelProfile& kernel) const {
    const auto found = facts_.find(function);
    if (found == facts_.end()) return;
    for (const auto& [field, value] : found->second) netgen::set_profile_field(kernel, field, value);
    netgen::validate(kernel);
}

std::string fact_function(std::string_view kernel) {
    const std::string name = netgen::function_name(kernel);
    return name.substr(0, name.find(' '));
}

namespace {

/// The resources of one kernel for one architecture in a listing. Different lines give no value.
struct ListedResources {
    std::set<std::int64_t> registers;
    std::int64_t shared_bytes = 0, spill_loads = 0, spill_stores = 0;  // bytes
};
using ListedKernels = std::map<std::string, std::map<std::string, ListedResources>>;  // name, architecture

/// Reads ptxas -v ("Compiling entry function 'k' for 'sm_90'", "8 bytes spill stores", "Used 18 registers,
/// 64 bytes smem") and cuobjdump -res-usage ("arch = sm_90", "Function k:", "REG:18 SHARED:64").
class ResourceReader {
  public:
    ListedKernels read(std::string_view text) {
        each_line(text, [&](std::size_t, std::string_view line) {
            line_ = line;
            if (const std::string_view kernel = behind("Compiling entry function '", '\''); !kernel.empty())
                kernel_ = &kernels_[std::string(kernel)][std::string(behind(" for '", '\''))];
            if (const std::string_view arch = behind("arch = ", '\n'); !arch.empty()) arch_ = trimmed(arch);
            if (const std::string_view kernel = trimmed(line_);
                kernel.starts_with("Function ") && kernel.ends_with(':'))
                kernel_ = &kernels_[std::string(kernel.substr(9, kernel.size() - 10))][arch_];
            if (kernel_ != nullptr) read_amounts(*kernel_);
        });
        return std::move(kernels_);
    }

  private:
    /// The text after a stem, up to a character or the end of the line; empty if the line has no such stem.
    std::string_view behind(std::string_view stem, char until) const {
        const std::size_t at = line_.find(stem);
        if (at == std::string_view::npos) return {};
        const std::string_view rest = line_.substr(at + stem.size());
        return rest.substr(0, rest.find(until));
    }

    /// The number in front of a text: 8 in "8 bytes spill stores".
    std::optional<std::int64_t> before(std::string_view stem) const {
        const std::size_t at = line_.find(stem);
        if (at == std::string_view::npos) return std::nullopt;
        const std::string_view start = line_.substr(0, at);
        return parse_number<std::int64_t>(start.substr(start.find_last_of(" ,") + 1));
    }

    std::int64_t reserved_shared_bytes() const {
        if (arch_.size() < 5) return 0;  // "sm_90"
        const std::string digits = arch_.substr(3, arch_.find_last_of("0123456789") - 2);
        const netgen::SmLimits* limits =
            netgen::find_limits(fmt::format("{}.{}", digits.substr(0, digits.size() - 1), digits.back()));
        return limits == nullptr ? 0 : limits->reserved_shared_bytes;
    }

    void read_amounts(ListedResources& kernel) {
        if (const auto bytes = before(" bytes spill stores")) kernel.spill_stores = *bytes;
        if (const auto bytes = before(" bytes spill loads")) kernel.spill_loads = *bytes;
        if (const auto bytes = before(" bytes smem")) kernel.shared_bytes = *bytes;
        // cuobjdump includes the reserve of the driver on compute capability 8.0 and later.
        if (const auto shared = parse_number<std::int64_t>(behind("SHARED:", ' ')))
            kernel.shared_bytes = std::max<std::int64_t>(0, *shared - reserved_shared_bytes());
        for (const std::string_view stem : {"Used ", "REG:"}) {
            const auto registers = parse_number<std::int64_t>(behind(stem, ' '));
            if (!registers) continue;
            kernel.registers.insert(*registers);
            kernel_ = nullptr;
        }
    }

    std::string_view line_;
    std::string arch_;
    ListedKernels kernels_;
    ListedResources* kernel_ = nullptr;
};

void set_resources(const std::string& function, const ListedResources& listed, KernelFacts& facts) {
    facts.set(function, "registers", static_cast<double>(*listed.registers.begin()));
    constexpr double word = 4;
    const std::array amounts = {std::pair("shared_bytes", static_cast<double>(listed.shared_bytes)),
                                std::pair("spill_loads", static_cast<double>(listed.spill_loads) / word),
                                std::pair("spill_stores", static_cast<double>(listed.spill_stores) / word)};
    for (const auto& [field, amount] : amounts)
        if (amount > 0) facts.set(function, field, amount);
}

}  // namespace

KernelFacts read_resources(std::string_view text, const std::string& source,
                           std::string_view compute_capability, std::vector<std::string>& warnings) {
    const ListedKernels kernels = ResourceReader().read(text);
    if (kernels.empty())
        throw InputError(
            fmt::format("{}: expected what ptxas -v prints (\"Compiling entry function 'k' for 'sm_90'\") or "
                        "cuobjdump -res-usage (\"Function k:\"), found no kernel",
                        source));
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
            if (!compute_capability.empty() && !chosen->first.empty()) others.insert(chosen->first);
        }
        if (chosen == by_target.end() || chosen->second.registers.size() != 1) {
            without.push_back(function);
        } else {
            set_resources(function, chosen->second, facts);
        }
    }
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
        warnings.push_back(fmt::format(
            "{}: compiled for {}, and the device has compute capability {}: its register counts may differ",
            source, fmt::join(others, ", "), compute_capability));
    return facts;
}

void apply_resources(const KernelFacts& resources, const std::string& function,
                     netgen::KernelProfile& kernel) {
    const std::int64_t declared = kernel.shared_bytes;
    resources.apply(function, kernel);
    kernel.shared_bytes = std::max(kernel.shared_bytes, declared);
    if (kernel.spill_loads + kernel.spill_stores > 0)
        kernel.unknowns.push_back(
            fmt::format("ptxas spills registers: {} loads and {} stores of 4 bytes count once per warp, "
                        "because ptxas does not print how often they run",
                        kernel.spill_loads, kernel.spill_stores));
}

KernelFacts read_kernel_facts(std::string_view text, const std::string& source) {
    Table table = read_table(plain_utf8(text), source);
    if (table.columns().empty())
        throw InputError(fmt::format("{}: expected a table of facts, found nothing", source));
    if (!table.has("kernel"))
        throw InputError(
            fmt::format("{}: expected a column 'kernel', {}", table.where(), table.found_columns()));
    for (const std::string& field : table.columns()) {
        netgen::KernelProfile scratch;
        if (field != "kernel" && !netgen::set_profile_field(scratch, field, 1))
            throw InputError(fmt::format("{}: expected columns among kernel, {}; found '{}'", table.where(),
                                         fmt::join(netgen::profile_fields(), ", "), field));
    }
    KernelFacts facts;
    std::vector<std::string> seen;
    for (const CsvRow& row : table.rows()) {
        table.check_width(row);
        const std::string& function = table.field(row, "kernel");
        const std::string where = table.where(row);
        if (function.empty()) throw InputError(fmt::format("{}: expected a 'kernel', found none", where));
        if (std::find(seen.begin(), seen.end(), function) != seen.end())
            throw InputError(fmt::format("{}: kernel '{}' appears twice", where, function));
        seen.push_back(function);
        for (const std::string& field : table.columns()) {
            const std::string& value = table.field(row, field);
            if (field == "kernel" || value.empty()) continue;
            facts.set(function, field,
                      netgen::profile_number(field, value, fmt::format("{}: {}", where, field)));
        }
    }
    return facts;
}

}  // namespace warpnet::studies
