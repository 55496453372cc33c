// Checks and times the kernels of kernels.cu over sizes and block shapes. collect.sh runs this program:
//   collect groups                               the groups of cases, one per line
//   collect list                                 all cases as CSV, without times; needs no GPU
//   collect device                               facts about the device as CSV
//   collect times GROUP SECONDS [KERNEL]...      the cases of one group; not those of the kernels named
//   collect profile IDS SECONDS ORDER            launches the cases in the file IDS for a profiler, and writes their order
// Results go to the standard output, "wrong:", "skipped:" and "error:" lines to the standard error. Exit status: 1 if a
// kernel computes something wrong, 3 if a call of CUDA fails.
#include "kernels.cu"
#include "runner.hpp"

#include <ctime>
#include <numeric>

namespace {

unsigned ceil_div(long a, long b) { return static_cast<unsigned>((a + b - 1) / b); }

std::string text(long value) { return std::to_string(value); }

std::vector<unsigned> random_numbers(std::size_t count) {
    std::vector<unsigned> result(count);
    unsigned state = 12345;
    for (unsigned& value : result) value = (state = state * 1664525u + 1013904223u) ^ (state >> 16);
    return result;
}

// From 0 to less than 1, exact in single precision.
template <class T>
std::vector<T> random_values(std::size_t count) {
    std::vector<T> result;
    result.reserve(count);
    for (const unsigned value : random_numbers(count)) result.push_back(static_cast<T>(value % 1024) / 1024);
    return result;
}

template <class T>
struct Random : Array<T> {
    explicit Random(std::size_t size, bool changes = false)
        : Array<T>(size, [size] { return random_values<T>(size); }, changes) {}
};

struct Numbers : Array<unsigned> {
    explicit Numbers(std::size_t size) : Array<unsigned>(size, [size] { return random_numbers(size); }) {}
};

bool close(double found, double expected, double tolerance) {
    return std::abs(found - expected) <= tolerance * (std::abs(expected) + 0.01);
}

// Compares about a thousand elements with the values of `expected` for their indices.
template <class T, class Expected>
bool sampled(const Array<T>& out, const Expected& expected, double tolerance = 1e-4) {
    const std::vector<T> found = out.values();
    const std::size_t step = std::max<std::size_t>(1, found.size() / 997);
    const auto is_right = [&](std::size_t i) {
        if (close(double(found[i]), double(expected(i)), tolerance)) return true;
        std::fprintf(stderr, "element %zu: %.9g, expected %.9g\n", i, double(found[i]), double(expected(i)));
        return false;
    };
    for (std::size_t i = 0; i < found.size(); i += step)
        if (!is_right(i)) return false;
    return is_right(found.size() - 1);
}

template <class T>
bool equal(const Array<T>& out, const std::vector<T>& expected) {
    const std::vector<T> found = out.values();
    const auto at = std::mismatch(found.begin(), found.end(), expected.begin(), expected.end());
    if (at.first == found.end() && at.second == expected.end()) return true;
    std::fprintf(stderr, "element %td differs\n", at.first - found.begin());
    return false;
}

template <class T>
bool sums_to(const Array<T>& parts, double expected) {
    const std::vector<T> found = parts.values();
    const double sum = std::accumulate(found.begin(), found.end(), 0.0);
    if (close(sum, expected, 1e-3)) return true;
    std::fprintf(stderr, "sum %.9g, expected %.9g\n", sum, expected);
    return false;
}

template <class T>
double sum_of(const std::vector<T>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

struct Line {
    int n;
    unsigned block;
};

// Small problems, blocks of several sizes, and one problem that exceeds the L2 cache of most GPUs.
const std::vector<Line> lines = {{1 << 14, 128}, {1 << 18, 128},  {1 << 22, 64},
                                 {1 << 22, 256}, {1 << 22, 1024}, {1 << 24, 256}};

Shape line_shape(const Line& line, std::string trips = "") {
    return {line.n, ceil_div(line.n, line.block), line.block, std::move(trips)};
}

// ---- streams

template <class V>
void copies(Runner& runner, const char* name, void (*kernel)(const V*, V*, int)) {
    constexpr int width = sizeof(V) / sizeof(float);
    for (const Line& line : lines) {
        // The last copy has as many bytes as the copy of floats.
        const int n = line.n == 1 << 24 ? line.n / width : line.n / 4;
        Array<V> in(n, [n] {
            const std::vector<float> values = random_values<float>(std::size_t(n) * width);
            std::vector<V> result(n);
            std::copy(values.begin(), values.end(), reinterpret_cast<float*>(result.data()));
            return result;
        });
        Array<V> out(n);
        runner.run(name, kernel, line_shape({n, line.block}), [&] {
            const std::vector<V> found = out.values();
            const float* f = reinterpret_cast<const float*>(found.data());
            return std::equal(f, f + std::size_t(n) * width, reinterpret_cast<const float*>(in.made().data()));
        }, in, out, n);
    }
}

void streams(Runner& runner) {
    copies<float>(runner, "copy_float", copy_float);
    copies<float2>(runner, "copy_float2", copy_float2);
    copies<float4>(runner, "copy_float4", copy_float4);
    for (const Line& line : lines) {
        Random<float> a(line.n), b(line.n);
        Array<float> c(line.n);
        runner.run("vector_add", vector_add, line_shape(line),
                   [&] { return sampled(c, [&](std::size_t i) { return a.made()[i] + b.made()[i]; }); }, a, b, c, line.n);
    }
    for (const Line& line : lines) {
        Random<float> x(line.n), y(line.n, true);
        runner.run("saxpy", saxpy, line_shape(line),
                   [&] { return sampled(y, [&](std::size_t i) { return 1.5 * x.made()[i] + y.made()[i]; }); }, 1.5f, x, y,
                   line.n);
    }
    for (const Line& line : lines) {
        Random<double> x(line.n), y(line.n, true);
        runner.run("daxpy", daxpy, line_shape(line),
                   [&] { return sampled(y, [&](std::size_t i) { return 1.5 * x.made()[i] + y.made()[i]; }); }, 1.5, x, y,
                   line.n);
    }
    for (const int n : {1 << 20, 1 << 24}) {
        for (const Line& shape : {Line{132, 256}, Line{528, 256}, Line{1056, 128}}) {
            Random<float> in(n);
            Array<float> out(n);
            const unsigned grid = shape.n;
            runner.run("copy_grid_stride", copy_grid_stride,
                       {n, grid, shape.block, "#1=" + text(ceil_div(n, long{grid} * shape.block))},
                       [&] { return equal(out, in.made()); }, in, out, n);
        }
    }
    for (const int stride : {2, 8, 32}) {
        for (const Line& line : {Line{1 << 16, 256}, Line{1 << 20, 64}, Line{1 << 20, 512}}) {
            const std::size_t size = std::size_t(line.n) * stride;
            {
                Random<float> in(size);
                Array<float> out(line.n);
                runner.run("load_strided", load_strided, line_shape(line),
                           [&] { return sampled(out, [&](std::size_t i) { return in.made()[i * stride]; }); }, in, out,
                           line.n, stride);
            }
            Random<float> in(line.n);
            Array<float> out(size, 0);
            runner.run("store_strided", store_strided, line_shape(line), [&] {
                return sampled(out, [&](std::size_t i) { return i % stride == 0 ? in.made()[i / stride] : 0.0f; });
            }, in, out, line.n, stride);
        }
    }
    // A permutation of 2^k elements: multiplication by an odd number.
    const auto places = [](int n) {
        return [n] {
            std::vector<int> result(n);
            for (unsigned i = 0; i < unsigned(n); ++i) result[i] = int((i * 2654435761u + 77u) & unsigned(n - 1));
            return result;
        };
    };
    for (const Line& line : lines) {
        Random<float> in(line.n);
        Array<int> index(line.n, places(line.n));
        Array<float> out(line.n);
        runner.run("gather", gather, line_shape(line), [&] {
            return sampled(out, [&](std::size_t i) { return in.made()[index.made()[i]]; });
        }, in, index, out, line.n);
    }
    for (const Line& line : lines) {
        Random<float> in(line.n);
        Array<int> index(line.n, places(line.n));
        Array<float> out(line.n);
        runner.run("scatter", scatter, line_shape(line), [&] {
            std::vector<float> expected(line.n);
            for (int i = 0; i < line.n; ++i) expected[index.made()[i]] = in.made()[i];
            return equal(out, expected);
        }, in, index, out, line.n);
    }
    for (const int n : {128, 512, 2048, 4096}) {
        Random<float> in(std::size_t(n) * n);
        Array<float> out(std::size_t(n) * n);
        const auto right = [&] {
            return sampled(out, [&](std::size_t i) { return in.made()[i % n * n + i / n]; });
        };
        for (const dim3 block : {dim3(16, 16), dim3(32, 8)})
            runner.run("transpose_naive", transpose_naive, {n, dim3(n / block.x, n / block.y), block}, right, in, out, n);
        const Shape tiles{n, dim3(n / 32, n / 32), dim3(32, 8)};
        runner.run("transpose_shared", transpose_shared, tiles, right, in, out, n);
        runner.run("transpose_padded", transpose_padded, tiles, right, in, out, n);
    }
}

// ---- products

template <class T>
bool is_product(const Array<T>& a, const Array<T>& b, const Array<T>& c, int n) {
    return sampled(c, [&](std::size_t i) {
        double sum = 0;
        for (int k = 0; k < n; ++k) sum += double(a.made()[i / n * n + k]) * double(b.made()[std::size_t(k) * n + i % n]);
        return sum;
    }, 1e-3);
}

void products(Runner& runner) {
    for (const int n : {64, 256, 512, 1024}) {
        const std::size_t size = std::size_t(n) * n;
        Random<float> a(size), b(size);
        Array<float> c(size);
        const auto right = [&] { return is_product(a, b, c, n); };
        for (const dim3 block : {dim3(8, 8), dim3(32, 8), dim3(32, 32)})
            runner.run("matmul_naive", matmul_naive, {n, dim3(n / block.x, n / block.y), block, "#1=" + text(n)}, right, a,
                       b, c, n);
    }
    for (const int n : {64, 128, 256, 512, 1024}) {
        const std::size_t size = std::size_t(n) * n;
        Random<float> a(size), b(size);
        Array<float> c(size);
        const auto right = [&] { return is_product(a, b, c, n); };
        const auto tiles = [&](int tile) {
            return Shape{n, dim3(n / tile, n / tile), dim3(tile, tile), "#1=" + text(n / tile)};
        };
        runner.run("matmul_tiled_8", matmul_tiled_8, tiles(8), right, a, b, c, n);
        runner.run("matmul_tiled", matmul_tiled, tiles(TILE), right, a, b, c, n);
        runner.run("matmul_tiled_32", matmul_tiled_32, tiles(32), right, a, b, c, n);
        runner.run("matmul_registers", matmul_registers, {n, dim3(n / 64, n / 64), dim3(16, 16), "#1=" + text(n / 16)},
                   right, a, b, c, n);
    }
    for (const int n : {64, 256, 512}) {
        const std::size_t size = std::size_t(n) * n;
        Random<double> a(size), b(size);
        Array<double> c(size);
        for (const dim3 block : {dim3(16, 16), dim3(32, 8)})
            runner.run("dgemm_naive", dgemm_naive, {n, dim3(n / block.x, n / block.y), block, "#1=" + text(n)},
                       [&] { return is_product(a, b, c, n); }, a, b, c, n);
    }
    for (const int n : {256, 1024, 4096}) {
        Random<float> a(std::size_t(n) * n), x(n);
        Array<float> y(n);
        const auto right = [&] {
            return sampled(y, [&](std::size_t row) {
                double sum = 0;
                for (int k = 0; k < n; ++k) sum += double(a.made()[row * n + k]) * x.made()[k];
                return sum;
            }, 1e-3);
        };
        for (const unsigned block : {64u, 256u}) {
            runner.run("matvec_row", matvec_row, {n, ceil_div(n, block), block, "#1=" + text(n)}, right, a, x, y, n);
            runner.run("matvec_warp", matvec_warp, {n, ceil_div(n * 32L, block), block, "#1=" + text(n / 32)}, right, a, x,
                       y, n);
        }
    }
    // Rows of 8 to 56 elements, 32 on average, spread over all columns.
    for (const int rows : {1 << 12, 1 << 15, 1 << 18}) {
        const auto length = [](int row) { return 8 + row * 7 % 49; };
        std::vector<int> starts(rows + 1);
        for (int row = 0; row < rows; ++row) starts[row + 1] = starts[row] + length(row);
        const int elements = starts[rows];
        Array<int> row_start(rows + 1, [&] { return starts; });
        Array<int> column(elements, [&] {
            std::vector<int> result;
            for (const unsigned value : random_numbers(elements)) result.push_back(int((value >> 7) % unsigned(rows)));
            return result;
        });
        Random<float> value(elements), x(rows);
        Array<float> y(rows);
        const auto right = [&] {
            return sampled(y, [&](std::size_t row) {
                double sum = 0;
                for (int i = starts[row]; i < starts[row + 1]; ++i)
                    sum += double(value.made()[i]) * x.made()[column.made()[i]];
                return sum;
            }, 1e-3);
        };
        for (const unsigned block : {64u, 256u}) {
            // The longest row of a warp decides.
            runner.run("spmv_row", spmv_row, {rows, ceil_div(rows, block), block, "#1=56"}, right, row_start, column, value,
                       x, y, rows);
            runner.run("spmv_warp", spmv_warp, {rows, ceil_div(rows * 32L, block), block, "#1=1"}, right, row_start, column,
                       value, x, y, rows);
        }
    }
}

// ---- blocks

int halvings(unsigned block) {
    int result = 0;
    for (unsigned half = block / 2; half > 0; half /= 2) ++result;
    return result;
}

void reductions(Runner& runner) {
    for (const int n : {1 << 16, 1 << 20, 1 << 24}) {
        Random<float> in(n);
        const auto expected = [&] { return sum_of(in.made()); };
        for (const Line& line : {Line{132, 1024}, Line{264, 256}, Line{1056, 128}}) {
            const unsigned grid = line.n, block = line.block;
            const std::string trips = "#1=" + text(ceil_div(n, long{grid} * block));
            Array<float> sums(grid), one(1, 0);
            const auto right = [&] { return sums_to(sums, expected()); };
            const auto right_atomic = [&] { return sums_to(one, expected()); };
            runner.run("reduce_sum", reduce_sum, {n, grid, block, trips + ",#2=" + text(halvings(block))}, right, in, sums,
                       n);
            runner.run("reduce_shuffle", reduce_shuffle, {n, grid, block, trips}, right, in, sums, n);
            if (n < 1 << 24) runner.run("reduce_atomic", reduce_atomic, {n, grid, block, trips}, right_atomic, in, one, n);
            runner.run("reduce_warp_atomic", reduce_warp_atomic, {n, grid, block, trips}, right_atomic, in, one, n);
        }
    }
    for (const int n : {1 << 16, 1 << 22}) {
        Random<double> x(n), y(n);
        for (const unsigned block : {128u, 512u, 1024u}) {
            const unsigned grid = 264;
            Array<double> sums(grid);
            const std::string trips =
                "#1=" + text(ceil_div(n, long{grid} * block)) + ",#2=" + text(halvings(block));
            runner.run("dot_double", dot_double, {n, grid, block, trips, 8 * block}, [&] {
                return sums_to(sums, std::inner_product(x.made().begin(), x.made().end(), y.made().begin(), 0.0));
            }, x, y, sums, n);
        }
    }
}

void scans_and_sorts(Runner& runner) {
    for (const Line& line : lines) {
        Numbers in(line.n);
        Array<unsigned> out(line.n);
        const auto right = [&] {
            std::vector<unsigned> expected = in.made();
            for (int i = 0; i < line.n; ++i)
                if (unsigned(i) % line.block != 0) expected[i] += expected[i - 1];
            return equal(out, expected);
        };
        Shape shape = line_shape(line, "#1=" + text(halvings(line.block)));
        shape.shared = 4 * line.block;
        runner.run("scan_shared", scan_shared, shape, right, in, out, line.n);
        runner.run("scan_shuffle", scan_shuffle, line_shape(line), right, in, out, line.n);
    }
    for (const Line& line : {Line{1 << 14, 128}, Line{1 << 18, 512}, Line{1 << 20, 64}, Line{1 << 20, 256},
                             Line{1 << 20, 1024}, Line{1 << 22, 256}}) {
        Numbers in(line.n);
        Array<unsigned> out(line.n);
        const int levels = halvings(line.block);  // the inner loop: 1 to `levels` trips, on average half of it
        Shape shape = line_shape(line, "#1=" + text(levels) + ",#2=" + text((levels + 2) / 2));
        shape.shared = 4 * line.block;
        runner.run("bitonic_sort", bitonic_sort, shape, [&] {
            std::vector<unsigned> expected = in.made();
            for (int i = 0; i < line.n; i += int(line.block))
                std::sort(expected.begin() + i, expected.begin() + i + int(line.block));
            return equal(out, expected);
        }, in, out);
    }
    for (const int n : {1 << 16, 1 << 20, 1 << 22}) {
        Numbers in(n);
        for (const Line& line : {Line{132, 256}, Line{528, 512}}) {
            const unsigned grid = line.n, block = line.block;
            const std::string loops = text(ceil_div(n, long{grid} * block));
            const auto counts = [&](unsigned bins) {
                std::vector<unsigned> result(bins);
                for (const unsigned value : in.made()) ++result[value & (bins - 1)];
                return result;
            };
            const std::string passes = text(ceil_div(256, block));
            Array<unsigned> bins(256, 0);
            runner.run("histogram_shared", histogram_shared,
                       {n, grid, block, "#1=" + passes + ",#2=" + loops + ",#3=" + passes},
                       [&] { return equal(bins, counts(256)); }, in, bins, n);
            for (const int bin_count : {32, 4096}) {
                Array<unsigned> many(bin_count, 0);
                runner.run("histogram_global", histogram_global, {n, grid, block, "#1=" + loops},
                           [&] { return equal(many, counts(unsigned(bin_count))); }, in, many, n, bin_count);
            }
        }
    }
}

void rows(Runner& runner) {
    for (const auto& [row_count, columns] : {std::pair{128, 1024}, std::pair{1024, 1024}, std::pair{4096, 512},
                                             std::pair{1024, 4096}}) {
        const std::size_t size = std::size_t(row_count) * columns;
        Random<float> in(size);
        Array<float> out(size);
        for (const unsigned block : {128u, 512u}) {
            const std::string t = text(ceil_div(columns, block));
            const Shape shape{long(size), unsigned(row_count), block, "#1=" + t + ",#2=" + t + ",#3=" + t};
            // Checks about a thousand elements, each with its whole row.
            runner.run("softmax", softmax, shape, [&] {
                return sampled(out, [&](std::size_t i) {
                    const float* row = in.made().data() + i / columns * columns;
                    double sum = 0;
                    for (int k = 0; k < columns; ++k) sum += std::exp(double(row[k]));
                    return std::exp(double(row[i % columns])) / sum;
                }, 1e-3);
            }, in, out, columns);
            runner.run("layernorm", layernorm, shape, [&] {
                return sampled(out, [&](std::size_t i) {
                    const float* row = in.made().data() + i / columns * columns;
                    double sum = 0, squares = 0;
                    for (int k = 0; k < columns; ++k) sum += row[k];
                    const double mean = sum / columns;
                    for (int k = 0; k < columns; ++k) squares += (row[k] - mean) * (row[k] - mean);
                    return (row[i % columns] - mean) / std::sqrt(squares / columns + 1e-5);
                }, 1e-2);
            }, in, out, columns);
        }
    }
}

// ---- radix sort, one pass of bit 0

using Count = void (*)(const unsigned*, int, int, unsigned*);
using Move = void (*)(const unsigned*, int, int, const unsigned*, const unsigned*, unsigned*);

void radix_pass(Runner& runner, const char* count_name, Count count, const char* move_name, Move move, int keys_of_node,
                const char* count_trips, int n) {
    const unsigned blocks = ceil_div(n, THREADS * KEYS_PER_THREAD);
    const int nodes = n / keys_of_node;  // n is a multiple
    Numbers keys(n);
    Array<unsigned> zeros(nodes), sorted(n);
    const auto zeros_of_nodes = [&] {
        std::vector<unsigned> result(nodes);
        for (int i = 0; i < n; ++i) result[i / keys_of_node] += 1 - (keys.made()[i] & 1);
        return result;
    };
    const auto starts = [&](bool of_ones) {
        const std::vector<unsigned> z = zeros_of_nodes();
        std::vector<unsigned> result(nodes);
        unsigned next = of_ones ? std::accumulate(z.begin(), z.end(), 0u) : 0;
        for (int node = 0; node < nodes; ++node) {
            result[node] = next;
            next += of_ones ? unsigned(keys_of_node) - z[node] : z[node];
        }
        return result;
    };
    Array<unsigned> zero_start(nodes, [&] { return starts(false); }), one_start(nodes, [&] { return starts(true); });
    const Shape shape{n, blocks, THREADS};
    Shape count_shape = shape;
    count_shape.trips = count_trips;
    runner.run(count_name, count, count_shape, [&] { return equal(zeros, zeros_of_nodes()); }, keys, n, 0, zeros);
    runner.run(move_name, move, shape, [&] {
        std::vector<unsigned> expected = keys.made();
        std::stable_partition(expected.begin(), expected.end(), [](unsigned key) { return (key & 1) == 0; });
        return equal(sorted, expected);
    }, keys, n, 0, zero_start, one_start, sorted);
}

void radix_sorts(Runner& runner) {
    for (const int n : {1 << 14, 1 << 17, 1 << 19, 1 << 21, 1 << 23}) {
        radix_pass(runner, "radix_global_count", radix_global_count, "radix_global_move", radix_global_move,
                   KEYS_PER_THREAD, "", n);
        radix_pass(runner, "radix_tile_count", radix_tile_count, "radix_tile_move", radix_tile_move, KEYS_PER_THREAD,
                   "#1=8", n);
        radix_pass(runner, "radix_block_count", radix_block_count, "radix_block_move", radix_block_move,
                   THREADS * KEYS_PER_THREAD, "", n);
    }
    for (const int n : {256, 1024, 4096, 16384}) {
        Numbers counts(n);
        Array<unsigned> sums(n);
        runner.run("radix_scan", radix_scan, {n, 1, THREADS, "#1=" + text(n / THREADS)}, [&] {
            std::vector<unsigned> expected(n, 7u);
            for (int i = 1; i < n; ++i) expected[i] = expected[i - 1] + counts.made()[i - 1];
            return equal(sums, expected);
        }, counts, n, 7u, sums);
    }
}

// ---- stencils

float stability_at(float position, float time_step, float final_time) {
    float speed = 0;
    for (float time = 0; time < final_time; time += time_step) {
        speed -= time_step * (position + 0.25f * speed);
        position += time_step * speed;
    }
    return position;
}

void stencils(Runner& runner) {
    for (const Line& line : lines) {
        const int n = line.n;
        Random<float> in(n);
        Array<float> out(n);
        const auto right = [&] {
            return sampled(out, [&](std::size_t i) {
                double sum = in.made()[i];
                if (i >= 3 && i < std::size_t(n) - 3)
                    for (int k = 1; k <= 3; ++k) sum += double(in.made()[i - k]) + in.made()[i + k];
                return sum;
            });
        };
        runner.run("stencil1d_global", stencil1d_global, line_shape(line), right, in, out, n);
        Shape shape = line_shape(line);
        shape.shared = 4 * line.block + 24;
        runner.run("stencil1d_shared", stencil1d_shared, shape, right, in, out, n);
    }
    for (const int n : {128, 512, 1024, 4096}) {
        Random<float> in(std::size_t(n) * n);
        Array<float> out(std::size_t(n) * n);
        const auto right = [&] {
            return sampled(out, [&](std::size_t i) {
                const int x = int(i % n), y = int(i / n);
                const std::vector<float>& v = in.made();
                if (x == 0 || x == n - 1 || y == 0 || y == n - 1) return double(v[i]);
                return 0.5 * v[i] + 0.125 * (double(v[i - 1]) + v[i + 1] + v[i - n] + v[i + n]);
            });
        };
        for (const dim3 block : {dim3(16, 16), dim3(32, 4), dim3(32, 32)})
            runner.run("stencil2d_global", stencil2d_global, {long{n} * n, dim3(n / block.x, n / block.y), block}, right, in,
                       out, n, n);
        runner.run("stencil2d_shared", stencil2d_shared, {long{n} * n, dim3(n / 16, n / 16), dim3(16, 16), "#1=2"}, right,
                   in, out, n, n);
    }
    for (const int n : {32, 128, 256}) {
        const long size = long{n} * n * n;
        Random<float> in(size);
        Array<float> out(size);
        const auto right = [&] {
            return sampled(out, [&](std::size_t i) {
                const std::vector<float>& v = in.made();
                const long plane = long{n} * n, x = long(i) % n, y = long(i) / n % n, z = long(i) / plane;
                if (std::min({x, y, z}) == 0 || std::max({x, y, z}) == n - 1) return double(v[i]);
                return 0.4 * v[i] + 0.1 * (double(v[i - 1]) + v[i + 1] + v[i - n] + v[i + n] + v[i - plane] + v[i + plane]);
            });
        };
        for (const dim3 block : {dim3(8, 8, 8), dim3(32, 4, 2), dim3(32, 1, 1)})
            runner.run("stencil3d_global", stencil3d_global,
                       {size, dim3(n / block.x, n / block.y, n / block.z), block}, right, in, out, n);
        for (const dim3 block : {dim3(32, 4), dim3(32, 16)})
            runner.run("stencil3d_columns", stencil3d_columns,
                       {size, dim3(n / block.x, n / block.y), block, "#1=" + text(n - 2)}, right, in, out, n);
    }
    std::vector<float> filter;
    for (int i = 0; i < 225; ++i) filter.push_back(float(i % 7 + 1) / 64);
    bool filter_is_there = false;
    for (const int n : {128, 512, 2048}) {
        Random<float> in(std::size_t(n) * n);
        Array<float> out(std::size_t(n) * n);
        const auto right = [&](int radius) {
            return std::function<bool()>([&, radius] {
                return sampled(out, [&](std::size_t i) {
                    double sum = 0;
                    for (int dy = -radius; dy <= radius; ++dy)
                        for (int dx = -radius; dx <= radius; ++dx) {
                            const int y = std::clamp(int(i / n) + dy, 0, n - 1), x = std::clamp(int(i % n) + dx, 0, n - 1);
                            sum += double(filter[(dy + radius) * (2 * radius + 1) + dx + radius]) *
                                   in.made()[std::size_t(y) * n + x];
                        }
                    return sum;
                }, 1e-3);
            });
        };
        if (runner.launches() && !filter_is_there) {
            check(cudaMemcpyToSymbol(convolution_filter, filter.data(), filter.size() * sizeof(float)), "the filter");
            filter_is_there = true;
        }
        for (const dim3 block : {dim3(16, 16), dim3(32, 4)}) {
            const Shape shape{long{n} * n, dim3(n / block.x, n / block.y), block};
            runner.run("convolution_3", convolution_3, shape, right(1), in, out, n, n);
            runner.run("convolution_7", convolution_7, shape, right(3), in, out, n, n);
            runner.run("convolution_15", convolution_15, shape, right(7), in, out, n, n);
        }
    }
    for (const Line& line : {Line{1 << 12, 128}, Line{1 << 16, 64}, Line{1 << 16, 256}, Line{1 << 18, 1024}}) {
        for (const float time_step : {0.01f, 0.001f}) {
            const float final_time = 1.0f;
            long trips = 0;
            for (float time = 0; time < final_time; time += time_step) ++trips;
            Random<float> start(line.n);
            Array<float> end(line.n);
            runner.run("stability", stability, line_shape(line, "#1=" + text(trips)), [&] {
                return sampled(end, [&](std::size_t i) { return stability_at(start.made()[i], time_step, final_time); },
                               1e-3);
            }, start, end, line.n, time_step, final_time);
        }
    }
    for (const int count : {16, 64, 256}) {
        const int width = 512, height = 512;
        Array<float2> points(count, [count] {
            std::vector<float2> result;
            for (const unsigned value : random_numbers(count))
                result.push_back(float2{float(value % 509), float(value / 509 % 509)});
            return result;
        });
        Array<int> nearest(std::size_t(width) * height);
        for (const dim3 block : {dim3(8, 8), dim3(16, 16), dim3(32, 4), dim3(32, 16)})
            runner.run("voronoi", voronoi, {count, dim3(width / block.x, height / block.y), block, "#1=" + text(count - 1)},
                       [&] {
                           return sampled(nearest, [&](std::size_t i) {
                               const float x = float(i % width), y = float(i / width);
                               const auto distance = [&](int p) {  // integers: exact
                                   const float dx = x - points.made()[p].x, dy = y - points.made()[p].y;
                                   return dx * dx + dy * dy;
                               };
                               int best = 0;
                               for (int p = 1; p < count; ++p)
                                   if (distance(p) < distance(best)) best = p;
                               return best;
                           });
                       }, points, count, width, height, nearest);
    }
}

// ---- arithmetic

struct Rounds {
    int n;
    unsigned block;
    int rounds;
};

const std::vector<Rounds> rounds_of = {{1 << 14, 128, 64}, {1 << 17, 128, 64},  {1 << 20, 64, 64},
                                       {1 << 20, 256, 64}, {1 << 20, 1024, 64}, {1 << 20, 256, 256}};

// out[i] = expected(in[i], rounds, i)
template <class T, class In, class Expected>
void in_rounds(Runner& runner, const char* name, void (*kernel)(const T*, T*, int, int), const Expected& expected,
               double tolerance, int loops = 1) {
    for (const Rounds& r : rounds_of) {
        In in(r.n);
        Array<T> out(r.n);
        std::string trips = "#1=" + text(r.rounds);
        if (loops == 2) trips += ",#2=" + text(r.rounds);
        runner.run(name, kernel, line_shape({r.n, r.block}, trips), [&] {
            return sampled(out, [&](std::size_t i) { return expected(in.made()[i], r.rounds, i); }, tolerance);
        }, in, out, r.n, r.rounds);
    }
}

void arithmetic(Runner& runner) {
    in_rounds<float, Random<float>>(runner, "exp_sin", exp_sin, [](double x, int rounds, std::size_t) {
        for (int k = 0; k < rounds; ++k) x = std::exp(-std::sin(x) * 0.5);
        return x;
    }, 1e-3);
    in_rounds<unsigned, Numbers>(runner, "xorshift", xorshift, [](unsigned x, int rounds, std::size_t) {
        for (int k = 0; k < rounds; ++k) {
            x ^= x << 13;
            x ^= x >> 17;
            x ^= x << 5;
        }
        return x;
    }, 0);
    in_rounds<unsigned, Numbers>(runner, "popcounts", popcounts, [](unsigned x, int rounds, std::size_t) {
        unsigned sum = 0;
        for (int k = 0; k < rounds; ++k, x += 0x9E3779B9u)
            for (unsigned bits = x; bits != 0; bits &= bits - 1) ++sum;
        return sum;
    }, 0);
    in_rounds<unsigned, Numbers>(runner, "crc32", crc32, [](unsigned word, int rounds, std::size_t) {
        unsigned crc = ~0u;
        for (int k = 0; k < rounds; ++k) {
            crc ^= word;
            for (int bit = 0; bit < 32; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0xEDB88320u : 0u);
        }
        return ~crc;
    }, 0);
    const auto side = [](double x, int rounds, bool first) {
        for (int k = 0; k < rounds; ++k) x = first ? x * 0.5 + 1 : x * 0.25 - 1;
        return x;
    };
    in_rounds<float, Random<float>>(runner, "branch_lanes", branch_lanes, [&](double x, int rounds, std::size_t i) {
        return side(x, rounds, i % 2 == 0);
    }, 1e-3, 2);
    in_rounds<float, Random<float>>(runner, "branch_warps", branch_warps, [&](double x, int rounds, std::size_t i) {
        return side(x, rounds, i / 32 % 2 == 0);  // blocks are multiples of 64 threads
    }, 1e-3, 2);
    in_rounds<float, Random<float>>(runner, "fma_chains", fma_chains, [](double start, int rounds, std::size_t) {
        double sum = 0;
        for (int c = 0; c < 8; ++c) {
            double x = start + c;
            for (int k = 0; k < rounds; ++k) x = x * start + 0.5;
            sum += x;
        }
        return sum;
    }, 1e-3);
    in_rounds<unsigned, Numbers>(runner, "imad_chain", imad_chain, [](unsigned x, int rounds, std::size_t) {
        const unsigned factor = x | 5;
        for (int k = 0; k < rounds; ++k) x = x * factor + 12345u;
        return x;
    }, 0);
    in_rounds<float, Random<float>>(runner, "divide_sqrt", divide_sqrt, [](double x, int rounds, std::size_t) {
        const double start = x += 1;
        for (int k = 0; k < rounds; ++k) x = std::sqrt(start / x + 1);
        return x;
    }, 1e-3);
    in_rounds<double, Random<double>>(runner, "horner_double", horner_double, [](double x, int rounds, std::size_t) {
        double sum = 0;
        for (int k = 0; k < rounds; ++k) sum = sum * x + 0.5;
        return sum;
    }, 1e-9);
    for (const Line& line : lines) {
        Random<float> price(line.n), strike(line.n);
        Array<float> call(line.n);
        const auto in = [&](float low) {
            return [n = line.n, low] {
                std::vector<float> values = random_values<float>(n);
                for (float& value : values) value += low;
                return values;
            };
        };
        Array<float> prices(line.n, in(20)), strikes(line.n, in(19.5f)), years(line.n, in(0.25f));
        runner.run("black_scholes", black_scholes, line_shape(line), [&] {
            return sampled(call, [&](std::size_t i) {
                const double s = prices.made()[i], x = strikes.made()[i], t = years.made()[i];
                const double d1 = (std::log(s / x) + (0.02 + 0.045) * t) / (0.3 * std::sqrt(t));
                const auto below = [](double d) { return 0.5 * std::erfc(-d / std::sqrt(2.0)); };
                return s * below(d1) - x * std::exp(-0.02 * t) * below(d1 - 0.3 * std::sqrt(t));
            }, 1e-2);
        }, prices, strikes, years, call, line.n);
    }
    for (const auto& [size, most] : {std::pair{256, 64}, std::pair{256, 1000}, std::pair{1024, 256}}) {
        Array<int> rounds(std::size_t(size) * size);
        for (const dim3 block : {dim3(8, 8), dim3(32, 4), dim3(32, 32)})
            runner.run("mandelbrot", mandelbrot,
                       {long{size} * size, dim3(size / block.x, size / block.y), block, "#1=" + text(most)}, [&] {
                           // Points near the border of the set differ in rounding: nine of ten must agree.
                           const std::vector<int> found = rounds.values();
                           int samples = 0, same = 0;
                           for (std::size_t i = 0; i < found.size(); i += found.size() / 997) {
                               const double cx = -2 + 3.0 * double(i % size) / size, cy = -1.5 + 3.0 * double(i / size) / size;
                               double x = 0, y = 0;
                               int round = 0;
                               while (round < most && x * x + y * y < 4) {
                                   const double next = x * x - y * y + cx;
                                   y = 2 * x * y + cy;
                                   x = next;
                                   ++round;
                               }
                               ++samples;
                               same += round == found[i];
                           }
                           return same * 10 >= samples * 9;
                       }, rounds, size, size, most);
    }
    for (const int n : {1024, 4096, 16384}) {
        const auto bodies = [n] {
            const std::vector<float> values = random_values<float>(std::size_t(n) * 4);
            std::vector<float4> result;
            for (int i = 0; i < n; ++i)
                result.push_back(float4{values[4 * i], values[4 * i + 1], values[4 * i + 2], values[4 * i + 3] + 0.5f});
            return result;
        };
        Array<float4> body(n, bodies), force(n);
        const auto right = [&] {
            const std::vector<float4> found = force.values();
            for (int i = 0; i < n; i += n / 31) {
                double x = 0, size = 0;
                for (const float4& other : body.made()) {
                    const float4 own = body.made()[i];
                    const double dx = double(other.x) - own.x, dy = double(other.y) - own.y, dz = double(other.z) - own.z;
                    const double scale = other.w * std::pow(dx * dx + dy * dy + dz * dz + 0.01, -1.5);
                    x += dx * scale;
                    size += std::abs(dx * scale);
                }
                if (!(std::abs(found[i].x - x) <= 1e-4 * size)) {
                    std::fprintf(stderr, "body %d: %.9g, expected %.9g\n", i, double(found[i].x), x);
                    return false;
                }
            }
            return true;
        };
        for (const unsigned block : {64u, 256u}) {
            const Shape plain{n, ceil_div(n, block), block, "#1=" + text(n)};
            runner.run("nbody_float", nbody_float, plain, right, body, force, n);
            runner.run("nbody_shared", nbody_shared,
                       {n, plain.grid, block, "#1=" + text(n / block) + ",#2=" + text(block), 16 * block}, right, body,
                       force, n);
        }
    }
    for (const int n : {1024, 4096, 8192}) {
        // y in reverse order, so that x and y differ
        Random<double> x(n);
        Array<double> y(n, [n] {
            std::vector<double> values = random_values<double>(n);
            std::reverse(values.begin(), values.end());
            return values;
        });
        Array<double> force(n);
        for (const unsigned block : {64u, 256u})
            runner.run("nbody_double", nbody_double, {n, ceil_div(n, block), block, "#1=" + text(n)}, [&] {
                return sampled(force, [&](std::size_t i) {
                    double sum = 0;
                    for (int j = 0; j < n; ++j) {
                        const double dx = x.made()[j] - x.made()[i], dy = y.made()[j] - y.made()[i];
                        sum += dx / (dx * dx + dy * dy + 0.01);
                    }
                    return sum;
                }, 1e-6);
            }, x, y, force, n);
    }
}

struct Group {
    const char* name;
    void (*run)(Runner&);
};

const Group groups[] = {{"streams", streams}, {"products", products},  {"reductions", reductions},
                        {"scans_and_sorts", scans_and_sorts}, {"rows", rows}, {"radix_sorts", radix_sorts},
                        {"stencils", stencils}, {"arithmetic", arithmetic}};

int attribute(cudaDeviceAttr which) {
    int value = -1;
    cudaDeviceGetAttribute(&value, which, 0);
    return value;
}

void print_device() {
    cudaDeviceProp p;
    check(cudaGetDeviceProperties(&p, 0), "no device");
    int driver = 0, runtime = 0;
    check(cudaDriverGetVersion(&driver), "no driver");
    check(cudaRuntimeGetVersion(&runtime), "no runtime");
    const std::time_t now = std::time(nullptr);
    char date[32];
    std::strftime(date, sizeof date, "%Y-%m-%d", std::gmtime(&now));
    double* mhz = nullptr;
    check(cudaMalloc(&mhz, sizeof *mhz), "cudaMalloc");
    double idle = 0;
    clock_of_sm<<<1, 1>>>(mhz);
    check(cudaMemcpy(&idle, mhz, sizeof idle, cudaMemcpyDeviceToHost), "clock_of_sm");
    std::printf("fact,value,unit\n");
    std::printf("name,\"%s\",\n", p.name);
    std::printf("compute_capability,%d.%d,\n", p.major, p.minor);
    const auto number = [](const char* name, double value, const char* unit) {
        std::printf("%s,%.10g,%s\n", name, value, unit);
    };
    number("sms", p.multiProcessorCount, "");
    number("clock_max", attribute(cudaDevAttrClockRate) / 1000.0, "MHz");
    number("clock_at_start", idle, "MHz");
    number("memory_clock_max", attribute(cudaDevAttrMemoryClockRate) / 1000.0, "MHz");
    number("memory_bus_width", p.memoryBusWidth, "bit");
    number("memory", double(p.totalGlobalMem), "bytes");
    number("l2_size", p.l2CacheSize, "bytes");
    number("shared_memory_per_sm", double(p.sharedMemPerMultiprocessor), "bytes");
    number("shared_memory_per_block", double(p.sharedMemPerBlock), "bytes");
    number("shared_memory_per_block_optin", double(p.sharedMemPerBlockOptin), "bytes");
    number("shared_memory_reserved_per_block", double(p.reservedSharedMemPerBlock), "bytes");
    number("registers_per_sm", p.regsPerMultiprocessor, "");
    number("registers_per_block", p.regsPerBlock, "");
    number("threads_per_sm", p.maxThreadsPerMultiProcessor, "");
    number("threads_per_block", p.maxThreadsPerBlock, "");
    number("warps_per_sm", p.maxThreadsPerMultiProcessor / p.warpSize, "");
    number("blocks_per_sm", p.maxBlocksPerMultiProcessor, "");
    number("constant_memory", double(p.totalConstMem), "bytes");
    number("ecc", p.ECCEnabled, "");
    number("driver_cuda", driver, "");
    number("runtime_cuda", runtime, "");
    number("nvcc_major", __CUDACC_VER_MAJOR__, "");
    number("nvcc_minor", __CUDACC_VER_MINOR__, "");
    number("nvcc_build", __CUDACC_VER_BUILD__, "");
    std::printf("date,%s,\n", date);
}

}  // namespace

int main(int argc, char** argv) {
    seconds();
    const std::string mode = argc > 1 ? argv[1] : "";
    const auto run_all = [](Runner& runner) {
        for (const Group& group : groups) {
            runner.enter_group(group.name);
            group.run(runner);
        }
        return runner.failures() == 0 ? 0 : 1;
    };
    if (mode == "groups") {
        for (const Group& group : groups) std::puts(group.name);
        return 0;
    }
    if (mode == "columns") {
        std::puts(Runner::columns());
        return 0;
    }
    if (mode == "device") {
        print_device();
        return 0;
    }
    if (mode == "list") {
        std::puts(Runner::columns());
        Runner runner(Runner::Mode::list, "", 0, {}, {}, nullptr);
        return run_all(runner);
    }
    if (mode == "times" && argc >= 4) {
        std::set<std::string> dropped(argv + 4, argv + argc);
        Runner runner(Runner::Mode::times, argv[2], std::atof(argv[3]), {}, dropped, nullptr);
        return run_all(runner);
    }
    if (mode == "profile" && argc == 5) {
        std::ifstream file(argv[2]);
        std::set<long> ids;
        for (long id = 0; file >> id;) ids.insert(id);
        FILE* order = std::fopen(argv[4], "w");
        if (order == nullptr) {
            std::fprintf(stderr, "error: cannot write %s\n", argv[4]);
            return 2;
        }
        Runner runner(Runner::Mode::profile, "", std::atof(argv[3]), ids, {}, order);
        const int result = run_all(runner);
        std::fclose(order);
        return result;
    }
    std::fprintf(stderr, "usage: collect groups|columns|list|device|times GROUP SECONDS [KERNEL]...|profile IDS SECONDS ORDER\n");
    return 2;
}
