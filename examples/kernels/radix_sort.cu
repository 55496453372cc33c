// One pass (one bit) of a stable LSD radix sort, in three variants that differ in the meaning of a node and in its
// memory, as in Gogolinska et al., section 5: nodes count their zeros, a scan turns the counts into positions, nodes move
// their keys. Keys with bit 0 go to zero_start[node] and on, those with bit 1 to one_start[node] and on.
//   global  a node is a thread with KEYS_PER_THREAD neighbouring keys, all accesses to global memory
//   tile    the same nodes, but a block first copies its keys to shared memory, side by side
//   block   a node is a block; its threads take neighbouring keys and find their places by votes and a scan in
//           shared memory
#define THREADS 256
#define KEYS_PER_THREAD 8
#define WARPS (THREADS / 32)

__device__ __forceinline__ unsigned bit_of(unsigned key, int bit) { return (key >> bit) & 1u; }

extern "C" __global__ void radix_global_count(const unsigned* __restrict__ keys, int n, int bit,
                                              unsigned* __restrict__ zeros) {
    int node = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned count = 0;
#pragma unroll 1
    for (int k = 0; k < KEYS_PER_THREAD; ++k) {
        int i = node * KEYS_PER_THREAD + k;
        if (i < n && bit_of(keys[i], bit) == 0) ++count;
    }
    zeros[node] = count;
}

extern "C" __global__ void radix_global_move(const unsigned* __restrict__ keys, int n, int bit,
                                             const unsigned* __restrict__ zero_start,
                                             const unsigned* __restrict__ one_start, unsigned* __restrict__ sorted) {
    int node = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned zero = zero_start[node], one = one_start[node];
#pragma unroll 1
    for (int k = 0; k < KEYS_PER_THREAD; ++k) {
        int i = node * KEYS_PER_THREAD + k;
        if (i >= n) break;
        unsigned key = keys[i];
        sorted[bit_of(key, bit) ? one++ : zero++] = key;
    }
}

extern "C" __global__ void radix_tile_count(const unsigned* __restrict__ keys, int n, int bit,
                                            unsigned* __restrict__ zeros) {
    __shared__ unsigned tile[THREADS * KEYS_PER_THREAD];
    int first = blockIdx.x * THREADS * KEYS_PER_THREAD;
#pragma unroll 1
    for (int k = threadIdx.x; k < THREADS * KEYS_PER_THREAD; k += THREADS)
        tile[k] = first + k < n ? keys[first + k] : ~0u;
    __syncthreads();
    unsigned count = 0;
#pragma unroll 1
    for (int k = 0; k < KEYS_PER_THREAD; ++k)
        count += 1 - bit_of(tile[threadIdx.x * KEYS_PER_THREAD + k], bit);
    zeros[blockIdx.x * THREADS + threadIdx.x] = count;
}

extern "C" __global__ void radix_tile_move(const unsigned* __restrict__ keys, int n, int bit,
                                           const unsigned* __restrict__ zero_start,
                                           const unsigned* __restrict__ one_start, unsigned* __restrict__ sorted) {
    __shared__ unsigned tile[THREADS * KEYS_PER_THREAD];
    int first = blockIdx.x * THREADS * KEYS_PER_THREAD;
#pragma unroll 1
    for (int k = 0; k < KEYS_PER_THREAD; ++k) {
        int at = k * THREADS + threadIdx.x;
        if (first + at < n) tile[at] = keys[first + at];
    }
    __syncthreads();
    int node = blockIdx.x * THREADS + threadIdx.x;
    unsigned zero = zero_start[node], one = one_start[node];
#pragma unroll 1
    for (int k = 0; k < KEYS_PER_THREAD; ++k) {
        int at = threadIdx.x * KEYS_PER_THREAD + k;
        if (first + at < n) {
            unsigned key = tile[at];
            sorted[bit_of(key, bit) ? one++ : zero++] = key;
        }
    }
}

extern "C" __global__ void radix_block_count(const unsigned* __restrict__ keys, int n, int bit,
                                             unsigned* __restrict__ zeros) {
    __shared__ unsigned of_warp[WARPS];
    int first = blockIdx.x * THREADS * KEYS_PER_THREAD;
    unsigned count = 0;
#pragma unroll 1
    for (int k = 0; k < KEYS_PER_THREAD; ++k) {
        int i = first + k * THREADS + threadIdx.x;
        count += __popc(__ballot_sync(~0u, i < n && bit_of(keys[i], bit) == 0));
    }
    if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = count;
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned sum = 0;
        for (int w = 0; w < WARPS; ++w) sum += of_warp[w];
        zeros[blockIdx.x] = sum;
    }
}

extern "C" __global__ void radix_block_move(const unsigned* __restrict__ keys, int n, int bit,
                                            const unsigned* __restrict__ zero_start,
                                            const unsigned* __restrict__ one_start, unsigned* __restrict__ sorted) {
    __shared__ unsigned zeros_of_warp[WARPS];
    int first = blockIdx.x * THREADS * KEYS_PER_THREAD;
    unsigned zero = zero_start[blockIdx.x], one = one_start[blockIdx.x];
    int warp = threadIdx.x / 32;
    unsigned below = (1u << (threadIdx.x % 32)) - 1;
#pragma unroll 1
    for (int k = 0; k < KEYS_PER_THREAD; ++k) {
        int i = first + k * THREADS + threadIdx.x;
        unsigned key = i < n ? keys[i] : ~0u;
        bool is_zero = i < n && bit_of(key, bit) == 0;
        unsigned zeros = __ballot_sync(~0u, is_zero);
        if (threadIdx.x % 32 == 0) zeros_of_warp[warp] = __popc(zeros);
        __syncthreads();
        unsigned before = __popc(zeros & below), all = 0;
        for (int w = 0; w < WARPS; ++w) {
            if (w < warp) before += zeros_of_warp[w];
            all += zeros_of_warp[w];
        }
        if (i < n) sorted[is_zero ? zero + before : one + threadIdx.x - before] = key;
        zero += all;
        one += THREADS - all;
        __syncthreads();
    }
}

// Exclusive prefix sums of one block's worth of counts after the other; launched as a single block of THREADS.
extern "C" __global__ void radix_scan(const unsigned* __restrict__ counts, int n, unsigned start,
                                      unsigned* __restrict__ sums) {
    __shared__ unsigned part[THREADS];
    unsigned before = start;
#pragma unroll 1
    for (int first = 0; first < n; first += THREADS) {
        int i = first + threadIdx.x;
        unsigned own = i < n ? counts[i] : 0;
        part[threadIdx.x] = own;
        __syncthreads();
#pragma unroll 1
        for (int step = 1; step < THREADS; step <<= 1) {
            unsigned left = threadIdx.x >= step ? part[threadIdx.x - step] : 0;
            __syncthreads();
            part[threadIdx.x] += left;
            __syncthreads();
        }
        if (i < n) sums[i] = before + part[threadIdx.x] - own;
        before += part[THREADS - 1];
        __syncthreads();
    }
}
