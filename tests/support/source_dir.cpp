#include "tests/support/shared_data.hpp"

namespace warpnet::testing {

// The only place that knows the path, so that everything else compiles to the same object in every checkout.
std::filesystem::path source_dir() { return WARPNET_SOURCE_DIR; }

}  // namespace warpnet::testing
