#include "pnml/write_file.hpp"

#include <catch2/catch.hpp>
