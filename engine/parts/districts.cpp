#include "engine/parts/districts.hpp"

#include "engine/base/forest.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace warpnet {

namespace {

constexpr std::uint32_t none = 0xffffffff;
/// No district may have more than its share of so many, or too little would be left for others to do.
constexpr std::size_t fewest_districts = 4;

/// Transitions that may compete with each other, directly or by way of others: they share input places.
struct Clusters {
    std::vector<std::uint32_t> of;    ///< per transition
    std::vector<std::uint32_t> size;  ///< in transitions
    std::vector<std::uint32_t>
        home;  ///< per place: the cluster that takes from it, or else one that it touches
};

Clusters find_clusters(const CompiledNet& net) {
    const auto transitions = static_cast<std::uint32_t>(net.transition_count());
    Forest forest(transitions);
    std::vector<std::uint32_t> taker(net.place_count(), none), toucher(net.place_count(), none);
    for (std::uint32_t t = 0; t < transitions; ++t) {
        for (const auto [place, weight] : net.inputs[t]) {
            if (taker[place] == none) taker[place] = t;
            forest.join(taker[place], t);
        }
        for (const auto& row : {net.outputs[t], net.reads[t], net.inhibitors[t]}) {
            for (const auto [place, weight] : row) toucher[place] = std::min(toucher[place], t);
        }
    }
    Clusters clusters;
    clusters.of.resize(transitions);
    std::vector<std::uint32_t> number(transitions, none);  // of roots
    for (std::uint32_t t = 0; t < transitions; ++t) {
        std::uint32_t& cluster = number[forest.root(t)];
        if (cluster == none) {
            cluster = static_cast<std::uint32_t>(clusters.size.size());
            clusters.size.push_back(0);
        }
        clusters.of[t] = cluster;
        ++clusters.size[cluster];
    }
    for (std::size_t place = 0; place < net.place_count(); ++place) {
        const std::uint32_t t = taker[place] != none ? taker[place] : toucher[place];
        clusters.home.push_back(t == none ? none : clusters.of[t]);
    }
    return clusters;
}

/// Per cluster the clusters at the other ends of arcs, once an arc.
Rows<std::uint32_t> find_ties(const CompiledNet& net, const Clusters& clusters) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> ties;
    for (std::uint32_t t = 0; t < net.transition_count(); ++t) {
        for (const auto& row : {net.outputs[t], net.reads[t], net.inhibitors[t]}) {
            for (const auto [place, weight] : row) {
                const std::uint32_t a = clusters.of[t], b = clusters.home[place];
                if (a == b) continue;
                ties.emplace_back(a, b);
                ties.emplace_back(b, a);
            }
        }
    }
    std::sort(ties.begin(), ties.end());
    Rows<std::uint32_t> result;
    std::size_t next = 0;
    for (std::uint32_t cluster = 0; cluster < clusters.size.size(); ++cluster) {
        for (; next < ties.size() && ties[next].first == cluster; ++next) result.append(ties[next].second);
        result.close_row();
    }
    return result;
}

/// Grows districts from cluster to cluster, always taking next the one whose ties lead into the district for
/// the greatest part.
class Growth {
  public:
    Growth(const Clusters& clusters, const Rows<std::uint32_t>& ties, std::size_t wanted)
        : clusters_(clusters),
          ties_(ties),
          wanted_(wanted),
          district_(clusters.size.size(), none),
          inward_(clusters.size.size(), 0),
          inward_of_(clusters.size.size(), none) {}

    void grow() {
        for (std::uint32_t cluster = 0; cluster < district_.size(); ++cluster) {
            if (district_[cluster] != none) continue;
            if (size_ >= wanted_ / 2) found();
            add(cluster);
            while (add_next()) {
            }
        }
    }

    /// Per cluster its district.
    const std::vector<std::uint32_t>& district() const { return district_; }
    std::size_t count() const { return number_ + 1; }

  private:
    static constexpr std::uint32_t all = 16;  // of the ties of a cluster, in sixteenths

    void found() {
        ++number_;
        size_ = 0;
        for (auto& bucket : frontier_) bucket.clear();
    }

    void add(std::uint32_t cluster) {
        district_[cluster] = number_;
        size_ += clusters_.size[cluster];
        for (const std::uint32_t other : ties_[cluster]) {
            if (district_[other] != none) continue;
            if (inward_of_[other] != number_) inward_[other] = 0;
            inward_of_[other] = number_;
            const std::uint32_t before = share(other);
            const bool known = inward_[other]++ > 0;
            if (!known || share(other) != before) frontier_[share(other)].push_back(other);
        }
    }

    std::uint32_t share(std::uint32_t cluster) const {
        return static_cast<std::uint32_t>(std::uint64_t{inward_[cluster]} * all / ties_[cluster].size());
    }

    /// Adds the best cluster of the frontier, if the district should still grow.
    bool add_next() {
        for (std::uint32_t part = all + 1; part-- > 0;) {
            std::vector<std::uint32_t>& bucket = frontier_[part];
            while (!bucket.empty()) {
                const std::uint32_t cluster = bucket.back();
                if (district_[cluster] != none || share(cluster) != part) {  // an old entry
                    bucket.pop_back();
                    continue;
                }
                const std::size_t room = part > all / 2    ? 4 * wanted_
                                         : part == all / 2 ? wanted_
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
    std::vector<std::uint32_t> district_;
    std::vector<std::uint32_t> inward_;  // ties that lead into the district inward_of_
    std::vector<std::uint32_t> inward_of_;
    std::array<std::vector<std::uint32_t>, all + 1> frontier_;  // by share, with old entries
    std::uint32_t number_ = 0;
    std::size_t size_ = 0;  // of the district at hand, in transitions
};

/// Transitions of the largest district.
std::size_t largest(const Clusters& clusters, const std::vector<std::uint32_t>& district, std::size_t count) {
    std::vector<std::size_t> size(count, 0);
    for (std::size_t cluster = 0; cluster < district.size(); ++cluster)
        size[district[cluster]] += clusters.size[cluster];
    return *std::max_element(size.begin(), size.end());
}

/// Writes down what each district has and what it tells the others.
class Divider {
  public:
    Divider(const CompiledNet& net, const Clusters& clusters, const std::vector<std::uint32_t>& district,
            std::size_t count)
        : net_(net), result_(std::make_shared<Districts>()) {
        result_->districts.resize(count);
        for (std::uint32_t t = 0; t < net.transition_count(); ++t) {
            of_.push_back(district[clusters.of[t]]);
            result_->districts[of_[t]].part.transitions.push_back(t);
        }
        find_copies(clusters, district);
    }

    std::shared_ptr<const Districts> divide(const CompileOptions& options) {
        std::size_t exported = 0;
        for (std::uint32_t d = 0; d < result_->districts.size(); ++d) {
            add_exports(d);
            exported += result_->districts[d].exports.all().size();
        }
        if (exported * 100 > net_.effects.all().size() * options.most_exported) return nullptr;
        PartCutter cutter(net_);
        for (std::uint32_t d = 0; d < result_->districts.size(); ++d) {
            District& district = result_->districts[d];
            NetArcs arcs = cutter.cut(district.part);
            mark_borders(d, arcs);
            district.net = compile(std::move(arcs), options);
            district.net.outputs = Rows<PlaceWeight>();
            district.net.inhibitors = Rows<PlaceWeight>();
            district.part.transitions.shrink_to_fit();
            district.part.places.shrink_to_fit();
            district.exports.shrink_to_fit();
        }
        return std::move(result_);
    }

  private:
    /// A place and a district that has a copy of it.
    struct Copy {
        std::uint32_t place, district;
        auto operator<=>(const Copy&) const = default;  // NOLINT(modernize-use-nullptr): false alarm
    };

    void find_copies(const Clusters& clusters, const std::vector<std::uint32_t>& district) {
        for (std::uint32_t place = 0; place < net_.place_count(); ++place) {
            const std::uint32_t home = clusters.home[place];
            copies_.push_back({place, home == none ? 0 : district[home]});
        }
        for (std::uint32_t t = 0; t < net_.transition_count(); ++t) {
            for (const auto& row : {net_.reads[t], net_.inhibitors[t]}) {
                for (const auto [place, weight] : row) {
                    if (copies_[place].district != of_[t]) copies_.push_back({place, of_[t]});
                }
            }
        }
        std::sort(copies_.begin(), copies_.end());
        copies_.erase(std::unique(copies_.begin(), copies_.end()), copies_.end());
        for (const Copy& copy : copies_) {
            std::vector<std::uint32_t>& places = result_->districts[copy.district].part.places;
            local_.push_back(static_cast<std::uint32_t>(places.size()));
            places.push_back(copy.place);
        }
        first_copy_.assign(net_.place_count() + 1, static_cast<std::uint32_t>(copies_.size()));
        for (std::size_t i = copies_.size(); i-- > 0;)
            first_copy_[copies_[i].place] = static_cast<std::uint32_t>(i);
        changed_by_others_.assign(copies_.size(), 0);
    }

    void add_exports(std::uint32_t d) {
        District& district = result_->districts[d];
        const auto for_each_export = [&](std::uint32_t t, auto&& visit) {
            for (const Effect& effect : net_.effects[t]) {
                for (std::uint32_t i = first_copy_[effect.place]; i < first_copy_[effect.place + 1]; ++i) {
                    if (copies_[i].district != d) visit(effect, i);
                }
            }
        };
        for (const std::uint32_t t : district.part.transitions) {
            for_each_export(t, [&](const Effect&, std::uint32_t i) {
                district.neighbours.push_back(copies_[i].district);
            });
        }
        auto& neighbours = district.neighbours;
        std::sort(neighbours.begin(), neighbours.end());
        neighbours.erase(std::unique(neighbours.begin(), neighbours.end()), neighbours.end());
        for (const std::uint32_t t : district.part.transitions) {
            for_each_export(t, [&](const Effect& effect, std::uint32_t i) {
                const auto at = std::lower_bound(neighbours.begin(), neighbours.end(), copies_[i].district);
                district.exports.append(
                    {static_cast<std::uint32_t>(at - neighbours.begin()), local_[i], effect.delta});
                changed_by_others_[i] = 1;
            });
            district.exports.close_row();
        }
    }

    void mark_borders(std::uint32_t d, NetArcs& arcs) const {
        const std::vector<std::uint32_t>& places = result_->districts[d].part.places;
        for (std::uint32_t local = 0; local < places.size(); ++local) {
            const std::uint32_t begin = first_copy_[places[local]], end = first_copy_[places[local] + 1];
            if (end - begin > 1) arcs.watched.push_back(local);
            for (std::uint32_t i = begin; i < end; ++i) {
                if (copies_[i].district == d && changed_by_others_[i] != 0) arcs.fed.push_back(local);
            }
        }
    }

    const CompiledNet& net_;
    std::shared_ptr<Districts> result_;
    std::vector<std::uint32_t> of_;                // per transition: its district
    std::vector<Copy> copies_;                     // sorted by place
    std::vector<std::uint32_t> local_;             // per copy: the number of the place in its district
    std::vector<std::uint32_t> first_copy_;        // per place, and one past the last
    std::vector<std::uint8_t> changed_by_others_;  // per copy
};

}  // namespace

std::shared_ptr<const Districts> find_districts(const CompiledNet& net, const CompileOptions& options) {
    const std::size_t transitions = net.transition_count();
    const std::size_t wanted =
        std::clamp<std::size_t>(transitions / 64, std::min<std::size_t>(256, options.huge_net), 16384);
    const Clusters clusters = find_clusters(net);
    const Rows<std::uint32_t> ties = find_ties(net, clusters);
    Growth growth(clusters, ties, wanted);
    growth.grow();
    if (largest(clusters, growth.district(), growth.count()) * fewest_districts > transitions) return nullptr;
    CompileOptions of_districts = options;
    of_districts.components = false;
    of_districts.large_net = none;
    of_districts.huge_net = none;
    return Divider(net, clusters, growth.district(), growth.count()).divide(of_districts);
}

}  // namespace warpnet
