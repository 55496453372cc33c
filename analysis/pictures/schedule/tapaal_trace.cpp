// The format is that of TAPAAL's classes TraceImportExport and VerifyTAPNTraceParser (tapaal-gui, August
// 2026): one <transition> for each firing, with one <token> for each token taken. An untimed token has age 0.
// Nodes are named NET__ID, after the <name> of the net, with some characters spelt out (NamePurifier). The
// reader drops each line that contains the word Trace, so its first letter is written as a number.

#include "analysis/pictures/schedule/tapaal_trace.hpp"

#include "analysis/pictures/svg_text.hpp"
#include "engine/compile/firing_rule.hpp"
#include "engine/net/error.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

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

class TapaalTrace {
  public:
    explicit TapaalTrace(const Net& net)
        : net_(net),
          compiled_(compile(net)),
          marking_(compiled_.initial),
          prefix_(purified(net.name().empty() ? "TAPN1" : net.name()) + "__") {}

    std::string text(const Schedule& schedule) {
        for (std::size_t i = 0; i < schedule.size(); ++i) {
            std::vector<std::uint32_t> left = schedule[i].transitions;
            while (!left.empty()) {
                const auto next = std::find_if(
                    left.begin(), left.end(),
                    [&](const std::uint32_t& transition) { return keeps_enabled(transition, left); });
                if (next == left.end())
                    throw InputError(
                        fmt::format("net '{}': the transitions of step {} cannot fire one after "
                                    "another, as TAPAAL fires them",
                                    net_.id(), i + 1));
                add_firing(*next);
                left.erase(next);
            }
        }
        return "<trace>\n" + text_ + "</trace>\n";
    }

  private:
    std::string name(const std::string& id) const {
        return replaced(svg_text(prefix_ + purified(id)), "Trace", "&#84;race");
    }

    /// Whether a transition of `left` can fire and the remaining ones can fire afterwards.
    bool keeps_enabled(const std::uint32_t& transition, const std::vector<std::uint32_t>& left) {
        if (!enabled(compiled_, marking_, transition)) return false;
        after_ = marking_;
        take(compiled_, after_, transition);
        return give(compiled_, after_, transition) &&
               std::all_of(left.begin(), left.end(), [&](const std::uint32_t& other) {
                   return &other == &transition || enabled(compiled_, after_, other);
               });
    }

    /// Fires the transition of the last keeps_enabled(). A read arc is an arc to the transition and one back.
    void add_firing(std::uint32_t transition) {
        marking_.swap(after_);
        text_ += fmt::format("<transition id=\"{}\">", name(net_.transitions()[transition].id));
        for (const auto* arcs : {&compiled_.inputs, &compiled_.reads})
            for (const auto [place, weight] : (*arcs)[transition])
                for (Tokens token = 0; token < weight; ++token)
                    text_ += fmt::format("<token place=\"{}\" age=\"0\"/>", name(net_.places()[place].id));
        text_ += "</transition>\n";
    }

    const Net& net_;
    CompiledNet compiled_;
    Marking marking_, after_;
    std::string prefix_, text_;
};

}  // namespace

std::string tapaal_trace(const Net& net, const Schedule& schedule) { return TapaalTrace(net).text(schedule); }

}  // namespace warpnet::pictures
