// Temporary files without a name, and memory in such a file. The file is unlinked as soon as it is made, so
// the system removes it after any end of the program. Memory is mapped in segments that grow with the total,
// from 1 MiB to 256 MiB. Disk space is reserved before mapping (posix_fallocate), because writing to a mapped
// page without space kills the program. Reads and writes continue after signals and partial transfers.

#include "analysis/ranks/scratch.hpp"

#include "engine/base/round_up.hpp"
#include "engine/net/error.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace warpnet::ranks {

namespace {

constexpr std::uint64_t word_bytes = sizeof(std::uint64_t);

[[noreturn]] void fail(const char* what) { throw std::system_error(errno, std::generic_category(), what); }

/// Calls `transfer(bytes done)` until all bytes are transferred: a call may transfer a part, and signals
/// interrupt it.
template <class Transfer>
void transfer_all(std::uint64_t bytes, const char* what, const Transfer& transfer) {
    for (std::uint64_t done = 0; done < bytes;) {
        const ssize_t part = transfer(done);
        if (part > 0) {
            done += static_cast<std::uint64_t>(part);
        } else if (part == 0 || errno != EINTR) {
            fail(what);
        }
    }
}

}  // namespace

ScratchFile::ScratchFile(const std::string& folder) {
    std::string name = folder + "/warpnet-XXXXXX";
    file_ = mkstemp(name.data());
    if (file_ < 0) {
        throw InputError("cannot write to the folder '" + folder +
                         "': " + std::generic_category().message(errno));
    }
    unlink(name.c_str());
}

ScratchFile::~ScratchFile() {
    if (file_ >= 0) close(file_);
}

ScratchFile::ScratchFile(ScratchFile&& other) noexcept
    : file_(std::exchange(other.file_, -1)), size_(std::exchange(other.size_, 0)) {}

ScratchFile& ScratchFile::operator=(ScratchFile&& other) noexcept {
    std::swap(file_, other.file_);
    std::swap(size_, other.size_);
    return *this;
}

void ScratchFile::append(std::span<const std::uint64_t> words) {
    const auto bytes = std::as_bytes(words);
    transfer_all(bytes.size(), "cannot write to the scratch folder", [&](std::uint64_t done) {
        return pwrite(file_, bytes.data() + done, bytes.size() - done,
                      static_cast<off_t>(size_ * word_bytes + done));
    });
    size_ += words.size();
}

void ScratchFile::read(std::uint64_t first, std::span<std::uint64_t> words) const {
    const auto bytes = std::as_writable_bytes(words);
    transfer_all(bytes.size(), "cannot read from the scratch folder", [&](std::uint64_t done) {
        return pread(file_, bytes.data() + done, bytes.size() - done,
                     static_cast<off_t>(first * word_bytes + done));
    });
}

namespace {

constexpr std::size_t first_segment = std::size_t{1} << 20;
constexpr std::size_t largest_segment = std::size_t{1} << 28;
constexpr std::size_t page = std::size_t{1} << 16;  // of any machine, or several
constexpr std::size_t alignment = sizeof(std::uint64_t);

}  // namespace

ScratchMemory::ScratchMemory(const std::string& folder) : folder_(folder), file_(folder) {}

ScratchMemory::~ScratchMemory() {
    for (const Segment& segment : segments_) munmap(segment.begin, segment.size);
}

void ScratchMemory::fail(const std::string& what, int error) const {
    throw InputError("the scratch folder '" + folder_ + "' " + what + ", with " +
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

}  // namespace warpnet::ranks
