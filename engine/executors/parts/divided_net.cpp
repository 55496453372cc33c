// Divides a large net of one piece. Transitions that may compete, directly or indirectly, form a cluster.
// Parts grow from cluster to cluster, always adding the cluster with the greatest share of arcs that lead
// into the part. The firings of a part then do not depend on those of other parts in the same step. A place
// that several parts test has a copy in each of them, and tokens for other parts are sent as messages, which
// arrive after the step.
//
// This is exact for maximal steps. Take a uniformly random order of all enabled transitions, and restrict it
// to transitions that share no token with the remaining transitions. The result is a uniformly random order
// of these transitions. The division depends on the net alone, and each part draws from its own stream, so
// the result does not depend on the number of cores.
//
// A net is not divided if conflicts reach across it, as in a ring of philosophers that share forks. It is not
// divided either if more than 30 % of the effects would cross borders.

#include "engine/executors/parts/divided_net.hpp"

#include "engine/base/disjoint_sets.hpp"
#include "engine/base/no_index.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace warpnet {

namespace {
/// No part may exceed its share of this many parts, since the other cores would idle.
constexpr std::size_t fewest_parts = 4;

/// Sets of transitions that may compete with each other, directly or indirectly: they share input places.
struct Clusters {
    std::vector<std::uint32_t> of;    ///< per transition
    std::vector<std::uint32_t> size;  ///< in transitions
    std::vector<std::uint32_t>
        home;  ///< per place: the cluster that takes from it, or otherwise a cluster that it touches
};

/// Joins the transitions that share an input place.
Clusters find_clusters(const CompiledNet& net) {
    const auto transitions = static_cast<std::uint32_t>(net.transition_count());
    DisjointSets forest(transitions);
    std::vector<std::uint32_t> taker(net.place_count(), no_index), toucher(net.place_count(), no_index);
    for (std::uint32_t t = 0; t < transitions; ++t) {
        for (const auto [place, weight] : net.inputs[t]) {
            if (taker[place] == no_index) taker[place] = t;
            forest.join(taker[place], t);
        }
        for (const auto& row : {net.outputs[t], net.reads[t], net.inhibitors[t]}) {
            for (const auto [place, weight] : row) toucher[place] = std::min(toucher[place], t);
        }
    }
    Clusters clusters;
    clusters.of.resize(transitions);
    clusters.home.reserve(net.place_count());
    std::vector<std::uint32_t> number(transitions, no_index);  // of roots
    for (std::uint32_t t = 0; t < transitions; ++t) {
        std::uint32_t& cluster = number[forest.root(t)];
        if (cluster == no_index) {
            cluster = static_cast<std::uint32_t>(clusters.size.size());
            clusters.size.push_back(0);
        }
        clusters.of[t] = cluster;
        ++clusters.size[cluster];
    }
    for (std::size_t place = 0; place < net.place_count(); ++place) {
        const std::uint32_t t = taker[place] != no_index ? taker[place] : toucher[place];
        clusters.home.push_back(t == no_index ? no_index : clusters.of[t]);
    }
    return clusters;
}

/// Per cluster the clusters at the other ends of its arcs, once per arc.
Rows<std::uint32_t> find_ties(const CompiledNet& net, const Clusters& clusters) {
    auto ties = Rows<std::uint32_t>::sorted(clusters.size.size(), [&](auto put) {
        for (std::uint32_t t = 0; t < net.transition_count(); ++t) {
            for (const auto& row : {net.outputs[t], net.reads[t], net.inhibitors[t]}) {
                for (const auto [place, weight] : row) {
                    const std::uint32_t a = clusters.of[t], b = clusters.home[place];
                    if (a == b) continue;
                    put(a, b);
                    put(b, a);
                }
            }
        }
    });
    if (ties.all().empty()) return ties;
    for (std::uint32_t cluster = 0; cluster < ties.size(); ++cluster) {
        const std::span<std::uint32_t> row = ties.row(cluster);
        std::sort(row.begin(), row.end());
    }
    return ties;
}

/// Grows parts from cluster to cluster. The next cluster is always the one with the greatest share of ties
/// into the part.
class Growth {
  public:
    Growth(const Clusters& clusters, const Rows<std::uint32_t>& ties, std::size_t wanted)
        : clusters_(clusters),
          ties_(ties),
          wanted_(wanted),
          part_(clusters.size.size(), no_index),
          inward_(clusters.size.size(), 0),
          inward_of_(clusters.size.size(), no_index) {}

    /// Grows parts until every cluster has one. A part that can grow no further, because it has no unassigned
    /// neighbours, takes the next cluster of the net until it has half of its size.
    void grow() {
        for (std::uint32_t cluster = 0; cluster < part_.size(); ++cluster) {
            if (part_[cluster] != no_index) continue;
            if (size_ >= wanted_ / 2) found();
            add(cluster);
            while (add_next()) {
            }
        }
    }

    /// Per cluster its part.
    const std::vector<std::uint32_t>& part() const { return part_; }
    std::size_t count() const { return number_ + 1; }

  private:
    static constexpr std::uint32_t all = 16;  // of the ties of a cluster, in sixteenths

    /// Begins a new part.
    void found() {
        ++number_;
        size_ = 0;
        for (auto& bucket : frontier_) bucket.clear();
    }

    /// Adds a cluster to the current part and updates the ties of its neighbours.
    void add(std::uint32_t cluster) {
        part_[cluster] = number_;
        size_ += clusters_.size[cluster];
        for (const std::uint32_t other : ties_[cluster]) {
            if (part_[other] != no_index) continue;
            if (inward_of_[other] != number_) inward_[other] = 0;
            inward_of_[other] = number_;
            const std::uint32_t before = share(other);
            const bool known = inward_[other]++ > 0;
            if (!known || share(other) != before) frontier_[share(other)].push_back(other);
        }
    }

    /// The share of a cluster's ties that lead into the current part, in sixteenths. A coarse share allows
    /// buckets instead of a priority queue.
    std::uint32_t share(std::uint32_t cluster) const {
        return static_cast<std::uint32_t>(std::uint64_t{inward_[cluster]} * all / ties_[cluster].size());
    }

    /// Adds the best cluster of the frontier if the part is still too small.
    bool add_next() {
        for (std::uint32_t inward = all + 1; inward-- > 0;) {
            std::vector<std::uint32_t>& bucket = frontier_[inward];
            while (!bucket.empty()) {
                const std::uint32_t cluster = bucket.back();
                if (part_[cluster] != no_index || share(cluster) != inward) {  // an outdated entry
                    bucket.pop_back();
                    continue;
                }
                const std::size_t room = inward > all / 2    ? 4 * wanted_
                                         : inward == all / 2 ? wanted_
                                                             : wanted_ / 2;
                if (size_ >= room) return false;
                bucket.pop_back();
                add(cluster);
                return true;
            }
        }
        return false;
    }

    const Clusters& clusters_;
    const Rows<std::uint32_t>& ties_;
    std::size_t wanted_;
    std::vector<std::uint32_t> part_;
    std::vector<std::uint32_t> inward_;  // ties that lead into the part inward_of_
    std::vector<std::uint32_t> inward_of_;
    std::array<std::vector<std::uint32_t>, all + 1> frontier_;  // by share; contains outdated entries
    std::uint32_t number_ = 0;
    std::size_t size_ = 0;  // of the current part, in transitions
};

/// The part of each transition and place.
struct Division {
    std::size_t parts = 0;
    std::vector<std::uint32_t> of;  ///< per transition
    std::vector<std::uint32_t>
        home;  ///< per place: the part of its consumers, or otherwise a part that it touches
};

Division find_division(const CompiledNet& net, std::size_t wanted) {
    Clusters clusters = find_clusters(net);
    const Rows<std::uint32_t> ties = find_ties(net, clusters);
    Growth growth(clusters, ties, wanted);
    growth.grow();
    const auto to_part = [&](std::vector<std::uint32_t>& cluster_of) {
        for (std::uint32_t& cluster : cluster_of) cluster = cluster == no_index ? 0 : growth.part()[cluster];
        return std::move(cluster_of);
    };
    return {growth.count(), to_part(clusters.of), to_part(clusters.home)};
}

/// The number of transitions of the largest part.
std::size_t largest(const Division& division) {
    std::vector<std::size_t> size(division.parts, 0);
    for (const std::uint32_t part : division.of) ++size[part];
    return *std::max_element(size.begin(), size.end());
}

/// Builds the parts and lists the effects that each part sends to other parts.
class Divider {
  public:
    Divider(const CompiledNet& net, Division division)
        : net_(net), of_(std::move(division.of)), result_(std::make_shared<DividedNet>()) {
        result_->parts.resize(division.parts);
        result_->places = net.place_count();
        result_->transitions = net.transition_count();
        result_->priority = net.priority_levels.front().priority;
        result_->options = net.options;
        for (std::uint32_t t = 0; t < net.transition_count(); ++t)
            result_->parts[of_[t]].nodes.transitions.push_back(t);
        find_copies(division.home);
    }

    /// `given_up`: the net itself, if its owner no longer needs it. It is consumed if the net is divided.
    std::shared_ptr<const DividedNet> divide(const PartOptions& options, const CompileOptions& arrays,
                                             CompiledNet* given_up) {
        std::size_t sent = 0;
        for (std::uint32_t d = 0; d < result_->parts.size(); ++d) {
            add_sendings(d);
            sent += result_->parts[d].sent.all().size();
        }
        if (sent * 100 > net_.effects.all().size() * options.most_sent) return nullptr;
        if (given_up != nullptr) forget_all_but_arcs(*given_up);
        std::vector<NetArcs> arcs;
        arcs.reserve(result_->parts.size());
        PartCutter cutter(net_);
        for (std::uint32_t d = 0; d < result_->parts.size(); ++d) {
            BorderedPart& part = result_->parts[d];
            part.nodes.transitions.shrink_to_fit();
            part.nodes.places.shrink_to_fit();
            part.sent.shrink_to_fit();
            arcs.push_back(cutter.cut(part.nodes));
            mark_borders(d, arcs.back());
        }
        if (given_up != nullptr) *given_up = CompiledNet();
        for (std::uint32_t d = 0; d < result_->parts.size(); ++d) {
            BorderedPart& part = result_->parts[d];
            part.net = compile(std::move(arcs[d]), arrays);
            part.general = prepare_general(part.net);
            part.net.outputs = Rows<PlaceWeight>();
        }
        return std::move(result_);
    }

  private:
    /// A place and a part with a copy of it.
    struct Copy {
        std::uint32_t place, part;
        auto operator<=>(const Copy&) const = default;  // NOLINT(modernize-use-nullptr): false alarm
    };

    /// Releases everything that the parts do not need, before they are compiled.
    static void forget_all_but_arcs(CompiledNet& net) {
        net.effects = Rows<Effect>();
        net.watches = Rows<Watch>();
        net.slots = std::vector<GroupSlot>();
        net.groups = std::vector<ConflictGroup>();
        net.shared = std::vector<std::uint8_t>();
        net.hub = std::vector<std::uint8_t>();
    }

    /// Finds the copies of places: one in the home part, and one in each further part that tests the place.
    void find_copies(const std::vector<std::uint32_t>& home) {
        copies_.reserve(home.size());
        for (std::uint32_t place = 0; place < net_.place_count(); ++place)
            copies_.push_back({place, home[place]});
        for (std::uint32_t t = 0; t < net_.transition_count(); ++t) {
            for (const auto& row : {net_.reads[t], net_.inhibitors[t]}) {
                for (const auto [place, weight] : row) {
                    if (copies_[place].part != of_[t]) copies_.push_back({place, of_[t]});
                }
            }
        }
        std::sort(copies_.begin(), copies_.end());
        copies_.erase(std::unique(copies_.begin(), copies_.end()), copies_.end());
        for (const Copy& copy : copies_) {
            std::vector<std::uint32_t>& places = result_->parts[copy.part].nodes.places;
            local_.push_back(static_cast<std::uint32_t>(places.size()));
            places.push_back(copy.place);
        }
        first_copy_.assign(net_.place_count() + 1, static_cast<std::uint32_t>(copies_.size()));
        for (std::size_t i = copies_.size(); i-- > 0;)
            first_copy_[copies_[i].place] = static_cast<std::uint32_t>(i);
        changed_by_others_.assign(copies_.size(), 0);
    }

    /// Lists the effects of a part on copies in other parts, and the parts that receive them.
    void add_sendings(std::uint32_t d) {
        BorderedPart& part = result_->parts[d];
        const auto for_each_sending = [&](std::uint32_t t, auto&& visit) {
            for (const Effect& effect : net_.effects[t]) {
                for (std::uint32_t i = first_copy_[effect.place]; i < first_copy_[effect.place + 1]; ++i) {
                    if (copies_[i].part != d) visit(effect, i);
                }
            }
        };
        for (const std::uint32_t t : part.nodes.transitions) {
            for_each_sending(
                t, [&](const Effect&, std::uint32_t i) { part.neighbours.push_back(copies_[i].part); });
        }
        auto& neighbours = part.neighbours;
        std::sort(neighbours.begin(), neighbours.end());
        neighbours.erase(std::unique(neighbours.begin(), neighbours.end()), neighbours.end());
        for (const std::uint32_t t : part.nodes.transitions) {
            for_each_sending(t, [&](const Effect& effect, std::uint32_t i) {
                const auto at = std::lower_bound(neighbours.begin(), neighbours.end(), copies_[i].part);
                part.sent.append(
                    {static_cast<std::uint32_t>(at - neighbours.begin()), local_[i], effect.delta});
                changed_by_others_[i] = 1;
            });
            part.sent.close_row();
        }
    }

    /// Marks the places of a part that other parts change or test. They must not be treated as private to the
    /// part when it is compiled.
    void mark_borders(std::uint32_t d, NetArcs& arcs) const {
        const std::vector<std::uint32_t>& places = result_->parts[d].nodes.places;
        for (std::uint32_t local = 0; local < places.size(); ++local) {
            const std::uint32_t begin = first_copy_[places[local]], end = first_copy_[places[local] + 1];
            if (end - begin > 1) arcs.watched.push_back(local);
            for (std::uint32_t i = begin; i < end; ++i) {
                if (copies_[i].part == d && changed_by_others_[i] != 0) arcs.fed.push_back(local);
            }
        }
    }

    const CompiledNet& net_;
    std::vector<std::uint32_t> of_;  // per transition: its part
    std::shared_ptr<DividedNet> result_;
    std::vector<Copy> copies_;                     // sorted by place
    std::vector<std::uint32_t> local_;             // per copy: the number of the place in its part
    std::vector<std::uint32_t> first_copy_;        // per place, and one past the last
    std::vector<std::uint8_t> changed_by_others_;  // per copy
};

std::shared_ptr<const DividedNet> divide(const CompiledNet& net, const PartOptions& options,
                                         const CompileOptions& arrays, CompiledNet* given_up) {
    const std::size_t transitions = net.transition_count();
    const std::size_t wanted =
        std::clamp<std::size_t>(transitions / 64, std::min<std::size_t>(256, options.huge_net), 16384);
    Division division = find_division(net, wanted);
    if (largest(division) * fewest_parts > transitions) return nullptr;
    return Divider(net, std::move(division)).divide(options, arrays, given_up);
}

}  // namespace

std::shared_ptr<const DividedNet> divide_net(const CompiledNet& net, const PartOptions& options,
                                             const CompileOptions& arrays) {
    return divide(net, options, arrays, nullptr);
}

std::shared_ptr<const DividedNet> divide_net(CompiledNet&& net, const PartOptions& options,
                                             const CompileOptions& arrays) {
    return divide(net, options, arrays, &net);
}

std::size_t divided_bytes(const DividedNet& divided) {
    const auto of = [](const auto& items) { return items.capacity() * sizeof(items[0]); };
    std::size_t bytes = of(divided.parts);
    for (const BorderedPart& part : divided.parts) {
        bytes += of(part.nodes.transitions) + of(part.nodes.places) + compiled_bytes(part.net) +
                 general_bytes(part.general) + part.sent.bytes() + of(part.neighbours);
    }
    return bytes;
}

// Reconstructs the whole net from the parts of a divided net, so that a plan need not keep both. Each part
// has the inputs, tests and effects of its transitions; the outputs follow from inputs and effects.

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
