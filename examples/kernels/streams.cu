// Kernels that move data: copies of several widths, strides, scattered accesses, transposes.

extern "C" __global__ void copy_float(const float* __restrict__ in, float* __restrict__ out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i];
}

extern "C" __global__ void copy_float2(const float2* __restrict__ in, float2* __restrict__ out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i];
}

extern "C" __global__ void copy_float4(const float4* __restrict__ in, float4* __restrict__ out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i];
}

// A fixed grid whose threads stride over the array.
extern "C" __global__ void copy_grid_stride(const float* __restrict__ in, float* __restrict__ out, int n) {
#pragma unroll 1
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = in[i];
}

extern "C" __global__ void saxpy(float a, const float* __restrict__ x, float* __restrict__ y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}

extern "C" __global__ void daxpy(double a, const double* __restrict__ x, double* __restrict__ y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}

// Loads that are stride elements apart; n threads.
extern "C" __global__ void load_strided(const float* __restrict__ in, float* __restrict__ out, int n, int stride) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i * stride];
}

extern "C" __global__ void store_strided(const float* __restrict__ in, float* __restrict__ out, int n, int stride) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i * stride] = in[i];
}

extern "C" __global__ void gather(const float* __restrict__ in, const int* __restrict__ index, float* __restrict__ out,
                                  int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[index[i]];
}

extern "C" __global__ void scatter(const float* __restrict__ in, const int* __restrict__ index,
                                   float* __restrict__ out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[index[i]] = in[i];
}

extern "C" __global__ void transpose_naive(const float* __restrict__ in, float* __restrict__ out, int n) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    out[column * n + row] = in[row * n + column];
}

// Tiles of 32 x 32 by blocks of 32 x 8; without padding, a column of the tile is in one bank.
template <int padding>
__device__ __forceinline__ void transpose_by_tiles(const float* __restrict__ in, float* __restrict__ out, int n) {
    __shared__ float tile[32][32 + padding];
    int column = blockIdx.x * 32 + threadIdx.x;
    int row = blockIdx.y * 32 + threadIdx.y;
#pragma unroll
    for (int k = 0; k < 32; k += 8) tile[threadIdx.y + k][threadIdx.x] = in[(row + k) * n + column];
    __syncthreads();
    column = blockIdx.y * 32 + threadIdx.x;
    row = blockIdx.x * 32 + threadIdx.y;
#pragma unroll
    for (int k = 0; k < 32; k += 8) out[(row + k) * n + column] = tile[threadIdx.x][threadIdx.y + k];
}

extern "C" __global__ void transpose_shared(const float* __restrict__ in, float* __restrict__ out, int n) {
    transpose_by_tiles<0>(in, out, n);
}

extern "C" __global__ void transpose_padded(const float* __restrict__ in, float* __restrict__ out, int n) {
    transpose_by_tiles<1>(in, out, n);
}
