// Matrix product C = A·B of n x n matrices, row-major, one thread per element.
//
// The inner loop is not unrolled, so that the PTX has one trip of the loop as one trip: see COUNTS.md.
extern "C" __global__ void matmul_naive(const float* a, const float* b, float* c, int n)
{
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
#pragma unroll 1
    for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = sum;
}
