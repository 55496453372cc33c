#include "analysis/studies/respond/launch_order.hpp"

namespace warpnet {

TaskSet reorder(const TaskSet& tasks, const LaunchOrder& order) {
    TaskSet result{tasks.gpu, {}, tasks.unit};
    result.operations.reserve(order.size());
    for (const std::uint32_t operation : order) result.operations.push_back(tasks.operations[operation]);
    return result;
}

}  // namespace warpnet
