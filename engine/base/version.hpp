#pragma once

namespace warpnet {

/// Of this build, such as "0.2.0", and the day it is from, such as "2026-11-23".
extern const char* const version;
extern const char* const version_date;

}  // namespace warpnet
