#include "engine/base/version.hpp"

namespace warpnet {

const char* const version = WARPNET_VERSION;
const char* const version_date = WARPNET_DATE;

}  // namespace warpnet
