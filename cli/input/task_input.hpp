#pragma once

#include "analysis/studies/predict/predict_json.hpp"
#include "analysis/studies/respond/variant_search.hpp"
#include "cli/input/command.hpp"
#include "cli/input/options.hpp"
#include "cli/input/predict_input.hpp"
#include "netgen/blocks/scheduling_examiner.hpp"
#include "netgen/blocks/task_set.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpnet::cli {

/// A kernel of a task set whose block time comes from a certificate.
struct CertifiedKernel {
    std::string name;
    std::string device;
    double us = 0;            ///< no launch alone on the device takes longer
    std::int64_t rounds = 1;  ///< of blocks on the busiest SM
    std::vector<studies::Assumption> assumptions;

    /// The kernel alone takes `rounds` block times.
    double block_us() const { return us / static_cast<double>(rounds); }
};

/// Reads kernels by their code: member `ptx` is a file of PTX, and kernel, grid, block, param, trips, taken,
/// paths, registers, shared, device, margin and dispatcher may come with it. Also reads them from the JSON of
/// `predict --worst` (member `predict`: a file). Dispatcher and margins of `of_all`, if it has some, are
/// those of kernels without such members. Adds each kernel to `certified`; both must outlive the reader.
/// Files are looked for next to `source`, then in the current folder.
netgen::KernelByCodeReader certified_kernels(const std::string& source, const PredictInput* of_all,
                                             std::vector<CertifiedKernel>& certified);

/// The file with the launches, and values that its format does not contain.
struct TaskInput {
    std::string file;
    bool one_big_sm = false;
    std::int64_t amalthea_blocks = 0;   ///< 0: one per SM
    std::int64_t amalthea_threads = 0;  ///< 0: all threads of an SM
    bool no_copies = false;
    bool no_cpu = false;
    bool choose = false;    ///< the set may have choices; choices of AMALTHEA models are read
    bool sporadic = false;  ///< releases may have a jitter, or only a minimum distance
    netgen::SmPolicy policy = netgen::SmPolicy::first_fit;
    PredictInput by_code;                ///< --dispatcher and --margin, of kernels by their code
    std::vector<Option> of_certificate;  ///< these two
};

struct LoadedTasks {
    netgen::TaskSet tasks;
    std::optional<netgen::ExaminerConfig> examiner = {};  ///< if the file is such a configuration
    std::vector<CertifiedKernel> certified = {};          ///< kernels given by their code
    std::optional<studies::VariantSearch> variants = {};  ///< the search that decided the choices of the file
};

/// The file, --one-big-sm, --sm-policy, --dispatcher, --margin and the flags for AMALTHEA models.
void add_task_input(Command& command, TaskInput& input);

/// Gives all kernels the deadline of --deadline. A whole number counts units of the set. Throws UsageError.
void set_deadlines(const Deadline& deadline, netgen::TaskSet& tasks);

/// Distinguishes the formats (docs/reference/task-sets.md) by content. Throws InputError.
LoadedTasks load_tasks(const TaskInput& input);

}  // namespace warpnet::cli
