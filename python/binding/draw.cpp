#include "analysis/pictures/net/draw.hpp"

#include "python/binding/arrays.hpp"
#include "python/binding/background.hpp"
#include "python/binding/choices.hpp"
#include "python/binding/subjects.hpp"

#include <optional>
#include <string>
#include <vector>

#include <pybind11/stl.h>

namespace warpnet::python {

namespace py = pybind11;

namespace {

pictures::DrawOptions draw_options_of(const Net& net, const py::dict& given) {
    pictures::DrawOptions options;
    if (!given["marking"].is_none()) options.marking = marking_of(net, given["marking"].cast<TokenArray>());
    options.highlight = given["highlight"].cast<std::vector<std::string>>();
    options.legend = given["legend"].cast<bool>();
    options.heat = given["heat"].cast<std::vector<double>>();
    options.layout = choice("layout", given["layout"].cast<std::string>(),
                            {pictures::DrawLayout::automatic, pictures::DrawLayout::layered,
                             pictures::DrawLayout::orthogonal, pictures::DrawLayout::force});
    options.frames = given["frames"].cast<bool>();
    options.keep_positions = given["keep_positions"].cast<bool>();
    options.style = style_of(given["theme"].cast<std::string>(), given["font_size"].cast<double>());
    return options;
}

py::bytes draw(const Net& net, const std::string& format, const py::dict& given) {
    const pictures::DrawOptions options = draw_options_of(net, given);
    const std::chrono::milliseconds limit = milliseconds_of(given["time_limit"].cast<std::optional<double>>())
                                                .value_or(pictures::default_render_limit);
    return py::bytes(result_in_background([&](const std::atomic<bool>& interrupt) {
        const auto picture = [&](pictures::PictureFormat wanted) {
            return pictures::draw_picture(net, options, wanted, limit, &interrupt).file;
        };
        if (format == "dot") return pictures::draw_dot(net, options);
        if (format == "svg") return picture(pictures::PictureFormat::svg);
        if (format == "png") return picture(pictures::PictureFormat::png);
        if (format == "pdf") return picture(pictures::PictureFormat::pdf);
        throw InputError("format: expected one of svg, png, pdf, dot; found '" + format + "'");
    }));
}

}  // namespace

void add_pictures(py::module_& core) { core.def("draw", draw); }

}  // namespace warpnet::python
