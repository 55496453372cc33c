#include "cli/shell/run_experiment.hpp"

#include "engine/base/random.hpp"
#include "engine/base/to_json.hpp"
#include "pnml/write_pnml.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace warpnet::cli {

namespace {

std::string hash_of(const std::string& text) {
    std::uint64_t hash = 0;
    for (const char c : text) hash = hash_bits(hash, static_cast<unsigned char>(c));
    return fmt::format("{:016x}", hash);
}

}  // namespace

std::string run_experiment(const Net& net, const RunStudyOptions& options) {
    const ManyOptions& many = options.runs.many;
    const RunOptions& run = many.run;
    return json_text(nlohmann::json{{"net", hash_of(write_pnml(net))},
                                    {"semantics", to_string(run.semantics)},
                                    {"policy", to_string(run.policy)},
                                    {"seed", run.seed},
                                    {"keyed", run.keyed},
                                    {"plain", many.plain},
                                    {"until", options.until},
                                    {"max_steps", run.max_steps},
                                    {"counts", run.count_firings},
                                    {"marking", many.markings},
                                    {"statistics", options.statistics}});
}

}  // namespace warpnet::cli
