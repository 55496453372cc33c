#pragma once

#include <filesystem>

namespace warpnet::testing {

/// The root of the checkout that the tests were built from.
std::filesystem::path source_dir();

}  // namespace warpnet::testing
