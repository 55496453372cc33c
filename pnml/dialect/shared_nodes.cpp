// The nets of a TAPAAL file composed to one. Shared places are united. For a shared transition, every
// combination of one transition per net becomes one, as in TAPAAL; the number of combinations is limited.
// O(nodes + combinations).
//
// The composition is made at reading, so that no analysis needs to know of components. Its size is the
// product of the alternatives per shared transition, which most_choices limits. Ids get the name of their net
// in front, since two nets may use the same ids for nodes that are not shared. Nets that are not active are
// left out.

#include "pnml/dialect/shared_nodes.hpp"

#include "engine/base/text.hpp"
#include "engine/net/error.hpp"
#include "engine/net/net_builder.hpp"
#include "pnml/dialect/labels.hpp"
#include "pnml/dialect/net_reader.hpp"
#include "pnml/xml/pnml_error.hpp"

#include <deque>
#include <map>
#include <span>
#include <string_view>
#include <utility>

namespace warpnet::pnml::xml {

namespace {

using pugi::xml_node;

constexpr std::size_t most_choices = 1'000'000;  // of transitions that fire together

class Composition {
  public:
    Composition(const Document& document, std::vector<std::string>* warnings)
        : document_(document), warnings_(warnings), labels_(document), timing_(labels_) {}

    Net read() {
        read_shared();
        NetBuilder builder("composed");
        for (auto& entry : places_) {
            SharedPlace& place = entry.second;
            checked(place.element,
                    [&] { place.id = builder.add_place("Shared_" + entry.first, place.initial); });
        }
        for (const Component& component : components_) add(component, builder);
        for (const auto& entry : transitions_)
            checked(entry.second, [&] { fuse(entry.first, entry.second, builder); });
        return builder.build();
    }

  private:
    struct SharedPlace {
        xml_node element;
        Tokens initial = 0;
        PlaceId id = {};
    };
    struct Component {
        xml_node element;
        Net net;
    };
    /// A transition of one net that fires together with those of other nets.
    struct Part {
        const Net* net;
        TransitionId transition;
        const std::vector<PlaceId>* places;  // of the composed net, by places of `net`
    };

    void read_shared() {
        for (const xml_node part : Elements(document_.root())) {
            const std::string_view name = document_.local_name(part);
            if (name == "shared-place") {
                const NodeLabels labels = read_place_labels(labels_, timing_, part);
                claim(part, places_.try_emplace(name_of(part), SharedPlace{part, labels.initial}).second);
            } else if (name == "shared-transition") {
                claim(part, transitions_.try_emplace(name_of(part), part).second);
            }
        }
        for (const xml_node part : Elements(document_.root())) {
            if (document_.local_name(part) != "net") continue;
            if (std::string_view(part.attribute("active").value()) == "false") continue;
            components_.push_back({part, read_net(document_, part, warnings_)});
        }
        if (components_.empty()) document_.fail(document_.root(), "a net that is active", "none");
    }

    std::string name_of(xml_node shared) const {
        const std::string_view name = trimmed(shared.attribute("name").value());
        if (name.empty()) document_.fail(shared, "an attribute name", "none");
        return std::string(name);
    }
    void claim(xml_node shared, bool is_new) const {
        if (!is_new)
            document_.fail(shared, "a name that nothing else has that is shared",
                           in_quotes(name_of(shared)) + " again");
    }

    template <class Work>
    void checked(xml_node at, Work&& work) const {
        try {
            work();
        } catch (const PnmlError&) {
            throw;
        } catch (const InputError& error) {
            document_.fail(at, "nodes that fit into one net", error.what());
        }
    }

    void add(const Component& component, NetBuilder& builder) {
        const Net& net = component.net;
        checked(component.element, [&] {
            std::vector<PlaceId>& places = place_of_.emplace_back();
            for (const Place& place : net.places()) {
                const auto shared = places_.find(label(place));
                if (shared == places_.end()) {
                    places.push_back(builder.add_place(net.id() + "_" + label(place), place.initial));
                    continue;
                }
                if (place.initial != 0 && place.initial != shared->second.initial)
                    document_.fail(
                        component.element,
                        "one initial marking of the shared place " + in_quotes(shared->first),
                        std::to_string(place.initial) + " and " + std::to_string(shared->second.initial));
                places.push_back(shared->second.id);
            }
            std::map<std::string, std::vector<Part>> own;  // parts of shared transitions
            for (std::uint32_t t = 0; t < net.transitions().size(); ++t) {
                const TransitionId transition{t};
                const std::string& name = label(net[transition]);
                const Part part{&net, transition, &places};
                if (transitions_.contains(name)) {
                    own[name].push_back(part);
                } else {
                    add_arcs(part, add_transition(net.id() + "_" + name, {&part, 1}, builder), builder);
                }
            }
            for (auto& [name, parts] : own) parts_[name].push_back(std::move(parts));
        });
    }

    TransitionId add_transition(std::string id, std::span<const Part> parts, NetBuilder& builder) const {
        const Transition& first = (*parts.front().net)[parts.front().transition];
        for (const Part& part : parts) {
            const Transition& other = (*part.net)[part.transition];
            if (other.immediate != first.immediate || other.priority != first.priority)
                throw InputError("transitions that fire together differ in time or priority: " + id);
        }
        const TransitionId transition = builder.add_transition(std::move(id));
        if (first.immediate) builder.set_immediate(transition);
        builder.set_priority(transition, first.priority);
        return transition;
    }

    static void add_arcs(const Part& part, TransitionId transition, NetBuilder& builder) {
        for (const Arc& arc : part.net->arcs_of(part.transition)) {
            const PlaceId place = (*part.places)[index(arc.place)];
            builder.add_arc(arc.kind, place, transition, arc.weight);
        }
    }

    /// Adds one transition per combination of one part from each net that has some.
    void fuse(const std::string& name, xml_node element, NetBuilder& builder) const {
        const auto found = parts_.find(name);
        if (found == parts_.end()) return;
        const auto& choices = found->second;
        std::size_t count = 1;
        for (const auto& parts : choices)
            if ((count *= parts.size()) > most_choices)
                document_.fail(element, "at most a million ways to fire together", "more");
        for (std::size_t number = 0; number < count; ++number) {
            std::vector<Part> parts;
            std::size_t rest = number;
            for (const auto& of_component : choices) {
                parts.push_back(of_component[rest % of_component.size()]);
                rest /= of_component.size();
            }
            std::string id = "Shared_" + name;
            if (count > 1) id.append("_").append(std::to_string(number + 1));
            const TransitionId transition = add_transition(std::move(id), parts, builder);
            for (const Part& part : parts) add_arcs(part, transition, builder);
        }
    }

    const Document& document_;
    std::vector<std::string>* warnings_;
    Labels labels_;
    TimingLabels timing_;
    std::map<std::string, SharedPlace> places_;
    std::map<std::string, xml_node> transitions_;
    std::vector<Component> components_;
    std::deque<std::vector<PlaceId>> place_of_;                    // per net
    std::map<std::string, std::vector<std::vector<Part>>> parts_;  // of shared transitions, per net
};

}  // namespace

bool is_shared_node(const Document& document, xml_node element) {
    const std::string_view name = document.local_name(element);
    return name == "shared-place" || name == "shared-transition";
}

Net read_composed(const Document& document, std::vector<std::string>* warnings) {
    return Composition(document, warnings).read();
}

}  // namespace warpnet::pnml::xml
