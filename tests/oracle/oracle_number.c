// Random numbers of the oracle, and their conversion to elements of any type without undefined behaviour.
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/array.h"
#include "tests/oracle/oracle.h"

double oracle_number(oracle_random_t *random, bool is_floating, bool is_odd, char letter) {
  static const double odd[] = {0, -0.0, 1e30, -1e30, 1e-30, DBL_MAX, DBL_MIN, 2147483648.0, -9.3e18, 9.3e18, 0.5, -1};
  if (is_odd && oracle_chance(random, 30)) {
    if (is_floating && oracle_chance(random, 40))
      return oracle_chance(random, 50) ? NAN : oracle_chance(random, 50) ? INFINITY : -INFINITY;
    return odd[oracle_below(random, SLI_ARRAY_COUNT_OF(odd))];
  }
  double u = oracle_below(random, 1000) / 1000.0;
  if (!is_floating)
    return letter ? 1 + oracle_below(random, 5) : oracle_below(random, 5) - (oracle_chance(random, 20) ? 2 : 0);
  switch (letter) {
    case 'p': return 0.5 + 2 * u;
    case 'u': return 0.1 + 0.8 * u;
    case 'g': return 1.2 + 2 * u;
    default: return oracle_chance(random, 10) ? oracle_below(random, 5) - 2 : 4 * u - 2;
  }
}

static int64_t to_int(double value) {
  return value >= 9.2e18 ? INT64_MAX : value <= -9.2e18 ? INT64_MIN : value == value ? (int64_t)value : 0;
}

static int64_t clamp(int64_t value, int64_t low, int64_t high) {
  return value < low ? low : value > high ? high : value;
}

// Without the overflow that C leaves undefined.
static float to_float(double value) {
  return fabs(value) <= FLT_MAX || value != value ? (float)value : value > 0 ? INFINITY : -INFINITY;
}

static uint16_t to_half(double value) {
  _Float16 half = fabs(value) < 65504 || value != value ? (_Float16)value : value > 0 ? INFINITY : -INFINITY;
  uint16_t bits;
  memcpy(&bits, &half, sizeof(bits));
  return bits;
}

static uint16_t to_bfloat16(double value) {
  float single = to_float(value);
  uint32_t bits;
  memcpy(&bits, &single, sizeof(bits));
  return (uint16_t)(bits >> 16);
}

void oracle_put_text(sli_tensor_t *tensor, int64_t i, sli_view_t text) {
  sli_tstring_assign(&SLI_DATA(sli_tstring_t, tensor)[i], text.data, text.size);
}

void oracle_put_number(sli_tensor_t *tensor, int64_t i, double value) {
  switch ((sli_dtype_t)tensor->dtype) {
    case SLI_DTYPE_FLOAT: SLI_DATA(float, tensor)[i] = to_float(value); break;
    case SLI_DTYPE_DOUBLE: SLI_DATA(double, tensor)[i] = value; break;
    case SLI_DTYPE_HALF: SLI_DATA(uint16_t, tensor)[i] = to_half(value); break;
    case SLI_DTYPE_BFLOAT16: SLI_DATA(uint16_t, tensor)[i] = to_bfloat16(value); break;
    case SLI_DTYPE_COMPLEX64:
      SLI_DATA(float, tensor)[2 * i] = to_float(value);
      SLI_DATA(float, tensor)[2 * i + 1] = 0.5f;
      break;
    case SLI_DTYPE_COMPLEX128:
      SLI_DATA(double, tensor)[2 * i] = value;
      SLI_DATA(double, tensor)[2 * i + 1] = 0.5;
      break;
    case SLI_DTYPE_BOOL: SLI_DATA(bool, tensor)[i] = value > 0; break;
    case SLI_DTYPE_INT64: SLI_DATA(int64_t, tensor)[i] = to_int(value); break;
    case SLI_DTYPE_UINT64: SLI_DATA(uint64_t, tensor)[i] = (uint64_t)to_int(value); break;
    case SLI_DTYPE_INT32: SLI_DATA(int32_t, tensor)[i] = (int32_t)clamp(to_int(value), INT32_MIN, INT32_MAX); break;
    case SLI_DTYPE_QINT32: SLI_DATA(int32_t, tensor)[i] = (int32_t)clamp(to_int(value), INT32_MIN, INT32_MAX); break;
    case SLI_DTYPE_UINT32: SLI_DATA(uint32_t, tensor)[i] = (uint32_t)to_int(value); break;
    default:
      if (sli_dtype_size((sli_dtype_t)tensor->dtype) == 2)
        SLI_DATA(uint16_t, tensor)[i] = (uint16_t)to_int(value);
      else
        SLI_DATA(uint8_t, tensor)[i] = (uint8_t)to_int(value);
  }
}

bool oracle_is_floating(sli_dtype_t dtype) { return sli_types_contain(SLI_TYPES_FLOATING | SLI_TYPES_COMPLEX, dtype); }

sli_tensor_t *oracle_tensor(sli_dtype_t dtype, const int64_t *dims, int rank) {
  sli_tensor_t *tensor = NULL;
  sli_status_t *status = sli_tensor_create(sli_allocator_cpu(), dtype, dims, rank, &tensor);
  SLI_CHECK(!status);
  return tensor;
}
