#pragma once

#include "analysis/worst/kernel/precedence_string.hpp"
#include "analysis/worst/kernel/schedule.hpp"
#include "analysis/worst/search/order_search.hpp"
#include "analysis/worst/search/service_search.hpp"

#include <string>
#include <string_view>

namespace warpnet::worst {

// The search space of `worst` as a CSV file (--order, --write-order): the service order at every conflict.
// The header defines the rows, which depend on the net:
//
//     warp,cycle             of a kernel: the warps in the order of their instructions, from 1; the k-th row
//                            of a warp is its k-th instruction, executed in this cycle of the schedule found
//                            ([Berezovskyi13] section VII, the warp cycle string). It follows from the order;
//                            readers do without the column
//     part,priority,choice   of a net whose parts meet in hubs: the decisions of each part (ServiceOrder)
//     transition             of any other net, and under a policy: ids in the order in which they fire

std::string write_order_csv(const netgen::KernelInstance& instance, const KernelSchedule& schedule);
std::string write_order_csv(const ServiceInstance& instance, const ServiceOrder& plan);
std::string write_order_csv(const OrderInstance& instance, const std::vector<std::uint32_t>& order);

// Each throws InputError (source:line: ...) for a file that is no order of the instance.
PrecedenceString read_order_csv(std::string_view text, const std::string& source,
                                const netgen::KernelInstance& instance);
ServiceOrder read_order_csv(std::string_view text, const std::string& source,
                            const ServiceInstance& instance);
std::vector<std::uint32_t> read_order_csv(std::string_view text, const std::string& source,
                                          const OrderInstance& instance);

}  // namespace warpnet::worst
