#include "analysis/ranks/scratch_file.hpp"

#include "engine/net/error.hpp"

#include <cerrno>
#include <cstdlib>
#include <system_error>
#include <utility>

#include <unistd.h>

namespace warpnet {
namespace {

constexpr std::uint64_t word_bytes = sizeof(std::uint64_t);

[[noreturn]] void fail(const char* what) { throw std::system_error(errno, std::generic_category(), what); }

/// Calls `transfer(bytes done)` until all are done: it may do a part, and signals interrupt it.
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

}  // namespace warpnet
