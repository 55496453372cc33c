// Reconstructs the whole net from the parts of a divided net, so that a plan need not keep both. Each part
// has the inputs, tests and effects of its transitions; the outputs follow from inputs and effects.

#include "engine/executors/parts/joined_net.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace warpnet {

namespace {

/// Reconstructs the arcs of the whole net from its parts.
class Joiner {
  public:
    explicit Joiner(const DividedNet& divided) : divided_(divided) {}

    NetArcs join() {
        NetArcs arcs;
        arcs.urgency.assign(divided_.transitions, {.priority = divided_.priority});
        arcs.initial.resize(divided_.places);
        std::vector<Location> locations(divided_.transitions);
        for (const BorderedPart& part : divided_.parts) {
            for (std::uint32_t p = 0; p < part.nodes.places.size(); ++p)
                arcs.initial[part.nodes.places[p]] = part.net.initial[p];
            for (std::uint32_t t = 0; t < part.nodes.transitions.size(); ++t)
                locations[part.nodes.transitions[t]] = {&part, t};
        }
        for (const auto [part, transition] : locations) {
            copy(*part, part->net.inputs[transition], arcs.inputs);
            copy(*part, part->net.inhibitors[transition], arcs.inhibitors);
            copy(*part, part->net.reads[transition], arcs.reads);
            add_outputs(*part, transition, arcs.outputs);
        }
        for (Rows<PlaceWeight>* rows : {&arcs.inputs, &arcs.inhibitors, &arcs.reads, &arcs.outputs})
            rows->shrink_to_fit();
        return arcs;
    }

  private:
    /// The part and the number of a transition.
    struct Location {
        const BorderedPart* part = nullptr;
        std::uint32_t transition = 0;
    };

    void copy(const BorderedPart& part, std::span<const PlaceWeight> arcs, Rows<PlaceWeight>& rows) {
        row_.clear();
        for (const auto [place, weight] : arcs) row_.push_back({part.nodes.places[place], weight});
        sort_row();
        for (const PlaceWeight arc : row_) rows.append(arc);
        rows.close_row();
    }

    /// Parts have no outputs. The tokens that a transition gives to a place are its effect there, if any,
    /// plus the tokens that it takes.
    void add_outputs(const BorderedPart& part, std::uint32_t transition, Rows<PlaceWeight>& rows) {
        row_.clear();
        for (const auto [place, delta] : part.net.effects[transition])
            row_.push_back({part.nodes.places[place], delta});
        for (const SentEffect& sent : part.sent[transition]) {
            const BorderedPart& other = divided_.parts[part.neighbours[sent.neighbour]];
            row_.push_back({other.nodes.places[sent.place], sent.delta});
        }
        sort_row();
        row_.erase(std::unique(row_.begin(), row_.end()),
                   row_.end());  // an effect on several copies counts once
        for (const auto [place, weight] : part.net.inputs[transition])
            row_.push_back({part.nodes.places[place], weight});
        sort_row();
        for (std::size_t i = 0; i < row_.size(); ++i) {
            PlaceWeight output = row_[i];
            if (i + 1 < row_.size() && row_[i + 1].place == output.place) output.weight += row_[++i].weight;
            if (output.weight > 0) rows.append(output);
        }
        rows.close_row();
    }

    void sort_row() {
        std::sort(row_.begin(), row_.end(), [](PlaceWeight a, PlaceWeight b) { return a.place < b.place; });
    }

    const DividedNet& divided_;
    std::vector<PlaceWeight> row_;  // buffer
};

}  // namespace

CompiledNet join_parts(const DividedNet& divided) { return compile(Joiner(divided).join(), divided.options); }

const CompiledNet& JoinedNet::net() const {
    std::call_once(joined_, [&] { net_ = std::make_unique<const CompiledNet>(join_parts(*divided_)); });
    return *net_;
}

}  // namespace warpnet
