#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace warpnet {

/// A temporary file of 64-bit words that grows at its end. It has no name from the moment it is made, so the
/// system removes it when it is closed or the program ends, however it ends.
class ScratchFile {
  public:
    /// Makes the file in a folder. Throws InputError where that is impossible.
    explicit ScratchFile(const std::string& folder);
    ~ScratchFile();
    ScratchFile(ScratchFile&& other) noexcept;
    ScratchFile& operator=(ScratchFile&& other) noexcept;
    ScratchFile(const ScratchFile&) = delete;
    ScratchFile& operator=(const ScratchFile&) = delete;

    std::uint64_t size() const noexcept { return size_; }  ///< words
    int descriptor() const noexcept { return file_; }      ///< for who writes to it in another way

    /// Throws std::system_error where the disk is full or fails.
    void append(std::span<const std::uint64_t> words);

    /// Fills `words` with those from `first` on. REQUIRES: first + words.size() <= size(). Throws
    /// std::system_error where the disk fails.
    void read(std::uint64_t first, std::span<std::uint64_t> words) const;

  private:
    int file_ = -1;
    std::uint64_t size_ = 0;
};

}  // namespace warpnet
