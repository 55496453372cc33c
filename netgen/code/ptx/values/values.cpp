// Constant propagation on demand. The value of a register at a point is that of the definitions that reach
// it, if they all agree. A backward search over the blocks finds these definitions, and each instruction is
// computed once. Limits on depth and on visited blocks make an answer unknown, never wrong. Static single
// assignment form is not built, because few registers are needed.
//
// Cost: definitions are sorted by register with a counting sort, O(instructions + registers). A question
// visits each block at most once, and most_block_visits limits the visits of all questions to a function.
// Memory is O(instructions + registers + blocks). A value in progress that is asked for again, as in a loop,
// is unknown.

#include "netgen/code/ptx/values/values.hpp"

#include "engine/base/text.hpp"
#include "engine/net/error.hpp"
#include "netgen/code/ptx/text/opcodes.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <set>

#include <fmt/format.h>

namespace warpnet::netgen {

std::optional<std::int64_t> PtxLaunch::param(const PtxFunction& function, std::string_view name) const {
    const auto whole = params.find(name);
    auto found = whole;
    const std::size_t behind = name.rfind("_param_");
    if (function.is_kernel && behind != std::string_view::npos) found = params.find(name.substr(behind + 7));
    if (whole != params.end() && found != params.end() && found != whole)
        throw InputError(fmt::format("parameter '{}' has two values: '{}' and '{}' are the same parameter",
                                     name, whole->first, found->first));
    if (found == params.end()) found = whole;
    return found == params.end() ? std::nullopt : std::optional(found->second);
}

bool PtxLaunch::gives_bytes() const {
    const auto first = params.lower_bound("bytes@");
    return first != params.end() && first->first.starts_with("bytes@");
}

std::int64_t PtxLaunch::bytes_of_line(std::uint32_t line) const {
    const auto found = params.find("bytes@" + std::to_string(line));
    return found == params.end() ? 0 : found->second;
}

std::optional<PtxSpecial> ptx_special(std::string_view name) {
    using enum PtxSpecial::Kind;
    if (name == "%laneid") return PtxSpecial{lane, 0};
    // %warpid may change while a thread runs (PTX ISA, special registers), so it proves nothing.
    if (name.size() < 2 || name[name.size() - 2] != '.' || name.back() < 'x' || name.back() > 'z')
        return std::nullopt;
    const auto axis = static_cast<std::uint8_t>(name.back() - 'x');
    const std::string_view base = name.substr(0, name.size() - 2);
    if (base == "%tid") return PtxSpecial{tid, axis};
    if (base == "%ctaid") return PtxSpecial{ctaid, axis};
    if (base == "%ntid") return PtxSpecial{ntid, axis};
    if (base == "%nctaid") return PtxSpecial{nctaid, axis};
    return std::nullopt;
}

bool PtxLaunch::has_shape_of(std::string_view name) const {
    using enum PtxSpecial::Kind;
    const auto special = ptx_special(name);
    if (!special || special->kind == lane) return false;
    const bool of_block = special->kind == tid || special->kind == ntid;
    return (of_block ? block : grid)[special->axis] > 0;
}

std::optional<std::int64_t> PtxLaunch::special(PtxSpecial special) const {
    using enum PtxSpecial::Kind;
    const bool of_block = special.kind == tid || special.kind == ntid;
    const std::int64_t size = special.kind == lane ? 0 : (of_block ? block : grid)[special.axis];
    const bool is_size = special.kind == ntid || special.kind == nctaid;
    if (is_size) return size > 0 ? std::optional(size) : std::nullopt;
    return size == 1 ? std::optional(std::int64_t{0}) : std::nullopt;
}

std::int64_t as_signed(std::uint64_t value, int bits) {
    const auto unused = static_cast<unsigned>(64 - std::clamp(bits, 1, 64));
    return static_cast<std::int64_t>(value << unused) >> unused;
}

namespace {

// Limits that can only make an answer unknown.
constexpr int deepest_chain = 200;
constexpr std::uint64_t most_block_visits = 2'000'000;  // blocks visited for one function

struct Type {
    int bits = 0;  // 0: no supported type
    bool is_signed = false;
};

Type parse_type(std::string_view name) {
    constexpr std::array<std::pair<std::string_view, int>, 4> widths = {
        {{"8", 8}, {"16", 16}, {"32", 32}, {"64", 64}}};
    if (name == "pred") return {1, false};
    if (name.empty() || std::string_view("bsu").find(name.front()) == std::string_view::npos) return {};
    for (const auto& [suffix, bits] : widths)
        if (name.substr(1) == suffix) return {bits, name.front() == 's'};
    return {};
}

std::uint64_t cut(std::uint64_t value, int bits) {
    return bits >= 64 ? value : value & ((std::uint64_t{1} << static_cast<unsigned>(bits)) - 1);
}

std::uint64_t read_as(std::uint64_t value, int bits, bool is_signed) {
    return is_signed ? static_cast<std::uint64_t>(as_signed(value, bits)) : cut(value, bits);
}

bool less(std::uint64_t a, std::uint64_t b, int bits, bool is_signed) {
    return is_signed ? as_signed(a, bits) < as_signed(b, bits) : cut(a, bits) < cut(b, bits);
}

std::optional<std::uint64_t> quotient_of(std::uint64_t a, std::uint64_t b, int bits, bool is_signed,
                                         bool remainder) {
    if (cut(b, bits) == 0) return std::nullopt;
    if (!is_signed) {
        a = cut(a, bits), b = cut(b, bits);
        return remainder ? a % b : a / b;
    }
    const std::int64_t x = as_signed(a, bits);
    const std::int64_t y = as_signed(b, bits);
    if (y == -1) return remainder ? 0 : 0 - static_cast<std::uint64_t>(x);
    return static_cast<std::uint64_t>(remainder ? x % y : x / y);
}

// A shift by more than the width has the result of single shifts.
std::uint64_t shift_left(std::uint64_t a, std::uint64_t by, int bits) {
    const std::uint64_t amount = cut(by, 32);
    return amount >= static_cast<std::uint64_t>(bits) ? 0 : a << amount;
}
std::uint64_t shift_right(std::uint64_t a, std::uint64_t by, int bits, bool is_signed) {
    const std::uint64_t amount = cut(by, 32);
    if (is_signed)
        return static_cast<std::uint64_t>(as_signed(a, bits) >> std::min<std::uint64_t>(amount, 63));
    return amount >= static_cast<std::uint64_t>(bits) ? 0 : cut(a, bits) >> amount;
}

struct OperationName {
    std::string_view base;
    std::string_view middle;  // between base and type: "lo" of mul.lo.s32
    PtxOperator op;
    std::uint8_t sources;
};

constexpr std::array operation_names = {
    OperationName{"mov", "", PtxOperator::move, 1},
    OperationName{"not", "", PtxOperator::invert, 1},
    OperationName{"neg", "", PtxOperator::negate, 1},
    OperationName{"abs", "", PtxOperator::absolute, 1},
    OperationName{"popc", "", PtxOperator::count_ones, 1},
    OperationName{"cnot", "", PtxOperator::is_zero, 1},
    OperationName{"add", "", PtxOperator::add, 2},
    OperationName{"sub", "", PtxOperator::subtract, 2},
    OperationName{"mul", "lo", PtxOperator::multiply, 2},
    OperationName{"mul", "wide", PtxOperator::multiply_wide, 2},
    OperationName{"div", "", PtxOperator::divide, 2},
    OperationName{"rem", "", PtxOperator::remainder, 2},
    OperationName{"and", "", PtxOperator::bit_and, 2},
    OperationName{"or", "", PtxOperator::bit_or, 2},
    OperationName{"xor", "", PtxOperator::bit_xor, 2},
    OperationName{"min", "", PtxOperator::minimum, 2},
    OperationName{"max", "", PtxOperator::maximum, 2},
    OperationName{"shl", "", PtxOperator::shift_left, 2},
    OperationName{"shr", "", PtxOperator::shift_right, 2},
    OperationName{"setp", "eq", PtxOperator::equal, 2},
    OperationName{"setp", "ne", PtxOperator::not_equal, 2},
    OperationName{"setp", "lt", PtxOperator::less, 2},
    OperationName{"setp", "lo", PtxOperator::less, 2},
    OperationName{"setp", "le", PtxOperator::less_equal, 2},
    OperationName{"setp", "ls", PtxOperator::less_equal, 2},
    OperationName{"setp", "gt", PtxOperator::greater, 2},
    OperationName{"setp", "hi", PtxOperator::greater, 2},
    OperationName{"setp", "ge", PtxOperator::greater_equal, 2},
    OperationName{"setp", "hs", PtxOperator::greater_equal, 2},
    OperationName{"selp", "", PtxOperator::select, 3},
    OperationName{"mad", "lo", PtxOperator::multiply_add, 3},
    OperationName{"mad", "wide", PtxOperator::multiply_add_wide, 3},
};

// Not a part of a register, such as %v.x.
bool is_whole_register(const PtxOperand& operand) {
    return operand.kind == PtxOperand::Kind::name && operand.text.find('.') == std::string_view::npos;
}

}  // namespace

std::optional<PtxOperation> ptx_operation(std::string_view opcode) {
    const std::string_view base = ptx_base(opcode);
    const std::string_view type_name = ptx_type(opcode);
    const Type type = parse_type(type_name);
    if (type.bits == 0) return std::nullopt;
    std::string_view middle = opcode.substr(base.size(), opcode.size() - base.size() - type_name.size());
    middle.remove_prefix(1);  // the dot behind the base
    if (!middle.empty()) middle.remove_suffix(1);
    if (base == "cvt") {  // cvt.TO.FROM
        const Type to = parse_type(middle);
        // A narrow signed result is extended to the width of its register, which is not known here.
        if (to.bits == 0 || (to.is_signed && to.bits < 32)) return std::nullopt;
        return PtxOperation{PtxOperator::convert, 1, type.bits, type.is_signed, to.bits};
    }
    const auto found =
        std::find_if(operation_names.begin(), operation_names.end(),
                     [&](const OperationName& name) { return name.base == base && name.middle == middle; });
    if (found == operation_names.end()) return std::nullopt;
    const bool wide = found->op == PtxOperator::multiply_wide || found->op == PtxOperator::multiply_add_wide;
    if (wide && type.bits > 32) return std::nullopt;
    return PtxOperation{found->op, found->sources, type.bits, type.is_signed,
                        wide ? 2 * type.bits : type.bits};
}

std::optional<std::uint64_t> ptx_evaluate(const PtxOperation& operation,
                                          std::span<const std::uint64_t> sources) {
    if (sources.size() != operation.sources) return std::nullopt;
    const int bits = operation.bits;
    const bool is_signed = operation.is_signed;
    const std::uint64_t a = sources[0];
    const std::uint64_t b = sources.size() > 1 ? sources[1] : 0;
    const auto result = [&](std::uint64_t value) { return std::optional(cut(value, operation.result_bits)); };
    const auto wide = [&](std::uint64_t value) { return read_as(value, bits, is_signed); };
    switch (operation.op) {
        case PtxOperator::move:
            return result(a);
        case PtxOperator::convert:
            return result(wide(a));
        case PtxOperator::invert:
            return result(~a);
        case PtxOperator::negate:
            return result(0 - a);
        case PtxOperator::absolute:
            return result(as_signed(a, bits) < 0 ? 0 - a : a);
        case PtxOperator::count_ones:
            return static_cast<std::uint64_t>(std::popcount(cut(a, bits)));
        case PtxOperator::is_zero:
            return cut(a, bits) == 0 ? 1 : 0;
        case PtxOperator::add:
            return result(a + b);
        case PtxOperator::subtract:
            return result(a - b);
        case PtxOperator::multiply:
            return result(a * b);
        case PtxOperator::multiply_wide:
            return result(wide(a) * wide(b));
        case PtxOperator::divide:
        case PtxOperator::remainder: {
            const auto quotient = quotient_of(a, b, bits, is_signed, operation.op == PtxOperator::remainder);
            return quotient ? result(*quotient) : std::nullopt;
        }
        case PtxOperator::bit_and:
            return result(a & b);
        case PtxOperator::bit_or:
            return result(a | b);
        case PtxOperator::bit_xor:
            return result(a ^ b);
        case PtxOperator::minimum:
            return result(less(a, b, bits, is_signed) ? a : b);
        case PtxOperator::maximum:
            return result(less(a, b, bits, is_signed) ? b : a);
        case PtxOperator::shift_left:
            return result(shift_left(a, b, bits));
        case PtxOperator::shift_right:
            return result(shift_right(a, b, bits, is_signed));
        case PtxOperator::equal:
            return cut(a, bits) == cut(b, bits) ? 1 : 0;
        case PtxOperator::not_equal:
            return cut(a, bits) != cut(b, bits) ? 1 : 0;
        case PtxOperator::less:
            return less(a, b, bits, is_signed) ? 1 : 0;
        case PtxOperator::less_equal:
            return less(b, a, bits, is_signed) ? 0 : 1;
        case PtxOperator::greater:
            return less(b, a, bits, is_signed) ? 1 : 0;
        case PtxOperator::greater_equal:
            return less(a, b, bits, is_signed) ? 0 : 1;
        case PtxOperator::select:
            return result(sources[2] != 0 ? a : b);
        case PtxOperator::multiply_add:
            return result(a * b + sources[2]);
        case PtxOperator::multiply_add_wide:
            return result(wide(a) * wide(b) + sources[2]);
    }
    return std::nullopt;
}

std::optional<PtxRegister> ptx_destination(const PtxFunction& function, const PtxInstruction& instruction) {
    std::optional<PtxRegister> result;
    for (const PtxOperand& operand : function.operands_of(instruction)) {
        if (operand.position != 0) break;
        if (!is_whole_register(operand) || operand.in_address || result) return std::nullopt;
        result = operand.reg;
    }
    return result;
}

std::optional<std::vector<PtxSource>> ptx_sources(const PtxFunction& function,
                                                  const PtxInstruction& instruction) {
    std::vector<PtxSource> sources;
    for (const PtxOperand& operand : function.operands_of(instruction)) {
        if (operand.position == 0) continue;
        if (operand.position != sources.size() + 1 || operand.in_address) return std::nullopt;
        PtxSource& source = sources.emplace_back();
        const bool is_name = operand.kind == PtxOperand::Kind::name && !operand.negated;
        if (operand.kind == PtxOperand::Kind::integer) {
            source.kind = PtxSource::Kind::constant;
            source.value = operand.value;
        } else if (const auto special = is_name ? ptx_special(operand.text) : std::nullopt) {
            source.kind = PtxSource::Kind::special;
            source.special = *special;
        } else if (is_name && is_whole_register(operand)) {
            source.kind = PtxSource::Kind::reg;
            source.reg = operand.reg;
        }
    }
    return sources;
}

std::string_view ptx_loaded_param(const PtxFunction& function, const PtxInstruction& instruction) {
    const bool by_name = instruction.ptx_class == PtxClass::param_load &&
                         instruction.opcode.find(".param") != std::string_view::npos;
    if (!by_name || !ptx_destination(function, instruction)) return {};
    std::string_view name;
    for (const PtxOperand& operand : function.operands_of(instruction)) {
        if (operand.position == 0) continue;
        if (!operand.in_address || operand.kind != PtxOperand::Kind::name || !name.empty()) return {};
        name = operand.text;
    }
    return name;
}

void check_ptx_param_values(const PtxModule& module, const PtxFunction& function, const PtxLaunch& launch) {
    if (launch.params.empty()) return;
    for (const PtxInstruction& instruction : function.instructions) {
        const std::string_view param = ptx_loaded_param(function, instruction);
        const auto value = param.empty() ? std::nullopt : launch.param(function, param);
        if (!value) continue;
        const Type type = parse_type(ptx_type(instruction.opcode));
        const std::string where =
            fmt::format("{}:{}: parameter '{}'", module.source, instruction.line, visible(param));
        if (type.bits == 0)
            throw InputError(fmt::format("{} is loaded by {}: expected no value for what is no whole number",
                                         where, visible(instruction.opcode)));
        if (type.bits == 64) continue;
        const std::int64_t numbers = std::int64_t{1} << type.bits;
        // Compilers load signed parameters as unsigned ones.
        const std::int64_t most = (type.is_signed ? numbers / 2 : numbers) - 1;
        if (*value < -numbers / 2 || *value > most)
            throw InputError(fmt::format("{} is loaded by {}: expected {} to {}, found {}", where,
                                         visible(instruction.opcode), -numbers / 2, most, *value));
    }
}

PtxConstants::PtxConstants(const PtxFunction& function, const PtxFlow& flow, const PtxLaunch& launch)
    : function_(function),
      flow_(flow),
      launch_(launch),
      block_of_(function.instructions.size(), 0),
      first_definition_(function.registers + 1, 0),
      state_(function.instructions.size(), State::unknown),
      value_(function.instructions.size(), 0),
      seen_(flow.blocks.size(), 0) {
    // Counting sort: the number of definitions per register, the position of the first one, then all of them.
    const auto for_each_written = [&](auto visit) {
        for (std::uint32_t b = 0; b < flow.blocks.size(); ++b) {
            for (std::uint32_t i = flow.blocks[b].first; i < flow.blocks[b].last; ++i) {
                block_of_[i] = b;
                for (const PtxOperand& operand : function.operands_of(function.instructions[i])) {
                    if (operand.position != 0) break;
                    if (operand.kind == PtxOperand::Kind::name && !operand.in_address) visit(operand.reg, i);
                }
            }
        }
    };
    for_each_written([&](PtxRegister reg, std::uint32_t) { ++first_definition_[index(reg) + 1]; });
    for (std::size_t r = 1; r < first_definition_.size(); ++r)
        first_definition_[r] += first_definition_[r - 1];
    definitions_.resize(first_definition_.back());
    std::vector<std::uint32_t> next(first_definition_.begin(), first_definition_.end() - 1);
    for_each_written([&](PtxRegister reg, std::uint32_t i) { definitions_[next[index(reg)]++] = i; });
}

std::span<const std::uint32_t> PtxConstants::definitions(PtxRegister reg) const {
    const std::size_t first = first_definition_[index(reg)];
    return std::span(definitions_).subspan(first, first_definition_[index(reg) + 1] - first);
}

std::optional<std::uint32_t> PtxConstants::last_definition(std::uint32_t from, std::uint32_t to,
                                                           PtxRegister reg) const {
    const auto all = definitions(reg);
    const auto behind = std::lower_bound(all.begin(), all.end(), to);
    if (behind == all.begin() || *(behind - 1) < from) return std::nullopt;
    return *(behind - 1);
}

std::optional<std::uint64_t> PtxConstants::at_end(std::uint32_t block, PtxRegister reg) {
    return before(block, flow_.blocks[block].last, reg);
}

std::optional<std::uint64_t> PtxConstants::before(std::uint32_t block, std::uint32_t instruction,
                                                  PtxRegister reg) {
    if (depth_ >= deepest_chain) return std::nullopt;
    std::vector<std::uint32_t> found;
    const bool all = go_back(
        block, instruction, reg,
        [&](std::uint32_t definition) {
            found.push_back(definition);
            return false;
        },
        // It is not written on some path from the entry to here.
        [&](std::uint32_t at) { return at != 0 && ++work_ <= most_block_visits; });
    if (!all) return std::nullopt;
    std::optional<std::uint64_t> value;
    for (const std::uint32_t definition : found) {
        const auto one = of_definition(definition);
        if (!one || (value && *value != *one)) return std::nullopt;
        value = one;
    }
    return value;
}

std::optional<std::uint64_t> PtxConstants::of_definition(std::uint32_t instruction) {
    State& state = state_[instruction];
    if (state == State::unknown) {
        state = State::in_progress;
        ++depth_;
        const auto value = compute(instruction);
        --depth_;
        state = value ? State::constant : State::varies;
        value_[instruction] = value.value_or(0);
    }
    return state == State::constant ? std::optional(value_[instruction]) : std::nullopt;
}

std::optional<std::uint64_t> PtxConstants::compute(std::uint32_t at) {
    const PtxInstruction& instruction = function_.instructions[at];
    if (instruction.guard || !ptx_destination(function_, instruction)) return std::nullopt;
    if (instruction.ptx_class == PtxClass::param_load) {
        const std::string_view param = ptx_loaded_param(function_, instruction);
        const auto value = param.empty() ? std::nullopt : launch_.param(function_, param);
        const Type type = parse_type(ptx_type(instruction.opcode));
        if (!value || type.bits == 0) return std::nullopt;
        return cut(static_cast<std::uint64_t>(*value), type.bits);
    }
    const auto operation = ptx_operation(instruction.opcode);
    if (!operation) return std::nullopt;
    const auto sources = ptx_sources(function_, instruction);
    if (!sources) return std::nullopt;
    std::vector<std::uint64_t> values;
    for (const PtxSource& source : *sources) {
        std::optional<std::uint64_t> value;
        if (source.kind == PtxSource::Kind::constant) {
            value = static_cast<std::uint64_t>(source.value);
        } else if (source.kind == PtxSource::Kind::reg) {
            value = before(block_of_[at], at, source.reg);
        } else if (source.kind == PtxSource::Kind::special) {
            value = launch_.special(source.special);
        }
        if (!value) return std::nullopt;
        values.push_back(*value);
    }
    return ptx_evaluate(*operation, values);
}

std::vector<std::string> PtxConstants::origins(std::uint32_t block, PtxRegister reg) {
    constexpr std::size_t most_instructions = 1000;
    std::set<std::string> found;
    std::set<std::uint32_t> seen;
    std::vector<std::uint32_t> pending;
    const auto add = [&](std::uint32_t at) {
        if (seen.size() < most_instructions && seen.insert(at).second) pending.push_back(at);
    };
    // The definitions that reach an instruction. Under a guard the register may keep its old value.
    const auto follow = [&](PtxRegister one, std::uint32_t in, std::uint32_t before) {
        const bool all = go_back(
            in, before, one,
            [&](std::uint32_t definition) {
                add(definition);
                return function_.instructions[definition].guard.has_value();
            },
            [&](std::uint32_t) { return ++work_ <= most_block_visits; });
        if (all) return;
        for (const std::uint32_t at : definitions(one)) {  // rather too many than too few
            if (seen.size() == most_instructions) break;
            add(at);
        }
    };
    if (at_end(block, reg)) return {};
    follow(reg, block, flow_.blocks[block].last);
    while (!pending.empty()) {
        const std::uint32_t at = pending.back();
        pending.pop_back();
        if (of_definition(at)) continue;
        const PtxInstruction& instruction = function_.instructions[at];
        const std::string_view param = ptx_loaded_param(function_, instruction);
        if (!param.empty()) {
            found.insert("parameter " + std::string(param));
        } else if (instruction.ptx_class == PtxClass::param_load || instruction.ptx_class == PtxClass::call) {
            found.insert("a called function or a part of a parameter");
        } else if (ptx_base(instruction.opcode) == "ld" || ptx_base(instruction.opcode) == "atom" ||
                   ptx_base(instruction.opcode) == "ldu") {
            found.insert("memory");
        } else {
            const bool one = ptx_destination(function_, instruction).has_value();
            if (!one || !ptx_operation(instruction.opcode))
                found.insert(std::string(instruction.opcode) + (one ? "" : " with two results"));
            for (const PtxOperand& operand : function_.operands_of(instruction)) {
                if (operand.position == 0 || operand.kind != PtxOperand::Kind::name) continue;
                if (operand.text.find('.') == std::string_view::npos) {
                    follow(operand.reg, block_of_[at], at);
                } else if (!launch_.has_shape_of(operand.text)) {
                    found.insert(std::string(operand.text));
                }
            }
        }
    }
    return {found.begin(), found.end()};
}

}  // namespace warpnet::netgen
