#pragma once

#include "engine/base/work_limits.hpp"
#include "engine/compile/compiled_net.hpp"
#include "engine/net/net.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace warpnet::worst {

/// The Markov chain behind marking_distribution(): its states are the markings between timed steps, and a
/// transition is a maximal step with the immediate steps that follow it.
struct MarkovChain {
    std::vector<Marking> markings;  ///< by state; state 0 is the start
    /// By state: the next states, ascending, with probabilities above 0 whose sum is 1. A dead marking has
    /// none.
    std::vector<std::vector<std::pair<std::uint32_t, double>>> next;
    /// State 0 is the initial marking in front of immediate steps that end in different markings. Its first
    /// transition takes no time.
    bool starts_between = false;
    WorkEnd stop = WorkEnd::complete;  ///< unless it is complete, the chain is not

    bool is_dead(std::uint32_t state) const { return next[state].empty(); }
    /// Steps that leaving a state takes: 1, but 0 for a dead marking and for a start in front of immediate
    /// steps.
    int steps(std::uint32_t state) const { return is_dead(state) || (state == 0 && starts_between) ? 0 : 1; }
};

/// Breadth first. Throws InputError if immediate transitions fire forever or a place overflows. O(states ×
/// steps of a state); `limits` end it.
MarkovChain markov_chain(const CompiledNet& net, const WorkLimits& limits = {});

/// A file name's end and its text.
struct ChainFile {
    std::string extension;
    std::string text;
};

/// The explicit format of PRISM: transitions (.tra), labels (.lab), markings (.sta), state rewards (.srew).
/// Dead markings have a loop, as PRISM and Storm need one, and the labels `deadlock` and `dead`. The reward
/// `steps` of a state is steps(). The variables are the places, with ids that PRISM can read: other
/// characters than letters, digits and `_` become `_`, and each variable of a place whose id is not one ends
/// in the number of the place.
std::vector<ChainFile> prism_files(const Net& net, const MarkovChain& chain);

/// The same as one file of Storm (.drn), with the reward model `steps`.
std::string storm_file(const MarkovChain& chain);

}  // namespace warpnet::worst
