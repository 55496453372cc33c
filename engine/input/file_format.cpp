// Recognises files of a wrong kind by their first 64 KiB, so an error can name the kind and the next step.
// The signs are magic numbers, root elements of XML, and first words of text formats, in three tables. Texts
// of two bytes per character are not judged. Anything unknown gives no name, never a guess.
//
// Names of files are not used, because users rename files and pipes have none. The order of the tables
// matters: binary signs come first, since a binary file may contain any word. A look-up is linear in the
// tables, and in the 64 KiB at most.

#include "engine/input/file_format.hpp"

#include "engine/base/text.hpp"
#include "engine/net/error.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>

namespace warpnet {

namespace {

constexpr std::size_t looked_at = std::size_t{1} << 16;

/// A format and the beginning of its files.
struct Sign {
    std::string_view beginning;
    std::string_view also;  ///< must occur near the beginning too
    std::string_view name;
    std::string_view advice;
    std::optional<FileFormat> own = {};
};

constexpr std::string_view as_pnml = "which is not read; export it as PNML";
constexpr std::string_view as_code = "'cuobjdump -ptx' and 'cuobjdump -sass' list the code in it";

using namespace std::string_view_literals;

constexpr Sign binary_signs[] = {
    {"PK\x03\x04"sv, "", "a ZIP archive, such as an .xlsx workbook", "save its sheet as CSV"},
    {"\x1f\x8b"sv, "", "a gzip archive", "unpack it first"},
    {"SQLite format 3"sv, "", "an SQLite database, such as an export of Nsight Systems",
     "'nsys stats --format csv' writes tables"},
    {"\x7f"
     "ELF"sv,
     "", "an ELF file, such as a cubin", as_code},
    {"\x50\xed\x55\xba"sv, "", "a fatbin", as_code},
    {"%PDF"sv, "", "a PDF", "text is read"},
    {"\x89PNG"sv, "", "a PNG picture", "text is read"},
};

// By the root element.
constexpr Sign roots[] = {
    {"pnml", "", "a PNML net", "'warpnet inspect' reads it", FileFormat::pnml},
    {"am:Amalthea", "", "an AMALTHEA model", "'warpnet respond' reads it", FileFormat::amalthea},
    {"workspaceElements", "", "CPN Tools (.cpn)", as_pnml},
    {"Snoopy", "", "Snoopy (.spped, .spn ...)", as_pnml},
    {"project", "<gspn", "GreatSPN (.PNPRO)", as_pnml},
    {"TPN", "", "Romeo (.xml)", as_pnml},
    {"document", "<subnet", "PNEditor (.pflow)", as_pnml},
    {"svg", "", "an SVG picture", "text is read", FileFormat::xml},
    {"html", "", "an HTML page", "text is read", FileFormat::xml},
};

// By the first words.
constexpr Sign words[] = {
    {"|0|", "", "GreatSPN (.net)", as_pnml},
    {"|256", "", "GreatSPN (.def)", as_pnml},
    {".name", "", "APT (.apt)", as_pnml},
    {".description", "", "APT (.apt)", as_pnml},
    {".type", "", "APT (.apt)", as_pnml},
    {".model", "", "Petrify (.g)", as_pnml},
    {".inputs", "", "Petrify (.g)", as_pnml},
    {".outputs", "", "Petrify (.g)", as_pnml},
    {"P   M", "", "INA (.pnt)", as_pnml},
    {"pn [", "", "Snoopy (.andl)", as_pnml},
    {"spn [", "", "Snoopy (.andl)", as_pnml},
    {"digraph", "{", "Graphviz (.dot)", "which warpnet writes but does not read"},
    {"strict digraph", "{", "Graphviz (.dot)", "which warpnet writes but does not read"},
    {"graph", "--", "Graphviz (.dot)", "which warpnet writes but does not read"},
    {".version", ".target", "PTX", "'warpnet ptx' reads it", FileFormat::ptx},
};

template <class Signs>
const Sign* sign_of(std::string_view text, std::string_view near, const Signs& signs) {
    const auto found = std::find_if(std::begin(signs), std::end(signs), [&](const Sign& sign) {
        return text.starts_with(sign.beginning) && near.find(sign.also) != std::string_view::npos;
    });
    return found == std::end(signs) ? nullptr : &*found;
}

const Sign* sign_of_root(std::string_view text) {
    for (std::size_t at = text.find('<'); at != std::string_view::npos; at = text.find('<', at + 1)) {
        const std::string_view rest = text.substr(at + 1);
        if (rest.starts_with('?') || rest.starts_with('!')) {
            at = std::min(text.find(rest.starts_with("!--") ? "-->" : ">", at), text.size() - 1);
            continue;
        }
        const std::string_view name = rest.substr(0, rest.find_first_of(" \t\r\n/>"));
        const Sign* const sign = sign_of(name, text, roots);
        return sign != nullptr && sign->beginning == name ? sign : nullptr;
    }
    return nullptr;
}

/// "p 75.0 30.0 p1 1 n" of the graphical editor of Tina: a letter and two numbers.
bool is_drawing_of_tina(std::string_view text) {
    constexpr std::string_view number = "0123456789.-";
    if (!text.starts_with("p ") && !text.starts_with("t ")) return false;
    for (int i = 0; i < 2; ++i) {
        const std::size_t blank = text.find(' ');
        const std::size_t end = text.find_first_not_of(number, blank + 1);
        if (end == std::string_view::npos || end == blank + 1 || text[end] != ' ') return false;
        text.remove_prefix(end);
    }
    return true;
}

/// Whether the text has many zero bytes and is not UTF-16.
bool is_binary(std::string_view text) {
    constexpr std::size_t sample = 4096, share = 20;
    text = text.substr(0, sample);
    if (text.size() < 2 || text[0] == '\0' || text[1] == '\0' || text.starts_with("\xff\xfe") ||
        text.starts_with("\xfe\xff"))
        return false;
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\0')) * share > text.size();
}

constexpr Sign nsight_report = {"", "", "a report of Nsight Compute (.ncu-rep)",
                                "'ncu --import FILE --csv --page raw' writes it as a table"};
constexpr Sign drawing_of_tina = {"", "", "the editor of Tina (.ndr)", as_pnml};
constexpr Sign binary = {"", "", "a binary file", "text is read"};
constexpr Sign cuda_source = {"", "", "CUDA source", "'nvcc -ptx' translates it"};
constexpr Sign json = {"", "", "JSON", "another kind of file is read here", FileFormat::json};
constexpr Sign task_set = {"", "", "a task set in JSON", "'warpnet respond' reads it", FileFormat::task_set};
constexpr Sign graph = {"", "", "a control-flow graph in JSON", "'warpnet split' reads it",
                        FileFormat::flow_graph};
constexpr Sign xml = {"", "", "XML", "another kind of file is read here", FileFormat::xml};

/// By members that only one kind of file has. An answer of the program itself may have them, too.
const Sign* sign_of_json(std::string_view text) {
    const auto has = [&](std::string_view member) {
        for (std::size_t at = text.find(member); at != std::string_view::npos; at = text.find(member, at + 1))
            if (trimmed(text.substr(at + member.size(), 64)).starts_with(':')) return true;
        return false;
    };
    if (text.find("\"warpnet\"") != std::string_view::npos) return &json;
    if (has("\"kernels\"")) return &task_set;
    return has("\"blocks\"") && has("\"root\"") ? &graph : &json;
}

const Sign* shown_format(std::string_view text) {
    text = text.substr(0, looked_at);
    if (const Sign* const sign = sign_of(text, text, binary_signs)) return sign;
    // Readers of tables have removed the zeros that follow.
    if (text.starts_with("NVR") && text.size() > 3 && static_cast<unsigned char>(text[3]) < 0x20)
        return &nsight_report;
    if (is_binary(text)) return &binary;
    if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
    constexpr std::string_view blanks = " \t\r\n";
    const std::size_t first = text.find_first_not_of(blanks);
    if (first == std::string_view::npos) return nullptr;
    text.remove_prefix(first);
    if (text.starts_with('<')) {
        const Sign* const sign = sign_of_root(text);
        return sign != nullptr ? sign : text.find('>') != std::string_view::npos ? &xml : nullptr;
    }
    const std::size_t second = std::min(text.find_first_not_of(blanks, 1), text.size() - 1);
    if (text.starts_with('{') && (text[second] == '"' || text[second] == '}')) return sign_of_json(text);
    if (text.find("__global__") != std::string_view::npos &&
        text.find(".version") == std::string_view::npos) {
        for (const std::string_view begin : {"#", "//", "/*", "__global__", "extern \"C\"", "template"})
            if (text.starts_with(begin)) return &cuda_source;
    }
    // Comments before the first directive of PTX.
    std::string_view code = text;
    while (code.starts_with("//")) {
        code.remove_prefix(std::min(code.find('\n'), code.size()));
        code.remove_prefix(std::min(code.find_first_not_of(blanks), code.size()));
    }
    if (const Sign* const sign = sign_of(code, text, words)) return sign;
    return is_drawing_of_tina(text) ? &drawing_of_tina : nullptr;
}

}  // namespace

std::string other_format(std::string_view text, std::initializer_list<FileFormat> own) {
    const Sign* const sign = shown_format(text);
    if (sign == nullptr || (sign->own && std::find(own.begin(), own.end(), *sign->own) != own.end()))
        return {};
    return std::string(sign->name) + (sign->advice.starts_with("which") ? ", " : "; ") +
           std::string(sign->advice);
}

std::string other_text(std::string_view text, std::string_view first) {
    constexpr std::size_t shown = 30;
    if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
    text = trimmed(text.substr(0, looked_at));
    if (text.empty()) return "an empty file";
    if (first.find(text.front()) != std::string_view::npos || text.front() < ' ' || text.front() > '~')
        return {};
    const std::string_view line = text.substr(0, text.find_first_of("\r\n"));
    return "a text that begins with '" + visible(line.substr(0, shown)) + "'";
}

void require_format(std::string_view text, const std::string& source, std::string_view expected,
                    std::initializer_list<FileFormat> own) {
    const std::string found = other_format(text, own);
    if (!found.empty()) throw InputError(source + ": expected " + std::string(expected) + ", found " + found);
}

}  // namespace warpnet
