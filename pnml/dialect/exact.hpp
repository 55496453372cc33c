#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace warpnet::exact {

/// What PNML cannot say is kept in one tool-specific part of the net, so that a net read back is the net that
/// was written (FORMAT.md, "Our own part"):
///
///     <toolspecific tool="warpnet" version="1">
///       <about originalId="" name="" timing="here" positions="none"/>
///       <node ref="p" originalId="" name="" immediate="true" priority="1" position="none"/>
///       <loop place="p" transition="t" read="2" input="1" output="3"/>
///     </toolspecific>
///
/// Every attribute but the references is left out where it has nothing to add. No element has a name of PNML,
/// so that tools which search a whole document for <place> or <net> are not misled.
inline constexpr std::string_view tool = "warpnet";
inline constexpr std::string_view version = "1";

/// Any bytes as characters that XML allows: '%', control characters and what is not UTF-8 become %XX.
std::string encode(std::string_view bytes);

/// The inverse of encode(); nothing where a '%' is not followed by two hexadecimal digits.
std::optional<std::string> decode(std::string_view text);

}  // namespace warpnet::exact
