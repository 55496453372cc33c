// Reads listings of cuobjdump -sass and nvdisasm line by line. Each machine instruction becomes its
// counterpart in PTX (opcodes.cpp), so that one analysis serves both. Labels and addresses are resolved at
// the end of a function, and control_flow.cpp connects indirect transfers. A line that no listing has is an
// error with its number. O(text).

#include "netgen/code/sass/read_sass.hpp"

#include "engine/base/text.hpp"
#include "engine/input/lines.hpp"
#include "engine/net/error.hpp"
#include "netgen/code/ptx/text/module.hpp"
#include "netgen/code/ptx/text/opcodes.hpp"
#include "netgen/code/ptx/text/scanner.hpp"
#include "netgen/code/sass/control_flow.hpp"
#include "netgen/code/sass/opcodes.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

namespace warpnet::netgen {

namespace {

/// A line of a listing.
struct Line {
    std::optional<std::uint64_t> address;  ///< of the instruction on it
    std::string_view instruction;          ///< without its address, encoding and semicolon
    std::string_view label;                ///< ".L_x_2" of ".L_x_2:"
    std::string_view function;             ///< that begins here
    std::string_view target;               ///< "sm_80" of "code for sm_80"
    std::string_view section;              ///< ".nv.info" of ".section .nv.info,…"
    std::string_view attributes;           ///< of ".headerflags @"…"", between the quotes
    std::string_view unknown;              ///< a part of it that no listing has
};

std::optional<std::uint64_t> hex(std::string_view digits) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
    return error == std::errc() && end == digits.data() + digits.size() && !digits.empty()
               ? std::optional(value)
               : std::nullopt;
}

template <std::size_t n>
bool begins_with_any(std::string_view text, const std::array<std::string_view, n>& begins) {
    return std::any_of(begins.begin(), begins.end(),
                       [&](std::string_view begin) { return text.starts_with(begin); });
}

/// Comments removed from the front.
std::string_view behind_comments(std::string_view text) {
    while (true) {
        text = trimmed(text);
        if (text.starts_with("//")) return {};
        const std::size_t end = text.find("*/");
        if (!text.starts_with("/*") || end == std::string_view::npos) return text;
        text.remove_prefix(end + 2);
    }
}

/// A word that only white space separates from the preceding word, unlike lists, which have commas. Registers
/// and an offset as in "RET R2 0x0" have no commas.
std::string_view stray_word(std::string_view text) {
    bool quoted = false;
    char before = ',';
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '"') quoted = !quoted;
        if (quoted || (text[i] != ' ' && text[i] != '\t')) {
            before = text[i];
            continue;
        }
        const std::size_t next = text.find_first_not_of(" \t", i);
        if (next == std::string_view::npos) break;
        const auto in_word = [](char c) {
            return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
        };
        const bool ends = in_word(before) || before == ']' || before == ')' || before == '"' || before == '}';
        if (ends && in_word(text[next]) && !(text[next] >= '0' && text[next] <= '9'))
            return text.substr(next, text.find_first_of(" \t,;", next) - next);
        i = next - 1;
    }
    return {};
}

Line parse_directive(std::string_view text) {
    constexpr std::array<std::string_view, 32> directives = {
        ".align",          ".byte",         ".dword",       ".elftype",      ".file",       ".global",
        ".headerflags",    ".hidden",       ".loc",         ".nv_debug_ptx", ".other",      ".section",
        ".sectionentsize", ".sectionflags", ".sectioninfo", ".short",        ".size",       ".string",
        ".type",           ".weak",         ".word",        ".zero",         ".abiversion", ".ascii",
        ".comm",           ".common",       ".extern",      ".local",        ".nv_shared",  ".quad",
        ".skip",           ".target"};
    Line line;
    const std::string_view word = text.substr(0, text.find_first_of(" \t"));
    const std::string_view rest = trimmed(text.substr(word.size()));
    if (std::find(directives.begin(), directives.end(), word) == directives.end()) {
        const std::size_t behind = std::min(text.find_first_not_of('.'), text.size());
        line.unknown = behind > 3 ? text.substr(behind) : text;  // a line of dots ends a function
        return line;
    }
    line.unknown = stray_word(rest);
    if (word == ".section") line.section = rest.substr(0, rest.find_first_of(", \t"));
    const std::size_t quote = rest.find("@\"");
    if (quote != std::string_view::npos) {
        line.attributes = rest.substr(quote + 2);
        line.attributes = line.attributes.substr(0, line.attributes.rfind('"'));
    }
    return line;
}

Line parse_line(std::string_view text) {
    Line line;
    text = trimmed(text);
    if (text.empty() || text.starts_with("//") || is_fatbin_line(text) ||
        text.find_first_not_of('.') == std::string_view::npos)
        return line;
    if (text.starts_with("/*")) {
        const std::size_t end = text.find("*/");
        if (end == std::string_view::npos) {
            line.unknown = text;
            return line;
        }
        const auto address = hex(trimmed(text.substr(2, end - 2)));
        std::string_view rest = trimmed(text.substr(end + 2));
        if (rest.starts_with('.')) return parse_directive(rest.substr(0, rest.find("/*")));  // data
        if (rest.starts_with('{')) rest = trimmed(rest.substr(1));  // two instructions issued together
        const std::size_t comment = rest.find("/*");
        const std::size_t semicolon = std::min(rest.find(';'), comment);
        const std::string_view instruction = trimmed(rest.substr(0, semicolon));
        // The second half of an encoding is alone on its line.
        if (instruction.empty()) {
            if (semicolon != std::string_view::npos) line.unknown = behind_comments(rest.substr(semicolon));
            return line;
        }
        if (!address) {
            line.unknown = text;
            return line;
        }
        line.address = address;
        line.instruction = instruction;
        if (line.instruction.ends_with('}') && line.instruction.find('{') == std::string_view::npos)
            line.instruction = trimmed(line.instruction.substr(0, line.instruction.size() - 1));
        if (semicolon != std::string_view::npos) {
            std::string_view behind = rest.substr(semicolon);
            if (behind.starts_with(';')) behind.remove_prefix(1);
            behind = behind_comments(behind);
            if (behind.starts_with('}')) behind = behind_comments(behind.substr(1));
            line.unknown = behind;
        }
        return line;
    }
    constexpr std::string_view listed = "Function :";
    constexpr std::string_view code = "code for ";
    if (text.starts_with(listed)) {
        line.function = trimmed(text.substr(listed.size()));
    } else if (text.starts_with(code)) {
        line.target = trimmed(text.substr(code.size()));
    } else if (const std::size_t end = text.find_first_of(" \t");
               text[std::min(end, text.size()) - 1] == ':') {
        const std::string_view label = text.substr(0, std::min(end, text.size()) - 1);
        if (end != std::string_view::npos) line.unknown = behind_comments(text.substr(end));
        if (label.starts_with(".text.")) {
            line.function = label.substr(6);
        } else {
            line.label = label;
        }
    } else if (text.front() == '.') {
        return parse_directive(text);
    } else {
        line.unknown = text;
    }
    return line;
}

/// Removes the scheduling notes after the operands ("&req={0} &wr=0x1 ?trans5"), which cuobjdump prints for
/// sm_100 and later. They do not change the executed instructions.
std::string_view without_schedule(std::string_view text) {
    for (;;) {
        const std::size_t last = text.find_last_of(" \t");
        if (last == std::string_view::npos) return text;
        const std::string_view word = text.substr(last + 1);
        const auto is_note = [&] {
            for (const std::string_view wait : {"&req=", "&rd=", "&wr="})
                if (word.starts_with(wait)) return true;
            return word.starts_with("?trans") || word.starts_with("?WAIT");
        };
        if (!is_note()) return text;
        text = trimmed(text.substr(0, last));
    }
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
        each_line(*module_.text, [&](std::size_t number, std::string_view line) {
            line_ = static_cast<std::uint32_t>(number);
            take(parse_line(line), line);
        });
        end_function("the end of the file");
        connect_calls();
        for (PtxFunction& function : module_.functions) {
            std::vector<std::string>& unknown = function.unknown_modifiers;
            std::sort(unknown.begin(), unknown.end());
            unknown.erase(std::unique(unknown.begin(), unknown.end()), unknown.end());
        }
        if (module_.functions.empty())
            throw InputError(
                module_.source +
                ": expected a listing with the names of functions ('Function : NAME' of cuobjdump "
                "-sass, '.text.NAME' of nvdisasm), found no function with instructions");
        return std::move(module_);
    }

  private:
    /// The target of a call: a function of the module, or one outside the file.
    struct Callee {
        std::string_view name;
        std::uint32_t function = no_function;
    };

    [[noreturn]] void fail(std::uint32_t line, const std::string& message) const {
        throw InputError(module_.source + ":" + std::to_string(line) + ": " + message);
    }

    /// "sm_90a", "SM90".
    void check_target(std::string_view target, std::string_view prefix) const {
        std::string_view number =
            target.starts_with(prefix) ? target.substr(prefix.size()) : std::string_view();
        if (number.ends_with('a') || number.ends_with('f')) number.remove_suffix(1);
        if (!is_gpu_architecture(number))
            fail(line_, "expected machine code of an architecture from sm_30 to sm_121, found '" +
                            ptx_shown(target) + "'");
    }

    void ignore(std::uint32_t line, const std::string& what) {
        module_.warnings.push_back(module_.source + ":" + std::to_string(line) + ": " + what + " is ignored");
    }

    void check_attributes(std::string_view text) {
        constexpr std::array<std::string_view, 8> known = {"EF_CUDA_", "SHI_", "SHF_", "SHT_",
                                                           "STO_",     "STV_", "ET_",  "STT_"};
        for (std::string_view rest = trimmed(text); !rest.empty();) {
            const std::string_view word = rest.substr(0, rest.find_first_of(" \t|"));
            if (word.starts_with("SHI_REGISTERS="))
                module_.warnings.push_back(module_.source + ":" + std::to_string(line_) + ": " +
                                           ptx_shown(word) +
                                           " is ignored: --registers says how many a thread has");
            if (!begins_with_any(word, known)) ignore(line_, "unknown attribute '" + ptx_shown(word) + "'");
            rest = trimmed(rest.substr(std::min(word.size() + 1, rest.size())));
        }
    }

    /// All sections except ".text.NAME" contain data. Their names begin with one of these.
    void begin_section(std::string_view name) {
        constexpr std::array<std::string_view, 9> known = {
            ".nv.", ".nv_debug", ".debug_", ".rel", ".strtab", ".note", ".shstrtab", ".symtab", ".nv_fatbin"};
        if (name.starts_with(".text")) return;
        end_function("section '" + ptx_shown(name) + "'");
        section_ = name;
        if (!begins_with_any(name, known)) ignore(line_, "unknown section '" + ptx_shown(name) + "'");
    }

    void take(const Line& line, std::string_view whole) {
        if (!line.target.empty()) {
            check_target(line.target, "sm_");
            if (module_.target == "unknown") module_.target = line.target;
        }
        if (!line.attributes.empty()) check_attributes(line.attributes);
        if (!line.section.empty()) begin_section(line.section);
        if (!line.unknown.empty()) ignore(line_, "'" + ptx_shown(line.unknown) + "'");
        const std::size_t flag = whole.find("EF_CUDA_SM");
        if (flag != std::string_view::npos && whole.find(".headerflags") != std::string_view::npos &&
            module_.target == "unknown") {
            // "EF_CUDA_SM70": the target without its prefix.
            const std::size_t end = whole.find_first_of(" \"", flag + 10);
            module_.target = whole.substr(flag + 8, end - flag - 8);
            check_target(module_.target, "SM");
        }
        if (!line.function.empty()) {
            end_function("function '" + ptx_shown(line.function) + "'");
            function_ = PtxFunction{};
            function_->name = line.function;
            function_->is_kernel = true;
            function_->has_body = true;
            function_->line = line_;
        }
        if (!function_) {
            if (!line.address) return;
            fail(line_, section_.empty()
                            ? "expected a function before the first instruction, found none"
                            : "expected instructions in a section such as .text.k, found one in '" +
                                  ptx_shown(section_) + "'");
        }
        if (!line.label.empty()) {
            const auto number = static_cast<std::uint32_t>(function_->labels.size());
            if (!labels_.emplace(line.label, number).second)
                fail(line_, "label '" + ptx_shown(line.label) + "' is there a second time");
            function_->labels.push_back(
                {line.label, static_cast<std::uint32_t>(function_->instructions.size()), line_});
        }
        if (line.address) add(*line.address, line.instruction);
    }

    void add(std::uint64_t address, std::string_view text) {
        PtxInstruction instruction;
        instruction.line = line_;
        instruction.callee = no_function;
        bool never = false;
        if (text.starts_with("@")) {
            const std::size_t space = std::min(text.find_first_of(" \t"), text.size());
            const std::string_view guard = text.substr(1, space - 1);
            if (!is_sass_predicate(guard))
                fail(line_,
                     "expected a predicate such as P0 or !UP1 after '@', found '" + ptx_shown(guard) + "'");
            never = guard == "!PT" || guard == "!UPT";
            if (!guard.ends_with("PT")) instruction.guard = PtxGuard{PtxRegister{}, guard.starts_with('!')};
            text = trimmed(text.substr(space));
        }
        text = without_schedule(text);
        const std::string_view opcode = text.substr(0, text.find_first_of(" \t"));
        if (opcode.empty()) fail(line_, "expected an instruction after its address, found none");
        if (const std::string_view stray = stray_word(text.substr(opcode.size())); !stray.empty())
            ignore(line_, "'" + ptx_shown(stray) + "' behind an operand without a comma");
        instruction.opcode = ptx_counterpart_of_sass(opcode);
        instruction.ptx_class =
            instruction.opcode.empty() ? PtxClass::unknown : ptx_class_of(instruction.opcode);
        if (instruction.opcode.empty()) {
            instruction.opcode = opcode;
        } else {
            for (const std::string_view part : unknown_sass_modifiers(opcode))
                function_->unknown_modifiers.push_back("." + std::string(part) + " of " +
                                                       std::string(opcode));
        }
        SassTransfer transfer = sass_transfer(opcode, text.substr(opcode.size()), architecture() < 50);
        if (!transfer.unknown.empty())
            fail(line_,
                 fmt::format("expected a target, a predicate or a register as operand of {}, found '{}'",
                             ptx_shown(opcode), ptx_shown(transfer.unknown)));
        // An instruction that is never executed is issued and does nothing.
        never |= transfer.never;
        if (never) {
            instruction.opcode = "mov.u32";
            instruction.ptx_class = PtxClass::move;
        }
        instruction.first_operand = static_cast<std::uint32_t>(function_->operands.size());
        if (const std::int64_t bytes = sass_copy_bytes(opcode); bytes > 0 && !never) {
            function_->operands.push_back({.kind = PtxOperand::Kind::integer, .position = 2, .value = bytes});
            instruction.operand_count = 1;
        }
        check_address(address);
        const auto number = static_cast<std::uint32_t>(function_->instructions.size());
        if (!by_address_.emplace(address, number).second)
            fail(line_, "expected an address behind the one before, found it a second time");
        if (!never && transfer.control != SassControl::none)
            controls_.push_back({number, std::move(transfer), {}});
        function_->instructions.push_back(instruction);
    }

    /// 80 of "sm_80" and "SM80a"; none: 999.
    int architecture() const {
        int number = 999;
        const std::size_t digits =
            std::min(module_.target.find_first_of("0123456789"), module_.target.size());
        std::from_chars(module_.target.data() + digits, module_.target.data() + module_.target.size(),
                        number);
        return number;
    }

    /// Instructions follow each other without gaps. Since Volta they are 16 bytes apart, before that 8, with
    /// up to one word of control in between. A gap means a lost line, whose time would also be lost.
    void check_address(std::uint64_t address) {
        const bool short_words = architecture() < 70;
        constexpr std::uint64_t long_word = 16;
        const std::uint64_t next = by_address_.empty() ? 0 : last_address_ + (short_words ? 8 : long_word);
        if (address > next + (short_words ? 8 : 0) && !by_address_.contains(address))
            fail(line_,
                 fmt::format("expected the instruction at address {:#x}, found the one at {:#x}: lines of "
                             "the listing are missing",
                             next, address));
        last_address_ = address;
    }

    /// The instruction that a label or an address names. Creates its label if there is none.
    std::optional<std::uint32_t> instruction_at(std::string_view place) {
        const auto label = labels_.find(place);
        if (label != labels_.end()) {
            const std::uint32_t instruction = function_->labels[label->second].instruction;
            if (instruction == function_->instructions.size()) return std::nullopt;
            label_of_instruction_.emplace(instruction, label->second);
            return instruction;
        }
        const auto address = place.starts_with("0x") ? hex(place.substr(2)) : std::nullopt;
        auto found = address ? by_address_.find(*address) : by_address_.end();
        // Before Volta a branch may lead to the word of control in front of the instruction.
        const int arch = architecture();
        const std::uint64_t words = arch < 50 ? 0x40 : 0x20;
        if (found == by_address_.end() && address && arch < 70 && *address % words == 0)
            found = by_address_.find(*address + 8);
        if (found == by_address_.end()) return std::nullopt;
        const auto number = static_cast<std::uint32_t>(function_->labels.size());
        if (label_of_instruction_.emplace(found->second, number).second)
            function_->labels.push_back({place, found->second, function_->instructions[found->second].line});
        return found->second;
    }

    /// Finds the instructions that a control instruction names. The target of a call may be in another
    /// function.
    void find_targets(SassControlInstruction& control) {
        using enum SassControl;
        PtxInstruction& instruction = function_->instructions[control.instruction];
        const SassTransfer& transfer = control.transfer;
        if (transfer.control == call && transfer.targets.size() == 1) {
            // The linker sets the address 0.
            const std::string_view name = transfer.targets.front();
            const bool linked = !name.starts_with("0x") || hex(name.substr(2)).value_or(1) != 0;
            const auto found = linked ? instruction_at(name) : std::nullopt;
            instruction.callee = static_cast<std::uint32_t>(callees_.size());
            callees_.push_back({name});
            if (found) control.targets = {*found};
            return;
        }
        if (transfer.control == call) return;
        if (transfer.targets.empty() && (transfer.control == branch || transfer.control == push))
            fail(instruction.line, "expected a branch to a label or an address");
        for (const std::string_view place : transfer.targets) {
            const auto found = instruction_at(place);
            if (!found && (place.starts_with("0x") || labels_.contains(place)))
                fail(instruction.line, "a branch to an address without an instruction of this function");
            if (!found)
                fail(instruction.line,
                     "a branch to '" + ptx_shown(place) + "', which is no label of this function");
            control.targets.push_back(*found);
        }
    }

    /// `behind`: the line that ends the function.
    void end_function(const std::string& behind) {
        if (!function_) return;
        if (!function_->instructions.empty()) {
            for (SassControlInstruction& control : controls_) find_targets(control);
            const std::vector<SassBody> bodies =
                connect_sass(*function_, controls_, {module_.source, behind});
            std::unordered_map<std::uint32_t, std::uint32_t> body_at;
            for (std::uint32_t b = 0; b < bodies.size(); ++b) body_at.emplace(bodies[b].entry, b);
            const auto first = static_cast<std::uint32_t>(module_.functions.size());
            std::vector<std::string_view> names(bodies.size());
            for (const SassControlInstruction& control : controls_) {
                PtxInstruction& instruction = function_->instructions[control.instruction];
                const SassControl own = control.transfer.control;
                if (own != SassControl::call) instruction.callee = no_function;
                if (own == SassControl::call && !control.targets.empty()) {
                    // Calls that no entry reaches have no body.
                    const auto body = body_at.find(control.targets.front());
                    if (body == body_at.end()) {
                        instruction.callee = no_function;
                        continue;
                    }
                    Callee& callee = callees_[instruction.callee];
                    callee.function = first + body->second;
                    names[body->second] = callee.name;
                }
                if (own != SassControl::branch && own != SassControl::indirect && own != SassControl::pop)
                    continue;
                instruction.first_target = static_cast<std::uint32_t>(function_->targets.size());
                instruction.target_count = static_cast<std::uint32_t>(control.targets.size());
                for (const std::uint32_t target : control.targets)
                    function_->targets.push_back(label_of_instruction_.at(target));
            }
            // Labels in the order of the text, as in PTX.
            sort_labels(*function_);
            function_->registers = 1;
            if (module_.find(function_->name)) {
                ignore(function_->line, "a second listing of function '" + ptx_shown(function_->name) + "'");
            } else {
                add_functions(bodies, names);
            }
        } else {
            ignore(function_->line, "function '" + ptx_shown(function_->name) + "' without instructions");
        }
        function_.reset();
        controls_.clear();
        labels_.clear();
        by_address_.clear();
        label_of_instruction_.clear();
    }

    /// Adds the function without the code that only its calls reach, and the called functions.
    void add_functions(const std::vector<SassBody>& bodies, const std::vector<std::string_view>& names) {
        if (bodies.size() == 1) {
            module_.functions.push_back(std::move(*function_));
            return;
        }
        std::vector<bool> elsewhere(function_->instructions.size(), false);
        for (std::size_t b = bodies.size(); b-- > 0;)
            for (const std::uint32_t i : bodies[b].instructions) elsewhere[i] = b > 0;
        std::vector<std::uint32_t> own;
        for (std::uint32_t i = 0; i < elsewhere.size(); ++i)
            if (!elsewhere[i]) own.push_back(i);
        module_.functions.push_back(part_of(own));
        PtxFunction& kernel = module_.functions.back();
        kernel.name = function_->name;
        kernel.is_kernel = true;
        kernel.line = function_->line;
        kernel.unknown_modifiers = std::move(function_->unknown_modifiers);
        for (std::size_t b = 1; b < bodies.size(); ++b) {
            module_.functions.push_back(part_of(bodies[b].instructions));
            module_.functions.back().name = names[b];
            module_.functions.back().line = function_->instructions[bodies[b].entry].line;
        }
    }

    /// These instructions as a function. Their branches lead only to these instructions.
    PtxFunction part_of(const std::vector<std::uint32_t>& instructions) const {
        PtxFunction part;
        part.has_body = true;
        part.registers = 1;
        const auto place = [](const std::vector<std::uint32_t>& sorted, std::uint32_t value) {
            return static_cast<std::uint32_t>(std::lower_bound(sorted.begin(), sorted.end(), value) -
                                              sorted.begin());
        };
        std::vector<std::uint32_t> labels;
        for (const std::uint32_t i : instructions)
            for (const std::uint32_t label : function_->targets_of(function_->instructions[i]))
                labels.push_back(label);
        std::sort(labels.begin(), labels.end());
        labels.erase(std::unique(labels.begin(), labels.end()), labels.end());
        for (const std::uint32_t label : labels) {
            part.labels.push_back(function_->labels[label]);
            part.labels.back().instruction = place(instructions, part.labels.back().instruction);
        }
        for (const std::uint32_t i : instructions) {
            PtxInstruction& instruction = part.instructions.emplace_back(function_->instructions[i]);
            instruction.first_operand = static_cast<std::uint32_t>(part.operands.size());
            for (const PtxOperand& operand : function_->operands_of(function_->instructions[i]))
                part.operands.push_back(operand);
            instruction.first_target = static_cast<std::uint32_t>(part.targets.size());
            for (const std::uint32_t label : function_->targets_of(function_->instructions[i]))
                part.targets.push_back(place(labels, label));
        }
        return part;
    }

    /// Calls name a function of the file, or one that is only declared.
    void connect_calls() {
        std::unordered_map<std::string_view, std::uint32_t> by_name;
        for (std::uint32_t f = 0; f < module_.functions.size(); ++f)
            if (module_.functions[f].is_kernel) by_name.emplace(module_.functions[f].name, f);
        for (std::uint32_t f = 0; f < module_.functions.size(); ++f) {
            for (std::size_t i = 0; i < module_.functions[f].instructions.size(); ++i) {
                PtxInstruction& instruction = module_.functions[f].instructions[i];
                if (instruction.callee == no_function) continue;
                const Callee& callee = callees_[instruction.callee];
                if (callee.function != no_function) {
                    instruction.callee = callee.function;
                    continue;
                }
                const auto [found, is_new] =
                    by_name.emplace(callee.name, static_cast<std::uint32_t>(module_.functions.size()));
                instruction.callee = found->second;
                // A called function is no kernel.
                if (!is_new && found->second != f) module_.functions[found->second].is_kernel = false;
                if (!is_new) continue;
                PtxFunction declared;
                declared.name = callee.name;
                declared.line = instruction.line;
                module_.functions.push_back(std::move(declared));
            }
        }
    }

    PtxModule module_;
    std::uint32_t line_ = 0;
    std::optional<PtxFunction> function_;
    std::string_view section_;  // of data
    std::vector<SassControlInstruction> controls_;
    std::vector<Callee> callees_;                                  // of all calls
    std::unordered_map<std::string_view, std::uint32_t> labels_;   // by name
    std::unordered_map<std::uint64_t, std::uint32_t> by_address_;  // instructions
    std::unordered_map<std::uint32_t, std::uint32_t> label_of_instruction_;
    std::uint64_t last_address_ = 0;
};

bool names_functions(std::string_view text) {
    return text.find("Function :") != std::string_view::npos || text.find(".text.") != std::string_view::npos;
}

}  // namespace

bool is_sass(std::string_view text) {
    // Before Volta, address 0 may hold a control word, which has no address in the listing.
    if (text.find("/*0000*/") == std::string_view::npos && text.find("/*0008*/") == std::string_view::npos &&
        text.find(".headerflags") == std::string_view::npos)
        return false;
    return (names_functions(text) || text.starts_with(".headerflags") ||
            text.find("\n.headerflags") != std::string_view::npos ||
            text.find("\t.headerflags") != std::string_view::npos) &&
           text.find("\n.version") == std::string_view::npos && !text.starts_with(".version");
}

PtxModule read_sass(std::string_view text, const std::string& source) {
    if (text.find(".headerflags") != std::string_view::npos && text.find("/*00") == std::string_view::npos)
        throw InputError(source +
                         ": expected instructions behind their addresses (/*0000*/), as cuobjdump -sass "
                         "and nvdisasm print them, found none");
    return SassReader(text, source).read();
}

}  // namespace warpnet::netgen
