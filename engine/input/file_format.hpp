#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

namespace warpnet {

/// The kinds of files that some reader here understands.
enum class FileFormat { json, xml, pnml, amalthea, ptx };

/// What the beginning of a file shows it to be if that is none of `own`: "an ELF file, such as a cubin; ...",
/// with what helps. Empty if it shows nothing. One table for all readers, of formats of ours and of others.
/// O(1): looks at the first 64 KiB at most.
std::string other_format(std::string_view text, std::initializer_list<FileFormat> own = {});

/// What a text is that cannot be of a format, if each file of that format begins with one of the characters
/// `first`: "an empty file", or "a text that begins with '# warpnet'". Otherwise empty. Blanks and a byte
/// order mark before the first character are skipped, and texts of two bytes per character are not judged.
/// O(1).
std::string other_text(std::string_view text, std::string_view first);

/// Throws InputError for such a file: "FILE: expected EXPECTED, found an ELF file, such as a cubin; ...".
void require_format(std::string_view text, const std::string& source, std::string_view expected,
                    std::initializer_list<FileFormat> own = {});

}  // namespace warpnet
