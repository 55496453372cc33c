// Calls a fuzz target with each file of a folder, its corpus, or with one file: `replay PATH`. A failure ends
// the program.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

int main(int argc, char** argv) {
    if (argc != 2) return 2;
    std::set<std::filesystem::path> files;
    if (std::filesystem::is_directory(argv[1])) {
        for (const auto& entry : std::filesystem::directory_iterator(argv[1])) files.insert(entry.path());
    } else if (std::filesystem::exists(argv[1])) {
        files.insert(argv[1]);
    }
    for (const auto& file : files) {
        std::puts(file.c_str());
        std::ifstream in(file, std::ios::binary);
        const std::vector<char> text{std::istreambuf_iterator<char>(in), {}};
        const std::vector<std::uint8_t> bytes(text.begin(), text.end());
        LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
    }
    return files.empty() ? 1 : 0;
}
