// Readers of nets drop nothing silently: an error or a warning names every unknown part.

#include "tests/support/unknown_parts.hpp"

#include "pnml/read_pnml.hpp"
#include "pnml/read_properties.hpp"
#include "pnml/text/net_file.hpp"

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;

namespace {

void read_document(const std::string& text, std::vector<std::string>& warnings) {
    pnml::PnmlReadOptions options;
    options.warnings = &warnings;
    pnml::read_pnml(text, "net.pnml", options);
}

/// Like insert_xml, but not into the text of elements with free text.
Insert insert_into_all_but(const std::set<std::string>& free_texts) {
    return [free_texts](const std::string& text, CounterRandom& random) {
        for (;;) {
            UnknownPart part = insert_xml(text, random);
            const std::size_t at = part.text.find(part.name);
            const bool is_text =
                part.text[at - 1] != '<' && part.text.compare(at + part.name.size(), 2, "='") != 0;
            if (!is_text || std::none_of(part.around.begin(), part.around.end(), [&](const auto& element) {
                    return free_texts.contains(element.first);
                }))
                return part;
        }
    };
}

/// Checks that each insertion into a non-XML text is rejected with its line, unless it is a node.
void check_unknown_words(const std::string& text, const Insert& insert, std::uint64_t cases,
                         const std::function<Net(const std::string& text)>& read) {
    const Net plain = read(text);
    std::size_t rejected = 0;
    for (std::uint64_t seed = 0; seed < case_count(cases); ++seed) {
        CounterRandom random(seed, 0);
        const UnknownPart part = insert(text, random);
        CAPTURE(seed, part.text);
        const std::string error = input_error_of([&] {
            const Net net = read(part.text);
            const auto is_it = [&](const auto& node) {
                return node.id.find(part.name) != std::string::npos ||
                       node.name.find(part.name) != std::string::npos;
            };
            if (net.id() != part.name && std::none_of(net.places().begin(), net.places().end(), is_it) &&
                std::none_of(net.transitions().begin(), net.transitions().end(), is_it))
                FAIL("an unknown word that is neither in an error nor in the net");
        });
        if (error.empty()) continue;
        ++rejected;
        REQUIRE_THAT(error, Catch::StartsWith("net:"));
    }
    CHECK(rejected >= least_count(cases / 2));
}

/// Inserts a word at any blank or end of a line, or as its own line.
UnknownPart insert_statement(const std::string& text, CounterRandom& random) {
    std::vector<std::size_t> places;
    for (std::size_t i = 1; i < text.size(); ++i)
        if (text[i] == '\n' || text[i] == ' ') places.push_back(i);
    const std::size_t at = places[random.below(static_cast<std::uint32_t>(places.size()))];
    UnknownPart part{text, unknown_name(random), {}};
    part.text.insert(at,
                     text[at] == '\n' && random.below(2) == 0 ? "\n" + part.name + " x" : " " + part.name);
    return part;
}

}  // namespace

TEST_CASE("unknown parts: place/transition nets") {
    check_unknown_parts(
        "<pnml xmlns='http://www.pnml.org/version-2009/grammar/pnml'><net id='n' "
        "type='http://www.pnml.org/version-2009/grammar/ptnet'><name><text>net</text></name><page id='g'>"
        "<place "
        "id='p'><initialMarking><text>3</text></initialMarking><capacity><value>0</value></capacity></place>"
        "<place id='q'><name><text>the place</text></name></place><referencePlace id='r' ref='p'/>"
        "<transition id='t'><name><value>go</value></name><timed><value>false</value></timed>"
        "<priority><value>1</value></priority><rate><value>1</value></rate></transition>"
        "<transition id='u'><delay><interval "
        "closure='closed-open'><cn>0</cn><ci>infty</ci></interval></delay></transition>"
        "<arc id='a' source='p' target='t'><inscription><text>2</text></inscription></arc>"
        "<page id='h'><arc id='b' source='t' target='q'><name><text>arc</text></name></arc></page>"
        "<arc id='c' source='r' target='u' type='inhibitor'><type "
        "value='inhibitor'><text>inhibitor</text></type>"
        "<arctype><text>inhibitor</text></arctype></arc></page></net></pnml>",
        insert_into_all_but({"name", "rate"}), 2'000, read_document);
}

TEST_CASE("unknown parts: nets of TAPAAL") {
    check_unknown_parts(
        "<pnml><shared-place name='S' initialMarking='1' invariant='&lt; inf'/><shared-transition name='T' "
        "urgent='false'/>"
        "<feature isGame='false' isTimed='false'/><net id='A' active='true' type='P/T net'>"
        "<place id='S' name='S' initialMarking='1' invariant='&lt; inf' positionX='1' positionY='2'/>"
        "<place displayName='true' id='p' name='p' initialMarking='2'/><transition id='T' name='T' "
        "priority='0' urgent='false'/>"
        "<transition id='own' name='own' player='0'/><arc id='a' source='S' target='T' type='timed' "
        "inscription='[0,inf)' weight='2'/>"
        "<arc id='b' source='T' target='p' type='normal' inscription='1'/></net>"
        "<net id='B' active='true'><place id='q' name='q'/><transition id='T' name='T'/>"
        "<outputArc source='T' "
        "target='q'><inscription><value>1</value></inscription></outputArc></net></pnml>",
        insert_xml, 1'000, read_document);
}

TEST_CASE("unknown parts: nets of dots") {
    check_unknown_parts(
        "<pnml><net id='n' "
        "type='http://www.pnml.org/version-2009/grammar/symmetricnet'><declaration><structure><declarations>"
        "<namedsort id='dot' name='Dot'><dot/></namedsort></declarations></structure></declaration>"
        "<place id='p'><type><structure><usersort declaration='dot'/></structure></type>"
        "<hlinitialMarking><structure><add><subterm><numberof><subterm><numberconstant "
        "value='2'><positive/></numberconstant></subterm>"
        "<subterm><dotconstant/></subterm></numberof></subterm><subterm><all><usersort "
        "declaration='dot'/></all></subterm></add>"
        "</structure></hlinitialMarking></place><transition id='t'><condition><structure><booleanconstant "
        "value='true'/></structure>"
        "</condition></transition><arc id='a' source='p' "
        "target='t'><hlinscription><text>1</text><structure><dotconstant/></structure>"
        "</hlinscription></arc></net></pnml>",
        insert_into_all_but({"hlinscription"}), 1'000, read_document);
}

TEST_CASE("unknown parts: our own part of a net") {
    check_unknown_parts(
        "<pnml><net id='n'><place id='p'/><transition id='t'/><arc id='a' source='p' target='t'/><arc id='b' "
        "source='t' target='p'/>"
        "<toolspecific tool='warpnet' version='1'><about originalId='x' name='' timing='here' "
        "positions='none'/>"
        "<node ref='t' originalId='t.1' immediate='true' priority='-1'></node><loop place='p' transition='t' "
        "read='1'/>"
        "</toolspecific></net></pnml>",
        insert_xml, 1'000, read_document);
}

TEST_CASE("unknown parts: properties") {
    const Net net = pnml::read_lola("PLACE p, q; MARKING p: 1; TRANSITION t CONSUME p; PRODUCE q;", "net");
    check_unknown_parts(
        "<property-set "
        "xmlns='http://mcc.lip6.fr/'><property><id>one</id><description>text</description><formula>"
        "<all-paths><until><before><integer-le><tokens-count><place>p</place></tokens-count>"
        "<integer-constant>3</integer-constant></integer-le></"
        "before><reach><negation><is-fireable><transition>t</transition>"
        "</is-fireable></negation></reach></until></all-paths></formula></property><property><id>two</"
        "id><formula>"
        "<exists-path><finally><conjunction><deadlock/><true/></conjunction></finally></exists-path></"
        "formula></property>"
        "<property><id>three</id><formula><place-bound><place>p</place></place-bound></formula></property></"
        "property-set>",
        insert_into_all_but({"id", "description"}), 1'000,
        [&](const std::string& text, std::vector<std::string>&) {
            pnml::read_properties(text, "p.xml", net);
        });
}

TEST_CASE("unknown parts: the formats of LoLA, Tina and Aldebaran") {
    check_unknown_words(
        "PLACE SAFE 2 : p , q ;\nSAFE : r ;\nMARKING p : 3 , q ;\nTRANSITION t STRONG FAIR\nCONSUME p : 2 "
        ";\nPRODUCE q ;\n"
        "TRANSITION u CONSUME ;\nPRODUCE r : 2 ;\n",
        insert_statement, 1'000, [](const std::string& text) { return pnml::read_lola(text, "net"); });
    check_unknown_words(
        "net n\nlb t go\ntr t [0,w[ p*2 q?3 -> q\ntr u : name q?-1 -> p\npl p (3)\npl q : b (1)\n",
        insert_statement, 1'000, [](const std::string& text) { return pnml::read_tina(text, "net"); });
    check_unknown_words("des (0, 3, 2)\n(0, \"a\", 1)\n(1, i, 0)\n(1, b, 1)\n", insert_statement, 1'000,
                        [](const std::string& text) { return pnml::read_aut(text, "net"); });
}

TEST_CASE("unknown parts of one kind are one warning, with their number and the first place") {
    std::vector<std::string> warnings;
    read_document(
        "<pnml><net id='n'><place id='p'><layer/></place><place id='q'><layer/></place>\n"
        "<transition id='t' layer='1'/></net></pnml>",
        warnings);
    REQUIRE(warnings.size() == 2);
    CHECK(warnings[0] ==
          "net.pnml:1:19: <place id='p'>: element <layer> is ignored (2 times): the answers are those of the "
          "net without it");
    CHECK_THAT(warnings[1],
               Catch::StartsWith("net.pnml:2:1: <transition id='t'>: attribute 'layer' is ignored: "));
    warnings.clear();
    read_document(
        "<pnml><net id='n'><place id='p'><graphics><x/></graphics><toolspecific "
        "tool='x'>y</toolspecific></place></net></pnml>",
        warnings);
    CHECK(warnings.empty());
}
