#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace warpnet::netgen {

/// A token of PTX; its text is a view of the scanned one.
struct PtxToken {
    enum class Kind : std::uint8_t {
        word,       ///< an identifier, a register, an opcode with all its dots
        directive,  ///< begins with a dot
        integer,    ///< `value`
        real,
        string,  ///< with its quotes
        symbol,  ///< one character
        end,
    };
    Kind kind = Kind::end;
    std::string_view text = {};
    std::int64_t value = 0;

    bool is(char symbol_text) const { return kind == Kind::symbol && text.front() == symbol_text; }
};

/// Cuts a PTX text into tokens, one ahead of the reader. Comments and white space separate. O(text).
class PtxScanner {
  public:
    PtxScanner(std::string_view text, const std::string& source);

    /// The next token, which take() then removes.
    const PtxToken& peek() const { return next_; }
    PtxToken take();
    bool at(char symbol) const { return next_.is(symbol); }
    /// Removes the symbol if it is next.
    bool skip(char symbol);
    /// Removes the symbol; InputError if something else is next.
    void expect(char symbol, std::string_view after);
    /// Removes the next token and the rest of its line.
    void skip_line_of_next();

    std::uint32_t line() const { return next_line_; }
    /// "source:line: ", before a message about that line.
    std::string place(std::uint32_t line) const { return source_ + ":" + std::to_string(line) + ": "; }
    /// InputError "source:line:column: expected …, found …" at the next token.
    [[noreturn]] void fail(std::string_view expected) const;
    /// InputError with its own message at the next token.
    [[noreturn]] void fail_with(const std::string& message) const;
    /// InputError "source:line: message" about a part that was read before.
    [[noreturn]] void fail_on_line(std::uint32_t line, const std::string& message) const;

  private:
    void scan();
    void skip_space();
    void scan_number();
    void scan_word();
    void scan_string();
    char character(std::size_t ahead = 0) const {
        return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
    }
    [[noreturn]] void fail_at(std::size_t position, std::uint32_t line, const std::string& message) const;

    std::string_view text_;
    const std::string& source_;
    std::size_t at_ = 0;         // behind the next token
    std::uint32_t line_ = 1;     // of at_
    std::size_t taken_end_ = 0;  // behind the last removed token
    std::uint32_t taken_line_ = 1;
    PtxToken next_;
    std::size_t next_at_ = 0;
    std::uint32_t next_line_ = 1;
};

/// Text from a file in the form for messages: at most 40 printable characters.
std::string ptx_shown(std::string_view text);

/// Reads the longest constant expression (PTX ISA 9.0, section 4.6) of 64-bit numbers, such as `(1<<3)+2`.
/// `signs` were read before it: `-`, `!`, `~`. Throws InputError for text that is no expression, a division
/// by zero, and more than 1000 nested brackets and operators. O(length).
std::int64_t read_ptx_constant(PtxScanner& scanner, std::string_view signs = {});

}  // namespace warpnet::netgen
