// The body of a function. Scopes nest, and a name in one of them hides those around it: a register is a pair
// of its scope and its name. Branches, lists of targets and calls are resolved at the end, as labels may come
// later. One pass, O(text); nesting needs no recursion, but brackets in operands do and are limited.
//
// A register gets its number at its first use and not at its declaration. `.reg .b32 %r<1000>` declares a
// thousand names, of which few are used, and a text without .reg has no declarations at all. The declarations
// of inner scopes are a stack, searched from the top: O(open declarations of inner scopes) per use.

#include "netgen/code/ptx/text/body.hpp"

#include "engine/net/error.hpp"
#include "netgen/code/ptx/text/names.hpp"
#include "netgen/code/ptx/text/opcodes.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <string>

namespace warpnet::netgen {
namespace {

// Declarations and directives of a PTX text, as in modules and bodies: variables with their types and initial
// values, parameters, debugging sections. Declarations that take shared memory are kept. For all other
// declarations only the form is checked.

using Kind = PtxToken::Kind;

constexpr std::int64_t largest_variable = std::int64_t{1} << 40U;

// Bytes of `.f32`, `.b8`, …; 1 for types of unknown size.
std::int64_t type_bytes(std::string_view directive) {
    return std::max<std::int64_t>(ptx_access_bytes(directive), 1);
}

std::int64_t times(PtxScanner& scanner, std::int64_t a, std::int64_t b) {
    if (b < 0 || (a != 0 && b > largest_variable / a))
        scanner.fail_with("a variable of more than 2^40 bytes");
    return a * b;
}

constexpr SortedWords type_directives(
    ".b1 .b128 .b16 .b32 .b64 .b8 .bf16 .bf16x2 .e4m3 .e5m2 .f16 .f16x2 .f32 .f64 .pred .s16 .s32 .s64 .s8 "
    ".samplerref .surfref .texref .u16 .u32 .u64 .u8");

// `16`, `-1.5`, `name`, `name+4`, `generic(name)`, `mask(0xff) name`.
void read_initial_value(PtxScanner& scanner, std::vector<PtxUse>& used) {
    while (scanner.skip('-') || scanner.skip('+') || scanner.skip('~') || scanner.skip('!')) {
    }
    const PtxToken& token = scanner.peek();
    if (token.kind == Kind::real) {
        scanner.take();
    } else if (token.kind == Kind::integer || token.is('(')) {
        read_ptx_constant(scanner);
    } else if (token.kind == Kind::word) {
        const std::uint32_t line = scanner.line();
        const std::string_view name = scanner.take().text;
        if (scanner.skip('(')) {
            if (name != "generic" && name != "mask")
                scanner.fail_on_line(line,
                                     "expected generic or mask before '(', found '" + ptx_shown(name) + "'");
            read_initial_value(scanner, used);
            scanner.expect(')', "after an initial value");
            if (name == "mask" && scanner.peek().kind == Kind::word) return read_initial_value(scanner, used);
        } else {
            used.push_back({name, line});
        }
        if (scanner.skip('+')) read_ptx_constant(scanner);
    } else {
        scanner.fail("an initial value");
    }
}

void read_initial_values(PtxScanner& scanner, std::vector<PtxUse>& used) {
    std::size_t depth = 0;
    do {
        while (scanner.skip('{')) ++depth;
        if (!scanner.at('}')) read_initial_value(scanner, used);
        while (depth > 0 && scanner.skip('}')) --depth;
    } while (depth > 0 && scanner.skip(','));
    if (depth > 0) scanner.fail("',' or '}'");
}

// `name<4>[2][3] = …`; bytes of all its elements.
std::int64_t read_declarator(PtxScanner& scanner, std::int64_t bytes, PtxNames& names) {
    std::int64_t& count = names.declared[scanner.take().text];
    if (scanner.skip('<')) {
        if (scanner.peek().kind != Kind::integer) scanner.fail("how many variables");
        count = std::max<std::int64_t>(scanner.peek().value, 1);
        bytes = times(scanner, bytes, scanner.take().value);
        scanner.expect('>', "after the number of variables");
    }
    while (scanner.skip('[')) {
        if (scanner.at(']')) {
            bytes = 0;
        } else if (scanner.peek().kind == Kind::integer || scanner.at('(') ||
                   scanner.peek().text == "WARP_SZ") {
            bytes = times(scanner, bytes, read_ptx_constant(scanner));
        } else {
            scanner.fail("a size or ']'");
        }
        scanner.expect(']', "after the size of an array");
    }
    if (scanner.skip('=')) read_initial_values(scanner, names.used);
    return bytes;
}

}  // namespace

bool is_ptx_space(std::string_view directive) {
    return directive == ".global" || directive == ".const" || directive == ".shared" ||
           directive == ".local" || directive == ".param" || directive == ".reg" || directive == ".tex";
}

PtxType read_ptx_type(PtxScanner& scanner, std::string_view* space) {
    std::int64_t element = 1;
    std::int64_t alignment = 0;
    bool pointer = false;
    while (scanner.peek().kind == Kind::directive) {
        const std::uint32_t line = scanner.line();
        const std::string_view directive = scanner.take().text;
        if (directive == ".attribute") {
            read_ptx_attribute(scanner);
        } else if (directive == ".align") {
            constexpr std::int64_t most = std::int64_t{1} << 30U;
            const std::int64_t bytes = scanner.peek().value;
            if (scanner.peek().kind != Kind::integer || bytes < 1 || bytes > most ||
                (bytes & (bytes - 1)) != 0)
                scanner.fail("a power of 2 after .align");
            scanner.take();
            // The alignment after .ptr is that of the data pointed to.
            alignment = pointer ? 0 : bytes;
        } else if (directive == ".v2" || directive == ".v4" || directive == ".v8") {
            element = times(scanner, element, directive[2] - '0');
        } else if (type_directives.contains(directive)) {
            element = times(scanner, element, type_bytes(directive));
        } else if (directive == ".ptr") {
            pointer = true;
        } else if (is_ptx_space(directive)) {
            if (pointer && space != nullptr) *space = directive;
        } else {
            scanner.fail_on_line(line, "expected a type such as .b32, found '" + ptx_shown(directive) + "'");
        }
    }
    return {element, alignment > 0 ? alignment : std::max<std::int64_t>(1, element)};
}

void skip_ptx_integers(PtxScanner& scanner, int count, std::string_view what) {
    for (; count > 0; --count) {
        if (scanner.peek().kind != Kind::integer) scanner.fail(what);
        scanner.take();
    }
}

std::vector<PtxSharedVariable> read_ptx_declaration(PtxScanner& scanner, PtxNames& names) {
    const PtxType type = read_ptx_type(scanner);
    std::vector<PtxSharedVariable> variables;
    do {
        if (scanner.peek().kind != Kind::word) scanner.fail("the name of a variable");
        const std::string_view name = scanner.peek().text;
        variables.push_back({name, read_declarator(scanner, type.bytes, names), type.alignment});
    } while (scanner.skip(','));
    scanner.expect(';', "after a declaration");
    return variables;
}

void read_ptx_parameters(PtxScanner& scanner, PtxNames& names) {
    scanner.expect('(', "before parameters");
    while (!scanner.at(')')) {
        if (scanner.peek().text == "...") {  // any number of them
            scanner.take();
            break;
        }
        if (scanner.peek().kind != Kind::directive) scanner.fail(".param, .reg or ')'");
        std::string_view space;
        const std::int64_t element = read_ptx_type(scanner, &space).bytes;
        if (scanner.peek().kind == Kind::word) {
            if (!space.empty()) names.pointers[scanner.peek().text] = space;
            read_declarator(scanner, element, names);
        }
        if (!scanner.skip(',')) break;
    }
    scanner.expect(')', "after parameters");
}

void read_ptx_file(PtxScanner& scanner) {
    skip_ptx_integers(scanner, 1, "the number of a file");
    if (scanner.peek().kind != Kind::string) scanner.fail("the name of a file");
    scanner.take();
    while (scanner.skip(',')) skip_ptx_integers(scanner, 1, "the time or size of a file");
}

void read_ptx_location(PtxScanner& scanner) {
    const auto expect_place = [&] {
        skip_ptx_integers(scanner, 2, "a file and a line");
        if (scanner.peek().kind == Kind::integer) scanner.take();  // the column
    };
    expect_place();
    while (scanner.skip(',')) {
        const std::string_view key = scanner.peek().text;
        if (key == "inlined_at") {
            scanner.take();
            expect_place();
        } else if (key == "function_name") {
            scanner.take();
            if (scanner.peek().kind != Kind::word) scanner.fail("a label");
            scanner.take();
            if (scanner.skip('+')) skip_ptx_integers(scanner, 1, "an offset");
        } else {
            scanner.fail("function_name or inlined_at");
        }
    }
}

bool read_ptx_pragma(PtxScanner& scanner, std::vector<std::string>& warnings) {
    bool nounroll = false;
    do {
        if (scanner.peek().kind != Kind::string) scanner.fail("a string after .pragma");
        const std::uint32_t line = scanner.line();
        std::string_view text = scanner.take().text;
        text = text.substr(1, text.size() - 2);
        const std::string_view word = text.substr(0, text.find(' '));
        const std::string_view number = text.substr(std::min(word.size() + 1, text.size()));
        const bool counted = number.find_first_not_of("0123456789abcdefxABCDEF") == std::string_view::npos;
        nounroll = nounroll || text == "nounroll";
        if (counted && word == "frequency")
            warnings.push_back(scanner.place(line) + "pragma \"" + ptx_shown(text) +
                               "\" is ignored: --trips and --taken say how often blocks run");
        else if (text == "enable_smem_spilling")
            warnings.push_back(scanner.place(line) + "pragma \"" + ptx_shown(text) +
                               "\": shared memory to which registers are spilled is not counted");
        else if (text != "nounroll" && text != "unroll" && text != "abi" &&
                 !(counted && (word == "abi_param_reg" || word == "used_bytes_mask")))
            warnings.push_back(scanner.place(line) + "unknown pragma \"" + ptx_shown(text) + "\" is ignored");
    } while (scanner.skip(','));
    scanner.expect(';', "after .pragma");
    return nounroll;
}

void read_ptx_attribute(PtxScanner& scanner) {
    scanner.expect('(', "after .attribute");
    do {
        const PtxToken name = scanner.peek();
        if (name.text != ".managed" && name.text != ".unified") scanner.fail(".managed or .unified");
        scanner.take();
        if (!scanner.skip('(')) continue;
        skip_ptx_integers(scanner, 1, "a number");
        while (scanner.skip(',')) skip_ptx_integers(scanner, 1, "a number");
        scanner.expect(')', "after an attribute");
    } while (scanner.skip(','));
    scanner.expect(')', "after .attribute");
}

void read_ptx_section(PtxScanner& scanner, std::vector<std::string>& warnings) {
    constexpr SortedWords sections(
        ".debug_abbrev .debug_addr .debug_aranges .debug_frame .debug_info .debug_line .debug_line_str "
        ".debug_loc .debug_loclists .debug_macinfo .debug_names .debug_pubnames .debug_pubtypes "
        ".debug_ranges .debug_rnglists .debug_str .debug_str_offsets .debug_types");
    const std::uint32_t line = scanner.line();
    const PtxToken name = scanner.take();
    if (name.kind != Kind::directive && name.kind != Kind::word)
        scanner.fail_on_line(line, "expected the name of a section, found '" + ptx_shown(name.text) + "'");
    if (!sections.contains(name.text))
        warnings.push_back(scanner.place(line) + "unknown section '" + ptx_shown(name.text) + "' is ignored");
    scanner.expect('{', "after the name of a section");
    std::vector<PtxUse> used;
    const auto read_value = [&] {
        if (!sections.contains(scanner.peek().text)) return read_initial_value(scanner, used);
        scanner.take();
        if (scanner.skip('+')) read_initial_value(scanner, used);
    };
    while (!scanner.skip('}')) {
        if (scanner.peek().kind == Kind::word) {
            if (scanner.peek().text.find('.') != std::string_view::npos) scanner.fail("a label without '.'");
            scanner.take();
            scanner.expect(':', "after a label");
            continue;
        }
        if (!type_directives.contains(scanner.peek().text)) scanner.fail("a label, data such as .b8, or '}'");
        scanner.take();
        do {
            read_value();
            while (scanner.skip('-') || scanner.skip('+')) read_value();
        } while (scanner.skip(','));
        scanner.skip(';');
    }
}

namespace {

using Kind = PtxToken::Kind;

constexpr SortedWords selectors(".a .b .b0 .b1 .b2 .b3 .g .h0 .h1 .r .w .x .y .z");

}  // namespace

void PtxBodyReader::read() {
    open_scope();
    while (!scopes_.empty()) read_statement();
    resolve_targets();
}

void PtxBodyReader::open_scope() {
    const auto number = static_cast<std::uint32_t>(parent_of_.size());
    parent_of_.push_back(scopes_.empty() ? 0 : scopes_.back().number);
    scopes_.push_back({number, declared_.size(), scanner_.line()});
    scanner_.expect('{', "before the body of a function");
}

void PtxBodyReader::close_scope() {
    declared_.resize(scopes_.back().declared_before);
    scopes_.pop_back();
}

void PtxBodyReader::read_statement() {
    if (scanner_.at('{')) {
        open_scope();
    } else if (scanner_.skip('}')) {
        close_scope();
    } else if (scanner_.at('@') || scanner_.peek().kind == Kind::word) {
        read_instruction();
    } else if (scanner_.peek().kind == Kind::directive) {
        read_directive();
    } else if (!scanner_.skip(';')) {
        const std::uint32_t line = scopes_.back().line;
        scanner_.fail("an instruction, a label, a directive, or '}' of the '{' in line " +
                      std::to_string(line));
    }
}

void PtxBodyReader::read_directive() {
    const std::uint32_t line = scanner_.line();
    const std::string_view directive = scanner_.take().text;
    if (directive == ".reg") {
        read_registers();
    } else if (directive == ".loc") {
        read_ptx_location(scanner_);
    } else if (directive == ".file") {
        read_ptx_file(scanner_);
    } else if (directive == ".shared") {
        for (const PtxSharedVariable& variable : read_ptx_declaration(scanner_, names_))
            function_.shared.push_back(variable);
    } else if (is_ptx_space(directive)) {
        read_ptx_declaration(scanner_, names_);
    } else if (directive == ".pragma") {
        if (read_ptx_pragma(scanner_, warnings_) && !function_.labels.empty() &&
            function_.labels.back().instruction == function_.instructions.size())
            function_.labels.back().nounroll = true;
    } else {
        scanner_.fail_on_line(line, "expected an instruction or a directive such as .reg, found '" +
                                        ptx_shown(directive) + "'");
    }
}

// Registers of the function itself need no entry in declared_: a name that no inner scope declares belongs to
// the function.
void PtxBodyReader::read_registers() {
    read_ptx_type(scanner_);
    has_registers_ = true;
    do {
        if (scanner_.peek().kind != Kind::word) scanner_.fail("the name of a register");
        Declared declared{scanner_.take().text, 0, scopes_.back().number};
        if (scanner_.skip('<')) {
            if (scanner_.peek().kind != Kind::integer) scanner_.fail("how many registers");
            declared.count = std::max<std::int64_t>(scanner_.take().value, 1);
            scanner_.expect('>', "after the number of registers");
        }
        std::int64_t& count = names_.declared[declared.name];
        count = std::max(count, declared.count);
        if (scopes_.size() > 1) declared_.push_back(declared);
    } while (scanner_.skip(','));
    scanner_.expect(';', "after a declaration");
}

void PtxBodyReader::read_label(std::string_view name, std::uint32_t line) {
    if (name.find('.') != std::string_view::npos)
        scanner_.fail_on_line(line, "expected a label without '.', found '" + ptx_shown(name) + "'");
    if (scanner_.peek().kind == Kind::directive) {
        const std::string_view directive = scanner_.peek().text;
        if (directive == ".branchtargets") return read_name_list(name);
        if (directive == ".calltargets") return read_name_list(name);
        if (directive == ".callprototype") return read_prototype(name);
    }
    const auto number = static_cast<std::uint32_t>(function_.labels.size());
    const auto [before, is_new] = labels_.emplace(PtxScopedName{scopes_.back().number, name}, number);
    if (!is_new) {
        scanner_.fail_on_line(line, "label '" + ptx_shown(name) + "' is there a second time, first in line " +
                                        std::to_string(function_.labels[before->second].line));
    }
    function_.labels.push_back({name, static_cast<std::uint32_t>(function_.instructions.size()), line});
    names_.declared[name];
}

// Labels of `.branchtargets`, functions of `.calltargets`.
void PtxBodyReader::read_name_list(std::string_view name) {
    names_.declared[name];
    const bool labels = scanner_.take().text == ".branchtargets";
    std::vector<std::string_view>& list = label_lists_[{scopes_.back().number, name}];
    do {
        if (scanner_.peek().kind != Kind::word) scanner_.fail(labels ? "a label" : "a function");
        register_of(scanner_.peek().text);
        list.push_back(scanner_.take().text);
    } while (scanner_.skip(','));
    scanner_.expect(';', labels ? "after a list of labels" : "after a list of functions");
}

// `.callprototype (results) _ (parameters) .noreturn;`
void PtxBodyReader::read_prototype(std::string_view name) {
    names_.declared[name];
    scanner_.take();
    PtxNames parameters;
    if (scanner_.at('(')) read_ptx_parameters(scanner_, parameters);
    if (scanner_.peek().kind != Kind::word) scanner_.fail("'_'");
    scanner_.take();
    if (scanner_.at('(')) read_ptx_parameters(scanner_, parameters);
    while (scanner_.peek().text == ".noreturn" || scanner_.peek().text.starts_with(".abi_preserve")) {
        if (scanner_.take().text != ".noreturn") skip_ptx_integers(scanner_, 1, "a number of registers");
    }
    scanner_.expect(';', "after .callprototype");
}

void PtxBodyReader::read_instruction() {
    PtxInstruction instruction;
    const std::uint32_t line = scanner_.line();
    if (scanner_.skip('@')) {
        const bool negated = scanner_.skip('!');
        if (scanner_.peek().kind != Kind::word) scanner_.fail("a predicate after '@'");
        instruction.guard = {register_of(scanner_.take().text), negated};
    }
    if (scanner_.peek().kind != Kind::word) scanner_.fail("an instruction");
    instruction.opcode = scanner_.take().text;
    if (!instruction.guard && scanner_.skip(':')) return read_label(instruction.opcode, line);
    if (instruction.opcode.front() == '%')
        scanner_.fail("an instruction before '" + ptx_shown(instruction.opcode) + "'");
    instruction.line = line;
    instruction.ptx_class = ptx_class_of(instruction.opcode);
    instruction.callee = no_function;
    instruction.first_operand = static_cast<std::uint32_t>(function_.operands.size());
    const bool returns = scanner_.at('(');
    in_call_ = instruction.ptx_class == PtxClass::call;
    int count = 0;
    if (!scanner_.at(';')) {
        std::uint16_t position = 0;
        read_operand(position, false);
        while (scanner_.skip(',')) {
            if (++position == std::numeric_limits<std::uint16_t>::max()) scanner_.fail("';'");
            read_operand(position, false);
        }
        count = position + 1;
    }
    scanner_.expect(';', "after an instruction");
    if (const auto range = ptx_operands_of(instruction.opcode);
        range && (count < range->first || count > range->second))
        throw InputError(
            scanner_.place(line) + "expected " + std::to_string(range->first) +
            (range->first == range->second
                 ? ""
                 : (range->first + 1 == range->second ? " or " : " to ") + std::to_string(range->second)) +
            " operands of '" + ptx_shown(instruction.opcode) + "', found " + std::to_string(count));
    instruction.operand_count =
        static_cast<std::uint32_t>(function_.operands.size()) - instruction.first_operand;
    const auto operands = function_.operands_of(instruction);
    for (const PtxOperand& operand : operands)
        if (operand.position == 0 && !operand.in_address && operands.back().position > 0 &&
            operand.kind == PtxOperand::Kind::name)
            written_[index(operand.reg)] = true;
    const auto number = static_cast<std::uint32_t>(function_.instructions.size());
    function_.instructions.push_back(instruction);
    if (instruction.ptx_class == PtxClass::branch) note_branch(number);
    if (instruction.ptx_class == PtxClass::call) note_call(number, returns);
}

// An operand, or several that share its position: a|b, a+4.
void PtxBodyReader::read_operand(std::uint16_t position, bool in_address) {
    read_atom(position, in_address);
    while (scanner_.skip('|') || scanner_.skip('+') || scanner_.at('-')) read_atom(position, in_address);
}

void PtxBodyReader::read_atom(std::uint16_t position, bool in_address) {
    PtxOperand operand;
    operand.position = position;
    operand.in_address = in_address;
    std::string signs;
    while (scanner_.at('-') || scanner_.at('+') || scanner_.at('!') || scanner_.at('~')) {
        const PtxToken sign = scanner_.take();
        if (!sign.is('+')) signs += sign.text;
    }
    const PtxToken& token = scanner_.peek();
    operand.text = token.text;
    if (token.kind == Kind::word && token.text == "_") {
        scanner_.take();
        add(operand);
    } else if (token.kind == Kind::word && token.text != "WARP_SZ") {
        operand.kind = PtxOperand::Kind::name;
        operand.negated = !signs.empty();
        operand.reg = register_of(scanner_.take().text);
        add(operand);
    } else if (token.kind == Kind::integer || token.text == "WARP_SZ" || (token.is('(') && !in_call_)) {
        operand.kind = PtxOperand::Kind::integer;
        operand.value = read_ptx_constant(scanner_, signs);
        add(operand);
    } else if (token.kind == Kind::real) {
        operand.kind = PtxOperand::Kind::real;
        scanner_.take();
        add(operand);
    } else if (scanner_.skip('{')) {
        read_list('}', position, in_address);
    } else if (scanner_.skip('(')) {
        read_list(')', position, in_address);
    } else if (scanner_.skip('[')) {
        read_list(']', position, true);
    } else {
        scanner_.fail("an operand");
    }
}

void PtxBodyReader::read_list(char close, std::uint16_t position, bool in_address) {
    constexpr int deepest_list = 16;
    if (++list_depth_ > deepest_list) scanner_.fail_with("brackets nested more than 16 deep");
    if (!scanner_.at(close)) {
        do {
            read_operand(position, in_address);
        } while (scanner_.skip(','));
    }
    scanner_.expect(close, "or ','");
    --list_depth_;
}

void PtxBodyReader::add(PtxOperand operand) { function_.operands.push_back(operand); }

void PtxBodyReader::note_branch(std::uint32_t instruction) {
    const PtxInstruction& branch = function_.instructions[instruction];
    const auto operands = function_.operands_of(branch);
    if (operands.empty() || operands.back().kind != PtxOperand::Kind::name)
        scanner_.fail_on_line(branch.line, "expected a label after '" + ptx_shown(branch.opcode) + "'");
    branches_.push_back({instruction, scopes_.back().number, operands.back().text, branch.line,
                         ptx_base(branch.opcode) == "brx"});
}

// `call (result), function, (arguments)`: the function follows the result, if there is one.
void PtxBodyReader::note_call(std::uint32_t instruction, bool returns) {
    const auto operands = function_.operands_of(function_.instructions[instruction]);
    const std::uint16_t position = returns ? 1 : 0;
    const auto callee = std::find_if(operands.begin(), operands.end(),
                                     [&](const PtxOperand& o) { return o.position == position; });
    if (callee == operands.end() || callee->kind != PtxOperand::Kind::name)
        scanner_.fail_on_line(function_.instructions[instruction].line, "a call without a function");
    calls_.push_back({callee->text, instruction});
    call_scopes_.push_back(scopes_.back().number);
}

// A text without .reg declares its registers as it writes to them.
void PtxBodyReader::note_undeclared() {
    const auto declares = [&](std::string_view name) {
        if (const auto found = names_.declared.find(name);
            found != names_.declared.end() && found->second == 0)
            return true;
        // %r12 of %r<20>.
        for (std::size_t at = name.size(); at > 1 && name[at - 1] >= '0' && name[at - 1] <= '9'; --at) {
            const auto found = names_.declared.find(name.substr(0, at - 1));
            std::int64_t number = 0;
            const char* const end = name.data() + name.size();
            if (found == names_.declared.end() || found->second == 0) continue;
            if (std::from_chars(name.data() + at - 1, end, number).ptr == end && number < found->second)
                return true;
        }
        return false;
    };
    for (const auto& [key, number] : registers_) {
        if (!has_registers_ && written_[number]) continue;
        if (declares(key.name) || is_ptx_special_register(key.name)) continue;
        undeclared_.push_back({key.name, line_of_[number]});
    }
    for (const PtxUse& use : names_.used)
        if (!declares(use.name)) undeclared_.push_back(use);
    std::sort(undeclared_.begin(), undeclared_.end(), [](const PtxUse& a, const PtxUse& b) {
        return std::pair(a.line, a.name) < std::pair(b.line, b.name);
    });
}

// The value with this name in `scope` or around it, and its scope; null if there is none.
template <class Value>
const Value* PtxBodyReader::find_around(const Scoped<Value>& names, std::uint32_t& scope,
                                        std::string_view name) const {
    while (true) {
        const auto found = names.find({scope, name});
        if (found != names.end()) return &found->second;
        if (scope == 0) return nullptr;
        scope = parent_of_[scope];
    }
}

void PtxBodyReader::resolve_targets() {
    for (const BranchName& branch : branches_) {
        PtxInstruction& instruction = function_.instructions[branch.instruction];
        instruction.first_target = static_cast<std::uint32_t>(function_.targets.size());
        if (branch.is_list) {
            std::uint32_t scope = branch.scope;
            const std::vector<std::string_view>* const list = find_around(label_lists_, scope, branch.name);
            if (list == nullptr) {
                scanner_.fail_on_line(
                    branch.line, "no .branchtargets list '" + ptx_shown(branch.name) + "' in this function");
            }
            for (const std::string_view label : *list)
                function_.targets.push_back(find_label(branch, label, scope));
        } else {
            function_.targets.push_back(find_label(branch, branch.name, branch.scope));
        }
        instruction.target_count =
            static_cast<std::uint32_t>(function_.targets.size()) - instruction.first_target;
    }
    for (std::size_t c = 0; c < calls_.size(); ++c) {
        const auto operands = function_.operands_of(function_.instructions[calls_[c].instruction]);
        if (operands.back().kind != PtxOperand::Kind::name) continue;
        if (const auto* const list = find_around(label_lists_, call_scopes_[c], operands.back().text))
            calls_[c].targets = *list;
    }
    function_.registers = static_cast<std::uint32_t>(registers_.size());
    note_undeclared();
}

std::uint32_t PtxBodyReader::find_label(const BranchName& branch, std::string_view name,
                                        std::uint32_t scope) const {
    if (const std::uint32_t* const label = find_around(labels_, scope, name)) return *label;
    scanner_.fail_on_line(branch.line,
                          "a branch to '" + ptx_shown(name) + "', which is no label of this function");
}

PtxRegister PtxBodyReader::register_of(std::string_view name) {
    const std::string_view whole = name.substr(0, name.find('.'));  // %v.x, %r1.b0
    const std::string_view selector = name.substr(whole.size());
    if (!selector.empty() && !selectors.contains(selector))
        scanner_.fail_on_line(scanner_.line(),
                              "expected a part of a register such as .x, found '" + ptx_shown(name) + "'");
    std::uint32_t scope = 0;
    for (auto declared = declared_.rbegin(); declared != declared_.rend(); ++declared) {
        if (!whole.starts_with(declared->name)) continue;
        const std::string_view number = whole.substr(declared->name.size());
        const bool numbered =
            !number.empty() && number.find_first_not_of("0123456789") == std::string_view::npos;
        if (declared->count == 0 ? number.empty() : numbered) {
            scope = declared->scope;
            break;
        }
    }
    const auto next = static_cast<std::uint32_t>(registers_.size());
    const auto [found, is_new] = registers_.emplace(PtxScopedName{scope, whole}, next);
    if (is_new) {
        line_of_.push_back(scanner_.line());
        written_.push_back(false);
    }
    return PtxRegister(found->second);
}

}  // namespace warpnet::netgen
