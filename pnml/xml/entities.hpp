#pragma once

#include <string>

namespace warpnet::xml {

class Source;

/// The text of `source` with the simple text entities of its internal DTD replaced; empty where nothing had
/// to be replaced. Throws PnmlError for every reference that is none of: the five entities of XML, a
/// character that XML allows, an entity declared as plain text. Declarations of external or nested entities
/// are refused where they are used; attribute defaults where they stand.
std::string replace_entities(const Source& source);

}  // namespace warpnet::xml
