#pragma once

#include "netgen/code/ptx/text/module.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warpnet::netgen {

/// What a machine instruction does to the flow of control.
enum class SassControl : std::uint8_t {
    none,
    branch,    ///< BRA, JMP
    indirect,  ///< BRX, JMX: through a register
    call,      ///< CALL, CAL, JCAL
    leave,     ///< EXIT, RET, KILL
    push,      ///< SSY, PBK, PCNT, …: names the place at which a later instruction continues
    pop,       ///< SYNC, BRK, CONT, …: continues there
    meet,      ///< BSSY, WARPSYNC.COLLECTIVE: names the place at which lanes meet
};

/// The opcode and the operands of an instruction, as far as they say where it leads.
struct SassTransfer {
    std::string_view opcode = {};
    SassControl control = SassControl::none;
    std::string_view stack = {};  ///< the opcode that pops: "SYNC" of SSY and of SYNC
    bool conditional = false;  ///< by a predicate, a condition code, a mask of lanes or an unknown modifier
    bool never = false;        ///< a condition that is always false
    std::vector<std::string_view> targets = {};  ///< labels, and addresses as the text has them: "0x80"
    std::string_view unknown = {};               ///< an operand that none of these is
};

/// "P0", "!UP6", "PT".
bool is_sass_predicate(std::string_view text);

/// `joins`: the modifier .S pops the place of SSY, as on Kepler.
SassTransfer sass_transfer(std::string_view opcode, std::string_view operands, bool joins);

/// An instruction of a function that is not SassControl::none.
struct SassControlInstruction {
    std::uint32_t instruction;  ///< in PtxFunction::instructions
    SassTransfer transfer;
    std::vector<std::uint32_t> targets;  ///< instructions; of calls only those of this function
};

/// For messages: what the text is called, and what is in it behind the function.
struct SassSurroundings {
    const std::string& source;
    const std::string& behind;
};

/// Instructions that one entry reaches, in order.
struct SassBody {
    std::uint32_t entry;
    std::vector<std::uint32_t> instructions;
};

/// Finds where SYNC, BRK, CONT, … continue, which calls return and which are jumps, and the functions inside
/// the function that it calls. Sets the class, the opcode and the guard of the instructions, and the targets
/// of those that branch. Returns the body of the function, then those of the called ones.
///
/// Throws InputError (source:line: …) if an instruction continues at no place or at several, or if the code
/// of a body runs on behind the last instruction. Costs O(instructions of all bodies), times up to 1000 if
/// places of SSY, PBK, … are nested so deep.
std::vector<SassBody> connect_sass(PtxFunction& function, std::vector<SassControlInstruction>& controls,
                                   const SassSurroundings& text);

}  // namespace warpnet::netgen
