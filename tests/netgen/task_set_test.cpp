#include "netgen/task_set.hpp"
