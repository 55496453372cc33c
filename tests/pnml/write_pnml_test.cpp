#include "pnml/write_pnml.hpp"

#include <catch2/catch.hpp>
