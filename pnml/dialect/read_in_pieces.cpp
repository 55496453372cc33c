// Large plain documents, in pieces and in parallel. A document is cut between elements at about
// `piece_bytes`, and every piece becomes a small document with the head and the end of the whole. The
// ordinary reader reads the pieces. Any doubt (an error, a warning, another kind of content) discards the
// result, and the document is read as a whole.

#include "pnml/dialect/read_in_pieces.hpp"

#include "engine/base/text.hpp"
#include "engine/net/error.hpp"
#include "engine/net/id_table.hpp"
#include "engine/net/net_builder.hpp"
#include "pnml/dialect/exact.hpp"
#include "pnml/dialect/labels.hpp"
#include "pnml/dialect/unknown_parts.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <utility>
#include <vector>

#include <tbb/parallel_pipeline.h>
#include <tbb/parallel_sort.h>

namespace warpnet::pnml::xml {

namespace {

using pugi::xml_node;

constexpr std::size_t most_around = std::size_t{1}
                                    << 22;  // bytes before the first node, or after the last one

constexpr std::array<std::string_view, 3> piece_names = {"place", "transition", "arc"};
constexpr std::size_t longest_name = std::string_view("<transition ").size();

bool is_blank(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

/// The name of the element that begins here, if pieces may consist of it.
std::string_view name_at(std::string_view text, std::size_t offset) {
    for (const std::string_view name : piece_names) {
        const std::string_view rest = text.substr(offset + 1);
        if (rest.size() > name.size() && rest.starts_with(name) && is_blank(rest[name.size()])) return name;
    }
    return {};
}

std::size_t first_element(std::string_view text) {
    std::size_t at = text.find('<');
    while (at != std::string_view::npos && name_at(text, at).empty()) at = text.find('<', at + 1);
    return at;
}

/// The position of the last such element at `from` or later.
std::size_t last_element(std::string_view text, std::size_t from = 0) {
    std::size_t at = text.rfind('<');
    while (at != std::string_view::npos && at > from && name_at(text, at).empty())
        at = text.rfind('<', at - 1);
    if (at == std::string_view::npos || at < from || name_at(text, at).empty()) return std::string_view::npos;
    return at;
}

/// The end of the element that begins at `begin`, or npos. A false end within a comment makes a malformed
/// piece, which is then read differently.
std::size_t end_of_element(std::string_view text, std::size_t begin) {
    const std::size_t tag_end = text.find('>', begin);
    if (tag_end == std::string_view::npos) return tag_end;
    if (text[tag_end - 1] == '/') return tag_end + 1;
    const std::string closing = "</" + std::string(name_at(text, begin)) + ">";
    const std::size_t end = text.find(closing, tag_end);
    return end == std::string_view::npos ? end : end + closing.size();
}

/// The content of a document around its places, transitions and arcs.
struct Frame {
    std::string before, behind;
    std::string net_id, net_name;
    std::size_t others = 0;          // other elements of the net and its pages
    std::vector<std::uint64_t> ids;  // of pages, hashed
    bool without_positions = false;
    bool timing_elsewhere = false;  // the labels of transitions do not affect timing
};

struct NodeRecord {
    std::string_view id, name;
    std::uint32_t hash;
    bool is_place;
    Tokens initial;
    std::optional<Position> position;
};

struct ArcRecord {
    std::string_view source, target;
    std::uint32_t source_hash, target_hash;
    ArcLabels::Kind kind;
    Tokens weight;
};

/// Nodes first, then arcs.
struct Piece {
    std::string text;
    std::unique_ptr<Document> document;
    std::vector<NodeRecord> nodes;
    std::vector<ArcRecord> arcs;
    std::vector<std::uint64_t> ids;  // hashes of all ids
    bool is_plain = false;
};

/// The only net of a document. Null if there are several, or if it is not plain.
xml_node only_net(const Document& document, const std::optional<std::string>& wanted) {
    if (document.local_name(document.root()) != "pnml") return {};
    xml_node net;
    for (const xml_node part : Elements(document.root())) {
        if (document.local_name(part) != "net" || net) return {};
        net = part;
    }
    const std::string type = lower_case(net.attribute("type").value());
    if (!type.ends_with("ptnet")) return {};
    return wanted && *wanted != net.attribute("id").value() ? xml_node() : net;
}

/// Calls visit(element, local name) for the elements of a net and its pages, including nested pages, until it
/// returns false.
template <class Visit>
bool for_each_part(const Document& document, xml_node net, Visit&& visit) {
    std::vector<xml_node> open{net};
    while (!open.empty()) {
        const xml_node container = open.back();
        open.pop_back();
        for (const xml_node part : Elements(container)) {
            const std::string_view name = document.local_name(part);
            if (!visit(part, name)) return false;
            if (name == "page") open.push_back(part);
        }
    }
    return true;
}

/// Reads one piece.
class PieceReader {
  public:
    PieceReader(const Frame& frame, const std::optional<std::string>& net_id, Piece& piece)
        : frame_(frame), net_id_(net_id), piece_(piece) {}

    /// Returns whether the piece is plain.
    bool read() {
        std::vector<std::string> warnings;
        piece_.text = frame_.before + piece_.text + frame_.behind;
        piece_.document = std::make_unique<Document>(piece_.text, "piece");
        const Document& document = *piece_.document;
        const xml_node net = only_net(document, net_id_);
        if (!net) return false;
        Labels labels(document);
        TimingLabels timing(labels);
        std::size_t others = 0;
        const bool known = for_each_part(document, net, [&](xml_node part, std::string_view name) {
            if (name == "place" || name == "transition")
                return read_node(labels, timing, part, name == "place");
            if (name == "arc") return read_arc(labels, part);
            ++others;
            return name != "net";
        });
        check_root_parts(document, &warnings);
        check_net_parts(document, net, &warnings);
        return known && others == frame_.others && warnings.empty() && !labels.names_token_class() &&
               (frame_.timing_elsewhere || timing.says_nothing());
    }

  private:
    bool read_node(Labels& labels, TimingLabels& timing, xml_node element, bool is_place) {
        piece_.document->check_attributes(element);
        const NodeLabels said = is_place ? read_place_labels(labels, timing, element)
                                         : read_transition_labels(labels, timing, element);
        const std::string_view id = element.attribute("id").value();
        if (id.empty()) return false;
        const std::uint64_t hash = IdTable::long_hash_of(id);
        piece_.ids.push_back(hash);
        piece_.nodes.push_back({id, node_name(said, id), IdTable::hash_of(hash), is_place, said.initial,
                                frame_.without_positions ? std::nullopt : said.position});
        return true;
    }

    bool read_arc(Labels& labels, xml_node element) {
        const ArcLabels said = read_arc_labels(labels, element);
        if (const auto id = element.attribute("id")) {
            if (*id.value() == '\0') return false;
            piece_.ids.push_back(IdTable::long_hash_of(id.value()));
        }
        const std::string_view source = said.source.value(), target = said.target.value();
        piece_.arcs.push_back(
            {source, target, IdTable::hash_of(source), IdTable::hash_of(target), said.kind, said.weight});
        return true;
    }

    const Frame& frame_;
    const std::optional<std::string>& net_id_;
    Piece& piece_;
};

/// Combines the pieces in their order.
class PieceCollector {
  public:
    PieceCollector(const Frame& frame, std::size_t size)
        : builder_(frame.net_id, frame.net_name), size_(size), ids_(frame.ids) {}

    /// Returns whether all arcs connect a place and a transition read before.
    bool add(const Piece& piece, std::size_t bytes) {
        ids_.insert(ids_.end(), piece.ids.begin(), piece.ids.end());
        if (!has_room_ && piece.nodes.empty()) make_room(piece, bytes);
        done_ += bytes;
        for (std::size_t i = 0; i < piece.nodes.size(); ++i) {
            if (i + ids_ahead < piece.nodes.size()) builder_.prefetch(piece.nodes[i + ids_ahead].hash);
            add_node(piece.nodes[i]);
        }
        for (std::size_t i = 0; i < piece.arcs.size(); ++i) {
            if (i + ids_ahead < piece.arcs.size()) {
                builder_.prefetch(piece.arcs[i + ids_ahead].source_hash);
                builder_.prefetch(piece.arcs[i + ids_ahead].target_hash);
            }
            if (!add_arc(piece.arcs[i])) return false;
        }
        return true;
    }

    /// Empty if an id is repeated.
    std::optional<Net> build() {
        tbb::parallel_sort(ids_.begin(), ids_.end());
        if (std::adjacent_find(ids_.begin(), ids_.end()) != ids_.end()) return std::nullopt;
        ids_ = std::vector<std::uint64_t>();
        return builder_.build();
    }

  private:
    /// Reserves space as if the rest of the document had as many arcs per byte as the first piece with arcs
    /// only.
    void make_room(const Piece& piece, std::size_t bytes) {
        has_room_ = true;
        const std::size_t arcs = piece.arcs.size() * ((size_ - done_) / std::max<std::size_t>(bytes, 1) + 2);
        builder_.reserve(0, 0, arcs);
        ids_.reserve(ids_.size() + arcs);
    }

    void add_node(const NodeRecord& node) {
        if (node.is_place) {
            const PlaceId place =
                builder_.add_place(std::string(node.id), node.initial, std::string(node.name));
            if (node.position) builder_.set_position(place, *node.position);
        } else {
            const TransitionId transition =
                builder_.add_transition(std::string(node.id), std::string(node.name));
            if (node.position) builder_.set_position(transition, *node.position);
        }
    }

    bool add_arc(const ArcRecord& arc) {
        const auto source = builder_.find(arc.source, arc.source_hash);
        const auto target = builder_.find(arc.target, arc.target_hash);
        if (!source || !target || source->is_place == target->is_place) return false;
        if (arc.kind != ArcLabels::Kind::ordinary && !source->is_place) return false;
        const auto place = PlaceId(source->is_place ? source->index : target->index);
        const auto transition = TransitionId(source->is_place ? target->index : source->index);
        builder_.add_arc(arc_kind(arc.kind, source->is_place), place, transition, arc.weight);
        return true;
    }

    NetBuilder builder_;
    std::size_t size_, done_ = 0;  // bytes
    bool has_room_ = false;
    std::vector<std::uint64_t> ids_;
};

/// Whether a text may end a comment or a similar construct that begins in another piece. The piece could then
/// be well-formed although its border is inside the comment.
bool ends_comments(std::string_view text) {
    return text.find("-->") != std::string_view::npos || text.find("]]>") != std::string_view::npos ||
           text.find("?>") != std::string_view::npos;
}

/// The content before the first node and after the last one, if the net is plain.
std::optional<Frame> read_frame(const TextSource& source, const std::optional<std::string>& net_id) {
    Frame frame;
    frame.before = source.read(0, most_around);
    const std::size_t first = first_element(frame.before);
    if (first == std::string::npos) return std::nullopt;
    const std::size_t end_begins = source.size - std::min(most_around, source.size);
    frame.behind = source.read(end_begins, most_around);
    const std::size_t last = last_element(frame.behind);
    if (last == std::string::npos) return std::nullopt;
    const std::size_t end = end_of_element(frame.behind, last);
    if (end == std::string::npos) return std::nullopt;
    frame.before.resize(first);
    frame.behind.erase(0, end);
    if (ends_comments(frame.behind) || frame.before.find("<!DOCTYPE") != std::string::npos)
        return std::nullopt;

    const std::string text = frame.before + frame.behind;
    const Document document(text, "frame");
    const xml_node net = only_net(document, net_id);
    if (!net) return std::nullopt;
    const ExactPart exact = read_exact_part(document, net);
    if (!exact.nodes.empty() || !exact.loops.empty()) return std::nullopt;
    frame.without_positions = exact.without_positions;
    frame.timing_elsewhere = exact.timing_here;
    frame.net_id = exact.net_id.value_or(net.attribute("id").value());
    frame.net_name = exact.net_name.value_or(std::string(name_of_net(Labels(document), net)));
    const bool known = for_each_part(document, net, [&](xml_node part, std::string_view name) {
        static constexpr std::string_view not_plain[] = {
            "referencePlace", "referenceTransition", "instance", "module", "include", "net"};
        if (is_arc(part, name) || name == "place" || name == "transition" ||
            std::find(std::begin(not_plain), std::end(not_plain), name) != std::end(not_plain))
            return false;
        ++frame.others;
        if (const auto id = part.attribute("id"); id && name == "page")
            frame.ids.push_back(IdTable::long_hash_of(id.value()));
        return true;
    });
    if (!known) return std::nullopt;
    return frame;
}

/// Divides a document into pieces.
class Cutter {
  public:
    Cutter(const TextSource& source, const Frame& frame, std::size_t piece_bytes)
        : source_(source),
          at_(frame.before.size()),
          end_(source.size - frame.behind.size()),
          piece_bytes_(std::max<std::size_t>(piece_bytes, 64)) {}

    /// Empty at the end.
    std::string next() {
        while (at_ < end_) {
            std::string block = source_.read(at_, std::min(piece_bytes_, end_ - at_));
            if (block.empty()) break;  // the file has become shorter
            at_ += block.size();
            // The previous rest begins with an element and contains no other element, except for a name at
            // its end.
            const std::size_t from = rest_.size() - std::min(rest_.size(), longest_name);
            rest_ += block;
            const std::size_t cut = at_ < end_ ? last_element(rest_, from) : rest_.size();
            if (cut == std::string::npos || !trimmed(std::string_view(rest_).substr(0, cut)).ends_with('>'))
                continue;
            std::string piece = rest_.substr(0, cut);
            rest_.erase(0, cut);
            return piece;
        }
        return std::exchange(rest_, {});
    }

  private:
    const TextSource& source_;
    std::size_t at_, end_;
    std::size_t piece_bytes_;
    std::string rest_;
};

std::optional<Net> read_pieces(const TextSource& source, const std::optional<std::string>& net_id,
                               std::size_t piece_bytes) {
    const auto frame = read_frame(source, net_id);
    if (!frame) return std::nullopt;
    // Each piece is read together with the content around all of them.
    Cutter cutter(source, *frame, std::max(piece_bytes, frame->before.size() + frame->behind.size()));
    PieceCollector collector(*frame, source.size);
    std::atomic<bool> is_plain = true;
    // In each round, as many pieces as can be in progress at once. They are finished in the order of the
    // document.
    const auto threads = static_cast<std::size_t>(tbb::this_task_arena::max_concurrency());
    std::vector<Piece> pieces(2 * threads);
    std::size_t count = 0;
    const auto cut = [&](tbb::flow_control& control) {
        Piece& piece = pieces[count++ % pieces.size()];
        piece = Piece();
        if (is_plain) piece.text = cutter.next();
        if (piece.text.empty()) control.stop();
        return &piece;
    };
    const auto read = [&](Piece* piece) {
        try {
            piece->is_plain = is_plain && PieceReader(*frame, net_id, *piece).read();
        } catch (const InputError&) {
            piece->is_plain = false;
        }
        return piece;
    };
    const auto collect = [&](const Piece* piece) {
        const std::size_t bytes = piece->text.size() - frame->before.size() - frame->behind.size();
        if (!piece->is_plain || !is_plain || !collector.add(*piece, bytes)) is_plain = false;
    };
    using Mode = tbb::filter_mode;
    tbb::parallel_pipeline(pieces.size(), tbb::make_filter<void, Piece*>(Mode::serial_in_order, cut) &
                                              tbb::make_filter<Piece*, Piece*>(Mode::parallel, read) &
                                              tbb::make_filter<Piece*, void>(Mode::serial_in_order, collect));
    if (!is_plain) return std::nullopt;
    return collector.build();
}

}  // namespace

std::optional<Net> read_in_pieces(const TextSource& source, const std::optional<std::string>& net_id,
                                  std::size_t piece_bytes) {
    try {
        return read_pieces(source, net_id, piece_bytes);
    } catch (const InputError&) {
        return std::nullopt;
    }
}

}  // namespace warpnet::pnml::xml
