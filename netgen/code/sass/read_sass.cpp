#include "netgen/code/sass/read_sass.hpp"

#include "engine/net/error.hpp"
#include "netgen/code/ptx/opcodes.hpp"
#include "netgen/code/ptx/scanner.hpp"
#include "netgen/code/sass/opcodes.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <unordered_map>
#include <utility>

namespace warpnet {

namespace {

std::string_view trimmed(std::string_view text) {
    const std::size_t begin = text.find_first_not_of(" \t\r");
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

/// What a line of a listing is.
struct Line {
    std::optional<std::uint64_t> address;  ///< of the instruction on it
    std::string_view instruction;          ///< without its address, encoding and semicolon
    std::string_view label;                ///< ".L_x_2" of ".L_x_2:"
    std::string_view function;             ///< that begins here
    std::string_view target;               ///< "sm_80" of "code for sm_80"
};

std::optional<std::uint64_t> hex(std::string_view digits) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
    return error == std::errc() && end == digits.data() + digits.size() && !digits.empty()
               ? std::optional(value)
               : std::nullopt;
}

Line parse_line(std::string_view text) {
    Line line;
    text = trimmed(text);
    if (text.starts_with("/*")) {
        const std::size_t end = text.find("*/");
        if (end == std::string_view::npos) return line;
        const auto address = hex(trimmed(text.substr(2, end - 2)));
        std::string_view rest = text.substr(end + 2);
        rest = trimmed(rest.substr(0, rest.find(';')));
        rest = trimmed(rest.substr(0, rest.find("/*")));
        // A second half of an encoding stands alone on its line.
        if (address && !rest.empty()) {
            line.address = address;
            line.instruction = rest;
        }
        return line;
    }
    constexpr std::string_view listed = "Function :";
    constexpr std::string_view code = "code for ";
    if (text.starts_with(listed)) {
        line.function = trimmed(text.substr(listed.size()));
    } else if (text.starts_with(code)) {
        line.target = trimmed(text.substr(code.size()));
    } else if (text.ends_with(':') && text.front() == '.') {
        text.remove_suffix(1);
        if (text.starts_with(".text.")) {
            line.function = text.substr(6);
        } else {
            line.label = text;
        }
    }
    return line;
}

class SassReader {
  public:
    SassReader(std::string_view text, const std::string& source) {
        module_.text = std::make_shared<const std::string>(text);
        module_.source = source;
        module_.version = "SASS";
        module_.target = "unknown";
        module_.machine_code = true;
    }

    PtxModule read() {
        const std::string_view text = *module_.text;
        for (std::size_t begin = 0; begin < text.size();) {
            const std::size_t end = std::min(text.find('\n', begin), text.size());
            ++line_;
            take(parse_line(text.substr(begin, end - begin)), text.substr(begin, end - begin));
            begin = end + 1;
        }
        end_function();
        if (module_.functions.empty())
            throw InputError(module_.source +
                             ": expected a listing of cuobjdump -sass or nvdisasm, found no function "
                             "with instructions");
        return std::move(module_);
    }

  private:
    struct Branch {
        std::uint32_t instruction;
        std::string_view label;                ///< of nvdisasm
        std::optional<std::uint64_t> address;  ///< of cuobjdump
        std::uint32_t line;
    };

    [[noreturn]] void fail(std::uint32_t line, const std::string& message) const {
        throw InputError(module_.source + ":" + std::to_string(line) + ": " + message);
    }

    /// "sm_90a", "SM90": the number decides.
    void check_target(std::string_view target, std::string_view prefix) const {
        std::string_view number =
            target.starts_with(prefix) ? target.substr(prefix.size()) : std::string_view();
        number = number.substr(0, number.find_first_not_of("0123456789"));
        if (!is_sass_architecture(number))
            fail(line_, "expected machine code of an architecture from sm_30 to sm_121, found '" +
                            ptx_shown(target) + "'");
    }

    void take(const Line& line, std::string_view whole) {
        if (!line.target.empty() && module_.target == "unknown") {
            module_.target = line.target;
            check_target(line.target, "sm_");
        }
        const std::size_t flag = whole.find("EF_CUDA_SM");
        if (flag != std::string_view::npos && whole.find(".headerflags") != std::string_view::npos &&
            module_.target == "unknown") {
            // "EF_CUDA_SM70": the target without its prefix.
            const std::size_t end = whole.find_first_not_of("0123456789", flag + 10);
            module_.target = whole.substr(flag + 8, end - flag - 8);
            check_target(module_.target, "SM");
        }
        if (!line.function.empty()) {
            end_function();
            function_ = PtxFunction{};
            function_->name = line.function;
            function_->is_kernel = true;
            function_->has_body = true;
            function_->line = line_;
        }
        if (!function_) return;
        if (!line.label.empty()) {
            labels_.emplace(line.label, static_cast<std::uint32_t>(function_->labels.size()));
            function_->labels.push_back(
                {line.label, static_cast<std::uint32_t>(function_->instructions.size()), line_});
        }
        if (line.address) add(*line.address, line.instruction);
    }

    void add(std::uint64_t address, std::string_view text) {
        PtxInstruction instruction;
        instruction.line = line_;
        instruction.callee = no_function;
        if (text.starts_with("@")) {
            const std::size_t space = std::min(text.find(' '), text.size());
            const std::string_view guard = text.substr(1, space - 1);
            // @PT is always true; @!PT never.
            if (guard != "PT" && guard != "UPT")
                instruction.guard = PtxGuard{PtxRegister{}, guard.starts_with('!')};
            text = trimmed(text.substr(space));
        }
        const std::string_view opcode = text.substr(0, text.find_first_of(" \t"));
        if (opcode.empty()) fail(line_, "expected an instruction behind its address, found none");
        instruction.opcode = ptx_counterpart_of_sass(opcode);
        instruction.ptx_class =
            instruction.opcode.empty() ? PtxClass::unknown : ptx_class_of(instruction.opcode);
        if (instruction.opcode.empty()) instruction.opcode = opcode;
        instruction.first_operand = static_cast<std::uint32_t>(function_->operands.size());
        if (const std::int64_t bytes = sass_copy_bytes(opcode); bytes > 0) {
            function_->operands.push_back({.kind = PtxOperand::Kind::integer, .position = 2, .value = bytes});
            instruction.operand_count = 1;
        }
        const auto number = static_cast<std::uint32_t>(function_->instructions.size());
        by_address_.emplace(address, number);
        if (instruction.ptx_class == PtxClass::branch) note_branch(number, text.substr(opcode.size()));
        function_->instructions.push_back(instruction);
    }

    /// "`(.L_x_2)" of nvdisasm, "0x80" of cuobjdump, behind predicates and registers.
    void note_branch(std::uint32_t number, std::string_view operands) {
        Branch branch{number, {}, {}, line_};
        const std::size_t quoted = operands.find("`(");
        if (quoted != std::string_view::npos) {
            const std::size_t end = operands.find(')', quoted);
            branch.label = trimmed(operands.substr(quoted + 2, end - quoted - 2));
        } else {
            const std::size_t number_at = operands.rfind("0x");
            if (number_at != std::string_view::npos)
                branch.address = hex(trimmed(operands.substr(number_at + 2)));
        }
        branches_.push_back(branch);
    }

    /// The label of an address, made where there is none.
    std::uint32_t label_at(const Branch& branch) {
        if (!branch.label.empty()) {
            const auto found = labels_.find(branch.label);
            if (found == labels_.end())
                fail(branch.line,
                     "a branch to '" + ptx_shown(branch.label) + "', which is no label of this function");
            return found->second;
        }
        if (!branch.address) fail(branch.line, "expected a branch to a label or an address");
        const auto found = by_address_.find(*branch.address);
        if (found == by_address_.end())
            fail(branch.line, "a branch to an address at which no instruction of this function stands");
        const auto known = label_of_instruction_.find(found->second);
        if (known != label_of_instruction_.end()) return known->second;
        const auto number = static_cast<std::uint32_t>(function_->labels.size());
        label_of_instruction_.emplace(found->second, number);
        // The name is what the branch itself says: a view of the text.
        const std::string_view line = text_of_line(branch);
        function_->labels.push_back({line, found->second, function_->instructions[found->second].line});
        return number;
    }

    std::string_view text_of_line(const Branch& branch) const {
        const std::string_view text = *module_.text;
        std::size_t begin = 0;
        for (std::uint32_t line = 1; line < branch.line; ++line) begin = text.find('\n', begin) + 1;
        std::string_view line = text.substr(begin, text.find('\n', begin) - begin);
        line = line.substr(0, line.find(';'));
        line = trimmed(line.substr(line.rfind("0x")));
        return line;
    }

    void end_function() {
        if (!function_) return;
        if (!function_->instructions.empty()) {
            for (const Branch& branch : branches_) {
                const std::uint32_t label = label_at(branch);
                PtxInstruction& instruction = function_->instructions[branch.instruction];
                instruction.first_target = static_cast<std::uint32_t>(function_->targets.size());
                instruction.target_count = 1;
                function_->targets.push_back(label);
            }
            // Labels in the order of the text, as those of PTX are.
            sort_labels();
            function_->registers = 1;
            if (!module_.find(function_->name)) module_.functions.push_back(std::move(*function_));
        }
        function_.reset();
        branches_.clear();
        labels_.clear();
        by_address_.clear();
        label_of_instruction_.clear();
    }

    void sort_labels() {
        std::vector<std::uint32_t> order(function_->labels.size());
        for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
        std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
            return function_->labels[a].instruction < function_->labels[b].instruction;
        });
        std::vector<std::uint32_t> place(order.size());
        std::vector<PtxLabel> sorted;
        for (std::uint32_t i = 0; i < order.size(); ++i) {
            place[order[i]] = i;
            sorted.push_back(function_->labels[order[i]]);
        }
        function_->labels = std::move(sorted);
        for (std::uint32_t& target : function_->targets) target = place[target];
    }

    PtxModule module_;
    std::uint32_t line_ = 0;
    std::optional<PtxFunction> function_;
    std::vector<Branch> branches_;
    std::unordered_map<std::string_view, std::uint32_t> labels_;   // by name
    std::unordered_map<std::uint64_t, std::uint32_t> by_address_;  // instructions
    std::unordered_map<std::uint32_t, std::uint32_t> label_of_instruction_;
};

}  // namespace

bool is_sass(std::string_view text) {
    if (text.find("/*0000*/") == std::string_view::npos) return false;
    const bool listed =
        text.find("Function :") != std::string_view::npos || text.find(".text.") != std::string_view::npos;
    return listed && text.find("\n.version") == std::string_view::npos && !text.starts_with(".version");
}

PtxModule read_sass(std::string_view text, const std::string& source) {
    return SassReader(text, source).read();
}

}  // namespace warpnet
