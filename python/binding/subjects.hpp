#pragma once

#include <pybind11/pybind11.h>

namespace warpnet::python {

// Each function adds one subject to the module `warpnet._core`, in the file of its name. These additions are
// for the Python part of the package (../warpnet). They take every option, in a fixed order or by name, and
// return plain values, arrays and JSON texts.

void add_errors(pybind11::module_& core);
void add_nets(pybind11::module_& core);
void add_schedules(pybind11::module_& core);
void add_runs(pybind11::module_& core);
void add_worst(pybind11::module_& core);
void add_exploration(pybind11::module_& core);
void add_families(pybind11::module_& core);
void add_predictions(pybind11::module_& core);
void add_pictures(pybind11::module_& core);

}  // namespace warpnet::python
