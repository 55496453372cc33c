#include "engine/base/version.hpp"
#include "engine/base/with_threads.hpp"
#include "python/binding/subjects.hpp"

PYBIND11_MODULE(_core, core) {
    core.doc() = "The engine of warpnet, as its Python package uses it.";
    core.attr("version") = warpnet::version;
    core.def("allow_threads", warpnet::allow_threads);
    warpnet::python::add_errors(core);
    warpnet::python::add_nets(core);
    warpnet::python::add_schedules(core);
    warpnet::python::add_runs(core);
    warpnet::python::add_worst(core);
    warpnet::python::add_exploration(core);
    warpnet::python::add_families(core);
    warpnet::python::add_predictions(core);
    warpnet::python::add_pictures(core);
}
