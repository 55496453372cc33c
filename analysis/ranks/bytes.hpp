#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace warpnet {

/// Values as bytes, for messages between ranks, which are the same program on machines of the same kind.
class ByteWriter {
  public:
    template <class Value>
    void put(const Value& value) {
        static_assert(std::is_trivially_copyable_v<Value>);
        append(&value, sizeof(Value));
    }
    template <class Value>
    void put_all(std::span<const Value> values) {
        static_assert(std::is_trivially_copyable_v<Value>);
        append(values.data(), values.size_bytes());
    }
    /// With its length.
    void put_text(std::string_view text) {
        put(text.size());
        append(text.data(), text.size());
    }
    template <class Value>
    void put_list(const std::vector<Value>& values) {
        put(values.size());
        put_all(std::span<const Value>(values));
    }

    void reserve(std::size_t bytes) { bytes_.reserve(bytes); }
    const std::string& bytes() const noexcept { return bytes_; }
    std::string take() && { return std::move(bytes_); }

  private:
    void append(const void* from, std::size_t count) {
        if (count > 0) bytes_.append(static_cast<const char*>(from), count);
    }

    std::string bytes_;
};

/// Reads what a ByteWriter wrote, in the same order. The bytes must outlive it.
class ByteReader {
  public:
    explicit ByteReader(std::string_view bytes) : bytes_(bytes) {}

    template <class Value>
    Value get() {
        Value value;
        read(&value, sizeof(Value));
        return value;
    }
    template <class Value>
    std::vector<Value> get_all(std::size_t count) {
        std::vector<Value> values(count);
        read(values.data(), count * sizeof(Value));
        return values;
    }
    template <class Value>
    void get_all(std::span<Value> values) {
        read(values.data(), values.size_bytes());
    }
    std::string get_text() {
        std::string text(get<std::size_t>(), '\0');
        read(text.data(), text.size());
        return text;
    }
    template <class Value>
    std::vector<Value> get_list() {
        return get_all<Value>(get<std::size_t>());
    }
    bool at_end() const noexcept { return bytes_.empty(); }

  private:
    void read(void* to, std::size_t count) {
        if (count > 0) std::memcpy(to, bytes_.data(), count);
        bytes_.remove_prefix(count);
    }

    std::string_view bytes_;
};

}  // namespace warpnet
