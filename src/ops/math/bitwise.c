// Bitwise operations on integers, broadcast. Shift counts are clamped to [0, bits of the type), as in TensorFlow.
#include "core/op/shape_inference.h"
#include "math/elementwise.h"

// A shift count within [0, bits of T).
#define BOUNDED(T) (y < 0 ? 0 : y > (T)(sizeof(T) * 8 - 1) ? (T)(sizeof(T) * 8 - 1) : y)
#define BOUNDED_UNSIGNED(T) (y > (T)(sizeof(T) * 8 - 1) ? (T)(sizeof(T) * 8 - 1) : y)

#define LOGIC_LOOPS(T, name, dtype, U)             \
  SLI_ELEMENTWISE_LOOP2(, and_##name, T, T, x &y)  \
  SLI_ELEMENTWISE_LOOP2(, or_##name, T, T, x | y)  \
  SLI_ELEMENTWISE_LOOP2(, xor_##name, T, T, x ^ y) \
  SLI_ELEMENTWISE_LOOP1(, invert_##name, T, T, ~x)
#define SIGNED_SHIFTS(T, name, dtype, U)                             \
  SLI_ELEMENTWISE_LOOP2_SMALL(left_##name, T, T, (U)x << BOUNDED(T)) \
  SLI_ELEMENTWISE_LOOP2_SMALL(right_##name, T, T, x >> BOUNDED(T))
#define UNSIGNED_SHIFTS(T, name, dtype, U)                                    \
  SLI_ELEMENTWISE_LOOP2_SMALL(left_##name, T, T, (U)x << BOUNDED_UNSIGNED(T)) \
  SLI_ELEMENTWISE_LOOP2_SMALL(right_##name, T, T, x >> BOUNDED_UNSIGNED(T))
SLI_ELEMENTWISE_FOR_INTEGER(LOGIC_LOOPS)
SLI_ELEMENTWISE_FOR_SIGNED(SIGNED_SHIFTS)
SLI_ELEMENTWISE_FOR_UNSIGNED(UNSIGNED_SHIFTS)

#define ROWS(op)                        \
  {                                     \
    .loops = {                          \
      [SLI_DTYPE_INT8] = op##_int8,     \
      [SLI_DTYPE_INT16] = op##_int16,   \
      [SLI_DTYPE_INT32] = op##_int32,   \
      [SLI_DTYPE_INT64] = op##_int64,   \
      [SLI_DTYPE_UINT8] = op##_uint8,   \
      [SLI_DTYPE_UINT16] = op##_uint16, \
      [SLI_DTYPE_UINT32] = op##_uint32, \
      [SLI_DTYPE_UINT64] = op##_uint64  \
    }                                   \
  }
static const sli_elementwise_t and_op = ROWS(and), or_op = ROWS(or), xor_op = ROWS(xor), invert_op = ROWS(invert),
                               left_op = ROWS(left), right_op = ROWS(right);
SLI_ELEMENTWISE_KERNEL(bitwise_and, and_op)
SLI_ELEMENTWISE_KERNEL(bitwise_or, or_op)
SLI_ELEMENTWISE_KERNEL(bitwise_xor, xor_op)
SLI_ELEMENTWISE_KERNEL(invert, invert_op)
SLI_ELEMENTWISE_KERNEL(left_shift, left_op)
SLI_ELEMENTWISE_KERNEL(right_shift, right_op)

// How many bits are set, as a byte.
static sli_status_t *population_count(sli_kernel_context_t *context) {
  const sli_tensor_t *input = sli_kernel_input(context, 0);
  sli_tensor_t *output;
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, sli_tensor_shape(input), &output));
  uint8_t *out = SLI_DATA(uint8_t, output);
  switch (sli_dtype_size((sli_dtype_t)input->dtype)) {
    case 1:
      for (int64_t i = 0; i < input->count; i++) out[i] = (uint8_t)__builtin_popcount(SLI_DATA(uint8_t, input)[i]);
      break;
    case 2:
      for (int64_t i = 0; i < input->count; i++) out[i] = (uint8_t)__builtin_popcount(SLI_DATA(uint16_t, input)[i]);
      break;
    case 4:
      for (int64_t i = 0; i < input->count; i++) out[i] = (uint8_t)__builtin_popcount(SLI_DATA(uint32_t, input)[i]);
      break;
    default:
      for (int64_t i = 0; i < input->count; i++) out[i] = (uint8_t)__builtin_popcountll(SLI_DATA(uint64_t, input)[i]);
  }
  return NULL;
}

static const sli_op_def_t ops[] = {
    {.name = "PopulationCount",
     .inputs = "x: T",
     .outputs = "y: uint8",
     .attrs = "T: {int8, int16, int32, int64, uint8, uint16, uint32, uint64}",
     .shape = sli_infer_fn_unchanged,
     .not_differentiable = true},
    {.name = "BitwiseAnd",
     .inputs = "x: T, y: T",
     .outputs = "z: T",
     .attrs = "T: {int8, int16, int32, int64, uint8, uint16, uint32, uint64}",
     .shape = sli_infer_fn_broadcast,
     .not_differentiable = true,
     .is_commutative = true},
    {.name = "BitwiseOr",
     .inputs = "x: T, y: T",
     .outputs = "z: T",
     .attrs = "T: {int8, int16, int32, int64, uint8, uint16, uint32, uint64}",
     .shape = sli_infer_fn_broadcast,
     .not_differentiable = true,
     .is_commutative = true},
    {.name = "BitwiseXor",
     .inputs = "x: T, y: T",
     .outputs = "z: T",
     .attrs = "T: {int8, int16, int32, int64, uint8, uint16, uint32, uint64}",
     .shape = sli_infer_fn_broadcast,
     .not_differentiable = true,
     .is_commutative = true},
    {.name = "LeftShift",
     .inputs = "x: T, y: T",
     .outputs = "z: T",
     .attrs = "T: {int8, int16, int32, int64, uint8, uint16, uint32, uint64}",
     .shape = sli_infer_fn_broadcast,
     .not_differentiable = true},
    {.name = "RightShift",
     .inputs = "x: T, y: T",
     .outputs = "z: T",
     .attrs = "T: {int8, int16, int32, int64, uint8, uint16, uint32, uint64}",
     .shape = sli_infer_fn_broadcast,
     .not_differentiable = true},
    {.name = "Invert",
     .inputs = "x: T",
     .outputs = "y: T",
     .attrs = "T: {int8, int16, int32, int64, uint8, uint16, uint32, uint64}",
     .shape = sli_infer_fn_unchanged,
     .not_differentiable = true},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "PopulationCount", .types = SLI_TYPES_INTEGER, .compute = population_count},
    {.op = "BitwiseAnd", .types = SLI_TYPES_INTEGER, .compute = bitwise_and},
    {.op = "BitwiseOr", .types = SLI_TYPES_INTEGER, .compute = bitwise_or},
    {.op = "BitwiseXor", .types = SLI_TYPES_INTEGER, .compute = bitwise_xor},
    {.op = "LeftShift", .types = SLI_TYPES_INTEGER, .compute = left_shift},
    {.op = "RightShift", .types = SLI_TYPES_INTEGER, .compute = right_shift},
    {.op = "Invert", .types = SLI_TYPES_INTEGER, .compute = invert},
};

SLI_OP_MODULE(bitwise);
