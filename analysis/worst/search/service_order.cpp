// The changes between two service orders, as one range per row. They are found by comparing both orders from
// both ends.

#include "analysis/worst/search/service_order.hpp"

#include <algorithm>

namespace warpnet::worst {

std::vector<ServiceChange> changes(const ServiceOrder& from, const ServiceOrder& to) {
    std::vector<ServiceChange> result;
    for (std::uint32_t row = 0; row < from.rows(); ++row) {
        ServiceChange change{row};
        const auto compare = [&](const auto& before, const auto& after, std::uint32_t& first) {
            const auto differs = std::mismatch(before.begin(), before.end(), after.begin()).first;
            if (differs == before.end()) return;
            const auto same = std::mismatch(before.rbegin(), before.rend(), after.rbegin()).first;
            first = static_cast<std::uint32_t>(differs - before.begin());
            change.end = std::max(change.end, static_cast<std::uint32_t>(before.rend() - same));
        };
        compare(from.priorities(row), to.priorities(row), change.first_priority);
        compare(from.choices(row), to.choices(row), change.first_choice);
        if (change.end > 0) result.push_back(change);
    }
    return result;
}

}  // namespace warpnet::worst
