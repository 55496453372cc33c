// Names of kernels as compilers, demanglers and profilers write them.
//
// The tools agree on the meaning of a name but not on its text. libiberty writes "k<(char)8, &(f(int))>(float
// const*)" and "main::{lambda(int)#1}", NVIDIA's demangler "k<(char)8, &f>(const T1 *)" and
// "main::[lambda(int) (instance 1)]", nvprof "k<char=8>". Both texts become words and brackets in one order
// (normalised()), which are compared from left to right (same_list()). Text that only one of them has is no
// difference. Names of template parameters (T1) match everything, and so do expressions, which the other tool
// has evaluated. Linear in the length of the names, quadratic for texts with many differences; no recursion.

#include "netgen/code/ptx/kernel_names.hpp"

#include "engine/base/text.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <cxxabi.h>

namespace warpnet::netgen {

namespace {

bool is_word_char(char c) {
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
}

/// The word that begins at `begin`; empty if none does.
std::string_view word_at(std::string_view text, std::size_t begin) {
    std::size_t end = begin;
    while (end < text.size() && is_word_char(text[end])) ++end;
    return text.substr(begin, end - begin);
}

/// Characters of an unnamed namespace that begins here; 0 if none does.
std::size_t unnamed_namespace(std::string_view text) {
    constexpr std::array<std::string_view, 4> texts = {"(anonymous namespace)", "<unnamed>", "{anonymous}",
                                                       "`anonymous-namespace'"};
    for (const std::string_view one : texts)
        if (text.starts_with(one)) return one.size();
    return text.starts_with("_GLOBAL__N_") ? word_at(text, 0).size() : 0;
}

/// Characters of the scope that nvcc gives to the static names of a file, with its "::"; 0 if none begins.
std::size_t file_scope(std::string_view text) {
    if (!text.starts_with("_INTERNAL_")) return 0;
    const std::size_t size = word_at(text, 0).size();
    return text.substr(size).starts_with("::") ? size + 2 : 0;
}

std::string demangled(std::string_view name) {
    int status = 0;
    const std::unique_ptr<char, decltype(&std::free)> text(
        abi::__cxa_demangle(std::string(name).c_str(), nullptr, nullptr, &status), &std::free);
    return status == 0 && text ? std::string(text.get()) : std::string();
}

/// "__nv_static_22__2bd8ef03_4_n_cu__Z1fi__Z2stPf" -> "_Z2stPf": 22 characters name the file.
std::string_view without_file(std::string_view name) {
    constexpr std::string_view prefix = "__nv_static_";
    if (!name.starts_with(prefix)) return name;
    const std::string_view rest = name.substr(prefix.size());
    const std::size_t digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
    const auto size = parse_number<std::size_t>(rest.substr(0, digits));
    if (!size || *size >= rest.size() || digits + *size + 2 >= rest.size()) return name;
    return rest[digits + *size + 1] == '_' ? rest.substr(digits + *size + 2) : name;
}

/// The demangled form of a mangled name; other names unchanged.
std::string readable(std::string_view name) {
    name = without_file(name);
    std::string text = name.starts_with("_Z") ? demangled(name) : "";
    return text.empty() ? std::string(name) : text;
}

using Words = std::vector<std::string>;

constexpr std::string_view unnamed_token = "{unnamed}";

bool is_name_word(std::string_view token) { return is_word_char(token.front()); }
bool opens(std::string_view token) { return token == "<" || token == "("; }
bool closes(std::string_view token) { return token == ">" || token == ")"; }

/// Words, numbers, "::", "#1" for the first of its kind, and single characters. Omits braces and square
/// brackets, which only some tools write.
Words tokens_of(std::string_view text) {
    constexpr std::string_view instance = "(instance ";
    Words tokens;
    for (std::size_t i = 0; i < text.size();) {
        const std::string_view rest = text.substr(i);
        const auto number_behind = [&](std::size_t skipped) {
            const std::string_view number = word_at(rest, skipped);
            tokens.push_back("#" + std::string(number));
            i += skipped + number.size();
        };
        if (const std::size_t size = file_scope(rest); size > 0) {
            i += size;
        } else if (const std::size_t unnamed = unnamed_namespace(rest); unnamed > 0) {
            tokens.emplace_back(unnamed_token);
            i += unnamed;
        } else if (rest.starts_with(instance)) {
            number_behind(instance.size());
            if (i < text.size() && text[i] == ')') ++i;
        } else if (rest[0] == '#') {
            number_behind(1);
        } else if (rest.starts_with("::")) {
            tokens.emplace_back("::");
            i += 2;
        } else if (is_word_char(rest[0])) {
            std::string_view word = word_at(rest, 0);
            i += word.size();
            constexpr std::array<std::string_view, 5> kinds = {"type", "class", "struct", "enum", "union"};
            if (!tokens.empty() && tokens.back() == "unnamed" &&
                std::find(kinds.begin(), kinds.end(), word) != kinds.end())
                continue;
            if (is_digit(word[0])) word = word.substr(0, word.find_first_of("ulUL"));
            tokens.emplace_back(word == "true" ? "1" : word == "false" ? "0" : word);
        } else {
            if (std::string_view("{}[] \t").find(rest[0]) == std::string_view::npos)
                tokens.emplace_back(1, rest[0]);
            ++i;
        }
    }
    return tokens;
}

/// Puts the parts of a list's elements into one order: "const float *" becomes "float const*". Removes casts,
/// the types of nvprof ("int=8"), the '&' and the brackets of functions: "(&f)" becomes "f", "(void)" becomes
/// "()". Nothing if brackets do not match.
std::optional<Words> normalised(const Words& tokens) {
    struct Frame {
        std::string_view open;
        std::size_t begin;    // of the bracket's text in the result
        std::size_t element;  // of the element
        bool hidden = false;  // the bracket is a cast, or surrounds a whole element
        bool is_const = false, is_volatile = false, pointer = false;
    };
    Words result;
    std::vector<Frame> frames = {{"", 0, 0}};
    const auto put_qualifiers = [&] {
        Frame& frame = frames.back();
        if (frame.is_const) result.emplace_back("const");
        if (frame.is_volatile) result.emplace_back("volatile");
        frame.is_const = frame.is_volatile = false;
    };
    const auto begin_element = [&] {
        Frame& frame = frames.back();
        frame.element = result.size();
        frame.is_const = frame.is_volatile = frame.pointer = false;
    };
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        const std::string& token = tokens[i];
        Frame& frame = frames.back();
        const bool first = result.size() == frame.element && !frame.is_const && !frame.is_volatile;
        if (opens(token)) {
            const bool hidden = first && token == "(";
            const std::size_t begin = result.size();
            if (!hidden) result.push_back(token);
            frames.push_back({token, begin, result.size(), hidden});
        } else if (closes(token)) {
            if (frame.open != (token == ">" ? "<" : "(")) return std::nullopt;
            put_qualifiers();
            const Frame closed = frame;
            if (token == ")" && result.size() == closed.element + 1 && result.back() == "void")
                result.pop_back();
            frames.pop_back();
            const bool last = i + 1 == tokens.size() || tokens[i + 1] == "," || closes(tokens[i + 1]);
            if (closed.hidden) {
                if (!last) result.resize(closed.begin);
            } else {
                result.push_back(token);
            }
        } else if (token == ",") {
            put_qualifiers();
            result.push_back(token);
            begin_element();
        } else if (token == "=") {
            result.resize(frame.element);
            begin_element();
        } else if (token == "const" && !frame.pointer) {
            frame.is_const = true;
        } else if (token == "volatile" && !frame.pointer) {
            frame.is_volatile = true;
        } else if (token == "*" || token == "&") {
            if (first && token == "&") continue;
            put_qualifiers();
            frame.pointer = true;
            result.push_back(token);
        } else {
            result.push_back(token);
        }
    }
    put_qualifiers();
    return frames.size() == 1 ? std::optional(std::move(result)) : std::nullopt;
}

/// A position in one name during a comparison, and the beginnings of the elements around it.
struct NameCursor {
    const Words& tokens;
    std::size_t at = 0;
    std::vector<std::size_t> elements = {0};

    bool ended() const { return at >= tokens.size(); }
    std::string_view token() const { return ended() ? std::string_view() : std::string_view(tokens[at]); }
    void advance() {
        const std::string_view own = token();
        ++at;
        if (opens(own)) elements.push_back(at);
        if (closes(own)) elements.pop_back();
        if (own == ",") elements.back() = at;
    }
    /// Calls use(token, place) for the tokens of the element outside its brackets until it returns true.
    /// Returns that place, or the end of the element.
    template <class Use>
    std::size_t find(Use use) const {
        int depth = 0;
        std::size_t i = elements.back();
        for (; i < tokens.size(); ++i) {
            const std::string_view own = tokens[i];
            if (depth == 0 && (own == "," || closes(own) || use(own, i))) return i;
            depth += opens(own) ? 1 : closes(own) ? -1 : 0;
        }
        return i;
    }
    std::size_t end() const {
        return find([](std::string_view, std::size_t) { return false; });
    }
    bool has(std::string_view wanted) const {
        return find([&](std::string_view own, std::size_t) { return own == wanted; }) < end();
    }
    /// Whether some tools write the text of the element as a value or type.
    bool open() const {
        constexpr std::array<std::string_view, 11> words = {
            "auto",    "basic_iostream", "basic_istream", "basic_ostream", "basic_string", "decltype",
            "istream", "ostream",        "parm",          "sizeof",        "string"};
        return find([&](std::string_view own, std::size_t) {
                   const bool parameter = own[0] == 'T' && own.size() > 1 &&
                                          own.find_first_not_of("0123456789", 1) == std::string_view::npos;
                   return parameter ||
                          std::string_view("+/?!|%^~\"'.").find(own[0]) != std::string_view::npos ||
                          std::binary_search(words.begin(), words.end(), own);
               }) < end();
    }
    bool wrapped() const { return has("__nv_dl_wrapper_t") || has("__nv_hdl_wrapper_t"); }
    /// Skips the bracket that opens here if it has the parameters of a function or lambda.
    bool skip_parameters() {
        constexpr std::array<std::string_view, 12> types = {"bool",  "char",    "double",   "float",
                                                            "int",   "long",    "short",    "signed",
                                                            "const", "wchar_t", "unsigned", "void"};
        if (token() != "(" || at == elements.back() || !is_name_word(tokens[at - 1]) ||
            std::find(types.begin(), types.end(), tokens[at - 1]) != types.end())
            return false;
        int depth = 0;
        do {
            depth += opens(tokens[at]) ? 1 : closes(tokens[at]) ? -1 : 0;
            ++at;
        } while (depth > 0);
        return true;
    }
    bool skip_number() {
        if (!token().starts_with('#')) return false;
        ++at;
        return true;
    }
    /// Skips the scope of a lambda if the other name, at the beginning of its element, has none.
    bool skip_scope(const NameCursor& other) {
        if (other.token() != "lambda" || other.at != other.elements.back() || at != elements.back() ||
            !has("lambda"))
            return false;
        at = find([](std::string_view own, std::size_t) { return own == "lambda"; });
        return true;
    }
};

/// Whether two lists, of template arguments or of parameters, can be of one function.
bool same_list(const Words& one, const Words& other) {
    NameCursor a{one}, b{other};
    while (!a.ended() || !b.ended()) {
        if (a.token() == b.token()) {
            a.advance();
            b.advance();
            continue;
        }
        const bool lambdas = (a.wrapped() && b.has("lambda")) || (b.wrapped() && a.has("lambda"));
        if (lambdas || a.open() || b.open()) {
            a.at = a.end();
            b.at = b.end();
            if (a.token() != b.token()) return false;
            continue;
        }
        if (a.token().starts_with('#') && b.token().starts_with('#')) return false;
        if (a.skip_number() || b.skip_number() || a.skip_scope(b) || b.skip_scope(a)) continue;
        if (!a.skip_parameters() && !b.skip_parameters()) return false;
    }
    return true;
}

/// A part of a name between "::", with its template arguments if there are some.
struct NamePart {
    std::string name;
    std::optional<Words> arguments;
};

struct KernelName {
    std::vector<NamePart> parts;  // without unnamed namespaces
    std::size_t unnamed = 0;      // the number of unnamed namespaces
    std::optional<Words> parameters;
};

/// The position of the bracket that closes the one at `begin`, or the end.
std::size_t closing_bracket(const Words& tokens, std::size_t begin) {
    int depth = 0;
    for (std::size_t i = begin; i < tokens.size(); ++i) {
        depth += opens(tokens[i]) ? 1 : closes(tokens[i]) ? -1 : 0;
        if (depth == 0) return i;
    }
    return tokens.size();
}

/// The parts of a name in its usual notation; nothing after the end of the name.
KernelName name_parts(std::string_view text) {
    if (text.starts_with("void ")) text.remove_prefix(5);  // templates have their return type in front
    const Words tokens = tokens_of(text);
    const auto list = [&](std::size_t begin, std::size_t end) {
        return end < tokens.size() ? normalised({tokens.begin() + static_cast<std::ptrdiff_t>(begin) + 1,
                                                 tokens.begin() + static_cast<std::ptrdiff_t>(end)})
                                   : std::nullopt;
    };
    KernelName name;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        if (tokens[i] == "::") continue;
        if (tokens[i] == unnamed_token) {
            ++name.unnamed;
        } else if (is_name_word(tokens[i])) {
            name.parts.push_back({tokens[i], {}});
        } else if (tokens[i] == "<" && !name.parts.empty()) {
            const std::size_t end = closing_bracket(tokens, i);
            name.parts.back().arguments = list(i, end);
            i = end;
        } else {
            if (tokens[i] == "(") name.parameters = list(i, closing_bracket(tokens, i));
            if (name.parameters == Words{"void"}) name.parameters->clear();
            return name;
        }
    }
    return name;
}

bool same_lists(const std::optional<Words>& one, const std::optional<Words>& other) {
    return !one || !other || same_list(*one, *other);
}

/// Whether the lists that both names have are the same.
bool agree(const KernelName& one, const KernelName& other) {
    if (one.parameters && other.parameters && one.unnamed != other.unnamed) return false;
    const std::size_t both = std::min(one.parts.size(), other.parts.size());
    for (std::size_t back = 1; back <= both; ++back) {
        const NamePart &a = one.parts[one.parts.size() - back], &b = other.parts[other.parts.size() - back];
        if (a.name == b.name && !same_lists(a.arguments, b.arguments)) return false;
    }
    return same_lists(one.parameters, other.parameters);
}

/// The text before a blank outside brackets: a shape follows it.
std::string_view before_shape(std::string_view text) {
    int depth = 0;
    for (std::size_t i = text.starts_with("void ") ? 5 : 0; i < text.size(); ++i) {
        if (depth == 0 && text[i] == ' ') return text.substr(0, i);
        depth += text[i] == '<' || text[i] == '(' ? 1 : text[i] == '>' || text[i] == ')' ? -1 : 0;
    }
    return text;
}

}  // namespace

std::string function_name(std::string_view kernel) {
    if (kernel.starts_with("void ")) kernel.remove_prefix(5);
    std::string name;
    for (std::size_t i = 0; i < kernel.size();) {
        const std::string_view rest = kernel.substr(i);
        const bool begins = name.empty() || name.ends_with("::");
        if (const std::size_t unnamed = begins ? unnamed_namespace(rest) : 0;
            unnamed > 0 && rest.substr(unnamed).starts_with("::")) {
            i += unnamed + 2;
        } else if (begins && file_scope(rest) > 0) {
            i += file_scope(rest);
        } else if (begins && rest.starts_with("::")) {
            i += 2;
        } else if (rest[0] == '<' || rest[0] == '(') {
            std::size_t end = i;
            int depth = 0;
            do {
                depth += kernel[end] == '<' || kernel[end] == '('   ? 1
                         : kernel[end] == '>' || kernel[end] == ')' ? -1
                                                                    : 0;
                ++end;
            } while (depth > 0 && end < kernel.size());
            if (rest[0] == '(' || !kernel.substr(end).starts_with("::")) break;
            i = end;
        } else {
            name += rest[0];
            ++i;
        }
    }
    return name.substr(0, name.find_last_not_of(' ') + 1);
}

bool is_ptx_name(std::string_view mangled, std::string_view wanted) {
    if (mangled == wanted) return true;
    if (wanted.empty()) return false;
    const std::string own = readable(mangled);
    if (own == mangled) return false;
    const KernelName name = name_parts(own), other = name_parts(readable(wanted));
    const bool ends = other.parts.size() <= name.parts.size() &&
                      std::equal(other.parts.rbegin(), other.parts.rend(), name.parts.rbegin(),
                                 [](const NamePart& a, const NamePart& b) { return a.name == b.name; });
    return ends && !other.parts.empty() && agree(name, other);
}

bool may_be_one_kernel(std::string_view mangled, std::string_view written) {
    return agree(name_parts(before_shape(readable(mangled))), name_parts(before_shape(readable(written))));
}

}  // namespace warpnet::netgen
