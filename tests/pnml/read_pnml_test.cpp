// Each document in data/ contains one dialect or one error; data/expected.tsv has the expected result. For an
// ok_ file this is the net in the notation of summary() below, for a bad_ file parts of the error message.

#include "pnml/read_pnml.hpp"

#include "engine/base/random.hpp"
#include "engine/net/error.hpp"
#include "pnml/text/net_file.hpp"
#include "tests/pnml/check_document.hpp"
#include "tests/support/case_count.hpp"
#include "tests/support/shared_data.hpp"

#include <cctype>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include <catch2/catch.hpp>
#include <fmt/format.h>

using namespace warpnet;
namespace fs = std::filesystem;

namespace {

const fs::path data_folder = testing::source_dir() / "tests/pnml/data";
const fs::path corpus_folder = testing::source_dir() / "tests/fuzz/corpus/read_pnml";

std::string in_quotes(const std::string& text) {
    std::string result = "\"";
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        const bool ends_here = i + 1 == text.size() || static_cast<unsigned char>(text[i + 1]) < 0x80;
        if (text[i] == '\n') {
            result += "\\n";
        } else if (byte < 0x20 || (byte >= 0xC0 && ends_here)) {
            result += fmt::format("\\x{:02X}", byte);
        } else {
            if (text[i] == '"') result += '\\';
            result += text[i];
        }
    }
    return result + '"';
}

std::string plain_or_quoted(const std::string& id) {
    return std::all_of(id.begin(), id.end(), [](unsigned char c) { return std::isalnum(c) != 0; })
               ? id
               : in_quotes(id);
}

template <class Node>
std::string node_summary(const Node& node) {
    std::string text = plain_or_quoted(node.id);
    if (!node.name.empty()) text += in_quotes(node.name);
    if (node.position) text += fmt::format("@{},{}", node.position->x, node.position->y);
    return text;
}

/// Places as id"name"@x,y=tokens, transitions as id"name"@x,y!^priority:arcs with '!' for immediate ones,
/// arcs as -p (input), +p (output), !p (inhibitor), ?p (read), with *weight if it is not 1.
std::string summary(const Net& net) {
    std::vector<std::string> parts;
    for (const Place& place : net.places()) {
        parts.push_back(node_summary(place) + (place.initial != 0 ? fmt::format("={}", place.initial) : ""));
    }
    for (std::size_t t = 0; t < net.transitions().size(); ++t) {
        const Transition& transition = net.transitions()[t];
        std::string text = node_summary(transition) + (transition.immediate ? "!" : "");
        if (transition.priority != 0) text += fmt::format("^{}", transition.priority);
        text += ':';
        for (const Arc& arc : net.arcs_of(TransitionId(t))) {
            text += "-+!?"[static_cast<int>(arc.kind)] + plain_or_quoted(net[arc.place].id);
            if (arc.weight != 1) text += fmt::format("*{}", arc.weight);
        }
        parts.push_back(text);
    }
    return fmt::format("{}", fmt::join(parts, " "));
}

std::map<std::string, std::string> expectations() {
    std::ifstream stream(data_folder / "expected.tsv");
    std::map<std::string, std::string> result;
    std::string line;
    std::getline(stream, line);
    while (std::getline(stream, line))
        result[line.substr(0, line.find('\t'))] = line.substr(line.find('\t') + 1);
    return result;
}

std::string content(const fs::path& file) {
    std::ostringstream text;
    text << std::ifstream(file, std::ios::binary).rdbuf();
    return text.str();
}

std::string refusal(std::string_view text, const pnml::PnmlReadOptions& options = {}) {
    try {
        pnml::read_pnml(text, "net.pnml", options);
    } catch (const pnml::PnmlError& error) {
        return error.what();
    }
    return "";
}

}  // namespace

TEST_CASE("each dialect is read and each error refused as expected") {
    std::set<std::string> files;
    for (const auto& [file, expected] : expectations()) {
        CAPTURE(file);
        files.insert(file);
        if (file.starts_with("ok_")) {
            CHECK(summary(pnml::read_pnml_file(data_folder / file)) == expected);
            continue;
        }
        std::string message;
        try {
            CAPTURE(summary(pnml::read_pnml_file(data_folder / file)));
            FAIL_CHECK("not refused");
        } catch (const pnml::PnmlError& error) {
            message = error.what();
        }
        CHECK_THAT(message, Catch::StartsWith((data_folder / file).string() + ":"));
        for (std::size_t at = 0; at != std::string::npos;) {
            const std::size_t end = expected.find(" | ", at);
            CHECK_THAT(message, Catch::Contains(expected.substr(at, end - at)));
            at = end == std::string::npos ? end : end + 3;
        }
    }
    for (const auto& entry : fs::directory_iterator(data_folder)) {
        const std::string file = entry.path().filename().string();
        CAPTURE(file);
        CHECK((file == "expected.tsv" || files.contains(file)));
    }
}

TEST_CASE("whatever is read survives writing and reading") {
    std::size_t nets = 0;
    for (const fs::path& folder : {data_folder, corpus_folder}) {
        for (const auto& entry : fs::directory_iterator(folder)) {
            CAPTURE(entry.path());
            nets += testing::check_document(content(entry.path())) ? 1U : 0U;
        }
    }
    CHECK(nets > 40);
}

TEST_CASE("every beginning of a document is refused") {
    for (const char* file : {"ok_inhibitor_all_spellings.pnml", "ok_entities.pnml", "ok_utf16_le.pnml"}) {
        const std::string whole = content(data_folder / file);
        for (std::size_t length = 0; length + 2 < whole.size(); ++length) {
            CAPTURE(file, length);
            REQUIRE_FALSE(refusal(std::string_view(whole).substr(0, length)).empty());
        }
    }
}

TEST_CASE("an error has a location") {
    try {
        pnml::read_pnml(
            "<pnml>\n<net id='n'>\n  <place id='\xC3\xA9'/><arc id='a' source='\xC3\xA9' "
            "target='x'/></net></pnml>",
            "net.pnml");
        FAIL("not refused");
    } catch (const pnml::PnmlError& error) {
        CHECK(error.location().source == "net.pnml");
        CHECK(error.location().line == 3);
        CHECK(error.location().column == 49);
        CHECK(error.location().element == "<arc id='a'>");
        CHECK_THAT(error.what(), Catch::StartsWith("net.pnml:3:49: <arc id='a'>: expected "));
    }
}

TEST_CASE("one of several nets is chosen by its id") {
    const std::string text =
        "<pnml><net id='one'><place id='p'/></net><net id='two'><place id='p'/><place id='q'/></net>"
        "<net id='two'/></pnml>";
    pnml::PnmlReadOptions options;
    options.net_id = "one";
    CHECK(pnml::read_pnml(text, "net.pnml", options).places().size() == 1);
    options.net_id = "two";
    CHECK_THAT(refusal(text, options), Catch::Contains("one net with the id 'two'"));
    options.net_id = "three";
    CHECK_THAT(refusal(text, options), Catch::Contains("'one', 'two', 'two'"));
}

TEST_CASE("one of several nets that share nodes is chosen by its id, and all together without") {
    const std::string text =
        "<pnml><shared-place name='s' initialMarking='1'/><net id='one'><place id='s'/></net>"
        "<net id='two'><place id='s'/><place id='q'/></net></pnml>";
    pnml::PnmlReadOptions options;
    CHECK(pnml::read_pnml(text, "net.pnml", options).places().size() == 2);
    options.net_id = "two";
    const Net two = pnml::read_pnml(text, "net.pnml", options);
    CHECK(two.places().size() == 2);
    CHECK(two.places()[0].id == "s");
}

TEST_CASE("a net without an id of its own is chosen by its number") {
    const std::string text =
        "<pnml><net><place id='p'/></net><net id='1'><place id='q'/></net><net><place id='r'/></net></pnml>";
    pnml::PnmlReadOptions options;
    const auto chosen = [&](const char* net) {
        options.net_id = net;
        return pnml::read_pnml(text, "net.pnml", options).places().front().id;
    };
    CHECK(chosen("1") == "q");  // an id precedes a number
    CHECK(chosen("2") == "q");
    CHECK(chosen("3") == "r");
    options.net_id = "4";
    CHECK_THAT(refusal(text, options), Catch::Contains("one net with the id '4'"));
    options.net_id = "0";
    CHECK_THAT(refusal(text, options), Catch::Contains("one net with the id '0'"));
}

TEST_CASE("a document that is read but probably wrong causes a warning") {
    const auto warnings = [](const std::string& net) {
        std::vector<std::string> found;
        pnml::PnmlReadOptions options;
        options.warnings = &found;
        pnml::read_pnml("<pnml>" + net + "</pnml>", "net.pnml", options);
        return found;
    };
    CHECK(warnings("<net id='n' type='http://www.pnml.org/version-2009/grammar/ptnet'><place id='p'/></net>")
              .empty());
    const auto arcs = warnings(
        "<net id='n'><place id='p'/><transition id='t'/><arc id='a' source='p' target='t'/>"
        "<arc id='a' source='t' target='p'/></net>");
    REQUIRE(arcs.size() == 1);
    CHECK_THAT(arcs[0], Catch::Contains("net.pnml:1:") &&
                            Catch::Contains("'a' again, 1 arc in all; nothing refers to it"));
    const auto label =
        warnings("<net id='n'><place id='p'><initialMarkin><text>3</text></initialMarkin></place></net>");
    REQUIRE(label.size() == 1);
    CHECK_THAT(label[0], Catch::Contains("<place id='p'>: element <initialMarkin> is ignored") &&
                             Catch::Contains("did you mean <initialMarking>?"));
    CHECK_THAT(warnings("<net id='n'><transition id='t'><prioritie/></transition></net>").at(0),
               Catch::EndsWith("net without it"));
    CHECK_THAT(warnings("<net id='n'><transition id='t'><priorty/></transition></net>").at(0),
               Catch::Contains("did you mean <priority>?"));
    CHECK_THAT(warnings("<net id='n' type='ptnet'/>").at(0),
               Catch::Contains("expected a place or a transition"));
    CHECK_THAT(warnings("<net id='n' type='hybrid'/>").at(0),
               Catch::Contains("expected the type of a place/transition net, found 'hybrid'"));
}

TEST_CASE("a document over the size limit is refused before it is read") {
    pnml::PnmlReadOptions options;
    options.max_bytes = 20;
    const std::string text(21, ' ');
    CHECK_THAT(refusal(text, options), Catch::Contains("at most 20 bytes"));
    std::istringstream stream(text);
    CHECK_THROWS_WITH(pnml::read_pnml(stream, "net.pnml", options), Catch::Contains("at most 20 bytes"));
    CHECK_THROWS_WITH(pnml::read_pnml_file(data_folder / "ok_plain.pnml", options),
                      Catch::Contains("at most 20 bytes"));
}

TEST_CASE("files and streams are read alike, and what is no file is named") {
    const fs::path file = data_folder / "ok_plain.pnml";
    std::ifstream stream(file, std::ios::binary);
    CHECK(pnml::read_pnml(stream, "standard input") == pnml::read_pnml_file(file));
    CHECK_THROWS_WITH(pnml::read_pnml_file(data_folder), Catch::Contains("a folder"));
    CHECK_THROWS_WITH(pnml::read_pnml_file(data_folder / "absent.pnml"), Catch::Contains("no such file"));
}

TEST_CASE("deep nesting costs no stack") {
    std::string text = "<pnml><net id='n'>";
    constexpr int depth = 200'000;
    for (int i = 0; i < depth; ++i) text += "<page>";
    text += "<place id='p'/>";
    for (int i = 0; i < depth; ++i) text += "</page>";
    CHECK(pnml::read_pnml(text + "</net></pnml>", "net.pnml").places().size() == 1);

    // A chain of references of the same length.
    text = "<pnml><net id='n'><place id='p'/>";
    for (int i = 0; i < depth; ++i) {
        const std::string target = i + 1 == depth ? std::string("p") : fmt::format("r{}", i + 1);
        text += fmt::format("<referencePlace id='r{}' ref='{}'/>", i, target);
    }
    text += "<transition id='t'/><arc id='a' source='r0' target='t'/></net></pnml>";
    CHECK(summary(pnml::read_pnml(text, "net.pnml")) == "p t:-p");
}

TEST_CASE("pages with references in each of them, as deep as the file likes") {
    std::string text = "<pnml><net id='n'><place id='p'/><transition id='t'/>";
    constexpr int depth = 10'000;
    for (int i = 0; i < depth; ++i)
        text += fmt::format(
            "<page id='g{0}'><referencePlace id='p{0}' ref='p{1}'/><referenceTransition id='t{0}' "
            "ref='t{1}'/>",
            i, i == 0 ? "" : std::to_string(i - 1));
    text += fmt::format("<arc id='a' source='p{0}' target='t{0}'/>", depth - 1);
    for (int i = 0; i < depth; ++i) text += "</page>";
    CHECK(summary(pnml::read_pnml(text + "</net></pnml>", "net.pnml")) == "p t:-p");
}

namespace {

/// A random net with sub-processes in the notation of WoPeD, and the net in one piece.
class RandomProcess {
  public:
    explicit RandomProcess(std::uint64_t seed) : random_(3, seed) {
        nested_ = "<place id='i'><initialMarking><text>2</text></initialMarking></place><place id='o'/>";
        flat_ = nested_;
        write("", {"i", "o"}, 0);
    }
    static std::string document(const std::string& net) {
        return "<pnml><net id='n'>" + net + "</net></pnml>";
    }
    std::string nested() const { return document(nested_); }
    std::string flat() const { return document(flat_); }
    int sub_processes() const { return sub_processes_; }

  private:
    std::uint32_t below(std::size_t most) { return random_.below(static_cast<std::uint32_t>(most)); }

    /// Places and transitions between those places, some with a sub-process.
    void write(const std::string& prefix, std::vector<std::string> places, int depth) {
        for (std::uint32_t i = below(3); i > 0; --i) {
            places.push_back(fmt::format("{}p{}", prefix, i));
            nested_ += "<place id='" + places.back() + "'/>";
            flat_ += "<place id='" + places.back() + "'/>";
        }
        for (std::uint32_t i = 1 + below(3); i > 0; --i) {
            const std::string id = fmt::format("{}t{}", prefix, i);
            const std::string from = places[below(places.size())], to = places[below(places.size())];
            const std::string arcs = fmt::format(
                "<arc id='{0}a' source='{1}' target='{2}'/><arc id='{0}b' source='{2}' target='{3}'/>", i,
                from, id, to);
            const bool sub_process = depth < 4 && below(2) == 0;
            nested_ += "<transition id='" + id + "'/>" + arcs;
            if (!sub_process) {
                flat_ += "<transition id='" + id + "'/>" + arcs;
                continue;
            }
            ++sub_processes_;
            std::vector<std::string> joined{from};
            if (to != from) joined.push_back(to);
            nested_ += "<page id='" + id + "'><net>";
            for (const std::string& place : joined) nested_ += "<place id='" + place + "'/>";
            write(id, joined, depth + 1);
            nested_ += "</net></page>";
        }
    }

    CounterRandom random_;
    std::string nested_, flat_;
    int sub_processes_ = 0;
};

}  // namespace

TEST_CASE("a sub-process of WoPeD is inserted in the place of its transition") {
    int sub_processes = 0;
    for (std::uint64_t seed = 1; seed <= testing::case_count(2000); ++seed) {
        CAPTURE(seed);
        const RandomProcess process(seed);
        REQUIRE(summary(pnml::read_pnml(process.nested(), "net.pnml")) ==
                summary(pnml::read_pnml(process.flat(), "net.pnml")));
        sub_processes += process.sub_processes();
    }
    CHECK(sub_processes >= static_cast<int>(testing::least_count(2000)));

    // Nested as deeply as the file allows.
    constexpr int depth = 10'000;
    std::string text = "<pnml><net id='n'><place id='i'/><place id='o'/>", end;
    for (int i = 0; i < depth; ++i) {
        text += fmt::format(
            "<transition id='t{0}'/><arc id='a' source='i' target='t{0}'/><arc id='b' source='t{0}' "
            "target='o'/><page id='t{0}'><net><place id='i'/><place id='o'/>",
            i);
        end += "</net></page>";
    }
    text +=
        "<transition id='t'/><arc id='a' source='i' target='t'/><arc id='b' source='t' target='o'/>" + end;
    CHECK(summary(pnml::read_pnml(text + "</net></pnml>", "net.pnml")) == "i o t:-i+o");
}

TEST_CASE("a sub-process that cannot be inserted is refused") {
    const std::string inside =
        "<place id='i'/><place id='o'/><transition id='u'/><arc id='c' source='i' target='u'/>"
        "<arc id='d' source='u' target='o'/>";
    const auto message = [&](const std::string& inner, const std::string& weight = "1",
                             const std::string& page = "t", const std::string& more = "") {
        return refusal(
            "<pnml><net id='n' type='ptnet'><place id='i'/><place id='o'/><place id='x'/>"
            "<transition id='t'/><arc id='a' source='i' target='t'/><arc id='b' source='t' target='o'>"
            "<inscription><text>" +
            weight + "</text></inscription></arc><page id='" + page + "'>" + inner + "</page>" + more +
            "</net></pnml>");
    };
    const std::string net = "<net>" + inside + "</net>";
    CHECK(message(net).empty());
    CHECK_THAT(message(net, "2"), Catch::Contains("an arc of weight 1 at a transition with a sub-process"));
    CHECK_THAT(message(net, "1", "s"), Catch::Contains("a transition with the id of the page"));
    CHECK_THAT(message(net, "1", "i"), Catch::Contains("a transition with the id of the page"));
    CHECK_THAT(message(net + "<net/>"), Catch::Contains("one net in a page"));
    CHECK_THAT(message(net, "1", "t", "<page id='t'>" + net + "</page>"), Catch::Contains("one page for it"));
    CHECK_THAT(message("<net><place id='i'/></net>"), Catch::Contains("none with the id 'o'"));
    CHECK_THAT(message("<net><place id='x'/>" + inside + "</net>"), Catch::Contains("'x' again"));
    CHECK_THAT(message("<net><place id='i'/>" + inside + "</net>"), Catch::Contains("'i' again"));
    CHECK_THAT(message("<net type='coloured'>" + inside + "</net>"),
               Catch::Contains("the type of the net around"));
    CHECK_THAT(message("<net>" + net + "</net>"), Catch::Contains("a net inside a page"));
    CHECK_THAT(message("<net><place id='i'><initialMarking><text>1</text></initialMarking></place>" +
                       inside.substr(inside.find("<place id='o'")) + "</net>"),
               Catch::Contains("as many tokens as outside of the sub-process"));
}

TEST_CASE("a net in a format that is not read is named") {
    CHECK(
        refusal("<?xml version='1.0'?>\n<!DOCTYPE workspaceElements PUBLIC 'x' 'y'>\n<workspaceElements/>") ==
        "net.pnml:1:1: expected a net in PNML or in a format of LoLA, Tina or Aldebaran, found CPN Tools "
        "(.cpn), which is not read; export it as PNML");
    CHECK_THAT(refusal("<!-- x <project> --><Snoopy version='2'/>"), Catch::Contains("Snoopy (.spped"));
    CHECK_THAT(refusal("<document><subnet/></document>"), Catch::Contains("PNEditor (.pflow)"));
    CHECK_THAT(refusal("<project name='x'><gspn name='y'/></project>"), Catch::Contains("GreatSPN (.PNPRO)"));
    CHECK_THAT(refusal("<TPN name='x'/>"), Catch::Contains("Romeo"));
    CHECK_THAT(refusal("|256\n%\n|\n"), Catch::Contains("GreatSPN (.def)"));
    CHECK_THAT(refusal(".name \"n\"\n.type LPN\n.places\n"), Catch::Contains("APT (.apt)"));
    CHECK_THAT(refusal("p 75.0 30.0 {p1} 1 n\n"), Catch::Contains("the editor of Tina (.ndr)"));
    CHECK_THAT(refusal("<project name='x'/>"), Catch::Contains("<pnml>"));
    CHECK_THAT(refusal("p is no number"), Catch::Contains("expected"));
    CHECK_THROWS_WITH(pnml::read_tina("|0|\n|\nf 0 2 0 1\n", "x.net"), Catch::Contains("GreatSPN (.net)"));
}

TEST_CASE("a net of an unknown type is read with a warning that names the type") {
    const auto warnings_of = [](const std::string& type) {
        std::vector<std::string> warnings;
        pnml::PnmlReadOptions options;
        options.warnings = &warnings;
        pnml::read_pnml(
            "<pnml><net id='n' type='" + type + "'><page id='g'><place id='p'/></page></net></pnml>",
            "net.pnml", options);
        return warnings;
    };
    CHECK(warnings_of("stochastic") ==
          std::vector<std::string>{"net.pnml:1:7: <net id='n'>: expected the type of a place/transition net, "
                                   "as which it is read, found 'stochastic'"});
    for (const char* const known : {"", "http://www.pnml.org/version-2009/grammar/ptnet", "P/T net",
                                    "http://www.laas.fr/tina/tpn", "http://www.yasper.org/specs/epnml-1.1"})
        CHECK(warnings_of(known).empty());
}
