#include "netgen/code/ptx/read_ptx.hpp"

#include "netgen/code/ptx/body.hpp"
#include "netgen/code/ptx/spaces.hpp"

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <utility>

namespace warpnet {

namespace {

using Kind = PtxToken::Kind;

std::string_view trimmed(std::string_view line) {
    const std::size_t begin = std::min(line.find_first_not_of(" \t\r"), line.size());
    return line.substr(begin);
}

void blank(std::string& text, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
        if (text[i] != '\n') text[i] = ' ';
}

/// The text with what is no PTX made blank, so that lines and columns stay: a byte order mark, NUL characters
/// at the end, and what cuobjdump -ptx writes before a module ("Fatbin ptx code: …") and behind it. Of
/// several modules the first is left.
std::string ptx_part(std::string_view text) {
    std::string part(text);
    if (part.starts_with("\xEF\xBB\xBF")) blank(part, 0, 3);
    for (std::size_t i = part.size(); i > 0 && part[i - 1] == '\0'; --i) part[i - 1] = ' ';
    std::size_t version = std::string::npos;
    bool foreign = false;  // a line before .version that is neither empty nor a comment
    for (std::size_t begin = 0; begin < part.size();) {
        const std::size_t end = std::min(part.find('\n', begin), part.size());
        const std::string_view line = trimmed(std::string_view(part).substr(begin, end - begin));
        if (version == std::string::npos) {
            if (line.starts_with(".version")) {
                version = begin;
            } else if (line.starts_with("/*")) {
                break;  // a comment over several lines, which may hold anything
            } else {
                foreign = foreign || !(line.empty() || line.starts_with("//"));
            }
        } else if (line.starts_with("Fatbin ") || line.starts_with("=========")) {
            blank(part, begin, part.size());
            break;
        }
        begin = end + 1;
    }
    if (version != std::string::npos && foreign) blank(part, 0, version);
    return part;
}

class ModuleReader {
  public:
    ModuleReader(std::string_view text, const std::string& source) {
        module_.text = std::make_shared<const std::string>(ptx_part(text));
        module_.source = source;
    }

    PtxModule read() {
        PtxScanner scanner(*module_.text, module_.source);
        scanner_ = &scanner;
        read_header();
        while (scanner.peek().kind != Kind::end) read_directive();
        resolve_calls();
        return std::move(module_);
    }

  private:
    struct Call {
        std::size_t function;
        std::string_view callee;
        std::uint32_t instruction;
    };

    // Line by line: these three directives end with theirs.
    void read_header() {
        if (scanner_->peek().text != ".version") scanner_->fail(".version");
        scanner_->take();
        if (scanner_->peek().kind != Kind::real) scanner_->fail("a version such as 9.0");
        module_.version = scanner_->take().text;
        if (scanner_->peek().text != ".target") scanner_->fail(".target");
        scanner_->take();
        if (scanner_->peek().kind != Kind::word) scanner_->fail("a target such as sm_80");
        module_.target = scanner_->take().text;
        scanner_->skip_line();
    }

    void read_directive() {
        if (scanner_->skip(';')) return;
        if (scanner_->at('@')) return scanner_->skip_line_of_next();  // @@DWARF
        if (scanner_->peek().kind != Kind::directive) scanner_->fail("a directive such as .entry");
        const std::uint32_t line = scanner_->line();
        const std::string_view directive = scanner_->take().text;
        if (directive == ".entry" || directive == ".func") {
            read_function(directive == ".entry", line);
        } else if (directive == ".shared") {
            const PtxDeclaration declaration = read_ptx_declaration(*scanner_);
            module_.shared.push_back({declaration.name, declaration.bytes});
        } else if (directive == ".file" || directive == ".loc" || directive == ".address_size" ||
                   directive == ".target" || directive == ".version") {
            scanner_->skip_line();
        } else if (directive == ".section") {
            while (!scanner_->at('{')) {
                if (scanner_->take().kind == Kind::end) scanner_->fail("'{' after .section");
            }
            skip_ptx_brackets(*scanner_);
        } else if (directive == ".global" || directive == ".const" || directive == ".param" ||
                   directive == ".reg" || directive == ".tex" || directive == ".local") {
            read_ptx_declaration(*scanner_);
        } else if (directive == ".pragma" || directive == ".alias") {
            skip_ptx_statement(*scanner_);
        } else if (directive != ".visible" && directive != ".extern" && directive != ".weak" &&
                   directive != ".common" && directive != ".internal") {
            scanner_->fail_on_line(
                line, "expected a directive such as .entry, found '" + ptx_shown(directive) + "'");
        }
    }

    void read_function(bool is_kernel, std::uint32_t line) {
        PtxFunction function;
        function.is_kernel = is_kernel;
        function.line = line;
        while (scanner_->peek().kind == Kind::directive) {  // .attribute(…), .noreturn
            scanner_->take();
            if (scanner_->at('(')) skip_ptx_brackets(*scanner_);
        }
        if (scanner_->at('(')) skip_ptx_brackets(*scanner_);  // what it returns
        if (scanner_->peek().kind != Kind::word) scanner_->fail("the name of a function");
        function.name = scanner_->take().text;
        if (scanner_->at('(')) skip_ptx_brackets(*scanner_);
        while (scanner_->peek().kind == Kind::directive && !at_next_declaration()) read_tuning(function);
        // A declaration ends with a semicolon; older compilers left it out.
        if (scanner_->skip(';') || (!is_kernel && at_next_declaration())) {
            keep(std::move(function), {});
            return;
        }
        function.has_body = true;
        PtxBodyReader body(*scanner_, function);
        body.read();
        resolve_ptx_spaces(function);
        keep(std::move(function), body.calls());
    }

    bool at_next_declaration() const {
        const std::string_view text = scanner_->peek().text;
        return text == ".visible" || text == ".extern" || text == ".weak" || text == ".entry" ||
               text == ".func" || text == ".common";
    }

    // `.maxntid 256, 1, 1`, `.minnctapersm 4`, `.pragma "…";`, …
    void read_tuning(PtxFunction& function) {
        const std::string_view directive = scanner_->take().text;
        if (directive == ".pragma") return skip_ptx_statement(*scanner_);
        std::int64_t product = 1;
        std::array<std::int64_t, 3> shape = {1, 1, 1};
        std::size_t axis = 0;
        while (scanner_->peek().kind == Kind::integer) {
            const std::int64_t value = scanner_->take().value;
            if (value < 0 || (value > 0 && product > std::numeric_limits<std::int32_t>::max() / value))
                scanner_->fail_with("numbers after " + ptx_shown(directive) +
                                    " whose product exceeds 2^31 - 1");
            product *= value;
            if (axis < shape.size()) shape[axis] = value;
            ++axis;
            if (!scanner_->skip(',')) break;
        }
        if (axis == 0) {
            if (scanner_->at('(')) skip_ptx_brackets(*scanner_);
            return;
        }
        if (directive == ".maxntid" || directive == ".reqntid") function.max_threads = product;
        if (directive == ".reqntid") function.required_block = shape;
        if (directive == ".minnctapersm") function.min_blocks = product;
    }

    // A function may be declared any number of times, and defined once.
    void keep(PtxFunction function, const std::vector<std::pair<std::string_view, std::uint32_t>>& calls) {
        const auto [known, is_new] = by_name_.emplace(function.name, module_.functions.size());
        if (is_new) {
            module_.functions.push_back(std::move(function));
        } else {
            PtxFunction& before = module_.functions[known->second];
            if (before.has_body && function.has_body) {
                scanner_->fail_on_line(function.line, "function '" + ptx_shown(function.name) +
                                                          "' is there a second time, first in line " +
                                                          std::to_string(before.line));
            }
            if (function.has_body) before = std::move(function);
        }
        for (const auto& [callee, instruction] : calls)
            calls_.push_back({known->second, callee, instruction});
    }

    void resolve_calls() {
        for (const Call& call : calls_) {
            const auto found = by_name_.find(call.callee);
            if (found == by_name_.end()) continue;  // through a register
            module_.functions[call.function].instructions[call.instruction].callee =
                static_cast<std::uint32_t>(found->second);
        }
    }

    PtxModule module_;
    PtxScanner* scanner_ = nullptr;
    std::unordered_map<std::string_view, std::size_t> by_name_;
    std::vector<Call> calls_;
};

}  // namespace

std::optional<std::size_t> PtxModule::find(std::string_view function) const {
    const auto found = std::find_if(functions.begin(), functions.end(),
                                    [&](const PtxFunction& f) { return f.name == function; });
    if (found == functions.end()) return std::nullopt;
    return static_cast<std::size_t>(found - functions.begin());
}

std::vector<std::string> PtxModule::kernels() const {
    std::vector<std::string> names;
    for (const PtxFunction& function : functions)
        if (function.is_kernel && function.has_body) names.emplace_back(function.name);
    return names;
}

PtxModule read_ptx(std::string_view text, const std::string& source) {
    return ModuleReader(text, source).read();
}

}  // namespace warpnet
