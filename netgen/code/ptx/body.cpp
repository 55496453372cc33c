#include "netgen/code/ptx/body.hpp"

#include "netgen/code/ptx/constant.hpp"
#include "netgen/code/ptx/opcodes.hpp"

#include <algorithm>
#include <limits>
#include <string>

namespace warpnet {

namespace {

using Kind = PtxToken::Kind;

constexpr std::int64_t largest_variable = std::int64_t{1} << 40U;

bool at_bracket(const PtxScanner& scanner) { return scanner.at('(') || scanner.at('[') || scanner.at('{'); }

// Bytes of `.f32`, `.b8`, …; 1 for types of unknown size.
std::int64_t type_bytes(std::string_view directive) {
    return std::max<std::int64_t>(ptx_access_bytes(directive), 1);
}

std::int64_t times(PtxScanner& scanner, std::int64_t a, std::int64_t b) {
    if (b < 0 || (a != 0 && b > largest_variable / a))
        scanner.fail_with("a variable of more than 2^40 bytes");
    return a * b;
}

// `name<4>[2][3] = …`; bytes of all its elements.
std::int64_t read_declarator(PtxScanner& scanner, std::int64_t bytes) {
    if (scanner.skip('<')) {
        if (scanner.peek().kind != Kind::integer) scanner.fail("how many variables");
        bytes = times(scanner, bytes, scanner.take().value);
        scanner.expect('>', "after the number of variables");
    }
    while (scanner.skip('[')) {
        if (scanner.at(']')) {
            bytes = 0;
        } else if (scanner.peek().kind == Kind::integer || scanner.at('(')) {
            bytes = times(scanner, bytes, read_ptx_constant(scanner));
        } else {
            scanner.fail("a size or ']'");
        }
        scanner.expect(']', "after the size of an array");
    }
    if (scanner.skip('=')) {
        while (!scanner.at(',') && !scanner.at(';')) {
            if (at_bracket(scanner)) {
                skip_ptx_brackets(scanner);
            } else if (scanner.take().kind == Kind::end) {
                scanner.fail("';' after an initial value");
            }
        }
    }
    return bytes;
}

}  // namespace

void skip_ptx_brackets(PtxScanner& scanner) {
    std::string open;
    do {
        const PtxToken token = scanner.take();
        if (token.kind == Kind::end) scanner.fail("'" + open.substr(open.size() - 1) + "'");
        if (token.kind != Kind::symbol) continue;
        switch (token.text.front()) {
            case '(':
                open += ')';
                break;
            case '[':
                open += ']';
                break;
            case '{':
                open += '}';
                break;
            case ')':
            case ']':
            case '}':
                if (open.back() != token.text.front())
                    scanner.fail_on_line(scanner.line(), "expected '" + open.substr(open.size() - 1) +
                                                             "', found '" + std::string(token.text) + "'");
                open.pop_back();
                break;
            default:
                break;
        }
    } while (!open.empty());
}

PtxDeclaration read_ptx_declaration(PtxScanner& scanner) {
    std::int64_t element = 1;
    while (scanner.peek().kind == Kind::directive) {
        const std::string_view directive = scanner.take().text;
        if (directive == ".align" || directive == ".attribute") {
            if (at_bracket(scanner)) {
                skip_ptx_brackets(scanner);
            } else if (scanner.peek().kind == Kind::integer) {
                scanner.take();
            }
        } else if (directive == ".v2" || directive == ".v4" || directive == ".v8") {
            element = times(scanner, element, directive[2] - '0');
        } else {
            element = times(scanner, element, type_bytes(directive));
        }
    }
    PtxDeclaration declaration;
    do {
        if (scanner.peek().kind != Kind::word) scanner.fail("the name of a variable");
        const std::string_view name = scanner.take().text;
        if (declaration.name.empty()) declaration.name = name;
        const std::int64_t bytes = read_declarator(scanner, element);
        if (bytes > largest_variable - declaration.bytes)
            scanner.fail_with("variables of more than 2^40 bytes");
        declaration.bytes += bytes;
    } while (scanner.skip(','));
    scanner.expect(';', "after a declaration");
    return declaration;
}

void skip_ptx_statement(PtxScanner& scanner) {
    while (!scanner.skip(';')) {
        if (at_bracket(scanner)) {
            skip_ptx_brackets(scanner);
        } else if (scanner.take().kind == Kind::end) {
            scanner.fail("';'");
        }
    }
}

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
    const std::string_view directive = scanner_.take().text;
    if (directive == ".reg") {
        read_registers();
    } else if (directive == ".loc" || directive == ".file") {
        scanner_.skip_line();
    } else if (directive == ".shared") {
        const std::int64_t bytes = read_ptx_declaration(scanner_).bytes;
        if (bytes > largest_variable - function_.shared_bytes)
            scanner_.fail_with("shared variables of more than 2^40 bytes");
        function_.shared_bytes += bytes;
    } else if (directive == ".pragma") {
        const bool nounroll = scanner_.peek().text == "\"nounroll\"";
        if (nounroll && !function_.labels.empty() &&
            function_.labels.back().instruction == function_.instructions.size())
            function_.labels.back().nounroll = true;
        skip_ptx_statement(scanner_);
    } else {
        skip_ptx_statement(scanner_);
    }
}

// Those of the function itself need no entry: a name that no inner scope declares is one of them.
void PtxBodyReader::read_registers() {
    while (scanner_.peek().kind == Kind::directive) scanner_.take();
    do {
        if (scanner_.peek().kind != Kind::word) scanner_.fail("the name of a register");
        Declared declared{scanner_.take().text, 0, scopes_.back().number};
        if (scanner_.skip('<')) {
            if (scanner_.peek().kind != Kind::integer) scanner_.fail("how many registers");
            declared.count = std::max<std::int64_t>(scanner_.take().value, 1);
            scanner_.expect('>', "after the number of registers");
        }
        if (scopes_.size() > 1) declared_.push_back(declared);
    } while (scanner_.skip(','));
    scanner_.expect(';', "after a declaration");
}

void PtxBodyReader::read_label(std::string_view name, std::uint32_t line) {
    if (scanner_.peek().kind == Kind::directive) {
        const std::string_view directive = scanner_.peek().text;
        if (directive == ".branchtargets") return read_label_list(name);
        if (directive == ".calltargets" || directive == ".callprototype") return skip_ptx_statement(scanner_);
    }
    const auto number = static_cast<std::uint32_t>(function_.labels.size());
    const auto [before, is_new] = labels_.emplace(PtxScopedName{scopes_.back().number, name}, number);
    if (!is_new) {
        scanner_.fail_on_line(line, "label '" + ptx_shown(name) + "' is there a second time, first in line " +
                                        std::to_string(function_.labels[before->second].line));
    }
    function_.labels.push_back({name, static_cast<std::uint32_t>(function_.instructions.size()), line});
}

void PtxBodyReader::read_label_list(std::string_view name) {
    scanner_.take();
    std::vector<std::string_view>& labels = label_lists_[{scopes_.back().number, name}];
    do {
        if (scanner_.peek().kind != Kind::word) scanner_.fail("a label");
        labels.push_back(scanner_.take().text);
    } while (scanner_.skip(','));
    scanner_.expect(';', "after a list of labels");
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
    if (!scanner_.at(';')) {
        std::uint16_t position = 0;
        read_operand(position, false);
        while (scanner_.skip(',')) {
            if (++position == std::numeric_limits<std::uint16_t>::max()) scanner_.fail("';'");
            read_operand(position, false);
        }
    }
    scanner_.expect(';', "after an instruction");
    instruction.operand_count =
        static_cast<std::uint32_t>(function_.operands.size()) - instruction.first_operand;
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
    } else if (token.kind == Kind::word) {
        operand.kind = PtxOperand::Kind::name;
        operand.negated = !signs.empty();
        operand.reg = register_of(scanner_.take().text);
        add(operand);
    } else if (token.kind == Kind::integer || (token.is('(') && !in_call_)) {
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

// `call (result), function, (arguments)`: the function stands behind the result, where there is one.
void PtxBodyReader::note_call(std::uint32_t instruction, bool returns) {
    const auto operands = function_.operands_of(function_.instructions[instruction]);
    const std::uint16_t position = returns ? 1 : 0;
    const auto callee = std::find_if(operands.begin(), operands.end(),
                                     [&](const PtxOperand& o) { return o.position == position; });
    if (callee == operands.end() || callee->kind != PtxOperand::Kind::name)
        scanner_.fail_on_line(function_.instructions[instruction].line, "a call without a function");
    calls_.emplace_back(callee->text, instruction);
}

void PtxBodyReader::resolve_targets() {
    for (const BranchName& branch : branches_) {
        PtxInstruction& instruction = function_.instructions[branch.instruction];
        instruction.first_target = static_cast<std::uint32_t>(function_.targets.size());
        if (branch.is_list) {
            std::uint32_t scope = branch.scope;
            auto found = label_lists_.find({scope, branch.name});
            for (; found == label_lists_.end() && scope != 0; found = label_lists_.find({scope, branch.name}))
                scope = parent_of_[scope];
            if (found == label_lists_.end()) {
                scanner_.fail_on_line(
                    branch.line, "no .branchtargets list '" + ptx_shown(branch.name) + "' in this function");
            }
            for (const std::string_view label : found->second)
                function_.targets.push_back(find_label(branch, label, scope));
        } else {
            function_.targets.push_back(find_label(branch, branch.name, branch.scope));
        }
        instruction.target_count =
            static_cast<std::uint32_t>(function_.targets.size()) - instruction.first_target;
    }
    function_.registers = static_cast<std::uint32_t>(registers_.size());
}

std::uint32_t PtxBodyReader::find_label(const BranchName& branch, std::string_view name,
                                        std::uint32_t scope) const {
    while (true) {
        const auto found = labels_.find({scope, name});
        if (found != labels_.end()) return found->second;
        if (scope == 0) {
            scanner_.fail_on_line(
                branch.line, "a branch to '" + ptx_shown(name) + "', which is no label of this function");
        }
        scope = parent_of_[scope];
    }
}

PtxRegister PtxBodyReader::register_of(std::string_view name) {
    const std::string_view whole = name.substr(0, name.find('.'));  // %v.x, %r1.b0
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
    return PtxRegister(registers_.emplace(PtxScopedName{scope, whole}, next).first->second);
}

}  // namespace warpnet
