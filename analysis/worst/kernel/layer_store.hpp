#pragma once

#include "analysis/ranks/scratch.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace warpnet::worst {

/// Layers of 64-bit words. Each is first filled, in any order and with repetitions, and then finished: it is
/// sorted, and of the words that agree above the lowest `low_bits` bits only the smallest remains.
///
/// In memory if it suffices. With a scratch folder, the rest goes there: finished layers unchanged, growing
/// layers as sorted runs, which are merged when the layer is finished (external merge sort). The content of a
/// layer does not depend on where it is stored.
class LayerStore {
  public:
    using Word = std::uint64_t;

    /// `memory`: bytes; `scratch`: a folder, or empty: then everything stays in memory, and the caller must
    /// ensure that `held()` does not grow too large. Throws InputError if the folder cannot be written.
    LayerStore(std::size_t layers, int low_bits, std::uint64_t memory, std::string scratch);

    bool has_scratch() const noexcept { return !scratch_.empty(); }
    std::size_t layers() const noexcept { return layers_.size(); }
    std::uint64_t size(std::size_t layer) const noexcept;  ///< words, of a finished layer
    std::uint64_t held() const noexcept;                   ///< bytes in memory

    void add(std::size_t layer, std::span<const Word> words);

    /// With a scratch folder: moves layers there while they take more than a third of the memory, finished
    /// ones first. Throws std::system_error if the disk is full.
    void make_room();

    /// Sorts a layer in memory early, to drop repetitions.
    void compact(std::size_t layer);

    /// Nothing can be added to it afterwards. Throws std::system_error if the disk is full.
    void finish(std::size_t layer);

    /// Visits a finished layer in ascending order, in blocks, until `visit` returns false. The words of a
    /// block stay valid until `visit` returns, even if layers are added or moved meanwhile.
    void for_each_block(std::size_t layer, const std::function<bool(std::span<const Word>)>& visit) const;

  private:
    struct Range {
        std::uint64_t first = 0;
        std::uint64_t count = 0;
    };
    struct Layer {
        std::vector<Word> words;
        std::optional<ranks::ScratchFile> file;  // of the runs
        std::vector<Range> runs;
        Range in_finished;  // its position in finished_; empty if it is in memory
        bool finished = false;
    };

    void sort_distinct(std::vector<Word>& words) const;
    void move_finished(Layer& layer);
    void move_run(Layer& layer);
    void merge_runs(Layer& layer);

    int low_bits_;
    std::uint64_t memory_;
    std::string scratch_;
    std::optional<ranks::ScratchFile> finished_;
    std::vector<Layer> layers_;
};

}  // namespace warpnet::worst
