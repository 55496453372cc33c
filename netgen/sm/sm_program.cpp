#include "netgen/sm/sm_program.hpp"

#include "engine/net/error.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace warpnet {

namespace {

constexpr std::array<std::string_view, sm_credit_count> credit_names = {"issue", "alu", "fp64", "sfu",
                                                                        "lsu",   "tex", "l2",   "dram"};
constexpr std::array<std::string_view, sm_op_kind_count> kind_names = {
    "alu",         "fp64",         "sfu",   "branch", "barrier", "shuffle",
    "shared_load", "shared_store", "local", "load",   "store",   "local_store"};

constexpr std::size_t at(SmCredit credit) { return static_cast<std::size_t>(credit); }

std::int64_t scaled(double amount) {
    return static_cast<std::int64_t>(std::llround(amount * static_cast<double>(sm_credit_scale)));
}

/// In [0, 1), evenly spread over the warps (multiples of the golden ratio), different for each class.
double phase(std::int64_t warp, std::size_t kind) {
    const double x =
        0.5 + static_cast<double>(warp) * 0.6180339887498949 + static_cast<double>(kind) * 0.7548776662466927;
    return x - std::floor(x);
}

constexpr std::size_t level_phase = 11;  // of the choice which level serves a load

/// Everything that is not an ALU operation, in the order of one body.
struct Event {
    double position;  // 0 … 1
    SmOpKind kind;
    std::int64_t number;  // among those of its kind in this body
};

class ProgramMaker {
  public:
    ProgramMaker(const SmDevice& device, const KernelProfile& kernel, const SmProgramOptions& options)
        : device_(device), kernel_(kernel), q_(static_cast<double>(options.step_cycles)) {
        issues_ = issue_slots(device, kernel);
        chain_ = chain_slots(device, kernel);
        wide_ = wide_conversions(device, kernel);
        narrow_ = narrow_conversions(device, kernel);
        alu_ops_ = kernel.fp32 + kernel.integer_instructions() + kernel.other;
        alu_slots_ = kernel.fp32 + integer_slots(device, kernel) + kernel.other;
        count_[static_cast<std::size_t>(SmOpKind::fp64)] = kernel.fp64 + wide_;
        count_[static_cast<std::size_t>(SmOpKind::sfu)] = kernel.special + narrow_;
        count_[static_cast<std::size_t>(SmOpKind::local_store)] =
            device.mechanisms.local_stores ? kernel.local_stores : 0;
        count_[static_cast<std::size_t>(SmOpKind::branch)] = kernel.branches;
        count_[static_cast<std::size_t>(SmOpKind::barrier)] = kernel.barriers;
        count_[static_cast<std::size_t>(SmOpKind::shuffle)] = kernel.shuffles;
        count_[static_cast<std::size_t>(SmOpKind::shared_load)] = kernel.shared_loads;
        count_[static_cast<std::size_t>(SmOpKind::shared_store)] = kernel.shared_stores;
        count_[static_cast<std::size_t>(SmOpKind::local)] =
            kernel.local_accesses + (device.mechanisms.local_stores ? 0 : kernel.local_stores);
        count_[static_cast<std::size_t>(SmOpKind::load)] = kernel.loads.requests;
        count_[static_cast<std::size_t>(SmOpKind::store)] = kernel.stores.requests;
        fill_costs();
    }

    double operations() const {
        double events = 0;
        for (const double count : count_) events += count;
        return events + std::max(alu_slots_ / q_, std::min(events, alu_ops_));
    }

    void fill_rates(SmProgram& program) const;
    std::vector<SmOp> body(std::int64_t warp, std::int64_t trips) const;

  private:
    struct Cost {
        double latency = 0;  // cycles until the warp goes on
        std::array<double, sm_credit_count> credits = {};
    };

    void fill_costs();
    void set_load_level(SmOp& op, double level, double next_level) const;
    void append(std::vector<SmOp>& ops, SmOp op, double latency, double& exact, double& given) const;

    const SmDevice& device_;
    const KernelProfile& kernel_;
    double q_;
    double issues_ = 1;             // issue slots of an instruction
    double chain_ = 1;              // ALU-chain slots of one
    double wide_ = 0, narrow_ = 0;  // conversions
    double alu_ops_ = 0, alu_slots_ = 0;
    std::array<double, sm_op_kind_count> count_ = {};
    std::array<Cost, sm_op_kind_count> cost_;
};

void ProgramMaker::fill_costs() {
    const auto schedulers = static_cast<double>(device_.schedulers);
    for (Cost& cost : cost_) cost.credits[at(SmCredit::issue)] = std::max(1.0, issues_);
    const auto cost = [this](SmOpKind kind) -> Cost& { return cost_[static_cast<std::size_t>(kind)]; };
    const double fp64 = kernel_.fp64 + wide_;
    if (fp64 > 0) {
        cost(SmOpKind::fp64).latency =
            (kernel_.fp64 * device_.fp64_latency + wide_ * 2 * device_.alu_latency) / fp64;
        cost(SmOpKind::fp64).credits[at(SmCredit::fp64)] =
            32 * schedulers * (kernel_.fp64 / device_.fp64_lanes + wide_ / device_.convert64_lanes) / fp64;
    }
    const double sfu = kernel_.special + narrow_;
    cost(SmOpKind::sfu).latency = 2 * device_.alu_latency;
    if (sfu > 0) {
        cost(SmOpKind::sfu).credits[at(SmCredit::sfu)] =
            32 * schedulers * (kernel_.special / device_.special_lanes + narrow_ / device_.convert_lanes) /
            sfu;
    }
    cost(SmOpKind::branch).latency = device_.branch_latency;
    cost(SmOpKind::barrier).latency = device_.barrier_latency;
    cost(SmOpKind::shuffle).latency = device_.shared_latency;
    cost(SmOpKind::shuffle).credits[at(SmCredit::lsu)] = 32 / device_.ldst_lanes;
    cost(SmOpKind::shared_load).latency = shared_load_latency(device_, kernel_);
    cost(SmOpKind::shared_load).credits[at(SmCredit::lsu)] =
        kernel_.shared_load_transactions * 32 / device_.ldst_lanes;
    cost(SmOpKind::shared_store).credits[at(SmCredit::lsu)] =
        kernel_.shared_store_transactions * 32 / device_.ldst_lanes;
    cost(SmOpKind::local).latency = device_.l1_latency;
    cost(SmOpKind::local).credits[at(SmCredit::lsu)] = 32 / device_.ldst_lanes;
    cost(SmOpKind::local_store).credits[at(SmCredit::lsu)] = 32 / device_.ldst_lanes;
    const double lanes = device_.mechanisms.load_lanes ? 32 / device_.ldst_lanes : 0;
    cost(SmOpKind::load).credits[at(SmCredit::lsu)] = lanes;
    cost(SmOpKind::store).credits[at(SmCredit::lsu)] = lanes;
    Cost& load = cost(SmOpKind::load);
    load.credits[at(SmCredit::tex)] = kernel_.loads.transactions * device_.texture_cycles;
    load.credits[at(SmCredit::l2)] = kernel_.loads.sectors;
    Cost& store = cost(SmOpKind::store);
    const double scatter = scatter_factor(device_, kernel_.stores);
    store.credits[at(SmCredit::l2)] = kernel_.stores.sectors * scatter;
    store.credits[at(SmCredit::dram)] = kernel_.stores.sectors * scatter * kernel_.stores.dram_share;
}

/// Shares of the requests decide by error diffusion which level serves this one.
void ProgramMaker::set_load_level(SmOp& op, double level, double next_level) const {
    const auto crosses = [&](double share) {
        return std::floor(next_level * share) > std::floor(level * share);
    };
    double latency = device_.l2_latency;
    if (crosses(kernel_.loads.dram_share)) {
        latency = device_.dram_latency;
        op.credits[at(SmCredit::dram)] =
            scaled(kernel_.loads.sectors * scatter_factor(device_, kernel_.loads));
    } else {
        const double l1 = kernel_.loads.l1_share / std::max(1e-9, 1 - kernel_.loads.dram_share);
        if (crosses(std::min(1.0, l1))) latency = device_.l1_latency;
    }
    op.slot = static_cast<std::int64_t>(std::ceil(latency / q_));
}

void ProgramMaker::append(std::vector<SmOp>& ops, SmOp op, double latency, double& exact,
                          double& given) const {
    // Steps are whole; what rounding adds to one operation is taken from those after it.
    exact += latency / q_;
    op.delay = std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(exact - given - 1e-9)));
    given += static_cast<double>(op.delay);
    ops.push_back(op);
}

std::vector<SmOp> ProgramMaker::body(std::int64_t warp, std::int64_t trips) const {
    std::vector<Event> events;
    for (std::size_t kind = 0; kind < count_.size(); ++kind) {
        const double wanted = count_[kind] / static_cast<double>(trips);
        // Barriers meet: every warp of a block has the same number of them.
        const double rounding = kind == static_cast<std::size_t>(SmOpKind::barrier) ? 0.5 : phase(warp, kind);
        const auto number = static_cast<std::int64_t>(std::floor(wanted + rounding));
        for (std::int64_t i = 0; i < number; ++i) {
            const double position = (static_cast<double>(i) + 0.5) / static_cast<double>(number);
            events.push_back({position, static_cast<SmOpKind>(kind), i});
        }
    }
    std::stable_sort(events.begin(), events.end(),
                     [](const Event& a, const Event& b) { return a.position < b.position; });

    std::vector<SmOp> ops;
    double exact = 0, given = 0;
    const double ops_total = alu_ops_ / static_cast<double>(trips);
    const double slots_per_op = alu_ops_ > 0 ? alu_slots_ / alu_ops_ : 1;
    double done = 0;  // ALU operations
    const auto alu_until = [&](double share) {
        double gap = ops_total * share - done;
        if (share < 1) gap = std::floor(gap);
        if (gap <= 0) return;
        done += gap;
        const double pieces = std::ceil(gap * slots_per_op / q_ - 1e-9);
        for (double piece = 0; piece < pieces; ++piece) {
            SmOp op;
            const double instructions = gap / pieces;
            op.credits[at(SmCredit::issue)] = scaled(instructions * issues_);
            op.credits[at(SmCredit::alu)] = scaled(instructions * slots_per_op);
            append(ops, op, instructions * device_.alu_latency * chain_, exact, given);
        }
    };
    for (std::size_t i = 0; i < events.size(); ++i) {
        alu_until(static_cast<double>(i + 1) / static_cast<double>(events.size() + 1));
        const Event& event = events[i];
        const Cost& cost = cost_[static_cast<std::size_t>(event.kind)];
        SmOp op;
        op.kind = event.kind;
        for (std::size_t c = 0; c < sm_credit_count; ++c) op.credits[c] = scaled(cost.credits[c]);
        if (event.kind == SmOpKind::load) {
            const double level = static_cast<double>(event.number) + phase(warp, level_phase);
            set_load_level(op, level, level + 1);
        }
        append(ops, op, cost.latency, exact, given);
    }
    alu_until(1);
    if (ops.empty()) ops.push_back({});
    return ops;
}

void ProgramMaker::fill_rates(SmProgram& program) const {
    const double fp32_rate = device_.fp32_lanes / 32 / static_cast<double>(device_.schedulers);
    const SmWaves waves = waves_of_busiest_sm(device_, kernel_);
    const bool last_wave = device_.mechanisms.last_wave;
    const double last_sms = waves.last > 0 ? waves.last_sms : static_cast<double>(device_.sms);
    const double active = !last_wave       ? static_cast<double>(active_sms(device_, kernel_))
                          : waves.full > 0 ? static_cast<double>(device_.sms)
                                           : last_sms;
    std::array<double, sm_credit_count> rate = {};
    rate[at(SmCredit::issue)] = 1;
    rate[at(SmCredit::alu)] = fp32_rate;
    rate[at(SmCredit::fp64)] = 1;
    rate[at(SmCredit::sfu)] = 1;
    rate[at(SmCredit::lsu)] = 1;
    rate[at(SmCredit::tex)] = 1;
    rate[at(SmCredit::l2)] = l2_sectors_per_cycle(device_, active);
    rate[at(SmCredit::dram)] = dram_sectors_per_cycle(device_, active);
    if (last_wave && waves.full > 0) {
        const auto more = [&](SmCredit credit, double last_rate) {
            const double beyond = last_rate - rate[at(credit)];
            program.last_refill[at(credit)] = std::max<std::int64_t>(0, scaled(beyond * q_));
        };
        more(SmCredit::l2, l2_sectors_per_cycle(device_, last_sms));
        more(SmCredit::dram, dram_sectors_per_cycle(device_, last_sms));
    }
    std::array<std::int64_t, sm_credit_count> largest = {};
    for (const auto& body : program.bodies) {
        for (const SmOp& op : body) {
            for (std::size_t c = 0; c < sm_credit_count; ++c)
                largest[c] = std::max(largest[c], op.credits[c]);
        }
    }
    for (std::size_t c = 0; c < sm_credit_count; ++c) {
        program.refill[c] = std::max<std::int64_t>(1, scaled(rate[c] * q_));
        const bool memory = c == at(SmCredit::l2) || c == at(SmCredit::dram);
        const std::int64_t most = program.refill[c] + program.last_refill[c];
        const double burst_steps = 256 / q_;
        const std::int64_t burst =
            memory ? static_cast<std::int64_t>(std::llround(static_cast<double>(most) * burst_steps)) +
                         largest[c]
                   : 2 * most;
        program.cap[c] = std::max(burst, 2 * largest[c]);
    }
    program.launch_refill = scaled(q_);
    program.launch_cost = scaled(device_.block_launch);
    program.launch_cap = program.launch_cost + program.launch_refill;
}

}  // namespace

std::string_view to_string(SmCredit credit) { return credit_names[at(credit)]; }
std::string_view to_string(SmOpKind kind) { return kind_names[static_cast<std::size_t>(kind)]; }

SmProgram sm_program(const SmDevice& device, const KernelProfile& given, const SmProgramOptions& options) {
    validate(given);
    const KernelProfile kernel = device.mechanisms.idle_warps ? working_profile(given) : given;
    const ProgramMaker maker(device, kernel, options);
    SmProgram program;
    program.step_cycles = options.step_cycles;
    program.warps_per_block = kernel.working_warps();
    program.load_slots = static_cast<std::int64_t>(device.loads_in_flight);
    program.schedulers = device.schedulers;
    program.trips = std::max<std::int64_t>(
        1, static_cast<std::int64_t>(std::ceil(maker.operations() / static_cast<double>(options.max_body))));
    const std::int64_t blocks =
        std::min(resident_blocks(device, kernel), blocks_of_busiest_sm(device, kernel));
    for (std::int64_t warp = 0; warp < blocks * program.warps_per_block; ++warp)
        program.bodies.push_back(maker.body(warp, program.trips));
    maker.fill_rates(program);
    return program;
}

}  // namespace warpnet
