// The limit point nearest to each pixel of an image: the loop of Berezovskyi et al., Figure 10.
extern "C" __global__ void voronoi(const float2* __restrict__ points, int count, int width, int height,
                                   int* __restrict__ nearest) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (column >= width || row >= height) return;
    float x = column, y = row;
    float dx = x - points[0].x, dy = y - points[0].y;
    float least = dx * dx + dy * dy;
    int best = 0;
#pragma unroll 1
    for (int i = 1; i < count; ++i) {
        dx = x - points[i].x;
        dy = y - points[i].y;
        float distance = dx * dx + dy * dy;
        if (distance < least) {
            least = distance;
            best = i;
        }
    }
    nearest[row * width + column] = best;
}
