#include "analysis/pictures/picture_frames.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_map>

namespace warpnet {

namespace {

constexpr std::size_t near_frames = 2;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// Of more nodes than that a frame is laid out slowly and hard to read: frames within it take its place.
constexpr std::size_t most_in_frame = 200;

/// With `inner` as long as two prefixes where there are two: sm1_w2_ of sm1_w2_ready.
std::string_view prefix_of(std::string_view id, bool inner) {
    const std::string_view outer = frame_prefix(id);
    if (!inner || outer.empty()) return outer;
    return id.substr(0, outer.size() + frame_prefix(id.substr(outer.size())).size());
}

class FrameFinder {
  public:
    explicit FrameFinder(const Net& net) : net_(net), frames_(no_frames(net)) {
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
        mark_far_nodes();
        return std::move(frames_);
    }

  private:
    void count_prefixes() {
        places_with_.clear();
        transitions_with_.clear();
        for (const Place& place : net_.places()) ++places_with_[prefix_of(place.id, inner_)];
        for (const Transition& transition : net_.transitions())
            ++transitions_with_[prefix_of(transition.id, inner_)];
        places_with_.erase("");
    }

    template <class Node>
    void assign(std::span<const Node> nodes, std::vector<std::uint32_t>& frame_of) {
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            const std::string_view prefix = prefix_of(nodes[i].id, inner_);
            if (!places_with_.contains(prefix) || !transitions_with_.contains(prefix)) continue;
            const auto [at, added] =
                numbers_.try_emplace(prefix, static_cast<std::uint32_t>(frames_.prefixes.size()));
            if (added) frames_.prefixes.emplace_back(prefix);
            frame_of[i] = at->second;
        }
    }

    /// Of each node, the other frames that its arcs reach, as far as they are needed.
    void mark_far_nodes() {
        std::vector<std::vector<std::uint32_t>> from_place(net_.places().size());
        std::vector<std::vector<std::uint32_t>> from_transition(net_.transitions().size());
        const auto reach = [](std::vector<std::uint32_t>& reached, std::uint32_t own, std::uint32_t other) {
            if (other == own || other == PictureFrames::none || reached.size() > near_frames) return;
            if (std::find(reached.begin(), reached.end(), other) == reached.end()) reached.push_back(other);
        };
        for (const Arc& arc : net_.arcs()) {
            const std::uint32_t place_frame = frames_.of_place[index(arc.place)];
            const std::uint32_t transition_frame = frames_.of_transition[index(arc.transition)];
            reach(from_place[index(arc.place)], place_frame, transition_frame);
            reach(from_transition[index(arc.transition)], transition_frame, place_frame);
        }
        for (std::size_t i = 0; i < from_place.size(); ++i)
            frames_.far_place[i] = from_place[i].size() > near_frames ? 1 : 0;
        for (std::size_t i = 0; i < from_transition.size(); ++i)
            frames_.far_transition[i] = from_transition[i].size() > near_frames ? 1 : 0;
    }

    const Net& net_;
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
    frames.of_place.assign(net.places().size(), PictureFrames::none);
    frames.of_transition.assign(net.transitions().size(), PictureFrames::none);
    frames.far_place.assign(net.places().size(), 0);
    frames.far_transition.assign(net.transitions().size(), 0);
    return frames;
}

PictureFrames find_frames(const Net& net) { return FrameFinder(net).find(); }

}  // namespace warpnet
