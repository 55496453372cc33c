// Declarations and directives of a PTX text, as in modules and bodies: variables with their types and initial
// values, parameters, debugging sections. Declarations that take shared memory are kept. For all other
// declarations only the form is checked.

#include "netgen/code/ptx/text/declarations.hpp"

#include "netgen/code/ptx/text/names.hpp"
#include "netgen/code/ptx/text/opcodes.hpp"

#include <algorithm>
#include <string>

namespace warpnet::netgen {

namespace {

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

}  // namespace warpnet::netgen
