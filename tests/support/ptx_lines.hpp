#pragma once

#include <cctype>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace warpnet::testing {

/// A module with one kernel `k` that takes a number `n`, before functions.
inline std::string kernel_text(const std::string& body, const std::string& functions = "") {
    return ".version 9.0\n.target sm_80\n.entry k(.param .u32 n)\n{\n" + body + "ret;\n}\n" + functions;
}

/// An instruction for a counter without a grammar: the text between two semicolons.
struct PtxStatement {
    std::size_t line = 0;
    std::string opcode;
    std::string text;
};

/// The bodies of all functions of a PTX text, cut at semicolons and braces, line by line: an independent
/// check of the reader, for texts of nvcc.
inline std::map<std::string, std::vector<PtxStatement>> ptx_statements(const std::string& text) {
    std::map<std::string, std::vector<PtxStatement>> functions;
    std::string name;
    std::string statement;
    std::size_t begin = 0;
    bool inside = false;
    const auto finish = [&] {
        std::size_t at = statement.find_first_not_of(" \t");
        if (at != std::string::npos && statement[at] == '@') {
            at = statement.find_first_of(" \t", at);
            at = statement.find_first_not_of(" \t", at);
        }
        if (at != std::string::npos && std::islower(static_cast<unsigned char>(statement[at])) != 0) {
            const std::size_t end = statement.find_first_of(" \t;", at);
            functions[name].push_back({begin, statement.substr(at, end - at), statement});
        }
        statement.clear();
    };
    std::size_t line_number = 0;
    for (std::size_t from = 0; from < text.size();) {
        const std::size_t to = text.find('\n', from);
        std::string line = text.substr(from, to == std::string::npos ? to : to - from);
        from = to == std::string::npos ? text.size() : to + 1;
        ++line_number;
        line = line.substr(0, line.find("//"));
        line.erase(line.find_last_not_of(" \t\r") + 1);
        for (const char* kind : {".entry ", ".func "}) {
            const std::size_t at = line.find(kind);
            if (at == std::string::npos || inside) continue;
            std::string rest = line.substr(at + std::string_view(kind).size());
            if (const std::size_t first = rest.find_first_not_of(' '); rest[first] == '(')
                rest = rest.substr(rest.find(')') + 1);  // the returned value
            const std::size_t first = rest.find_first_not_of(' ');
            name = rest.substr(first, rest.find_first_of(" (\t", first) - first);
        }
        if (line == "{") {
            inside = true;
            continue;
        }
        if (line == "}") {
            inside = false;
            continue;
        }
        if (!inside) continue;
        const std::size_t first = line.find_first_not_of(" \t");
        if (first == std::string::npos) continue;
        if (line.back() == ':' || line.compare(first, 4, ".loc") == 0) continue;  // labels, line numbers
        for (const char c : line.substr(first)) {
            // A brace before any other text opens a scope; a later brace belongs to an operand.
            const bool is_scope =
                (c == '{' || c == '}') && statement.find_first_not_of(" \t") == std::string::npos;
            if (is_scope) continue;
            if (statement.empty()) begin = line_number;
            if (c == ';') {
                finish();
            } else {
                statement += c;
            }
        }
    }
    return functions;
}

}  // namespace warpnet::testing
