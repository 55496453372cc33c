#pragma once

#include "netgen/sm/device.hpp"

namespace warpnet::netgen {

/// The kernel as the device executes it: routines of ptxas, warps that have nothing to do, what L1 keeps,
/// what DRAM delivers at most. Both the net and the closed form are of this kernel.
KernelProfile executed_profile(const SmDevice& device, const KernelProfile& kernel);

/// Slots of the ALU chain of an instruction: 1, and less where the scheduler can issue two at once and the
/// kernel lets it.
double chain_slots(const SmDevice& device, const KernelProfile& kernel);

/// Issue slots of an instruction: chain_slots(), and more where instructions are issued again.
double issue_slots(const SmDevice& device, const KernelProfile& kernel);

/// ALU slots of all the integer instructions of a warp, on one pipe with all other arithmetic.
double integer_slots(const SmDevice& device, const KernelProfile& kernel);

/// ALU slots of all the arithmetic of a warp: of its busiest pipe, in instructions at the rate of fp32. With
/// two pipes, FMA has single precision and multiplications, ALU has additions, logic, comparisons and shifts
/// of integers; the compiler and the hardware put the others where there is room.
double alu_slots(const SmDevice& device, const KernelProfile& kernel);

/// Cycles that an access to shared memory takes of the load/store path if it needs so many passes.
double shared_access_cycles(const SmDevice& device, double passes);

/// Conversions at the rate of 64-bit types, and the others.
double wide_conversions(const SmDevice& device, const KernelProfile& kernel);
double narrow_conversions(const SmDevice& device, const KernelProfile& kernel);

/// Which instructions of the kernel wait for one another on the device. A warp has no more loads in flight
/// than registers for their results; loads overlap at least as far as `loads_in_flight` says.
WaitingShares waiting_shares(const SmDevice& device, const KernelProfile& kernel);

/// Loads from global memory that a warp of the kernel has in flight at a time.
double loads_in_flight(const SmDevice& device, const KernelProfile& kernel);

/// Cycles between the dependent instructions of a warp that compute, on average over all of them: the latency
/// of those that wait, and at least one cycle to issue each.
double alu_interval(const SmDevice& device, const KernelProfile& kernel);

/// Cycles until a load from shared memory is there, bank conflicts included.
double shared_load_latency(const SmDevice& device, const KernelProfile& kernel);

/// Cycles until a load from global memory is there: the mean over the levels that serve the loads.
double mean_load_latency(const SmDevice& device, const KernelProfile& kernel);

/// How many times its sectors a request costs: 1, and more where it is scattered.
double scatter_factor(const SmDevice& device, const MemoryRequests& requests);
/// The same in DRAM: 1 if the kernel's traffic was counted if that is all.
double dram_scatter_factor(const SmDevice& device, const KernelProfile& kernel,
                           const MemoryRequests& requests);
/// Sectors that the stores of a warp and its atomics take of what L2 reads in the same time.
double l2_store_sectors(const SmDevice& device, const KernelProfile& kernel);

/// Cycles that a request to global memory takes of the load/store path, and one load of the path behind it.
double request_cycles(const SmDevice& device, const MemoryRequests& requests);
double load_path_cycles(const SmDevice& device, const MemoryRequests& loads);

/// What a launch takes besides its blocks: launch_us, and until its parameters and last stores have arrived.
double launch_us(const SmDevice& device);

/// Sectors of 32 bytes that one SM gets in a cycle from DRAM and from L2 while `sms` SMs ask for them alike.
double dram_sectors_per_cycle(const SmDevice& device, double sms);
double l2_sectors_per_cycle(const SmDevice& device, double sms);

}  // namespace warpnet::netgen
