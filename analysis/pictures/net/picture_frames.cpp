// Frames follow from the ids of nodes, because a net has no other trace of its parts. An id of the form
// letters, number, underscore begins with the name of its part; parts within parts (sm1_w2_) are frames if
// the outer ones would be too large. A kernel of the family `blocks` is a part by any name (mm_, mm_sm0_). A
// node is far if its arcs reach into more frames than is readable; pictures repeat far nodes next to their
// uses. Counting prefixes and the frames of arcs takes O(net).

#include "analysis/pictures/net/picture_frames.hpp"

#include "engine/base/no_index.hpp"
#include "engine/base/text.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace warpnet::pictures {

namespace {

/// With more frames than this, arcs between them would be too long to follow.
constexpr std::size_t most_beside_each_other = 200;

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// A frame with more nodes than this is slow to lay out and hard to read: its inner frames replace it.
constexpr std::size_t most_in_frame = 200;

/// The names of the kernels in a net of the family `blocks`: mm of mm_released, mm_unassigned and mm_done.
std::unordered_set<std::string_view> kernel_names(const Net& net) {
    constexpr std::string_view ends[] = {"_released", "_unassigned", "_done"};
    std::unordered_map<std::string_view, std::size_t> found;
    for (const Place& place : net.places()) {
        const std::string_view id = place.id;
        for (const std::string_view end : ends)
            if (id.size() > end.size() && id.ends_with(end)) ++found[id.substr(0, id.size() - end.size())];
    }
    std::unordered_set<std::string_view> names;
    for (const auto& [name, count] : found)
        if (count == std::size(ends)) names.insert(name);
    return names;
}

/// "_12" of "Think_12": an underscore and a number; empty if the id has no such form.
std::string_view number_of(std::string_view id) {
    const std::size_t at = id.find_last_not_of("0123456789");
    const bool has_form = at != std::string_view::npos && at > 0 && at + 1 < id.size() && id[at] == '_';
    return has_form ? id.substr(at) : std::string_view();
}

/// Marks nodes with arcs into more other frames than the limit for near nodes.
void mark_far_nodes(const Net& net, PictureFrames& frames) {
    const std::size_t near = frames.apart ? 0 : 2;
    std::vector<std::vector<std::uint32_t>> from_place(net.places().size());  // the frames, as far as needed
    std::vector<std::vector<std::uint32_t>> from_transition(net.transitions().size());
    const auto reach = [&](std::vector<std::uint32_t>& reached, std::uint32_t own, std::uint32_t other) {
        if (other == own || other == no_index || reached.size() > near) return;
        if (std::find(reached.begin(), reached.end(), other) == reached.end()) reached.push_back(other);
    };
    for (const Arc& arc : net.arcs()) {
        const std::uint32_t place_frame = frames.of_place[index(arc.place)];
        const std::uint32_t transition_frame = frames.of_transition[index(arc.transition)];
        reach(from_place[index(arc.place)], place_frame, transition_frame);
        reach(from_transition[index(arc.transition)], transition_frame, place_frame);
    }
    for (std::size_t i = 0; i < from_place.size(); ++i)
        frames.far_place[i] = from_place[i].size() > near ? 1 : 0;
    for (std::size_t i = 0; i < from_transition.size(); ++i)
        frames.far_transition[i] = from_transition[i].size() > near ? 1 : 0;
}

class FrameFinder {
  public:
    explicit FrameFinder(const Net& net) : net_(net), kernels_(kernel_names(net)), frames_(no_frames(net)) {
        count_prefixes();
        const bool too_large = std::any_of(places_with_.begin(), places_with_.end(), [&](const auto& frame) {
            const auto transitions = transitions_with_.find(frame.first);
            return transitions != transitions_with_.end() &&
                   frame.second + transitions->second > most_in_frame;
        });
        if (!too_large) return;
        inner_ = true;
        count_prefixes();
    }

    PictureFrames find() {
        assign(net_.places(), frames_.of_place);
        assign(net_.transitions(), frames_.of_transition);
        // The SMs of a kernel are alike and all joined with it: one layout of them would be very wide.
        const bool by_sms = inner_ && !kernels_.empty();
        frames_.apart = by_sms || frames_.prefixes.size() > most_beside_each_other;
        mark_far_nodes(net_, frames_);
        return std::move(frames_);
    }

  private:
    /// "mm_" of "mm_released" if there is such a kernel.
    std::string_view kernel_prefix(std::string_view id) const {
        for (std::size_t at = id.find('_'); at != std::string_view::npos; at = id.find('_', at + 1))
            if (kernels_.contains(id.substr(0, at))) return id.substr(0, at + 1);
        return {};
    }

    /// For inner frames both prefixes if there are two: sm1_w2_ of sm1_w2_ready.
    std::string_view prefix_of(std::string_view id) const {
        std::string_view outer = frame_prefix(id);
        if (outer.empty()) outer = kernel_prefix(id);
        if (!inner_ || outer.empty()) return outer;
        return id.substr(0, outer.size() + frame_prefix(id.substr(outer.size())).size());
    }

    void count_prefixes() {
        places_with_.clear();
        transitions_with_.clear();
        for (const Place& place : net_.places()) ++places_with_[prefix_of(place.id)];
        for (const Transition& transition : net_.transitions()) ++transitions_with_[prefix_of(transition.id)];
        places_with_.erase("");
    }

    template <class Node>
    void assign(std::span<const Node> nodes, std::vector<std::uint32_t>& frame_of) {
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            const std::string_view prefix = prefix_of(nodes[i].id);
            if (!places_with_.contains(prefix) || !transitions_with_.contains(prefix)) continue;
            const auto [at, added] =
                numbers_.try_emplace(prefix, static_cast<std::uint32_t>(frames_.prefixes.size()));
            if (added) frames_.prefixes.emplace_back(prefix);
            frame_of[i] = at->second;
        }
    }

    const Net& net_;
    const std::unordered_set<std::string_view> kernels_;
    bool inner_ = false;  // frames within frames are those of the picture
    PictureFrames frames_;
    std::unordered_map<std::string_view, std::size_t> places_with_, transitions_with_;
    std::unordered_map<std::string_view, std::uint32_t> numbers_;
};

}  // namespace

std::string_view frame_prefix(std::string_view id) {
    const auto* at = std::find_if_not(id.begin(), id.end(), is_letter);
    const auto* number = at;
    at = std::find_if_not(at, id.end(), is_digit);
    const bool has_form =
        number != id.begin() && at != number && at != id.end() && *at == '_' && at + 1 != id.end();
    return has_form ? id.substr(0, static_cast<std::size_t>(at - id.begin()) + 1) : std::string_view();
}

PictureFrames no_frames(const Net& net) {
    PictureFrames frames;
    frames.of_place.assign(net.places().size(), no_index);
    frames.of_transition.assign(net.transitions().size(), no_index);
    frames.far_place.assign(net.places().size(), 0);
    frames.far_transition.assign(net.transitions().size(), 0);
    return frames;
}

PictureFrames find_frames(const Net& net) { return FrameFinder(net).find(); }

PictureFrames find_numbered_frames(const Net& net) {
    constexpr std::size_t least_frames = 5;
    PictureFrames frames = no_frames(net);
    struct Part {
        std::size_t places = 0, transitions = 0;
        bool is_frame() const { return places > 0 && transitions > 0; }
    };
    const auto by_number = [](std::string_view a, std::string_view b) {
        return std::pair(a.size(), a) < std::pair(b.size(), b);
    };
    std::map<std::string_view, Part, decltype(by_number)> parts(by_number);
    for (const Place& place : net.places()) ++parts[number_of(place.id)].places;
    for (const Transition& transition : net.transitions()) ++parts[number_of(transition.id)].transitions;
    parts.erase("");
    std::erase_if(parts, [](const auto& part) { return !part.second.is_frame(); });

    std::size_t framed = 0;
    std::unordered_map<std::string_view, std::uint32_t> frame_of;
    for (const auto& [number, part] : parts) {
        if (part.places + part.transitions > most_in_frame) return frames;
        framed += part.places + part.transitions;
        frame_of.emplace(number, static_cast<std::uint32_t>(frame_of.size()));
    }
    const std::size_t nodes = net.places().size() + net.transitions().size();
    if (parts.size() < least_frames || 10 * framed < 9 * nodes) return frames;
    PictureFrames numbered = frames;
    const auto assign = [&](const auto& all, std::vector<std::uint32_t>& frame) {
        for (std::size_t i = 0; i < all.size(); ++i) {
            const auto at = frame_of.find(number_of(all[i].id));
            if (at != frame_of.end()) frame[i] = at->second;
        }
    };
    assign(net.places(), numbered.of_place);
    assign(net.transitions(), numbered.of_transition);
    const auto leaves = [&](const Arc& arc) {
        return numbered.of_place[index(arc.place)] != numbered.of_transition[index(arc.transition)];
    };
    const auto between = std::count_if(net.arcs().begin(), net.arcs().end(), leaves);
    if (3 * static_cast<std::size_t>(between) > net.arcs().size()) return frames;
    for (const auto& part : parts) numbered.prefixes.emplace_back(part.first);
    numbered.numbered = numbered.apart = true;
    mark_far_nodes(net, numbered);
    return numbered;
}

}  // namespace warpnet::pictures
