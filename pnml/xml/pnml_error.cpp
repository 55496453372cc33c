#include "pnml/xml/pnml_error.hpp"

#include <utility>

namespace warpnet {

namespace {

std::string message(const PnmlLocation& at, const std::string& expected, const std::string& found) {
    std::string text = at.source + ":" + std::to_string(at.line) + ":" + std::to_string(at.column) + ": ";
    if (!at.element.empty()) text += at.element + ": ";
    return text + "expected " + expected + ", found " + found;
}

}  // namespace

PnmlError::PnmlError(PnmlLocation location, const std::string& expected, const std::string& found)
    : InputError(message(location, expected, found)), location_(std::move(location)) {}

}  // namespace warpnet
