#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

namespace warpnet {

/// How many ids ahead of the one that is looked up the next is fetched, by those who look up many.
inline constexpr std::size_t ids_ahead = 16;

/// Finds the number under which an id is kept elsewhere. The table holds hashes and numbers only;
/// `id_of(number)` gives the id back, so that no string is stored twice. Open addressing with linear probing:
/// O(1) expected, 8 bytes a slot, at least half of the slots free.
class IdTable {
  public:
    /// Room for `count` ids without growing.
    void reserve(std::size_t count);

    /// What find and insert look for. Who looks up many ids can compute those of the next ones ahead and
    /// have their slots fetched into the cache meanwhile.
    static std::uint32_t hash_of(std::string_view id) { return hash_of(long_hash_of(id)); }
    /// The same from long_hash_of(id), which tells more ids apart.
    static std::uint32_t hash_of(std::uint64_t long_hash) {
        return static_cast<std::uint32_t>(long_hash ^ (long_hash >> 32U));
    }
    static std::uint64_t long_hash_of(std::string_view id) { return std::hash<std::string_view>()(id); }
    void prefetch(std::uint32_t hash) const {
        if (!slots_.empty()) __builtin_prefetch(&slots_[hash & mask()]);
    }

    template <class IdOf>
    std::optional<std::uint32_t> find(std::string_view id, IdOf id_of) const {
        return find(id, hash_of(id), id_of);
    }
    /// REQUIRES: hash == hash_of(id).
    template <class IdOf>
    std::optional<std::uint32_t> find(std::string_view id, std::uint32_t hash, IdOf id_of) const {
        if (slots_.empty()) return std::nullopt;
        for (std::size_t at = hash & mask(); slots_[at].number != none; at = (at + 1) & mask()) {
            if (slots_[at].hash == hash && id_of(slots_[at].number) == id) return slots_[at].number;
        }
        return std::nullopt;
    }

    /// Keeps `number` under `id`, unless the id is there already: then returns its number and changes
    /// nothing. REQUIRES: number < 2^32 - 1.
    template <class IdOf>
    std::optional<std::uint32_t> insert(std::string_view id, std::uint32_t number, IdOf id_of) {
        return insert(id, hash_of(id), number, id_of);
    }
    /// REQUIRES: hash == hash_of(id).
    template <class IdOf>
    std::optional<std::uint32_t> insert(std::string_view id, std::uint32_t hash, std::uint32_t number,
                                        IdOf id_of) {
        if (2 * (size_ + 1) > slots_.size()) grow();
        std::size_t at = hash & mask();
        for (; slots_[at].number != none; at = (at + 1) & mask()) {
            if (slots_[at].hash == hash && id_of(slots_[at].number) == id) return slots_[at].number;
        }
        slots_[at] = {hash, number};
        ++size_;
        return std::nullopt;
    }

    void clear();

  private:
    static constexpr std::uint32_t none = 0xFFFFFFFFU;

    struct Slot {
        std::uint32_t hash = 0;
        std::uint32_t number = none;
    };

    std::size_t mask() const { return slots_.size() - 1; }
    void grow();
    void rehash(std::size_t slots);

    std::vector<Slot> slots_;  // a power of two of them
    std::size_t size_ = 0;
};

}  // namespace warpnet
