#include "cli/shell/version.hpp"

namespace warpnet::cli {

const char* const version = WARPNET_VERSION;
const char* const version_date = WARPNET_DATE;

}  // namespace warpnet::cli
