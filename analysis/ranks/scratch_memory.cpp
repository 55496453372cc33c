#include "analysis/ranks/scratch_memory.hpp"

#include "engine/net/error.hpp"

#include <algorithm>
#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <sys/mman.h>

namespace warpnet {

namespace {

constexpr std::size_t first_segment = std::size_t{1} << 20;
constexpr std::size_t largest_segment = std::size_t{1} << 28;
constexpr std::size_t page = std::size_t{1} << 16;  // of any machine, or several
constexpr std::size_t alignment = sizeof(std::uint64_t);

std::size_t rounded_up(std::size_t bytes, std::size_t unit) { return (bytes + unit - 1) / unit * unit; }

}  // namespace

ScratchMemory::ScratchMemory(const std::string& folder) : folder_(folder), file_(folder) {}

ScratchMemory::~ScratchMemory() {
    for (const Segment& segment : segments_) munmap(segment.begin, segment.size);
}

void ScratchMemory::fail(const std::string& what, int error) const {
    throw InputError("the scratch folder '" + folder_ + "' " + what + ", beside " +
                     std::to_string(bytes_ >> 20) + " MiB in use: " + std::generic_category().message(error));
}

void* ScratchMemory::allocate(std::size_t bytes) {
    const std::size_t size = rounded_up(bytes, alignment);
    const std::lock_guard lock(mutex_);
    if (segments_.empty() || segments_.back().size - used_ < size) add_segment(size);
    std::byte* place = segments_.back().begin + used_;
    used_ += size;
    return place;
}

void ScratchMemory::add_segment(std::size_t at_least) {
    const auto wanted =
        static_cast<std::size_t>(std::clamp<std::uint64_t>(bytes_, first_segment, largest_segment));
    const std::size_t size = rounded_up(std::max(wanted, at_least), page);
    int error = EINTR;
    while (error == EINTR)  // by a signal
        error = posix_fallocate(file_.descriptor(), static_cast<off_t>(bytes_), static_cast<off_t>(size));
    if (error != 0) fail("has no room for " + std::to_string(size >> 20) + " MiB more", error);
    void* begin = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file_.descriptor(),
                       static_cast<off_t>(bytes_));
    if (begin == MAP_FAILED) fail("cannot be mapped into memory", errno);
    segments_.push_back({static_cast<std::byte*>(begin), size});
    bytes_ += size;
    used_ = 0;
}

}  // namespace warpnet
