#pragma once

namespace warpnet {

/// The version of this build, such as "0.3.0", and its date, such as "2026-11-29".
extern const char* const version;
extern const char* const version_date;
/// The commit that was built, in 12 hexadecimal digits. Empty outside of a Git checkout, and in builds with
/// tests, so that a commit alone does not rebuild them.
extern const char* const version_commit;

}  // namespace warpnet
