// Writes a file whole or not at all. The content goes to a file without a name (O_TMPFILE), which is then
// linked and renamed over the target; a killed process leaves nothing. File systems without that get a
// temporary name.
//
// Writing in place could leave half a net, which may still be readable. Devices and pipes cannot be renamed
// over, so they are written directly. A link is followed to its file, and the permissions of the old file are
// kept. Data is not forced to the disk, so the file is whole after a crash of the program, but not of the
// machine.

#include "pnml/write_file.hpp"

#include "engine/net/error.hpp"

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace warpnet::pnml {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void fail(const fs::path& file, int error) {
    if (error == ENOENT) require_folder(file);
    throw InputError("cannot write " + file.string() + ": " + std::system_category().message(error));
}

/// An open file. At the end of its scope it is closed, and removed unless it was kept.
class OutputFile {
  public:
    OutputFile(fs::path path, int flags)
        : path_(std::move(path)), descriptor_(::open(path_.c_str(), flags, 0666)) {}
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;
    ~OutputFile() {
        if (descriptor_ >= 0) ::close(descriptor_);
        if (temporary_) ::unlink(path_.c_str());
    }

    bool is_open() const { return descriptor_ >= 0; }

    /// Returns 0 or the error number.
    int copy_permissions(const fs::path& other) const {
        struct stat status {};
        if (::stat(other.c_str(), &status) != 0) return 0;  // no such file: the default permissions
        return ::fchmod(descriptor_, status.st_mode & 07777U) == 0 ? 0 : errno;
    }

    int write(std::string_view content) const {
        while (!content.empty()) {
            const ssize_t written = ::write(descriptor_, content.data(), content.size());
            if (written < 0 && errno == EINTR) continue;
            if (written < 0) return errno;
            content.remove_prefix(static_cast<std::size_t>(written));
        }
        return 0;
    }

    int close() { return ::close(std::exchange(descriptor_, -1)) == 0 ? 0 : errno; }

    /// Sets whether the file has a temporary name and finally replaces another file.
    void set_temporary(bool temporary) { temporary_ = temporary; }
    int rename(const fs::path& target) {
        if (::rename(path_.c_str(), target.c_str()) != 0) return errno;
        temporary_ = false;
        return 0;
    }

    /// Gives a name to a file without one.
    int link(fs::path name) {
        const std::string self = "/proc/self/fd/" + std::to_string(descriptor_);
        if (::linkat(AT_FDCWD, self.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) != 0) return errno;
        path_ = std::move(name);
        temporary_ = true;
        return 0;
    }

  private:
    fs::path path_;
    int descriptor_;
    bool temporary_ = false;
};

void write_directly(const fs::path& file, std::string_view content) {
    OutputFile output(file, O_WRONLY | O_CLOEXEC);
    if (!output.is_open()) fail(file, errno);
    if (const int error = output.write(content); error != 0) fail(file, error);
    if (const int error = output.close(); error != 0) fail(file, error);
}

/// A name that no other thread or process uses at this time.
fs::path temporary_name(const fs::path& file) {
    static std::atomic<std::uint64_t> counter = 0;
    return file.string() + ".tmp-" + std::to_string(::getpid()) + "-" + std::to_string(counter++);
}

}  // namespace

void require_folder(const fs::path& file) {
    const fs::path folder = file.parent_path();
    std::error_code ignored;
    if (!folder.empty() && !fs::exists(folder, ignored))
        throw InputError("cannot write " + file.string() + ": folder " + folder.string() + " does not exist");
}

void write_file(const fs::path& file, std::string_view content) {
    std::error_code ignored;
    const fs::file_type type = fs::status(file, ignored).type();
    if (type == fs::file_type::directory) fail(file, EISDIR);
    if (type != fs::file_type::not_found && type != fs::file_type::regular)
        return write_directly(file, content);

    fs::path target = fs::canonical(file, ignored);  // for a link: the file to which it leads
    if (target.empty()) target = file;
    // The file has no name while it is written, so a process that is killed leaves nothing behind. Not all
    // file systems support this.
    const fs::path folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
    OutputFile unnamed(folder, O_WRONLY | O_TMPFILE | O_CLOEXEC);
    if (unnamed.is_open()) {
        int error = unnamed.copy_permissions(target);
        if (error == 0) error = unnamed.write(content);
        if (error != 0) fail(file, error);
        if (unnamed.link(temporary_name(target)) == 0) {
            error = unnamed.close();
            if (error == 0) error = unnamed.rename(target);
            if (error != 0) fail(file, error);
            return;
        }
    }
    OutputFile output(temporary_name(target), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC);
    if (!output.is_open()) fail(file, errno);
    output.set_temporary(true);
    int error = output.copy_permissions(target);
    if (error == 0) error = output.write(content);
    if (error == 0) error = output.close();
    if (error == 0) error = output.rename(target);
    if (error != 0) fail(file, error);
}

}  // namespace warpnet::pnml
