// Generated nets, and answers about task sets. Python passes the arguments of `warpnet generate` and `warpnet
// respond`, so both have the parameters, defaults and checks of their command.

#include "cli/commands/commands.hpp"
#include "engine/base/to_json.hpp"
#include "python/binding/background.hpp"
#include "python/binding/messages.hpp"
#include "python/binding/subjects.hpp"

#include <memory>
#include <string>
#include <tuple>
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

/// (JSON object of the command `respond`, picture, messages)
std::tuple<std::string, std::string, std::vector<std::string>> respond(
    const std::vector<std::string>& arguments) {
    return result_in_background([&](const std::atomic<bool>&) {
        const Messages messages;
        auto [json, svg] = cli::respond_answers(arguments);
        return std::tuple(json_line(json), std::move(svg), messages.lines());
    });
}

}  // namespace

void add_families(py::module_& core) {
    core.def("generate", generate);
    core.def("respond", respond);
}

}  // namespace warpnet::python
