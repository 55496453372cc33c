#pragma once
#include "../plain_tbb.hpp"
