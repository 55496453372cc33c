#include "netgen/code/ptx/text.hpp"

#include "engine/net/error.hpp"
#include "netgen/code/ptx/opcodes.hpp"

#include <utility>
#include <vector>

namespace warpnet {

namespace {

constexpr std::size_t most_rolled_letters = 1'000'000;
// Blocks visited: functions that call one another twice each are exponentially many of them without a letter.
constexpr std::size_t most_visits = 20'000'000;

[[noreturn]] void fail_long(const PtxProgram& program, std::size_t most) {
    throw InputError(program.module().source + ": kernel '" +
                     std::string(program.function(program.kernel()).name) +
                     "': its instruction string is longer than " + std::to_string(most) + " letters");
}

// Goes through the instructions of the kernel and of what it calls. The sink has letter(char), begin_loop()
// and end_loop(trips); letter() returns false to end the walk.
template <class Sink>
class Walk {
  public:
    Walk(const PtxProgram& program, bool control_as_core, bool with_last, Sink& sink)
        : program_(program), control_as_core_(control_as_core), with_last_(with_last), sink_(sink) {}

    void run(std::optional<std::uint32_t> until_loop = {}) {
        until_ = until_loop;
        pass(program_.kernel(), program_.plan(program_.kernel()).whole, true);
    }

  private:
    // False: the walk is over.
    bool pass(std::size_t function, const PtxPass& items, bool of_kernel) {
        const PtxStructure& plan = program_.plan(function);
        for (const PtxItem item : items) {
            if (++visits_ > most_visits) fail_long(program_, most_visits);
            if (!item.is_loop) {
                if (!block(function, plan.flow.blocks[item.number])) return false;
                continue;
            }
            const PtxLoopStructure& loop = plan.loops[item.number];
            sink_.begin_loop();
            if (!pass(function, loop.body, of_kernel)) return false;
            sink_.end_loop(loop.trips);
            if (of_kernel && until_ == item.number) return false;
            if (with_last_ && !pass(function, loop.last, of_kernel)) return false;
        }
        return true;
    }

    bool block(std::size_t function, const PtxBlock& block) {
        for (std::uint32_t i = block.first; i < block.last; ++i) {
            const PtxInstruction& instruction = program_.function(function).instructions[i];
            char letter = ptx_letter(instruction.ptx_class);
            if (letter == '-' && control_as_core_) letter = 'C';
            if (letter != '-' && !sink_.letter(letter)) return false;
            if (instruction.callee == no_function) continue;
            const std::size_t callee = instruction.callee;
            if (program_.function(callee).has_body && !pass(callee, program_.plan(callee).whole, false))
                return false;
        }
        return true;
    }

    const PtxProgram& program_;
    bool control_as_core_;
    bool with_last_;
    Sink& sink_;
    std::optional<std::uint32_t> until_;
    std::size_t visits_ = 0;
};

struct Letters {
    std::string text;
    bool too_long = false;

    bool letter(char c) {
        text += c;
        too_long = text.size() > most_rolled_letters;
        return !too_long;
    }
    void begin_loop() {}
    void end_loop(std::optional<std::int64_t>) {}
};

struct Formula {
    std::string text;
    char run = 0;
    std::size_t length = 0;

    bool letter(char c) {
        if (c != run) flush();
        run = c;
        ++length;
        return text.size() <= most_rolled_letters;
    }
    void flush() {
        if (length == 0) return;
        separate();
        if (length > 1) text += std::to_string(length);
        text += run;
        length = 0;
    }
    void separate() {
        if (!text.empty() && text.back() != '(') text += ' ';
    }
    void begin_loop() {
        flush();
        separate();
        text += '(';
    }
    void end_loop(std::optional<std::int64_t> trips) {
        flush();
        text += ")*" + (trips ? std::to_string(*trips) : std::string("?"));
    }
};

struct Unrolled {
    std::string text;
    std::size_t most;
    std::vector<std::size_t> loops;  // where the bodies begin
    bool too_long = false;

    bool letter(char c) {
        text += c;
        too_long = too_long || text.size() > most;
        return !too_long;
    }
    void begin_loop() { loops.push_back(text.size()); }
    void end_loop(std::optional<std::int64_t> trips) {
        const std::size_t begin = loops.back();
        loops.pop_back();
        const std::string body = text.substr(begin);
        if (body.empty()) return;
        const auto times = static_cast<std::uint64_t>(trips.value_or(1));
        if (times > (most - begin) / body.size()) {
            too_long = true;
            return;
        }
        text.resize(begin);
        for (std::uint64_t i = 0; i < times; ++i) text += body;
    }
};

}  // namespace

std::string ptx_rolled_string(const PtxProgram& program, bool control_as_core,
                              std::optional<std::uint32_t> until_loop) {
    Letters letters;
    Walk(program, control_as_core, false, letters).run(until_loop);
    if (letters.too_long) fail_long(program, most_rolled_letters);
    return std::move(letters.text);
}

std::string ptx_formula(const PtxProgram& program, bool control_as_core) {
    Formula formula;
    Walk(program, control_as_core, true, formula).run();
    formula.flush();
    if (formula.text.size() > most_rolled_letters) fail_long(program, most_rolled_letters);
    return std::move(formula.text);
}

std::string ptx_expanded_string(const PtxProgram& program, bool control_as_core, std::size_t most_letters) {
    Unrolled unrolled;
    unrolled.most = most_letters;
    Walk(program, control_as_core, true, unrolled).run();
    if (unrolled.too_long) fail_long(program, most_letters);
    return std::move(unrolled.text);
}

}  // namespace warpnet
