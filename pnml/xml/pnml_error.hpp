#pragma once

#include "engine/net/error.hpp"

#include <cstddef>
#include <string>
#include <utility>

namespace warpnet::pnml {

/// A place in a PNML document.
struct PnmlLocation {
    std::string source;      ///< the file's name, or what the caller called the text
    std::size_t line = 1;    ///< the name of the file, or the source name given by the caller
    std::size_t column = 1;  ///< from 1, in characters
    std::string element;     ///< such as `<inscription> in <arc id="a3">`
};

/// A PNML document that cannot be read: malformed XML, or an ambiguous or unsupported net. The message has
/// the form `source:line:column: element: expected ..., found ...`.
class PnmlError : public InputError {
  public:
    PnmlError(PnmlLocation location, const std::string& expected, const std::string& found)
        : InputError(location.source + ":" + std::to_string(location.line) + ":" +
                     std::to_string(location.column) + ": " +
                     (location.element.empty() ? "" : location.element + ": ") + "expected " + expected +
                     ", found " + found),
          location_(std::move(location)) {}

    const PnmlLocation& location() const noexcept { return location_; }

  private:
    PnmlLocation location_;
};

}  // namespace warpnet::pnml
