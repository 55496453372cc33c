#include "netgen/tasks_json.hpp"
