#pragma once

#include <cstddef>
#include <stdexcept>
#include <string_view>
#include <vector>

namespace warpnet::netgen {

/// Distinct words, sorted and separated by one space, as a table for look-ups. So a list of names is a text
/// of a few lines.
class SortedWords {
  public:
    consteval explicit SortedWords(std::string_view words) : words_(words) {
        std::string_view last;
        for (std::size_t begin = 0; begin < words.size();) {
            const std::string_view word = word_at(begin);
            if (!(last < word)) throw std::logic_error("words are not sorted");
            last = word;
            begin += word.size() + 1;
        }
    }
    /// O(log).
    bool contains(std::string_view word) const;

  private:
    constexpr std::string_view word_at(std::size_t begin) const {
        return words_.substr(begin, words_.substr(begin).find(' '));
    }

    std::string_view words_;
};

/// The dotted parts of an opcode that are no modifier in PTX ISA 9.0, of memory operations or of any other
/// instruction. Does not check whether the instruction has that modifier.
std::vector<std::string_view> unknown_modifiers(std::string_view opcode);

/// Whether PTX ISA 9.0 has this special register or predefined constant: "%tid", without ".x"; "WARP_SZ".
bool is_ptx_special_register(std::string_view name);

}  // namespace warpnet::netgen
