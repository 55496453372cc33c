#include "tests/support/shared_data.hpp"

namespace warpnet::testing {

// Only this file knows the path, so that all other files compile to the same object in every checkout.
std::filesystem::path source_dir() { return WARPNET_SOURCE_DIR; }

}  // namespace warpnet::testing
