#include "engine/input/xml.hpp"

#include "tests/support/bad_input.hpp"

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;

namespace {

/// Reads <set xmlns=".."><task name="..">text</task><note/></set> up to the notes.
std::string names(const XmlElement& root) {
    std::string result;
    for (const XmlElement& task : root.children("task")) {
        const auto name = task.attribute("name");
        if (!name) task.fail("an attribute 'name'", "none");
        result += std::string(*name) + "=" + std::string(task.text()) + ";";
        if (const XmlElement inner = task.child("inner")) result += inner.attribute_or("x", "none");
    }
    return result;
}

std::string xml_error_of(const std::string& text) {
    return input_error_of([&] { read_xml(text, "m.xml", names); }, "read");
}

}  // namespace

TEST_CASE("XML: what is read") {
    CHECK(read_xml("<?xml version=\"1.0\"?><!-- a --><set xmlns=\"u\" xmlns:b=\"v\">\n<task "
                   "name=\"a&amp;b\">t</task>"
                   "<task name=\"c\"><inner/></task></set>\n",
                   "m.xml", names) == "a&b=t;c=;none");
}

TEST_CASE("XML: an unknown element is an error with its place") {
    CHECK(xml_error_of("<set>\n<task name='a'\ncolour='red'/></set>") ==
          "m.xml:3: <task> 'a': unknown attribute 'colour'");
    CHECK(xml_error_of("<set id='s'/>") == "m.xml:1: <set> 's': unknown attribute 'id'");
    CHECK(xml_error_of("<set>\n<tsak name='a'/></set>") == "m.xml:2: <set>: unknown element <tsak>");
    CHECK(xml_error_of("<set><task name='a'><inner/>\n<inner/></task></set>") ==
          "m.xml:2: <task> 'a': unknown element <inner>");
    CHECK(xml_error_of("<set><task name='a'><inner y=''/></task></set>") ==
          "m.xml:1: <inner> in <task> 'a': unknown attribute 'y'");
    CHECK(xml_error_of("<set><task name='a' name='b'/></set>") ==
          "m.xml:1: <task> 'a': unknown attribute 'name'");
    CHECK(xml_error_of("<set>stray<task name='a'/></set>") == "m.xml:1: <set>: unknown text 'stray'");
    CHECK(xml_error_of("<!DOCTYPE set [<!ENTITY a 'b'>]><set/>") ==
          "m.xml:1: unknown document type declaration");
    CHECK(xml_error_of("<set/><set/>") == "m.xml:1: unknown element <set>");
    CHECK(xml_error_of("<set>\n<task/></set>") ==
          "m.xml:2: <task> in <set>: expected an attribute 'name', found none");
    CHECK(xml_error_of("<set>\n<task></set>").starts_with("m.xml:2: expected well-formed XML, found "));
    CHECK(xml_error_of("") == "m.xml:1: expected well-formed XML, found an empty file");
    CHECK(
        xml_error_of("# Set\n").ends_with("expected well-formed XML, found a text that begins with '# Set'"));
    for (const char* cut : {"<set", "<set>\n<task", "<set><task name='a'/>", "<set>text", "<set><!-- a"})
        CHECK(xml_error_of(cut).ends_with("found an element without an end; the file may be cut off"));
}

TEST_CASE("XML: ignored parts become one warning per kind") {
    constexpr IgnoredPart ignored[] = {
        {"task/@colour", "pictures have their own colours"}, {"*/tags", "no effect"}, {"os", ""}};
    std::vector<std::string> warnings;
    CHECK(read_xml("<set><os><tick/></os>\n<tags/><task name='a' colour='1'><tags><b/></tags></task>\n<task "
                   "name='b' "
                   "colour='2'/></set>",
                   "m.xml", names, ignored, &warnings) == "a=;b=;");
    CHECK(
        warnings ==
        std::vector<std::string>{
            "m.xml:2: <set>: element <tags> is ignored (2 times): no effect",
            "m.xml:2: <task> 'a': attribute 'colour' is ignored (2 times): pictures have their own colours"});
    constexpr IgnoredPart alike[] = {
        {"task/@colour", "no effect"}, {"*/tags", "no effect"}, {"*/x", "no effect"}};
    warnings.clear();
    read_xml("<set><tags/><tags/>\n<task name='a' colour='1'><x/></task><task name='b' colour='2'/></set>",
             "m.xml", names, alike, &warnings);
    CHECK(warnings ==
          std::vector<std::string>{"m.xml:1: <set>: element <tags> is ignored (2 times), and 3 more "
                                   "parts (attribute 'colour', element <x>): no effect"});
}

TEST_CASE("XML: a part that is read as a whole, and deep nesting") {
    const auto whole = [](const XmlElement& root) {
        root.child("part").read_all();
        return root.children().size();
    };
    CHECK(read_xml("<set><part a='1'><x y='2'>text</x></part></set>", "m.xml", whole) == 1);
    CHECK(input_error_of([&] { read_xml("<set><part><x/></part>text</set>", "m.xml", whole); }) ==
          "m.xml:1: <set>: unknown text 'text'");
    std::string deep;
    for (int i = 0; i < 100'000; ++i) deep += "<a>";
    for (int i = 0; i < 100'000; ++i) deep += "</a>";
    CHECK(xml_error_of("<set>" + deep + "</set>") == "m.xml:1: <set>: unknown element <a>");
    CHECK(read_xml("<set><part>" + deep + "</part></set>", "m.xml", whole) == 1);
}
