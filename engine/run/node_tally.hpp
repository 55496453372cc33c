#pragma once

#include "engine/compile/compiled_net.hpp"
#include "engine/run/run.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace warpnet {

/// Statistics of one place over all timed steps of all runs. A timed step counts the marking before it.
struct PlaceStatistics {
    double mean = 0;    ///< tokens before a step; 0 without steps
    double marked = 0;  ///< share of the steps before which it had a token
    Tokens max = 0;     ///< in any marking, the first and the last included
    /// For a shared place, such as the schedulers of an SM. A transition *uses* it in a step if it takes
    /// tokens from it and changes the marking.
    double idle = 0;   ///< share of the steps without a user and with the initial tokens
    double taken = 0;  ///< tokens that its users took in a step
    /// The share of its initial tokens that were in use or being taken, over all steps. 0 if it starts empty.
    double in_use(Tokens initial) const {
        const auto all = static_cast<double>(initial);
        return initial > 0 ? (all - mean + taken) / all : 0;
    }
};

/// Of one transition, over runs.
struct TransitionStatistics {
    std::uint64_t min = 0, max = 0;  ///< firings of a run
    double mean = 0, stddev = 0;     ///< of the sample (n-1); stddev 0 for one run
};

/// Totals for places and transitions over runs, as exact integer sums. They do not depend on the order in
/// which runs are added and tallies are merged. 64 bytes per place, 56 bytes per transition.
class NodeTally {
  public:
    explicit NodeTally(const CompiledNet& net);

    void merge(const NodeTally& other);

    /// All sums, for messages and files: seven words per place, six per transition, and two more.
    std::vector<std::uint64_t> words() const;
    /// The tally with these words. Throws InputError if their number does not match the net.
    static NodeTally of_words(const CompiledNet& net, std::span<const std::uint64_t> words);

    std::uint64_t runs() const noexcept { return runs_; }
    std::uint64_t steps() const noexcept { return steps_; }
    PlaceStatistics place(std::size_t place) const;
    TransitionStatistics transition(std::size_t transition) const;

  private:
    friend class RunTally;
    __extension__ using Wide = unsigned __int128;

    struct PlaceSums {
        Wide tokens = 0;
        Wide taken = 0;
        std::uint64_t marked_steps = 0;
        std::uint64_t idle_steps = 0;
        Tokens max = 0;
    };
    struct TransitionSums {
        Wide squares = 0;
        Wide firings = 0;
        std::uint64_t min = 0, max = 0;
    };

    std::uint64_t runs_ = 0;
    std::uint64_t steps_ = 0;
    std::vector<PlaceSums> places_;
    std::vector<TransitionSums> transitions_;
};

/// Observes one run from the initial marking on, and adds it to a tally in finish(). In addition to the cost
/// of an observed run, it costs the places that firings take from or change.
class RunTally : public Observer {
  public:
    RunTally(const CompiledNet& net, NodeTally& tally);

    void step(std::uint64_t number, bool immediate, std::span<const Firing> firings,
              std::span<const Tokens> marking) override;
    /// Ends the run. To be called once.
    void finish();

  private:
    void account(std::uint32_t place);
    void use(std::uint64_t number, const Firing& firing);

    const CompiledNet& net_;
    NodeTally& tally_;
    std::uint64_t now_ = 0;                  // timed steps made
    Marking tokens_;                         // per place, since `since_`
    std::vector<std::uint64_t> since_;       // per place: timed steps made when it last changed
    std::vector<std::uint64_t> used_steps_;  // per place: those since `since_` in which it was used
    std::vector<std::uint64_t> last_used_;   // per place: the last such step; 0: none
    std::vector<std::uint64_t> firings_;
};

}  // namespace warpnet
