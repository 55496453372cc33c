#pragma once

#include "netgen/sm/device.hpp"

namespace warpnet::netgen {

/// The kernel as the device executes it: with the routines of ptxas, idle warps, hits in L1, and the traffic
/// that DRAM can have at most. The net and the closed form both describe this kernel.
KernelProfile executed_profile(const SmDevice& device, const KernelProfile& kernel);

/// Slots of the ALU chain per instruction: 1, or fewer if the device and the kernel allow dual issue.
double chain_slots(const SmDevice& device, const KernelProfile& kernel);

/// Issue slots per instruction: chain_slots(), or more if instructions are issued again.
double issue_slots(const SmDevice& device, const KernelProfile& kernel);

/// ALU slots of all integer instructions of a warp, on the one pipe for all arithmetic.
double integer_slots(const SmDevice& device, const KernelProfile& kernel);

/// ALU slots of all arithmetic instructions of a warp on its busiest pipe, in instructions at the rate of
/// fp32. With two pipes, FMA has single precision and multiplications, and ALU has additions, logic,
/// comparisons and shifts of integers. The compiler and the hardware put all other instructions on the pipe
/// with room.
double alu_slots(const SmDevice& device, const KernelProfile& kernel);

/// Cycles that an access to shared memory occupies the load/store path if it needs `passes` passes.
double shared_access_cycles(const SmDevice& device, double passes);

/// Conversions at the rate of 64-bit types, and all other conversions.
double wide_conversions(const SmDevice& device, const KernelProfile& kernel);
double narrow_conversions(const SmDevice& device, const KernelProfile& kernel);

/// The shares of the kernel's instructions that wait for one another on the device. A warp has no more loads
/// in flight than registers for their results. At least `loads_in_flight` loads overlap.
WaitingShares waiting_shares(const SmDevice& device, const KernelProfile& kernel);

/// Loads from global memory that a warp of the kernel has in flight at once.
double loads_in_flight(const SmDevice& device, const KernelProfile& kernel);

/// Mean number of cycles between two arithmetic instructions of a warp: the latency of those that wait, and
/// at least one issue cycle for each.
double alu_interval(const SmDevice& device, const KernelProfile& kernel);

/// Cycles until a load from shared memory arrives, bank conflicts included.
double shared_load_latency(const SmDevice& device, const KernelProfile& kernel);

/// Cycles until a load from global memory arrives, as the mean over the levels that serve the loads.
double mean_load_latency(const SmDevice& device, const KernelProfile& kernel);

/// The cost of a request as a multiple of its sectors: 1, or more if the request is scattered.
double scatter_factor(const SmDevice& device, const MemoryRequests& requests);
/// The same in DRAM. It is 1 if the kernel's DRAM traffic was counted and the device counts all of it.
double dram_scatter_factor(const SmDevice& device, const KernelProfile& kernel,
                           const MemoryRequests& requests);
/// The stores and atomics of a warp, in sectors that L2 could read in the same time.
double l2_store_sectors(const SmDevice& device, const KernelProfile& kernel);

/// Cycles that a request to global memory occupies the load/store path, and a load the path behind it.
double request_cycles(const SmDevice& device, const MemoryRequests& requests);
double load_path_cycles(const SmDevice& device, const MemoryRequests& loads);

/// The time of a launch besides its blocks: launch_us, and the arrival of its parameters and last stores.
double launch_us(const SmDevice& device);

/// Sectors of 32 bytes per cycle that one SM gets from DRAM and from L2 while `sms` SMs load them equally.
double dram_sectors_per_cycle(const SmDevice& device, double sms);
double l2_sectors_per_cycle(const SmDevice& device, double sms);

}  // namespace warpnet::netgen
