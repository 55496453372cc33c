// Kernels that compute more than they load.

// Forces between n bodies, all pairs; w is the mass.
extern "C" __global__ void nbody_float(const float4* __restrict__ body, float4* __restrict__ force, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 own = body[i];
    float x = 0, y = 0, z = 0;
#pragma unroll 1
    for (int j = 0; j < n; ++j) {
        float4 other = body[j];
        float dx = other.x - own.x, dy = other.y - own.y, dz = other.z - own.z;
        float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
        float scale = other.w * inverse * inverse * inverse;
        x += dx * scale;
        y += dy * scale;
        z += dz * scale;
    }
    force[i] = make_float4(x, y, z, 0.0f);
}

// The same with tiles of blockDim bodies in dynamic shared memory of 16 bytes per thread; n is a multiple of blockDim.
extern "C" __global__ void nbody_shared(const float4* __restrict__ body, float4* __restrict__ force, int n) {
    extern __shared__ float4 tile_of_bodies[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 own = body[i];
    float x = 0, y = 0, z = 0;
#pragma unroll 1
    for (int first = 0; first < n; first += blockDim.x) {
        tile_of_bodies[threadIdx.x] = body[first + threadIdx.x];
        __syncthreads();
#pragma unroll 1
        for (int j = 0; j < blockDim.x; ++j) {
            float4 other = tile_of_bodies[j];
            float dx = other.x - own.x, dy = other.y - own.y, dz = other.z - own.z;
            float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
            float scale = other.w * inverse * inverse * inverse;
            x += dx * scale;
            y += dy * scale;
            z += dz * scale;
        }
        __syncthreads();
    }
    force[i] = make_float4(x, y, z, 0.0f);
}

extern "C" __global__ void nbody_double(const double* __restrict__ x_of, const double* __restrict__ y_of,
                                        double* __restrict__ force, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double own_x = x_of[i], own_y = y_of[i], sum = 0;
#pragma unroll 1
    for (int j = 0; j < n; ++j) {
        double dx = x_of[j] - own_x, dy = y_of[j] - own_y;
        sum += dx / (dx * dx + dy * dy + 0.01);
    }
    force[i] = sum;
}

__device__ __forceinline__ float normal_below(float d) { return 0.5f * erfcf(-0.70710678f * d); }

extern "C" __global__ void black_scholes(const float* __restrict__ price, const float* __restrict__ strike,
                                         const float* __restrict__ years, float* __restrict__ call, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float rate = 0.02f, volatility = 0.3f;
    float root = sqrtf(years[i]);
    float d1 = (__logf(price[i] / strike[i]) + (rate + 0.5f * volatility * volatility) * years[i]) / (volatility * root);
    float d2 = d1 - volatility * root;
    call[i] = price[i] * normal_below(d1) - strike[i] * __expf(-rate * years[i]) * normal_below(d2);
}

extern "C" __global__ void exp_sin(const float* __restrict__ in, float* __restrict__ out, int n, int rounds) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float x = in[i];
#pragma unroll 1
    for (int k = 0; k < rounds; ++k) x = __expf(-__sinf(x) * 0.5f);
    out[i] = x;
}

// Lanes leave the loop at different times.
extern "C" __global__ void mandelbrot(int* __restrict__ rounds, int width, int height, int most) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (column >= width || row >= height) return;
    float cx = -2.0f + 3.0f * column / width, cy = -1.5f + 3.0f * row / height;
    float x = 0, y = 0;
    int round = 0;
#pragma unroll 1
    while (round < most && x * x + y * y < 4.0f) {
        float next = x * x - y * y + cx;
        y = 2 * x * y + cy;
        x = next;
        ++round;
    }
    rounds[row * width + column] = round;
}

extern "C" __global__ void xorshift(const unsigned* __restrict__ in, unsigned* __restrict__ out, int n, int rounds) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned x = in[i];
#pragma unroll 1
    for (int k = 0; k < rounds; ++k) {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
    }
    out[i] = x;
}

extern "C" __global__ void popcounts(const unsigned* __restrict__ in, unsigned* __restrict__ out, int n, int rounds) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned x = in[i], sum = 0;
#pragma unroll 1
    for (int k = 0; k < rounds; ++k) {
        sum += __popc(x);
        x += 0x9E3779B9u;
    }
    out[i] = sum;
}

// A bitwise CRC-32 of one word per thread, rounds times.
extern "C" __global__ void crc32(const unsigned* __restrict__ in, unsigned* __restrict__ out, int n, int rounds) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned word = in[i], crc = ~0u;
#pragma unroll 1
    for (int k = 0; k < rounds; ++k) {
        crc ^= word;
#pragma unroll
        for (int bit = 0; bit < 32; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0xEDB88320u : 0u);
    }
    out[i] = ~crc;
}

__device__ __forceinline__ float one_way(float x, int rounds) {
#pragma unroll 1
    for (int k = 0; k < rounds; ++k) x = x * 0.5f + 1.0f;
    return x;
}

__device__ __forceinline__ float other_way(float x, int rounds) {
#pragma unroll 1
    for (int k = 0; k < rounds; ++k) x = x * 0.25f - 1.0f;
    return x;
}

// Odd lanes take the second side, so a warp executes both.
extern "C" __global__ void branch_lanes(const float* __restrict__ in, float* __restrict__ out, int n, int rounds) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float x = in[i];
    if (threadIdx.x % 2 == 0)
        x = one_way(x, rounds);
    else
        x = other_way(x, rounds);
    out[i] = x;
}

// Odd warps take the second side, so a warp executes only one.
extern "C" __global__ void branch_warps(const float* __restrict__ in, float* __restrict__ out, int n, int rounds) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float x = in[i];
    if (threadIdx.x / 32 % 2 == 0)
        x = one_way(x, rounds);
    else
        x = other_way(x, rounds);
    out[i] = x;
}

// Eight independent chains of multiply-adds per thread.
extern "C" __global__ void fma_chains(const float* __restrict__ in, float* __restrict__ out, int n, int rounds) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float start = in[i], x[8];
#pragma unroll
    for (int c = 0; c < 8; ++c) x[c] = start + c;
#pragma unroll 1
    for (int k = 0; k < rounds; ++k) {
#pragma unroll
        for (int c = 0; c < 8; ++c) x[c] = x[c] * start + 0.5f;
    }
    float sum = 0;
#pragma unroll
    for (int c = 0; c < 8; ++c) sum += x[c];
    out[i] = sum;
}

// Integer multiply-adds in a chain.
extern "C" __global__ void imad_chain(const unsigned* __restrict__ in, unsigned* __restrict__ out, int n, int rounds) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned x = in[i], factor = x | 5;
#pragma unroll 1
    for (int k = 0; k < rounds; ++k) x = x * factor + 12345u;
    out[i] = x;
}

// Square roots and divisions in full precision.
extern "C" __global__ void divide_sqrt(const float* __restrict__ in, float* __restrict__ out, int n, int rounds) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float x = in[i] + 1.0f, start = x;
#pragma unroll 1
    for (int k = 0; k < rounds; ++k) x = sqrtf(start / x + 1.0f);
    out[i] = x;
}

// A Horner scheme in double precision.
extern "C" __global__ void horner_double(const double* __restrict__ in, double* __restrict__ out, int n, int rounds) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double x = in[i], sum = 0;
#pragma unroll 1
    for (int k = 0; k < rounds; ++k) sum = sum * x + 0.5;
    out[i] = sum;
}
