#pragma once

#include "engine/base/random.hpp"
#include "engine/net/error.hpp"

#include <cstdint>
#include <string>

#include <catch2/catch.hpp>

namespace warpnet::testing {

/// The message of the InputError that `read()` throws, or `otherwise`.
template <class Read>
std::string input_error_of(Read&& read, const char* otherwise = "") {
    try {
        read();
    } catch (const InputError& error) {
        return error.what();
    }
    return otherwise;
}

/// Calls read(text) with so many variants of `whole`: without its end, without some consecutive characters,
/// or with one character changed. An InputError is a correct answer.
template <class Read>
void read_damaged(const std::string& whole, CounterRandom random, int texts, Read&& read) {
    for (int i = 0; i < texts; ++i) {
        std::string text = whole;
        const auto at = random.below(static_cast<std::uint32_t>(text.size()));
        if (i % 3 == 0) text.resize(at);
        if (i % 3 == 1) text.erase(at, 1 + random.below(20));
        if (i % 3 == 2) text[at] = static_cast<char>(random.below(256));
        CAPTURE(i, at);
        input_error_of([&] { read(text); });
    }
}

}  // namespace warpnet::testing
