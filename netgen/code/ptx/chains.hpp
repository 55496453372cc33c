#pragma once

#include "netgen/code/ptx/text/module.hpp"
#include "netgen/code/ptx/values/flow.hpp"

#include <vector>

namespace warpnet::netgen {

/// Approximate number of machine instructions of an integer division: a reciprocal, corrections and a test.
inline constexpr double divide_instructions = 20;

/// Instructions of a warp whose results take time to arrive.
struct PtxChain {
    double alu = 0;  ///< single precision, integers; an integer division counts with its routine
    double fp64 = 0;
    double special = 0;  ///< special functions and conversions
    double shared = 0;   ///< loads from shared memory, shuffles
    double loads = 0;    ///< from global memory, textures, atomics

    void add(const PtxChain& other, double times);
    bool operator==(const PtxChain&) const = default;
};

/// For one execution of a block: all such instructions, and those of the longest chain of dependent ones.
struct PtxBlockChain {
    PtxChain all, longest;
    bool operator==(const PtxBlockChain&) const = default;
};

/// By block of the flow. Linear in the instructions.
std::vector<PtxBlockChain> block_chains(const PtxFunction& function, const PtxFlow& flow);

}  // namespace warpnet::netgen
