// The control flow of machine code. An instruction is unconditional only if each of its operands and
// modifiers is known to be no condition. An unknown operand is an error, and an unknown modifier makes both
// ways possible.
//
// Up to Pascal SSY, PBK, PCNT, … push a place on a stack, and SYNC, BRK, CONT, … continue at the topmost
// place of their kind. The stacks are followed along all paths. If two paths have different stacks, their
// common part is kept, with the kinds of the rest. An instruction that pops one of these kinds is an error
// unless the function has a single place of the kind.
//
// Since Volta nvcc also uses CALL as a jump: a call whose target reaches no RET does not return, and is a
// branch. The body of a called function is the code that its first instruction reaches.
//
// Cost: stacks share their lower parts, so a push is O(log stacks) and needs no copy. An instruction is
// revisited only if its stack loses a place or gains a kind. That happens at most depth + 6 times, and the
// depth is limited by deepest_stack. Finding the calls that return is one search backwards, O(instructions +
// targets). The bodies of called functions are copies, with at most most_instructions in all.
//
// It was rejected to make it an error if paths with different stacks meet. Two paths with different targets
// of PBK then made every SYNC behind them an error. So the stacks lose the differing parts and keep only
// their kinds.

#include "netgen/code/sass/control_flow.hpp"

#include "engine/base/text.hpp"
#include "engine/net/error.hpp"
#include "netgen/code/ptx/text/opcodes.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

namespace warpnet::netgen {

namespace {

struct ControlOpcode {
    std::string_view base;
    SassControl control;
    std::string_view stack = {};
};

constexpr auto control_opcodes = std::to_array<ControlOpcode>({
    {"BRA", SassControl::branch},
    {"JMP", SassControl::branch},
    {"BRX", SassControl::indirect},
    {"BRXU", SassControl::indirect},
    {"JMX", SassControl::indirect},
    {"JMXU", SassControl::indirect},
    {"CALL", SassControl::call},
    {"CAL", SassControl::call},
    {"JCAL", SassControl::call},
    {"EXIT", SassControl::leave, "EXIT"},
    {"RET", SassControl::leave, "RET"},
    {"RTT", SassControl::leave},
    {"KIL", SassControl::leave},
    {"KILL", SassControl::leave},
    {"SSY", SassControl::push, "SYNC"},
    {"SYNC", SassControl::pop, "SYNC"},
    {"PBK", SassControl::push, "BRK"},
    {"BRK", SassControl::pop, "BRK"},
    {"PCNT", SassControl::push, "CONT"},
    {"CONT", SassControl::pop, "CONT"},
    {"PRET", SassControl::push, "RET"},
    {"PEXIT", SassControl::push, "EXIT"},
    {"PLONGJMP", SassControl::push, "LONGJMP"},
    {"LONGJMP", SassControl::pop, "LONGJMP"},
    {"BSSY", SassControl::meet},
});

/// A branch with one of these is taken in the same executions as without.
constexpr auto plain_modifiers =
    std::to_array<std::string_view>({"U", "INC", "DEC", "LMT", "REL", "ABS", "NOINC", "NODEC", "KEEPREFCOUNT",
                                     "NO_ATEXIT", "PREEMPTED", "FALLTHROUGH", "TERMINATE", "TRAP"});

/// Removes the next operand from the front: a label in "`( )", a note of nvdisasm in "(* *)", or a word.
std::string_view next_operand(std::string_view& text) {
    text.remove_prefix(std::min(text.find_first_not_of(" \t,"), text.size()));
    std::size_t end = std::min(text.find_first_of(" \t,"), text.size());
    for (const auto& [open, close] : {std::pair<std::string_view, std::string_view>{"`(", ")"}, {"(*", "*)"}})
        if (text.starts_with(open))
            end = std::min(text.find(close), text.size() - close.size()) + close.size();
    const std::string_view operand = text.substr(0, end);
    text.remove_prefix(operand.size());
    return operand;
}

bool is_register(std::string_view text) {
    for (const std::string_view bank : {"c[", "cx["})
        if (text.starts_with(bank)) return true;
    if (text.starts_with('~')) text.remove_prefix(1);
    text = text.substr(0, text.find('.'));
    if (text.starts_with('B') && text.size() > 1) return text.find_first_not_of("0123456789", 1) == text.npos;
    if (text.starts_with('U')) text.remove_prefix(1);
    return text.size() > 1 && text.front() == 'R' &&
           (text == "RZ" || text.find_first_not_of("0123456789", 1) == std::string_view::npos);
}

bool is_number(std::string_view text) {
    if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
    return !text.empty() && text.front() >= '0' && text.front() <= '9';
}

/// `"BRANCH_TARGETS .L_x_1,.L_x_2"` and `"TARGET= .L_x_1"` name targets.
bool take_note(std::string_view note, std::vector<std::string_view>& targets) {
    if (!note.starts_with("(*\"") || !note.ends_with("\"*)") || note.size() < 6) return false;
    note = note.substr(3, note.size() - 6);
    const std::string_view what = next_operand(note);
    if (what == "INDIRECT_CALL") return true;  // through the register next to it
    if (what.find("TARGET") == std::string_view::npos) return false;
    targets.clear();
    for (std::string_view one = next_operand(note); !one.empty(); one = next_operand(note))
        targets.push_back(one);
    return !targets.empty();
}

/// False if the control instruction cannot have such an operand.
bool take_operand(std::string_view operand, std::string_view base, SassTransfer& transfer) {
    using enum SassControl;
    const SassControl control = transfer.control;
    const bool names = control == branch || control == call || control == push || control == meet;
    if (is_sass_predicate(operand)) {
        const bool constant = operand.ends_with("PT");
        transfer.never |= constant && operand.starts_with('!');
        transfer.conditional |= !constant;
        return true;
    }
    if (operand.starts_with("CC.")) {
        transfer.never |= operand == "CC.F";
        transfer.conditional |= operand != "CC.T";
        return true;
    }
    if (operand.starts_with("(*")) return take_note(operand, transfer.targets);
    if (operand.starts_with("`(")) {
        if (control == leave) return true;
        operand = trimmed(operand.substr(2, operand.size() - 3));
        transfer.targets.push_back(operand);
        return !operand.empty() && transfer.targets.size() == 1;
    }
    if (is_number(operand)) {
        if (!names) return control != pop;
        transfer.targets.push_back(operand);
        return transfer.targets.size() == 1;
    }
    if (!is_register(operand)) return false;
    // For a branch with a target it is a mask of lanes.
    transfer.conditional |= control == branch;
    return names ? control != push : control == indirect || base == "RET";
}

}  // namespace

bool is_sass_predicate(std::string_view text) {
    if (text.starts_with('!')) text.remove_prefix(1);
    if (text.starts_with('U')) text.remove_prefix(1);
    return text.size() == 2 && text[0] == 'P' && (text[1] == 'T' || (text[1] >= '0' && text[1] <= '7'));
}

SassTransfer sass_transfer(std::string_view opcode, std::string_view operands, bool joins) {
    using enum SassControl;
    SassTransfer transfer{opcode};
    const std::string_view base = ptx_base(opcode);
    const auto* const found = std::find_if(control_opcodes.begin(), control_opcodes.end(),
                                           [&](const ControlOpcode& known) { return known.base == base; });
    if (found != control_opcodes.end()) {
        transfer.control = found->control;
        transfer.stack = found->stack;
    } else if (base == "BPT" && has_ptx_part(opcode, "TRAP")) {
        transfer.control = leave;
    } else if (base == "WARPSYNC" && has_ptx_part(opcode, "COLLECTIVE")) {
        transfer.control = meet;
    } else {
        if (joins && has_ptx_part(opcode, "S")) {
            transfer.control = pop;
            transfer.stack = "SYNC";
        }
        return transfer;
    }
    if (has_ptx_part(opcode, "NO_ATEXIT")) transfer.stack = {};
    if (transfer.control != push && transfer.control != meet) {
        transfer.conditional |= any_ptx_part(opcode, [](std::string_view part) {
            return std::find(plain_modifiers.begin(), plain_modifiers.end(), part) == plain_modifiers.end();
        });
    }
    for (std::string_view operand = next_operand(operands); !operand.empty();
         operand = next_operand(operands)) {
        if (transfer.unknown.empty() && !take_operand(operand, base, transfer)) transfer.unknown = operand;
    }
    return transfer;
}

namespace {

constexpr std::uint32_t no_control = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint32_t deepest_stack = 1000;
constexpr std::size_t most_instructions = 1'000'000;

class SassConnector {
  public:
    SassConnector(PtxFunction& function, std::vector<SassControlInstruction>& controls,
                  const SassSurroundings& text)
        : function_(function),
          controls_(controls),
          text_(text),
          control_of_(function.instructions.size(), no_control) {
        for (std::uint32_t c = 0; c < controls.size(); ++c) {
            control_of_[controls[c].instruction] = c;
            PtxInstruction& instruction = function.instructions[controls[c].instruction];
            // A register that is never written, because the condition is unknown.
            if (controls[c].transfer.conditional && !instruction.guard) instruction.guard = PtxGuard{};
        }
    }

    std::vector<SassBody> connect() {
        follow_stacks();
        settle_calls();
        std::vector<SassBody> bodies;
        std::vector<std::uint32_t> entries = {0};
        std::unordered_map<std::uint32_t, std::uint32_t> seen;  // the last body that contains an instruction
        for (std::uint32_t b = 0; b < entries.size(); ++b) {
            bodies.push_back({entries[b], reach(entries[b], b, seen)});
            for (const std::uint32_t i : bodies.back().instructions) {
                const SassControlInstruction* control = control_at(i);
                if (control == nullptr || control->transfer.control != SassControl::call) continue;
                for (const std::uint32_t entry : control->targets)
                    if (is_entry_.insert(entry).second && entry != 0) entries.push_back(entry);
            }
        }
        return bodies;
    }

  private:
    [[noreturn]] void fail(std::uint32_t instruction, const std::string& message) const {
        throw InputError(
            fmt::format("{}:{}: {}", text_.source, function_.instructions[instruction].line, message));
    }

    [[noreturn]] void run_on(std::uint32_t i) {
        const PtxInstruction& last = function_.instructions[i];
        std::string_view name = "the last instruction";
        if (last.ptx_class == PtxClass::unknown) name = last.opcode;
        if (control_at(i) != nullptr) name = control_at(i)->transfer.opcode;
        fail(i, fmt::format(
                    "expected EXIT, RET or a branch behind {}, found {}: lines of the listing are missing",
                    name, text_.behind));
    }

    SassControlInstruction* control_at(std::uint32_t instruction) {
        const std::uint32_t c = control_of_[instruction];
        return c == no_control ? nullptr : &controls_[c];
    }

    bool is_conditional(std::uint32_t i) const { return function_.instructions[i].guard.has_value(); }

    /// Whether the next instruction may follow; a call counts as one that returns.
    bool falls_through(std::uint32_t i) {
        using enum SassControl;
        const SassControlInstruction* control = control_at(i);
        if (control == nullptr || is_conditional(i)) return true;
        const SassControl own = control->transfer.control;
        return own == call || own == push || own == meet || (own == pop && control->targets.empty());
    }

    // Stacks share their lower parts, because each is one place on top of another. If paths have different
    // stacks, a place without a kind represents the differing parts. Its target has a bit for each kind in
    // them.
    struct Place {
        std::uint32_t below;
        std::uint32_t depth;
        std::string_view stack;
        std::uint32_t target;
    };

    static std::uint32_t bit_of(std::string_view stack) {
        return 1U << std::string_view("SBCREL").find(stack.front());
    }

    std::uint32_t pushed(std::uint32_t below, std::string_view stack, std::uint32_t target) {
        const auto [found, is_new] =
            place_of_.try_emplace({below, stack, target}, static_cast<std::uint32_t>(places_.size()));
        if (is_new) places_.push_back({below, places_[below].depth + 1, stack, target});
        return found->second;
    }

    std::uint32_t common(std::uint32_t a, std::uint32_t b) {
        if (a == b) return a;
        std::uint32_t kinds = 0;
        const auto remove = [&](std::uint32_t& top) {
            const Place& place = places_[top];
            kinds |= place.stack.empty() ? place.target : bit_of(place.stack);
            top = place.below;
        };
        while (a != b) remove(places_[a].depth >= places_[b].depth ? a : b);
        if (a != 0 && places_[a].stack.empty()) remove(a);
        return pushed(a, {}, kinds);
    }

    /// The place at which an instruction continues. It is the target that a note of nvdisasm names, otherwise
    /// the topmost place of its kind, or the only one of the function. Nothing if there is none.
    std::optional<Place> popped(const SassControlInstruction& control, std::uint32_t top) {
        const std::string_view stack = control.transfer.stack;
        const bool is_pushed = !stack.empty() && pushed_.count(stack) != 0;
        const auto may_be = [&](const Place& place) {
            return place.stack == stack || (place.stack.empty() && (place.target & bit_of(stack)) != 0);
        };
        std::uint32_t at = is_pushed ? top : 0;
        while (at != 0 && !may_be(places_[at])) at = places_[at].below;
        const bool found = at != 0 && !places_[at].stack.empty();
        if (!control.targets.empty())
            return Place{found ? places_[at].below : top, 0, stack, control.targets.front()};
        if (at == 0 || found) return found ? std::optional(places_[at]) : std::nullopt;
        // RET, EXIT and the modifier .S have another effect if there is no place.
        const std::set<std::uint32_t>& targets = pushed_.at(stack);
        if (targets.size() > 1 || function_.instructions[control.instruction].ptx_class != PtxClass::branch)
            fail(control.instruction,
                 fmt::format(
                     "expected that {} continues at one place, found different ones on different paths",
                     stack));
        return Place{at, 0, stack, *targets.begin()};
    }

    void follow_stacks() {
        using enum SassControl;
        for (const SassControlInstruction& control : controls_)
            if (control.transfer.control == push)
                pushed_[control.transfer.stack].insert(control.targets.front());
        places_.push_back({0, 0, {}, 0});
        std::vector<std::optional<std::uint32_t>> before(function_.instructions.size());
        std::vector<std::uint32_t> pending;
        const auto arrive = [&](std::uint32_t i, std::uint32_t stack) {
            if (i >= before.size()) return;
            const std::uint32_t merged = before[i] ? common(*before[i], stack) : stack;
            if (before[i] == merged) return;
            before[i] = merged;
            pending.push_back(i);
        };
        arrive(0, 0);
        while (!pending.empty()) {
            const std::uint32_t i = pending.back();
            pending.pop_back();
            const std::uint32_t top = *before[i];
            const SassControlInstruction* control = control_at(i);
            const SassControl own = control == nullptr ? none : control->transfer.control;
            std::uint32_t after = top;
            bool falls = falls_through(i);
            if (own == push) {
                if (places_[top].depth >= deepest_stack)
                    fail(i, fmt::format("nests places of SSY, PBK, … deeper than {}", deepest_stack));
                after = pushed(top, control->transfer.stack, control->targets.front());
                if (is_conditional(i)) after = common(top, after);
            } else if (own == pop || own == leave) {
                const auto place = popped(*control, top);
                falls = is_conditional(i) || (own == pop && (!place || place->target == i));
                if (place && place->target != i) arrive(place->target, place->below);
                if (place && place->target == i)
                    after = is_conditional(i) ? common(top, place->below) : place->below;
            } else if (own != none) {
                // PRET in front of a call has pushed the place to which it returns.
                if (own == call && top != 0 && places_[top].stack == "RET") {
                    after = places_[top].below;
                    if (is_conditional(i)) after = common(top, after);
                }
                for (const std::uint32_t target : control->targets) arrive(target, own == call ? 0 : top);
            }
            if (falls) arrive(i + 1, after);
        }
        for (SassControlInstruction& control : controls_) {
            const std::uint32_t i = control.instruction;
            if (before[i] && (control.transfer.control == pop || control.transfer.control == leave))
                set_place(control, popped(control, *before[i]));
        }
    }

    void set_place(SassControlInstruction& control, const std::optional<Place>& place) {
        PtxInstruction& instruction = function_.instructions[control.instruction];
        if (!place) {
            if (instruction.ptx_class == PtxClass::branch)
                fail(control.instruction,
                     fmt::format("expected the place at which {} continues, found none on the way to it",
                                 control.transfer.stack));
            return;
        }
        control.targets.clear();
        if (place->target != control.instruction) control.targets = {place->target};
        if (control.transfer.control == SassControl::pop) return;
        control.transfer.control = SassControl::pop;
        make_branch(instruction);
    }

    static void make_branch(PtxInstruction& instruction) {
        instruction.opcode = "bra";
        instruction.ptx_class = PtxClass::branch;
    }

    /// Calls that cannot return become branches, because no path from their targets leads to RET.
    void settle_calls() {
        using enum SassControl;
        const auto count = static_cast<std::uint32_t>(function_.instructions.size());
        std::vector<std::vector<std::uint32_t>> before(count);
        std::vector<bool> returns(count, false);
        std::vector<std::uint32_t> pending;
        for (std::uint32_t i = 0; i < count; ++i) {
            if (falls_through(i) && i + 1 < count) before[i + 1].push_back(i);
            const SassControlInstruction* control = control_at(i);
            if (control == nullptr) continue;
            if (control->transfer.control != push)
                for (const std::uint32_t target : control->targets) before[target].push_back(i);
            if (control->transfer.control == leave && control->transfer.stack == "RET") {
                returns[i] = true;
                pending.push_back(i);
            }
        }
        while (!pending.empty()) {
            const std::uint32_t at = pending.back();
            pending.pop_back();
            for (const std::uint32_t i : before[at]) {
                if (returns[i]) continue;
                const SassControlInstruction* control = control_at(i);
                const bool calls = control != nullptr && control->transfer.control == call;
                // Behind a call: it returns, or its condition does not hold.
                if (calls &&
                    !(i + 1 < count && returns[i + 1] &&
                      (is_conditional(i) || control->targets.empty() || returns[control->targets.front()])))
                    continue;
                returns[i] = true;
                pending.push_back(i);
            }
        }
        for (SassControlInstruction& control : controls_) {
            if (control.transfer.control != call || control.targets.empty()) continue;
            if (returns[control.targets.front()]) continue;
            control.transfer.control = branch;
            make_branch(function_.instructions[control.instruction]);
        }
    }

    std::vector<std::uint32_t> reach(std::uint32_t entry, std::uint32_t body,
                                     std::unordered_map<std::uint32_t, std::uint32_t>& seen) {
        using enum SassControl;
        std::vector<std::uint32_t> reached;
        const auto arrive = [&](std::uint32_t i) {
            const auto [found, is_new] = seen.try_emplace(i, body);
            if (!is_new && found->second == body) return;
            found->second = body;
            reached.push_back(i);
        };
        arrive(entry);
        // The meeting place of lanes is always reachable, even if no path to it is found.
        for (std::size_t next = 0, meeting = 0; meeting < reached.size(); ++meeting) {
            for (; next < reached.size(); ++next) {
                const std::uint32_t i = reached[next];
                const SassControlInstruction* control = control_at(i);
                if (control != nullptr && control->transfer.control != call &&
                    control->transfer.control != push && control->transfer.control != meet)
                    for (const std::uint32_t target : control->targets) arrive(target);
                if (!falls_through(i)) continue;
                if (i + 1 == function_.instructions.size()) run_on(i);
                arrive(i + 1);
            }
            const std::uint32_t i = reached[meeting];
            const SassControlInstruction* control = control_at(i);
            if (control == nullptr || control->transfer.control != meet) continue;
            for (const std::uint32_t target : control->targets) {
                const auto found = seen.find(target);
                if (found != seen.end() && found->second == body) continue;
                arrive(target);
                function_.instructions[i].guard = PtxGuard{};
                controls_[control_of_[i]].transfer.control = branch;
            }
        }
        if (body > 0) instructions_ += reached.size();
        if (instructions_ > most_instructions)
            fail(entry, fmt::format("calls functions of more than {} instructions", most_instructions));
        std::sort(reached.begin(), reached.end());
        if (reached.front() != entry)
            fail(entry,
                 fmt::format("expected the code of a called function behind its first instruction, found "
                             "line {}",
                             function_.instructions[reached.front()].line));
        return reached;
    }

    PtxFunction& function_;
    std::vector<SassControlInstruction>& controls_;
    const SassSurroundings& text_;
    std::vector<std::uint32_t> control_of_;  // by instruction
    std::vector<Place> places_;
    std::map<std::tuple<std::uint32_t, std::string_view, std::uint32_t>, std::uint32_t> place_of_;
    std::map<std::string_view, std::set<std::uint32_t>> pushed_;  // places, by the opcode that pops
    std::unordered_set<std::uint32_t> is_entry_;
    std::size_t instructions_ = 0;
};

}  // namespace

std::vector<SassBody> connect_sass(PtxFunction& function, std::vector<SassControlInstruction>& controls,
                                   const SassSurroundings& text) {
    return SassConnector(function, controls, text).connect();
}

}  // namespace warpnet::netgen
