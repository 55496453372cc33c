// Any bytes are rejected with an InputError as a task set, a configuration or log of cuda_scheduling_examiner
// and an AMALTHEA model, or are one of them. A written task set is read back unchanged.

#include "engine/net/error.hpp"
#include "netgen/blocks/amalthea.hpp"
#include "netgen/blocks/scheduling_examiner.hpp"
#include "netgen/blocks/task_set.hpp"

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string_view>

using namespace warpnet;

namespace {

template <class Read>
void read(Read reader) {
    try {
        reader();
    } catch (const InputError&) {
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    // Bytes may be reinterpreted as characters.
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    read([&] {
        const netgen::TaskSet tasks = netgen::read_tasks_json(text, "text");
        if (netgen::read_tasks_json(netgen::write_tasks_json(tasks), "written") != tasks)
            throw std::logic_error("a task set that its text does not give back");
    });
    read([&] { netgen::read_examiner_config(text, "text"); });
    read([&] { netgen::read_examiner_log(text, "text"); });
    read([&] { netgen::read_amalthea(text, "text"); });
    read([&] { netgen::read_amalthea(text, "text", {.sporadic = true}); });
    netgen::is_examiner_config(text);
    return 0;
}
