// RandomUniform, RandomStandardNormal and TruncatedNormal: the numbers of the CPU (math/philox.h). An item draws a
// group of values, four or, of doubles, two.
#include "core/op/op_registry.h"
#include "device/opencl/kernels/gpu.h"
#include "math/philox.h"

// EXPRESSION is 0 for uniform, 1 for normal and 2 for truncated normal values. A truncated group may use up to 256
// words for each value.
static const char random_source[] =
    "typedef struct { uint counter[4], key[2]; } philox_t;\n"
    "void skip(philox_t *p, ulong count) {\n"
    "  ulong low = (ulong)p->counter[1] << 32 | p->counter[0], sum = low + count;\n"
    "  p->counter[0] = (uint)sum; p->counter[1] = (uint)(sum >> 32);\n"
    "  if (sum < low && ++p->counter[2] == 0) p->counter[3]++;\n"
    "}\n"
    "uint4 next_words(philox_t *p) {\n"
    "  uint4 c = (uint4)(p->counter[0], p->counter[1], p->counter[2], p->counter[3]);\n"
    "  uint2 k = (uint2)(p->key[0], p->key[1]);\n"
    "  for (int round = 0; round < 10; round++) {\n"
    "    ulong first = (ulong)0xD2511F53u * c.x, second = (ulong)0xCD9E8D57u * c.z;\n"
    "    c = (uint4)((uint)(second >> 32) ^ c.y ^ k.x, (uint)second, (uint)(first >> 32) ^ c.w ^ k.y, (uint)first);\n"
    "    k += (uint2)(0x9E3779B9u, 0xBB67AE85u);\n"
    "  }\n"
    "  skip(p, 1);\n"
    "  return c;\n"
    "}\n"
    "#ifdef T_IS_double\n"
    "#define GROUP_VALUES 2\n"
    "double2 uniform2(uint4 w) {\n"
    "  ulong2 high = convert_ulong2(w.xz & 0xfffff), low = convert_ulong2(w.yw);\n"
    "  return as_double2((ulong2)(1023UL << 52) | high << 32 | low) - 1.0;\n"
    "}\n"
    "double2 normal2(double2 u) {\n"
    "  double radius = sqrt(-2.0 * log(fmax(u.x, 1.0e-7)));\n"
    "  return (double2)(sin(6.283185307179586 * u.y), cos(6.283185307179586 * u.y)) * radius;\n"
    "}\n"
    "#else\n"
    "#define GROUP_VALUES 4\n"
    "/* Narrow types have fewer random bits. */\n"
    "#if defined(T_IS_half)\n"
    "#define UNIFORM(w) (convert_float4(w & 0x3ff) / 1024)\n"
    "#elif defined(T_IS_bfloat16)\n"
    "#define UNIFORM(w) (convert_float4(w & 0x7f) / 128)\n"
    "#else\n"
    "#define UNIFORM uniform4\n"
    "#endif\n"
    "float4 uniform4(uint4 w) { return as_float4((w & 0x7fffff) | 127u << 23) - 1.0f; }\n"
    "float2 normal2(float2 u) {\n"
    "  float radius = sqrt(-2.0f * log(fmax(u.x, 1.0e-7f)));\n"
    "  return (float2)(sin(6.2831853071795865f * u.y), cos(6.2831853071795865f * u.y)) * radius;\n"
    "}\n"
    "#endif\n"
    "__kernel void random(TENSOR(r), philox_t start, ulong count) {\n"
    "  VIEW(T, r);\n"
    "  ulong group = get_global_id(0);\n"
    "  philox_t p = start;\n"
    "  T_C values[GROUP_VALUES];\n"
    "  skip(&p, EXPRESSION == 2 ? group * GROUP_VALUES * 64 : group);\n"
    "#ifdef T_IS_double\n"
    "  for (int have = 0; have < 2;) {\n"
    "    double2 u = uniform2(next_words(&p)), pair = EXPRESSION ? normal2(u) : u;\n"
    "    if (EXPRESSION < 2 || fabs(pair.x) < 2.0) values[have++] = pair.x;\n"
    "    if (have < 2 && (EXPRESSION < 2 || fabs(pair.y) < 2.0)) values[have++] = pair.y;\n"
    "  }\n"
    "#else\n"
    "  for (int have = 0; have < 4;) {\n"
    "    uint4 words = next_words(&p);\n"
    "    float4 u = EXPRESSION ? uniform4(words) : UNIFORM(words);\n"
    "    float4 four = EXPRESSION ? (float4)(normal2(u.xy), normal2(u.zw)) : u;\n"
    "    if (EXPRESSION < 2 || fabs(four.x) < 2.0f) values[have++] = four.x;\n"
    "    if (have < 4 && (EXPRESSION < 2 || fabs(four.y) < 2.0f)) values[have++] = four.y;\n"
    "    if (have < 4 && (EXPRESSION < 2 || fabs(four.z) < 2.0f)) values[have++] = four.z;\n"
    "    if (have < 4 && (EXPRESSION < 2 || fabs(four.w) < 2.0f)) values[have++] = four.w;\n"
    "  }\n"
    "#endif\n"
    "  for (int i = 0; i < GROUP_VALUES && group * GROUP_VALUES + i < count; i++)\n"
    "    T_STORE(r, group * GROUP_VALUES + i, values[i]);\n"
    "}\n";

static sli_status_t *fill(sli_kernel_context_t *context, const char *kind) {
  int64_t dims[SLI_MAX_RANK];
  int rank;
  sli_tensor_t *output;
  SLI_RETURN_IF_ERROR(sli_kernel_input_ints(context, 0, "shape", dims, SLI_MAX_RANK, &rank));
  for (int d = 0; d < rank; d++)
    if (dims[d] < 0) return sli_status_make(SLI_INVALID_ARGUMENT, "Dimension %lld must be >= 0", (long long)dims[d]);
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, (sli_shape_t){rank, dims}, &output));
  // The stream has its own mutex.
  sli_philox_t position =
      sli_philox_stream_reserve((sli_philox_stream_t *)sli_kernel_state(context), sli_philox_groups(output->count));
  uint64_t count = (uint64_t)output->count, values = output->dtype == SLI_DTYPE_DOUBLE ? 2 : 4;
  sli_opencl_program_t program = {"random", random_source, kind, {output->dtype}};
  sli_opencl_arg_t args[] = {SLI_OPENCL_TENSOR(output), SLI_OPENCL_VALUE(position), SLI_OPENCL_VALUE(count)};
  return sli_opencl_launch(context->device, &program, args, SLI_ARRAY_COUNT_OF(args),
                           &SLI_OPENCL_EACH((count + values - 1) / values));
}
static sli_status_t *uniform(sli_kernel_context_t *context) { return fill(context, "0"); }
static sli_status_t *normal(sli_kernel_context_t *context) { return fill(context, "1"); }
static sli_status_t *truncated_normal(sli_kernel_context_t *context) { return fill(context, "2"); }

static sli_status_t *create(const sli_kernel_setup_t *setup, void **out_state) {
  return sli_philox_stream_create(setup->node, (sli_philox_stream_t **)out_state);
}
static void destroy(void *state) { sli_philox_stream_destroy(state); }

#define KERNEL(name, function)                                                                                        \
  {                                                                                                                   \
    .op = name, .device = "GPU", .where = {{"dtype", SLI_GPU_FLOATING}}, .host_memory = "shape", .compute = function, \
    .create = create, .destroy = destroy                                                                              \
  }
static const sli_op_def_t ops[0];
static const sli_kernel_def_t kernels[] = {
    KERNEL("RandomUniform", uniform),
    KERNEL("RandomStandardNormal", normal),
    KERNEL("TruncatedNormal", truncated_normal),
};
SLI_OP_MODULE(gpu_random);
