// n x n matrix product with tiles in shared memory: one thread per element, blocks of TILE x TILE threads, n is a
// multiple of TILE.
#define TILE 16
extern "C" __global__ void matmul_tiled(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c,
                                        int n) {
    __shared__ float tile_a[TILE][TILE];
    __shared__ float tile_b[TILE][TILE];
    int row = blockIdx.y * TILE + threadIdx.y;
    int column = blockIdx.x * TILE + threadIdx.x;
    float sum = 0;
#pragma unroll 1
    for (int tile = 0; tile < n; tile += TILE) {
        tile_a[threadIdx.y][threadIdx.x] = a[row * n + tile + threadIdx.x];
        tile_b[threadIdx.y][threadIdx.x] = b[(tile + threadIdx.y) * n + column];
        __syncthreads();
        for (int k = 0; k < TILE; ++k) sum += tile_a[threadIdx.y][k] * tile_b[k][threadIdx.x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}
