// One net of a document. All nodes of all pages are collected first, because references and arcs may precede
// the nodes that they name. Nodes keep the order of the document, so that seeds mean the same after a round
// trip. Pages and sub-processes are walked without recursion, because files determine their depth. Nearly
// O(document).

#include "pnml/dialect/net_reader.hpp"

#include "engine/base/text.hpp"
#include "engine/net/error.hpp"
#include "engine/net/id_table.hpp"
#include "engine/net/net_builder.hpp"
#include "pnml/dialect/exact.hpp"
#include "pnml/dialect/labels.hpp"
#include "pnml/dialect/unknown_parts.hpp"
#include "pnml/xml/pnml_error.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace warpnet::pnml::xml {

namespace {

using pugi::xml_node;

constexpr std::uint32_t unresolved = std::numeric_limits<std::uint32_t>::max();

/// An element with an id. For a node it contains the place or transition of the net.
struct Entry {
    enum class Kind : std::uint8_t { place, transition, reference_place, reference_transition, other, arc };
    xml_node element;
    std::string_view id;
    std::uint32_t target = unresolved;  // index of a place or transition, depending on the kind
    Kind kind;
};

struct ArcEntry {
    xml_node element;
    std::uint32_t source_hash;  // of the ids of its ends
    std::uint32_t target_hash;
};

/// A sub-process of WoPeD: a net that replaces a transition, in a page with its id. It repeats the places
/// next to the transition, at which the two nets are joined.
struct SubProcess {
    xml_node net;
    std::size_t begin = 0, end = 0;                // its content, in entries_
    std::size_t next = 0;                          // the first one outside
    xml_node transition = {};                      // the transition that it replaces
    std::map<std::string_view, bool> places = {};  // next to the transition; whether the net repeats it
};

bool is_place(Entry::Kind kind) { return kind == Entry::Kind::place || kind == Entry::Kind::reference_place; }
bool is_node(Entry::Kind kind) { return kind < Entry::Kind::other; }
bool is_reference(Entry::Kind kind) {
    return kind == Entry::Kind::reference_place || kind == Entry::Kind::reference_transition;
}

class NetReader {
  public:
    NetReader(const Document& document, xml_node net, std::vector<std::string>* warnings,
              std::map<std::string, Tokens>* capacities)
        : document_(document),
          labels_(document, capacities != nullptr),
          warnings_(warnings),
          capacities_(capacities),
          timing_(labels_),
          net_(net),
          exact_(read_exact_part(document, net)) {}

    Net read() {
        check_net_type();
        collect();
        apply_exact_part();
        NetBuilder builder(exact_.net_id.value_or(net_.attribute("id").value()),
                           exact_.net_name.value_or(std::string(name_of_net(labels_, net_))));
        reserve(builder);
        for (Entry& entry : entries_) read_node(entry, builder);
        resolve_references();
        set_timing(builder);
        expect_loops();
        read_arcs(builder);
        loops_.add_to(builder, document_);
        check_net_parts(document_, net_, warnings_);
        warn_of_type();
        return build(builder);
    }

  private:
    /// High-level nets must declare for each place the sort dot, the only one of pt-hlpng.
    void check_net_type() {
        static constexpr std::string_view with_sorts[] = {"highlevel", "symmetricnet", "hlnet"};
        static constexpr std::string_view others[] = {"coloured", "colored", "refnet"};
        const std::string type = lower_case(net_.attribute("type").value());
        const auto is_one_of = [&](auto& words) {
            return std::any_of(std::begin(words), std::end(words),
                               [&](std::string_view word) { return type.find(word) != std::string::npos; });
        };
        says_sorts_ = is_one_of(with_sorts);
        if (is_one_of(others))
            document_.fail(net_, net_.attribute("type"), "a place/transition net",
                           "the high-level net type " + in_quotes(net_.attribute("type").value()));
    }

    void check_sort(xml_node place, const NodeLabels& labels) const {
        if (!says_sorts_ || labels.has_sort) return;
        document_.fail(place,
                       "a label <type> with the sort dot, as the net is of the type " +
                           in_quotes(net_.attribute("type").value()),
                       "none");
    }

    void check_inscription(xml_node arc, const ArcLabels& labels) const {
        if (!says_sorts_ || labels.says_weight) return;
        document_.fail(
            arc, "an inscription, as the net is of the type " + in_quotes(net_.attribute("type").value()),
            "none");
    }

    void warn(xml_node at, const std::string& expected, const std::string& found) const {
        if (warnings_ != nullptr) warnings_->push_back(document_.message(at, expected, found));
    }

    /// The nodes of a net of an unknown type may have another meaning, or be in unknown elements.
    void warn_of_type() const {
        static constexpr std::string_view known[] = {"ptnet",    "pt-net", "pt net", "p/t",   "ptnetb", "tpn",
                                                     "pnmlcore", "epnml",  "tapn",   "place", "hlpng"};
        const std::string type = lower_case(net_.attribute("type").value());
        const bool has_nodes = std::any_of(entries_.begin(), entries_.end(),
                                           [](const Entry& entry) { return is_node(entry.kind); });
        const bool is_known = type.empty() || says_sorts_ ||
                              std::any_of(std::begin(known), std::end(known),
                                          [&](auto word) { return type.find(word) != std::string::npos; });
        if (has_nodes) {
            if (!is_known)
                warn(net_, "the type of a place/transition net, as which it is read",
                     in_quotes(net_.attribute("type").value()));
            return;
        }
        warn(net_, is_known ? "a place or a transition" : "the type of a place/transition net",
             is_known ? "none" : in_quotes(net_.attribute("type").value()) + ", and no place or transition");
    }

    /// Collects all elements with ids. A repeated id is reported before any later fault.
    void collect() {
        try {
            walk();
        } catch (const PnmlError&) {
            if (sub_processes_.empty()) claim_ids();
            throw;
        }
        insert_sub_processes();
        claim_ids();
        check_repeated();
    }

    /// Visits the net, its pages and their sub-processes in the order of the file, without recursion.
    void walk() {
        std::vector<std::size_t> open;  // sub-processes
        xml_node at = net_.first_child();
        xml_node page = net_;
        while (at || page != net_) {
            if (!at) {
                if (!open.empty() && sub_processes_[open.back()].net == page) {
                    sub_processes_[open.back()].end = entries_.size();
                    sub_processes_[open.back()].next = sub_processes_.size();
                    open.pop_back();
                }
                at = page.next_sibling();
                page = page.parent();
                continue;
            }
            const std::string_view name = document_.local_name(at);
            if (name == "page") {
                if (const auto id = at.attribute("id")) add_entry(at, id, Entry::Kind::other);
                page = at;
                at = at.first_child();
            } else if (name == "net") {
                open.push_back(sub_processes_.size());
                begin_sub_process(at);
                page = at;
                at = at.first_child();
            } else {
                if (at.type() == pugi::node_element) collect_element(at, name);
                at = at.next_sibling();
            }
        }
    }

    void collect_element(xml_node element, std::string_view name) {
        if (name == "place") {
            add_entry(element, Entry::Kind::place);
        } else if (name == "transition") {
            add_entry(element, Entry::Kind::transition);
        } else if (name == "referencePlace") {
            add_entry(element, Entry::Kind::reference_place);
        } else if (name == "referenceTransition") {
            add_entry(element, Entry::Kind::reference_transition);
        } else if (is_arc(element, name)) {
            add_arc(element);
        } else if (name == "instance" || name == "module" || name == "include") {
            document_.fail(element, "a net in one piece", "the element " + in_tag(name));
        }
    }

    static const char* id_of_page(const SubProcess& sub_process) {
        return sub_process.net.parent().attribute("id").value();
    }

    /// The page shares the id of the transition, and needs no other.
    void begin_sub_process(xml_node net) {
        SubProcess sub_process;
        sub_process.net = net;
        sub_process.begin = entries_.size();
        sub_processes_.push_back(std::move(sub_process));
        const xml_node page = net.parent();
        if (document_.local_name(page) != "page")
            document_.fail(net, "a net inside a page", "a net in a net");
        const auto type = net.attribute("type");
        if (type && std::string_view(type.value()) != net_.attribute("type").value())
            document_.fail(net, type, "the type of the net around it", in_quotes(type.value()));
        const auto own = std::find_if(entries_.rbegin(), entries_.rend(),
                                      [&](const Entry& entry) { return entry.element == page; });
        if (own == entries_.rend())
            document_.fail(net, "one net in a page with the id of a transition", "another one");
        own->element = xml_node();
    }

    /// The net or sub-process that contains an element in its pages.
    xml_node net_of(xml_node element) {
        std::vector<xml_node> pages;
        xml_node at = element.parent();
        std::optional<xml_node> known;
        for (; document_.local_name(at) == "page" && !known; at = at.parent()) {
            if (const auto found = net_of_page_.find(at.internal_object()); found != net_of_page_.end())
                known = found->second;
            pages.push_back(at);
        }
        if (known) at = *known;
        for (const xml_node page : pages) net_of_page_[page.internal_object()] = at;
        return at;
    }

    /// Removes the transitions that sub-processes replace, with their arcs, and the repeated places. In a
    /// sub-process the ids of repeated places then denote the places outside.
    void insert_sub_processes() {
        if (sub_processes_.empty()) return;
        std::unordered_map<std::string_view, SubProcess*> by_id;
        for (SubProcess& sub_process : sub_processes_) by_id[id_of_page(sub_process)] = &sub_process;
        const auto find = [&](std::string_view id, xml_node at) -> SubProcess* {
            const auto found = by_id.find(id);
            return found != by_id.end() && net_of(at) == net_of(found->second->net.parent()) ? found->second
                                                                                             : nullptr;
        };
        for (Entry& entry : entries_) {
            if (entry.kind != Entry::Kind::transition) continue;
            SubProcess* const sub_process = find(entry.id, entry.element);
            if (sub_process == nullptr) continue;
            sub_process->transition = entry.element;
            entry.kind = Entry::Kind::other;
        }
        for (const SubProcess& sub_process : sub_processes_)
            if (!sub_process.transition)
                document_.fail(sub_process.net, "a transition with the id of the page, and one page for it",
                               in_quotes(id_of_page(sub_process)));
        std::erase_if(arcs_, [&](const ArcEntry& arc) { return is_next_to_sub_process(arc.element, find); });
        for (std::size_t i = sub_processes_.size(); i-- > 0;) join(i);
        std::erase_if(entries_, [](const Entry& entry) { return !entry.element; });
    }

    template <class Find>
    bool is_next_to_sub_process(xml_node arc, const Find& find) {
        const char* const ends[] = {arc.attribute("source").value(), arc.attribute("target").value()};
        for (const int end : {0, 1}) {
            SubProcess* const sub_process = find(ends[end], arc);
            if (sub_process == nullptr) continue;
            const ArcLabels labels = read_arc_labels(labels_, arc);
            if (labels.kind != ArcLabels::Kind::ordinary || labels.weight != 1)
                document_.fail(arc, "an arc of weight 1 at a transition with a sub-process", "another one");
            sub_process->places.emplace(ends[1 - end], false);
            return true;
        }
        return false;
    }

    /// Joins a sub-process. Its own sub-processes have been joined before.
    void join(std::size_t number) {
        SubProcess& sub_process = sub_processes_[number];
        std::size_t inner = number + 1;
        for (std::size_t i = sub_process.begin; i < sub_process.end; ++i) {
            for (; inner < sub_process.next && sub_processes_[inner].begin == i;
                 inner = sub_processes_[inner].next)
                i = sub_processes_[inner].end;
            if (i == sub_process.end) break;
            Entry& entry = entries_[i];
            const auto place = entry.element ? sub_process.places.find(entry.id) : sub_process.places.end();
            if (place == sub_process.places.end() || !is_place(entry.kind) || place->second) continue;
            place->second = true;
            repeated_.emplace_back(entry.id, entry.element);
            entry.element = xml_node();
        }
        for (const auto& [id, is_repeated] : sub_process.places)
            if (!is_repeated)
                document_.fail(sub_process.net,
                               "the places next to transition " + in_quotes(id_of_page(sub_process)),
                               "none with the id " + in_quotes(id));
    }

    /// The function that IdTable needs to compare ids.
    auto id_of() const {
        return [this](std::uint32_t number) { return entries_[number].id; };
    }

    /// Throws if a repetition of a place states its tokens: they belong to the original.
    void check_repeated() {
        for (const auto& [id, element] : repeated_) {
            const auto number = ids_.find(id, id_of());
            const Tokens tokens = read_place_labels(labels_, timing_, element).initial;
            if (tokens == 0 || !number || entries_[*number].kind != Entry::Kind::place) continue;
            const Tokens outside = read_place_labels(labels_, timing_, entries_[*number].element).initial;
            if (tokens != outside)
                document_.fail(element, "as many tokens as outside of the sub-process",
                               std::to_string(tokens));
        }
    }

    void add_entry(xml_node element, Entry::Kind kind) { add_entry(element, element.attribute("id"), kind); }

    void add_entry(xml_node element, pugi::xml_attribute id, Entry::Kind kind) {
        if (*id.value() == '\0') document_.fail(element, "an attribute id", "none");
        if (entries_.size() >= unresolved) document_.fail(element, "fewer than 2^32 elements", "more");
        entries_.push_back({element, id.value(), unresolved, kind});
    }

    void add_arc(xml_node element) {
        pugi::xml_attribute id, source, target;
        for (pugi::xml_attribute one = element.first_attribute(); one; one = one.next_attribute()) {
            const std::string_view name = one.name();
            if (name == "id" && !id) id = one;
            if (name == "source" && !source) source = one;
            if (name == "target" && !target) target = one;
        }
        // The ids of arcs are local to each sub-process.
        if (id && sub_processes_.empty()) add_entry(element, id, Entry::Kind::arc);
        arcs_.push_back({element, IdTable::hash_of(source.value()), IdTable::hash_of(target.value())});
    }

    /// The table is larger than the caches, so slots are prefetched some ids ahead.
    void claim_ids() {
        std::array<std::uint32_t, ids_ahead> hashes = {};
        const auto fetch = [&](std::size_t i) {
            if (i >= entries_.size()) return;
            ids_.prefetch(hashes[i % ids_ahead] = IdTable::hash_of(entries_[i].id));
        };
        ids_.reserve(entries_.size());
        for (std::size_t i = 0; i < ids_ahead; ++i) fetch(i);
        for (std::size_t i = 0; i < entries_.size(); ++i) {
            const Entry& entry = entries_[i];
            const auto hash = hashes[i % ids_ahead];
            if (ids_.insert(entry.id, hash, static_cast<std::uint32_t>(i), id_of())) {
                // Nothing refers to an arc, so another element may take its id.
                if (entry.kind == Entry::Kind::arc) {
                    if (++arcs_without_id_ == 1) first_without_id_ = entry.element;
                    fetch(i + ids_ahead);
                    continue;
                }
                document_.fail(entry.element, entry.element.attribute("id"),
                               "an id that no other element has", in_quotes(entry.id) + " again");
            }
            fetch(i + ids_ahead);
        }
        if (arcs_without_id_ > 0) {
            warn(first_without_id_, "an id that no other element has",
                 in_quotes(first_without_id_.attribute("id").value()) + " again, " +
                     std::to_string(arcs_without_id_) + (arcs_without_id_ == 1 ? " arc" : " arcs") +
                     " in all; nothing refers to it");
        }
    }

    void apply_exact_part() {
        for (std::uint32_t i = 0; i < exact_.nodes.size(); ++i) {
            const ExactPart::Node& node = exact_.nodes[i];
            const auto number = ids_.find(node.ref, id_of());
            if (!number || entries_[*number].kind > Entry::Kind::transition) {
                document_.fail(node.element, "the id of a place or transition in the attribute ref",
                               in_quotes(node.ref));
            }
            if (is_place(entries_[*number].kind) && (node.immediate || node.priority != 0)) {
                document_.fail(node.element, "timing of transitions only", "a place, " + in_quotes(node.ref));
            }
            exact_of_.emplace_back(*number, i);
        }
        std::sort(exact_of_.begin(), exact_of_.end());
        const auto twice =
            std::adjacent_find(exact_of_.begin(), exact_of_.end(),
                               [](const auto& a, const auto& b) { return a.first == b.first; });
        if (twice != exact_of_.end()) {
            document_.fail(exact_.nodes[(twice + 1)->second].element, "each node once",
                           in_quotes(exact_.nodes[twice->second].ref) + " twice");
        }
    }

    /// The entry of warpnet's part for a node. REQUIRES: calls are in the order of the file.
    const ExactPart::Node* exact_node(const Entry& entry) {
        const auto number = static_cast<std::uint32_t>(&entry - entries_.data());
        if (next_exact_ == exact_of_.size() || exact_of_[next_exact_].first != number) return nullptr;
        return &exact_.nodes[exact_of_[next_exact_++].second];
    }

    void reserve(NetBuilder& builder) const {
        const auto count = [&](Entry::Kind kind) {
            return static_cast<std::size_t>(std::count_if(
                entries_.begin(), entries_.end(), [kind](const Entry& entry) { return entry.kind == kind; }));
        };
        builder.reserve(count(Entry::Kind::place), count(Entry::Kind::transition), arcs_.size());
    }

    void read_node(Entry& entry, NetBuilder& builder) {
        if (entry.kind != Entry::Kind::place && entry.kind != Entry::Kind::transition) return;
        document_.check_attributes(entry.element);
        const ExactPart::Node* const exact = exact_node(entry);
        const NodeLabels labels = entry.kind == Entry::Kind::place
                                      ? read_place_labels(labels_, timing_, entry.element)
                                      : read_transition_labels(labels_, timing_, entry.element);

        if (entry.kind == Entry::Kind::place) check_sort(entry.element, labels);
        std::string id = exact != nullptr && exact->id ? *exact->id : std::string(entry.id);
        std::string name(node_name(labels, id));
        if (exact != nullptr && exact->name) name = *exact->name;
        const bool placed =
            labels.position && !exact_.without_positions && !(exact != nullptr && exact->without_position);
        try {
            if (entry.kind == Entry::Kind::place) {
                if (labels.capacity) capacities_->emplace(id, *labels.capacity);
                const PlaceId place = builder.add_place(std::move(id), labels.initial, std::move(name));
                if (placed) builder.set_position(place, *labels.position);
                entry.target = static_cast<std::uint32_t>(place);
            } else {
                const TransitionId transition = builder.add_transition(std::move(id), std::move(name));
                if (placed) builder.set_position(transition, *labels.position);
                entry.target = static_cast<std::uint32_t>(transition);
                if (exact != nullptr && exact->immediate) builder.set_immediate(transition);
                if (exact != nullptr) builder.set_priority(transition, exact->priority);
            }
        } catch (const InputError& error) {
            document_.fail(entry.element, "a node that fits into the net", error.what());
        }
    }

    void resolve_references() {
        std::vector<std::uint32_t> chain;
        for (std::uint32_t first = 0; first < entries_.size(); ++first) {
            chain.clear();
            std::uint32_t at = first;
            while (is_reference(entries_[at].kind) && entries_[at].target == unresolved) {
                if (chain.size() > entries_.size()) {
                    document_.fail(entries_[first].element, "a reference to a node in the end",
                                   "a cycle of references");
                }
                chain.push_back(at);
                at = referenced(entries_[at]);
            }
            for (const std::uint32_t reference : chain) entries_[reference].target = entries_[at].target;
        }
    }

    std::uint32_t referenced(const Entry& reference) const {
        const pugi::xml_attribute ref = reference.element.attribute("ref");
        const auto number = ids_.find(ref.value(), id_of());
        if (!number || !is_node(entries_[*number].kind) ||
            is_place(entries_[*number].kind) != is_place(reference.kind)) {
            document_.fail(reference.element, ref,
                           std::string("the id of a ") + (is_place(reference.kind) ? "place" : "transition") +
                               " in the attribute ref",
                           in_quotes(ref.value()));
        }
        return *number;
    }

    void set_timing(NetBuilder& builder) const {
        if (exact_.timing_here) return;
        const std::vector<Timing> timings = timing_.result();
        for (std::size_t t = 0; t < timings.size(); ++t) {
            if (timings[t].immediate) builder.set_immediate(TransitionId(t));
            if (timings[t].priority != 0) builder.set_priority(TransitionId(t), timings[t].priority);
        }
    }

    void read_arcs(NetBuilder& builder) {
        for (std::size_t i = 0; i < arcs_.size(); ++i) {
            if (i + ids_ahead < arcs_.size()) {
                ids_.prefetch(arcs_[i + ids_ahead].source_hash);
                ids_.prefetch(arcs_[i + ids_ahead].target_hash);
            }
            read_arc(arcs_[i], builder);
        }
    }

    const Entry& arc_end(xml_node arc, pugi::xml_attribute attribute, std::uint32_t hash,
                         const char* attribute_name) const {
        const auto number = ids_.find(attribute.value(), hash, id_of());
        if (!number || !is_node(entries_[*number].kind)) {
            document_.fail(arc, attribute,
                           std::string("the id of a place or transition in the attribute ") + attribute_name,
                           attribute ? in_quotes(attribute.value()) : "no such attribute");
        }
        return entries_[*number];
    }

    void read_arc(const ArcEntry& entry, NetBuilder& builder) {
        const xml_node arc = entry.element;
        const ArcLabels labels = read_arc_labels(labels_, arc);
        check_inscription(arc, labels);
        const Entry& source = arc_end(arc, labels.source, entry.source_hash, "source");
        const Entry& target = arc_end(arc, labels.target, entry.target_hash, "target");
        const bool from_place = is_place(source.kind);
        const auto ends = [&] { return in_quotes(source.id) + " -> " + in_quotes(target.id); };
        if (from_place == is_place(target.kind)) {
            document_.fail(arc, "an arc between a place and a transition",
                           std::string(from_place ? "two places, " : "two transitions, ") + ends());
        }
        const std::string_view name = document_.local_name(arc);
        const bool out_of_place_only = labels.kind != ArcLabels::Kind::ordinary || name == "inputArc";
        if ((out_of_place_only && !from_place) || (name == "outputArc" && from_place)) {
            document_.fail(
                arc,
                from_place ? "an arc from a transition to a place" : "an arc from a place to a transition",
                "the arc " + ends());
        }
        const auto place = PlaceId((from_place ? source : target).target);
        const auto transition = TransitionId((from_place ? target : source).target);
        if (labels.kind == ArcLabels::Kind::ordinary &&
            loops_.take(document_, arc, place, transition, from_place, labels.weight))
            return;
        builder.add_arc(arc_kind(labels.kind, from_place), place, transition, labels.weight);
    }

    void expect_loops() {
        for (const ExactPart::Loop& loop : exact_.loops) {
            const auto place = ids_.find(loop.place, id_of());
            const auto transition = ids_.find(loop.transition, id_of());
            if (!place || entries_[*place].kind != Entry::Kind::place || !transition ||
                entries_[*transition].kind != Entry::Kind::transition) {
                document_.fail(loop.element, "the ids of a place and a transition",
                               in_quotes(loop.place) + " and " + in_quotes(loop.transition));
            }
            loops_.expect(PlaceId(entries_[*place].target), TransitionId(entries_[*transition].target), loop);
        }
        loops_.finish(document_);
    }

    Net build(NetBuilder& builder) const {
        try {
            return builder.build();
        } catch (const InputError& error) {
            document_.fail(net_, "a net", error.what());
        }
    }

    const Document& document_;
    Labels labels_;
    std::vector<std::string>* warnings_;
    std::map<std::string, Tokens>* capacities_;
    TimingLabels timing_;
    xml_node net_;
    ExactPart exact_;
    std::vector<Entry> entries_;
    IdTable ids_;  // numbers in entries_
    std::vector<ArcEntry> arcs_;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> exact_of_;  // (entry, exact_.nodes index), sorted
    std::size_t next_exact_ = 0;
    std::size_t arcs_without_id_ = 0;
    xml_node first_without_id_;
    std::vector<SubProcess> sub_processes_;  // in the order of the file
    std::vector<std::pair<std::string_view, xml_node>> repeated_;
    std::unordered_map<const void*, xml_node> net_of_page_;
    bool says_sorts_ = false;
    FileLoops loops_;
};

}  // namespace

Net read_net(const Document& document, xml_node net, std::vector<std::string>* warnings,
             std::map<std::string, Tokens>* capacities) {
    return NetReader(document, net, warnings, capacities).read();
}

}  // namespace warpnet::pnml::xml
