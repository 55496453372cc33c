#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace warpnet::testing {

/// The instructions that a warp executes, by the part of the opcode before the first dot.
using OpcodeCounts = std::map<std::string, std::int64_t>;

/// Runs a small PTX text thread by thread, with one instruction or label per line, and only 32-bit integers
/// and predicates. A loop k begins at its label Hk and is left through its label Xk or by `ret`. ld.global
/// gives an unknown number. A function is a list of lines with its own registers, without labels, and with
/// `ret` only in the last line. An instruction whose guard disables all lanes counts as "skipped", unless it
/// is a branch or has a unit outside the core.
class LockStepPtx {
  public:
    struct Launch {
        std::array<std::uint32_t, 3> grid = {1, 1, 1};
        std::array<std::uint32_t, 3> block = {32, 1, 1};
        std::uint32_t n = 0;  ///< the only parameter
    };

    /// `functions`: bodies by name.
    explicit LockStepPtx(const std::string& body, const std::map<std::string, std::string>& functions = {}) {
        add_lines(body);
        for (const auto& [name, text] : functions) {
            label_[name] = lines_.size();
            add_lines(text);
        }
    }

    /// The warps of all blocks, block by block (x fastest). An instruction counts once for all lanes that
    /// execute it in the same iterations of its loops.
    std::vector<OpcodeCounts> run(const Launch& launch) const {
        std::vector<OpcodeCounts> warps;
        const std::uint32_t threads = launch.block[0] * launch.block[1] * launch.block[2];
        for (std::uint32_t z = 0; z < launch.grid[2]; ++z)
            for (std::uint32_t y = 0; y < launch.grid[1]; ++y)
                for (std::uint32_t x = 0; x < launch.grid[0]; ++x)
                    for (std::uint32_t first = 0; first < threads; first += 32) {
                        std::map<std::vector<std::uint32_t>, bool> events;  // whether some lane executes it
                        for (std::uint32_t t = first; t < std::min(threads, first + 32); ++t)
                            run_thread(launch, {x, y, z}, t, events);
                        OpcodeCounts& counts = warps.emplace_back();
                        for (const auto& [event, executes] : events) {
                            const bool of_function = event.back() >= first_line_of_functions;
                            const std::uint32_t line =
                                of_function ? event.back() - first_line_of_functions : event[0];
                            const std::string& opcode = lines_[line].opcode;
                            ++counts[executes ? opcode.substr(0, opcode.find('.')) : "skipped"];
                        }
                    }
        return warps;
    }

  private:
    struct Line {
        std::string guard, opcode;  // no opcode: a label
        std::vector<std::string> operands;
    };
    using Registers = std::map<std::string, std::uint32_t>;

    void add_lines(const std::string& body) {
        std::istringstream lines(body);
        for (std::string line; std::getline(lines, line);) {
            if (line.empty()) continue;
            if (line.back() == ':') {
                line.pop_back();
                label_[line] = lines_.size();
                lines_.push_back({{}, {}, {line}});
                continue;
            }
            Line own;
            std::replace(line.begin(), line.end(), ',', ' ');
            std::replace(line.begin(), line.end(), ';', ' ');
            std::istringstream words(line);
            for (std::string word; words >> word;) {
                if (word.front() == '@') {
                    own.guard = word.substr(1);
                } else if (own.opcode.empty()) {
                    own.opcode = word;
                } else {
                    own.operands.push_back(word);
                }
            }
            lines_.push_back(own);
        }
    }

    // Instructions with their own unit.
    static bool has_unit(const std::string& opcode) {
        const std::string base = opcode.substr(0, opcode.find('.'));
        return base == "sin" || base == "ex2" || base == "call" || base == "st" ||
               (base == "ld" && opcode != "ld.param.u32");
    }

    static bool holds(const Line& line, const Registers& registers) {
        if (line.guard.empty()) return true;
        const bool negated = line.guard.front() == '!';
        return (registers.at(line.guard.substr(negated ? 1 : 0)) != 0) != negated;
    }

    // Runs the lines of a function, called by the event `call`.
    void run_function(std::size_t at, Registers registers, const std::vector<std::uint32_t>& call,
                      std::map<std::vector<std::uint32_t>, bool>& events) const {
        for (;; ++at) {
            const Line& line = lines_[at];
            const bool executes = holds(line, registers);
            std::vector<std::uint32_t> event = call;
            event.push_back(first_line_of_functions + static_cast<std::uint32_t>(at));
            events[event] |= executes || !has_unit(line.opcode);
            if (line.opcode == "ret") return;
            if (executes && line.opcode.find("f32") == std::string::npos)
                registers[line.operands[0]] = value(line, registers);
        }
    }

    // Adds (line, iterations of its loops) of all instructions that the thread executes.
    void run_thread(const Launch& launch, std::array<std::uint32_t, 3> block, std::uint32_t thread,
                    std::map<std::vector<std::uint32_t>, bool>& events) const {
        Registers registers;
        const auto& size = launch.block;
        const std::array<std::uint32_t, 3> at = {thread % size[0], thread / size[0] % size[1],
                                                 thread / size[0] / size[1]};
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const std::string name(1, static_cast<char>('x' + axis));
            registers["%tid." + name] = at[axis];
            registers["%ctaid." + name] = block[axis];
            registers["%ntid." + name] = size[axis];
            registers["%nctaid." + name] = launch.grid[axis];
        }
        registers["%laneid"] = thread % 32;
        std::uint32_t memory = thread * 2654435761U + block[0] * 40503U + block[1];
        std::vector<std::pair<std::string, std::uint32_t>> loops;
        const auto find_loop = [&](const std::string& number) {
            return std::find_if(loops.begin(), loops.end(), [&](const auto& l) { return l.first == number; });
        };
        std::uint64_t steps = 0;
        for (std::size_t pc = 0; pc < lines_.size(); ++pc) {
            if (++steps > 1'000'000) throw std::logic_error("a thread does not end");
            const Line& line = lines_[pc];
            if (line.opcode.empty()) {
                const std::string& label = line.operands[0];
                const auto loop = find_loop(label.substr(1));
                if (label[0] == 'H' && loop == loops.end()) {
                    loops.emplace_back(label.substr(1), 0);
                } else if (label[0] == 'H') {
                    ++loop->second;
                    loops.erase(loop + 1, loops.end());
                } else if (label[0] == 'X' && loop != loops.end()) {
                    loops.erase(loop, loops.end());
                }
                continue;
            }
            std::vector<std::uint32_t> event = {static_cast<std::uint32_t>(pc)};
            for (const auto& loop : loops) event.push_back(loop.second);
            const bool executes = holds(line, registers);
            events[event] |= executes || !has_unit(line.opcode);
            if (!executes) continue;
            if (line.opcode == "call") {
                run_function(label_.at(line.operands[0]), registers, event, events);
                continue;
            }
            if (line.opcode == "ret") return;
            if (line.opcode == "bra") {
                pc = label_.at(line.operands[0]) - 1;
                continue;
            }
            if (line.opcode == "ld.global.u32") {
                memory = memory * 1664525U + 1013904223U;
                registers[line.operands[0]] = memory >> 20U;
            } else if (line.opcode == "ld.param.u32") {
                registers[line.operands[0]] = launch.n;
            } else if (line.opcode.find("f32") == std::string::npos) {
                registers[line.operands[0]] = value(line, registers);
            }
        }
    }

    static std::uint32_t value(const Line& line, const Registers& registers) {
        std::vector<std::uint32_t> x;
        for (std::size_t i = 1; i < line.operands.size(); ++i) {
            const std::string& word = line.operands[i];
            x.push_back(word.front() == '%' ? registers.at(word)
                                            : static_cast<std::uint32_t>(std::stoll(word)));
        }
        const auto is = [&](const char* opcode) { return line.opcode == opcode; };
        const auto s = [&](std::size_t i) { return static_cast<std::int32_t>(x[i]); };
        if (is("mov.u32")) return x[0];
        if (is("add.s32")) return x[0] + x[1];
        if (is("sub.s32")) return x[0] - x[1];
        if (is("mul.lo.s32")) return x[0] * x[1];
        if (is("mad.lo.s32")) return x[0] * x[1] + x[2];
        if (is("and.b32") || is("and.pred")) return x[0] & x[1];
        if (is("or.b32") || is("or.pred")) return x[0] | x[1];
        if (is("xor.b32")) return x[0] ^ x[1];
        if (is("not.pred")) return x[0] == 0 ? 1 : 0;
        if (is("shl.b32")) return x[0] << x[1];
        if (is("shr.u32")) return x[0] >> x[1];
        if (is("shr.s32")) return static_cast<std::uint32_t>(s(0) >> x[1]);
        if (is("min.s32")) return static_cast<std::uint32_t>(std::min(s(0), s(1)));
        if (is("max.u32")) return std::max(x[0], x[1]);
        if (is("rem.u32")) return x[0] % x[1];
        if (is("div.s32")) return static_cast<std::uint32_t>(s(0) / s(1));
        if (is("selp.b32")) return x[2] != 0 ? x[0] : x[1];
        if (is("setp.lt.s32")) return s(0) < s(1) ? 1 : 0;
        if (is("setp.ge.s32")) return s(0) >= s(1) ? 1 : 0;
        if (is("setp.gt.s32")) return s(0) > s(1) ? 1 : 0;
        if (is("setp.lt.u32")) return x[0] < x[1] ? 1 : 0;
        if (is("setp.ge.u32")) return x[0] >= x[1] ? 1 : 0;
        if (is("setp.eq.s32")) return x[0] == x[1] ? 1 : 0;
        if (is("setp.ne.s32")) return x[0] != x[1] ? 1 : 0;
        throw std::logic_error("the reference does not know " + line.opcode);
    }

    static constexpr std::uint32_t first_line_of_functions = 0x8000'0000;
    std::vector<Line> lines_;
    std::map<std::string, std::size_t> label_;
};

}  // namespace warpnet::testing
