#include "cli/commands/commands.hpp"
#include "cli/shell/command_line.hpp"
#include "python/binding/background.hpp"
#include "python/binding/messages.hpp"
#include "python/binding/subjects.hpp"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <pybind11/stl.h>

namespace warpnet::python {

namespace py = pybind11;

namespace {

/// What `warpnet generate` makes of these arguments, so that every family has the parameters, defaults and
/// checks of its command; and what it says of them.
std::pair<std::shared_ptr<Net>, std::vector<std::string>> generate(
    const std::vector<std::string>& arguments) {
    return result_in_background([&](const std::atomic<bool>&) {
        const Messages messages;
        cli::ExitCode ignored = cli::ExitCode::done;
        std::optional<Net> net;
        cli::run_command_line(
            [&](cli::Command& families) {
                cli::add_generate_blocks(families, ignored, &net);
                cli::add_generate_cfg(families, ignored, &net);
                cli::add_generate_kernel(families, ignored, &net);
                cli::add_generate_sm(families, ignored, &net);
                cli::add_generate_warps(families, ignored, &net);
            },
            arguments);
        return std::pair(std::make_shared<Net>(std::move(net).value()), messages.lines());
    });
}

}  // namespace

void add_families(py::module_& core) { core.def("generate", generate); }

}  // namespace warpnet::python
