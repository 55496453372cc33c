// External merge sort. A layer that grows is sorted and written as runs when memory is short; finishing it
// merges the runs and drops repetitions. Reading a finished layer is sequential, so a disk suffices. Layers
// in memory, words that grow and are sorted, and the merge get a third of the memory each.
//
// A layer that stays in memory is sorted in O(n log n) for n words, repetitions included. With r runs each
// word is written twice and read once, in sequence, and the merge takes O(n log r). Apart from the last one,
// a run has at least a sixteenth of a third of the memory. So r is small, and the blocks of all runs fit. A
// hash set would need no sorting, but it is read at random and cannot live on a disk.

#include "analysis/worst/kernel/layer_store.hpp"

#include <algorithm>
#include <queue>
#include <utility>

#include <tbb/parallel_sort.h>

namespace warpnet::worst {
namespace {

using Word = LayerStore::Word;

constexpr std::uint64_t block_words = 1U << 17U;  // 1 MiB: read from a file at a time
constexpr std::uint64_t runs_in_a_share = 16;     // smaller layers stay in memory
constexpr std::uint64_t memory_shares = 3;  // layers; words that grow and are sorted; words that are merged

/// A sorted run of a file, block by block.
class RunReader {
  public:
    RunReader(const ranks::ScratchFile& file, std::uint64_t first, std::uint64_t count, std::uint64_t block)
        : file_(file), next_(first), end_(first + count), block_words_(block) {
        fill();
    }

    bool at_end() const { return at_ == block_.size(); }
    Word front() const { return block_[at_]; }
    void advance() {
        if (++at_ == block_.size()) fill();
    }

  private:
    void fill() {
        block_.resize(static_cast<std::size_t>(std::min(block_words_, end_ - next_)));
        file_.read(next_, block_);
        next_ += block_.size();
        at_ = 0;
    }

    const ranks::ScratchFile& file_;
    std::uint64_t next_, end_, block_words_;
    std::vector<Word> block_;
    std::size_t at_ = 0;
};

/// Collects words that are appended to a file.
class Appender {
  public:
    explicit Appender(ranks::ScratchFile& file) : file_(file) { block_.reserve(block_words); }

    void add(Word word) {
        block_.push_back(word);
        if (block_.size() == block_words) flush();
    }
    void flush() {
        file_.append(block_);
        block_.clear();
    }

  private:
    ranks::ScratchFile& file_;
    std::vector<Word> block_;
};

}  // namespace

LayerStore::LayerStore(std::size_t layers, int low_bits, std::uint64_t memory, std::string scratch)
    : low_bits_(low_bits), memory_(memory), scratch_(std::move(scratch)), layers_(layers) {
    if (has_scratch()) finished_.emplace(scratch_);
}

std::uint64_t LayerStore::size(std::size_t layer) const noexcept {
    return layers_[layer].words.size() + layers_[layer].in_finished.count;
}

std::uint64_t LayerStore::held() const noexcept {
    std::uint64_t words = 0;
    for (const Layer& layer : layers_) words += layer.words.capacity();
    return words * sizeof(Word);
}

void LayerStore::add(std::size_t layer, std::span<const Word> words) {
    std::vector<Word>& all = layers_[layer].words;
    all.insert(all.end(), words.begin(), words.end());
}

void LayerStore::compact(std::size_t layer) { sort_distinct(layers_[layer].words); }

void LayerStore::sort_distinct(std::vector<Word>& words) const {
    tbb::parallel_sort(words.begin(), words.end());
    const auto distinct = std::unique(words.begin(), words.end(),
                                      [this](Word a, Word b) { return a >> low_bits_ == b >> low_bits_; });
    words.erase(distinct, words.end());
}

void LayerStore::make_room() {
    if (!has_scratch()) return;
    const std::uint64_t share = memory_ / memory_shares / sizeof(Word);
    const auto too_much = [&] { return held() / sizeof(Word) > share; };
    for (Layer& layer : layers_) {
        if (!too_much()) return;
        if (layer.finished && !layer.words.empty()) move_finished(layer);
    }
    for (Layer& layer : layers_) {
        if (!too_much()) return;
        if (!layer.finished && layer.words.size() > share / runs_in_a_share) move_run(layer);
    }
}

void LayerStore::move_finished(Layer& layer) {
    layer.in_finished = {finished_->size(), layer.words.size()};
    finished_->append(layer.words);
    std::vector<Word>().swap(layer.words);  // frees the memory
}

void LayerStore::move_run(Layer& layer) {
    sort_distinct(layer.words);
    if (!layer.file) layer.file.emplace(scratch_);
    layer.runs.push_back({layer.file->size(), layer.words.size()});
    layer.file->append(layer.words);
    std::vector<Word>().swap(layer.words);  // frees the memory
}

void LayerStore::finish(std::size_t number) {
    Layer& layer = layers_[number];
    if (layer.runs.empty()) {
        sort_distinct(layer.words);
        layer.words.shrink_to_fit();  // repetitions had taken several times the memory
    } else {
        if (!layer.words.empty()) move_run(layer);
        merge_runs(layer);
    }
    layer.finished = true;
}

void LayerStore::merge_runs(Layer& layer) {
    const std::uint64_t share = memory_ / memory_shares / sizeof(Word) / layer.runs.size();
    const std::uint64_t block = std::clamp(share, std::uint64_t{512}, block_words);
    std::vector<RunReader> readers;
    readers.reserve(layer.runs.size());
    for (const Range& run : layer.runs) readers.emplace_back(*layer.file, run.first, run.count, block);

    using Front = std::pair<Word, std::size_t>;  // a word and its run
    std::priority_queue<Front, std::vector<Front>, std::greater<>> fronts;
    for (std::size_t i = 0; i < readers.size(); ++i) fronts.emplace(readers[i].front(), i);
    layer.in_finished.first = finished_->size();
    Appender out(*finished_);
    std::optional<Word> last;
    while (!fronts.empty()) {
        const auto [word, run] = fronts.top();
        fronts.pop();
        if (!last || *last >> low_bits_ != word >> low_bits_) {
            out.add(word);
            last = word;
        }
        readers[run].advance();
        if (!readers[run].at_end()) fronts.emplace(readers[run].front(), run);
    }
    out.flush();
    layer.in_finished.count = finished_->size() - layer.in_finished.first;
    layer.runs.clear();
    layer.file.reset();
}

void LayerStore::for_each_block(std::size_t number,
                                const std::function<bool(std::span<const Word>)>& visit) const {
    const Layer& layer = layers_[number];
    const std::uint64_t count = size(number);
    std::vector<Word> block;
    for (std::uint64_t done = 0; done < count; done += block.size()) {
        block.resize(static_cast<std::size_t>(std::min(block_words, count - done)));
        if (layer.words.empty()) {
            finished_->read(layer.in_finished.first + done, block);
        } else {
            std::copy_n(layer.words.begin() + static_cast<std::ptrdiff_t>(done), block.size(), block.begin());
        }
        if (!visit(block)) return;
    }
}

}  // namespace warpnet::worst
