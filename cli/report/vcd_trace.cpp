#include "cli/report/vcd_trace.hpp"

#include <algorithm>
#include <bit>
#include <set>

#include <fmt/format.h>

namespace warpnet::cli {

namespace {

/// The short code under which changes name a variable: a number in base 94 of the printable characters.
std::string code(std::size_t number) {
    constexpr std::size_t first = '!', characters = '~' - '!' + 1;
    std::string text;
    for (;; number = number / characters - 1) {
        text += static_cast<char>(first + number % characters);
        if (number < characters) return text;
    }
}

int bits_of(Tokens tokens) {
    return std::max(1, static_cast<int>(std::bit_width(static_cast<std::uint64_t>(tokens))));
}

std::string legal(const std::string& id) {
    std::string name;
    for (const char c : id) {
        const bool kept = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        name += kept ? c : '_';
    }
    if (name.empty() || (name[0] >= '0' && name[0] <= '9')) name.insert(name.begin(), '_');
    return name;
}

template <class Node>
std::vector<std::string> ids_of(std::span<const Node> nodes) {
    std::vector<std::string> ids;
    for (const Node& node : nodes) ids.push_back(node.id);
    return ids;
}

}  // namespace

std::vector<std::string> vcd_names(const std::vector<std::string>& ids) {
    // Ids that need no change keep their names, whatever comes before them.
    std::set<std::string> taken;
    for (const std::string& id : ids) {
        if (legal(id) == id) taken.insert(id);
    }
    std::vector<std::string> names;
    for (const std::string& id : ids) {
        std::string name = legal(id);
        if (name != id) {
            for (int number = 2; !taken.insert(name).second; ++number)
                name = fmt::format("{}_{}", legal(id), number);
        }
        names.push_back(std::move(name));
    }
    return names;
}

VcdTrace::VcdTrace(const Net& net)
    : net_(net), changed_by_(net.transitions().size()), marking_(net.initial_marking()), highest_(marking_) {
    for (const Arc& arc : net.arcs()) {
        auto& places = changed_by_[index(arc.transition)];
        const auto place = static_cast<std::uint32_t>(index(arc.place));
        const bool moves = arc.kind == ArcKind::input || arc.kind == ArcKind::output;
        if (moves && std::find(places.begin(), places.end(), place) == places.end()) places.push_back(place);
    }
    changes_ = "#0\n$dumpvars\n";
    for (std::size_t place = 0; place < marking_.size(); ++place) add_value(place);
    changes_ += "$end\n";
}

void VcdTrace::move_to(std::uint64_t time) {
    if (time == time_) return;
    time_ = time;
    changes_ += fmt::format("#{}\n", time);
}

void VcdTrace::add_value(std::size_t place) {
    changes_ += fmt::format("b{:b} {}\n", marking_[place], code(place));
}

void VcdTrace::step(std::uint64_t number, bool, std::span<const Firing> firings,
                    std::span<const Tokens> marking) {
    move_to(number);
    for (const Firing& firing : firings) {
        changes_ += "1" + code(net_.places().size() + firing.transition) + "\n";
        for (const std::uint32_t place : changed_by_[firing.transition]) {
            if (marking[place] == marking_[place]) continue;
            marking_[place] = marking[place];
            highest_[place] = std::max(highest_[place], marking[place]);
            add_value(place);
        }
    }
}

std::string VcdTrace::finish() {
    const std::size_t places = net_.places().size();
    const auto place_names = vcd_names(ids_of(net_.places()));
    const auto transition_names = vcd_names(ids_of(net_.transitions()));
    std::string text = fmt::format(
        "$comment one second is one step $end\n$timescale 1 s $end\n$scope module {} $end\n"
        "$scope module places $end\n",
        legal(net_.id()));
    for (std::size_t p = 0; p < places; ++p) {
        text += fmt::format("$var reg {} {} {} $end\n", bits_of(highest_[p]), code(p), place_names[p]);
    }
    text += "$upscope $end\n$scope module transitions $end\n";
    for (std::size_t t = 0; t < transition_names.size(); ++t) {
        text += fmt::format("$var event 1 {} {} $end\n", code(places + t), transition_names[t]);
    }
    text += "$upscope $end\n$upscope $end\n$enddefinitions $end\n";
    return text + changes_;
}

}  // namespace warpnet::cli
