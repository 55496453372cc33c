#pragma once

// The part of oneTBB that the project uses, with plain threads. ThreadSanitizer knows the order that
// std::thread and std::mutex impose. The distribution's TBB is not compiled for it, so every task that is
// handed over would look like a race. A counter without memory order hands out work, so the code itself must
// order accesses to shared data.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace tbb {

namespace plain {

/// Per thread: its number in the team. Work within a team is not divided again.
inline thread_local std::size_t slot = 0;
inline thread_local bool in_team = false;
inline thread_local std::size_t allowed = 4;

/// Calls work(i) for each i below `count`, on several threads. Rethrows the first exception.
template <class Work>
void share(std::size_t count, const Work& work) {
    const std::size_t threads = in_team ? 1 : std::min(allowed, count);
    if (threads <= 1) {
        for (std::size_t i = 0; i < count; ++i) work(i);
        return;
    }
    std::atomic<std::size_t> next = 0;
    std::exception_ptr error;
    std::mutex error_guard;
    const auto serve = [&](std::size_t number) {
        slot = number;
        in_team = true;
        try {
            for (std::size_t i = 0; (i = next.fetch_add(1, std::memory_order_relaxed)) < count;) work(i);
        } catch (...) {
            const std::lock_guard lock(error_guard);
            if (!error) error = std::current_exception();
            next.store(count, std::memory_order_relaxed);
        }
        slot = 0;
        in_team = false;
    };
    std::vector<std::thread> team;
    for (std::size_t number = 1; number < threads; ++number) team.emplace_back(serve, number);
    serve(0);
    for (std::thread& thread : team) thread.join();
    if (error) std::rethrow_exception(error);
}

}  // namespace plain

class global_control {
  public:
    static std::size_t active_value(int /*unused*/) { return plain::allowed; }
    enum parameter { max_allowed_parallelism };
    global_control(parameter, std::size_t) {}
    global_control(const global_control&) = delete;
    global_control& operator=(const global_control&) = delete;
};

class task_arena {
  public:
    static constexpr int automatic = -1;
    explicit task_arena(int threads = automatic) : threads_(threads) {}

    template <class Work>
    auto execute(Work&& work) {
        const Restored restored{plain::allowed};
        if (threads_ > 0) plain::allowed = static_cast<std::size_t>(threads_);
        return work();
    }

  private:
    struct Restored {
        std::size_t before;
        explicit Restored(std::size_t threads) : before(threads) {}
        Restored(const Restored&) = delete;
        Restored& operator=(const Restored&) = delete;
        ~Restored() { plain::allowed = before; }
    };
    int threads_;
};

namespace this_task_arena {
inline int max_concurrency() { return plain::in_team ? 1 : static_cast<int>(plain::allowed); }
}  // namespace this_task_arena

template <class Value>
class blocked_range {
  public:
    blocked_range(Value begin, Value end, std::size_t grain = 1) : begin_(begin), end_(end), grain_(grain) {}
    Value begin() const { return begin_; }
    Value end() const { return end_; }
    std::size_t grainsize() const { return grain_; }

  private:
    Value begin_, end_;
    std::size_t grain_;
};

template <class Value, class Body>
void parallel_for(const blocked_range<Value>& range, const Body& body) {
    const auto size = static_cast<std::size_t>(range.end() - range.begin());
    const std::size_t grain = std::max<std::size_t>(1, range.grainsize());
    plain::share((size + grain - 1) / grain, [&](std::size_t piece) {
        const std::size_t first = piece * grain, last = std::min(size, first + grain);
        body(blocked_range<Value>(static_cast<Value>(range.begin() + static_cast<Value>(first)),
                                  static_cast<Value>(range.begin() + static_cast<Value>(last)), grain));
    });
}

template <class Index, class Body>
void parallel_for(Index first, Index last, const Body& body) {
    plain::share(static_cast<std::size_t>(last - first),
                 [&](std::size_t i) { body(static_cast<Index>(first + static_cast<Index>(i))); });
}

template <class Range, class Body>
void parallel_for_each(Range&& range, const Body& body) {
    std::vector<decltype(std::begin(range))> at;
    for (auto i = std::begin(range); i != std::end(range); ++i) at.push_back(i);
    plain::share(at.size(), [&](std::size_t i) { body(*at[i]); });
}

template <class Iterator, class... Less>
void parallel_sort(Iterator first, Iterator last, Less... less) {
    std::sort(first, last, less...);
}

enum class filter_mode { serial_in_order, parallel };

class flow_control {
  public:
    void stop() { stopped_ = true; }
    bool is_stopped() const { return stopped_; }

  private:
    bool stopped_ = false;
};

/// Consecutive filters, from the source to the sink. One thread does all the work.
template <class From, class To>
struct filter {
    std::function<To(std::conditional_t<std::is_void_v<From>, flow_control&, From>)> work;
};

template <class From, class To, class Work>
filter<From, To> make_filter(filter_mode /*unused*/, Work work) {
    return {work};
}

template <class Between, class To>
filter<void, To> operator&(const filter<void, Between>& first, const filter<Between, To>& second) {
    return {[=](flow_control& control) -> To {
        const Between made = first.work(control);
        if constexpr (std::is_void_v<To>) {
            if (!control.is_stopped()) second.work(made);
        } else {
            return control.is_stopped() ? To() : second.work(made);
        }
    }};
}

inline void parallel_pipeline(std::size_t /*unused*/, const filter<void, void>& all) {
    for (flow_control control; !control.is_stopped();) all.work(control);
}

/// A value for each thread of a team, created on first use.
template <class Value>
class enumerable_thread_specific {
  public:
    enumerable_thread_specific() : make_([] { return std::make_unique<Value>(); }) {}
    template <class Make, class = std::enable_if_t<std::is_invocable_v<Make>>>
    explicit enumerable_thread_specific(Make make)
        : make_([make = std::move(make)] { return std::unique_ptr<Value>(new Value(make())); }) {}

    Value& local() {
        const std::lock_guard lock(guard_);
        std::unique_ptr<Value>& value = values_[plain::slot];
        if (!value) {
            value = make_();
            order_.push_back(value.get());
        }
        return *value;
    }

    class iterator {
      public:
        using inner = typename std::deque<Value*>::iterator;
        explicit iterator(inner at) : at_(at) {}
        Value& operator*() const { return **at_; }
        Value* operator->() const { return *at_; }
        iterator& operator++() {
            ++at_;
            return *this;
        }
        bool operator==(const iterator&) const = default;

      private:
        inner at_;
    };
    iterator begin() { return iterator(order_.begin()); }
    iterator end() { return iterator(order_.end()); }
    std::size_t size() const { return order_.size(); }
    void clear() {
        order_.clear();
        values_.clear();
    }

  private:
    std::function<std::unique_ptr<Value>()> make_;
    std::mutex guard_;
    std::map<std::size_t, std::unique_ptr<Value>> values_;
    std::deque<Value*> order_;
};

}  // namespace tbb
