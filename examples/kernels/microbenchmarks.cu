// Small measurements of one property of the GPU each: latencies, throughputs, bandwidths, costs of launches.
//   microbenchmarks groups                 the groups, one per line
//   microbenchmarks GROUP SECONDS          one group as CSV: name,value,unit,how,spread
//   microbenchmarks profiled               launches empty kernels for a profiler
// Every value is the median of several runs, the spread is the longest minus the shortest. Cycles are those of
// clock64(), the SM's clock.
//
// ptxas must neither remove nor merge the measured instructions. Values come from memory, results go to memory, and
// chains are such that two steps do not make one instruction: x + y + y would become one three-input addition, so
// integer chains go round between two or three variables. A second conversion back, or a second shuffle from the same
// lane, would change nothing and be removed, so their results are read as different bits or as lanes, and lanes begin with
// different values. Multiply-adds read two
// registers: three can lie in one bank of the register file, which halves the rate.
#include "runner.hpp"

#include <numeric>

namespace {

double deadline = 1e9;

void report(const std::string& name, std::vector<double> values, const char* unit, const char* how) {
    if (values.empty()) return;
    std::sort(values.begin(), values.end());
    std::printf("%s,%.6g,%s,\"%s\",%.4g\n", name.c_str(), values[values.size() / 2], unit, how,
                values.back() - values.front());
    std::fflush(stdout);
}

// Runs `once` several times; each run gives one value. After the deadline there are no runs.
template <class Once>
void measure(const std::string& name, const char* unit, const char* how, const Once& once, int runs = 7) {
    if (seconds() > deadline) {
        std::fprintf(stderr, "skipped: %s, no time left\n", name.c_str());
        return;
    }
    std::fprintf(stderr, "at: %s\n", name.c_str());
    once();  // warms up
    std::vector<double> values;
    for (int i = 0; i < runs; ++i) values.push_back(once());
    report(name, values, unit, how);
}

void finish(const char* what) {
    check(cudaGetLastError(), what);
    check(cudaDeviceSynchronize(), what);
}

template <class T>
T* device_array(std::size_t size, int byte = 0) {
    T* data = nullptr;
    check(cudaMalloc(&data, size * sizeof(T)), "cudaMalloc");
    check(cudaMemset(data, byte, size * sizeof(T)), "cudaMemset");
    return data;
}

template <class T>
std::vector<T> copied(const T* data, std::size_t size) {
    std::vector<T> result(size);
    check(cudaMemcpy(result.data(), data, size * sizeof(T), cudaMemcpyDeviceToHost), "copy to the host");
    return result;
}

// ---- arithmetic: an operation is a step of a chain over the variables a, b, c of one thread

struct Fadd { using T = float; static constexpr int count = 1;
    static __device__ void step(T& a, T& b, T&) { asm volatile("add.f32 %0, %0, %1;" : "+f"(a) : "f"(b)); } };
struct Ffma { using T = float; static constexpr int count = 1;
    static __device__ void step(T& a, T& b, T&) { asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(a) : "f"(b)); } };
struct Fmul { using T = float; static constexpr int count = 1;
    static __device__ void step(T& a, T& b, T&) { asm volatile("mul.f32 %0, %0, %1;" : "+f"(a) : "f"(b)); } };
struct Fmnmx { using T = float; static constexpr int count = 2;
    static __device__ void step(T& a, T& b, T& c) {
        asm volatile("min.f32 %0, %0, %2;\n\tmax.f32 %0, %0, %1;" : "+f"(a) : "f"(b), "f"(c)); } };
struct Iadd { using T = unsigned; static constexpr int count = 2;
    static __device__ void step(T& a, T& b, T&) {
        asm volatile("add.u32 %0, %0, %1;\n\tadd.u32 %1, %1, %0;" : "+r"(a), "+r"(b)); } };
struct Imad { using T = unsigned; static constexpr int count = 1;
    static __device__ void step(T& a, T& b, T& c) {
        asm volatile("mad.lo.u32 %0, %0, %1, %2;" : "+r"(a) : "r"(b), "r"(c)); } };
struct Imul_wide { using T = unsigned long long; static constexpr int count = 1;
    static __device__ void step(T& a, T& b, T&) {
        asm volatile("{\n\t.reg .u32 l, h;\n\tmov.b64 {l, h}, %0;\n\tmad.wide.u32 %0, l, l, %1;\n\t}" : "+l"(a) : "l"(b)); } };
struct Logic { using T = unsigned; static constexpr int count = 3;
    static __device__ void step(T& a, T& b, T& c) {
        asm volatile("lop3.b32 %0, %0, %1, %2, 0x78;\n\tlop3.b32 %1, %1, %2, %0, 0x78;\n\tlop3.b32 %2, %2, %0, %1, 0x78;"
                     : "+r"(a), "+r"(b), "+r"(c)); } };
struct Shift { using T = unsigned; static constexpr int count = 1;
    static __device__ void step(T& a, T& b, T& c) {
        asm volatile("shf.l.wrap.b32 %0, %0, %1, %2;" : "+r"(a) : "r"(b), "r"(c)); } };
struct Compare_select { using T = unsigned; static constexpr int count = 2;
    static __device__ void step(T& a, T& b, T& c) {
        asm volatile("{\n\t.reg .pred p;\n\tsetp.lt.u32 p, %0, %1;\n\tselp.u32 %0, %2, %1, p;\n\t}" : "+r"(a) : "r"(b), "r"(c)); } };
struct Popc { using T = unsigned; static constexpr int count = 1;
    static __device__ void step(T& a, T&, T&) { asm volatile("popc.b32 %0, %0;" : "+r"(a)); } };
struct Dfma { using T = double; static constexpr int count = 1;
    static __device__ void step(T& a, T& b, T&) { asm volatile("fma.rn.f64 %0, %0, %1, %1;" : "+d"(a) : "d"(b)); } };
struct Dadd { using T = double; static constexpr int count = 1;
    static __device__ void step(T& a, T& b, T&) { asm volatile("add.f64 %0, %0, %1;" : "+d"(a) : "d"(b)); } };
struct Ex2 { using T = float; static constexpr int count = 1;
    static __device__ void step(T& a, T&, T&) { asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(a)); } };
struct Rsqrt { using T = float; static constexpr int count = 1;
    static __device__ void step(T& a, T&, T&) { asm volatile("rsqrt.approx.ftz.f32 %0, %0;" : "+f"(a)); } };
struct Sin { using T = float; static constexpr int count = 1;
    static __device__ void step(T& a, T&, T&) { asm volatile("sin.approx.ftz.f32 %0, %0;" : "+f"(a)); } };
struct Convert_u32_f32 { using T = unsigned; static constexpr int count = 1;
    static __device__ void step(T& a, T&, T&) {
        asm volatile("{\n\t.reg .f32 f;\n\tcvt.rn.f32.u32 f, %0;\n\tmov.b32 %0, f;\n\t}" : "+r"(a)); } };
struct Convert_f32_u32 { using T = float; static constexpr int count = 1;
    static __device__ void step(T& a, T&, T&) {
        asm volatile("{\n\t.reg .u32 u;\n\tcvt.rzi.u32.f32 u, %0;\n\tmov.b32 %0, u;\n\t}" : "+f"(a)); } };
struct Convert_u64_f64 { using T = unsigned long long; static constexpr int count = 1;
    static __device__ void step(T& a, T&, T&) {
        asm volatile("{\n\t.reg .f64 f;\n\tcvt.rn.f64.u64 f, %0;\n\tmov.b64 %0, f;\n\t}" : "+l"(a)); } };
struct Convert_f64_u64 { using T = double; static constexpr int count = 1;
    static __device__ void step(T& a, T&, T&) {
        asm volatile("{\n\t.reg .u64 u;\n\tcvt.rzi.u64.f64 u, %0;\n\tmov.b64 %0, u;\n\t}" : "+d"(a)); } };
struct Convert_f32_f64 { using T = float; static constexpr int count = 2;
    static __device__ void step(T& a, T&, T&) {
        asm volatile("{\n\t.reg .f64 d;\n\tcvt.f64.f32 d, %0;\n\tcvt.rn.f32.f64 %0, d;\n\t}" : "+f"(a)); } };
struct Shuffle { using T = unsigned; static constexpr int count = 1;
    static __device__ void step(T& a, T&, T&) {
        asm volatile("shfl.sync.idx.b32 %0, %0, %0, 31, 0xffffffff;" : "+r"(a)); } };
// Half of the instructions each; the two chains are independent.
struct Ffma_iadd { using T = unsigned; static constexpr int count = 4;
    static __device__ void step(T& a, T& b, T& c) {
        asm volatile("{\n\t.reg .f32 f, g;\n\tmov.b32 f, %2;\n\tfma.rn.f32 g, f, f, f;\n\tadd.u32 %0, %0, %1;\n\t"
                     "fma.rn.f32 f, g, g, g;\n\tadd.u32 %1, %1, %0;\n\tmov.b32 %2, f;\n\t}" : "+r"(a), "+r"(b), "+r"(c)); } };

// Multiply-adds and the remaining integer operations may have separate pipes: half of the instructions each.
struct Imad_iadd { using T = unsigned; static constexpr int count = 4;
    static __device__ void step(T& a, T& b, T& c) {
        asm volatile("mad.lo.u32 %2, %2, %2, %2;\n\tadd.u32 %0, %0, %1;\n\tmad.lo.u32 %2, %2, %2, %2;\n\tadd.u32 %1, %1, %0;"
                     : "+r"(a), "+r"(b), "+r"(c)); } };
struct Imad_logic { using T = unsigned; static constexpr int count = 4;
    static __device__ void step(T& a, T& b, T& c) {
        asm volatile("mad.lo.u32 %2, %2, %2, %2;\n\tlop3.b32 %0, %0, %1, %1, 0x6a;\n\tmad.lo.u32 %2, %2, %2, %2;\n\t"
                     "lop3.b32 %1, %1, %0, %0, 0x6a;" : "+r"(a), "+r"(b), "+r"(c)); } };
struct Ffma_imad { using T = unsigned; static constexpr int count = 4;
    static __device__ void step(T& a, T& b, T& c) {
        asm volatile("{\n\t.reg .f32 f, g;\n\tmov.b32 f, %2;\n\tfma.rn.f32 g, f, f, f;\n\tmad.lo.u32 %0, %0, %1, %1;\n\t"
                     "fma.rn.f32 f, g, g, g;\n\tmad.lo.u32 %1, %1, %0, %0;\n\tmov.b32 %2, f;\n\t}" : "+r"(a), "+r"(b), "+r"(c)); } };
struct Ffma_logic { using T = unsigned; static constexpr int count = 4;
    static __device__ void step(T& a, T& b, T& c) {
        asm volatile("{\n\t.reg .f32 f, g;\n\tmov.b32 f, %2;\n\tfma.rn.f32 g, f, f, f;\n\tlop3.b32 %0, %0, %1, %1, 0x6a;\n\t"
                     "fma.rn.f32 f, g, g, g;\n\tlop3.b32 %1, %1, %0, %0, 0x6a;\n\tmov.b32 %2, f;\n\t}"
                     : "+r"(a), "+r"(b), "+r"(c)); } };
// Each multiply-add reads three registers.
struct Ffma_3 { using T = float; static constexpr int count = 1;
    static __device__ void step(T& a, T& b, T& c) { asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(a) : "f"(b), "f"(c)); } };

// steps in a row by one warp; the second round has its instructions in the cache.
template <class Op, int steps>
__global__ void chain(const typename Op::T* values, typename Op::T* results, long long* cycles) {
    typename Op::T a = values[threadIdx.x & 3], b = values[1], c = values[2];
    long long start = 0, stop = 0;
#pragma unroll 1
    for (int round = 0; round < 2; ++round) {
        start = clock64();
#pragma unroll
        for (int i = 0; i < steps; ++i) Op::step(a, b, c);
        results[threadIdx.x] = a + b + c;  // before the second reading of the clock
        stop = clock64();
    }
    if (threadIdx.x == 0) *cycles = stop - start;
}

constexpr int steps_of_round = 64;

// streams independent chains per thread, `rounds` rounds of `steps_of_round` steps of each; cycles from barrier to barrier.
template <class Op, int streams>
__global__ void __launch_bounds__(1024) pipe(const typename Op::T* values, typename Op::T* results, int rounds, long long* cycles) {
    typename Op::T a[streams], b[streams], c[streams];
#pragma unroll
    for (int s = 0; s < streams; ++s) {
        a[s] = values[s + (threadIdx.x & 3)];
        b[s] = values[s + 1];
        c[s] = values[s + 2];
    }
    long long start = 0;
    int round = -1;  // the first is not timed
#pragma unroll 1
    for (; round < rounds; ++round) {
        if (round == 0) {
            __syncthreads();
            start = clock64();
        }
#pragma unroll
        for (int i = 0; i < steps_of_round; ++i)
#pragma unroll
            for (int s = 0; s < streams; ++s) Op::step(a[s], b[s], c[s]);
    }
    typename Op::T sum = 0;
#pragma unroll
    for (int s = 0; s < streams; ++s) sum += a[s] + b[s] + c[s];
    results[threadIdx.x] = sum;
    __syncthreads();
    const long long stop = clock64();
    if (threadIdx.x == 0) *cycles = stop - start;
}

template <class T>
T* op_values() {
    T values[16];
    for (int i = 0; i < 16; ++i) values[i] = static_cast<T>(i % 3 + 1);
    T* data = device_array<T>(16);
    check(cudaMemcpy(data, values, sizeof values, cudaMemcpyHostToDevice), "copy to the device");
    return data;
}

template <class Op>
void operation(const char* name, bool is_chain = true) {
    using T = typename Op::T;
    T* values = op_values<T>();
    T* results = device_array<T>(1024);
    long long* cycles = device_array<long long>(1);
    const auto of_chain = [&](auto kernel) {
        kernel<<<1, 32>>>(values, results, cycles);
        finish(name);
        return double(copied(cycles, 1)[0]);
    };
    if (is_chain)
        measure(std::string("latency_") + name, "cycles",
                "one warp; a chain of 128 steps less one of 64, per operation", [&] {
                    return (of_chain(chain<Op, 128>) - of_chain(chain<Op, 64>)) / 64 / Op::count;
                });
    const auto throughput = [&](auto kernel, int threads, int streams) {
        const int rounds = 64;
        kernel<<<1, threads>>>(values, results, rounds, cycles);
        finish(name);
        return double(threads) * rounds * steps_of_round * streams * Op::count / double(copied(cycles, 1)[0]);
    };
    measure(std::string("throughput_") + name, "thread operations/cycle/SM",
            "one block of 1024 threads; 4 independent chains each", [&] { return throughput(pipe<Op, 4>, 1024, 4); });
    measure(std::string("one_warp_") + name, "operations/cycle", "one warp; 8 independent chains",
            [&] { return throughput(pipe<Op, 8>, 32, 8) / 32; });
    cudaFree(values);
    cudaFree(results);
    cudaFree(cycles);
}

void operations() {
    operation<Fadd>("fadd");
    operation<Ffma>("ffma");
    operation<Fmul>("fmul");
    operation<Fmnmx>("fmin_fmax");
    operation<Iadd>("iadd");
    operation<Imad>("imad");
    operation<Imul_wide>("imad_wide");
    operation<Logic>("logic");
    operation<Shift>("funnel_shift");
    operation<Compare_select>("compare_select");
    operation<Popc>("popc");
    operation<Dfma>("dfma");
    operation<Dadd>("dadd");
    operation<Ex2>("ex2");
    operation<Rsqrt>("rsqrt");
    operation<Sin>("sin");
    operation<Convert_u32_f32>("convert_u32_f32");
    operation<Convert_f32_u32>("convert_f32_u32");
    operation<Convert_u64_f64>("convert_u64_f64");
    operation<Convert_f64_u64>("convert_f64_u64");
    operation<Convert_f32_f64>("convert_f32_f64");
    operation<Shuffle>("shuffle");
    operation<Ffma_iadd>("ffma_iadd_mixed", false);
    operation<Imad_iadd>("imad_iadd_mixed", false);
    operation<Imad_logic>("imad_logic_mixed", false);
    operation<Ffma_imad>("ffma_imad_mixed", false);
    operation<Ffma_logic>("ffma_logic_mixed", false);
    operation<Ffma_3>("ffma_three_registers", false);
}

// ---- schedulers: the warps of a block that share one

// Only the warps of the mask work, each in 8 chains of multiply-adds, and one such warp fills a scheduler.
__global__ void __launch_bounds__(1024) warps_of_mask(const float* values, float* results, unsigned mask, int rounds, long long* cycles) {
    const int warp = threadIdx.x / 32;
    float x[8];
#pragma unroll
    for (int s = 0; s < 8; ++s) x[s] = values[s];
    const float factor = values[1], addend = values[2];
    __syncthreads();
    const long long start = clock64();
    if ((mask >> warp & 1) != 0) {
#pragma unroll 1
        for (int round = 0; round < rounds; ++round) {
#pragma unroll
            for (int i = 0; i < 16; ++i)
#pragma unroll
                for (int s = 0; s < 8; ++s)
                    asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(x[s]) : "f"(factor), "f"(addend));
        }
    }
    float sum = 0;
#pragma unroll
    for (int s = 0; s < 8; ++s) sum += x[s];
    results[threadIdx.x] = sum;
    __syncthreads();
    const long long stop = clock64();
    if (threadIdx.x == 0) *cycles = stop - start;
}

void schedulers() {
    float* values = op_values<float>();
    float* results = device_array<float>(1024);
    long long* cycles = device_array<long long>(1);
    const auto with = [&](unsigned mask, int warps) {
        warps_of_mask<<<1, warps * 32>>>(values, results, mask, 256, cycles);
        finish("warps_of_mask");
        return double(copied(cycles, 1)[0]) / (256 * 16 * 8);
    };
    measure("scheduler_warp_0", "cycles/instruction", "a block of 16 warps; only warp 0 computes", [&] { return with(1, 16); });
    for (int other = 1; other < 16; ++other)
        measure("scheduler_warps_0_" + std::to_string(other), "cycles/instruction of a warp",
                "only two warps compute; twice the value of warp 0 alone: they share a scheduler",
                [&] { return with(1u | 1u << other, 16); });
    for (int warps = 1; warps <= 12; ++warps)
        measure("scheduler_warps_" + std::to_string(warps), "cycles/instruction of a warp",
                "a block of so many warps; all compute", [&] { return with(~0u, warps); });
}

// ---- policy: which ready warp issues first

enum class Work { independent, chain, shared };

// 32 warps begin together and do the same work; ends: cycles from the barrier to the end of each. Of independent
// multiply-adds, one warp fills a scheduler; of a chain, four do; loads from shared memory go through one port of the SM.
template <Work work>
__global__ void __launch_bounds__(1024) race(const float* values, float* results, int rounds, long long* ends) {
    __shared__ float words[1024];
    float x[8];
#pragma unroll
    for (int s = 0; s < 8; ++s) x[s] = values[s];
    const float factor = values[1];
    words[threadIdx.x] = 0;
    const unsigned address = unsigned(__cvta_generic_to_shared(words + threadIdx.x));
    long long start = 0;
#pragma unroll 1
    for (int round = -1; round < rounds; ++round) {  // the first fills the instruction cache
        if (round == 0) {
            __syncthreads();
            start = clock64();
        }
#pragma unroll
        for (int i = 0; i < 16; ++i)
#pragma unroll
            for (int s = 0; s < 8; ++s) {
                float& y = x[work == Work::chain ? 0 : s];
                if (work == Work::shared)
                    asm volatile("ld.volatile.shared.f32 %0, [%1];" : "=f"(y) : "r"(address) : "memory");
                else
                    asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(y) : "f"(factor));
            }
    }
    float sum = 0;
#pragma unroll
    for (int s = 0; s < 8; ++s) sum += x[s];
    results[threadIdx.x] = sum;  // before the second reading of the clock
    const long long stop = clock64();
    if (threadIdx.x % 32 == 0) ends[threadIdx.x / 32] = stop - start;
}

void policy() {
    float* values = op_values<float>();
    float* results = device_array<float>(1024);
    long long* ends = device_array<long long>(32);
    const auto rows = [&](auto kernel, const std::string& name, const char* how) {
        std::vector<std::vector<double>> of_warp(32);
        for (int run = -1; run < 15; ++run) {
            kernel<<<1, 1024>>>(values, results, 16, ends);
            finish(name.c_str());
            const std::vector<long long> all = copied(ends, 32);
            for (int warp = 0; run >= 0 && warp < 32; ++warp) of_warp[warp].push_back(double(all[warp]));
        }
        for (int warp = 0; warp < 32; ++warp) report(name + std::to_string(warp), of_warp[warp], "cycles", how);
    };
    rows(race<Work::independent>, "race_independent_warp_",
         "32 warps begin together; end of this one after 2048 multiply-adds in 8 chains");
    rows(race<Work::chain>, "race_chain_warp_", "32 warps begin together; end of this one after a chain of 2048 multiply-adds");
    rows(race<Work::shared>, "race_shared_warp_", "32 warps begin together; end of this one after 2048 loads from shared memory");
}

// ---- latencies of memory: a thread follows pointers

// Lines point to each other by a linear congruential generator of full period: one cycle through all of them, in no
// order that a prefetcher knows. lines: a power of two.
__global__ void make_cycle(char* memory, unsigned lines, unsigned stride) {
    for (unsigned s = blockIdx.x * blockDim.x + threadIdx.x; s < lines; s += gridDim.x * blockDim.x) {
        const unsigned next = (s * 1664525u + 1013904223u) & (lines - 1);
        *reinterpret_cast<char**>(memory + std::size_t(s) * stride) = memory + std::size_t(next) * stride;
    }
}

template <bool through_l1>
__device__ __forceinline__ char* follow(char* p) {
    char* next;
    if (through_l1)
        asm volatile("ld.global.ca.u64 %0, [%1];" : "=l"(next) : "l"(p) : "memory");
    else
        asm volatile("ld.global.cg.u64 %0, [%1];" : "=l"(next) : "l"(p) : "memory");
    return next;
}

template <bool through_l1>
__global__ void chase(char* memory, int warm, int steps, char** result, long long* cycles) {
    char* p = memory;
    for (int i = 0; i < warm; ++i) p = follow<through_l1>(p);
    *result = p;
    const long long start = clock64();
#pragma unroll 8
    for (int i = 0; i < steps; ++i) p = follow<through_l1>(p);
    *result = p;  // needs the last load
    const long long stop = clock64();
    *cycles = stop - start;
}

// All SMs read the memory once, so it is in L2 if it fits.
__global__ void touch(const char* memory, unsigned lines, unsigned stride, unsigned* result) {
    unsigned sum = 0;
    for (unsigned s = blockIdx.x * blockDim.x + threadIdx.x; s < lines; s += gridDim.x * blockDim.x) {
        unsigned value;
        asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(value) : "l"(memory + std::size_t(s) * stride));
        sum += value;
    }
    if (sum == 1) *result = sum;
}

// Each load of the chase separately.
__global__ void chase_each(char* memory, int steps, int* times) {
    char* p = memory;
    for (int i = 0; i < steps; ++i) {
        const long long start = clock64();
        p = follow<false>(p);
        if (p == nullptr) return;  // never; waits for the load
        const long long stop = clock64();
        times[i] = int(stop - start);
    }
}

void global_latencies() {
    const std::size_t most = std::size_t{1} << 28;
    char* memory = device_array<char>(most);
    char** result = device_array<char*>(1);
    long long* cycles = device_array<long long>(1);
    unsigned* sum = device_array<unsigned>(1);
    const unsigned stride = 128;
    const auto prepare_lines = [&](std::size_t bytes) {
        make_cycle<<<264, 256>>>(memory, unsigned(bytes / stride), stride);
        touch<<<264, 256>>>(memory, unsigned(bytes / stride), stride, sum);
        finish("make_cycle");
    };
    for (std::size_t bytes = 2048; bytes <= most; bytes *= 2) {
        const int lines = int(bytes / stride), steps = 4096;
        prepare_lines(bytes);
        const std::string name = "_" + std::to_string(bytes / 1024) + "_KiB";
        const auto once = [&](auto kernel, int warm) {
            touch<<<264, 256>>>(memory, unsigned(lines), stride, sum);
            kernel<<<1, 1>>>(memory, warm, steps, result, cycles);
            finish("chase");
            return double(copied(cycles, 1)[0]) / steps;
        };
        if (bytes <= 1 << 20)
            measure("latency_global_through_l1" + name, "cycles",
                    "one thread follows pointers, 128 bytes apart, ld.global.ca; plateau: L1 hits",
                    [&] { return once(chase<true>, lines); }, 3);
        measure("latency_global_past_l1" + name, "cycles",
                "one thread follows pointers, 128 bytes apart, ld.global.cg; plateaus: L2, then DRAM with misses of the TLB",
                [&] { return once(chase<false>, 64); }, 3);
    }
    // The time of each of 4096 loads from L2, which has near and far parts.
    prepare_lines(std::size_t{4} << 20);
    int* times = device_array<int>(4096);
    for (const double part : {0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99})
        measure("latency_l2_quantile_" + std::to_string(int(100 * part)), "cycles",
                "each of 4096 loads that hit L2, read between two clocks: a few cycles more than the chase", [&] {
                    touch<<<264, 256>>>(memory, (4u << 20) / stride, stride, sum);
                    chase_each<<<1, 1>>>(memory, 4096, times);
                    finish("chase_each");
                    std::vector<int> all = copied(times, 4096);
                    std::sort(all.begin(), all.end());
                    return double(all[std::size_t(part * 4095)]);
                }, 3);
    cudaFree(memory);
    cudaFree(times);
}

// ---- shared and constant memory

// Lanes load from words `stride` apart: 32 / gcd(...) banks. Each word holds its own index.
__global__ void shared_chain(int stride, int steps, int* result, long long* cycles) {
    __shared__ int words[1024];
    for (int i = threadIdx.x; i < 1024; i += 32) words[i] = i;
    __syncthreads();
    int at = int(threadIdx.x) * stride & 1023;
    const long long start = clock64();
#pragma unroll 8
    for (int i = 0; i < steps; ++i) at = *(volatile int*)(words + at);
    *result = at;
    const long long stop = clock64();
    if (threadIdx.x == 0) *cycles = stop - start;
}

__constant__ int constants[8192];

__global__ void constant_chain(int warm, int steps, int* result, long long* cycles) {
    int at = 0;
    for (int i = 0; i < warm; ++i) at = constants[at];
    *result = at;
    const long long start = clock64();
#pragma unroll 8
    for (int i = 0; i < steps; ++i) at = constants[at];
    *result = at;
    const long long stop = clock64();
    *cycles = stop - start;
}

// Loads of `Word` from shared memory by all threads, at neighbouring addresses.
template <class Word>
__global__ void __launch_bounds__(1024) shared_loads(int rounds, unsigned* result, long long* cycles) {
    __shared__ __align__(16) unsigned words[8192];
    for (int i = threadIdx.x; i < 8192; i += blockDim.x) words[i] = i;
    __syncthreads();
    constexpr int width = sizeof(Word) / 4;
    unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(words)) + (threadIdx.x & 511) * 4 * width;
    unsigned a = 0, b = 0, c = 0, d = 0;
    unsigned sum = 0;
    const long long start = clock64();
#pragma unroll 1
    for (int round = 0; round < rounds; ++round) {
#pragma unroll
        for (int i = 0; i < 16; ++i) {
            if (width == 1)
                asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(a) : "r"(at));
            else if (width == 2)
                asm volatile("ld.volatile.shared.v2.u32 {%0, %1}, [%2];" : "=r"(a), "=r"(b) : "r"(at));
            else
                asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                             : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(at));
        }
        sum += a ^ b ^ c ^ d;
    }
    result[threadIdx.x] = sum;
    __syncthreads();
    const long long stop = clock64();
    if (threadIdx.x == 0) *cycles = stop - start;
}

template <class Word>
__global__ void __launch_bounds__(1024) shared_stores(int rounds, unsigned value, unsigned* result, long long* cycles) {
    __shared__ __align__(16) unsigned words[8192];
    constexpr int width = sizeof(Word) / 4;
    const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(words)) + (threadIdx.x & 511) * 4 * width;
    __syncthreads();
    const long long start = clock64();
#pragma unroll 1
    for (int round = 0; round < rounds; ++round) {
#pragma unroll
        for (int i = 0; i < 16; ++i) {
            if (width == 1)
                asm volatile("st.volatile.shared.u32 [%0], %1;" ::"r"(at), "r"(value));
            else
                asm volatile("st.volatile.shared.v4.u32 [%0], {%1, %1, %1, %1};" ::"r"(at), "r"(value));
        }
    }
    __syncthreads();
    const long long stop = clock64();
    result[threadIdx.x] = words[threadIdx.x];
    if (threadIdx.x == 0) *cycles = stop - start;
}

// Atomics of all threads on shared memory, `apart` words between neighbouring lanes (0: one word).
__global__ void __launch_bounds__(1024) shared_atomics(int apart, int rounds, unsigned* result, long long* cycles) {
    __shared__ unsigned words[1024];
    words[threadIdx.x & 1023] = 0;
    __syncthreads();
    const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(words)) + (threadIdx.x * apart & 1023) * 4;
    unsigned old = 0;
    const long long start = clock64();
#pragma unroll 1
    for (int round = 0; round < rounds; ++round) {
        unsigned value;
        asm volatile("atom.shared.add.u32 %0, [%1], %2;" : "=r"(value) : "r"(at), "r"(round + 1));
        old ^= value;
    }
    result[threadIdx.x] = old;
    __syncthreads();
    const long long stop = clock64();
    if (threadIdx.x == 0) *cycles = stop - start;
}

void on_chip() {
    int* result = device_array<int>(1024);
    unsigned* unsigned_result = device_array<unsigned>(1024);
    long long* cycles = device_array<long long>(1);
    for (const int ways : {1, 2, 4, 8, 16, 32})
        measure("latency_shared_" + std::to_string(ways) + "_way", "cycles",
                "one warp, a chain of loads; so many words of one bank", [&] {
                    shared_chain<<<1, 32>>>(ways, 1024, result, cycles);
                    finish("shared_chain");
                    return double(copied(cycles, 1)[0]) / 1024;
                });
    for (const int bytes : {512, 1024, 2048, 4096, 8192, 16384, 32768}) {
        const int words = bytes / 4, apart = 16;  // 64 bytes
        std::vector<int> table(8192);
        for (int i = 0; i < words; ++i) table[i] = (i + apart) % words;
        check(cudaMemcpyToSymbol(constants, table.data(), 32768), "the constants");
        measure("latency_constant_" + std::to_string(bytes) + "_bytes", "cycles",
                "one thread follows indices, 64 bytes apart; plateaus: the levels of the constant cache", [&] {
                    constant_chain<<<1, 1>>>(2 * words / apart, 2048, result, cycles);
                    finish("constant_chain");
                    return double(copied(cycles, 1)[0]) / 2048;
                });
    }
    const auto per_cycle = [&](auto kernel, int bytes) {
        kernel<<<1, 1024>>>(64, unsigned_result, cycles);
        finish("shared_loads");
        return 1024.0 * 64 * 16 * bytes / double(copied(cycles, 1)[0]);
    };
    const char* how = "one block of 1024 threads, neighbouring words";
    measure("throughput_shared_load_32", "bytes/cycle/SM", how, [&] { return per_cycle(shared_loads<unsigned>, 4); });
    measure("throughput_shared_load_64", "bytes/cycle/SM", how, [&] { return per_cycle(shared_loads<uint2>, 8); });
    measure("throughput_shared_load_128", "bytes/cycle/SM", how, [&] { return per_cycle(shared_loads<uint4>, 16); });
    const auto stored = [&](auto kernel, int bytes) {
        kernel<<<1, 1024>>>(64, 7u, unsigned_result, cycles);
        finish("shared_stores");
        return 1024.0 * 64 * 16 * bytes / double(copied(cycles, 1)[0]);
    };
    measure("throughput_shared_store_32", "bytes/cycle/SM", how, [&] { return stored(shared_stores<unsigned>, 4); });
    measure("throughput_shared_store_128", "bytes/cycle/SM", how, [&] { return stored(shared_stores<uint4>, 16); });
    for (const int threads : {32, 1024})
        for (const int apart : {0, 1, 32})
            measure("atomic_shared_" + std::to_string(threads) + "_threads_" + std::to_string(apart) + "_apart",
                    "cycles/warp instruction", "one block; words between neighbouring lanes, 0: all on one word", [&] {
                        shared_atomics<<<1, threads>>>(apart, 256, unsigned_result, cycles);
                        finish("shared_atomics");
                        return double(copied(cycles, 1)[0]) / 256 / (threads / 32);
                    });
}

// ---- barriers and loops

__global__ void __launch_bounds__(1024) barriers(int rounds, long long* cycles) {
    __syncthreads();
    const long long start = clock64();
#pragma unroll 16
    for (int round = 0; round < rounds; ++round) asm volatile("bar.sync 0;" ::: "memory");
    const long long stop = clock64();
    if (threadIdx.x == 0) *cycles = stop - start;
}

// A loop that is not unrolled: a multiply-add, a counter, a comparison, a branch. divergent: lanes take both sides of a
// second branch.
template <bool divergent>
__global__ void __launch_bounds__(1024) loops(const float* values, int rounds, float* result, long long* cycles) {
    float x = values[0];
    const float factor = values[1], addend = values[2];
    __syncthreads();
    const long long start = clock64();
#pragma unroll 1
    for (int round = 0; round < rounds; ++round) {
        asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(x) : "f"(factor), "f"(addend));
        if (divergent) {
            if (threadIdx.x & 1) {
#pragma unroll
                for (int i = 0; i < 16; ++i) asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(x) : "f"(factor));
            } else {
#pragma unroll
                for (int i = 0; i < 16; ++i) asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(x) : "f"(addend));
            }
        }
    }
    result[threadIdx.x] = x;
    __syncthreads();
    const long long stop = clock64();
    if (threadIdx.x == 0) *cycles = stop - start;
}

void control() {
    float* values = op_values<float>();
    float* result = device_array<float>(1024);
    long long* cycles = device_array<long long>(1);
    for (const int warps : {1, 2, 4, 8, 16, 32})
        measure("barrier_" + std::to_string(warps) + "_warps", "cycles", "one block; bar.sync in a row", [&] {
            barriers<<<1, warps * 32>>>(1024, cycles);
            finish("barriers");
            return double(copied(cycles, 1)[0]) / 1024;
        });
    for (const int warps : {1, 4, 32}) {
        measure("loop_" + std::to_string(warps) + "_warps", "cycles/trip",
                "one block; a multiply-add, a counter, a comparison, a branch", [&] {
                    loops<false><<<1, warps * 32>>>(values, 1024, result, cycles);
                    finish("loops");
                    return double(copied(cycles, 1)[0]) / 1024;
                });
        measure("loop_divergent_" + std::to_string(warps) + "_warps", "cycles/trip",
                "the same with 16 multiply-adds more on each side of a branch that odd and even lanes take differently", [&] {
                    loops<true><<<1, warps * 32>>>(values, 1024, result, cycles);
                    finish("loops");
                    return double(copied(cycles, 1)[0]) / 1024;
                });
    }
}

// ---- loads in flight, L1, L2

// `count` independent loads of each lane (a line per warp and load), then all are used. The first round, at `memory`,
// brings the instructions into their cache; the second is timed.
template <int count>
__global__ void loads_in_flight(const char* memory, unsigned offset, unsigned* result, long long* cycles) {
    long long start = 0, stop = 0;
#pragma unroll 1
    for (int round = 0; round < 2; ++round) {
        const char* p = memory + threadIdx.x * 4 + (round == 0 ? 0 : offset);
        unsigned value[count];
        start = clock64();
#pragma unroll
        for (int i = 0; i < count; ++i)
            asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(value[i]) : "l"(p + i * 128));
        unsigned sum = 0;
#pragma unroll
        for (int i = 0; i < count; ++i) sum += value[i];
        if (sum == 0x12345678u) return;  // never; waits for the loads
        stop = clock64();
        result[threadIdx.x] = sum;
    }
    if (threadIdx.x == 0) *cycles = stop - start;
}

template <bool through_l1>
__device__ __forceinline__ uint4 load_16_bytes(const char* p) {
    uint4 v;
    if (through_l1)
        asm volatile("ld.global.ca.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(p));
    else
        asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(p));
    return v;
}

// Each block reads its part of the memory again and again, four loads of a thread at a time; parts begin `apart` bytes
// from each other. bytes: a multiple of 64 per thread.
template <bool through_l1>
__global__ void __launch_bounds__(1024) read_again(const char* memory, unsigned bytes, unsigned apart, int rounds,
                                                   unsigned* result, long long* cycles) {
    const char* base = memory + std::size_t(blockIdx.x) * apart + threadIdx.x * 16;
    const unsigned step = blockDim.x * 16;
    unsigned sum = 0;
    __syncthreads();
    const long long start = clock64();
#pragma unroll 1
    for (int round = 0; round < rounds; ++round) {
#pragma unroll 1
        for (unsigned at = 0; at < bytes; at += 4 * step) {
            uint4 v[4];
#pragma unroll
            for (int i = 0; i < 4; ++i) v[i] = load_16_bytes<through_l1>(base + at + i * step);
#pragma unroll
            for (int i = 0; i < 4; ++i) sum += v[i].x ^ v[i].y ^ v[i].z ^ v[i].w;
        }
    }
    result[blockIdx.x * blockDim.x + threadIdx.x] = sum;
    __syncthreads();
    const long long stop = clock64();
    if (threadIdx.x == 0) cycles[blockIdx.x] = stop - start;
}

enum class Path { l1, l2, store };

// 16 loads or stores of `width` bytes by each thread and round; a warp's begin at `warps_apart` times its number, a lane's
// `lanes_apart` bytes after its neighbour's, rounds `instructions_apart` from each other.
struct Access_shape { unsigned lanes_apart, warps_apart, instructions_apart; };

template <Path path, int width>
__global__ void __launch_bounds__(1024) access(char* memory, Access_shape shape, std::size_t blocks_apart, int rounds, unsigned* result,
                                               long long* cycles) {
    char* base = memory + blockIdx.x * blocks_apart + threadIdx.x % 32 * shape.lanes_apart + threadIdx.x / 32 * shape.warps_apart;
    unsigned sum = 0;
    long long start = 0;
#pragma unroll 1
    for (int round = -1; round < rounds; ++round) {  // the first fills the caches
        if (round == 0) {
            __syncthreads();
            start = clock64();
        }
#pragma unroll
        for (int i = 0; i < 16; ++i) {
            char* p = base + i * shape.instructions_apart;
            unsigned v = 0;
            unsigned long long w = 0;
            if (path == Path::store) asm volatile("st.global.u32 [%0], %1;" ::"l"(p), "r"(i) : "memory");
            else if (path == Path::l2) asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
            else if (width == 8) asm volatile("ld.global.ca.u64 %0, [%1];" : "=l"(w) : "l"(p) : "memory");
            else asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
            sum ^= v ^ unsigned(w);
        }
    }
    result[blockIdx.x * blockDim.x + threadIdx.x] = sum;
    __syncthreads();
    const long long stop = clock64();
    if (threadIdx.x == 0) cycles[blockIdx.x] = stop - start;
}

// A product in a naive kernel: a word that all lanes share, a word of each lane, a multiply-add.
template <int multiply_adds>
__global__ void __launch_bounds__(1024) load_load_multiply(const char* memory, int rounds, float* result, long long* cycles) {
    const char* own = memory + threadIdx.x % 32 * 4;
    float x[4] = {1, 2, 3, 4};
    long long start = 0;
#pragma unroll 1
    for (int round = -1; round < rounds; ++round) {
        if (round == 0) {
            __syncthreads();
            start = clock64();
        }
#pragma unroll
        for (int i = 0; i < 16; ++i) {
            float a, b;
            asm volatile("ld.global.ca.f32 %0, [%1];" : "=f"(a) : "l"(memory + i * 4) : "memory");
            asm volatile("ld.global.ca.f32 %0, [%1];" : "=f"(b) : "l"(own + i * 128) : "memory");
#pragma unroll
            for (int k = 0; k < multiply_adds; ++k) asm volatile("fma.rn.f32 %0, %1, %2, %0;" : "+f"(x[(i + k) % 4]) : "f"(a), "f"(b));
        }
    }
    result[threadIdx.x] = x[0] + x[1] + x[2] + x[3];
    __syncthreads();
    const long long stop = clock64();
    if (threadIdx.x == 0) *cycles = stop - start;
}

// Additions without a result to `words` words by all threads of the GPU: thread i uses word i mod words.
template <class T>
__global__ void global_reductions(T* memory, unsigned words, unsigned apart, int rounds, long long* cycles) {
    T* word = memory + std::size_t((blockIdx.x * blockDim.x + threadIdx.x) % words) * apart;
    __syncthreads();
    const long long start = clock64();
    for (int round = 0; round < rounds; ++round) {
        if (sizeof(T) == 8) asm volatile("red.global.add.u64 [%0], %1;" ::"l"(word), "l"(1ull) : "memory");
        else if (T(0.5f) != T(0)) asm volatile("red.global.add.f32 [%0], %1;" ::"l"(word), "f"(1.0f) : "memory");
        else asm volatile("red.global.add.u32 [%0], %1;" ::"l"(word), "r"(1) : "memory");
    }
    __threadfence();  // all have been carried out
    __syncthreads();
    const long long stop = clock64();
    if (threadIdx.x == 0) cycles[blockIdx.x] = stop - start;
}

// Atomics on global memory by all threads: words `apart` from thread to thread (0: one word).
__global__ void global_atomics(unsigned* words, int apart, int rounds, unsigned* result, long long* cycles) {
    unsigned* word = words + (blockIdx.x * blockDim.x + threadIdx.x) * apart;
    unsigned old = 0;
    __syncthreads();
    const long long start = clock64();
    for (int round = 0; round < rounds; ++round) {
        unsigned value;
        asm volatile("atom.global.add.u32 %0, [%1], %2;" : "=r"(value) : "l"(word), "r"(round + 1) : "memory");
        old ^= value;
    }
    result[blockIdx.x * blockDim.x + threadIdx.x] = old;
    __syncthreads();
    const long long stop = clock64();
    if (threadIdx.x == 0) cycles[blockIdx.x] = stop - start;
}

template <int count>
void in_flight(const char* memory, unsigned bytes, unsigned* result, long long* cycles, unsigned* used) {
    const auto once = [&](unsigned offset) {
        loads_in_flight<count><<<1, 32>>>(memory, offset, result, cycles);
        finish("loads_in_flight");
        return double(copied(cycles, 1)[0]);
    };
    measure("loads_in_flight_l2_" + std::to_string(count), "cycles", "one warp; so many independent loads, all in L2",
            [&] { return once(0); });
    measure("loads_in_flight_dram_" + std::to_string(count), "cycles",
            "one warp; so many independent loads of lines that no cache has",
            [&] { return once(bytes / 2 + (*used += 1 << 16) % (bytes / 4)); });
}

void caches() {
    cudaDeviceProp p;
    check(cudaGetDeviceProperties(&p, 0), "no device");
    const int sms = p.multiProcessorCount;
    const unsigned bytes = 1u << 26;
    char* memory = device_array<char>(bytes);
    unsigned* result = device_array<unsigned>(std::size_t(sms) * 2048);
    long long* cycles = device_array<long long>(std::size_t(sms) * 2);
    // First, other data fills L2.
    char* other = device_array<char>(std::size_t{1} << 28, 1);
    unsigned used = 0;  // of any count: each line is read from DRAM once
    in_flight<1>(memory, bytes, result, cycles, &used);
    in_flight<2>(memory, bytes, result, cycles, &used);
    in_flight<4>(memory, bytes, result, cycles, &used);
    in_flight<8>(memory, bytes, result, cycles, &used);
    in_flight<16>(memory, bytes, result, cycles, &used);
    in_flight<32>(memory, bytes, result, cycles, &used);
    in_flight<64>(memory, bytes, result, cycles, &used);
    in_flight<128>(memory, bytes, result, cycles, &used);
    // kernel cycles: the median block
    const auto rate = [&](auto kernel, int blocks, int threads, unsigned size, unsigned apart, int rounds) {
        kernel<<<blocks, threads>>>(memory, size, apart, rounds, result, cycles);
        finish("read_again");
        std::vector<long long> all = copied(cycles, blocks);
        std::sort(all.begin(), all.end());
        return double(size) * rounds / double(all[all.size() / 2]);
    };
    measure("throughput_l1_load_128", "bytes/cycle/SM", "one block of 1024 threads reads 64 KiB again and again, 16 bytes each",
            [&] { return rate(read_again<true>, 1, 1024, 65536, 0, 64); });
    for (const int threads : {32, 64, 128, 256, 512, 1024})
        measure("throughput_l2_one_sm_" + std::to_string(threads) + "_threads", "bytes/cycle/SM",
                "one block reads 256 KiB from L2 again and again, past L1", [&] {
                    return rate(read_again<false>, 1, threads, 262144, 0, 8);
                });
    measure("throughput_l2_all_sms", "bytes/cycle/SM", "a block of 1024 threads per SM reads its own 128 KiB from L2, past L1",
            [&] { return rate(read_again<false>, sms, 1024, 131072, 131072, 16); });
    measure("throughput_l2_all_sms_same", "bytes/cycle/SM", "all blocks read the same 2 MiB from L2, past L1",
            [&] { return rate(read_again<false>, sms, 1024, 2097152, 0, 2); });
    for (const int apart : {0, 1, 32}) {
        const auto once = [&](int blocks, int threads) {
            global_atomics<<<blocks, threads>>>(reinterpret_cast<unsigned*>(memory), apart, 64, result, cycles);
            finish("global_atomics");
            const std::vector<long long> all = copied(cycles, blocks);
            return double(*std::max_element(all.begin(), all.end())) / 64;
        };
        const std::string name = "_" + std::to_string(apart) + "_apart";
        measure("atomic_global_one_warp" + name, "cycles", "one warp, atomics in a chain; words between lanes, 0: one word",
                [&] { return once(1, 32); });
        measure("atomic_global_all_sms" + name, "cycles", "a block of 256 threads per SM; per round of all threads",
                [&] { return once(sms, 256); });
    }
    cudaFree(memory);
    cudaFree(other);
}

// ---- accesses: how many warp instructions an SM passes to its caches

void accesses() {
    cudaDeviceProp p;
    check(cudaGetDeviceProperties(&p, 0), "no device");
    const int sms = p.multiProcessorCount;
    char* memory = device_array<char>(std::size_t(sms) << 18);
    unsigned* result = device_array<unsigned>(std::size_t(sms) * 1024);
    long long* cycles = device_array<long long>(sms);
    const auto median = [&](int blocks) {
        std::vector<long long> all = copied(cycles, blocks);
        std::sort(all.begin(), all.end());
        return double(all[all.size() / 2]);
    };
    const auto row = [&](auto kernel, const std::string& name, const char* how, Access_shape shape, int blocks, int threads) {
        measure(name, "cycles/warp instruction", how, [&] {
            kernel<<<blocks, threads>>>(memory, shape, std::size_t{1} << 18, 32, result, cycles);
            finish("access");
            return median(blocks) / (32 * 16 * (threads / 32));
        });
    };
    const char* of_l1 = "one block of 1024 threads; loads that hit L1; words between lanes, 0: one word";
    for (const unsigned apart : {0, 1, 2, 4, 8, 32})
        row(access<Path::l1, 4>, "l1_load_32_" + std::to_string(apart) + "_apart", of_l1, {apart * 4, 128, 128}, 1, 1024);
    row(access<Path::l1, 8>, "l1_load_64_1_apart", of_l1, {8, 256, 256}, 1, 1024);
    row(access<Path::l1, 4>, "l1_load_32_1_apart_8_warps", "one block of 256 threads; loads that hit L1", {4, 128, 128}, 1, 256);
    for (const unsigned apart : {0, 1, 2, 8}) {  // at most 128 KiB per SM, so all of it is in L2
        const unsigned warps = apart == 8 ? 8 : 32;
        const Access_shape shape{apart * 4, apart * 128, apart * 128 * warps};
        row(access<Path::l2, 4>, "l2_load_32_" + std::to_string(apart) + "_apart",
            "a block per SM; loads past L1; words between lanes", shape, sms, int(warps * 32));
        row(access<Path::store, 4>, "store_32_" + std::to_string(apart) + "_apart", "a block per SM; stores; words between lanes", shape,
            sms, int(warps * 32));
    }
    const auto product = [&](auto kernel, const char* name, int threads) {
        measure(name, "cycles/step of a warp", "one block; a load of a shared word, one of neighbouring words, multiply-adds", [&] {
            kernel<<<1, threads>>>(memory, 64, reinterpret_cast<float*>(result), cycles);
            finish("load_load_multiply");
            return median(1) / (64 * 16 * (threads / 32));
        });
    };
    product(load_load_multiply<1>, "load_load_multiply_1", 1024);
    product(load_load_multiply<2>, "load_load_multiply_2", 1024);
    product(load_load_multiply<8>, "load_load_multiply_8", 1024);
    const auto reductions = [&](auto* words, const std::string& name, unsigned count, unsigned apart) {
        measure("reduction_global_" + name + "_" + std::to_string(count) + "_words_" + std::to_string(apart) + "_apart", "cycles/thread",
                "a block of 256 threads per SM; additions without a result, 64 each, thread i on word i mod the number", [&] {
                    global_reductions<<<sms, 256>>>(words, count, apart, 64, cycles);
                    finish("global_reductions");
                    const std::vector<long long> all = copied(cycles, sms);
                    return double(*std::max_element(all.begin(), all.end())) / (64.0 * sms * 256);
                });
    };
    for (const unsigned count : {1u, 2u, 8u, 32u, 256u, 4096u, 1u << 20}) {
        reductions(reinterpret_cast<unsigned*>(memory), "u32", count, 1);
        reductions(reinterpret_cast<float*>(memory), "f32", count, 1);
    }
    for (const unsigned count : {8u, 32u, 256u}) reductions(reinterpret_cast<unsigned*>(memory), "u32", count, 64);
    reductions(reinterpret_cast<unsigned long long*>(memory), "u64", 1, 1);
    cudaFree(memory);
}

// ---- DRAM

__global__ void read_all(const float4* in, long n, float* result) {
    float sum = 0;
    for (long i = blockIdx.x * long{blockDim.x} + threadIdx.x; i < n; i += long{gridDim.x} * blockDim.x) {
        const float4 v = in[i];
        sum += v.x + v.y + v.z + v.w;
    }
    if (sum == 1.25f) *result = sum;
}

__global__ void write_all(float4* out, long n, float value) {
    for (long i = blockIdx.x * long{blockDim.x} + threadIdx.x; i < n; i += long{gridDim.x} * blockDim.x)
        out[i] = make_float4(value, value, value, value);
}

__global__ void copy_all(const float4* in, float4* out, long n) {
    for (long i = blockIdx.x * long{blockDim.x} + threadIdx.x; i < n; i += long{gridDim.x} * blockDim.x) out[i] = in[i];
}

struct Timer {
    cudaEvent_t start, stop;
    Timer() {
        check(cudaEventCreate(&start), "cudaEventCreate");
        check(cudaEventCreate(&stop), "cudaEventCreate");
    }
    template <class Launch>
    double microseconds(const Launch& launch) const {
        check(cudaEventRecord(start), "cudaEventRecord");
        launch();
        check(cudaEventRecord(stop), "cudaEventRecord");
        check(cudaEventSynchronize(stop), "cudaEventSynchronize");
        check(cudaGetLastError(), "a timed launch");
        float milliseconds = 0;
        check(cudaEventElapsedTime(&milliseconds, start, stop), "cudaEventElapsedTime");
        return 1000.0 * milliseconds;
    }
};

void dram() {
    cudaDeviceProp p;
    check(cudaGetDeviceProperties(&p, 0), "no device");
    const std::size_t bytes = std::min<std::size_t>(std::size_t{1} << 30, p.totalGlobalMem / 8);
    const long n = long(bytes / sizeof(float4));
    float4* in = device_array<float4>(n);
    float4* out = device_array<float4>(n);
    float* result = device_array<float>(1);
    const Timer timer;
    const unsigned grid = unsigned(p.multiProcessorCount) * 8;
    const char* how = "1 GiB, 16 bytes per thread and trip, 8 blocks of 256 threads per SM";
    measure("bandwidth_dram_read", "GB/s", how, [&] {
        return double(bytes) / 1000 / timer.microseconds([&] { read_all<<<grid, 256>>>(in, n, result); });
    });
    measure("bandwidth_dram_write", "GB/s", how, [&] {
        return double(bytes) / 1000 / timer.microseconds([&] { write_all<<<grid, 256>>>(out, n, 3.0f); });
    });
    measure("bandwidth_dram_copy", "GB/s", "the same; bytes read and written", [&] {
        return 2.0 * double(bytes) / 1000 / timer.microseconds([&] { copy_all<<<grid, 256>>>(in, out, n); });
    });
    for (const int blocks_per_sm : {1, 2, 4})
        for (const int threads : {64, 256})
            measure("bandwidth_dram_read_" + std::to_string(blocks_per_sm) + "x" + std::to_string(threads), "GB/s",
                    "blocks per SM x threads; 16 bytes per thread and trip", [&] {
                        return double(bytes) / 1000 / timer.microseconds([&] {
                            read_all<<<unsigned(p.multiProcessorCount * blocks_per_sm), threads>>>(in, n, result);
                        });
                    }, 3);
    cudaFree(in);
    cudaFree(out);
}

// ---- launches and blocks

__global__ void empty() {}

__global__ void block_starts(unsigned* sm, long long* start) {
    if (threadIdx.x != 0) return;
    const long long now = clock64();
    unsigned id;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(id));
    sm[blockIdx.x] = id;
    start[blockIdx.x] = now;
}

// All SMs compute for some milliseconds; compares the clock of one SM with the time.
__global__ void __launch_bounds__(1024) under_load(const float* values, float* result, int rounds, double* mhz) {
    float x[4];
#pragma unroll
    for (int s = 0; s < 4; ++s) x[s] = values[s];
    const float factor = values[1], addend = values[2];
    unsigned long long start_ns, stop_ns;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start_ns));
    const long long start = clock64();
#pragma unroll 1
    for (int round = 0; round < rounds; ++round) {
#pragma unroll
        for (int i = 0; i < 16; ++i)
#pragma unroll
            for (int s = 0; s < 4; ++s)
                asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(x[s]) : "f"(factor), "f"(addend));
    }
    result[blockIdx.x * blockDim.x + threadIdx.x] = x[0] + x[1] + x[2] + x[3];
    const long long stop = clock64();
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(stop_ns));
    if (threadIdx.x == 0 && blockIdx.x == 0)
        *mhz = stop_ns > start_ns ? 1000.0 * double(stop - start) / double(stop_ns - start_ns) : 0;
}

void launches() {
    cudaDeviceProp p;
    check(cudaGetDeviceProperties(&p, 0), "no device");
    const int sms = p.multiProcessorCount;
    const Timer timer;
    measure("launch_alone", "us", "events around one empty kernel", [&] {
        return timer.microseconds([&] { empty<<<1, 32>>>(); });
    }, 31);
    measure("launch_back_to_back", "us", "1000 empty kernels between two events, per kernel", [&] {
        return timer.microseconds([&] { for (int i = 0; i < 1000; ++i) empty<<<1, 32>>>(); }) / 1000;
    });
    for (const int threads : {32, 128, 256, 1024})
        for (const int per_sm : {1, 8, 64, 512})
            measure("empty_kernel_" + std::to_string(per_sm) + "_blocks_per_sm_" + std::to_string(threads) + "_threads", "us",
                    "20 empty kernels between two events, per kernel", [&] {
                        return timer.microseconds([&] {
                            for (int i = 0; i < 20; ++i) empty<<<unsigned(sms * per_sm), threads>>>();
                        }) / 20;
                    });
    const int blocks = sms * 64;
    unsigned* sm = device_array<unsigned>(blocks);
    long long* start = device_array<long long>(blocks);
    // Cycles between the starts of two blocks on one SM: the median over all SMs.
    const auto gap = [&](int threads) {
        block_starts<<<blocks, threads>>>(sm, start);
        finish("block_starts");
        const std::vector<unsigned> sm_of = copied(sm, blocks);
        const std::vector<long long> starts = copied(start, blocks);
        std::vector<std::vector<long long>> of_sm(4096);
        for (int i = 0; i < blocks; ++i)
            if (sm_of[i] < of_sm.size()) of_sm[sm_of[i]].push_back(starts[i]);
        std::vector<double> gaps;
        for (std::vector<long long>& all : of_sm) {
            std::sort(all.begin(), all.end());
            for (std::size_t i = 1; i < all.size(); ++i) gaps.push_back(double(all[i] - all[i - 1]));
        }
        if (gaps.empty()) return 0.0;
        std::sort(gaps.begin(), gaps.end());
        return gaps[gaps.size() / 2];
    };
    for (const int threads : {32, 128, 256, 1024}) {
        measure("block_gap_" + std::to_string(threads) + "_threads", "cycles",
                "64 blocks per SM that end at once; between two starts on one SM, the median", [&] { return gap(threads); });
    }
    float* values = op_values<float>();
    float* result = device_array<float>(std::size_t(sms) * 2048);
    double* mhz = device_array<double>(1);
    measure("clock_under_load", "MHz", "clock64 against globaltimer while all SMs compute multiply-adds", [&] {
        under_load<<<unsigned(sms * 2), 1024>>>(values, result, 80000, mhz);
        finish("under_load");
        return copied(mhz, 1)[0];
    });
    measure("clock_of_one_sm", "MHz", "clock64 against globaltimer while one thread counts", [&] {
        clock_of_sm<<<1, 1>>>(mhz);
        finish("clock_of_sm");
        return copied(mhz, 1)[0];
    });
}

struct Group {
    const char* name;
    void (*run)();
};

const Group groups[] = {{"operations", operations}, {"schedulers", schedulers}, {"policy", policy},
                        {"global_latencies", global_latencies}, {"on_chip", on_chip}, {"control", control},
                        {"caches", caches}, {"accesses", accesses}, {"dram", dram}, {"launches", launches}};

// Empty kernels for a profiler to measure.
void profiled_launches() {
    for (int i = 0; i < 3; ++i) empty<<<1, 32>>>();
    finish("empty");
    check(cudaProfilerStart(), "cudaProfilerStart");
    for (int i = 0; i < 15; ++i) {
        empty<<<1, 32>>>();
        finish("empty");
    }
    check(cudaProfilerStop(), "cudaProfilerStop");
}

}  // namespace

int main(int argc, char** argv) {
    seconds();
    const std::string name = argc > 1 ? argv[1] : "";
    if (name == "groups") {
        for (const Group& group : groups) std::puts(group.name);
        return 0;
    }
    if (name == "profiled") {
        profiled_launches();
        return 0;
    }
    for (const Group& group : groups) {
        if (argc != 3 || name != group.name) continue;
        deadline = std::atof(argv[2]);
        double* mhz = device_array<double>(1);
        for (int i = 0; i < 2000; ++i) clock_of_sm<<<1, 1>>>(mhz);  // the clocks rise
        finish("clock_of_sm");
        group.run();
        return 0;
    }
    std::fprintf(stderr, "usage: microbenchmarks groups|GROUP SECONDS\n");
    return 2;
}
