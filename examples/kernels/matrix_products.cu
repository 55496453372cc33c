// Products of matrices and vectors. Matrices are row-major and n x n; n is a multiple of the tile.

template <int tile>
__device__ __forceinline__ void product_by_tiles(const float* __restrict__ a, const float* __restrict__ b,
                                                 float* __restrict__ c, int n) {
    __shared__ float tile_a[tile][tile];
    __shared__ float tile_b[tile][tile];
    int row = blockIdx.y * tile + threadIdx.y;
    int column = blockIdx.x * tile + threadIdx.x;
    float sum = 0;
#pragma unroll 1
    for (int first = 0; first < n; first += tile) {
        tile_a[threadIdx.y][threadIdx.x] = a[row * n + first + threadIdx.x];
        tile_b[threadIdx.y][threadIdx.x] = b[(first + threadIdx.y) * n + column];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < tile; ++k) sum += tile_a[threadIdx.y][k] * tile_b[k][threadIdx.x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}

extern "C" __global__ void matmul_tiled_8(const float* __restrict__ a, const float* __restrict__ b,
                                          float* __restrict__ c, int n) {
    product_by_tiles<8>(a, b, c, n);
}

extern "C" __global__ void matmul_tiled_32(const float* __restrict__ a, const float* __restrict__ b,
                                           float* __restrict__ c, int n) {
    product_by_tiles<32>(a, b, c, n);
}

// Blocks of 16 x 16 threads compute tiles of 64 x 64 elements, each thread 4 x 4 of them in registers.
extern "C" __global__ void matmul_registers(const float* __restrict__ a, const float* __restrict__ b,
                                            float* __restrict__ c, int n) {
    __shared__ float tile_a[16][64];  // transposed: tile_a[k][row]
    __shared__ float tile_b[16][64];
    int thread = threadIdx.y * 16 + threadIdx.x;
    int first_row = blockIdx.y * 64, first_column = blockIdx.x * 64;
    float sum[4][4] = {};
#pragma unroll 1
    for (int first = 0; first < n; first += 16) {
#pragma unroll
        for (int part = 0; part < 4; ++part) {
            int at = part * 256 + thread;
            tile_a[at % 16][at / 16] = a[(first_row + at / 16) * n + first + at % 16];
            tile_b[at / 64][at % 64] = b[(first + at / 64) * n + first_column + at % 64];
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 16; ++k) {
            float left[4], right[4];
#pragma unroll
            for (int i = 0; i < 4; ++i) left[i] = tile_a[k][threadIdx.y * 4 + i];
#pragma unroll
            for (int j = 0; j < 4; ++j) right[j] = tile_b[k][threadIdx.x + j * 16];
#pragma unroll
            for (int i = 0; i < 4; ++i)
#pragma unroll
                for (int j = 0; j < 4; ++j) sum[i][j] += left[i] * right[j];
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j)
            c[(first_row + threadIdx.y * 4 + i) * n + first_column + threadIdx.x + j * 16] = sum[i][j];
}

extern "C" __global__ void dgemm_naive(const double* __restrict__ a, const double* __restrict__ b,
                                       double* __restrict__ c, int n) {
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    double sum = 0;
#pragma unroll 1
    for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = sum;
}

// One thread per row: its loads are n elements apart from those of its neighbours.
extern "C" __global__ void matvec_row(const float* __restrict__ a, const float* __restrict__ x, float* __restrict__ y,
                                      int n) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n) return;
    float sum = 0;
#pragma unroll 1
    for (int k = 0; k < n; ++k) sum += a[row * n + k] * x[k];
    y[row] = sum;
}

// One warp per row.
extern "C" __global__ void matvec_warp(const float* __restrict__ a, const float* __restrict__ x,
                                       float* __restrict__ y, int n) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    if (row >= n) return;
    float sum = 0;
#pragma unroll 1
    for (int k = lane; k < n; k += 32) sum += a[row * n + k] * x[k];
#pragma unroll
    for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(~0u, sum, step);
    if (lane == 0) y[row] = sum;
}

// A sparse matrix in compressed rows: row r has the elements row_start[r] to row_start[r + 1] - 1.
extern "C" __global__ void spmv_row(const int* __restrict__ row_start, const int* __restrict__ column,
                                    const float* __restrict__ value, const float* __restrict__ x,
                                    float* __restrict__ y, int rows) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float sum = 0;
    int end = row_start[row + 1];
#pragma unroll 1
    for (int i = row_start[row]; i < end; ++i) sum += value[i] * x[column[i]];
    y[row] = sum;
}

extern "C" __global__ void spmv_warp(const int* __restrict__ row_start, const int* __restrict__ column,
                                     const float* __restrict__ value, const float* __restrict__ x,
                                     float* __restrict__ y, int rows) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    if (row >= rows) return;
    float sum = 0;
    int end = row_start[row + 1];
#pragma unroll 1
    for (int i = row_start[row] + lane; i < end; i += 32) sum += value[i] * x[column[i]];
#pragma unroll
    for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(~0u, sum, step);
    if (lane == 0) y[row] = sum;
}
