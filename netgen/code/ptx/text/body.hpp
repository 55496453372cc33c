#pragma once

#include "netgen/code/ptx/text/module.hpp"
#include "netgen/code/ptx/text/scanner.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace warpnet::netgen {

/// A use of a name in a text.
struct PtxUse {
    std::string_view name;
    std::uint32_t line;
    auto operator<=>(const PtxUse&) const = default;
};

struct PtxNames {
    /// With the number of variables that `name<N>` declares, 0 without `<N>`.
    std::unordered_map<std::string_view, std::int64_t> declared;
    /// Of parameters: the space to which they point.
    std::unordered_map<std::string_view, std::string_view> pointers = {};
    std::vector<PtxUse> used;  ///< in initial values, declared or not
};

/// Reads a declaration of variables from the directive of its state space up to and including the semicolon.
std::vector<PtxSharedVariable> read_ptx_declaration(PtxScanner& scanner, PtxNames& names);

/// Reads `(.param .u64 a, .reg .b32 b, ...)`: the parameters or results of a function.
void read_ptx_parameters(PtxScanner& scanner, PtxNames& names);

/// Reads `.align 8 .v2 .f32`, before names, and returns the bytes of an element and their alignment. `space`
/// receives the target space of a `.ptr`.
struct PtxType {
    std::int64_t bytes = 1;
    std::int64_t alignment = 1;
};
PtxType read_ptx_type(PtxScanner& scanner, std::string_view* space = nullptr);

/// Whether a directive begins the declaration of a variable or register: `.global`, `.reg`.
bool is_ptx_space(std::string_view directive);

/// Skips `count` whole numbers, which messages call `what`.
void skip_ptx_integers(PtxScanner& scanner, int count, std::string_view what);

/// Reads the rest of `.file`, `.loc`, `.pragma` and `.attribute`.
void read_ptx_file(PtxScanner& scanner);
void read_ptx_location(PtxScanner& scanner);
bool read_ptx_pragma(PtxScanner& scanner, std::vector<std::string>& warnings);  ///< whether it is "nounroll"
void read_ptx_attribute(PtxScanner& scanner);

/// Reads the rest of `.section NAME {…}`: bytes and labels, which have no effect on instructions.
void read_ptx_section(PtxScanner& scanner, std::vector<std::string>& warnings);

/// A name in a scope of a function. The function itself is scope 0.
struct PtxScopedName {
    std::uint32_t scope = 0;
    std::string_view name;
    bool operator==(const PtxScopedName&) const = default;
};
struct PtxScopedNameHash {
    std::size_t operator()(const PtxScopedName& key) const {
        return std::hash<std::string_view>()(key.name) ^ (key.scope * 0x9E3779B97F4A7C15U);
    }
};

/// A call in a body.
struct PtxCallName {
    std::string_view function;  ///< or the register with its address
    std::uint32_t instruction = 0;
    std::vector<std::string_view> targets = {};  ///< through a register: the functions of its .calltargets
};

/// Reads the body of a function, from '{' to its '}'.
class PtxBodyReader {
  public:
    /// `names`: those of the parameters; receives those that the body declares.
    PtxBodyReader(PtxScanner& scanner, PtxFunction& function, PtxNames names,
                  std::vector<std::string>& warnings)
        : scanner_(scanner), function_(function), names_(std::move(names)), warnings_(warnings) {}

    void read();
    /// Names that the body uses without declaring them, with their lines.
    const std::vector<PtxUse>& undeclared() const { return undeclared_; }
    /// In the order of the text, by name only, since the body does not know the other functions.
    const std::vector<PtxCallName>& calls() const { return calls_; }

  private:
    struct Scope {
        std::uint32_t number;
        std::size_t declared_before;  // size of declared_ when it was opened
        std::uint32_t line;
    };
    // Registers declared in an inner scope: `p`, or `t<4>` for t0 … t3.
    struct Declared {
        std::string_view name;
        std::int64_t count;  // 0: the name alone
        std::uint32_t scope;
    };
    struct BranchName {
        std::uint32_t instruction;
        std::uint32_t scope;
        std::string_view name;
        std::uint32_t line;
        bool is_list;  // brx: the name of a .branchtargets list
    };

    void open_scope();
    void close_scope();
    void read_statement();
    void read_directive();
    void read_registers();
    void read_label(std::string_view name, std::uint32_t line);
    void read_name_list(std::string_view name);
    void read_prototype(std::string_view name);
    void read_instruction();
    void read_operand(std::uint16_t position, bool in_address);
    void read_atom(std::uint16_t position, bool in_address);
    void read_list(char close, std::uint16_t position, bool in_address);
    void add(PtxOperand operand);
    void note_branch(std::uint32_t instruction);
    void note_call(std::uint32_t instruction, bool returns);
    void note_undeclared();
    void resolve_targets();
    template <class Value>
    using Scoped = std::unordered_map<PtxScopedName, Value, PtxScopedNameHash>;
    template <class Value>
    const Value* find_around(const Scoped<Value>& names, std::uint32_t& scope, std::string_view name) const;
    std::uint32_t find_label(const BranchName& branch, std::string_view name, std::uint32_t scope) const;
    PtxRegister register_of(std::string_view name);

    PtxScanner& scanner_;
    PtxFunction& function_;
    std::vector<Scope> scopes_;
    std::vector<std::uint32_t> parent_of_;  // by scope number
    std::vector<Declared> declared_;
    PtxNames names_;  // declared, of any scope
    std::vector<std::string>& warnings_;
    std::vector<std::uint32_t> line_of_;  // by register: the line of its first use
    std::vector<bool> written_;           // by register: destination of an instruction
    bool has_registers_ = false;          // a .reg declares some; otherwise writing to a name does
    std::vector<PtxUse> undeclared_;
    Scoped<std::uint32_t> registers_, labels_;
    Scoped<std::vector<std::string_view>> label_lists_;
    std::vector<BranchName> branches_;
    std::vector<std::uint32_t> call_scopes_;  // by call
    std::vector<PtxCallName> calls_;
    int list_depth_ = 0;
    bool in_call_ = false;  // parentheses hold arguments
};

}  // namespace warpnet::netgen
