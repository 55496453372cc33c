// The graph of a net has a vertex for each place (coloured by its tokens), each transition (by its priority)
// and each piece of a condition; edges are labelled with the kind and weight of the arc. A permutation thus
// preserves a condition exactly if it preserves its syntax tree: `w1_ready + w2_ready > 0` allows the two
// warps to be exchanged, `w1_ready > 0` does not.
//
// Colour refinement gives every vertex a cell. A vertex alone in its cell is fixed. Without the fixed
// vertices the rest falls into connected regions. Isomorphic regions, with their surroundings fixed, can be
// exchanged freely because no arc joins them. So the group is a product, over the kinds of regions, of the
// symmetric group on the parts, and each part has its own symmetries, found in the same way.
//
// A region in which everything moves, such as a ring, has its group listed element by element, up to 10,000
// of them. For a larger group the subgroup that fixes one place is used. A count of operations limits the
// search, not a clock. If it gives up, a subgroup is used, or none. Counts and verdicts stay exact, but more
// markings are stored.

#include "analysis/states/symmetry/coloured_graph.hpp"
#include "analysis/states/symmetry/net_symmetry.hpp"
#include "engine/base/disjoint_sets.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

namespace warpnet::states {

namespace {

/// A net and the conditions on it as a graph: a vertex for each place, each transition and each piece of a
/// condition. A node that must not be permuted has a colour or a label of its own.
class SymmetryGraph {
  public:
    SymmetryGraph(const Net& net, const SymmetryLimits& limits) : net_(net) {
        for (const Place& place : net.places()) vertex({0, place.initial});
        for (const Transition& transition : net.transitions())
            vertex({transition.immediate ? 2 : 1, transition.priority});
        for (const Arc& arc : net.arcs())
            edge(transition(index(arc.transition)), place(index(arc.place)),
                 {1 + static_cast<std::int64_t>(arc.kind), arc.weight});
        std::int64_t root = 0;
        for (const Formula& condition : limits.conditions)
            edge(add(condition), vertex({3, root++}), {100, 0});
        for (const LinearSum& sum : limits.sums) edge(add(sum, 4, 0), vertex({3, root++}), {100, 0});
        for (const std::uint32_t t : limits.transitions) edge(transition(t), vertex({3, root++}), {100, 0});
    }

    ColouredGraph build() const {
        ColouredGraph graph;
        std::set<Key> keys(colours_.begin(), colours_.end()), label_keys;
        std::map<Key, std::uint32_t> numbers, labels;
        for (const Key& key : keys) numbers.emplace(key, static_cast<std::uint32_t>(numbers.size()));
        for (const Key& key : colours_) graph.colours.push_back(numbers.at(key));
        for (const Edge& edge : edges_) label_keys.insert(edge.label);
        for (const Key& key : label_keys) labels.emplace(key, static_cast<std::uint32_t>(2 * labels.size()));
        graph.edges = Rows<ColouredGraph::Edge>::sorted(colours_.size(), [&](const auto& put) {
            for (const Edge& edge : edges_) {
                const std::uint32_t label = labels.at(edge.label);
                put(edge.from, {edge.to, label});
                put(edge.to, {edge.from, label + 1});
            }
        });
        return graph;
    }

  private:
    using Key = std::pair<std::int64_t, std::int64_t>;
    struct Edge {
        std::uint32_t from, to;
        Key label;
    };

    static std::uint32_t place(std::size_t p) { return static_cast<std::uint32_t>(p); }
    std::uint32_t transition(std::size_t t) const {
        return static_cast<std::uint32_t>(net_.places().size() + t);
    }
    std::uint32_t vertex(Key colour) {
        colours_.push_back(colour);
        return static_cast<std::uint32_t>(colours_.size()) - 1;
    }
    void edge(std::uint32_t from, std::uint32_t to, Key label) { edges_.push_back({from, to, label}); }

    std::uint32_t add(const LinearSum& sum, std::int64_t kind, std::int64_t relation) {
        const std::uint32_t top = vertex({kind, relation}), constant = vertex({5, sum.constant});
        edge(top, constant, {101, 0});
        for (const auto [node, coefficient] : sum.tokens) edge(top, place(node), {102, coefficient});
        for (const auto [node, coefficient] : sum.firings) edge(top, transition(node), {103, coefficient});
        return top;
    }

    std::uint32_t add(const Formula& formula) {
        if (formula.kind == Formula::Kind::comparison)
            return add(formula.sum, 6, static_cast<std::int64_t>(formula.relation));
        const std::uint32_t top =
            vertex({10 + static_cast<std::int64_t>(formula.kind), (formula.value ? 1 : 0)});
        for (const std::uint32_t t : formula.transitions) edge(top, transition(t), {104, 0});
        for (const Formula& operand : formula.operands) edge(top, add(operand), {105, 0});
        return top;
    }

    const Net& net_;
    std::vector<Key> colours_;
    std::vector<Edge> edges_;
};

/// A region of a graph; its vertices know their numbers in the whole graph.
struct Region {
    ColouredGraph graph;
    std::vector<std::uint32_t> vertices;
};

}  // namespace

/// Takes the graph of a net apart into independent symmetries.
class SymmetryFinder {
  public:
    SymmetryFinder(const Net& net, const SymmetryLimits& limits)
        : net_(net), limits_(limits), effort_{limits.effort}, orbits_(0) {}

    NetSymmetry run() {
        Region whole;
        whole.graph = SymmetryGraph(net_, limits_).build();
        whole.vertices.resize(whole.graph.size());
        std::iota(whole.vertices.begin(), whole.vertices.end(), 0u);
        orbits_ = DisjointSets(whole.graph.size());
        std::vector<Found> found = decompose(whole);
        NetSymmetry result;
        for (const Found& one : found) {
            result.factors_.push_back(laid_out(one, static_cast<std::uint32_t>(result.places_.size())));
            for (const auto& part : one.parts)
                result.places_.insert(result.places_.end(), part.begin(), part.end());
        }
        const auto places = static_cast<std::uint32_t>(net_.places().size());
        for (std::uint32_t p = 0; p < places; ++p) result.place_orbits_.push_back(orbits_.root(p));
        for (std::uint32_t t = 0; t < net_.transitions().size(); ++t)
            result.transition_orbits_.push_back(orbits_.root(places + t) - places);
        return result;
    }

  private:
    /// A factor by the places that it moves.
    struct Found {
        std::vector<std::vector<std::uint32_t>> parts;  // one if it is a group
        std::vector<Found> inner;                       // of the first part
        std::vector<std::vector<std::uint32_t>> images;
    };

    bool is_place(std::uint32_t vertex) const { return vertex < net_.places().size(); }

    /// The vertices that are not alone in their cells, in connected regions.
    static std::vector<Region> components(const Region& region, const OrderedPartition& partition) {
        const ColouredGraph& graph = region.graph;
        const auto moves = [&](std::uint32_t v) { return partition.cell(partition.cell_of(v)).size() > 1; };
        DisjointSets forest(graph.size());
        for (std::uint32_t v = 0; v < graph.size(); ++v)
            for (const auto edge : graph.edges[v])
                if (moves(v) && moves(edge.to)) forest.join(v, edge.to);
        std::map<std::uint32_t, std::vector<std::uint32_t>> members;
        for (std::uint32_t v = 0; v < graph.size(); ++v)
            if (moves(v)) members[forest.root(v)].push_back(v);
        std::vector<Region> parts;
        std::vector<std::uint32_t> number(graph.size());
        for (const auto& [root, vertices] : members) {
            Region part;
            for (const std::uint32_t v : vertices) {
                number[v] = part.graph.size();
                part.graph.colours.push_back(partition.cell_of(v));
                part.vertices.push_back(region.vertices[v]);
            }
            for (const std::uint32_t v : vertices) {
                for (const auto edge : graph.edges[v])
                    if (moves(edge.to)) part.graph.edges.append({number[edge.to], edge.label});
                part.graph.edges.close_row();
            }
            parts.push_back(std::move(part));
        }
        return parts;
    }

    /// Isomorphic regions, with the nodes around them fixed, can be exchanged freely; each also has its own
    /// symmetries.
    std::vector<Found> decompose(const Region& region) {
        const OrderedPartition partition(region.graph, effort_);
        if (partition.discrete()) return {};
        std::vector<Region> parts = components(region, partition);
        if (parts.size() == 1 && parts.front().graph.size() == region.graph.size())
            return connected(region, partition);
        std::vector<std::uint8_t> taken(parts.size(), 0);
        std::map<std::vector<std::uint32_t>, std::vector<std::size_t>> alike;  // by colours
        for (std::size_t i = 0; i < parts.size(); ++i) {
            std::vector<std::uint32_t> colours = parts[i].graph.colours;
            std::sort(colours.begin(), colours.end());
            alike[std::move(colours)].push_back(i);
        }
        std::vector<Found> result;
        for (std::size_t i = 0; i < parts.size(); ++i) {
            if (taken[i] != 0) continue;
            std::vector<std::uint32_t> colours = parts[i].graph.colours;
            std::sort(colours.begin(), colours.end());
            Found found;
            found.parts.push_back(places_of(parts[i]));
            const OrderedPartition first(parts[i].graph, effort_);
            for (const std::size_t j : alike[colours]) {
                if (j <= i || taken[j] != 0) continue;
                const OrderedPartition other(parts[j].graph, effort_);
                const auto map = find_isomorphism(parts[i].graph, first, parts[j].graph, other, effort_);
                if (!map) continue;
                taken[j] = 1;
                Region image = parts[i];
                for (std::uint32_t v = 0; v < image.graph.size(); ++v) {
                    image.vertices[v] = parts[j].vertices[(*map)[v]];
                    orbits_.join(parts[i].vertices[v], image.vertices[v]);
                }
                found.parts.push_back(places_of(image));
            }
            std::vector<Found> inner = decompose(parts[i]);
            if (found.parts.front().empty()) continue;
            if (found.parts.size() > 1) {
                found.inner = std::move(inner);
                put_inner_first(found);
                result.push_back(std::move(found));
            } else {
                std::move(inner.begin(), inner.end(), std::back_inserter(result));
            }
        }
        return result;
    }

    std::vector<std::uint32_t> places_of(const Region& region) const {
        std::vector<std::uint32_t> places;
        for (const std::uint32_t vertex : region.vertices)
            if (is_place(vertex)) places.push_back(vertex);
        return places;
    }

    /// A region in which every vertex seems to move: its group, element by element, if it is small, otherwise
    /// the subgroup that fixes one place.
    std::vector<Found> connected(const Region& region, const OrderedPartition& partition) {
        std::vector<VertexMap> generators = automorphism_generators(region.graph, partition, effort_);
        DisjointSets orbits(region.graph.size());
        for (const VertexMap& map : generators)
            for (std::uint32_t v = 0; v < region.graph.size(); ++v) orbits.join(v, map[v]);
        Region finer = region;
        std::set<std::uint32_t> roots;
        for (std::uint32_t v = 0; v < region.graph.size(); ++v) {
            finer.graph.colours[v] = orbits.root(v);
            roots.insert(orbits.root(v));
        }
        if (roots.size() == region.graph.size()) return {};
        if (roots.size() > partition.cells()) return decompose(finer);
        if (auto group = small_group(region, generators)) {
            for (std::uint32_t v = 0; v < region.graph.size(); ++v)
                orbits_.join(region.vertices[v], region.vertices[orbits.root(v)]);
            if (group->images.empty()) return {};
            return {std::move(*group)};
        }
        const auto place = std::find_if(region.vertices.begin(), region.vertices.end(),
                                        [&](std::uint32_t vertex) { return is_place(vertex); });
        if (place == region.vertices.end()) return {};
        finer.graph.colours[static_cast<std::size_t>(place - region.vertices.begin())] =
            static_cast<std::uint32_t>(region.graph.size());
        return decompose(finer);
    }

    /// All elements of a group on the places of a region; nothing if there are too many.
    std::optional<Found> small_group(const Region& region, const std::vector<VertexMap>& generators) {
        Found found;
        found.parts.push_back(places_of(region));
        std::vector<std::uint32_t> position(region.graph.size(), 0), vertex;
        for (std::uint32_t v = 0; v < region.graph.size(); ++v) {
            position[v] = static_cast<std::uint32_t>(vertex.size());
            if (is_place(region.vertices[v])) vertex.push_back(v);
        }
        std::vector<std::uint32_t> identity(vertex.size());
        std::iota(identity.begin(), identity.end(), 0u);
        std::set<std::vector<std::uint32_t>> seen = {identity}, on_places;
        for (const VertexMap& map : generators) {
            std::vector<std::uint32_t> image(vertex.size());
            for (std::size_t i = 0; i < image.size(); ++i) image[i] = position[map[vertex[i]]];
            on_places.insert(std::move(image));
        }
        std::vector<std::vector<std::uint32_t>> elements = {identity};
        for (std::size_t at = 0; at < elements.size(); ++at) {
            for (const auto& generator : on_places) {
                std::vector<std::uint32_t> product(identity.size());
                for (std::size_t i = 0; i < product.size(); ++i) product[i] = elements[at][generator[i]];
                if (!effort_.spend(8 * product.size())) return std::nullopt;
                if (!seen.insert(product).second) continue;
                if (seen.size() > limits_.most_elements) return std::nullopt;
                elements.push_back(std::move(product));
            }
        }
        elements.erase(elements.begin());
        found.images = std::move(elements);
        return found;
    }

    /// Puts the places of each inner factor together, in the same order in all parts.
    static void put_inner_first(Found& found) {
        const std::vector<std::uint32_t>& first = found.parts.front();
        std::map<std::uint32_t, std::uint32_t>
            rest;  // places that are in no inner factor, and their positions
        for (std::uint32_t i = 0; i < first.size(); ++i) rest.emplace(first[i], i);
        std::vector<std::uint32_t> order;
        for (const Found& inner : found.inner) {
            for (const auto& part : inner.parts) {
                for (const std::uint32_t place : part) {
                    order.push_back(rest.at(place));
                    rest.erase(place);
                }
            }
        }
        for (const auto& [place, position] : rest) order.push_back(position);
        for (auto& part : found.parts) {
            std::vector<std::uint32_t> ordered;
            ordered.reserve(order.size());
            for (const std::uint32_t position : order) ordered.push_back(part[position]);
            part = std::move(ordered);
        }
    }

    static NetSymmetry::Factor laid_out(const Found& found, std::uint32_t begin) {
        NetSymmetry::Factor factor;
        factor.begin = begin;
        factor.length = static_cast<std::uint32_t>(found.parts.front().size());
        factor.parts = static_cast<std::uint32_t>(found.parts.size());
        factor.images = found.images;
        std::uint32_t inside = 0;
        for (const Found& inner : found.inner) {
            factor.inner.push_back(laid_out(inner, inside));
            inside += factor.inner.back().length * factor.inner.back().parts;
        }
        return factor;
    }

    const Net& net_;
    const SymmetryLimits& limits_;
    SearchEffort effort_;
    DisjointSets orbits_;
};

NetSymmetry find_symmetry(const Net& net, const SymmetryLimits& limits) {
    return SymmetryFinder(net, limits).run();
}

}  // namespace warpnet::states
