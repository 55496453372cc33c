// Reads a PTX text: directives of a module, kernels and functions. Text around a module is first replaced by
// blanks, so that lines and columns of messages stay correct. body.cpp reads bodies. Calls are resolved at
// the end, because functions may follow their callers. One pass, O(text).
//
// Constant operands have the ranges that ptxas enforces, because a text that ptxas rejects runs nowhere.
// Operands in registers are not checked, since their values are not known here. Unknown directives of a
// module are errors, because they could declare memory or code. Unknown targets and tuning directives are
// warnings.

#include "engine/base/text.hpp"
#include "netgen/code/ptx/text/body.hpp"
#include "netgen/code/ptx/text/memory_operations.hpp"
#include "netgen/code/ptx/text/module.hpp"
#include "netgen/code/ptx/text/opcodes.hpp"
#include "netgen/code/ptx/text/scanner.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

namespace warpnet::netgen {
namespace {

// Ranges of constant operands that ptxas enforces: sizes of copies, barriers, register limits, bit fields. A
// table has one row per opcode family and position. If an opcode belongs to two families, the longer one
// counts.

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

/// The violated limit of a constant operand or a vector of an instruction, by PTX ISA 9.0 and the checks of
/// ptxas: "expected a multiple of 8 from 24 to 256 as operand 1 of 'setmaxnreg…', found 20". Empty for
/// registers, and for opcodes that are not in the table. `architecture`: 90 for sm_90; 0: unknown.
std::optional<std::string> wrong_ptx_operand(const PtxFunction& function, const PtxInstruction& instruction,
                                             int architecture) {
    const OperandCheck check(function, instruction);
    if (auto fault = check.in_table()) return fault;
    if (auto fault = check.copy()) return fault;
    if (auto fault = check.barrier()) return fault;
    if (auto fault = check.matrices()) return fault;
    return check.access(architecture);
}

using Kind = PtxToken::Kind;

std::string_view without_indent(std::string_view line) {
    const std::size_t begin = std::min(line.find_first_not_of(" \t\r"), line.size());
    return line.substr(begin);
}

void blank(std::string& text, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
        if (text[i] != '\n') text[i] = ' ';
}

/// The text with blanks for everything but PTX, so that lines and columns stay the same. Blanks replace a
/// byte order mark, NUL characters at the end, and the lines of cuobjdump -ptx around a module ("Fatbin ptx
/// code: …"). The first of several modules is kept, and warnings name the omitted parts.
std::string ptx_part(std::string_view text, const std::string& source, std::vector<std::string>& warnings) {
    std::string part(text);
    if (part.starts_with("\xEF\xBB\xBF")) blank(part, 0, 3);
    for (std::size_t i = part.size(); i > 0 && part[i - 1] == '\0'; --i) part[i - 1] = ' ';
    std::size_t version = std::string::npos;
    std::size_t behind = std::string::npos;
    bool foreign = false;  // a line before .version that is neither empty nor a comment
    std::vector<std::string> ignored;
    std::size_t number = 1;
    for (std::size_t begin = 0; begin < part.size(); ++number) {
        const std::size_t end = std::min(part.find('\n', begin), part.size());
        const std::string_view line = without_indent(std::string_view(part).substr(begin, end - begin));
        const bool unknown = !line.empty() && !line.starts_with("//") && !is_fatbin_line(line);
        const std::string place = source + ":" + std::to_string(number) + ": ";
        if (version == std::string::npos) {
            if (line.starts_with(".version")) {
                version = begin;
            } else if (line.starts_with("/*")) {
                break;  // a comment over several lines, which may hold anything
            } else {
                foreign = foreign || !(line.empty() || line.starts_with("//"));
                if (unknown) ignored.push_back(place + "'" + ptx_shown(line) + "' is not PTX and is ignored");
            }
        } else if (behind == std::string::npos) {
            if (line.starts_with("Fatbin ") || line.starts_with("=========")) behind = begin;
        } else if (unknown) {
            ignored.push_back(place + "the text from '" + ptx_shown(line) +
                              "' on is ignored: the first module of a file is read");
            break;
        }
        begin = end + 1;
    }
    if (behind != std::string::npos) blank(part, behind, part.size());
    if (version == std::string::npos) return part;
    warnings = std::move(ignored);
    if (foreign) blank(part, 0, version);
    return part;
}

class ModuleReader {
  public:
    ModuleReader(std::string_view text, const std::string& source) {
        module_.source = source;
        module_.text = std::make_shared<const std::string>(ptx_part(text, source, module_.warnings));
    }

    PtxModule read() {
        PtxScanner scanner(*module_.text, module_.source);
        scanner_ = &scanner;
        read_header();
        while (scanner.peek().kind != Kind::end) read_directive();
        resolve_aliases();
        resolve_calls();
        name_undeclared();
        return std::move(module_);
    }

  private:
    struct Call {
        std::size_t function;
        PtxCallName name;
    };

    struct Alias {
        std::string_view name, function;
        std::uint32_t line;
    };

    struct Unknown {
        std::size_t function;
        PtxUse use;
    };

    void read_header() {
        if (scanner_->peek().text != ".version") scanner_->fail(".version");
        scanner_->take();
        module_.version = read_version();
        if (scanner_->peek().text != ".target") scanner_->fail(".target");
        scanner_->take();
        if (scanner_->peek().kind != Kind::word) scanner_->fail("a target such as sm_80");
        module_.target = read_targets();
    }

    std::string_view read_version() {
        constexpr double latest = 9.9;
        if (scanner_->peek().kind != Kind::real) scanner_->fail("a version such as 9.0");
        const std::uint32_t line = scanner_->line();
        const std::string_view version = scanner_->take().text;
        const auto number = parse_number<double>(version);
        if (!number || *number < 1 || *number > latest)
            module_.warnings.push_back(scanner_->place(line) + "unknown version " + ptx_shown(version) +
                                       ": read as version 9, instructions that it adds have no class");
        return version;
    }

    // `sm_90a, texmode_independent, debug`; the first one.
    std::string_view read_targets() {
        const std::string_view first = scanner_->peek().text;
        do {
            const std::string_view target = scanner_->peek().text;
            const std::uint32_t line = scanner_->line();
            if (scanner_->take().kind != Kind::word) scanner_->fail("a target such as sm_80");
            std::string_view number =
                target.substr(std::min<std::size_t>(target.find('_') + 1, target.size()));
            if (number.ends_with('a') || number.ends_with('f')) number.remove_suffix(1);
            constexpr std::string_view before_kepler[] = {"10", "11", "12", "13", "20", "21"};
            const bool is_architecture =
                (target.starts_with("sm_") || target.starts_with("compute_")) &&
                (is_gpu_architecture(number) || std::find(std::begin(before_kepler), std::end(before_kepler),
                                                          number) != std::end(before_kepler));
            if (!is_architecture && target != "debug" && target != "map_f64_to_f32" &&
                target != "texmode_unified" && target != "texmode_independent")
                ignore(line, "unknown target '" + ptx_shown(target) + "'");
        } while (scanner_->skip(','));
        return first;
    }

    // 90 of "sm_90a"; 0 if it is no architecture.
    static int architecture_number(std::string_view target) {
        int number = 0;
        for (const char c : target.substr(std::min(target.find('_'), target.size())))
            if (c >= '0' && c <= '9' && number < 1000) number = 10 * number + (c - '0');
        return number;
    }

    void ignore(std::uint32_t line, const std::string& part) {
        module_.warnings.push_back(scanner_->place(line) + part + " is ignored");
    }

    void read_directive() {
        if (scanner_->skip(';')) return;
        if (scanner_->skip('@')) {  // @@DWARF
            if (!scanner_->skip('@') || !scanner_->peek().text.starts_with("DWARF"))
                scanner_->fail("@@DWARF");
            return scanner_->skip_line_of_next();
        }
        if (scanner_->peek().kind != Kind::directive) scanner_->fail("a directive such as .entry");
        const std::uint32_t line = scanner_->line();
        const std::string_view directive = scanner_->take().text;
        if (directive == ".entry" || directive == ".func") {
            read_function(directive == ".entry", line);
        } else if (directive == ".shared") {
            for (const PtxSharedVariable& variable : read_ptx_declaration(*scanner_, names_))
                module_.shared.push_back(variable);
        } else if (directive == ".file") {
            read_ptx_file(*scanner_);
        } else if (directive == ".loc") {
            read_ptx_location(*scanner_);
        } else if (directive == ".address_size") {
            if (scanner_->peek().value != 32 && scanner_->peek().value != 64) scanner_->fail("32 or 64");
            scanner_->take();
        } else if (directive == ".target") {
            const std::string_view target = read_targets();
            if (architecture_number(target) > architecture_number(module_.target)) module_.target = target;
        } else if (directive == ".version") {
            module_.warnings.push_back(scanner_->place(line) +
                                       "a further module begins: it is read as a part of the first one");
            read_version();
        } else if (directive == ".section") {
            read_ptx_section(*scanner_, module_.warnings);
        } else if (directive == ".global" || directive == ".const" || directive == ".param" ||
                   directive == ".reg" || directive == ".tex" || directive == ".local") {
            read_ptx_declaration(*scanner_, names_);
        } else if (directive == ".pragma") {
            read_ptx_pragma(*scanner_, module_.warnings);
        } else if (directive == ".alias") {
            read_alias(line);
        } else if (directive != ".visible" && directive != ".extern" && directive != ".weak" &&
                   directive != ".common" && directive != ".internal") {
            scanner_->fail_on_line(
                line, "expected a directive such as .entry, found '" + ptx_shown(directive) + "'");
        }
    }

    // `.alias name, function;`
    void read_alias(std::uint32_t line) {
        const auto read_name = [&](char end) {
            if (scanner_->peek().kind != Kind::word) scanner_->fail("the name of a function");
            const std::string_view name = scanner_->take().text;
            scanner_->expect(end, "after the name of a function");
            return name;
        };
        const std::string_view name = read_name(',');
        aliases_.push_back({name, read_name(';'), line});
        names_.declared[name];
    }

    void read_function(bool is_kernel, std::uint32_t line) {
        PtxFunction function;
        function.is_kernel = is_kernel;
        function.line = line;
        PtxNames parameters;
        while (scanner_->peek().kind == Kind::directive) {
            if (scanner_->peek().text != ".attribute" && scanner_->peek().text != ".noreturn")
                scanner_->fail("the name of a function");
            if (scanner_->take().text == ".attribute") read_ptx_attribute(*scanner_);
        }
        if (scanner_->at('(')) read_ptx_parameters(*scanner_, parameters);  // its result
        if (scanner_->peek().kind != Kind::word) scanner_->fail("the name of a function");
        function.name = scanner_->take().text;
        if (scanner_->at('(')) read_ptx_parameters(*scanner_, parameters);
        while (scanner_->peek().kind == Kind::directive && !at_next_declaration()) read_tuning(function);
        check_tuning(function);
        // A declaration ends with a semicolon, which older compilers omit.
        if (scanner_->skip(';') || (!is_kernel && at_next_declaration())) {
            keep(std::move(function), {}, {});
            return;
        }
        function.has_body = true;
        function.pointers = parameters.pointers;
        PtxBodyReader body(*scanner_, function, std::move(parameters), module_.warnings);
        body.read();
        for (const PtxInstruction& instruction : function.instructions)
            if (const auto fault =
                    wrong_ptx_operand(function, instruction, architecture_number(module_.target)))
                scanner_->fail_on_line(instruction.line, *fault);
        resolve_ptx_spaces(function);
        keep(std::move(function), body.calls(), body.undeclared());
    }

    bool at_next_declaration() const {
        const std::string_view text = scanner_->peek().text;
        return text == ".visible" || text == ".extern" || text == ".weak" || text == ".entry" ||
               text == ".func" || text == ".common";
    }

    // `.maxntid 256, 1, 1`, `.minnctapersm 4`, `.pragma "…";`, …
    void read_tuning(PtxFunction& function) {
        const std::uint32_t line = scanner_->line();
        const std::string_view directive = scanner_->take().text;
        if (directive == ".pragma") {
            read_ptx_pragma(*scanner_, module_.warnings);
            return;
        }
        constexpr std::array<std::string_view, 12> known = {".abi_preserve",      ".abi_preserve_control",
                                                            ".blocksareclusters", ".explicitcluster",
                                                            ".maxclusterrank",    ".maxnctapersm",
                                                            ".maxnreg",           ".maxntid",
                                                            ".minnctapersm",      ".noreturn",
                                                            ".reqnctapercluster", ".reqntid"};
        if (std::find(known.begin(), known.end(), directive) == known.end()) {
            if (scanner_->at(';'))
                scanner_->fail_on_line(
                    line, "expected a directive such as .maxntid, found '" + ptx_shown(directive) + "'");
            ignore(line, "unknown directive '" + ptx_shown(directive) + "'");
        }
        std::int64_t product = 1;
        std::array<std::int64_t, 3> shape = {1, 1, 1};
        std::size_t axis = 0;
        const bool is_shape =
            directive == ".maxntid" || directive == ".reqntid" || directive == ".reqnctapercluster";
        const bool is_limit =
            directive == ".maxnreg" || directive == ".minnctapersm" || directive == ".maxclusterrank";
        if ((is_shape || is_limit) && scanner_->peek().kind != Kind::integer)
            scanner_->fail("a number after " + ptx_shown(directive));
        while (scanner_->peek().kind == Kind::integer) {
            if ((is_shape && axis == 3) || (is_limit && axis == 1))
                scanner_->fail("the end of " + ptx_shown(directive));
            const std::int64_t value = scanner_->take().value;
            if (value < 0 || (value > 0 && product > std::numeric_limits<std::int32_t>::max() / value))
                scanner_->fail_with("numbers after " + ptx_shown(directive) +
                                    " whose product exceeds 2^31 - 1");
            product *= value;
            if (axis < shape.size()) shape[axis] = value;
            ++axis;
            if (!scanner_->skip(',')) break;
        }
        if (directive == ".blocksareclusters") function.grid_of_clusters = true;
        if (axis == 0) return;
        if (product == 0 && (directive == ".reqnctapercluster" || directive == ".maxclusterrank"))
            return ignore(line, ptx_shown(directive) + " of 0 blocks");
        if (product == 0 && (is_shape || is_limit))
            scanner_->fail_on_line(line, "expected a number above 0 after " + ptx_shown(directive));
        constexpr std::int64_t most_registers = 255;
        if (directive == ".maxnreg" && product > most_registers)
            scanner_->fail_on_line(
                line, "expected at most 255 registers after .maxnreg, found " + std::to_string(product));
        const bool again = (directive == ".maxntid" && function.max_threads > 0) ||
                           (directive == ".reqntid" && function.required_block[0] > 0) ||
                           (directive == ".reqnctapercluster" && function.cluster[0] > 0) ||
                           (directive == ".maxclusterrank" && function.max_cluster > 0) ||
                           (directive == ".maxnreg" && function.max_registers > 0) ||
                           (directive == ".minnctapersm" && function.min_blocks > 0);
        if (again) scanner_->fail_on_line(line, "expected one " + ptx_shown(directive) + ", found a second");
        if (directive == ".maxntid") function.max_threads = product;
        if (directive == ".reqntid") function.required_block = shape;
        if (directive == ".reqnctapercluster") function.cluster = shape;
        if (directive == ".maxclusterrank") function.max_cluster = product;
        if (directive == ".maxnreg") function.max_registers = product;
        if (directive == ".minnctapersm") function.min_blocks = product;
    }

    // Throws for directives that contradict each other.
    void check_tuning(PtxFunction& function) {
        const auto blocks_of = [](const std::array<std::int64_t, 3>& shape) {
            return shape[0] * shape[1] * shape[2];
        };
        const auto check = [&](std::string_view what, std::int64_t found, std::string_view limit,
                               std::int64_t most) {
            if (most > 0 && found > most)
                scanner_->fail_on_line(function.line, "function '" + ptx_shown(function.name) +
                                                          "': expected " + std::string(what) + " up to the " +
                                                          std::to_string(most) + " of " + std::string(limit) +
                                                          ", found " + std::to_string(found));
        };
        check(".reqnctapercluster", blocks_of(function.cluster), ".maxclusterrank", function.max_cluster);
        if (function.grid_of_clusters && (function.cluster[0] == 0 || function.required_block[0] == 0))
            scanner_->fail_on_line(function.line, "function '" + ptx_shown(function.name) +
                                                      "': .blocksareclusters needs .reqntid and "
                                                      ".reqnctapercluster");
        check(".reqntid", blocks_of(function.required_block), ".maxntid", function.max_threads);
        if (function.required_block[0] > 0) function.max_threads = blocks_of(function.required_block);
    }

    // A function may be declared any number of times, but defined only once.
    void keep(PtxFunction function, const std::vector<PtxCallName>& calls,
              const std::vector<PtxUse>& undeclared) {
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
        for (const PtxCallName& call : calls) calls_.push_back({known->second, call});
        for (const PtxUse& use : undeclared) undeclared_.push_back({known->second, use});
    }

    // Variables and functions may be declared after their use.
    void name_undeclared() {
        const auto declares = [&](std::string_view name) {
            return names_.declared.contains(name) || by_name_.contains(name);
        };
        for (const auto& [function, use] : undeclared_)
            if (!declares(use.name))
                module_.functions[function].undeclared_names.push_back(ptx_shown(use.name) + " (line " +
                                                                       std::to_string(use.line) + ")");
        for (const PtxUse& use : names_.used)
            if (!declares(use.name))
                ignore(use.line, "undeclared '" + ptx_shown(use.name) + "' in an initial value");
    }

    // An alias calls its function, even if there is also a declaration of the alias.
    void resolve_aliases() {
        for (const Alias& alias : aliases_) {
            const auto function = by_name_.find(alias.function);
            if (function == by_name_.end())
                scanner_->fail_on_line(alias.line, "expected a function of this file behind the alias '" +
                                                       ptx_shown(alias.name) + "', found '" +
                                                       ptx_shown(alias.function) + "'");
            const auto [own, is_new] = by_name_.emplace(alias.name, function->second);
            if (!is_new && own->second != function->second && module_.functions[own->second].has_body)
                scanner_->fail_on_line(alias.line, "function '" + ptx_shown(alias.name) +
                                                       "' is there a second time, first in line " +
                                                       std::to_string(module_.functions[own->second].line));
            own->second = function->second;
        }
    }

    void resolve_calls() {
        for (const auto& [number, call] : calls_) {
            PtxFunction& caller = module_.functions[number];
            PtxInstruction& instruction = caller.instructions[call.instruction];
            if (const auto found = by_name_.find(call.function); found != by_name_.end()) {
                instruction.callee = static_cast<std::uint32_t>(found->second);
                continue;
            }
            std::vector<std::uint32_t> callees;  // through a register
            for (const std::string_view target : call.targets) {
                const auto found = by_name_.find(target);
                if (found == by_name_.end()) continue;  // undeclared, and named as such
                const auto callee = static_cast<std::uint32_t>(found->second);
                if (std::find(callees.begin(), callees.end(), callee) == callees.end())
                    callees.push_back(callee);
            }
            if (callees.empty()) continue;
            caller.callees.push_back(std::move(callees));
            instruction.callee_list = static_cast<std::uint32_t>(caller.callees.size());
        }
    }

    PtxModule module_;
    PtxScanner* scanner_ = nullptr;
    std::unordered_map<std::string_view, std::size_t> by_name_;
    std::vector<Call> calls_;
    std::vector<Alias> aliases_;
    PtxNames names_;  // of variables and aliases
    std::vector<Unknown> undeclared_;
};

}  // namespace

void sort_labels(PtxFunction& function) {
    std::vector<std::uint32_t> order(function.labels.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
        return function.labels[a].instruction < function.labels[b].instruction;
    });
    std::vector<std::uint32_t> place(order.size());
    std::vector<PtxLabel> sorted;
    for (std::uint32_t i = 0; i < order.size(); ++i) {
        place[order[i]] = i;
        sorted.push_back(function.labels[order[i]]);
    }
    function.labels = std::move(sorted);
    for (std::uint32_t& target : function.targets) target = place[target];
}

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

bool is_fatbin_line(std::string_view line) {
    line = line.substr(0, line.find_last_not_of(" \t\r") + 1);
    for (const std::string_view whole :
         {"Fatbin elf code:", "Fatbin ptx code:", "compressed", "has debug info"})
        if (line == whole) return true;
    if (!line.empty() && line.find_first_not_of('=') == std::string_view::npos) return true;
    for (const std::string_view begin :
         {"member ", "ELF file ", "PTX file ", "identifier = ", "ptxasOptions = "})
        if (line.starts_with(begin)) return true;
    for (const std::string_view key :
         {"arch = ", "code version = ", "producer = ", "host = ", "compile_size = "})
        if (line.starts_with(key)) return line.find(' ', key.size()) == std::string_view::npos;
    return false;
}

PtxModule read_ptx(std::string_view text, const std::string& source) {
    return ModuleReader(text, source).read();
}

}  // namespace warpnet::netgen
