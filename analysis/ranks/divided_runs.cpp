#include "analysis/ranks/divided_runs.hpp"

#include "engine/base/random.hpp"
#include "engine/input/parse_json.hpp"
#include "engine/net/error.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace warpnet {

namespace {

using Json = nlohmann::json;

constexpr int book_version = 2;
constexpr std::uint64_t first_share = 16;  // runs
// A share that takes less is followed by longer ones, one that takes more by shorter ones: long enough that
// handing out costs nothing, short enough that little is lost with a rank.
constexpr double short_share = 0.25, long_share = 1.0;  // seconds

constexpr std::array reasons{StopReason::dead,        StopReason::step_limit, StopReason::time_limit,
                             StopReason::interrupted, StopReason::overflow,   StopReason::immediate_loop,
                             StopReason::condition};

StopReason reason_of(const std::string& name) {
    for (const StopReason reason : reasons)
        if (to_string(reason) == name) return reason;
    throw InputError(fmt::format("unknown reason '{}'", name));
}

/// Successive runs, and the statistics of their nodes where these are wanted.
struct Share {
    std::uint64_t first = 0;
    std::vector<RunResult> results = {};
    std::vector<std::uint64_t> tally = {};  // NodeTally::words()

    /// After a limit: some runs were never begun.
    bool has_gaps() const { return !results.empty() && results.back().run - first >= results.size(); }
};

/// Why runs ended: reason, endless, of how many successive runs. Most shares have one entry.
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

/// Of what a book says; the same whatever spaces its file has.
std::string checksum(const Json& book) {
    std::uint64_t hash = 0;
    for (const char c : book.dump()) hash = hash_bits(hash, static_cast<unsigned char>(c));
    return fmt::format("{:016x}", hash);
}

/// Which runs are to be made, which are done: rank 0's book.
class RunBook {
  public:
    RunBook(const CompiledNet& net, const TeamRunOptions& options) : net_(net), options_(options) {
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

    std::optional<std::string> next() {
        if (left_.empty()) return {};
        const auto [first, end] = *left_.begin();
        left_.erase(left_.begin());
        const std::uint64_t stop = first + std::min(end - first, share_);
        if (stop < end) left_[stop] = end;
        away_[first] = stop;
        return Json{first, stop - first}.dump();
    }

    void take(std::string_view text, double seconds) {
        Share share = share_from(Json::parse(text));
        const auto away = away_.find(share.first);
        const std::uint64_t asked = away->second - away->first;
        away_.erase(away);
        const bool complete = share.results.size() == asked &&
                              std::none_of(share.results.begin(), share.results.end(), cut_off);
        if (complete && asked == share_) adapt_share(seconds);
        if (complete) {
            file(std::move(share));
        } else {
            cut_[share.first] = std::move(share);
        }
    }

    std::string text() const {
        Json shares = Json::array();
        for (const auto& [first, share] : done_) shares.push_back(to_json(share));
        Json book = {{"warpnet_runs", book_version},
                     {"experiment", Json::parse(options_.experiment)},
                     {"shares", std::move(shares)}};
        book["checksum"] = checksum(book);
        return book.dump() + "\n";
    }

    std::uint64_t runs_done() const {
        std::uint64_t runs = 0;
        for (const auto& [first, share] : done_) runs += share.results.size();
        return runs;
    }

    /// Runs were told to stop without a reason: it was the clock.
    void blame_time_limit() {
        for (auto& [first, share] : cut_)
            for (RunResult& result : share.results)
                if (result.reason == StopReason::interrupted) result.reason = StopReason::time_limit;
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
        Json book = parse_json(text, "");
        if (book.at("warpnet_runs") != book_version)
            throw InputError(
                fmt::format("version {}; expected {}", book.at("warpnet_runs").dump(), book_version));
        const Json written = book.at("checksum");
        book.erase("checksum");
        if (written != checksum(book)) throw InputError("damaged: the checksum is not that of its content");
        if (book.at("experiment") != Json::parse(options_.experiment))
            throw InputError("these are the runs of another net or of other options (seed, policy, ...)");
        for (const Json& saved : book.at("shares")) add(share_from(saved));
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

    /// Shares that are done and follow each other become one, so that a book of many runs stays short.
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

    void adapt_share(double seconds) {
        if (seconds < short_share) share_ *= 2;
        if (seconds > long_share) share_ = std::max<std::uint64_t>(share_ / 2, 1);
    }

    const CompiledNet& net_;
    const TeamRunOptions& options_;
    std::uint64_t share_ = first_share;
    std::map<std::uint64_t, std::uint64_t> left_, away_;  // [first, end) of runs
    std::map<std::uint64_t, Share> done_;
    std::map<std::uint64_t, Share> cut_;  // shares that a limit ended: shown, but never saved
};

/// What every rank does with a task.
TaskFunction perform_runs(const Executor& executor, const TeamRunOptions& options, FarmSignals& signals) {
    return [&](std::string_view task) {
        const Json range = Json::parse(task);
        ManyOptions many = options.many;
        many.run.run = range.at(0);
        many.runs = range.at(1);
        many.run.limits.deadline.reset();
        many.run.limits.interrupt = &signals.stop;
        NodeTally tally(executor.net());
        if (many.tally != nullptr) many.tally = &tally;
        Share share{.first = many.run.run, .results = run_many(executor, many)};
        if (many.tally != nullptr) share.tally = tally.words();
        return to_json(share).dump();
    };
}

void set_signals(const ManyOptions& many, FarmSignals& signals) {
    signals.limits = many.run.limits;
    signals.done = many.finished;
}

}  // namespace

std::vector<RunResult> lead_runs(Team& team, const Executor& executor, const TeamRunOptions& options) {
    RunBook book(executor.net(), options);
    FarmSignals signals;
    set_signals(options.many, signals);
    if (signals.done != nullptr) *signals.done += book.runs_done();
    auto next_save = std::chrono::steady_clock::now() + options.interval;
    bool saved_after_stop = false;
    const auto save = [&] {
        // Once stopped at once: who waits for the last results may not live to see them.
        const bool now = signals.stop ? !std::exchange(saved_after_stop, true)
                                      : std::chrono::steady_clock::now() >= next_save;
        if (!now) return;
        options.save(book.text());
        next_save = std::chrono::steady_clock::now() + options.interval;
    };
    TaskSource source{[&] { return book.next(); },
                      [&](std::string_view result, double seconds) { book.take(result, seconds); },
                      {}};
    if (options.save) source.save = save;
    const WorkEnd stop = lead(team, source, perform_runs(executor, options, signals), signals);
    if (stop == WorkEnd::time_limit) book.blame_time_limit();
    if (options.save) options.save(book.text());
    return std::move(book).results();
}

void follow_runs(Team& team, const Executor& executor, const TeamRunOptions& options) {
    FarmSignals signals;
    set_signals(options.many, signals);
    follow(team, perform_runs(executor, options, signals), signals);
}

}  // namespace warpnet
