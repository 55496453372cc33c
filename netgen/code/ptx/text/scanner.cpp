// Tokens of a PTX text: words, directives, numbers, strings and single characters, with one token of
// look-ahead. Words contain dots, as opcodes do. Constant expressions are evaluated here, with the operators
// and precedences of C. O(text); nesting of parentheses is limited.
//
// Constant expressions use operator precedence with two stacks, O(tokens). Recursive descent was not an
// option for them. Nested parentheses of the input would decide its depth, and the levels of precedence would
// multiply it. Arithmetic wraps modulo 2^64. It is done on unsigned numbers, because signed overflow is
// undefined in C++.

#include "netgen/code/ptx/text/scanner.hpp"

#include "engine/base/text.hpp"
#include "engine/net/error.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

namespace warpnet::netgen {

namespace {

constexpr bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

// The characters of a word: letters, digits, _ and $; and its first characters.
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

// Words contain dots and '::', as in opcodes and special registers; a single ':' ends a label.
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

namespace {

using Kind = PtxToken::Kind;

constexpr std::size_t deepest_expression = 1000;

struct Operator {
    std::string_view text;
    int precedence;  // the higher, the tighter
};

// The precedences of C. '(' and '?' wait for their partners; '~', '!', '-' with one operand come as "u~",
// "u!", "u-".
constexpr std::array binary_operators = {
    Operator{"||", 2}, Operator{"&&", 3}, Operator{"|", 4},  Operator{"^", 5},  Operator{"&", 6},
    Operator{"==", 7}, Operator{"!=", 7}, Operator{"<=", 8}, Operator{">=", 8}, Operator{"<<", 9},
    Operator{">>", 9}, Operator{"<", 8},  Operator{">", 8},  Operator{"+", 10}, Operator{"-", 10},
    Operator{"*", 11}, Operator{"/", 11}, Operator{"%", 11}, Operator{"?", 1}};
constexpr int conditional = 1;
constexpr int sign = 12;

/// Two stacks: numbers, and operators that wait for their right operand.
class ConstantReader {
  public:
    explicit ConstantReader(PtxScanner& scanner) : scanner_(scanner) {}

    std::int64_t read(std::string_view signs) {
        for (const char one : signs) push(unary(one));
        read_operand();
        while (true) {
            if (scanner_.at(')') && parentheses_ > 0) {
                scanner_.take();
                reduce(0);
                operators_.pop_back();
                --parentheses_;
                reduce(sign);
            } else if (scanner_.at(':') && questions_ > 0) {
                scanner_.take();
                reduce(conditional + 1);
                if (operators_.empty() || operators_.back().text != "?") scanner_.fail("')'");
                operators_.back().text = ":";
                --questions_;
                read_operand();
            } else if (const auto found = take_operator()) {
                reduce(found->text == "?" ? found->precedence + 1 : found->precedence);
                push(*found);
                questions_ += found->text == "?" ? 1 : 0;
                read_operand();
            } else {
                break;
            }
        }
        if (parentheses_ > 0) scanner_.fail("')'");
        if (questions_ > 0) scanner_.fail("':'");
        reduce(0);
        return values_.back();
    }

  private:
    static Operator unary(char one) { return {one == '-' ? "u-" : one == '!' ? "u!" : "u~", sign}; }

    void push(Operator one) {
        if (operators_.size() == deepest_expression)
            scanner_.fail_with("a constant expression nested more than 1000 deep");
        operators_.push_back(one);
    }

    void read_operand() {
        while (true) {
            if (scanner_.skip('+')) continue;
            if (scanner_.at('-') || scanner_.at('!') || scanner_.at('~')) {
                push(unary(scanner_.take().text.front()));
            } else if (scanner_.skip('(')) {
                if (scanner_.peek().kind == Kind::directive) {  // (.s64) and (.u64): the bits stay
                    scanner_.take();
                    scanner_.expect(')', "after a type");
                } else {
                    push({"(", 0});
                    ++parentheses_;
                }
            } else if (scanner_.peek().kind == Kind::integer) {
                values_.push_back(scanner_.take().value);
                return reduce(sign);
            } else if (scanner_.peek().text == "WARP_SZ") {
                scanner_.take();
                values_.push_back(32);
                return reduce(sign);
            } else {
                scanner_.fail("a number");
            }
        }
    }

    // No space separates the characters of an operator.
    std::optional<Operator> take_operator() {
        if (scanner_.peek().kind != Kind::symbol) return std::nullopt;
        const char first = scanner_.peek().text.front();
        const char second = scanner_.peek().text.data()[1];  // the text continues, or ends with a zero
        for (const Operator& one : binary_operators) {
            if (one.text.front() != first || (one.text.size() == 2 && one.text[1] != second)) continue;
            for (std::size_t i = 0; i < one.text.size(); ++i) scanner_.take();
            return one;
        }
        return std::nullopt;
    }

    /// Computes the operators that bind at least as tightly.
    void reduce(int precedence) {
        while (!operators_.empty() && operators_.back().text != "(" && operators_.back().text != "?" &&
               operators_.back().precedence >= precedence) {
            const std::string_view text = operators_.back().text;
            operators_.pop_back();
            const std::int64_t right = take_value();
            if (text == "u-") {
                values_.push_back(static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(right)));
            } else if (text == "u!") {
                values_.push_back(right == 0 ? 1 : 0);
            } else if (text == "u~") {
                values_.push_back(~right);
            } else if (text == ":") {
                const std::int64_t left = take_value();
                values_.push_back(take_value() != 0 ? left : right);
            } else {
                values_.push_back(binary(text, take_value(), right));
            }
        }
    }

    std::int64_t take_value() {
        const std::int64_t value = values_.back();
        values_.pop_back();
        return value;
    }

    std::int64_t binary(std::string_view text, std::int64_t a, std::int64_t b) const {
        const auto x = static_cast<std::uint64_t>(a);
        const auto y = static_cast<std::uint64_t>(b);
        const auto number = [](std::uint64_t bits) { return static_cast<std::int64_t>(bits); };
        if (text == "+") return number(x + y);
        if (text == "-") return number(x - y);
        if (text == "*") return number(x * y);
        if (text == "&") return a & b;
        if (text == "|") return a | b;
        if (text == "^") return a ^ b;
        if (text == "&&") return a != 0 && b != 0 ? 1 : 0;
        if (text == "||") return a != 0 || b != 0 ? 1 : 0;
        if (text == "==") return a == b ? 1 : 0;
        if (text == "!=") return a != b ? 1 : 0;
        if (text == "<") return a < b ? 1 : 0;
        if (text == ">") return a > b ? 1 : 0;
        if (text == "<=") return a <= b ? 1 : 0;
        if (text == ">=") return a >= b ? 1 : 0;
        if (text == "<<") return y > 63 ? 0 : number(x << y);
        if (text == ">>") return a >> (y > 63 ? 63 : y);
        if (b == 0) scanner_.fail_with("a constant is divided by zero");
        if (b == -1) return text == "/" ? number(0 - x) : 0;
        return text == "/" ? a / b : a % b;
    }

    PtxScanner& scanner_;
    std::vector<std::int64_t> values_;
    std::vector<Operator> operators_;
    int parentheses_ = 0;
    int questions_ = 0;
};

}  // namespace

std::int64_t read_ptx_constant(PtxScanner& scanner, std::string_view signs) {
    return ConstantReader(scanner).read(signs);
}

}  // namespace warpnet::netgen
