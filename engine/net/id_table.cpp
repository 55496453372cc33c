// Large nets have millions of ids, and a look-up in a table larger than the caches costs a cache miss. The
// table therefore stores 8 bytes per slot, the hash and the number, and compares the id itself only if the
// hashes are equal. Loops over many ids prefetch the slots of later ids.

#include "engine/net/id_table.hpp"

#include "engine/base/large_pages.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace warpnet {

namespace {
constexpr std::size_t fewest_slots = 16;
}

void IdTable::reserve(std::size_t count) {
    const std::size_t slots = std::bit_ceil(std::max(2 * count, fewest_slots));
    if (slots > slots_.size()) rehash(slots);
}

void IdTable::clear() {
    slots_.clear();
    size_ = 0;
}

void IdTable::grow() { rehash(std::max(2 * slots_.size(), fewest_slots)); }

void IdTable::rehash(std::size_t slots) {
    std::vector<Slot> old;
    old.reserve(slots);
    advise_large_pages(old);
    old.resize(slots);
    old.swap(slots_);
    for (const Slot& slot : old) {
        if (slot.number == none) continue;
        std::size_t at = slot.hash & mask();
        while (slots_[at].number != none) at = (at + 1) & mask();
        slots_[at] = slot;
    }
}

}  // namespace warpnet
