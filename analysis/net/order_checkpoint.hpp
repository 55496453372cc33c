#pragma once

#include "analysis/net/order_search.hpp"

#include <string>
#include <string_view>

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

}  // namespace warpnet
