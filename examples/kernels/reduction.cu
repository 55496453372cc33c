// The sum of n numbers, one partial sum per block: each thread adds every (gridDim * blockDim)-th number, and a tree in
// shared memory adds the threads' sums. blockDim is a power of two, at most MOST_THREADS.
#define MOST_THREADS 1024
extern "C" __global__ void reduce_sum(const float* __restrict__ in, float* __restrict__ sums, int n) {
    __shared__ float partial[MOST_THREADS];
    float sum = 0;
#pragma unroll 1
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += in[i];
    partial[threadIdx.x] = sum;
    __syncthreads();
#pragma unroll 1
    for (int half = blockDim.x / 2; half > 0; half >>= 1) {
        if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) sums[blockIdx.x] = partial[0];
}
