// Generated nets. Python passes the arguments of `warpnet generate`, so every family has the parameters,
// defaults and checks of its command.

#include "cli/commands/commands.hpp"
#include "python/binding/background.hpp"
#include "python/binding/messages.hpp"
#include "python/binding/subjects.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <pybind11/stl.h>

namespace warpnet::python {

namespace py = pybind11;

namespace {

/// The net that `warpnet generate` makes of these arguments, and its messages.
std::pair<std::shared_ptr<Net>, std::vector<std::string>> generate(
    const std::vector<std::string>& arguments) {
    return result_in_background([&](const std::atomic<bool>&) {
        const Messages messages;
        auto net = std::make_shared<Net>(cli::generated_net(arguments));
        return std::pair(std::move(net), messages.lines());
    });
}

}  // namespace

void add_families(py::module_& core) { core.def("generate", generate); }

}  // namespace warpnet::python
