// Ranges of constant operands that ptxas enforces: sizes of copies, barriers, register limits, bit fields. A
// table has one row per opcode family and position. If an opcode belongs to two families, the longer one
// counts.

#include "netgen/code/ptx/text/operand_ranges.hpp"

#include "netgen/code/ptx/text/opcodes.hpp"
#include "netgen/code/ptx/text/scanner.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <string_view>

#include <fmt/format.h>

namespace warpnet::netgen {

namespace {

constexpr std::int64_t no_most = std::numeric_limits<std::int64_t>::max();

/// The values that a constant operand may have.
struct OperandRange {
    std::int64_t least = 0, most = no_most, multiple = 1;
    bool power_of_two = false;

    bool has(std::int64_t value) const {
        return value >= least && value <= most && value % multiple == 0 &&
               (!power_of_two || std::has_single_bit(static_cast<std::uint64_t>(value)));
    }
    std::string text() const {
        const std::string kind = power_of_two   ? "a power of two"
                                 : multiple > 1 ? fmt::format("a multiple of {}", multiple)
                                                : "a number";
        return most == no_most ? kind : fmt::format("{} from {} to {}", kind, least, most);
    }
};

struct RangeRow {
    std::string_view family;
    std::uint16_t position;
    OperandRange range;
};

// If an opcode belongs to two families, the longer one counts.
constexpr OperandRange counted_arrivals = {1, (1 << 20) - 1};
constexpr RangeRow range_rows[] = {
    {"bfe", 2, {0, 255}},
    {"bfe", 3, {0, 255}},
    {"bfi", 3, {0, 255}},
    {"bfi", 4, {0, 255}},
    {"cp.async.bulk", 2, {0, no_most, 16}},
    {"cp.async.bulk.prefetch", 1, {0, no_most, 16}},
    {"cp.async.bulk.tensor", 2, {std::numeric_limits<std::int64_t>::min()}},
    {"cp.reduce.async.bulk", 2, {0, no_most, 16}},
    {"cp.reduce.async.bulk.tensor", 2, {std::numeric_limits<std::int64_t>::min()}},
    {"mbarrier.arrive", 2, counted_arrivals},
    {"mbarrier.arrive.expect_tx", 2, {-(1 << 20) + 1, (1 << 20) - 1}},
    {"mbarrier.arrive_drop", 2, counted_arrivals},
    {"mbarrier.arrive_drop.expect_tx", 2, {-(1 << 20) + 1, (1 << 20) - 1}},
    {"mbarrier.init", 1, counted_arrivals},
    {"pmevent", 0, {0, 15}},
    {"pmevent.mask", 0, {0, 65535}},
    {"setmaxnreg", 0, {24, 256, 8}},
    {"tcgen05.alloc", 1, {32, 512, 1, true}},
    {"tcgen05.dealloc", 1, {32, 512, 1, true}},
};

class OperandCheck {
  public:
    OperandCheck(const PtxFunction& function, const PtxInstruction& instruction)
        : operands_(function.operands_of(instruction)), opcode_(instruction.opcode) {}

    std::optional<std::string> in_table() const {
        std::size_t longest = 0;
        for (const RangeRow& row : range_rows)
            if (is_ptx_family(opcode_, row.family)) longest = std::max(longest, row.family.size());
        for (const RangeRow& row : range_rows)
            if (row.family.size() == longest && is_ptx_family(opcode_, row.family))
                if (auto fault = outside(row.position, row.range)) return fault;
        return std::nullopt;
    }

    // cp.async.ca [to], [from], size, bytes to read: these are at most `size`.
    std::optional<std::string> copy() const {
        const bool l1 = is_ptx_family(opcode_, "cp.async.ca");
        if (!l1 && !is_ptx_family(opcode_, "cp.async.cg")) return std::nullopt;
        const auto size = constant(2);
        if (!size) return std::nullopt;
        if (auto fault = outside(2, l1 ? OperandRange{4, 16, 1, true} : OperandRange{16, 16})) return fault;
        return outside(3, {0, *size});
    }

    // bar.sync id, threads; reductions have a result before these and a predicate after them.
    std::optional<std::string> barrier() const {
        const std::string_view base = ptx_base(opcode_);
        if ((base != "bar" && base != "barrier") || has_ptx_part(opcode_, "warp") ||
            has_ptx_part(opcode_, "cluster") || operands_.empty())
            return std::nullopt;
        const bool reduces = has_ptx_part(opcode_, "red");
        const std::uint16_t number = reduces ? 1 : 0;
        if (auto fault = outside(number, {0, 15})) return fault;
        if (reduces && operands_.back().position < 3) return std::nullopt;
        return outside(number + 1, {has_ptx_part(opcode_, "arrive") ? 32 : 0, no_most, 32});
    }

    std::optional<std::string> matrices() const {
        const bool load = is_ptx_family(opcode_, "ldmatrix");
        if (!load && !is_ptx_family(opcode_, "stmatrix")) return std::nullopt;
        const bool wide = has_ptx_part(opcode_, "m16n16");  // two registers a matrix
        const std::size_t count = has_ptx_part(opcode_, "x1")   ? 1
                                  : has_ptx_part(opcode_, "x2") ? 2
                                  : has_ptx_part(opcode_, "x4") ? 4
                                                                : 0;
        if (count == 0 || (wide && count == 4))
            return fmt::format("expected .x1{} in '{}'", wide ? " or .x2" : ", .x2 or .x4",
                               ptx_shown(opcode_));
        return vector(load ? 0 : 1, wide ? 2 * count : count);
    }

    std::optional<std::string> access(int architecture) const {
        const std::string_view base = ptx_base(opcode_);
        const bool loads = base == "ld" || base == "ldu" || base == "atom";
        if (!loads && base != "st" && base != "red") return std::nullopt;
        const std::size_t elements = has_ptx_part(opcode_, "v2")   ? 2
                                     : has_ptx_part(opcode_, "v4") ? 4
                                     : has_ptx_part(opcode_, "v8") ? 8
                                                                   : 1;
        if (auto fault = vector(loads ? 0 : 1, elements)) return fault;
        const std::int64_t bytes = ptx_access_bytes(opcode_);
        if (bytes <= 16 || has_ptx_part(opcode_, "param")) return std::nullopt;
        const bool elsewhere = has_ptx_part(opcode_, "local") || has_ptx_part(opcode_, "const") ||
                               opcode_.find(".shared") != std::string_view::npos;
        const bool global = (base == "ld" || base == "st") && !elsewhere;
        if (bytes <= 32 && global && (architecture >= 100 || architecture == 0)) return std::nullopt;
        return fmt::format("expected up to 16 bytes{} in '{}', found {}",
                           global ? ", or 32 for sm_100 and newer," : "", ptx_shown(opcode_), bytes);
    }

  private:
    std::optional<std::int64_t> constant(int position) const {
        for (const PtxOperand& operand : operands_)
            if (operand.position == position && !operand.in_address &&
                operand.kind == PtxOperand::Kind::integer)
                return operand.value;
        return std::nullopt;
    }

    std::optional<std::string> outside(int position, const OperandRange& range) const {
        const auto value = constant(position);
        if (!value || range.has(*value)) return std::nullopt;
        return fmt::format("expected {} as operand {} of '{}', found {}", range.text(), position + 1,
                           ptx_shown(opcode_), *value);
    }

    // A list in braces; one name may be a register of vector type.
    std::optional<std::string> vector(int position, std::size_t elements) const {
        const auto found = static_cast<std::size_t>(
            std::count_if(operands_.begin(), operands_.end(),
                          [&](const PtxOperand& o) { return o.position == position && !o.in_address; }));
        if (found <= 1 || found == elements) return std::nullopt;
        return fmt::format("expected {} register{} as operand {} of '{}', found {}", elements,
                           elements == 1 ? "" : "s", position + 1, ptx_shown(opcode_), found);
    }

    std::span<const PtxOperand> operands_;
    std::string_view opcode_;
};

}  // namespace

std::optional<std::string> wrong_ptx_operand(const PtxFunction& function, const PtxInstruction& instruction,
                                             int architecture) {
    const OperandCheck check(function, instruction);
    if (auto fault = check.in_table()) return fault;
    if (auto fault = check.copy()) return fault;
    if (auto fault = check.barrier()) return fault;
    if (auto fault = check.matrices()) return fault;
    return check.access(architecture);
}

}  // namespace warpnet::netgen
