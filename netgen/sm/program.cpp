// A kernel profile as a program of a warp on an SM: operations in steps of some cycles, and the rates at
// which the units of the SM serve them. Fractions of an operation are spread over warps by a low-discrepancy
// phase, so that all warps together execute the right number. Long programs become a loop, whose body is a
// sample of the whole. O(operations).

#include "netgen/sm/program.hpp"

#include "netgen/sm/costs.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace warpnet::netgen {

namespace {

constexpr std::array<std::string_view, sm_credit_count> credit_names = {"issue", "alu", "fp64", "sfu",
                                                                        "lsu",   "tex", "l2",   "dram"};
constexpr std::array<std::string_view, sm_op_kind_count> kind_names = {
    "alu",         "fp64",         "sfu",   "branch", "barrier", "shuffle",
    "shared_load", "shared_store", "local", "load",   "store",   "local_store"};

constexpr std::size_t at(SmCredit credit) { return static_cast<std::size_t>(credit); }

/// Whole units, at least `units`. Rounding errors of a double do not count as a unit.
std::int64_t rounded_up(double units) { return static_cast<std::int64_t>(std::ceil(units - 1e-6)); }

/// In [0, 1), evenly spread over the warps (multiples of the golden ratio), different for each class.
double phase(std::int64_t warp, std::size_t kind) {
    const double x =
        0.5 + static_cast<double>(warp) * 0.6180339887498949 + static_cast<double>(kind) * 0.7548776662466927;
    return x - std::floor(x);
}

/// The operations of one class in the bodies of a block: their number per warp, each worth `part` of one.
struct ClassShare {
    std::vector<std::int64_t> number;
    double part = 1;
};

struct Event {
    double position;  // in the body, 0 ... 1
    SmOpKind kind;
};

class ProgramMaker {
  public:
    ProgramMaker(const SmDevice& device, const KernelProfile& kernel, const SmProgramOptions& options)
        : device_(device), kernel_(kernel), q_(static_cast<double>(options.step_cycles)) {
        fill_rates();
        fill_counts();
        fill_costs();
        trips_ = std::max(1.0, std::ceil(operations() / static_cast<double>(options.max_body)));
        // One barrier in each body would be too many. The warps continue independently, as at a branch.
        if (count(SmOpKind::barrier) < 0.5 * trips_)
            count(SmOpKind::branch) += std::exchange(count(SmOpKind::barrier), 0.0);
    }

    std::int64_t trips() const { return static_cast<std::int64_t>(trips_); }
    void add_rates(SmProgram& program) const;
    void add_block(SmProgram& program) const;

  private:
    using Amounts = std::array<double, sm_credit_count>;  // instructions, transactions or sectors
    struct Cost {
        double latency = 0;  // cycles until the warp continues
        Amounts credits = {};
    };

    using Shares = std::array<ClassShare, sm_op_kind_count>;
    using Operations = std::array<SmOp, sm_op_kind_count>;

    double& count(SmOpKind kind) { return count_[static_cast<std::size_t>(kind)]; }
    double operations() const { return std::accumulate(count_.begin(), count_.end(), 0.0); }

    void fill_rates();
    void fill_counts();
    void fill_costs();
    ClassShare share_of(SmOpKind kind, std::int64_t first_warp, std::int64_t warps) const;
    SmOp operation(SmOpKind kind, double part) const;
    std::vector<SmOp> timed(const std::vector<Event>& events, const Shares& shares,
                            const Operations& ops) const;

    const SmDevice& device_;
    const KernelProfile& kernel_;
    double q_;
    double trips_ = 1;
    Amounts rate_ = {}, last_rate_ = {};  // per cycle; of the last wave
    std::array<double, sm_op_kind_count> count_ = {};
    std::array<Cost, sm_op_kind_count> cost_;
};

void ProgramMaker::fill_rates() {
    const SmWaves waves = waves_of_busiest_sm(device_, kernel_);
    const double last_sms = waves.last > 0 ? waves.last_sms : static_cast<double>(device_.sms);
    const bool last_wave = device_.mechanisms.last_wave;
    const double active = !last_wave       ? static_cast<double>(active_sms(device_, kernel_))
                          : waves.full > 0 ? static_cast<double>(device_.sms)
                                           : last_sms;
    rate_.fill(1);
    rate_[at(SmCredit::alu)] = device_.fp32_lanes / 32 / static_cast<double>(device_.schedulers);
    rate_[at(SmCredit::l2)] = l2_sectors_per_cycle(device_, active);
    rate_[at(SmCredit::dram)] = dram_sectors_per_cycle(device_, active);
    last_rate_ = rate_;
    if (!last_wave || waves.full == 0) return;
    last_rate_[at(SmCredit::l2)] = l2_sectors_per_cycle(device_, last_sms);
    last_rate_[at(SmCredit::dram)] = dram_sectors_per_cycle(device_, last_sms);
}

void ProgramMaker::fill_counts() {
    count(SmOpKind::fp64) = kernel_.fp64 + wide_conversions(device_, kernel_);
    count(SmOpKind::sfu) = kernel_.special + narrow_conversions(device_, kernel_);
    count(SmOpKind::branch) = kernel_.branches;
    count(SmOpKind::barrier) = kernel_.barriers;
    count(SmOpKind::shuffle) = kernel_.shuffles;
    count(SmOpKind::shared_load) = kernel_.shared_loads;
    count(SmOpKind::shared_store) = kernel_.shared_stores;
    const bool local_stores = device_.mechanisms.local_stores;
    count(SmOpKind::local) = kernel_.local_accesses + (local_stores ? 0 : kernel_.local_stores);
    count(SmOpKind::local_store) = local_stores ? kernel_.local_stores : 0;
    count(SmOpKind::load) = kernel_.loads.requests;
    count(SmOpKind::store) = kernel_.stores.requests + kernel_.atomics;
    // The arithmetic is divided into equal operations of up to q slots, enough of them to separate all
    // remaining operations.
    const double instructions = kernel_.fp32 + kernel_.integer_instructions() + kernel_.other;
    const double slots = alu_slots(device_, kernel_);
    count(SmOpKind::alu) = std::max(slots / q_, std::min(operations() + 1, instructions));
}

void ProgramMaker::fill_costs() {
    const auto schedulers = static_cast<double>(device_.schedulers);
    const double issues = issue_slots(device_, kernel_);
    for (Cost& cost : cost_) cost.credits[at(SmCredit::issue)] = std::max(1.0, issues);
    const auto cost = [this](SmOpKind kind) -> Cost& { return cost_[static_cast<std::size_t>(kind)]; };
    if (const double operations = count(SmOpKind::alu); operations > 0) {
        const double instructions = kernel_.fp32 + kernel_.integer_instructions() + kernel_.other;
        const double slots = alu_slots(device_, kernel_);
        Cost& alu = cost(SmOpKind::alu);
        alu.latency = instructions * alu_interval(device_, kernel_) / operations;
        alu.credits[at(SmCredit::issue)] = instructions * issues / operations;
        alu.credits[at(SmCredit::alu)] = slots / operations;
    }
    const WaitingShares waiting = waiting_shares(device_, kernel_);
    const double wide = wide_conversions(device_, kernel_);
    if (const double fp64 = count(SmOpKind::fp64); fp64 > 0) {
        cost(SmOpKind::fp64).latency = (kernel_.fp64 * device_.fp64_latency * waiting.fp64 +
                                        wide * 2 * device_.alu_latency * waiting.special) /
                                       fp64;
        cost(SmOpKind::fp64).credits[at(SmCredit::fp64)] =
            32 * schedulers * (kernel_.fp64 / device_.fp64_lanes + wide / device_.convert64_lanes) / fp64;
    }
    cost(SmOpKind::sfu).latency = 2 * device_.alu_latency * waiting.special;
    if (const double sfu = count(SmOpKind::sfu); sfu > 0) {
        cost(SmOpKind::sfu).credits[at(SmCredit::sfu)] =
            32 * schedulers *
            (kernel_.special / device_.special_lanes +
             narrow_conversions(device_, kernel_) / device_.convert_lanes) /
            sfu;
    }
    cost(SmOpKind::branch).latency = device_.branch_latency;
    cost(SmOpKind::barrier).latency = device_.barrier_latency;
    cost(SmOpKind::shuffle).latency = device_.shared_latency * waiting.shared;
    const double pass = 32 / device_.ldst_lanes;
    cost(SmOpKind::shuffle).credits[at(SmCredit::lsu)] = pass;
    cost(SmOpKind::shared_load).latency = shared_load_latency(device_, kernel_);
    cost(SmOpKind::shared_load).credits[at(SmCredit::lsu)] =
        shared_access_cycles(device_, kernel_.shared_load_transactions);
    cost(SmOpKind::shared_store).credits[at(SmCredit::lsu)] =
        shared_access_cycles(device_, kernel_.shared_store_transactions);
    cost(SmOpKind::local).latency = device_.l1_latency;
    cost(SmOpKind::local).credits[at(SmCredit::lsu)] = pass;
    cost(SmOpKind::local_store).credits[at(SmCredit::lsu)] = pass;
    Cost& load = cost(SmOpKind::load);
    Cost& store = cost(SmOpKind::store);
    store.credits[at(SmCredit::lsu)] = request_cycles(device_, kernel_.stores);
    load.credits[at(SmCredit::lsu)] = request_cycles(device_, kernel_.loads);
    load.credits[at(SmCredit::tex)] = load_path_cycles(device_, kernel_.loads);
    load.credits[at(SmCredit::l2)] = kernel_.loads.sectors;
    load.credits[at(SmCredit::dram)] = kernel_.loads.sectors *
                                       dram_scatter_factor(device_, kernel_, kernel_.loads) *
                                       kernel_.loads.dram_part();
    const MemoryRequests& stores = kernel_.stores;
    if (const double requests = count(SmOpKind::store); requests > 0) {
        store.credits[at(SmCredit::l2)] = l2_store_sectors(device_, kernel_) / requests;
        store.credits[at(SmCredit::dram)] = stores.requests / requests * stores.sectors *
                                            dram_scatter_factor(device_, kernel_, stores) *
                                            stores.dram_part();
    }
}

ClassShare ProgramMaker::share_of(SmOpKind kind, std::int64_t first_warp, std::int64_t warps) const {
    const double wanted = count_[static_cast<std::size_t>(kind)] / trips_;
    ClassShare share;
    share.number.assign(static_cast<std::size_t>(warps), 0);
    if (wanted <= 0) return share;
    if (kind == SmOpKind::barrier || kind == SmOpKind::alu) {
        // All warps of a block have the same number of barriers, because they meet at them.
        const double number = kind == SmOpKind::alu ? std::ceil(wanted - 1e-9) : std::round(wanted);
        share.number.assign(static_cast<std::size_t>(warps), static_cast<std::int64_t>(number));
        share.part = wanted / number;
        return share;
    }
    const double in_block = wanted * static_cast<double>(warps);
    const auto number = static_cast<std::int64_t>(std::ceil(in_block - 1e-9));
    share.part = in_block / static_cast<double>(number);
    std::vector<std::size_t> order(share.number.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        const auto of = [&](std::size_t w) {
            return phase(first_warp + static_cast<std::int64_t>(w), static_cast<std::size_t>(kind));
        };
        return of(a) < of(b);
    });
    for (std::size_t w = 0; w < order.size(); ++w)
        share.number[order[w]] = number / warps + (static_cast<std::int64_t>(w) < number % warps ? 1 : 0);
    return share;
}

SmOp ProgramMaker::operation(SmOpKind kind, double part) const {
    SmOp op;
    op.kind = kind;
    const Amounts& amounts = cost_[static_cast<std::size_t>(kind)].credits;
    for (std::size_t c = 0; c < sm_credit_count; ++c)
        op.credits[c] =
            rounded_up(amounts[c] * part / (rate_[c] * q_) * static_cast<double>(sm_credit_units));
    if (kind == SmOpKind::load)
        // If a warp has more loads in flight than the net has slots, each load holds its slot for a shorter
        // time.
        op.slot = std::max<std::int64_t>(
            1, rounded_up(mean_load_latency(device_, kernel_) * part * device_.loads_in_flight /
                          loads_in_flight(device_, kernel_) / q_));
    return op;
}

/// The operations in their order. Each has at least one step, and all of them have as many steps as the sum
/// of their latencies. Steps that rounding adds to one are taken from operations before or behind it.
std::vector<SmOp> ProgramMaker::timed(const std::vector<Event>& events, const Shares& shares,
                                      const Operations& ops) const {
    std::vector<SmOp> body;
    std::vector<std::int64_t> end;  // of each operation, in steps
    double exact = 0;
    for (const Event& event : events) {
        const auto kind = static_cast<std::size_t>(event.kind);
        exact += cost_[kind].latency * shares[kind].part / q_;
        const auto steps = static_cast<std::int64_t>(std::ceil(exact - 1e-9));
        end.push_back(std::max(end.empty() ? 1 : end.back() + 1, steps));
        body.push_back(ops[kind]);
    }
    if (body.empty()) return {SmOp{}};
    const auto size = static_cast<std::int64_t>(body.size());
    const std::int64_t all = std::max(size, static_cast<std::int64_t>(std::ceil(exact - 1e-9)));
    std::int64_t begin = 0;
    for (std::size_t i = 0; i < body.size(); ++i) {
        const std::int64_t ended = std::min(end[i], all - (size - 1 - static_cast<std::int64_t>(i)));
        body[i].delay = ended - begin;
        begin = ended;
    }
    return body;
}

void ProgramMaker::add_block(SmProgram& program) const {
    const auto first_warp = static_cast<std::int64_t>(program.bodies.size());
    Shares shares;
    Operations ops;
    for (std::size_t kind = 0; kind < shares.size(); ++kind) {
        shares[kind] = share_of(static_cast<SmOpKind>(kind), first_warp, program.warps_per_block);
        ops[kind] = operation(static_cast<SmOpKind>(kind), shares[kind].part);
    }
    for (std::size_t warp = 0; warp < static_cast<std::size_t>(program.warps_per_block); ++warp) {
        std::vector<Event> events;
        for (std::size_t kind = 0; kind < shares.size(); ++kind) {
            const std::int64_t number = shares[kind].number[warp];
            for (std::int64_t i = 0; i < number; ++i) {
                const double position = (static_cast<double>(i) + 0.5) / static_cast<double>(number);
                events.push_back({position, static_cast<SmOpKind>(kind)});
            }
        }
        std::stable_sort(events.begin(), events.end(),
                         [](const Event& a, const Event& b) { return a.position < b.position; });
        program.bodies.push_back(timed(events, shares, ops));
    }
}

void ProgramMaker::add_rates(SmProgram& program) const {
    std::array<std::int64_t, sm_credit_count> largest = {};
    for (const auto& body : program.bodies) {
        for (const SmOp& op : body) {
            for (std::size_t c = 0; c < sm_credit_count; ++c)
                largest[c] = std::max(largest[c], op.credits[c]);
        }
    }
    for (std::size_t c = 0; c < sm_credit_count; ++c) {
        program.refill[c] = sm_credit_units;
        program.last_refill[c] = std::max<std::int64_t>(
            0,
            static_cast<std::int64_t>((last_rate_[c] / rate_[c] - 1) * static_cast<double>(sm_credit_units)));
        const bool memory = c == at(SmCredit::l2) || c == at(SmCredit::dram);
        const std::int64_t most = program.refill[c] + program.last_refill[c];
        const double burst_steps = 256 / q_;
        const std::int64_t burst =
            memory ? static_cast<std::int64_t>(std::llround(static_cast<double>(most) * burst_steps)) +
                         largest[c]
                   : 2 * most;
        // With the last of these, no refill is lost while a rate is short (rate_bound.cpp).
        program.cap[c] = std::max({burst, 2 * largest[c], largest[c] + 2 * program.refill[c]});
    }
    program.last_blocks = std::max<std::int64_t>(1, waves_of_busiest_sm(device_, kernel_).last);
    program.launch_refill = sm_credit_units;
    program.launch_cost = rounded_up(device_.block_launch / q_ * static_cast<double>(sm_credit_units));
    program.launch_cap = program.launch_cost + program.launch_refill;
}

}  // namespace

std::string_view to_string(SmCredit credit) { return credit_names[at(credit)]; }
std::string_view to_string(SmOpKind kind) { return kind_names[static_cast<std::size_t>(kind)]; }

SmProgram sm_program(const SmDevice& device, const KernelProfile& given, const SmProgramOptions& options) {
    validate(given);
    const KernelProfile kernel = executed_profile(device, given);
    const ProgramMaker maker(device, kernel, options);
    SmProgram program;
    program.step_cycles = options.step_cycles;
    program.warps_per_block = kernel.working_warps();
    program.load_slots = static_cast<std::int64_t>(device.loads_in_flight);
    program.schedulers = device.schedulers;
    program.trips = maker.trips();
    const std::int64_t blocks =
        std::min(resident_blocks(device, kernel), blocks_of_busiest_sm(device, kernel));
    for (std::int64_t block = 0; block < blocks; ++block) maker.add_block(program);
    maker.add_rates(program);
    return program;
}

}  // namespace warpnet::netgen
