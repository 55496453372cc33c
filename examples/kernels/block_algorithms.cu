// Reductions, scans, sorts, histograms and normalisations: kernels whose threads exchange values.

__device__ __forceinline__ float sum_of_warp(float value) {
#pragma unroll
    for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(~0u, value, step);
    return value;
}

// The sum over the block, in all threads; blockDim a multiple of 32.
__device__ __forceinline__ float sum_of_block(float value, float* of_warp) {
    value = sum_of_warp(value);
    if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = value;
    __syncthreads();
    value = threadIdx.x % 32 < blockDim.x / 32 ? of_warp[threadIdx.x % 32] : 0;
    value = sum_of_warp(value);
    __syncthreads();
    return value;
}

// One partial sum per block, through shuffles.
extern "C" __global__ void reduce_shuffle(const float* __restrict__ in, float* __restrict__ sums, int n) {
    __shared__ float of_warp[32];
    float sum = 0;
#pragma unroll 1
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += in[i];
    sum = sum_of_block(sum, of_warp);
    if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

// One atomic per thread, after a loop over the grid.
extern "C" __global__ void reduce_atomic(const float* __restrict__ in, float* __restrict__ sum_of_all, int n) {
    float sum = 0;
#pragma unroll 1
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += in[i];
    atomicAdd(sum_of_all, sum);
}

// One atomic per warp.
extern "C" __global__ void reduce_warp_atomic(const float* __restrict__ in, float* __restrict__ sum_of_all, int n) {
    float sum = 0;
#pragma unroll 1
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += in[i];
    sum = sum_of_warp(sum);
    if (threadIdx.x % 32 == 0) atomicAdd(sum_of_all, sum);
}

// A scalar product in double precision with a tree in dynamic shared memory of 8 bytes per thread.
extern "C" __global__ void dot_double(const double* __restrict__ x, const double* __restrict__ y,
                                      double* __restrict__ sums, int n) {
    extern __shared__ double partial_dot[];
    double sum = 0;
#pragma unroll 1
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += x[i] * y[i];
    partial_dot[threadIdx.x] = sum;
    __syncthreads();
#pragma unroll 1
    for (int half = blockDim.x / 2; half > 0; half >>= 1) {
        if (threadIdx.x < half) partial_dot[threadIdx.x] += partial_dot[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) sums[blockIdx.x] = partial_dot[0];
}

// Inclusive prefix sums within each block, after Hillis and Steele, in dynamic shared memory of 4 bytes per thread.
extern "C" __global__ void scan_shared(const unsigned* __restrict__ in, unsigned* __restrict__ out, int n) {
    extern __shared__ unsigned part_of_scan[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned sum = i < n ? in[i] : 0;
    part_of_scan[threadIdx.x] = sum;
    __syncthreads();
#pragma unroll 1
    for (int step = 1; step < blockDim.x; step <<= 1) {
        unsigned left = threadIdx.x >= step ? part_of_scan[threadIdx.x - step] : 0;
        __syncthreads();
        sum += left;
        part_of_scan[threadIdx.x] = sum;
        __syncthreads();
    }
    if (i < n) out[i] = sum;
}

__device__ __forceinline__ unsigned scan_of_warp(unsigned sum) {
#pragma unroll
    for (int step = 1; step < 32; step *= 2) {
        unsigned left = __shfl_up_sync(~0u, sum, step);
        if (threadIdx.x % 32 >= step) sum += left;
    }
    return sum;
}

// The same with shuffles: within warps, then over the sums of the warps.
extern "C" __global__ void scan_shuffle(const unsigned* __restrict__ in, unsigned* __restrict__ out, int n) {
    __shared__ unsigned of_warp[32];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    unsigned sum = scan_of_warp(i < n ? in[i] : 0);
    if (lane == 31) of_warp[warp] = sum;
    __syncthreads();
    if (warp == 0) of_warp[lane] = scan_of_warp(lane < blockDim.x / 32 ? of_warp[lane] : 0);
    __syncthreads();
    if (warp > 0) sum += of_warp[warp - 1];
    if (i < n) out[i] = sum;
}

// Sorts the keys of each block in dynamic shared memory of 4 bytes per thread; blockDim a power of two.
extern "C" __global__ void bitonic_sort(const unsigned* __restrict__ in, unsigned* __restrict__ out) {
    extern __shared__ unsigned keys_of_block[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    keys_of_block[threadIdx.x] = in[i];
    __syncthreads();
#pragma unroll 1
    for (int size = 2; size <= blockDim.x; size <<= 1) {
#pragma unroll 1
        for (int step = size >> 1; step > 0; step >>= 1) {
            int other = threadIdx.x ^ step;
            if (other > threadIdx.x) {
                unsigned low = keys_of_block[threadIdx.x], high = keys_of_block[other];
                if ((low > high) == ((threadIdx.x & size) == 0)) {
                    keys_of_block[threadIdx.x] = high;
                    keys_of_block[other] = low;
                }
            }
            __syncthreads();
        }
    }
    out[i] = keys_of_block[threadIdx.x];
}

// 256 bins, counted in shared memory and then added to the global ones.
extern "C" __global__ void histogram_shared(const unsigned* __restrict__ in, unsigned* __restrict__ bins, int n) {
    __shared__ unsigned own[256];
#pragma unroll 1
    for (int bin = threadIdx.x; bin < 256; bin += blockDim.x) own[bin] = 0;
    __syncthreads();
#pragma unroll 1
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&own[in[i] & 255], 1u);
    __syncthreads();
#pragma unroll 1
    for (int bin = threadIdx.x; bin < 256; bin += blockDim.x) atomicAdd(&bins[bin], own[bin]);
}

extern "C" __global__ void histogram_global(const unsigned* __restrict__ in, unsigned* __restrict__ bins, int n,
                                            int bin_count) {
#pragma unroll 1
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&bins[in[i] & (bin_count - 1)], 1u);
}

// One block per row.
extern "C" __global__ void softmax(const float* __restrict__ in, float* __restrict__ out, int columns) {
    __shared__ float of_warp[32];
    const float* row = in + blockIdx.x * columns;
    float most = row[0];
#pragma unroll 1
    for (int i = threadIdx.x; i < columns; i += blockDim.x) most = fmaxf(most, row[i]);
#pragma unroll
    for (int step = 16; step > 0; step /= 2) most = fmaxf(most, __shfl_xor_sync(~0u, most, step));
    if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = most;
    __syncthreads();
    most = threadIdx.x % 32 < blockDim.x / 32 ? of_warp[threadIdx.x % 32] : most;
#pragma unroll
    for (int step = 16; step > 0; step /= 2) most = fmaxf(most, __shfl_xor_sync(~0u, most, step));
    __syncthreads();
    float sum = 0;
#pragma unroll 1
    for (int i = threadIdx.x; i < columns; i += blockDim.x) sum += __expf(row[i] - most);
    sum = sum_of_block(sum, of_warp);
    float scale = 1.0f / sum;
#pragma unroll 1
    for (int i = threadIdx.x; i < columns; i += blockDim.x)
        out[blockIdx.x * columns + i] = __expf(row[i] - most) * scale;
}

// One block per row: mean 0, variance 1.
extern "C" __global__ void layernorm(const float* __restrict__ in, float* __restrict__ out, int columns) {
    __shared__ float of_warp[32];
    const float* row = in + blockIdx.x * columns;
    float sum = 0;
#pragma unroll 1
    for (int i = threadIdx.x; i < columns; i += blockDim.x) sum += row[i];
    float mean = sum_of_block(sum, of_warp) / columns;
    float squares = 0;
#pragma unroll 1
    for (int i = threadIdx.x; i < columns; i += blockDim.x) {
        float difference = row[i] - mean;
        squares += difference * difference;
    }
    float scale = rsqrtf(sum_of_block(squares, of_warp) / columns + 1e-5f);
#pragma unroll 1
    for (int i = threadIdx.x; i < columns; i += blockDim.x)
        out[blockIdx.x * columns + i] = (row[i] - mean) * scale;
}
