// The format is that of TAPAAL's classes TraceImportExport and VerifyTAPNTraceParser (tapaal-gui, August
// 2026): one <transition> for each firing, with one <token> for each token taken. An untimed token has age 0.
// Nodes are named NET__ID, after the <name> of the net, with some characters spelt out (NamePurifier). The
// reader drops each line that contains the word Trace, so its first letter is written as a number.

#include "analysis/pictures/schedule/tapaal_trace.hpp"

#include "analysis/pictures/svg_text.hpp"
#include "engine/compile/compiled_net.hpp"
#include "engine/compile/firing_rule.hpp"
#include "engine/net/error.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace warpnet::pictures {

namespace {

std::string replaced(std::string text, std::string_view what, std::string_view by) {
    for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
        text.replace(at, what.size(), by);
    return text;
}

std::string purified(std::string text) {
    for (const auto& [character, name] :
         {std::pair(".", "_dot_"), std::pair(" ", "_space_"), std::pair("-", "_dash_"),
          std::pair("/", "_slash_"), std::pair("=", "_equals_")})
        text = replaced(std::move(text), character, name);
    return text;
}

constexpr std::uint64_t most_tokens = 1'000'000;
constexpr std::uint64_t most_tries = 100'000;  // of orders, for one step

class TapaalTrace {
  public:
    explicit TapaalTrace(const Net& net) : net_(net), compiled_(compile(net)), marking_(compiled_.initial) {
        const std::string prefix = purified(net.name().empty() ? "TAPN1" : net.name()) + "__";
        const auto name = [&](const std::string& id) {
            return replaced(svg_text(prefix + purified(id)), "Trace", "&#84;race");
        };
        for (const Transition& transition : net.transitions())
            transitions_.push_back(fmt::format("<transition id=\"{}\">", name(transition.id)));
        for (const Place& place : net.places())
            tokens_.push_back(fmt::format("<token place=\"{}\" age=\"0\"/>", name(place.id)));
    }

    std::string text(const Schedule& schedule) {
        for (std::size_t i = 0; i < schedule.size(); ++i) {
            std::vector<std::uint32_t> order = schedule[i].transitions;
            if (!fires_in_turn(order) && !arrange(schedule[i].transitions, order))
                throw InputError(
                    fmt::format("net '{}': found no order in which the transitions of step {} can fire one "
                                "after another, as TAPAAL fires them",
                                net_.id(), i + 1));
            for (const std::uint32_t transition : order) add_firing(transition);
        }
        return "<trace>\n" + text_ + "</trace>\n";
    }

  private:
    /// The marking after a transition; false if it cannot fire.
    bool fire(std::uint32_t transition, Marking& marking) const {
        if (!enabled(compiled_, marking, transition)) return false;
        take(compiled_, marking, transition);
        return give(compiled_, marking, transition);
    }

    bool fires_in_turn(const std::vector<std::uint32_t>& order) const {
        Marking marking = marking_;
        return std::ranges::all_of(order,
                                   [&](std::uint32_t transition) { return fire(transition, marking); });
    }

    /// Searches an order depth-first: first the transitions after which all others can still fire.
    bool arrange(const std::vector<std::uint32_t>& transitions, std::vector<std::uint32_t>& order) {
        tries_ = 0;
        order.clear();
        return arrange(marking_, transitions, order);
    }

    bool arrange(const Marking& marking, const std::vector<std::uint32_t>& left,
                 std::vector<std::uint32_t>& order) {
        if (left.empty()) return true;
        for (const bool harmless : {true, false}) {
            for (std::size_t i = 0; i < left.size(); ++i) {
                Marking after = marking;
                if (++tries_ > most_tries || !fire(left[i], after)) continue;
                std::vector<std::uint32_t> rest = left;
                rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
                if (harmless != std::ranges::all_of(rest, [&](std::uint32_t other) {
                        return enabled(compiled_, after, other);
                    }))
                    continue;
                order.push_back(left[i]);
                if (arrange(after, rest, order)) return true;
                order.pop_back();
            }
        }
        return false;
    }

    /// A read arc is an arc to the transition and one back.
    void add_firing(std::uint32_t transition) {
        fire(transition, marking_);
        text_ += transitions_[transition];
        std::map<std::uint32_t, Tokens> taken;
        for (const auto* arcs : {&compiled_.inputs, &compiled_.reads})
            for (const auto [place, weight] : (*arcs)[transition])
                taken[place] = std::max(taken[place], Tokens{weight});
        for (const auto& [place, weight] : taken) {
            written_ += static_cast<std::uint64_t>(weight);
            if (written_ > most_tokens)
                throw InputError(
                    fmt::format("net '{}': a trace for TAPAAL lists every token, and there are more than {}",
                                net_.id(), most_tokens));
            for (Tokens token = 0; token < weight; ++token) text_ += tokens_[place];
        }
        text_ += "</transition>\n";
    }

    const Net& net_;
    CompiledNet compiled_;
    Marking marking_;
    std::vector<std::string> transitions_, tokens_;  // elements
    std::string text_;
    std::uint64_t tries_ = 0, written_ = 0;
};

}  // namespace

std::string tapaal_trace(const Net& net, const Schedule& schedule) { return TapaalTrace(net).text(schedule); }

}  // namespace warpnet::pictures
