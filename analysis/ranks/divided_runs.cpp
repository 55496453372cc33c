// A run is a function of the seed and its number, so any rank can make any run. The ranks make them round by
// round: rank 0 gives each rank a share of successive numbers, as many as the rank makes in half a second by
// its last round. Then it takes the results and saves them. A slow rank gets fewer runs. A rank waits a few
// hundredths of a round for the other ranks, which is the price of a protocol without queues. Rank 0 keeps
// which runs are left, done, and cut off by a limit (RunBook), in ranges of numbers.

#include "analysis/ranks/divided_runs.hpp"

#include "analysis/ranks/collectives.hpp"
#include "engine/base/to_json.hpp"
#include "engine/input/parse_json.hpp"
#include "engine/net/error.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace warpnet::ranks {

namespace {

using Json = nlohmann::json;
using Clock = std::chrono::steady_clock;

constexpr int book_version = 2;
constexpr std::uint64_t first_share = 16;  // runs
// Long enough that messages cost little, short enough that little is lost if a rank fails.
constexpr double seconds_of_share = 0.5;
constexpr double most_growth = 8;  // of a share from one round to the next

constexpr std::array reasons{StopReason::dead,        StopReason::step_limit, StopReason::time_limit,
                             StopReason::interrupted, StopReason::overflow,   StopReason::immediate_loop,
                             StopReason::condition};

StopReason reason_of(const std::string& name) {
    for (const StopReason reason : reasons)
        if (to_string(reason) == name) return reason;
    throw InputError(fmt::format("unknown reason '{}'", name));
}

/// Numbers of successive runs.
struct RunRange {
    std::uint64_t first = 0;
    std::uint64_t count = 0;
};

/// Successive runs, and the statistics of their nodes if requested.
struct Share {
    std::uint64_t first = 0;
    std::vector<RunResult> results = {};
    std::vector<std::uint64_t> tally = {};  // NodeTally::words()

    /// After a limit: some runs were not started.
    bool has_gaps() const { return !results.empty() && results.back().run - first >= results.size(); }
};

/// Why runs ended: reason, endless, and the number of successive runs. Most shares have one entry.
Json ends_json(const std::vector<RunResult>& results) {
    Json ends = Json::array();
    for (auto from = results.begin(); from != results.end();) {
        const auto to = std::find_if(from, results.end(), [&](const RunResult& result) {
            return result.reason != from->reason || result.endless != from->endless;
        });
        ends.push_back({to_string(from->reason), from->endless, to - from});
        from = to;
    }
    return ends;
}

Json to_json(const Share& share) {
    Json json = {{"first", share.first}, {"ends", ends_json(share.results)}};
    Json& steps = json["steps"] = Json::array();
    Json& firings = json["firings"] = Json::array();
    for (const RunResult& result : share.results) {
        steps.push_back(result.steps);
        firings.push_back(result.firings);
        if (share.has_gaps()) json["runs"].push_back(result.run);
        if (!result.marking.empty()) json["markings"].push_back(result.marking);
        if (!result.counts.empty()) json["counts"].push_back(result.counts);
    }
    if (!share.tally.empty()) json["tally"] = share.tally;
    return json;
}

Share share_from(const Json& json) {
    Share share{.first = json.at("first")};
    for (const Json& end : json.at("ends")) {
        RunResult result;
        result.reason = reason_of(end.at(0));
        result.endless = end.at(1);
        share.results.insert(share.results.end(), end.at(2).get<std::size_t>(), result);
    }
    for (const char* column : {"steps", "firings", "runs", "markings", "counts"}) {
        if (json.contains(column) && json[column].size() != share.results.size())
            throw InputError(
                fmt::format("{} {} of {} runs", json[column].size(), column, share.results.size()));
    }
    for (std::size_t i = 0; i < share.results.size(); ++i) {
        RunResult& result = share.results[i];
        result.run = json.contains("runs") ? json["runs"][i].get<std::uint64_t>() : share.first + i;
        result.steps = json.at("steps")[i];
        result.firings = json.at("firings")[i];
        if (json.contains("markings")) result.marking = json["markings"][i].get<Marking>();
        if (json.contains("counts")) result.counts = json["counts"][i].get<std::vector<std::uint64_t>>();
    }
    if (json.contains("tally")) share.tally = json["tally"].get<std::vector<std::uint64_t>>();
    return share;
}

/// The book of rank 0: the runs to make and those that are done.
class RunBook {
  public:
    RunBook(const CompiledNet& net, const DividedRunOptions& options, std::size_t ranks)
        : net_(net), options_(options), share_(ranks, first_share) {
        const std::uint64_t first = options.many.run.run;
        left_[first] = first + options.many.runs;
        if (options.saved.empty()) return;
        try {
            read(options.saved);
        } catch (const Json::exception&) {
            throw InputError(options.saved_name +
                             ": expected saved runs, found something else or a damaged file");
        } catch (const InputError& error) {
            throw InputError(options.saved_name + ": " + error.what());
        }
    }

    /// The runs of the next round, by rank; nothing if all are made or a limit was met.
    std::vector<RunRange> next_round() {
        if (left_.empty() || !cut_.empty() || options_.many.run.limits.must_end()) return {};
        std::uint64_t left = 0;
        for (const auto& [first, end] : left_) left += end - first;
        const auto asked = std::accumulate(share_.begin(), share_.end(), 0.0);
        // The last runs are divided in the same proportions as all earlier ones.
        const double part = std::min(1.0, static_cast<double>(left) / asked);
        std::vector<RunRange> round(share_.size());
        for (std::size_t rank = 0; rank < round.size() && !left_.empty(); ++rank) {
            const auto share =
                static_cast<std::uint64_t>(std::ceil(part * static_cast<double>(share_[rank])));
            const auto [first, end] = *left_.begin();
            left_.erase(left_.begin());
            round[rank] = {first, std::min(end - first, share)};
            if (share < end - first) left_[first + share] = end;
        }
        return round;
    }

    /// Takes the runs of a rank, and the time it needed.
    void take(std::size_t rank, RunRange asked, Share share, double seconds) {
        const bool complete = share.results.size() == asked.count &&
                              std::none_of(share.results.begin(), share.results.end(), cut_off);
        if (!complete) {
            cut_[share.first] = std::move(share);
            return;
        }
        const auto runs = static_cast<double>(asked.count);
        share_[rank] = static_cast<std::uint64_t>(
            std::ceil(runs * std::min(most_growth, seconds_of_share / std::max(seconds, 1e-9))));
        file(std::move(share));
    }

    std::string text() const {
        Json shares = Json::array();
        for (const auto& [first, share] : done_) shares.push_back(to_json(share));
        return sealed_json(Json{{"warpnet_runs", book_version},
                                {"experiment", Json::parse(options_.experiment)},
                                {"shares", std::move(shares)}});
    }

    std::uint64_t runs_done() const {
        std::uint64_t runs = 0;
        for (const auto& [first, share] : done_) runs += share.results.size();
        return runs;
    }

    /// Everything known, in the order of the runs; leaves the book empty.
    std::vector<RunResult> results() && {
        done_.merge(cut_);
        std::vector<RunResult> all;
        for (auto& [first, share] : done_) {
            all.insert(all.end(), std::move_iterator(share.results.begin()),
                       std::move_iterator(share.results.end()));
            if (options_.many.tally != nullptr)
                options_.many.tally->merge(NodeTally::of_words(net_, share.tally));
            share = {};
        }
        return all;
    }

  private:
    void read(const std::string& text) {
        const Json book = read_sealed_json(text, "", "warpnet_runs", book_version);
        if (book.at("experiment") != Json::parse(options_.experiment))
            throw InputError("these are other runs than those of this command: " +
                             differences(book.at("experiment")));
        for (const Json& saved : book.at("shares")) add(share_from(saved));
    }

    /// The options by which an experiment differs from this one, with their values.
    std::string differences(const Json& saved) const {
        std::string text;
        const Json experiment = Json::parse(options_.experiment);
        for (const auto& [name, value] : experiment.items()) {
            const Json other = saved.value(name, Json());
            if (other == value) continue;
            std::string flag = name;
            std::ranges::replace(flag, '_', '-');
            text += text.empty() ? "" : ", ";
            text += name == "net" ? "the net is another one"
                                  : fmt::format("--{} is {} there and {} here", flag, json_text(other),
                                                json_text(value));
        }
        return text;
    }

    /// A share that was saved. Its runs must be wanted, and not done yet.
    void add(Share share) {
        const std::uint64_t first = share.first, end = share.first + share.results.size();
        auto gap = left_.upper_bound(first);
        if (first >= end || gap == left_.begin() || (--gap)->second < end)
            throw InputError(
                fmt::format("runs {} to {} are there twice, or are not asked for", first, end - 1));
        if ((options_.many.tally != nullptr) == share.tally.empty()) throw InputError("statistics missing");
        const auto [gap_first, gap_end] = *gap;
        left_.erase(gap);
        if (gap_first < first) left_[gap_first] = first;
        if (end < gap_end) left_[end] = gap_end;
        file(std::move(share));
    }

    /// Successive shares that are done become one, so the book of many runs stays short.
    void file(Share share) {
        const auto at = done_.insert_or_assign(share.first, std::move(share)).first;
        if (const auto after = std::next(at); after != done_.end()) join(at->second, after);
        if (at != done_.begin()) join(std::prev(at)->second, at);
    }

    void join(Share& share, std::map<std::uint64_t, Share>::iterator after) {
        Share& next = after->second;
        if (share.first + share.results.size() != next.first) return;
        share.results.insert(share.results.end(), std::move_iterator(next.results.begin()),
                             std::move_iterator(next.results.end()));
        if (!share.tally.empty()) {
            NodeTally tally = NodeTally::of_words(net_, share.tally);
            tally.merge(NodeTally::of_words(net_, next.tally));
            share.tally = tally.words();
        }
        done_.erase(after);
    }

    const CompiledNet& net_;
    const DividedRunOptions& options_;
    std::vector<std::uint64_t> share_;             // by rank: runs that it makes in half a second
    std::map<std::uint64_t, std::uint64_t> left_;  // [first, end) of runs
    std::map<std::uint64_t, Share> done_;
    std::map<std::uint64_t, Share> cut_;  // shares that a limit ended: shown, but never saved
};

Share make_runs(const Executor& executor, const ManyOptions& options, RunRange runs) {
    Share share{.first = runs.first};
    if (runs.count == 0) return share;
    ManyOptions many = options;
    many.run.run = runs.first;
    many.runs = runs.count;
    NodeTally tally(executor.net());
    if (many.tally != nullptr) many.tally = &tally;
    share.results = run_many(executor, many);
    if (many.tally != nullptr) share.tally = tally.words();
    return share;
}

/// A rank at work; rank 0 has the book.
class DividedRuns {
  public:
    DividedRuns(const Executor& executor, const DividedRunOptions& options)
        : executor_(executor), options_(options), ranks_(options.ranks) {
        if (!leads(ranks_)) return;
        book_.emplace(executor.net(), options,
                      ranks_ == nullptr ? 1 : static_cast<std::size_t>(ranks_->size()));
        if (options.many.finished != nullptr) *options.many.finished += book_->runs_done();
    }

    std::vector<RunResult> make() {
        for (;;) {
            const std::vector<RunRange> round = next_round();
            if (round.empty()) break;
            const RunRange own = round[ranks_ == nullptr ? 0 : static_cast<std::size_t>(ranks_->rank())];
            const auto begun = Clock::now();
            Share share = make_runs(executor_, options_.many, own);
            const double seconds = std::chrono::duration<double>(Clock::now() - begun).count();
            if (!book_) {
                send(share, seconds);
                continue;
            }
            // mpirun kills its ranks a second after an interrupt, so the known runs are saved first.
            if (options_.many.run.limits.interrupted()) save(true);
            if (own.count > 0) book_->take(0, own, std::move(share), seconds);
            for (std::size_t rank = 1; rank < round.size(); ++rank) receive(rank, round[rank]);
            save(false);
        }
        if (!book_) return {};
        save(true);
        return std::move(*book_).results();
    }

  private:
    std::vector<RunRange> next_round() {
        if (ranks_ == nullptr) return book_->next_round();
        ByteWriter writer;
        if (book_) writer.put_list(book_->next_round());
        const std::string text = ranks_->broadcast(0, std::move(writer).take());
        return ByteReader(text).get_list<RunRange>();
    }

    void send(const Share& share, double seconds) const {
        ByteWriter writer;
        writer.put(seconds);
        writer.put_text(json_text(to_json(share)));
        ranks_->send(0, writer.bytes());
    }

    void receive(std::size_t rank, RunRange asked) {
        const std::string text = ranks_->receive(static_cast<int>(rank));
        if (asked.count == 0) return;
        ByteReader reader(text);
        const auto seconds = reader.get<double>();
        Share share = share_from(Json::parse(reader.get_text()));
        if (options_.many.finished != nullptr) *options_.many.finished += share.results.size();
        book_->take(rank, asked, std::move(share), seconds);
    }

    /// Now, or if it is time.
    void save(bool now) {
        if (!options_.save || (!now && Clock::now() < next_save_)) return;
        options_.save(book_->text());
        next_save_ = Clock::now() + options_.interval;
    }

    const Executor& executor_;
    const DividedRunOptions& options_;
    Collectives* ranks_;
    std::optional<RunBook> book_;
    Clock::time_point next_save_ = Clock::now() + options_.interval;
};

}  // namespace

std::vector<RunResult> divided_runs(const Executor& executor, const DividedRunOptions& options) {
    return together(options.ranks, [&] { return DividedRuns(executor, options).make(); });
}

}  // namespace warpnet::ranks
