#include "pnml/xml/legible.hpp"

namespace warpnet::xml {

std::string legible(std::string_view bytes) {
    std::string text;
    for_each_character(
        bytes, [&](std::string_view kept) { text += kept; }, [&](char) { text += "\xEF\xBF\xBD"; });
    return text;
}

bool is_legible(std::string_view bytes) {
    bool all = true;
    for_each_character(
        bytes, [](std::string_view) {}, [&all](char) { all = false; });
    return all;
}

}  // namespace warpnet::xml
