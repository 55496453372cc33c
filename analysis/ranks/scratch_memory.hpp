#pragma once

#include "analysis/ranks/scratch_file.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace warpnet {

/// Memory in a file of a scratch folder, which is mapped: the system keeps of it in memory what there is room
/// for, and nothing is left of it however the program ends. It is only ever added to. Threads may allocate at
/// the same time.
class ScratchMemory {
  public:
    /// Throws InputError where the folder cannot be written.
    explicit ScratchMemory(const std::string& folder);
    ~ScratchMemory();
    ScratchMemory(const ScratchMemory&) = delete;
    ScratchMemory& operator=(const ScratchMemory&) = delete;

    /// Zero bytes, aligned for words, that stay as long as this. The disk has room for them: a disk that is
    /// full is noticed here, by an InputError, and not where they are written.
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

}  // namespace warpnet
