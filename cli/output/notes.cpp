// Notes and warnings go to the standard error, unless --quiet is given.

#include "cli/output/notes.hpp"

#include <atomic>
#include <iostream>

namespace warpnet::cli {

namespace {

std::atomic<bool> is_quiet = false;

}  // namespace

void be_quiet() { is_quiet = true; }

bool quiet() { return is_quiet; }

void print_note_text(std::string_view text) {
    if (!quiet()) std::cerr << text;
}

}  // namespace warpnet::cli
