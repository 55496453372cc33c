// Reads AMD GPU assembly line by line. Each instruction becomes its counterpart in PTX (opcodes.cpp), so that
// one analysis serves both. A wavefront has one program counter, so every branch moves all lanes. Only the
// execution mask makes lanes part. A branch on SCC is therefore uniform. Lanes part at a branch on EXEC
// behind an instruction that narrows EXEC. Compilers lay out `if (c) A; else B;` as a branch around A and a
// second one around B. Before the second one EXEC turns to the remaining lanes, and CfgLanes::others marks
// it.
//
// Scalar registers are followed for the proofs of trips. The results of a few scalar opcodes are computed.
// All other opcodes only overwrite the scalar registers that they may write. SCC is no register, so a
// comparison writes its own register. A later branch refers to it if no instruction in between may write SCC.
//
// Facts about SCC, EXEC and addresses of functions hold up to the next label or branch only. Another path may
// lead to a label, and one pass over the lines does not know it yet. A condition that is then unknown refers
// to register 0, which no instruction writes, so that both ways stay open.
//
// The text is read twice: first for the names of functions and kernels, which directives may give behind the
// code, then for the code. Names are views into the text, which the module owns. Branches are resolved by
// hash tables at the end of their function. Time and memory are O(text), apart from the linear search for the
// name of a function. Each call adds all scalar registers as operands, since the callee may write them.
//
// Assembler directives that produce code, such as macros and repetitions, are errors and not expanded. The
// listing of llvm-objdump shows the same code without them. Branches whose targets depend on a stack are
// errors, too.

#include "netgen/code/gcn/read_gcn.hpp"

#include "engine/base/text.hpp"
#include "engine/input/lines.hpp"
#include "engine/net/error.hpp"
#include "netgen/code/gcn/opcodes.hpp"
#include "netgen/code/gcn/syntax.hpp"
#include "netgen/code/ptx/text/opcodes.hpp"
#include "netgen/code/ptx/text/scanner.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

namespace warpnet::netgen {

namespace {

class GcnReader {
  public:
    GcnReader(std::string_view text, const std::string& source) {
        module_.text = std::make_shared<const std::string>(text);
        module_.source = source;
        module_.version = "GCN";
        module_.target = "unknown";
        module_.machine_code = true;
    }

    PtxModule read() {
        for_each_line([&](std::string_view line) { take_name(line); });
        comment_ = false;
        for_each_line([&](std::string_view line) { take(line); });
        if (!block_.empty())
            fail(fmt::format("expected .end_{}, found the end of the file", block_.substr(1)));
        end_function();
        if (module_.functions.empty())
            throw InputError(module_.source +
                             ": expected AMD GPU assembly with a function or kernel, found no instruction");
        connect_calls();
        finish_kernels();
        return std::move(module_);
    }

  private:
    struct Branch {
        std::uint32_t instruction;
        std::string_view target;
        std::optional<std::uint64_t> address = {};
    };

    [[noreturn]] void fail(const std::string& message, std::uint32_t line = 0) const {
        throw InputError(fmt::format("{}:{}: {}", module_.source, line > 0 ? line : line_, message));
    }

    void warn(const std::string& what) {
        module_.warnings.push_back(fmt::format("{}:{}: {}", module_.source, line_, what));
    }

    /// Each line without its comments; sets line_.
    template <class Visit>
    void for_each_line(Visit visit) {
        each_line(*module_.text, [&](std::size_t number, std::string_view line) {
            line_ = static_cast<std::uint32_t>(number);
            visit(without_comments(line));
        });
    }

    /// The line without comments and surrounding blanks. Sets address_ if a comment has the address: in front
    /// of the instruction (CLRX), or behind it (llvm-objdump).
    std::string_view without_comments(std::string_view line) {
        address_.reset();
        const auto address = [](std::string_view digits) -> std::optional<std::uint64_t> {
            std::uint64_t value = 0;
            const auto [end, error] =
                std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
            if (error != std::errc() || end != digits.data() + digits.size() || digits.size() < 6)
                return std::nullopt;
            return value;
        };
        for (;;) {
            if (comment_) {
                const std::size_t end = line.find("*/");
                if (end == std::string_view::npos) return {};
                comment_ = false;
                line.remove_prefix(end + 2);
            }
            line = trimmed(line);
            if (!line.starts_with("/*")) break;
            const std::size_t end = line.find("*/");
            if (end != std::string_view::npos) address_ = address(line.substr(2, end - 2));
            comment_ = true;
            line.remove_prefix(end == std::string_view::npos ? line.size() : 2);
        }
        if (const std::size_t end = line.find("//"); end != std::string_view::npos) {
            const std::string_view comment = trimmed(line.substr(end + 2));
            if (const std::size_t colon = comment.find(':'); colon != std::string_view::npos)
                address_ = address(comment.substr(0, colon));
            line = line.substr(0, end);
        }
        if (const std::size_t end = line.find("/*"); end != std::string_view::npos) {
            comment_ = line.find("*/", end) == std::string_view::npos;
            line = line.substr(0, end);
        }
        if (line.starts_with('#')) return {};
        return trimmed(line.substr(0, line.find(';')));
    }

    /// The names of functions and kernels, from directives anywhere in the text.
    void take_name(std::string_view line) {
        const std::string_view directive = gcn_word(line);
        if (directive == ".type") {
            const std::size_t comma = line.find(',');
            if (comma == std::string_view::npos) return;
            const std::string_view what = trimmed(line.substr(comma + 1));
            if (what == "@function" || what == "%function") functions_.insert(trimmed(line.substr(0, comma)));
        } else if (directive == ".amdhsa_kernel" || directive == ".amdgpu_hsa_kernel" ||
                   directive == ".kernel") {
            const std::string_view name = trimmed(line);
            functions_.insert(name);
            kernels_.insert(name);
        }
    }

    void take(std::string_view line) {
        if (line.empty() || in_block(line)) return;
        if (line.starts_with("Disassembly of section") ||
            line.find("file format") != std::string_view::npos || line == "...")
            return;
        if (const auto symbol = objdump_symbol(line)) {
            return label(*symbol, !symbol->starts_with(".L") && !symbol->starts_with("BB"));
        }
        for (;;) {
            const std::size_t colon = line.find(':');
            const std::string_view name = line.substr(0, std::min(colon, line.size()));
            if (colon == std::string_view::npos || name.find_first_of(" \t[,\"") != std::string_view::npos)
                break;
            label(name, functions_.contains(name));
            line = trimmed(line.substr(colon + 1));
            if (line.empty()) return;
        }
        std::string_view rest = line;
        const std::string_view word = gcn_word(rest);
        if (word.starts_with('.')) {
            directive(word, trimmed(rest));
        } else if (is_gcn_mnemonic(word)) {
            add(word, trimmed(rest));
        } else if (trimmed(rest).starts_with('=')) {
            warn(fmt::format("'{}' is ignored", ptx_shown(line)));
        } else {
            fail(fmt::format("expected an instruction, a label or a directive, found '{}'", ptx_shown(word)));
        }
    }

    /// "name" of "0000000000001000 <name>:".
    static std::optional<std::string_view> objdump_symbol(std::string_view line) {
        const std::size_t open = line.find(" <");
        if (open == std::string_view::npos || !line.ends_with(">:") ||
            line.substr(0, open).find_first_not_of("0123456789abcdef") != std::string_view::npos)
            return std::nullopt;
        return line.substr(open + 2, line.size() - open - 4);
    }

    /// Whether the line is in a block of metadata, or in the configuration of a kernel of CLRX.
    bool in_block(std::string_view line) {
        if (configuration_ && line != ".text" && !line.starts_with(".kernel ")) return true;
        if (configuration_ && line == ".text") listed_kernel_ = configured_;
        configuration_ = false;
        if (block_.empty()) return false;
        std::string_view rest = line;
        const std::string_view word = gcn_word(rest);
        if (word.starts_with(".end_") && word.substr(5) == block_.substr(1)) block_ = {};
        if (word == ".amdhsa_group_segment_fixed_size")
            shared_bytes_[described_] = gcn_integer(trimmed(rest)).value_or(0);
        if (word == ".max_flat_workgroup_size:") most_threads_ = gcn_integer(trimmed(rest)).value_or(0);
        if (word == ".symbol:") {
            std::string_view name = trimmed(rest);
            if (name.starts_with('\'') && name.ends_with('\'') && name.size() > 1)
                name = name.substr(1, name.size() - 2);
            if (name.ends_with(".kd")) name.remove_suffix(3);
            threads_[name] = most_threads_;
        }
        return true;
    }

    void directive(std::string_view name, std::string_view rest) {
        if (needs_gcn_assembler(name))
            fail(fmt::format(
                "expected instructions, found the assembler directive {}, which is not expanded here; "
                "assemble the file and give what 'llvm-objdump -d' prints",
                name));
        if (name == ".amdgcn_target" || name == ".target") take_target(rest);
        if (begins_gcn_block(name)) {
            block_ = name;
            described_ = rest;
            if (name == ".amd_kernel_code_t") return;
        }
        configuration_ = name == ".kernel";
        if (configuration_) configured_ = rest;
        const bool leaves = name == ".kernel" || name == ".size" || name == ".data" || name == ".rodata" ||
                            name == ".amdhsa_kernel" ||
                            ((name == ".section" || name == ".pushsection") && !rest.starts_with(".text"));
        if (leaves) end_function();
        if (is_gcn_data_directive(name)) {
            if (function_ && unknown_directives_.insert(name).second)
                warn(fmt::format("{} among the instructions is ignored", name));
        } else if (!is_known_gcn_directive(name) && unknown_directives_.insert(name).second) {
            warn(fmt::format("unknown directive '{}' is ignored", ptx_shown(name)));
        }
    }

    /// "gfx900" of "amdgcn-amd-amdhsa--gfx900:xnack-".
    void take_target(std::string_view text) {
        const std::size_t at = text.find("gfx");
        if (at == std::string_view::npos || module_.target != "unknown") return;
        text.remove_prefix(at);
        module_.target = text.substr(0, text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789"));
    }

    void label(std::string_view name, bool is_function) {
        if (name.ends_with("$local")) return;
        if (name.starts_with(".Lfunc_end")) return end_function();
        if (is_function) {
            listed_kernel_ = {};
            end_function();
            begin_function(name);
            return;
        }
        last_label_ = name;
        if (!function_) return;
        forget_conditions();
        if (!labels_.emplace(name, static_cast<std::uint32_t>(function_->labels.size())).second)
            fail(fmt::format("label '{}' is there a second time", ptx_shown(name)));
        function_->labels.push_back(
            {name, static_cast<std::uint32_t>(function_->instructions.size()), line_});
    }

    void begin_function(std::string_view name) {
        if (module_.find(name))
            warn(fmt::format("a second listing of function '{}' is ignored", ptx_shown(name)));
        function_ = PtxFunction{};
        function_->name = name;
        function_->has_body = true;
        function_->line = line_;
        function_->registers = 1 + gcn_scalar_registers;
        next_address_ = 0;
        forget_conditions();
    }

    void forget_conditions() {
        condition_.reset();
        exec_written_ = exec_turned_ = exec_narrowed_ = false;
        address_of_.clear();
    }

    void add(std::string_view mnemonic, std::string_view text) {
        // CLRX lists the code of a kernel behind its configuration, without a label.
        if (!function_ && !listed_kernel_.empty()) begin_function(std::exchange(listed_kernel_, {}));
        if (!function_) {
            if (last_label_.empty() || !functions_.empty())
                fail(fmt::format("expected a function before the first instruction, found {}", mnemonic));
            begin_function(last_label_);
            label(last_label_, false);
        }
        const std::string_view name = gcn_without_encoding(mnemonic);
        for (const std::string_view fork :
             {"s_cbranch_g_fork", "s_cbranch_i_fork", "s_cbranch_join", "s_subvector_loop"})
            if (name.starts_with(fork))
                fail(fmt::format("expected a branch to a label, found {}, whose target depends on a stack",
                                 mnemonic));
        const std::vector<std::string_view> operands = gcn_operands(text);
        PtxInstruction instruction;
        instruction.line = line_;
        instruction.opcode = ptx_counterpart_of_gcn(name);
        instruction.ptx_class =
            instruction.opcode.empty() ? PtxClass::unknown : ptx_class_of(instruction.opcode);
        if (instruction.opcode.empty()) instruction.opcode = mnemonic;
        instruction.first_operand = static_cast<std::uint32_t>(function_->operands.size());
        const auto number = static_cast<std::uint32_t>(function_->instructions.size());
        if (address_) {
            by_address_[*address_] = number;
            if (number == 0) first_address_ = *address_;
            next_address_ = static_cast<std::uint32_t>(*address_ - first_address_);
        }
        instruction.address = next_address_;
        next_address_ += gcn_bytes(mnemonic, operands);
        if (instruction.ptx_class == PtxClass::branch) {
            branch(name, operands, instruction, number);
        } else {
            compute(name, operands, instruction);
            follow_exec(name, operands);
        }
        if (instruction.ptx_class == PtxClass::leave && kernels_.contains(function_->name) &&
            name == "s_setpc_b64")
            instruction.ptx_class = PtxClass::branch;  // no caller: a jump through a register
        if (instruction.ptx_class == PtxClass::call) call(name, operands, number);
        follow_address(operands);
        instruction.operand_count =
            static_cast<std::uint32_t>(function_->operands.size()) - instruction.first_operand;
        function_->instructions.push_back(instruction);
        if (instruction.ptx_class == PtxClass::branch || instruction.ptx_class == PtxClass::leave)
            forget_conditions();
    }

    void branch(std::string_view name, const std::vector<std::string_view>& operands,
                PtxInstruction& instruction, std::uint32_t number) {
        if (operands.size() != 1)
            fail(fmt::format("expected one target behind {}, found {}", name, operands.size()));
        branches_.push_back({number, operands.front(), address_});
        if (name == "s_branch") return;
        // Register 0 is never written: the condition is unknown.
        instruction.guard = PtxGuard{};
        if (name.starts_with("s_cbranch_scc")) {
            instruction.lanes = CfgLanes::uniform;
            if (condition_) instruction.guard = PtxGuard{PtxRegister{*condition_}, name.ends_with('0')};
        } else if (name.starts_with("s_cbranch_exec") && exec_narrowed_) {
            instruction.lanes = exec_turned_ ? CfgLanes::others : CfgLanes::divergent;
        }
    }

    void follow_exec(std::string_view name, const std::vector<std::string_view>& operands) {
        if (!gcn_writes_exec(name, operands)) return;
        if (operands.empty()) fail(fmt::format("expected operands after {}, found none", name));
        const bool turns = gcn_turns_exec(name, operands);
        exec_turned_ = turns && (!exec_written_ || exec_turned_);
        exec_written_ = true;
        // "s_or_b64 exec, exec, s[0:1]" lets lanes that parted meet again.
        exec_narrowed_ = !name.starts_with("s_or_b") && !operands.back().starts_with("-1");
    }

    /// "s_add_u32 s16, s16, foo@rel32@lo+4" computes the address of a function.
    void follow_address(const std::vector<std::string_view>& operands) {
        if (operands.empty()) return;
        const GcnScalars written = gcn_scalars(operands.front());
        if (written.count == 0) return;
        const bool low = operands.back().find("rel32@lo") != std::string_view::npos;
        const bool high = operands.back().find("rel32@hi") != std::string_view::npos;
        if (low) {
            address_of_[written.first] = operands.back().substr(0, operands.back().find('@'));
        } else if (!high) {
            for (std::uint32_t s = 0; s < written.count; ++s) address_of_.erase(written.first + s);
        }
    }

    void call(std::string_view name, const std::vector<std::string_view>& operands, std::uint32_t number) {
        if (operands.size() != 2) return;
        std::string_view target = operands[1];
        if (!name.starts_with("s_call")) {
            const auto known = address_of_.find(gcn_scalars(operands[1]).first);
            target = known == address_of_.end() ? std::string_view() : known->second;
        }
        if (!target.empty()) calls_.push_back({{number, target}, module_.functions.size()});
    }

    void add_destination(std::uint32_t reg, std::string_view text) {
        function_->operands.push_back(
            {.kind = PtxOperand::Kind::name, .reg = PtxRegister{reg}, .text = text});
    }

    /// The operands that are followed: those of an exact scalar instruction, otherwise the scalar registers
    /// that it may write.
    void compute(std::string_view name, const std::vector<std::string_view>& operands,
                 PtxInstruction& instruction) {
        const std::string_view exact = exact_ptx_of_gcn(name);
        const bool compares = exact.starts_with("setp");
        if (!gcn_keeps_scc(name)) condition_.reset();
        if (!exact.empty() && follow(exact, name, operands, instruction)) return;
        if (compares) return;
        const bool scalar = name.starts_with("s_");
        const bool known = instruction.ptx_class != PtxClass::unknown;
        if (instruction.ptx_class == PtxClass::call || name.starts_with("s_movreld") ||
            name.starts_with("s_set_gpr")) {
            for (std::uint32_t s = 0; s < gcn_scalar_registers; ++s) add_destination(1 + s, "s");
            return;
        }
        for (std::size_t o = 0; o < operands.size(); ++o) {
            const bool carry = o == 1 && (name.starts_with("v_add") || name.starts_with("v_sub") ||
                                          name.starts_with("v_div_scale") || name.starts_with("v_mad_u64") ||
                                          name.starts_with("v_mad_i64"));
            const bool written = o == 0 || carry || !known;
            if (!written || (known && !scalar && !name.starts_with("v_"))) continue;
            const GcnScalars scalars = gcn_scalars(operands[o]);
            for (std::uint32_t s = 0; s < scalars.count; ++s)
                add_destination(1 + scalars.first + s, operands[o]);
        }
    }

    /// A scalar instruction whose result follows from its operands.
    bool follow(std::string_view exact, std::string_view name, const std::vector<std::string_view>& operands,
                PtxInstruction& instruction) {
        const bool compares = exact.starts_with("setp");
        const bool immediate16 = name.starts_with("s_movk") || name.starts_with("s_addk") ||
                                 name.starts_with("s_mulk") || name.starts_with("s_cmpk");
        const bool in_place = name.starts_with("s_addk") || name.starts_with("s_mulk");
        const std::size_t sources = name.starts_with("s_mov") ? 1 : 2;
        if (operands.size() != (compares || in_place ? 2 : sources + 1)) return false;
        std::vector<PtxOperand> followed;
        const auto source = [&](std::string_view text, std::uint16_t position, bool is_immediate16) {
            const GcnScalars scalars = gcn_scalars(text);
            if (scalars.count == 1 && !text.ends_with(']')) {
                followed.push_back({.kind = PtxOperand::Kind::name,
                                    .position = position,
                                    .reg = PtxRegister{1 + scalars.first},
                                    .text = text});
                return true;
            }
            auto value = gcn_integer(text);
            if (!value) return false;
            if (is_immediate16)
                value = name.ends_with("_u32") ? *value & 0xFFFF : static_cast<std::int16_t>(*value & 0xFFFF);
            const bool shifts = exact.starts_with("sh") && position == 2;
            if (shifts && (*value < 0 || *value > 31)) return false;
            followed.push_back({.kind = PtxOperand::Kind::integer, .position = position, .value = *value});
            return true;
        };
        std::size_t next = 0;
        std::uint32_t destination = 0;
        if (!compares) {
            const GcnScalars scalars = gcn_scalars(operands[next++]);
            if (scalars.count != 1) return false;
            destination = 1 + scalars.first;
        }
        if (in_place && !source(operands[0], 1, false)) return false;
        // A shift by a register uses its low five bits, unlike in PTX.
        if (exact.starts_with("sh") && gcn_scalars(operands.back()).count > 0) return false;
        for (std::uint16_t position = in_place ? 2 : 1; next < operands.size(); ++next, ++position)
            if (!source(operands[next], position, immediate16 && next + 1 == operands.size())) return false;
        if (compares) {
            destination = function_->registers++;
            condition_ = destination;
        }
        instruction.opcode = exact;
        add_destination(destination, compares ? "scc" : operands.front());
        function_->operands.insert(function_->operands.end(), followed.begin(), followed.end());
        return true;
    }

    /// The instruction that a target names, as a label.
    std::uint32_t label_of(const Branch& branch) {
        const std::string_view target = branch.target;
        const std::uint32_t line = function_->instructions[branch.instruction].line;
        if (const auto found = labels_.find(target); found != labels_.end()) return found->second;
        const auto offset = gcn_integer(target);
        if (offset && branch.address) {
            const std::int64_t words = static_cast<std::int16_t>(*offset & 0xFFFF);
            const std::uint64_t to = *branch.address + 4 + 4 * static_cast<std::uint64_t>(words);
            if (const auto found = by_address_.find(to); found != by_address_.end()) {
                const auto number = static_cast<std::uint32_t>(function_->labels.size());
                const auto [known, is_new] = label_at_.emplace(found->second, number);
                if (is_new)
                    function_->labels.push_back(
                        {target, found->second, function_->instructions[found->second].line});
                return known->second;
            }
        }
        fail(fmt::format("expected a label of function '{}' as target, found '{}'",
                         ptx_shown(function_->name), ptx_shown(target)),
             line);
    }

    void end_function() {
        if (!function_) return;
        std::vector<PtxInstruction>& instructions = function_->instructions;
        if (!instructions.empty()) {
            for (const Branch& branch : branches_) {
                const std::uint32_t label = label_of(branch);
                PtxInstruction& from = instructions[branch.instruction];
                from.first_target = static_cast<std::uint32_t>(function_->targets.size());
                from.target_count = 1;
                function_->targets.push_back(label);
            }
            check_end();
            sort_labels(*function_);
            if (module_.find(function_->name)) {
                std::erase_if(calls_,
                              [&](const auto& call) { return call.second == module_.functions.size(); });
            } else {
                module_.functions.push_back(std::move(*function_));
            }
        }
        function_.reset();
        branches_.clear();
        labels_.clear();
        by_address_.clear();
        label_at_.clear();
    }

    /// Code must not continue after its last instruction. After the last end, code without a label is
    /// padding.
    void check_end() const {
        const auto stops = [](const PtxInstruction& i) {
            return i.ptx_class == PtxClass::leave || i.ptx_class == PtxClass::call || i.opcode == "brkpt" ||
                   (i.ptx_class == PtxClass::branch && !i.guard);
        };
        const auto& instructions = function_->instructions;
        const auto last = std::find_if(instructions.rbegin(), instructions.rend(), stops);
        const auto behind = static_cast<std::uint32_t>(last.base() - instructions.begin());
        const bool goes_on =
            std::any_of(function_->targets.begin(), function_->targets.end(),
                        [&](std::uint32_t t) { return function_->labels[t].instruction >= behind; });
        if (last != instructions.rend() && !goes_on) return;
        fail(fmt::format(
                 "expected s_endpgm, s_setpc_b64 or a branch at the end of function '{}', found another "
                 "instruction: lines are missing",
                 ptx_shown(function_->name)),
             instructions.back().line);
    }

    void connect_calls() {
        for (const auto& [call, caller] : calls_) {
            auto callee = module_.find(call.target);
            if (!callee) {
                PtxFunction declared;
                declared.name = call.target;
                declared.line = module_.functions[caller].instructions[call.instruction].line;
                callee = module_.functions.size();
                module_.functions.push_back(std::move(declared));
            }
            module_.functions[caller].instructions[call.instruction].callee =
                static_cast<std::uint32_t>(*callee);
        }
    }

    /// If no directive names kernels, they are the functions that end the program.
    void finish_kernels() {
        for (PtxFunction& function : module_.functions) {
            const auto ends = [](const PtxInstruction& i) { return i.opcode == "exit"; };
            function.is_kernel =
                function.has_body && (kernels_.empty() ? std::any_of(function.instructions.begin(),
                                                                     function.instructions.end(), ends)
                                                       : kernels_.contains(function.name));
            if (const auto bytes = shared_bytes_.find(function.name);
                bytes != shared_bytes_.end() && bytes->second > 0)
                function.shared.push_back({"", bytes->second, 1});
            if (const auto threads = threads_.find(function.name); threads != threads_.end())
                function.max_threads = threads->second;
        }
    }

    PtxModule module_;
    std::uint32_t line_ = 0;
    bool comment_ = false;                  // a comment continues in the next line
    std::optional<std::uint64_t> address_;  // of the instruction of the line
    std::unordered_set<std::string_view> functions_, kernels_, unknown_directives_;
    std::string_view block_, described_;  // the directive that began it, and the name in it
    std::string_view configured_, listed_kernel_;
    bool configuration_ = false;  // of a kernel, as CLRX lists it
    std::int64_t most_threads_ = 0;
    std::unordered_map<std::string_view, std::int64_t> shared_bytes_, threads_;  // by kernel

    std::optional<PtxFunction> function_;
    std::uint64_t first_address_ = 0;  // of the function
    std::uint32_t next_address_ = 0;   // from there
    std::string_view last_label_;
    std::vector<Branch> branches_;
    std::unordered_map<std::string_view, std::uint32_t> labels_;
    std::unordered_map<std::uint64_t, std::uint32_t> by_address_;
    std::unordered_map<std::uint32_t, std::uint32_t> label_at_;
    std::vector<std::pair<Branch, std::size_t>> calls_;  // with the calling function
    // Of the block that is read:
    std::optional<std::uint32_t> condition_;  // the register that holds SCC at this point
    bool exec_written_ = false, exec_turned_ = false, exec_narrowed_ = false;
    std::unordered_map<std::uint32_t, std::string_view> address_of_;  // by scalar register: a function
};

}  // namespace

bool is_gcn(std::string_view text) {
    const bool ptx = text.starts_with(".version") || text.find("\n.version") != std::string_view::npos;
    if (ptx) return false;
    for (const std::string_view sign : {"s_endpgm", ".amdgcn_target", "s_setpc_b64"})
        if (text.find(sign) != std::string_view::npos) return true;
    return false;
}

PtxModule read_gcn(std::string_view text, const std::string& source) {
    return GcnReader(text, source).read();
}

}  // namespace warpnet::netgen
