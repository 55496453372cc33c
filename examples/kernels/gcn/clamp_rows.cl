__kernel void clamp_rows(__global int *out, __global const int *in, int rows) {
  int lane = __builtin_amdgcn_workitem_id_x();
  int value = in[lane];
  if (value < 0) { for (int r = 0; r < 5; ++r) value = value * 3 + in[lane + 64 * r]; }
  else { value -= 7; out[lane + 4096] = value; }
  if (rows > 4) out[lane + 8192] = rows;
  out[lane] = value;
}
