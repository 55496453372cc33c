#pragma once

#include "engine/net/net.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace warpnet::xml {

/// Collects the text of a document. What is appended with << must be markup or need no escape.
class TextBuffer {
  public:
    TextBuffer& operator<<(std::string_view text) {
        text_ += text;
        return *this;
    }
    TextBuffer& operator<<(Tokens number);
    /// In decimal notation without exponent, as few digits as name exactly this number.
    TextBuffer& operator<<(double number);

    /// Any text as content of an element or of an attribute. What XML forbids becomes U+FFFD.
    void content(std::string_view text);

    void reserve(std::size_t bytes) { text_.reserve(bytes); }
    std::string text() && { return std::move(text_); }

  private:
    std::string text_;
};

}  // namespace warpnet::xml
