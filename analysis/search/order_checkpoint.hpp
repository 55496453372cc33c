#pragma once

#include "analysis/search/order_search.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warpnet {

/// A search over orders between two iterations, to be saved and gone on with.
struct OrderCheckpoint {
    OrderSearchOptions options;
    std::vector<OrderChain> chains;
};

/// As JSON text; transitions by id, so that it belongs to the net whatever file that came from.
std::string write_order_checkpoint(const Net& net, const OrderCheckpoint& checkpoint);

/// Throws InputError for what is no checkpoint of a search of this net.
OrderCheckpoint read_order_checkpoint(const Net& net, std::string_view text);

/// Some chains alone, for another rank of the same program.
std::string write_order_chains(const Net& net, std::span<const OrderChain> chains);
std::vector<OrderChain> read_order_chains(const Net& net, std::string_view text);

}  // namespace warpnet
