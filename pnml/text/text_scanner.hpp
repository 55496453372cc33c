#pragma once

#include "engine/base/text.hpp"
#include "engine/net/error.hpp"
#include "engine/net/net.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace warpnet::pnml {

/// Reads a text from left to right, and reports its position in error messages.
class TextScanner {
  public:
    TextScanner(std::string_view text, std::string source) : text_(text), source_(std::move(source)) {}

    bool at_end() const noexcept { return at_ >= text_.size(); }
    char peek(std::size_t ahead = 0) const noexcept {
        return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
    }
    char next() noexcept { return at_end() ? '\0' : text_[at_++]; }

    /// Consumes `expected` if the rest of the text begins with it.
    bool skip(std::string_view expected) noexcept {
        if (text_.substr(at_, expected.size()) != expected) return false;
        at_ += expected.size();
        return true;
    }

    /// The longest run of characters for which belongs(c) holds.
    template <class Belongs>
    std::string_view take_while(Belongs&& belongs) {
        const std::size_t begin = at_;
        while (!at_end() && belongs(text_[at_])) ++at_;
        return text_.substr(begin, at_ - begin);
    }

    /// Skips blanks and ends of lines.
    void skip_space() {
        take_while([](char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; });
    }

    /// Decimal digits; an empty text if there are none.
    std::string_view digits() { return take_while(is_digit); }

    /// From 1. Lines are counted on from the last call: O(text) for all calls together.
    std::size_t line() const {
        const std::size_t at = std::min(at_, text_.size());
        const std::string_view passed = text_.substr(counted_, at - counted_);
        line_ += static_cast<std::size_t>(std::count(passed.begin(), passed.end(), '\n'));
        counted_ = at;
        return line_;
    }

    /// "net.lola:3: expected ';', found 'TRANSITION'"
    [[noreturn]] void fail(const std::string& what) const { fail_at(line(), what); }
    [[noreturn]] void fail_at(std::size_t line, const std::string& what) const {
        throw InputError(source_ + ":" + std::to_string(line) + ": " + what);
    }

    /// An integer in the range of Tokens.
    Tokens number(std::string_view digits, std::string_view what) const {
        const auto value = parse_number<Tokens>(digits);
        if (!value || *value < 0)
            fail("expected " + std::string(what) + ", found '" + std::string(digits) + "'");
        return *value;
    }

  private:
    std::string_view text_;
    std::string source_;
    std::size_t at_ = 0;
    mutable std::size_t counted_ = 0, line_ = 1;  // the lines up to a place in the text
};

}  // namespace warpnet::pnml
