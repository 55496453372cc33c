#include "pnml/read_pnml.hpp"

#include <catch2/catch.hpp>

using namespace warpnet;
TEST_CASE("read placeholder") { CHECK_THROWS(read_pnml("", "x")); }
