#pragma once

#include "engine/net/net.hpp"

#include <cstddef>
#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

namespace warpnet::cli {

/// How large a net is.
struct NetSize {
    std::size_t places = 0, transitions = 0;
    std::size_t input_arcs = 0, output_arcs = 0, inhibitor_arcs = 0, read_arcs = 0;
    std::optional<Tokens> tokens = 0;  ///< of the initial marking; nothing where that exceeds max_tokens
};

NetSize size_of(const Net& net);

/// {"places","transitions","arcs":{"input","output","inhibitor","read"},"tokens"}
nlohmann::ordered_json to_json(const NetSize& size);

/// "20 places, 16 transitions, 61 arcs (54 input and output, 4 inhibitor), 25 tokens"
std::string to_text(const NetSize& size);

}  // namespace warpnet::cli
