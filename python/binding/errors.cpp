// Exceptions of the libraries as exceptions of the Python package. A PNML error has its position as fields.
// For all other errors the Python class reads it from the text.

#include "analysis/pictures/net/draw.hpp"
#include "engine/input/usage_error.hpp"
#include "engine/net/error.hpp"
#include "pnml/xml/pnml_error.hpp"
#include "python/binding/subjects.hpp"

#include <exception>
#include <string>

namespace warpnet::python {

namespace py = pybind11;

namespace {

/// Raises an exception of the Python part of the package.
void raise(const char* name, const py::object& argument, const py::dict& where = {}) {
    const py::object type = py::module_::import("warpnet._errors").attr(name);
    PyErr_SetObject(type.ptr(), type(argument, **where).ptr());
}

/// PNML errors have a position. The remaining messages begin with it (source:line:column: …), and
/// warpnet._errors.InputError reads it from them.
void raise_pnml_error(const pnml::PnmlError& error) {
    const pnml::PnmlLocation& at = error.location();
    raise("InputError", py::str(error.what()),
          py::dict(py::arg("file") = at.source, py::arg("line") = at.line, py::arg("column") = at.column));
}

// pybind11 requires a function that takes it by value.
void translate(std::exception_ptr thrown) {  // NOLINT(performance-unnecessary-value-param)
    if (!thrown) return;
    try {
        std::rethrow_exception(thrown);
    } catch (const pnml::PnmlError& error) {
        raise_pnml_error(error);
    } catch (const InputError& error) {
        raise("InputError", py::str(error.what()));
    } catch (const UsageError& error) {
        raise("InputError", py::str(error.what()));
    } catch (const pictures::RenderError& error) {
        raise("RenderError", py::str(error.what()));
    }
}

}  // namespace

void add_errors(py::module_&) { py::register_exception_translator(translate); }

}  // namespace warpnet::python
