#include "tests/project/project_sources.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <catch2/catch.hpp>

using namespace warpnet::testing;

namespace {

bool in_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// Names and signs of C++ text, without comments, literals and preprocessor lines.
class Tokens {
  public:
    explicit Tokens(std::string_view text) : text_(text) {
        while (at_ < text_.size()) read();
    }
    std::vector<std::string> list() && { return std::move(list_); }

  private:
    bool starts(std::string_view start) const { return text_.substr(at_).starts_with(start); }
    void skip_behind(std::string_view end) {
        const std::size_t found = text_.find(end, at_);
        at_ = found == std::string_view::npos ? text_.size() : found + end.size();
    }

    void read() {
        const char c = text_[at_];
        if (starts("//") || c == '#') {
            skip_behind("\n");
        } else if (starts("/*")) {
            skip_behind("*/");
        } else if (starts("R\"")) {
            const std::size_t open = text_.find('(', at_);
            const std::string end = ")" + std::string(text_.substr(at_ + 2, open - at_ - 2)) + "\"";
            at_ = open;
            skip_behind(end);
        } else if (c == '"' || c == '\'') {
            for (++at_; at_ < text_.size() && text_[at_] != c; ++at_) {
                if (text_[at_] == '\\') ++at_;
            }
            ++at_;
        } else if (in_name(c)) {  // names, and numbers with the ' between their digits
            const std::size_t first = at_;
            const bool number = std::isdigit(static_cast<unsigned char>(c)) != 0;
            while (at_ < text_.size() && (in_name(text_[at_]) || (number && text_[at_] == '\''))) ++at_;
            list_.emplace_back(text_.substr(first, at_ - first));
        } else {
            const std::size_t length = starts("::") ? 2 : 1;
            if (c != ' ' && c != '\n' && c != '\t') list_.emplace_back(text_.substr(at_, length));
            at_ += length;
        }
    }

    std::string_view text_;
    std::size_t at_ = 0;
    std::vector<std::string> list_;
};

/// The types that a file defines in named namespaces, with these: "warpnet::Net". Types within another type,
/// a function or an unnamed namespace do not concern other files.
class TypeNames {
  public:
    explicit TypeNames(std::string_view text) : tokens_(Tokens(text).list()) {
        while (at_ < tokens_.size()) read();
    }
    std::set<std::string> names() && { return std::move(names_); }

  private:
    static constexpr const char* closed = "";  // a scope whose types have no linkage, or are nested

    const std::string& token(std::size_t at) const {
        static const std::string end;
        return at < tokens_.size() ? tokens_[at] : end;
    }

    void read() {
        const std::string& word = token(at_++);
        if (word == "namespace") {
            read_namespace();
        } else if (word == "{") {
            scopes_.emplace_back(closed);
        } else if (word == "}") {
            if (!scopes_.empty()) scopes_.pop_back();
        } else if (word == "struct" || word == "class" || word == "union" || word == "enum") {
            read_type();
        }
    }

    void read_namespace() {
        std::string name;
        while (token(at_) != "{" && token(at_) != ";" && token(at_) != "=" && at_ < tokens_.size())
            name += tokens_[at_++];
        if (token(at_) != "{") return;  // an alias, or a directive
        ++at_;
        scopes_.push_back(name.empty() ? closed : name + "::");
    }

    /// `final`, base classes and the like may be between the name and the brace. If a semicolon comes first,
    /// or a sign that a definition cannot have there, nothing is defined.
    void read_type() {
        if (token(at_) == "class" || token(at_) == "struct") ++at_;  // enum class
        const std::string name = token(at_);
        const std::string& next = token(at_ + 1);
        if (name.empty() || !in_name(name.front()) || (next != "{" && next != ":" && next != "final")) return;
        if (std::find(scopes_.begin(), scopes_.end(), closed) != scopes_.end()) return;
        std::size_t end = at_;
        while (token(end) != "{" && token(end) != ";" && end < tokens_.size()) ++end;
        if (token(end) != "{") return;
        std::string whole;
        for (const std::string& scope : scopes_) whole += scope;
        names_.insert(whole + name);
    }

    std::vector<std::string> tokens_;
    std::size_t at_ = 0;
    std::vector<std::string> scopes_;
    std::set<std::string> names_;
};

std::set<std::string> types_of(std::string_view text) { return TypeNames(text).names(); }

}  // namespace

TEST_CASE("no two files define types of one name: a linker takes the functions of either for both") {
    std::map<std::string, std::vector<std::string>> files;
    for_each_source([&](const std::string& file, const std::string& text) {
        for (const std::string& type : types_of(text)) files[type].push_back(file);
    });
    CHECK(files.size() > 400);
    for (const auto& [type, where] : files) {
        CAPTURE(type);
        CHECK(where == std::vector<std::string>{where.front()});
    }
}

TEST_CASE("types are distinguished from text that looks like them") {
    CHECK(types_of("namespace a { struct S { struct Nested {}; }; enum class E : int { x }; }") ==
          std::set<std::string>{"a::S", "a::E"});
    CHECK(types_of("namespace a::b { class C final : public D<int> {}; }\nunion U {};") ==
          std::set<std::string>{"a::b::C", "U"});
    CHECK(types_of("namespace a { namespace { struct S {}; } void f() { struct T {}; } }").empty());
    CHECK(
        types_of("struct S; class T; enum class E : int; template <class T, class U = V> void f();").empty());
    CHECK(types_of("template <> struct N::S<int> {}; struct O::S {}; void f(struct S* s) {}").empty());
    CHECK(types_of("// struct A {};\n/* struct B {}; */ auto s = \"struct C {}\" R\"(struct D {};)\";")
              .empty());
    CHECK(types_of("int i = 1'000; char c = '\\''; struct S {};") == std::set<std::string>{"S"});
}
