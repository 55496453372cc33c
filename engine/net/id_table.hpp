#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

namespace warpnet {

/// The prefetch distance of loops that look up many ids.
inline constexpr std::size_t ids_ahead = 16;

/// A map from ids to numbers. It stores only hashes and numbers; `id_of(number)` returns the id, so that no
/// string is stored twice. Open addressing with linear probing: O(1) expected, 8 bytes per slot, at least
/// half of the slots free.
class IdTable {
  public:
    /// Reserves space for `count` ids.
    void reserve(std::size_t count);

    /// The hash that find and insert require. A loop over many ids can compute the hashes of the next ids in
    /// advance and prefetch their slots.
    static std::uint32_t hash_of(std::string_view id) { return hash_of(long_hash_of(id)); }
    /// The same from long_hash_of(id), which distinguishes more ids.
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

    /// Stores `number` under `id`. If the id is stored already, returns its number and changes nothing.
    /// REQUIRES: number < 2^32 - 1.
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

    std::vector<Slot> slots_;  // their number is a power of two
    std::size_t size_ = 0;
};

}  // namespace warpnet
