#include "netgen/code/ptx/constant.hpp"

#include <array>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

namespace warpnet {

namespace {

using Kind = PtxToken::Kind;

constexpr std::size_t deepest_expression = 1000;

struct Operator {
    std::string_view text;
    int precedence;  // the higher, the tighter
};

// Those of C. '(' and '?' wait for their partners; '~', '!', '-' with one operand come as "u~", "u!", "u-".
constexpr std::array binary_operators = {
    Operator{"||", 2}, Operator{"&&", 3}, Operator{"|", 4},  Operator{"^", 5},  Operator{"&", 6},
    Operator{"==", 7}, Operator{"!=", 7}, Operator{"<=", 8}, Operator{">=", 8}, Operator{"<<", 9},
    Operator{">>", 9}, Operator{"<", 8},  Operator{">", 8},  Operator{"+", 10}, Operator{"-", 10},
    Operator{"*", 11}, Operator{"/", 11}, Operator{"%", 11}, Operator{"?", 1}};
constexpr int conditional = 1;
constexpr int sign = 12;

/// Two stacks, of numbers and of operators that wait for their right side.
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
            } else {
                scanner_.fail("a number");
            }
        }
    }

    // The characters of an operator stand together.
    std::optional<Operator> take_operator() {
        if (scanner_.peek().kind != Kind::symbol) return std::nullopt;
        const char first = scanner_.peek().text.front();
        const char second = scanner_.peek().text.data()[1];  // the text ends with a zero or goes on
        for (const Operator& one : binary_operators) {
            if (one.text.front() != first || (one.text.size() == 2 && one.text[1] != second)) continue;
            for (std::size_t i = 0; i < one.text.size(); ++i) scanner_.take();
            return one;
        }
        return std::nullopt;
    }

    /// Computes what binds at least so tightly.
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

}  // namespace warpnet
