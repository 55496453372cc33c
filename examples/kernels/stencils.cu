// Stencils, convolutions and time steps. Border elements are copied.

extern "C" __global__ void stencil1d_global(const float* __restrict__ in, float* __restrict__ out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = in[i];
    if (i >= 3 && i < n - 3) {
#pragma unroll
        for (int k = 1; k <= 3; ++k) sum += in[i - k] + in[i + k];
    }
    out[i] = sum;
}

// With dynamic shared memory of 4 bytes per thread and 24 more.
extern "C" __global__ void stencil1d_shared(const float* __restrict__ in, float* __restrict__ out, int n) {
    extern __shared__ float part_of_line[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int at = threadIdx.x + 3;
    if (i < n) part_of_line[at] = in[i];
    if (threadIdx.x < 3) {
        if (i >= 3) part_of_line[at - 3] = in[i - 3];
        if (i + blockDim.x < n) part_of_line[at + blockDim.x] = in[i + blockDim.x];
    }
    __syncthreads();
    if (i >= n) return;
    float sum = part_of_line[at];
    if (i >= 3 && i < n - 3) {
#pragma unroll
        for (int k = 1; k <= 3; ++k) sum += part_of_line[at - k] + part_of_line[at + k];
    }
    out[i] = sum;
}

extern "C" __global__ void stencil2d_global(const float* __restrict__ in, float* __restrict__ out, int width,
                                            int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    int i = y * width + x;
    float value = in[i];
    if (x > 0 && x < width - 1 && y > 0 && y < height - 1)
        value = 0.5f * value + 0.125f * (in[i - 1] + in[i + 1] + in[i - width] + in[i + width]);
    out[i] = value;
}

// Blocks of 16 x 16 with a border of one element.
extern "C" __global__ void stencil2d_shared(const float* __restrict__ in, float* __restrict__ out, int width,
                                            int height) {
    __shared__ float tile[18][18];
    int x = blockIdx.x * 16 + threadIdx.x;
    int y = blockIdx.y * 16 + threadIdx.y;
    int left = blockIdx.x * 16 - 1, top = blockIdx.y * 16 - 1;
#pragma unroll 1
    for (int at = threadIdx.y * 16 + threadIdx.x; at < 18 * 18; at += 256) {
        int column = left + at % 18, row = top + at / 18;
        bool inside = column >= 0 && column < width && row >= 0 && row < height;
        tile[at / 18][at % 18] = inside ? in[row * width + column] : 0.0f;
    }
    __syncthreads();
    if (x >= width || y >= height) return;
    int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
    float value = tile[ty][tx];
    if (x > 0 && x < width - 1 && y > 0 && y < height - 1)
        value = 0.5f * value + 0.125f * (tile[ty][tx - 1] + tile[ty][tx + 1] + tile[ty - 1][tx] + tile[ty + 1][tx]);
    out[y * width + x] = value;
}

// A cube of n x n x n; the grid is three-dimensional.
extern "C" __global__ void stencil3d_global(const float* __restrict__ in, float* __restrict__ out, int n) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x >= n || y >= n || z >= n) return;
    int plane = n * n, i = z * plane + y * n + x;
    float value = in[i];
    if (x > 0 && x < n - 1 && y > 0 && y < n - 1 && z > 0 && z < n - 1)
        value = 0.4f * value +
                0.1f * (in[i - 1] + in[i + 1] + in[i - n] + in[i + n] + in[i - plane] + in[i + plane]);
    out[i] = value;
}

// A thread goes up a column of the cube and keeps three of its values in registers.
extern "C" __global__ void stencil3d_columns(const float* __restrict__ in, float* __restrict__ out, int n) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= n || y >= n) return;
    bool inside = x > 0 && x < n - 1 && y > 0 && y < n - 1;
    int plane = n * n, i = y * n + x;
    float below = in[i], value = in[i + plane];
    out[i] = below;
#pragma unroll 1
    for (int z = 1; z < n - 1; ++z) {
        i += plane;
        float above = in[i + plane];
        float result = value;
        if (inside)
            result = 0.4f * value + 0.1f * (in[i - 1] + in[i + 1] + in[i - n] + in[i + n] + below + above);
        out[i] = result;
        below = value;
        value = above;
    }
    out[i + plane] = value;
}

__constant__ float convolution_filter[15 * 15];

template <int radius>
__device__ __forceinline__ void convolve(const float* __restrict__ in, float* __restrict__ out, int width,
                                         int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    float sum = 0;
#pragma unroll 1
    for (int dy = -radius; dy <= radius; ++dy) {
        int row = min(max(y + dy, 0), height - 1);
#pragma unroll
        for (int dx = -radius; dx <= radius; ++dx) {
            int column = min(max(x + dx, 0), width - 1);
            sum += convolution_filter[(dy + radius) * (2 * radius + 1) + dx + radius] * in[row * width + column];
        }
    }
    out[y * width + x] = sum;
}

extern "C" __global__ void convolution_3(const float* __restrict__ in, float* __restrict__ out, int width,
                                         int height) {
    convolve<1>(in, out, width, height);
}

extern "C" __global__ void convolution_7(const float* __restrict__ in, float* __restrict__ out, int width,
                                         int height) {
    convolve<3>(in, out, width, height);
}

extern "C" __global__ void convolution_15(const float* __restrict__ in, float* __restrict__ out, int width,
                                          int height) {
    convolve<7>(in, out, width, height);
}

// Damped oscillators in time steps, one per thread: the loop of the stability example of Gogolinska et al., whose trips
// depend on two floating-point parameters.
extern "C" __global__ void stability(const float* __restrict__ start, float* __restrict__ end, int n, float time_step,
                                     float final_time) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float position = start[i], speed = 0;
#pragma unroll 1
    for (float time = 0; time < final_time; time += time_step) {
        speed -= time_step * (position + 0.25f * speed);
        position += time_step * speed;
    }
    end[i] = position;
}
