#pragma once

#include "engine/net/net.hpp"
#include "engine/run/run.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace warpnet::cli {

enum class TraceFormat : std::uint8_t {
    csv,   ///< a row a step: step, immediate, fired (word_of_trace() of ids, spaces between), then the places
    json,  ///< {"net", "trace": [{"step", "immediate", "fired": {id: times}, "marking": {id: tokens}}]}
    json_lines,  ///< the objects of that list, one a line
};

/// An id as one word of the column `fired`: in quotes, doubled within, where it has spaces or quotes.
std::string word_of_trace(const std::string& id);

/// Writes down every step of a run as text: what fired and the marking after it, from the initial marking
/// (step 0) on. JSON markings list the places that are not empty. Memory: the text.
class Trace : public Observer {
  public:
    Trace(const Net& net, TraceFormat format);

    void step(std::uint64_t number, bool immediate, std::span<const Firing> firings,
              std::span<const Tokens> marking) override;

    /// The whole text; ends the trace.
    std::string finish();

  private:
    void add_csv_row(std::uint64_t number, bool immediate, std::span<const Firing> firings,
                     std::span<const Tokens> marking);
    void add_json_object(std::uint64_t number, bool immediate, std::span<const Firing> firings,
                         std::span<const Tokens> marking);

    TraceFormat format_;
    std::vector<std::string> places_;       // ids as the format spells them
    std::vector<std::string> transitions_;  // ids as the format spells them
    std::string text_;
    bool empty_ = true;
};

}  // namespace warpnet::cli
