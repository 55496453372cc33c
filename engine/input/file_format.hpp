#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

namespace warpnet {

/// The kinds of files that some reader here understands.
enum class FileFormat { json, task_set, flow_graph, xml, pnml, amalthea, ptx };

/// The format that the beginning of a file shows if it is none of `own`, with the next step: "an ELF file,
/// such as a cubin; ...". Empty if the format is unknown. One table for all readers, with our formats and
/// foreign ones. O(1): reads at most the first 64 KiB.
std::string other_format(std::string_view text, std::initializer_list<FileFormat> own = {});

/// A description of a text that cannot be of a format, if each file of that format begins with one of the
/// characters `first`: "an empty file", or "a text that begins with '# warpnet'". Otherwise empty. Blanks and
/// a byte order mark before the first character are skipped, and texts of two bytes per character are not
/// judged. O(1).
std::string other_text(std::string_view text, std::string_view first);

/// Throws InputError for such a file: "FILE: expected EXPECTED, found an ELF file, such as a cubin; ...".
void require_format(std::string_view text, const std::string& source, std::string_view expected,
                    std::initializer_list<FileFormat> own = {});

}  // namespace warpnet
