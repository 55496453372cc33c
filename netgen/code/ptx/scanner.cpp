#include "netgen/code/ptx/scanner.hpp"

#include "engine/net/error.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

namespace warpnet {

namespace {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

// What a word may hold, by character: letters, digits, _ and $; and what it may begin with.
constexpr std::array<bool, 256> word_characters = [] {
    std::array<bool, 256> table = {};
    for (std::size_t c = 0; c < table.size(); ++c) {
        const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        table[c] = letter || (c >= '0' && c <= '9') || c == '_' || c == '$';
    }
    return table;
}();
bool in_word(char c) { return word_characters[static_cast<unsigned char>(c)]; }
bool begins_word(char c) { return (in_word(c) && !is_digit(c)) || c == '%'; }

}  // namespace

std::string ptx_shown(std::string_view text) {
    constexpr std::size_t longest = 40;
    std::string shown;
    for (const char c : text.substr(0, longest)) shown += c >= ' ' && c < 0x7f ? c : '?';
    return text.size() > longest ? shown + "…" : shown;
}

PtxScanner::PtxScanner(std::string_view text, const std::string& source) : text_(text), source_(source) {
    scan();
}

PtxToken PtxScanner::take() {
    const PtxToken taken = next_;
    taken_end_ = at_;
    taken_line_ = line_;
    scan();
    return taken;
}

bool PtxScanner::skip(char symbol) {
    if (!at(symbol)) return false;
    take();
    return true;
}

void PtxScanner::expect(char symbol, std::string_view after) {
    if (!skip(symbol)) fail("'" + std::string(1, symbol) + "' " + std::string(after));
}

void PtxScanner::skip_line_of_next() {
    take();
    at_ = std::min(text_.find('\n', taken_end_), text_.size());
    line_ = taken_line_;
    scan();
}

void PtxScanner::skip_space() {
    while (true) {
        const char c = character();
        if (c == '\n') {
            ++line_;
            ++at_;
        } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
            ++at_;
        } else if (c == '/' && character(1) == '/') {
            at_ = std::min(text_.find('\n', at_), text_.size());
        } else if (c == '/' && character(1) == '*') {
            const std::size_t end = text_.find("*/", at_ + 2);
            if (end == std::string_view::npos)
                fail_at(at_, line_, "a comment begins here and does not end, expected '*/'");
            line_ += static_cast<std::uint32_t>(std::count(text_.begin() + static_cast<std::ptrdiff_t>(at_),
                                                           text_.begin() + static_cast<std::ptrdiff_t>(end),
                                                           '\n'));
            at_ = end + 2;
        } else {
            return;
        }
    }
}

void PtxScanner::scan() {
    skip_space();
    next_at_ = at_;
    next_line_ = line_;
    next_.value = 0;
    if (at_ == text_.size()) {
        next_ = {};
        return;
    }
    const char c = text_[at_];
    if (is_digit(c)) {
        scan_number();
    } else if (text_.substr(at_, 3) == "...") {  // of a function that takes any number of arguments
        next_.kind = PtxToken::Kind::word;
        next_.text = text_.substr(at_, 3);
        at_ += 3;
    } else if (c == '%' && (character(1) == ' ' || character(1) == '(')) {  // the remainder of a division
        next_.kind = PtxToken::Kind::symbol;
        next_.text = text_.substr(at_++, 1);
    } else if (begins_word(c) || (c == '.' && in_word(character(1)))) {
        scan_word();
    } else if (c == '"') {
        scan_string();
    } else {
        constexpr std::string_view symbols = ",;:(){}[]<>+-!|@=*/%&^~?";
        if (symbols.find(c) == std::string_view::npos)
            fail_at(at_, line_, "'" + ptx_shown(text_.substr(at_, 1)) + "' begins nothing that PTX has");
        next_.kind = PtxToken::Kind::symbol;
        next_.text = text_.substr(at_++, 1);
    }
}

// Words hold dots and '::', for opcodes and special registers are made of them; a single ':' ends a label.
void PtxScanner::scan_word() {
    next_.kind = text_[at_] == '.' ? PtxToken::Kind::directive : PtxToken::Kind::word;
    if (text_[at_] == '%' && !in_word(character(1)))
        fail_at(at_, line_, "expected the name of a register after '%'");
    ++at_;
    while (true) {
        const char c = character();
        if (in_word(c) || c == '.') {
            ++at_;
        } else if (c == ':' && character(1) == ':' && in_word(character(2))) {
            at_ += 2;
        } else {
            break;
        }
    }
    next_.text = text_.substr(next_at_, at_ - next_at_);
}

void PtxScanner::scan_number() {
    const auto integer = [this](std::string_view digits, int base) {
        std::uint64_t value = 0;
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
        next_.value = static_cast<std::int64_t>(value);
        return !digits.empty() && error == std::errc{} && end == digits.data() + digits.size();
    };
    while (in_word(character()) || character() == '.' ||
           ((character() == '+' || character() == '-') && (text_[at_ - 1] == 'e' || text_[at_ - 1] == 'E') &&
            !text_.substr(next_at_).starts_with("0x")))
        ++at_;
    std::string_view digits = text_.substr(next_at_, at_ - next_at_);
    next_.text = digits;
    next_.kind = PtxToken::Kind::integer;
    const char second = digits.size() > 1 ? digits[1] : '\0';
    if (digits.front() == '0' && (second == 'f' || second == 'F' || second == 'd' || second == 'D')) {
        const std::size_t length = second == 'f' || second == 'F' ? 8 : 16;
        next_.kind = PtxToken::Kind::real;
        if (digits.size() == length + 2 && std::all_of(digits.begin() + 2, digits.end(), is_hex)) return;
    } else {
        if (digits.ends_with('U')) digits.remove_suffix(1);
        if (second == 'x' || second == 'X') {
            if (integer(digits.substr(2), 16)) return;
        } else if (second == 'b' || second == 'B') {
            if (integer(digits.substr(2), 2)) return;
        } else if (digits.find_first_of(".eE") != std::string_view::npos) {
            double value = 0;
            const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
            next_.kind = PtxToken::Kind::real;
            if (error != std::errc::invalid_argument && end == digits.data() + digits.size()) return;
        } else if (integer(digits, digits.front() == '0' && digits.size() > 1 ? 8 : 10)) {
            return;
        }
    }
    fail_at(next_at_, next_line_,
            "expected a number of at most 64 bits, found '" + ptx_shown(next_.text) + "'");
}

void PtxScanner::scan_string() {
    next_.kind = PtxToken::Kind::string;
    for (++at_; at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\n'; ++at_)
        if (text_[at_] == '\\' && character(1) != '\n' && at_ + 1 < text_.size()) ++at_;
    if (character() != '"')
        fail_at(next_at_, next_line_, "a string begins here and does not end on its line");
    ++at_;
    next_.text = text_.substr(next_at_, at_ - next_at_);
}

void PtxScanner::fail(std::string_view expected) const {
    const std::string found =
        next_.kind == PtxToken::Kind::end ? "the end of the file" : "'" + ptx_shown(next_.text) + "'";
    fail_with("expected " + std::string(expected) + ", found " + found);
}

void PtxScanner::fail_with(const std::string& message) const { fail_at(next_at_, next_line_, message); }

void PtxScanner::fail_on_line(std::uint32_t line, const std::string& message) const {
    throw InputError(place(line) + message);
}

void PtxScanner::fail_at(std::size_t position, std::uint32_t line, const std::string& message) const {
    const std::size_t newline = text_.substr(0, position).rfind('\n');
    const std::size_t begin = newline == std::string_view::npos ? 0 : newline + 1;
    throw InputError(source_ + ":" + std::to_string(line) + ":" + std::to_string(position - begin + 1) +
                     ": " + message);
}

}  // namespace warpnet
