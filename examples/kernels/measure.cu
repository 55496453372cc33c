// Times the kernels of this folder with CUDA events over block and problem sizes, and writes CSV to the standard output:
// one row a launch shape, the median of the repeats. Every kernel's result is checked on the host before it is timed.
// measure.sh adds the instruction counts. Usage: measure [REPEATS]
#include "matmul_naive.cu"
#include "matmul_tiled.cu"
#include "radix_sort.cu"
#include "reduction.cu"
#include "vector_add.cu"
#include "voronoi.cu"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

namespace {

void check(cudaError_t error, const char* what) {
    if (error == cudaSuccess) return;
    std::fprintf(stderr, "measure: %s: %s\n", what, cudaGetErrorString(error));
    std::exit(1);
}

void require(bool right, const char* kernel) {
    if (right) return;
    std::fprintf(stderr, "measure: %s computes something wrong\n", kernel);
    std::exit(1);
}

// An array on the device, copied to and from vectors.
template <class T>
class Array {
  public:
    explicit Array(std::size_t size) : size_(size) { check(cudaMalloc(&data_, size * sizeof(T)), "cudaMalloc"); }
    explicit Array(const std::vector<T>& values) : Array(values.size()) {
        check(cudaMemcpy(data_, values.data(), size_ * sizeof(T), cudaMemcpyHostToDevice), "copy to the device");
    }
    ~Array() { cudaFree(data_); }
    Array(const Array&) = delete;
    Array& operator=(const Array&) = delete;
    T* get() const { return data_; }
    std::vector<T> values() const {
        std::vector<T> result(size_);
        check(cudaMemcpy(result.data(), data_, size_ * sizeof(T), cudaMemcpyDeviceToHost), "copy to the host");
        return result;
    }

  private:
    T* data_ = nullptr;
    std::size_t size_;
};

struct Device {
    cudaDeviceProp properties;
    int driver = 0;
    int clock_khz = 0;
    int memory_clock_khz = 0;
    std::string date;
};

Device this_device() {
    Device device;
    check(cudaGetDeviceProperties(&device.properties, 0), "no device");
    check(cudaDriverGetVersion(&device.driver), "no driver");
    cudaDeviceGetAttribute(&device.clock_khz, cudaDevAttrClockRate, 0);
    cudaDeviceGetAttribute(&device.memory_clock_khz, cudaDevAttrMemoryClockRate, 0);
    const std::time_t now = std::time(nullptr);
    char text[32];
    std::strftime(text, sizeof text, "%Y-%m-%d", std::gmtime(&now));
    device.date = text;
    return device;
}

// A kernel in one launch shape.
struct Case {
    const char* kernel;
    std::string trips;  // for warpnet's --trips: loops in the order of the text; those that it proves are left out
    dim3 grid;
    dim3 block;
    long n;  // what the problem is measured by
};

class Runner {
  public:
    explicit Runner(int repeats) : repeats_(repeats), device_(this_device()) {
        check(cudaEventCreate(&start_), "cudaEventCreate");
        check(cudaEventCreate(&stop_), "cudaEventCreate");
        std::puts("kernel,trips,warps,block,grid,n,time_us,least_us,most_us,repeats,gpu,sms,driver,clock_mhz,memory_clock_mhz,"
                  "date");
    }

    // warps: those that the busiest SM executes.
    void time(const Case& what, const std::function<void()>& launch) {
        launch();  // warms up
        check(cudaGetLastError(), what.kernel);
        check(cudaDeviceSynchronize(), what.kernel);
        std::vector<float> times;
        for (int i = 0; i < repeats_; ++i) {
            cudaEventRecord(start_);
            launch();
            cudaEventRecord(stop_);
            check(cudaEventSynchronize(stop_), what.kernel);
            float milliseconds = 0;
            check(cudaEventElapsedTime(&milliseconds, start_, stop_), what.kernel);
            times.push_back(1000 * milliseconds);
        }
        std::sort(times.begin(), times.end());
        const std::size_t half = times.size() / 2;
        const float median = times.size() % 2 == 1 ? times[half] : (times[half - 1] + times[half]) / 2;
        const long blocks = long{what.grid.x} * what.grid.y;
        const long threads = long{what.block.x} * what.block.y;
        const long sms = device_.properties.multiProcessorCount;
        const long warps = (blocks + sms - 1) / sms * ((threads + 31) / 32);
        std::printf("%s,%s,%ld,%ux%u,%ux%u,%ld,%.3f,%.3f,%.3f,%d,\"%s\",%ld,%d,%d,%d,%s\n", what.kernel,
                    ("\"" + what.trips + "\"").c_str(), warps, what.block.x, what.block.y, what.grid.x, what.grid.y,
                    what.n, median, times.front(), times.back(), repeats_, device_.properties.name, sms, device_.driver,
                    device_.clock_khz / 1000, device_.memory_clock_khz / 1000, device_.date.c_str());
        std::fflush(stdout);
    }

  private:
    int repeats_;
    Device device_;
    cudaEvent_t start_ = nullptr;
    cudaEvent_t stop_ = nullptr;
};

unsigned ceil_div(long a, long b) { return static_cast<unsigned>((a + b - 1) / b); }

// The same numbers on every machine.
std::vector<unsigned> numbers(std::size_t count) {
    std::vector<unsigned> result(count);
    unsigned state = 12345;
    for (unsigned& value : result) value = (state = state * 1664525u + 1013904223u) ^ (state >> 16);
    return result;
}

std::vector<float> floats(std::size_t count) {
    std::vector<float> result;
    for (const unsigned value : numbers(count)) result.push_back(static_cast<float>(value % 1024) / 1024);
    return result;
}

void vector_adds(Runner& runner) {
    for (const long n : {1L << 16, 1L << 20, 1L << 24}) {
        const std::vector<float> a = floats(n);
        const Array<float> in_a(a), in_b(a), out(a.size());
        for (const unsigned block : {32u, 64u, 128u, 256u, 512u, 1024u}) {
            const dim3 grid(ceil_div(n, block));
            const auto launch = [&] { vector_add<<<grid, block>>>(in_a.get(), in_b.get(), out.get(), int(n)); };
            launch();
            require(out.values()[n - 1] == 2 * a[n - 1], "vector_add");
            runner.time({"vector_add", "", grid, dim3(block), n}, launch);
        }
    }
}

void reductions(Runner& runner) {
    for (const long n : {1L << 20, 1L << 24}) {
        const std::vector<float> values = floats(n);
        const double sum = std::accumulate(values.begin(), values.end(), 0.0);
        const Array<float> in(values);
        for (const unsigned block : {64u, 128u, 256u, 512u, 1024u}) {
            const dim3 grid(256);
            const Array<float> sums(grid.x);
            const auto launch = [&] { reduce_sum<<<grid, block>>>(in.get(), sums.get(), int(n)); };
            launch();
            const std::vector<float> parts = sums.values();
            require(std::abs(std::accumulate(parts.begin(), parts.end(), 0.0) / sum - 1) < 1e-3, "reduce_sum");
            int halvings = 0;
            for (unsigned half = block / 2; half > 0; half /= 2) ++halvings;
            const std::string trips =
                "#1=" + std::to_string(ceil_div(n, long{grid.x} * block)) + ",#2=" + std::to_string(halvings);
            runner.time({"reduce_sum", trips, grid, dim3(block), n}, launch);
        }
    }
}

void matmuls(Runner& runner) {
    for (const int n : {64, 256, 1024}) {
        const std::vector<float> values = floats(std::size_t(n) * n);
        const Array<float> a(values), b(values), c(values.size());
        const auto is_right = [&] {
            double element = 0;
            for (int k = 0; k < n; ++k) element += double(values[(n - 1) * n + k]) * values[k * n + 1];
            return std::abs(c.values()[std::size_t(n - 1) * n + 1] / element - 1) < 1e-3;
        };
        for (const dim3 block : {dim3(8, 8), dim3(16, 16), dim3(32, 8), dim3(32, 32)}) {
            const dim3 grid(n / block.x, n / block.y);
            const auto launch = [&] { matmul_naive<<<grid, block>>>(a.get(), b.get(), c.get(), n); };
            launch();
            require(is_right(), "matmul_naive");
            runner.time({"matmul_naive", "#1=" + std::to_string(n), grid, block, n}, launch);
        }
        const dim3 block(TILE, TILE), grid(n / TILE, n / TILE);
        const auto launch = [&] { matmul_tiled<<<grid, block>>>(a.get(), b.get(), c.get(), n); };
        launch();
        require(is_right(), "matmul_tiled");
        runner.time({"matmul_tiled", "#1=" + std::to_string(n / TILE), grid, block, n}, launch);
    }
}

void voronois(Runner& runner) {
    const int width = 512, height = 512;
    for (const int count : {16, 64, 256}) {
        std::vector<float2> points;
        for (const unsigned value : numbers(count)) points.push_back({float(value % 509), float(value / 509 % 509)});
        const Array<float2> in(points);
        const Array<int> nearest(std::size_t(width) * height);
        for (const dim3 block : {dim3(8, 8), dim3(16, 16), dim3(32, 4), dim3(32, 16)}) {
            const dim3 grid(width / block.x, height / block.y);
            const auto launch = [&] { voronoi<<<grid, block>>>(in.get(), count, width, height, nearest.get()); };
            launch();
            const auto distance = [&](int i) { return points[i].x * points[i].x + points[i].y * points[i].y; };
            const int found = nearest.values()[0];
            bool least = true;
            for (int i = 0; i < count; ++i) least = least && distance(found) <= distance(i);
            require(least, "voronoi");
            runner.time({"voronoi", "#1=" + std::to_string(count - 1), grid, block, count}, launch);
        }
    }
}

using Count = void (*)(const unsigned*, int, int, unsigned*);
using Move = void (*)(const unsigned*, int, int, const unsigned*, const unsigned*, unsigned*);

// One variant of the sort: all 32 passes for the check, then the kernels of one pass each for itself.
void radix_sort(Runner& runner, const char* count_name, Count count, const char* move_name, Move move, bool node_is_block,
                const char* count_trips, int n) {
    const unsigned blocks = ceil_div(n, THREADS * KEYS_PER_THREAD);
    const int nodes = static_cast<int>(node_is_block ? blocks : blocks * THREADS);
    std::vector<unsigned> keys = numbers(n);
    const Array<unsigned> first(keys), second(keys.size()), zeros(nodes), ones(nodes), zero_start(nodes), one_start(nodes);
    const unsigned* from = first.get();
    unsigned* to = second.get();
    const auto scan = [&] { radix_scan<<<1, THREADS>>>(zeros.get(), nodes, 0, zero_start.get()); };
    const auto places = [&] {  // of the ones: behind all zeros
        scan();
        const std::vector<unsigned> z = zeros.values(), start = zero_start.values();
        std::vector<unsigned> places(nodes);
        unsigned next = start[nodes - 1] + z[nodes - 1];
        const int keys_of_node = (node_is_block ? THREADS : 1) * KEYS_PER_THREAD;
        for (int node = 0; node < nodes; ++node) {
            places[node] = next;
            next += std::max(0, std::min(keys_of_node, n - node * keys_of_node)) - z[node];
        }
        check(cudaMemcpy(one_start.get(), places.data(), nodes * sizeof(unsigned), cudaMemcpyHostToDevice), "copy");
    };
    for (int bit = 0; bit < 32; ++bit) {
        count<<<blocks, THREADS>>>(from, n, bit, zeros.get());
        places();
        move<<<blocks, THREADS>>>(from, n, bit, zero_start.get(), one_start.get(), to);
        const unsigned* sorted = to;
        to = const_cast<unsigned*>(from);
        from = sorted;
    }
    std::sort(keys.begin(), keys.end());
    require(first.values() == keys, move_name);  // after an even number of passes
    runner.time({count_name, count_trips, dim3(blocks), dim3(THREADS), n},
                [&] { count<<<blocks, THREADS>>>(from, n, 0, zeros.get()); });
    places();
    runner.time({move_name, "", dim3(blocks), dim3(THREADS), n},
                [&] { move<<<blocks, THREADS>>>(from, n, 0, zero_start.get(), one_start.get(), to); });
    if (node_is_block)
        runner.time({"radix_scan", "#1=" + std::to_string(ceil_div(nodes, THREADS)), dim3(1), dim3(THREADS), nodes}, scan);
}

}  // namespace

int main(int argc, char** argv) {
    const int repeats = argc > 1 ? std::atoi(argv[1]) : 31;
    if (repeats < 1) {
        std::fprintf(stderr, "usage: measure [REPEATS]\n");
        return 2;
    }
    Runner runner(repeats);
    vector_adds(runner);
    reductions(runner);
    matmuls(runner);
    voronois(runner);
    for (const int n : {1 << 16, 1 << 20}) {
        radix_sort(runner, "radix_global_count", radix_global_count, "radix_global_move", radix_global_move, false, "", n);
        radix_sort(runner, "radix_tile_count", radix_tile_count, "radix_tile_move", radix_tile_move, false, "#1=8", n);
        radix_sort(runner, "radix_block_count", radix_block_count, "radix_block_move", radix_block_move, true, "", n);
    }
    return 0;
}
