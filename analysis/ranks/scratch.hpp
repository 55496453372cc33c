#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace warpnet::ranks {

/// A temporary file of 64-bit words that grows at its end. It never has a name, so the system removes it when
/// it is closed or the program ends in any way.
class ScratchFile {
  public:
    /// Makes the file in a folder. Throws InputError if that is impossible.
    explicit ScratchFile(const std::string& folder);
    ~ScratchFile();
    ScratchFile(ScratchFile&& other) noexcept;
    ScratchFile& operator=(ScratchFile&& other) noexcept;
    ScratchFile(const ScratchFile&) = delete;
    ScratchFile& operator=(const ScratchFile&) = delete;

    std::uint64_t size() const noexcept { return size_; }  ///< words
    int descriptor() const noexcept { return file_; }      ///< for other ways to write to it

    /// Throws std::system_error if the disk is full or fails.
    void append(std::span<const std::uint64_t> words);

    /// Fills `words` with those from `first` on. REQUIRES: first + words.size() <= size(). Throws
    /// std::system_error if the disk fails.
    void read(std::uint64_t first, std::span<std::uint64_t> words) const;

  private:
    int file_ = -1;
    std::uint64_t size_ = 0;
};

/// Memory in a mapped file of a scratch folder. The system keeps as much of it in memory as fits, and the
/// file is gone after any end of the program. It only grows. Threads may allocate at the same time.
class ScratchMemory {
  public:
    /// Throws InputError if the folder cannot be written.
    explicit ScratchMemory(const std::string& folder);
    ~ScratchMemory();
    ScratchMemory(const ScratchMemory&) = delete;
    ScratchMemory& operator=(const ScratchMemory&) = delete;

    /// Zero bytes, aligned for words, valid as long as this object. Throws InputError if the disk is full, so
    /// that a later write cannot fail.
    void* allocate(std::size_t bytes);

    std::uint64_t bytes() const noexcept {
        return bytes_;
    }  ///< of the file, not while another thread allocates

  private:
    struct Segment {
        std::byte* begin;
        std::size_t size;
    };
    void add_segment(std::size_t at_least);
    [[noreturn]] void fail(const std::string& what, int error) const;

    std::string folder_;
    ScratchFile file_;
    std::mutex mutex_;
    std::vector<Segment> segments_;
    std::size_t used_ = 0;  // bytes of the last segment
    std::uint64_t bytes_ = 0;
};

/// An array of its own, or part of a ScratchMemory.
template <class Value>
struct ChunkDeleter {
    bool own = true;
    void operator()(Value* values) const noexcept {
        if (own) delete[] values;
    }
};
template <class Value>
using Chunk = std::unique_ptr<Value[], ChunkDeleter<Value>>;

/// `count` values that are not initialised; `scratch`, which may be null, must outlive them.
template <class Value>
Chunk<Value> make_chunk(std::size_t count, ScratchMemory* scratch) {
    if (scratch == nullptr) return Chunk<Value>(std::make_unique_for_overwrite<Value[]>(count).release());
    return Chunk<Value>(static_cast<Value*>(scratch->allocate(count * sizeof(Value))), {.own = false});
}

}  // namespace warpnet::ranks
