// The common part of collect.cu and microbenchmarks.cu: arrays on the device, and the runner that checks,
// times and profiles launches in turn.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

#include <cuda_profiler_api.h>

// A failed call ends the process; collect.sh continues with the next group.
inline void check(cudaError_t error, const char* what) {
    if (error == cudaSuccess) return;
    std::fprintf(stderr, "error: %s: %s\n", what, cudaGetErrorString(error));
    std::exit(3);
}

// The seconds since the start of the process.
inline double seconds() {
    static const auto start = std::chrono::steady_clock::now();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// An array on the device. Its memory is allocated when a kernel is first launched with it, so that listing
// the cases needs no GPU. Inputs have a function that makes their values, the same on every machine.
template <class T>
class Array {
  public:
    // An output, filled with `byte` before a checked launch.
    explicit Array(std::size_t size, int byte = 0xFF) : size_(size), byte_(byte) {}
    // An input; `changes`: kernels write to it, so it is copied anew before a checked launch.
    Array(std::size_t size, std::function<std::vector<T>()> make, bool changes = false)
        : size_(size), make_(std::move(make)), changes_(changes) {}
    ~Array() { cudaFree(data_); }
    Array(const Array&) = delete;
    Array& operator=(const Array&) = delete;

    std::size_t size() const { return size_; }
    T* get() const { return data_; }

    // Of an input: its values before any launch.
    const std::vector<T>& made() const {
        if (made_.empty()) made_ = make_();
        return made_;
    }

    void prepare() {
        const bool is_new = data_ == nullptr;
        if (is_new) check(cudaMalloc(&data_, size_ * sizeof(T)), "cudaMalloc");
        if (!make_) {
            check(cudaMemset(data_, byte_, size_ * sizeof(T)), "cudaMemset");
        } else if (is_new || changes_) {
            check(cudaMemcpy(data_, made().data(), size_ * sizeof(T), cudaMemcpyHostToDevice),
                  "copy to the device");
        }
    }

    std::vector<T> values() const {
        std::vector<T> result(size_);
        check(cudaMemcpy(result.data(), data_, size_ * sizeof(T), cudaMemcpyDeviceToHost),
              "copy to the host");
        return result;
    }

  private:
    T* data_ = nullptr;
    std::size_t size_;
    int byte_ = 0;
    std::function<std::vector<T>()> make_;
    bool changes_ = false;
    mutable std::vector<T> made_;
};

template <class T>
T* pass(const Array<T>& array) {
    return array.get();
}
inline int pass(int value) { return value; }
inline unsigned pass(unsigned value) { return value; }
inline float pass(float value) { return value; }
inline double pass(double value) { return value; }

template <class T>
void prepare(T& argument) {
    if constexpr (std::is_class_v<T>) argument.prepare();
}

// The clock of an SM: cycles per microsecond over about 100 microseconds.
__global__ void clock_of_sm(double* mhz) {
    unsigned long long start_ns, stop_ns;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start_ns));
    const long long start = clock64();
    while (clock64() - start < 200000) {
    }
    const long long stop = clock64();
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(stop_ns));
    *mhz = stop_ns > start_ns ? 1000.0 * double(stop - start) / double(stop_ns - start_ns) : 0;
}

// The launch of a kernel. trips: for warpnet's --trips, loops in the order of the PTX, without those that
// warpnet proves. n: the size of the problem.
struct Shape {
    long n;
    dim3 grid;
    dim3 block;
    std::string trips = "";
    unsigned shared = 0;  // dynamic shared memory, bytes
};

class Runner {
  public:
    enum class Mode { list, times, profile };

    // group: the group that `times` runs. After the deadline, in seconds from the start, cases are skipped.
    Runner(Mode mode, std::string group, double deadline, std::set<long> ids, std::set<std::string> dropped,
           FILE* order)
        : mode_(mode),
          wanted_group_(std::move(group)),
          deadline_(deadline),
          ids_(std::move(ids)),
          dropped_(std::move(dropped)),
          order_(order) {
        if (mode_ != Mode::list) {
            cudaDeviceProp properties;
            check(cudaGetDeviceProperties(&properties, 0), "no device");
            sms_ = properties.multiProcessorCount;
            check(cudaEventCreate(&start_), "cudaEventCreate");
            check(cudaEventCreate(&stop_), "cudaEventCreate");
            check(cudaMalloc(&mhz_, sizeof(double)), "cudaMalloc");
            for (int i = 0; i < 2000; ++i) clock_of_sm<<<1, 1>>>(mhz_);  // the clocks rise
            check(cudaDeviceSynchronize(), "clock_of_sm");
        }
    }

    static const char* columns() {
        return "id,kernel,ptx,trips,param,warps,block,grid,dynamic_shared,n,time_us,least_us,most_us,batch_"
               "us,repeats,"
               "clock_mhz";
    }

    void enter_group(const char* name) { group_ = name; }
    int failures() const { return failures_; }
    // Whether cases of the current group may be launched.
    bool launches() const {
        return mode_ == Mode::profile || (mode_ == Mode::times && group_ == wanted_group_);
    }

    // One case. right: checks the results after one launch on prepared arrays.
    template <class... Parameters, class... Arguments>
    void run(const char* kernel, void (*function)(Parameters...), const Shape& shape,
             const std::function<bool()>& right, Arguments&&... arguments) {
        const long id = ++id_;
        const std::string params = parameters_of(pass(arguments)...);
        if (mode_ == Mode::list) {
            row(id, kernel, shape, params);
            std::printf(",,,,,,\n");
            return;
        }
        if (mode_ == Mode::times ? group_ != wanted_group_ || dropped_.count(kernel) != 0
                                 : ids_.count(id) == 0)
            return;
        if (seconds() > deadline_) {
            std::fprintf(stderr, "skipped: case %ld of %s, no time left\n", id, kernel);
            return;
        }
        (prepare(arguments), ...);
        if (shape.shared > 48 * 1024)
            check(cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                       int(shape.shared)),
                  kernel);
        const auto launch = [&] { function<<<shape.grid, shape.block, shape.shared>>>(pass(arguments)...); };
        std::fprintf(stderr, "at: %ld %s\n", id,
                     kernel);  // the last one names the kernel that broke a process
        launch();
        if (const cudaError_t error = cudaGetLastError(); error != cudaSuccess) {
            drop(id, kernel, cudaGetErrorString(error));
            return;
        }
        check(cudaDeviceSynchronize(), kernel);
        if (mode_ == Mode::profile) {
            check(cudaProfilerStart(), "cudaProfilerStart");
            launch();
            check(cudaDeviceSynchronize(), kernel);
            check(cudaProfilerStop(), "cudaProfilerStop");
            std::fprintf(order_, "%ld\n", id);
            std::fflush(order_);
        } else if (right()) {
            time(id, kernel, shape, params, launch);
        } else {
            drop(id, kernel, "computes something wrong");
        }
    }

  private:
    template <class T>
    static void add_parameter(std::string& text, int& index, T value) {
        if constexpr (std::is_integral_v<T>)
            text += (text.empty() ? "" : ",") + std::to_string(index) + "=" + std::to_string(value);
        ++index;
    }

    // "2=1024,3=7": integer parameters by their position, in the format of warpnet's --param.
    template <class... Values>
    static std::string parameters_of(Values... values) {
        std::string text;
        int index = 0;
        (add_parameter(text, index, values), ...);
        return text;
    }

    void drop(long id, const char* kernel, const char* why) {
        std::fprintf(stderr, "wrong: case %ld of %s: %s\n", id, kernel, why);
        dropped_.insert(kernel);
        ++failures_;
    }

    // The row without the times. warps: the warps that the busiest SM executes.
    void row(long id, const char* kernel, const Shape& shape, const std::string& params) const {
        const dim3 g = shape.grid, b = shape.block;
        const long blocks = long{g.x} * g.y * g.z, threads = long{b.x} * b.y * b.z;
        const long warps = (blocks + sms_ - 1) / sms_ * ((threads + 31) / 32);
        std::printf("%ld,%s,kernels.ptx,\"%s\",\"%s\",%ld,%ux%ux%u,%ux%ux%u,%u,%ld", id, kernel,
                    shape.trips.c_str(), params.c_str(), warps, b.x, b.y, b.z, g.x, g.y, g.z, shape.shared,
                    shape.n);
    }

    float timed(const char* kernel, const std::function<void()>& launch, int launches) {
        check(cudaEventRecord(start_), kernel);
        for (int i = 0; i < launches; ++i) launch();
        check(cudaEventRecord(stop_), kernel);
        check(cudaEventSynchronize(stop_), kernel);
        check(cudaGetLastError(), kernel);
        float milliseconds = 0;
        check(cudaEventElapsedTime(&milliseconds, start_, stop_), kernel);
        return 1000 * milliseconds / static_cast<float>(launches);
    }

    void time(long id, const char* kernel, const Shape& shape, const std::string& params,
              const std::function<void()>& launch) {
        timed(kernel, launch, 3);  // warms up
        std::vector<float> times;
        for (int i = 0; i < repeats; ++i) times.push_back(timed(kernel, launch, 1));
        std::sort(times.begin(), times.end());
        const float batch = timed(kernel, launch, repeats);
        clock_of_sm<<<1, 1>>>(mhz_);
        double mhz = 0;
        check(cudaMemcpy(&mhz, mhz_, sizeof mhz, cudaMemcpyDeviceToHost), "clock_of_sm");
        row(id, kernel, shape, params);
        std::printf(",%.3f,%.3f,%.3f,%.3f,%d,%.0f\n", times[times.size() / 2], times.front(), times.back(),
                    batch, repeats, mhz);
        std::fflush(stdout);
    }

    static constexpr int repeats = 21;  // odd: the median is one of them
    Mode mode_;
    std::string group_, wanted_group_;
    double deadline_;
    std::set<long> ids_;
    std::set<std::string> dropped_;
    FILE* order_;
    long sms_ = 132;  // of a list without a GPU: those of an H100
    long id_ = 0;
    int failures_ = 0;
    double* mhz_ = nullptr;
    cudaEvent_t start_ = nullptr;
    cudaEvent_t stop_ = nullptr;
};
