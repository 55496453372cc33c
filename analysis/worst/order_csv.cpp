// Orders as CSV files: the search space of `worst`, one format per kind of net. The header row names the
// columns, so an order of another kind of net is rejected in its first line. Reading checks every value
// against the instance, and reports the line, the expectation and the finding.
//
// An order of a kernel may also have the warps alone, which is easier to write by hand. The cycles of the
// other form are checked and not used, because the order decides the schedule. Missing rows are errors at the
// line after the last one. O(rows).

#include "analysis/worst/order_csv.hpp"

#include "analysis/worst/search/service_starts.hpp"
#include "engine/base/text.hpp"
#include "engine/input/csv.hpp"
#include "engine/net/error.hpp"

#include <fmt/format.h>

namespace warpnet::worst {

namespace {

constexpr const char* of_kernels = "warp,cycle";
constexpr const char* of_kernels_by_hand = "warp";
constexpr const char* of_plans = "part,priority,choice";
constexpr const char* of_transitions = "transition";

[[noreturn]] void fail(const std::string& source, std::size_t line, const std::string& expected,
                       const std::string& found) {
    throw InputError(fmt::format("{}:{}: expected {}, found {}", source, line, expected, found));
}

std::string quoted(const CsvRow& row) { return fmt::format("'{}'", fmt::join(row.fields, ",")); }

/// The rows after the header, each with the same number of fields.
std::vector<CsvRow> rows_of(std::string_view text, const std::string& source, const char* header) {
    std::vector<CsvRow> rows = parse_csv(text, source);
    if (rows.empty()) fail(source, 1, fmt::format("the header '{}'", header), "nothing");
    const std::size_t columns = rows.front().fields.size();
    if (quoted(rows.front()) != fmt::format("'{}'", header))
        fail(source, rows.front().line, fmt::format("the header '{}' of an order of this net", header),
             quoted(rows.front()));
    rows.erase(rows.begin());
    for (const CsvRow& row : rows) {
        if (row.fields.size() != columns)
            fail(source, row.line, fmt::format("the fields {}", header), quoted(row));
    }
    return rows;
}

/// A whole number from `least` to `most`.
std::uint64_t number_of(const std::string& source, const CsvRow& row, std::size_t column, const char* what,
                        std::uint64_t least, std::uint64_t most) {
    const auto number = parse_number<std::int64_t>(row.fields[column]);
    if (!number || *number < static_cast<std::int64_t>(least) || *number > static_cast<std::int64_t>(most))
        fail(source, row.line, fmt::format("{} from {} to {}", what, least, most),
             fmt::format("'{}'", row.fields[column]));
    return static_cast<std::uint64_t>(*number);
}

/// The line after the last row, for messages about a missing row.
std::size_t line_after(const std::vector<CsvRow>& rows) { return rows.empty() ? 2 : rows.back().line + 1; }

}  // namespace

std::string write_order_csv(const netgen::KernelInstance& instance, const KernelSchedule& schedule) {
    std::string csv = fmt::format("{}\n", of_kernels);
    for (std::size_t cycle = 0; cycle < schedule.size(); ++cycle) {
        for (const auto& [warp, instruction] : schedule[cycle])
            if (!instance.waits_at(static_cast<std::size_t>(instruction)))
                csv += fmt::format("{},{}\n", warp + 1, cycle + 1);
    }
    return csv;
}

std::string write_order_csv(const ServiceInstance&, const ServiceOrder& plan) {
    std::string csv = fmt::format("{}\n", of_plans);
    for (std::size_t row = 0; row < plan.rows(); ++row) {
        for (std::uint32_t i = plan.first[row]; i < plan.first[row + 1]; ++i)
            csv += fmt::format("{},{},{}\n", row + 1, plan.priority[i], plan.choice[i]);
    }
    return csv;
}

std::string write_order_csv(const OrderInstance& instance, const std::vector<std::uint32_t>& order) {
    std::string csv = fmt::format("{}\n", of_transitions);
    for (const std::uint32_t t : order) csv += csv_field(instance.net->transitions()[t].id) + "\n";
    return csv;
}

PrecedenceString read_order_csv(std::string_view text, const std::string& source,
                                const netgen::KernelInstance& instance) {
    const bool by_hand = text.substr(0, text.find_first_of("\r\n")) == of_kernels_by_hand;
    const std::vector<CsvRow> rows = rows_of(text, source, by_hand ? of_kernels_by_hand : of_kernels);
    const auto warps = static_cast<std::size_t>(instance.warps);
    const std::size_t instructions = instance.instructions();
    std::vector<std::size_t> seen(warps, 0);
    PrecedenceString string;
    for (const CsvRow& row : rows) {
        const std::uint64_t warp = number_of(source, row, 0, "a warp", 1, warps);
        if (!by_hand) number_of(source, row, 1, "a cycle", 1, 0xffffffff);
        if (++seen[warp - 1] > instructions)
            fail(source, row.line, fmt::format("{} rows of each warp", instructions),
                 fmt::format("one more of warp {}", warp));
        string.push_back(static_cast<Warp>(warp - 1));
    }
    if (string.size() < warps * instructions)
        fail(source, line_after(rows), fmt::format("{} rows of each of {} warps", instructions, warps),
             fmt::format("the end after {}", string.size()));
    return string;
}

ServiceOrder read_order_csv(std::string_view text, const std::string& source,
                            const ServiceInstance& instance) {
    const std::vector<CsvRow> rows = rows_of(text, source, of_plans);
    const std::uint64_t parts = instance.net.rows();
    ServiceOrder plan;
    for (const CsvRow& row : rows) {
        const std::uint64_t part = number_of(source, row, 0, "a part", 1, parts);
        const std::uint64_t known = plan.first.size();
        if (part != known && part != known + 1)
            fail(source, row.line,
                 known == 0       ? "part 1"
                 : known == parts ? fmt::format("part {}", known)
                                  : fmt::format("part {} or {}", known, known + 1),
                 fmt::format("part {}", part));
        if (part > known) plan.first.push_back(static_cast<std::uint32_t>(plan.choice.size()));
        plan.priority.push_back(
            static_cast<std::uint32_t>(number_of(source, row, 1, "a priority", 0, 0xffffffff)));
        plan.choice.push_back(
            static_cast<std::uint8_t>(number_of(source, row, 2, "a choice", 0, instance.net.labels() - 1)));
    }
    if (plan.first.size() < parts)
        fail(source, line_after(rows), fmt::format("decisions of {} parts", parts),
             fmt::format("the end after part {}", plan.first.size()));
    plan.first.push_back(static_cast<std::uint32_t>(plan.choice.size()));
    return plan;
}

std::vector<std::uint32_t> read_order_csv(std::string_view text, const std::string& source,
                                          const OrderInstance& instance) {
    const WrittenIds nodes(*instance.net);
    std::vector<std::uint32_t> order;
    for (const CsvRow& row : rows_of(text, source, of_transitions)) {
        const auto transition = nodes.transition(row.fields.front());
        if (!transition)
            fail(source, row.line, fmt::format("the id of a transition of net '{}'", instance.net->id()),
                 quoted(row));
        order.push_back(static_cast<std::uint32_t>(index(*transition)));
    }
    return order;
}

}  // namespace warpnet::worst
