#pragma once

#include <string>
#include <string_view>

namespace warpnet {

/// Throws PnmlError for a text in a format of nets that no reader here knows, which it names: by the
/// beginning of the text or by its root element.
void require_known_format(std::string_view text, const std::string& source_name);

}  // namespace warpnet
