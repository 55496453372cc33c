// Text, stream or file to net. Large files are read in pieces if that gives the same result. Otherwise the
// whole document is parsed, one net is chosen by id, or shared nodes compose all of them, and unknown parts
// are judged.
//
// Reading in pieces needs memory for the net and a few pieces, and not for the tree of the whole document. It
// gives up at anything that needs an error or a warning, and the whole document is then read from the
// beginning. So both ways accept the same files with the same result, and errors come from one place. Small
// documents skip the attempt.

#include "pnml/read_pnml.hpp"

#include "engine/input/file_format.hpp"
#include "engine/input/input_file.hpp"
#include "pnml/dialect/labels.hpp"
#include "pnml/dialect/net_reader.hpp"
#include "pnml/dialect/read_in_pieces.hpp"
#include "pnml/dialect/shared_nodes.hpp"
#include "pnml/dialect/unknown_parts.hpp"
#include "pnml/xml/xml_document.hpp"

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <istream>
#include <new>
#include <utility>
#include <vector>

namespace warpnet::pnml {

namespace {

using pugi::xml_node;
using xml::Elements;
using xml::in_quotes;
using xml::in_tag;

/// The net to read, among those in the document.
xml_node choose_net(const xml::Document& document, const std::optional<std::string>& wanted) {
    const xml_node root = document.root();
    if (document.local_name(root) != "pnml") {
        document.fail(root, "the element <pnml>", in_tag(root.name()));
    }
    std::vector<xml_node> nets;
    std::vector<xml_node> all;
    std::string names;
    for (const xml_node part : Elements(root)) {
        const std::string_view name = document.local_name(part);
        if (name != "net") continue;
        all.push_back(part);
        names += (names.empty() ? "" : ", ") + in_quotes(part.attribute("id").value());
        if (!wanted || *wanted == part.attribute("id").value()) nets.push_back(part);
    }
    if (nets.size() == 1) return nets.front();
    if (wanted && nets.empty()) {
        const auto number = xml::whole_number<std::int64_t>(*wanted);
        if (number && *number >= 1 && std::cmp_less_equal(*number, all.size()))
            return all[static_cast<std::size_t>(*number) - 1];
    }
    if (wanted)
        document.fail(root, "one net with the id " + in_quotes(*wanted),
                      (all.size() == 1 ? "net " : "nets ") + names);
    if (nets.empty()) document.fail(root, "a net", "none");
    document.fail(nets[1], "one net (choose one by its id or number)",
                  std::to_string(nets.size()) + " nets, " + names);
}

/// Whether the nets of the document share nodes.
bool shares_nodes(const xml::Document& document) {
    const xml_node root = document.root();
    if (document.local_name(root) != "pnml") return false;
    for (const xml_node part : Elements(root))
        if (xml::is_shared_node(document, part)) return true;
    return false;
}

[[noreturn]] void fail_too_long(const std::string& source_name, std::size_t most) {
    throw PnmlError({source_name, 1, 1, ""}, "at most " + std::to_string(most) + " bytes",
                    "a longer document");
}

static_assert(PnmlReadOptions::max_whole == most_input_bytes);

std::size_t most_whole(const PnmlReadOptions& options) {
    return std::min(options.max_bytes, PnmlReadOptions::max_whole);
}

constexpr std::size_t least_in_pieces = std::size_t{1} << 22;  // bytes of a document
constexpr std::size_t piece_bytes = std::size_t{1} << 20;

Net read_whole(std::string_view text, const std::string& source_name, const PnmlReadOptions& options) {
    if (text.size() > most_whole(options)) fail_too_long(source_name, most_whole(options));
    std::string found = other_format(text, {FileFormat::pnml, FileFormat::xml});
    if (found.empty()) found = other_text(text, "<");
    if (!found.empty())
        throw PnmlError({source_name, 1, 1, ""}, "a net in PNML or in a format of LoLA, Tina or Aldebaran",
                        found);
    try {
        const xml::Document document(text, source_name);
        const auto checked = [&](Net net) {
            xml::check_root_parts(document, options.warnings);
            return net;
        };
        if (!options.net_id && shares_nodes(document))
            return checked(xml::read_composed(document, options.warnings));
        return checked(xml::read_net(document, choose_net(document, options.net_id), options.warnings,
                                     options.capacities));
    } catch (const std::bad_alloc&) {
        throw PnmlError({source_name, 1, 1, ""}, "a document that fits into memory",
                        std::to_string(text.size()) + " bytes");
    }
}

}  // namespace

Net read_pnml(std::string_view text, const std::string& source_name, const PnmlReadOptions& options) {
    if (text.size() > options.max_bytes) fail_too_long(source_name, options.max_bytes);
    if (text.size() >= least_in_pieces) {
        const xml::TextSource source = {text.size(), [&](std::size_t offset, std::size_t count) {
                                            return std::string(text.substr(offset, count));
                                        }};
        if (auto net = xml::read_in_pieces(source, options.net_id, piece_bytes)) return *std::move(net);
    }
    return read_whole(text, source_name, options);
}

Net read_pnml(std::istream& stream, const std::string& source_name, const PnmlReadOptions& options) {
    return read_pnml(read_input(stream, source_name, most_whole(options)), source_name, options);
}

Net read_pnml_file(const std::filesystem::path& file, const PnmlReadOptions& options) {
    const std::string name = file.string();
    std::ifstream stream = open_input_file(file);
    std::error_code error;
    const auto size = std::filesystem::file_size(file, error);  // unknown for a pipe
    if (!error && size > options.max_bytes) fail_too_long(name, options.max_bytes);
    if (!error && size >= least_in_pieces) {
        const xml::TextSource source = {
            size, [&](std::size_t offset, std::size_t count) {
                std::string block(count, '\0');
                stream.clear();
                stream.seekg(static_cast<std::streamoff>(offset));
                stream.read(block.data(), static_cast<std::streamsize>(count));
                block.resize(static_cast<std::size_t>(std::max<std::streamsize>(stream.gcount(), 0)));
                return block;
            }};
        if (auto net = xml::read_in_pieces(source, options.net_id, piece_bytes)) return *std::move(net);
        if (size > most_whole(options)) fail_too_long(name, most_whole(options));
        stream.clear();
        stream.seekg(0);
    }
    return read_whole(read_input(stream, name, most_whole(options), error ? 0 : size), name, options);
}

}  // namespace warpnet::pnml
