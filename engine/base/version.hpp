#pragma once

namespace warpnet {

/// The version of this build, such as "0.3.0", and its date, such as "2026-11-29".
extern const char* const version;
extern const char* const version_date;

}  // namespace warpnet
