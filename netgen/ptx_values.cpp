#include "netgen/ptx_values.hpp"

#include "netgen/ptx_opcodes.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace warpnet {

namespace {

// Limits that only make an answer 'not known'.
constexpr int deepest_chain = 200;
constexpr std::uint64_t most_work = 2'000'000;  // blocks visited for one function

struct Type {
    int bits = 0;  // 0: none that is understood
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

// The number that the low bits mean.
std::int64_t as_signed(std::uint64_t value, int bits) {
    const auto unused = static_cast<unsigned>(64 - bits);
    return static_cast<std::int64_t>(value << unused) >> unused;
}

std::uint64_t read_as(std::uint64_t value, Type type) {
    return type.is_signed ? static_cast<std::uint64_t>(as_signed(value, type.bits)) : cut(value, type.bits);
}

bool less(std::uint64_t a, std::uint64_t b, Type type) {
    return type.is_signed ? as_signed(a, type.bits) < as_signed(b, type.bits)
                          : cut(a, type.bits) < cut(b, type.bits);
}

std::optional<bool> compare(std::string_view relation, std::uint64_t a, std::uint64_t b, Type type) {
    const bool equal = cut(a, type.bits) == cut(b, type.bits);
    const bool is_less = less(a, b, type);
    if (relation == "eq") return equal;
    if (relation == "ne") return !equal;
    if (relation == "lt" || relation == "lo") return is_less;
    if (relation == "le" || relation == "ls") return is_less || equal;
    if (relation == "gt" || relation == "hi") return !is_less && !equal;
    if (relation == "ge" || relation == "hs") return !is_less;
    return std::nullopt;
}

std::optional<std::uint64_t> divide(std::uint64_t a, std::uint64_t b, Type type, bool remainder) {
    if (cut(b, type.bits) == 0) return std::nullopt;
    if (!type.is_signed) {
        a = cut(a, type.bits), b = cut(b, type.bits);
        return remainder ? a % b : a / b;
    }
    const std::int64_t x = as_signed(a, type.bits);
    const std::int64_t y = as_signed(b, type.bits);
    if (y == -1) return remainder ? 0 : 0 - static_cast<std::uint64_t>(x);
    return static_cast<std::uint64_t>(remainder ? x % y : x / y);
}

// Shifts by more than the width give what shifting bit by bit gives.
std::uint64_t shift_right(std::uint64_t a, std::uint64_t by, Type type) {
    const std::uint64_t amount = std::min<std::uint64_t>(cut(by, 32), 63);
    if (!type.is_signed)
        return cut(by, 32) >= static_cast<std::uint64_t>(type.bits) ? 0 : cut(a, type.bits) >> amount;
    return static_cast<std::uint64_t>(as_signed(a, type.bits) >> amount);
}

// Not a part of one, such as %v.x.
bool is_whole_register(const PtxOperand& operand) {
    return operand.kind == PtxOperand::Kind::name && operand.text.find('.') == std::string_view::npos;
}

// What is behind the base, without the type: "lo" of mul.lo.s32, "" of add.s32; nothing where it has no type.
struct Shape {
    std::string_view base;
    std::string_view middle;
    Type type;
};

std::optional<Shape> shape_of(std::string_view opcode) {
    const std::string_view base = ptx_base(opcode);
    const std::string_view name = ptx_type(opcode);
    const Type type = parse_type(name);
    if (type.bits == 0) return std::nullopt;
    std::string_view middle = opcode.substr(base.size(), opcode.size() - base.size() - name.size());
    middle.remove_prefix(1);  // the dot behind the base
    if (!middle.empty()) middle.remove_suffix(1);
    return Shape{base, middle, type};
}

std::optional<std::uint64_t> evaluate_unary(const Shape& shape, std::uint64_t a) {
    const auto& [base, middle, type] = shape;
    if (base == "cvt") {
        const Type to = parse_type(middle);  // cvt.TO.FROM
        // A narrow signed result is extended to the width of its register, which is not known here.
        if (to.bits == 0 || (to.is_signed && to.bits < 32)) return std::nullopt;
        return cut(read_as(a, type), to.bits);
    }
    if (!middle.empty()) return std::nullopt;
    if (base == "mov") return cut(a, type.bits);
    if (base == "not") return cut(~a, type.bits);
    if (base == "neg") return cut(0 - a, type.bits);
    if (base == "abs") return cut(as_signed(a, type.bits) < 0 ? 0 - a : a, type.bits);
    if (base == "popc") return static_cast<std::uint64_t>(std::popcount(cut(a, type.bits)));
    if (base == "cnot") return cut(a, type.bits) == 0 ? 1 : 0;
    return std::nullopt;
}

std::optional<std::uint64_t> evaluate_binary(const Shape& shape, std::uint64_t a, std::uint64_t b) {
    const auto& [base, middle, type] = shape;
    if (base == "setp") {
        const auto result = compare(middle, a, b, type);
        return result ? std::optional<std::uint64_t>(*result ? 1 : 0) : std::nullopt;
    }
    if (base == "mul" && middle == "lo") return cut(a * b, type.bits);
    if (base == "mul" && middle == "wide" && type.bits <= 32)
        return cut(read_as(a, type) * read_as(b, type), 2 * type.bits);
    if (!middle.empty()) return std::nullopt;
    if (base == "add") return cut(a + b, type.bits);
    if (base == "sub") return cut(a - b, type.bits);
    if (base == "and") return cut(a & b, type.bits);
    if (base == "or") return cut(a | b, type.bits);
    if (base == "xor") return cut(a ^ b, type.bits);
    if (base == "min") return cut(less(a, b, type) ? a : b, type.bits);
    if (base == "max") return cut(less(a, b, type) ? b : a, type.bits);
    if (base == "shl")
        return cut(b, 32) >= static_cast<std::uint64_t>(type.bits) ? 0 : cut(a << cut(b, 32), type.bits);
    if (base == "shr") return cut(shift_right(a, b, type), type.bits);
    if (base == "div" || base == "rem") {
        const auto result = divide(a, b, type, base == "rem");
        return result ? std::optional(cut(*result, type.bits)) : std::nullopt;
    }
    return std::nullopt;
}

}  // namespace

std::optional<std::uint64_t> ptx_evaluate(std::string_view opcode, std::span<const std::uint64_t> sources) {
    const auto shape = shape_of(opcode);
    if (!shape) return std::nullopt;
    const auto& [base, middle, type] = *shape;
    if (sources.size() == 1) return evaluate_unary(*shape, sources[0]);
    if (sources.size() == 2) return evaluate_binary(*shape, sources[0], sources[1]);
    if (sources.size() != 3) return std::nullopt;
    if (base == "selp" && middle.empty()) return cut(sources[2] != 0 ? sources[0] : sources[1], type.bits);
    if (base == "mad" && middle == "lo") return cut(sources[0] * sources[1] + sources[2], type.bits);
    if (base == "mad" && middle == "wide" && type.bits <= 32)
        return cut(read_as(sources[0], type) * read_as(sources[1], type) + sources[2], 2 * type.bits);
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

PtxConstants::PtxConstants(const PtxFunction& function, const PtxFlow& flow)
    : function_(function),
      flow_(flow),
      block_of_(function.instructions.size(), 0),
      first_definition_(function.registers + 1, 0),
      state_(function.instructions.size(), State::unknown),
      value_(function.instructions.size(), 0),
      seen_(flow.blocks.size(), 0) {
    // Counting sort: how many definitions each register has, where the first of each comes to stand, all.
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

// Goes backwards to every definition that reaches this point.
std::optional<std::uint64_t> PtxConstants::before(std::uint32_t block, std::uint32_t instruction,
                                                  PtxRegister reg) {
    if (depth_ >= deepest_chain) return std::nullopt;
    if (const auto own = last_definition(flow_.blocks[block].first, instruction, reg))
        return of_definition(*own);
    std::optional<std::uint64_t> value;
    const std::uint32_t search = ++search_;
    std::vector<std::uint32_t> pending = {block};
    std::vector<std::uint32_t> found;
    while (!pending.empty()) {
        const std::uint32_t at = pending.back();
        pending.pop_back();
        if (at == 0) return std::nullopt;  // written nowhere on some way here
        for (const std::uint32_t before : flow_.blocks[at].predecessors) {
            if (seen_[before] == search) continue;
            seen_[before] = search;
            if (++work_ > most_work) return std::nullopt;
            const auto definition =
                last_definition(flow_.blocks[before].first, flow_.blocks[before].last, reg);
            if (definition) {
                found.push_back(*definition);
            } else {
                pending.push_back(before);
            }
        }
    }
    for (const std::uint32_t definition : found) {  // after the search, whose marks these would overwrite
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
    std::vector<std::uint64_t> sources;
    std::uint16_t position = 0;
    for (const PtxOperand& operand : function_.operands_of(instruction)) {
        if (operand.position == 0) continue;
        if (operand.position == position || operand.in_address) return std::nullopt;
        position = operand.position;
        if (operand.kind == PtxOperand::Kind::integer) {
            sources.push_back(static_cast<std::uint64_t>(operand.value));
        } else if (is_whole_register(operand) && !operand.negated) {
            const auto value = before(block_of_[at], at, operand.reg);
            if (!value) return std::nullopt;
            sources.push_back(*value);
        } else {
            return std::nullopt;
        }
    }
    return ptx_evaluate(instruction.opcode, sources);
}

}  // namespace warpnet
