// A scanner and a parser by recursive descent for conditions, sums and CTL formulas. Each level of precedence
// is one function, with one word of look-ahead. Errors show the text with a caret below the offending column.
//
// A parenthesis can enclose a sum or a formula, and only the operator behind it tells which. To decide before
// would need unlimited look-ahead. Therefore operands are parsed as a Part, either a sum or a formula, and
// each operator converts its operands to the kind that it needs.
//
// Cost: O(words) plus O(terms^2) per sum, because a term of a known node is searched linearly. Conditions
// have few terms. Ids are found by a hash table of all nodes. Only a quoted name and the suggestion of an
// error look at all nodes. The depth of nesting is limited to 200, because the input decides the depth of the
// recursion and thus the use of the stack.

#include "engine/formula/parse_formula.hpp"

#include "engine/base/text.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace warpnet {

namespace {

enum class Symbol : std::uint8_t {
    end,
    number,
    id,
    conjunction,
    disjunction,
    negation,
    implication,
    relation,
    plus,
    minus,
    times,
    open,
    close,
    comma
};

struct Word {
    Symbol symbol = Symbol::end;
    std::size_t column = 0;  // from 0, in bytes
    std::string text;        // as written, but ids without quotes
    Relation relation = Relation::equal;
    bool quoted = false;
};

bool in_id(char c) {
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.' ||
           static_cast<unsigned char>(c) >= 0x80;
}

/// Splits a condition into words.
class Scanner {
  public:
    explicit Scanner(std::string_view text) : text_(text) {}

    [[noreturn]] void fail(std::size_t column, const std::string& expected, const std::string& found) const {
        std::string line(text_);
        std::replace_if(
            line.begin(), line.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
        // Continuation bytes of a character have no width on the screen.
        const auto width = static_cast<std::size_t>(std::count_if(
            line.begin(), line.begin() + static_cast<std::ptrdiff_t>(std::min(column, line.size())),
            [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
        throw ConditionError("condition, column " + std::to_string(width + 1) + ": expected " + expected +
                             ", found " + found + "\n  " + line + "\n  " + std::string(width, ' ') + "^");
    }

    Word next() {
        while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n')) ++at_;
        if (at_ == text_.size()) return {Symbol::end, at_, "the end", {}, false};
        const char c = text_[at_];
        if (c == '"' || c == '\'') return quoted_id(c);
        if (in_id(c)) return word();
        return sign();
    }

  private:
    Word quoted_id(char quote) {
        Word word{Symbol::id, at_, "", {}, true};
        for (++at_; at_ < text_.size(); ++at_) {
            if (text_[at_] == quote) {
                ++at_;
                if (at_ == text_.size() || text_[at_] != quote) return word;
            }
            word.text += text_[at_];
        }
        fail(word.column, "a closing quote", "the end");
    }

    Word word() {
        const std::size_t start = at_;
        while (at_ < text_.size() && in_id(text_[at_])) ++at_;
        Word word{Symbol::id, start, std::string(text_.substr(start, at_ - start)), {}, false};
        if (is_digit(word.text.front())) word.symbol = Symbol::number;
        if (word.text == "and") word.symbol = Symbol::conjunction;
        if (word.text == "or") word.symbol = Symbol::disjunction;
        if (word.text == "not") word.symbol = Symbol::negation;
        return word;
    }

    Word sign() {
        struct Sign {
            std::string_view text;
            Symbol symbol;
            Relation relation = Relation::equal;
        };
        static constexpr Sign signs[] = {// longer ones first
                                         {"->", Symbol::implication, {}},
                                         {"&&", Symbol::conjunction, {}},
                                         {"||", Symbol::disjunction, {}},
                                         {"==", Symbol::relation, Relation::equal},
                                         {"!=", Symbol::relation, Relation::not_equal},
                                         {"<>", Symbol::relation, Relation::not_equal},
                                         {"<=", Symbol::relation, Relation::less_equal},
                                         {">=", Symbol::relation, Relation::greater_equal},
                                         {"=", Symbol::relation, Relation::equal},
                                         {"<", Symbol::relation, Relation::less},
                                         {">", Symbol::relation, Relation::greater},
                                         {"!", Symbol::negation, {}},
                                         {"+", Symbol::plus, {}},
                                         {"-", Symbol::minus, {}},
                                         {"*", Symbol::times, {}},
                                         {"(", Symbol::open, {}},
                                         {")", Symbol::close, {}},
                                         {",", Symbol::comma, {}}};
        for (const Sign& sign : signs) {
            if (!text_.substr(at_).starts_with(sign.text)) continue;
            const std::size_t start = at_;
            at_ += sign.text.size();
            return {sign.symbol, start, std::string(sign.text), sign.relation, false};
        }
        fail(at_, "an id, a number or an operator", "'" + std::string(1, text_[at_]) + "'");
    }

  public:
    /// The text from a column on.
    std::string_view rest(std::size_t column) const { return text_.substr(column); }

  private:
    std::string_view text_;
    std::size_t at_ = 0;
};

/// A parser by recursive descent. An operand may be a sum or a formula. The operators check which of them
/// they need, so that parentheses are possible around both.
class Parser {
  public:
    Parser(std::string_view text, const Net& net, FormulaLanguage language)
        : scanner_(text), net_(net), nodes_(net), language_(language) {
        advance();
    }

    Formula parse() {
        const Word start = word_;
        Formula formula = formula_of(implication(), start);
        if (word_.symbol != Symbol::end) fail("'and', 'or' or the end");
        return formula;
    }

    LinearSum parse_sum() {
        const Word start = word_;
        LinearSum total = sum_of(sum(), start);
        if (word_.symbol != Symbol::end) fail("'+', '-' or the end");
        return total;
    }

  private:
    using Part = std::variant<LinearSum, Formula>;
    static constexpr std::int64_t max_coefficient = std::numeric_limits<std::int32_t>::max();

    void advance() { word_ = scanner_.next(); }

    [[noreturn]] void fail(const std::string& expected) const {
        scanner_.fail(word_.column, expected,
                      word_.symbol == Symbol::end ? word_.text : "'" + word_.text + "'");
    }

    bool accept(Symbol symbol) {
        if (word_.symbol != symbol) return false;
        advance();
        return true;
    }

    Formula formula_of(Part part, const Word& start) const {
        if (auto* formula = std::get_if<Formula>(&part)) return std::move(*formula);
        if (word_.symbol == Symbol::end) fail("a comparison such as '> 0'");
        scanner_.fail(start.column, "a comparison", "a sum alone");
    }

    LinearSum sum_of(Part part, const Word& start) const {
        if (auto* sum = std::get_if<LinearSum>(&part)) return std::move(*sum);
        scanner_.fail(start.column, "a sum of tokens, firings and numbers", "a condition");
    }

    /// Implications associate to the right: a -> b -> c is a -> (b -> c).
    Part implication() {
        const Word start = word_;
        Part left = disjunction();
        if (word_.symbol != Symbol::implication) return left;
        const Depth depth(*this);
        std::vector<Formula> either;
        either.push_back(negation_of(formula_of(std::move(left), start)));
        advance();
        const Word right = word_;
        either.push_back(formula_of(implication(), right));
        return warpnet::disjunction(std::move(either));
    }

    /// Parses one operand, or several that `symbol` joins.
    template <class Read, class Join>
    Part joined(Symbol symbol, Read&& read, Join&& join) {
        const Word start = word_;
        Part first = read();
        if (word_.symbol != symbol) return first;
        std::vector<Formula> operands;
        operands.push_back(formula_of(std::move(first), start));
        while (accept(symbol)) {
            const Word next = word_;
            operands.push_back(formula_of(read(), next));
        }
        return join(std::move(operands));
    }
    Part disjunction() {
        return joined(
            Symbol::disjunction, [this] { return conjunction(); }, warpnet::disjunction);
    }
    Part conjunction() {
        return joined(
            Symbol::conjunction, [this] { return negation(); }, warpnet::conjunction);
    }

    static Formula negation_of(Formula formula) { return warpnet::negation(std::move(formula)); }

    Part negation() {
        if (word_.symbol == Symbol::negation) {
            const Depth depth(*this);
            advance();
            const Word start = word_;
            return negation_of(formula_of(negation(), start));
        }
        if (language_ == FormulaLanguage::temporal && word_.symbol == Symbol::id && !word_.quoted) {
            if (word_.text == "E" || word_.text == "A") return until();
            if (const auto kind = one_operand(word_.text)) {
                const Depth depth(*this);
                const bool on_all_paths = word_.text[0] == 'A';
                advance();
                const Word start = word_;
                return temporal(*kind, on_all_paths, {formula_of(negation(), start)});
            }
        }
        return comparison();
    }

    static std::optional<Formula::Kind> one_operand(std::string_view word) {
        if (word.size() != 2 || (word[0] != 'E' && word[0] != 'A')) return std::nullopt;
        if (word[1] == 'X') return Formula::Kind::next;
        if (word[1] == 'F') return Formula::Kind::finally;
        if (word[1] == 'G') return Formula::Kind::globally;
        return std::nullopt;
    }

    Part until() {
        const Depth depth(*this);
        const bool on_all_paths = word_.text == "A";
        advance();
        if (!accept(Symbol::open)) fail("'('");
        std::vector<Formula> operands;
        Word start = word_;
        operands.push_back(formula_of(implication(), start));
        if (word_.symbol != Symbol::id || word_.quoted || word_.text != "U") fail("'U'");
        advance();
        start = word_;
        operands.push_back(formula_of(implication(), start));
        if (!accept(Symbol::close)) fail("')'");
        return temporal(Formula::Kind::until, on_all_paths, std::move(operands));
    }

    Part comparison() {
        const Word start = word_;
        Part left = sum();
        if (word_.symbol != Symbol::relation) return left;
        const Relation relation = word_.relation;
        LinearSum difference = sum_of(std::move(left), start);
        const Word sign = word_;
        advance();
        const Word right = word_;
        add(difference, sum_of(sum(), right), -1, sign);
        if (word_.symbol == Symbol::relation) fail("'and', 'or' or the end");
        return warpnet::comparison(std::move(difference), relation);
    }

    Part sum() {
        const Word start = word_;
        Part left = product();
        while (word_.symbol == Symbol::plus || word_.symbol == Symbol::minus) {
            LinearSum total = sum_of(std::move(left), start);
            const Word sign = word_;
            advance();
            const Word right = word_;
            add(total, sum_of(product(), right), sign.symbol == Symbol::plus ? 1 : -1, sign);
            left = std::move(total);
        }
        return left;
    }

    Part product() {
        const Word start = word_;
        Part left = factor();
        while (word_.symbol == Symbol::times) {
            LinearSum a = sum_of(std::move(left), start);
            const Word sign = word_;
            advance();
            const Word right = word_;
            LinearSum b = sum_of(factor(), right);
            if (!is_constant(a)) std::swap(a, b);
            if (!is_constant(a)) scanner_.fail(sign.column, "a number on one side of '*'", "none");
            left = scaled(b, a.constant, sign);
        }
        return left;
    }

    Part factor() {
        const Depth depth(*this);
        const Word word = word_;
        switch (word.symbol) {
            case Symbol::minus:
                advance();
                return scaled(sum_of(factor(), word), -1, word);
            case Symbol::open: {
                advance();
                Part inside = implication();
                if (!accept(Symbol::close)) fail("')'");
                return inside;
            }
            case Symbol::number:
                advance();
                return LinearSum{{}, {}, number(word)};
            case Symbol::id:
                advance();
                if (!word.quoted) {
                    if (auto formula = word_formula(word)) return std::move(*formula);
                }
                return node(word);
            default:
                fail("a place, a transition, a number or '('");
        }
    }

    /// A whole number below 2^63.
    std::int64_t number(const Word& word) const {
        const auto value = parse_number<std::int64_t>(word.text);
        if (!value) scanner_.fail(word.column, "a whole number below 2^63", "'" + word.text + "'");
        return *value;
    }

    /// Parses the rest of `enabled`, `dead`, `true` or `false`; the word itself has been read.
    std::optional<Formula> word_formula(const Word& word) {
        if (word.text == "enabled" && word_.symbol == Symbol::open) return enabled();
        const bool is_node = language_ != FormulaLanguage::temporal &&
                             (nodes_.place(word.text) || nodes_.transition(word.text));
        if (is_node) return std::nullopt;
        if (word.text == "dead") return dead_marking();
        if (word.text == "true" || word.text == "false") return constant(word.text == "true");
        return std::nullopt;
    }

    Formula enabled() {
        std::vector<std::uint32_t> transitions;
        do {
            advance();
            if (word_.symbol != Symbol::id) fail("the id of a transition");
            const auto transition = named(net_.transitions(), nodes_.transition(word_.text), word_);
            if (!transition)
                scanner_.fail(word_.column, "the id of a transition of net '" + net_.id() + "'",
                              "'" + word_.text + "'" + next_step(word_, true));
            transitions.push_back(static_cast<std::uint32_t>(index(*transition)));
            advance();
        } while (word_.symbol == Symbol::comma);
        if (!accept(Symbol::close)) fail("',' or ')'");
        return enabled_one_of(std::move(transitions));
    }

    /// A place denotes its tokens and a transition its firings.
    LinearSum node(const Word& word) const {
        if (const auto place = named(net_.places(), nodes_.place(word.text), word))
            return {{{static_cast<std::uint32_t>(index(*place)), 1}}, {}, 0};
        const auto transition = named(net_.transitions(), nodes_.transition(word.text), word);
        if (transition && language_ == FormulaLanguage::of_runs)
            return {{}, {{static_cast<std::uint32_t>(index(*transition)), 1}}, 0};
        if (transition)
            scanner_.fail(word.column, "a place (a marking knows no firings; enabled(" + word.text + ")?)",
                          "the transition '" + word.text + "'");
        scanner_.fail(word.column, "the id of a place or transition of net '" + net_.id() + "'",
                      "'" + word.text + "'" + next_step(word));
    }

    /// The node of an id or, in quotes, of a name that one node alone has. Ids come first.
    template <class Nodes, class Id>
    std::optional<Id> named(const Nodes& nodes, std::optional<Id> by_id, const Word& word) const {
        if (by_id || !word.quoted || nodes_.place(word.text) || nodes_.transition(word.text)) return by_id;
        std::vector<std::string> ids;
        for (const Place& place : net_.places())
            if (place.name == word.text) ids.push_back(place.id);
        for (const Transition& transition : net_.transitions())
            if (transition.name == word.text) ids.push_back(transition.id);
        if (ids.size() > 1)
            scanner_.fail(word.column, "a name that one node has",
                          "'" + word.text + "', the name of " + ids[0] + " and " + ids[1]);
        for (std::size_t i = 0; i < nodes.size(); ++i)
            if (nodes[i].name == word.text) return Id(i);
        return std::nullopt;
    }

    /// The intended spelling: in quotes if an id or a name with further characters begins here, otherwise the
    /// most similar id.
    std::string next_step(const Word& word, bool transitions_alone = false) const {
        const std::string_view rest = scanner_.rest(word.column);
        std::string_view meant;
        std::vector<std::string_view> ids;
        const auto look_at = [&](const auto& node) {
            ids.push_back(node.id);
            for (const std::string_view text : {std::string_view(node.id), std::string_view(node.name)})
                if (text.size() > std::max(word.text.size(), meant.size()) && rest.starts_with(text))
                    meant = text;
        };
        if (!transitions_alone)
            for (const Place& place : net_.places()) look_at(place);
        for (const Transition& transition : net_.transitions()) look_at(transition);
        if (!word.quoted && !meant.empty()) return "; write it in quotes: \"" + std::string(meant) + "\"";
        const std::string nearest = word.text.size() > 1 ? most_similar(word.text, ids) : "";
        return nearest.empty() ? "" : "; did you mean " + nearest + "?";
    }

    static bool is_constant(const LinearSum& sum) { return sum.tokens.empty() && sum.firings.empty(); }

    /// `sign` is the position of an overflow error.
    LinearSum scaled(const LinearSum& sum, std::int64_t factor, const Word& sign) const {
        LinearSum result;
        add(result, sum, factor, sign);
        return result;
    }

    void add(LinearSum& total, const LinearSum& summand, std::int64_t factor, const Word& sign) const {
        const auto add_term = [&](std::vector<LinearSum::Term>& terms, LinearSum::Term term) {
            const auto same = std::find_if(terms.begin(), terms.end(),
                                           [&](const auto& other) { return other.node == term.node; });
            const auto at = static_cast<std::size_t>(same - terms.begin());
            if (at == terms.size()) terms.push_back({term.node, 0});
            LinearSum::Term& target = terms[at];
            std::int64_t product = 0;
            if (__builtin_mul_overflow(term.coefficient, factor, &product) ||
                __builtin_add_overflow(target.coefficient, product, &target.coefficient) ||
                target.coefficient > max_coefficient || target.coefficient < -max_coefficient)
                scanner_.fail(sign.column, "coefficients below 2^31", "a larger one");
        };
        for (const auto& term : summand.tokens) add_term(total.tokens, term);
        for (const auto& term : summand.firings) add_term(total.firings, term);
        std::int64_t product = 0;
        if (__builtin_mul_overflow(summand.constant, factor, &product) ||
            __builtin_add_overflow(total.constant, product, &total.constant))
            scanner_.fail(sign.column, "constants below 2^63", "a larger one");
    }

    /// Limits the depth of the recursion, and thus the stack.
    class Depth {
      public:
        explicit Depth(Parser& parser) : parser_(parser) {
            if (++parser_.depth_ > 200) parser_.fail("at most 200 levels of nesting");
        }
        ~Depth() { --parser_.depth_; }
        Depth(const Depth&) = delete;
        Depth& operator=(const Depth&) = delete;

      private:
        Parser& parser_;
    };

    Scanner scanner_;
    const Net& net_;
    NodeIndex nodes_;
    FormulaLanguage language_;
    Word word_;
    int depth_ = 0;
};

}  // namespace

Formula parse_formula(std::string_view text, const Net& net, FormulaLanguage language) {
    return Parser(text, net, language).parse();
}

LinearSum parse_sum(std::string_view text, const Net& net) {
    return Parser(text, net, FormulaLanguage::of_markings).parse_sum();
}

}  // namespace warpnet
