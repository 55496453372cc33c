#pragma once

#include "netgen/cfg/annotation.hpp"
#include "netgen/cfg/cfg.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace warpnet {

// A graph with its split and merge points, in every format that is read: the points are comments, so that
// what is read again is the graph. All throw InputError as check_annotation() does. O(blocks), but for the
// text.

/// JSON; the comments are members "comment".
std::string annotated_cfg_json(const StructuredCfg& cfg, const CfgAnnotation& annotation);

/// Graph text in program order. Where the last branch has nothing behind it there is one block more, the end,
/// without time. Throws InputError where an id is none of the text's, naming the block.
std::string annotated_cfg_text(const StructuredCfg& cfg, const CfgAnnotation& annotation);

/// Graph text whose nodes are numbered in program order, see read_cfg_text(); the ids are in the comments.
/// Between two neighbouring branches with one side, which would be read as one with two, there is a node
/// without time.
std::string numbered_cfg_text(const StructuredCfg& cfg, const CfgAnnotation& annotation);

/// Where the code of a block begins.
struct CodeBlock {
    std::string id;
    std::size_t line = 0;  ///< from 1
};

/// The text of a kernel in PTX with a comment before the branch of each split block, and one where its
/// wavefronts merge. `code` are the blocks of the graph that stand in the text, in any order. Everything else
/// stays letter for letter.
std::string annotated_ptx(std::string_view text, std::span<const CodeBlock> code, const StructuredCfg& cfg,
                          const CfgAnnotation& annotation);

}  // namespace warpnet
