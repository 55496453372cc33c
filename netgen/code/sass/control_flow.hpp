#pragma once

#include "netgen/code/ptx/text/module.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warpnet::netgen {

/// The effect of a machine instruction on the flow of control.
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

/// The opcode and the operands of an instruction that determine where it continues.
struct SassTransfer {
    std::string_view opcode = {};
    SassControl control = SassControl::none;
    std::string_view stack = {};  ///< the opcode that pops: "SYNC" of SSY and of SYNC
    bool conditional = false;  ///< by a predicate, a condition code, a mask of lanes or an unknown modifier
    bool never = false;        ///< a condition that is always false
    std::vector<std::string_view> targets = {};  ///< labels, and addresses as in the text: "0x80"
    std::string_view unknown = {};               ///< an operand of no known kind
};

/// "P0", "!UP6", "PT".
bool is_sass_predicate(std::string_view text);

/// `joins`: the modifier .S pops the place of SSY, as on Kepler.
SassTransfer sass_transfer(std::string_view opcode, std::string_view operands, bool joins);

/// An instruction of a function that is not SassControl::none.
struct SassControlInstruction {
    std::uint32_t instruction;  ///< in PtxFunction::instructions
    SassTransfer transfer;
    std::vector<std::uint32_t> targets;  ///< instructions; for calls only those of this function
};

/// For messages: the name of the text, and the part of it after the function.
struct SassSurroundings {
    const std::string& source;
    const std::string& behind;
};

/// Instructions that are reachable from one entry, in order.
struct SassBody {
    std::uint32_t entry;
    std::vector<std::uint32_t> instructions;
};

/// Finds the places at which SYNC, BRK, CONT, … continue, the calls that return, the calls that are jumps,
/// and the called functions inside the function. Sets the class, the opcode and the guard of the
/// instructions, and the targets of branches. Returns the body of the function, then those of the called
/// ones.
///
/// Throws InputError (source:line: …) if an instruction continues at no place or at several, or if the code
/// of a body continues after its last instruction. Costs O(instructions of all bodies), times the nesting
/// depth of the places of SSY, PBK, … (at most 1000).
std::vector<SassBody> connect_sass(PtxFunction& function, std::vector<SassControlInstruction>& controls,
                                   const SassSurroundings& text);

}  // namespace warpnet::netgen
