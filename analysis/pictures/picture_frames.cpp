#include "analysis/pictures/picture_frames.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_map>

namespace warpnet {

namespace {

constexpr std::size_t near_frames = 2;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

template <class Node>
void count_prefixes(std::span<const Node> nodes, std::unordered_map<std::string_view, std::size_t>& counts) {
    for (const Node& node : nodes) ++counts[frame_prefix(node.id)];
}

class FrameFinder {
  public:
    explicit FrameFinder(const Net& net) : net_(net), frames_(no_frames(net)) {
        count_prefixes(net.places(), places_with_);
        count_prefixes(net.transitions(), transitions_with_);
        places_with_.erase("");
    }

    PictureFrames find() {
        assign(net_.places(), frames_.of_place);
        assign(net_.transitions(), frames_.of_transition);
        mark_far_nodes();
        return std::move(frames_);
    }

  private:
    template <class Node>
    void assign(std::span<const Node> nodes, std::vector<std::uint32_t>& frame_of) {
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            const std::string_view prefix = frame_prefix(nodes[i].id);
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
