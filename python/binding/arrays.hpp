#pragma once

#include "engine/net/error.hpp"
#include "engine/net/net.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

namespace warpnet::python {

/// A NumPy array with one number per item.
template <class Number, class Items, class Get>
pybind11::array_t<Number> array_of(const Items& items, Get get) {
    pybind11::array_t<Number> array(static_cast<pybind11::ssize_t>(items.size()));
    Number* at = array.mutable_data();
    for (const auto& item : items) *at++ = static_cast<Number>(get(item));
    return array;
}

/// A NumPy array of two dimensions, with a row of `width` numbers per item.
template <class Number, class Items, class Row>
pybind11::array_t<Number> table_of(const Items& items, std::size_t width, Row row) {
    pybind11::array_t<Number> table(
        {static_cast<pybind11::ssize_t>(items.size()), static_cast<pybind11::ssize_t>(width)});
    Number* at = table.mutable_data();
    for (const auto& item : items) {
        const auto& numbers = row(item);
        for (std::size_t i = 0; i < width; ++i) *at++ = static_cast<Number>(numbers[i]);
    }
    return table;
}

using TokenArray = pybind11::array_t<Tokens, pybind11::array::c_style | pybind11::array::forcecast>;

/// Throws InputError unless there is one number for each place, none of them negative.
inline Marking marking_of(const Net& net, const TokenArray& tokens) {
    if (tokens.ndim() != 1 || static_cast<std::size_t>(tokens.size()) != net.places().size())
        throw InputError("marking: expected " + std::to_string(net.places().size()) +
                         " numbers, one for each place, found " + std::to_string(tokens.size()));
    Marking marking(tokens.data(), tokens.data() + tokens.size());
    for (std::size_t p = 0; p < marking.size(); ++p) {
        if (marking[p] < 0)
            throw InputError("marking: expected no negative number of tokens, found " +
                             std::to_string(marking[p]) + " in '" + net.places()[p].id + "'");
    }
    return marking;
}

inline TokenArray array_of_marking(const Marking& marking) {
    return TokenArray(static_cast<pybind11::ssize_t>(marking.size()), marking.data());
}

}  // namespace warpnet::python
