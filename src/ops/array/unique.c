// Unique…, ListDiff: find distinct values by hashing. Floats are compared by value: -0 equals 0, and a NaN equals
// nothing.
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "core/op/gradient.h"
#include "core/op/shape_inference.h"
#include "ops/common/copy_elements.h"

// A tensor as [outer, entries, inner]. Entry |e| is all elements [o, e, i].
typedef struct {
  const sli_tensor_t *tensor;
  int64_t outer, entries, inner;
} keys_t;

static const void *element(const keys_t *k, int64_t o, int64_t entry, int64_t i) {
  return sli_tensor_at(k->tensor, (o * k->entries + entry) * k->inner + i);
}

// A plain element as bits that are equal for equal values; |*nan| is set for a NaN.
static uint64_t element_bits(sli_dtype_t dtype, const void *data, bool *nan) {
  uint64_t bits = 0;
  memcpy(&bits, data, sli_dtype_size(dtype));
  uint64_t infinity = dtype == SLI_DTYPE_FLOAT      ? UINT64_C(0x7f800000)
                      : dtype == SLI_DTYPE_DOUBLE   ? UINT64_C(0x7ff0000000000000)
                      : dtype == SLI_DTYPE_HALF     ? UINT64_C(0x7c00)
                      : dtype == SLI_DTYPE_BFLOAT16 ? UINT64_C(0x7f80)
                                                    : 0;
  if (!infinity) return bits;
  uint64_t magnitude = bits & ~(UINT64_C(1) << (8 * sli_dtype_size(dtype) - 1));
  *nan |= magnitude > infinity;
  return magnitude == 0 ? 0 : bits;
}

static uint64_t hash_entry(const keys_t *k, int64_t entry) {
  uint64_t hash = 0x9e3779b97f4a7c15;
  const sli_dtype_t dtype = k->tensor->dtype;
  bool nan = false;
  for (int64_t o = 0; o < k->outer; o++) {
    for (int64_t i = 0; i < k->inner; i++) {
      uint64_t next;
      if (dtype == SLI_DTYPE_STRING) {
        sli_view_t view = sli_tstring_view(element(k, o, entry, i));
        next = sli_hash_bytes(view.data, view.size);
      } else {
        next = element_bits(dtype, element(k, o, entry, i), &nan);
      }
      hash = (hash ^ next) * UINT64_C(0xff51afd7ed558ccd);
      hash ^= hash >> 32;
    }
  }
  return hash;
}

static bool entries_equal(const keys_t *a, int64_t x, const keys_t *b, int64_t y) {
  const sli_dtype_t dtype = a->tensor->dtype;
  bool nan = false;
  for (int64_t o = 0; o < a->outer; o++) {
    for (int64_t i = 0; i < a->inner; i++) {
      const void *p = element(a, o, x, i), *q = element(b, o, y, i);
      if (dtype == SLI_DTYPE_STRING) {
        if (!sli_view_equal(sli_tstring_view(p), sli_tstring_view(q))) return false;
      } else if (element_bits(dtype, p, &nan) != element_bits(dtype, q, &nan) || nan) {
        return false;
      }
    }
  }
  return true;
}

// A set of entries of one tensor: a hash table with open addressing.
typedef struct {
  const keys_t *keys;
  int64_t *slots;  // entry + 1; 0: empty
  uint64_t mask;
} set_t;

static sli_status_t *set_initialize(set_t *set, const keys_t *keys, int64_t capacity) {
  uint64_t size = 16;
  while (size < (uint64_t)capacity * 2) size *= 2;
  set->keys = keys;
  set->mask = size - 1;
  set->slots = sli_malloc_or_null(size * sizeof(int64_t));
  if (!set->slots)
    return sli_status_make(SLI_RESOURCE_EXHAUSTED, "No memory for a hash table of %llu entries",
                           (unsigned long long)size);
  memset(set->slots, 0, size * sizeof(int64_t));
  return NULL;
}

// The slot with an equal entry, or the empty slot to insert it.
static int64_t *set_find(const set_t *set, const keys_t *keys, int64_t entry) {
  uint64_t at = hash_entry(keys, entry) & set->mask;
  while (set->slots[at] && !entries_equal(set->keys, set->slots[at] - 1, keys, entry)) at = (at + 1) & set->mask;
  return &set->slots[at];
}

static sli_status_t *unique_entries(const keys_t *keys, sli_tensor_t *idx, int64_t *firsts, int64_t *out_count) {
  set_t set;
  int64_t count = 0;
  SLI_RETURN_IF_ERROR(set_initialize(&set, keys, keys->entries));
  for (int64_t i = 0; i < keys->entries; i++) {
    int64_t *slot = set_find(&set, keys, i);
    if (!*slot) {
      *slot = i + 1;
      firsts[count] = i;
      sli_tensor_set_int(idx, i, count++);
    } else {
      sli_tensor_set_int(idx, i, sli_tensor_int_at(idx, *slot - 1));
    }
  }
  free(set.slots);
  *out_count = count;
  return NULL;
}

static sli_status_t *emit_unique(sli_kernel_context_t *context, const keys_t *keys, int axis, sli_tensor_t *idx,
                                 const int64_t *firsts, int64_t count) {
  const sli_tensor_t *input = keys->tensor;
  int64_t dims[SLI_MAX_RANK];
  sli_tensor_t *output, *counts;
  memcpy(dims, input->dims, (size_t)input->rank * sizeof(int64_t));
  dims[axis] = count;
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, (sli_shape_t){input->rank, dims}, &output));
  for (int64_t o = 0; o < keys->outer; o++) {
    for (int64_t i = 0; i < count && keys->inner; i++) {
      sli_elements_copy(input->dtype, sli_tensor_at(output, (o * count + i) * keys->inner),
                        element(keys, o, firsts[i], 0), keys->inner);
    }
  }
  if (context->output_count < 3) return NULL;
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 2, SLI_SHAPE(count), &counts));
  for (int64_t i = 0; i < count; i++) sli_tensor_set_int(counts, i, 0);
  for (int64_t i = 0; i < keys->entries; i++) {
    int64_t at = sli_tensor_int_at(idx, i);
    sli_tensor_set_int(counts, at, sli_tensor_int_at(counts, at) + 1);
  }
  return NULL;
}

static sli_status_t *unique_along(sli_kernel_context_t *context, int axis) {
  sli_tensor_t *input = sli_kernel_input(context, 0), *idx;
  keys_t keys = {input, sli_shape_product(input->dims, 0, axis), input->dims[axis],
                 sli_shape_product(input->dims, axis + 1, input->rank)};
  int64_t count = 0;
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 1, SLI_SHAPE(keys.entries), &idx));
  if (idx->dtype == SLI_DTYPE_INT32 && keys.entries > INT32_MAX) {
    return sli_status_make(SLI_INVALID_ARGUMENT, "unique does not support input tensors larger than %d elements",
                           INT32_MAX);
  }
  int64_t *firsts = sli_malloc_or_null(((size_t)keys.entries + 1) * sizeof(int64_t));
  if (!firsts) return sli_status_make(SLI_RESOURCE_EXHAUSTED, "No memory for %lld entries", (long long)keys.entries);
  sli_status_t *status = unique_entries(&keys, idx, firsts, &count);
  if (!status) status = emit_unique(context, &keys, axis, idx, firsts, count);
  free(firsts);
  return status;
}

static sli_status_t *unique_compute(sli_kernel_context_t *context) {
  if (sli_kernel_input(context, 0)->rank != 1)
    return sli_status_make(SLI_INVALID_ARGUMENT, "unique expects a 1D vector.");
  return unique_along(context, 0);
}

// UniqueV2 along |axis|, which is a vector of one element, or empty if the input is a vector.
static sli_status_t *unique_v2_compute(sli_kernel_context_t *context) {
  sli_tensor_t *input = sli_kernel_input(context, 0), *axis = sli_kernel_input(context, 1);
  if (axis->rank != 1) return sli_status_make(SLI_INVALID_ARGUMENT, "axis expects a 1D vector.");
  if (axis->count > 1)
    return sli_status_make(SLI_INVALID_ARGUMENT, "axis does not support input tensors larger than 1 elements");
  if (axis->count == 0) return unique_compute(context);
  int64_t wanted = sli_tensor_int_at(axis, 0), at = wanted < 0 ? wanted + input->rank : wanted;
  if (at < 0 || at >= input->rank) {
    return sli_status_make(SLI_INVALID_ARGUMENT, "axis has to be between [0, %d)", input->rank);
  }
  return unique_along(context, (int)at);
}

static sli_status_t *unique_shape(sli_infer_context_t *c) {
  sli_shape_t in = sli_infer_input(c, 0);
  sli_shape_t unknown = sli_infer_make(c, 1, (int64_t[]){-1});
  if (in.rank >= 0) SLI_RETURN_IF_ERROR(sli_infer_with_rank(c, in, 1, &in));
  sli_infer_set_output(c, 0, unknown);
  sli_infer_set_output(c, 1, in);
  if (c->node->output_count > 2) sli_infer_set_output(c, 2, unknown);
  return NULL;
}

static sli_status_t *unique_v2_shape(sli_infer_context_t *c) {
  sli_shape_t in = sli_infer_input(c, 0);
  sli_infer_set_output(c, 0, in.rank < 0 ? in : sli_infer_make_unknown_of_rank(c, in.rank));
  sli_infer_set_output(c, 1, sli_infer_make(c, 1, (int64_t[]){-1}));
  if (c->node->output_count > 2) sli_infer_set_output(c, 2, sli_infer_make(c, 1, (int64_t[]){-1}));
  return NULL;
}

// ListDiff outputs the values of |x| that are not in |y|, with their positions.
static sli_status_t *list_diff_compute(sli_kernel_context_t *context) {
  sli_tensor_t *x = sli_kernel_input(context, 0), *y = sli_kernel_input(context, 1), *out, *idx;
  if (x->rank != 1) return sli_status_make(SLI_INVALID_ARGUMENT, "x should be a 1D vector.");
  if (y->rank != 1) return sli_status_make(SLI_INVALID_ARGUMENT, "y should be a 1D vector.");
  keys_t in_x = {x, 1, x->count, 1}, in_y = {y, 1, y->count, 1};
  set_t set;
  SLI_RETURN_IF_ERROR(set_initialize(&set, &in_y, y->count));
  for (int64_t i = 0; i < y->count; i++) {
    int64_t *slot = set_find(&set, &in_y, i);
    if (!*slot) *slot = i + 1;
  }
  int64_t count = 0;
  for (int64_t i = 0; i < x->count; i++) count += *set_find(&set, &in_x, i) == 0;
  sli_status_t *status = sli_kernel_allocate_output(context, 0, SLI_SHAPE(count), &out);
  if (!status) status = sli_kernel_allocate_output(context, 1, SLI_SHAPE(count), &idx);
  for (int64_t i = 0, at = 0; !status && i < x->count; i++) {
    if (*set_find(&set, &in_x, i)) continue;
    sli_elements_copy(x->dtype, sli_tensor_at(out, at), sli_tensor_at(x, i), 1);
    sli_tensor_set_int(idx, at++, i);
  }
  free(set.slots);
  return status;
}

static sli_status_t *list_diff_shape(sli_infer_context_t *c) {
  sli_shape_t unused;
  for (int i = 0; i < 2; i++) SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, i, 1, &unused));
  for (int i = 0; i < 2; i++) sli_infer_set_output(c, i, sli_infer_make(c, 1, (int64_t[]){-1}));
  return NULL;
}

static const sli_op_def_t ops[] = {
    {.name = "Unique",
     .inputs = "x: T",
     .outputs = "y: T, idx: out_idx",
     .attrs = "T: type; out_idx: {int32, int64} = DT_INT32",
     .summary = "Distinct values, and for each element its index among them.",
     .shape = unique_shape},
    {.name = "UniqueV2",
     .inputs = "x: T, axis: Taxis",
     .outputs = "y: T, idx: out_idx",
     .attrs = "T: type; Taxis: {int32, int64} = DT_INT64; out_idx: {int32, int64} = DT_INT32",
     .summary = "Distinct slices, and for each slice its index among them.",
     .shape = unique_v2_shape},
    {.name = "UniqueWithCounts",
     .inputs = "x: T",
     .outputs = "y: T, idx: out_idx, count: out_idx",
     .attrs = "T: type; out_idx: {int32, int64} = DT_INT32",
     .summary = "Distinct values with their counts.",
     .shape = unique_shape},
    {.name = "UniqueWithCountsV2",
     .inputs = "x: T, axis: Taxis",
     .outputs = "y: T, idx: out_idx, count: out_idx",
     .attrs = "T: type; Taxis: {int32, int64} = DT_INT64; out_idx: {int32, int64} = DT_INT32",
     .summary = "Distinct slices with their counts.",
     .shape = unique_v2_shape},
    {.name = "ListDiff",
     .inputs = "x: T, y: T",
     .outputs = "out: T, idx: out_idx",
     .attrs = "T: type; out_idx: {int32, int64} = DT_INT32",
     .summary = "The values of one list that are not in another.",
     .shape = list_diff_shape},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "Unique", .types = SLI_TYPES_REAL | SLI_TYPE_BOOL | SLI_TYPE_STRING, .compute = unique_compute},
    {.op = "UniqueV2", .types = SLI_TYPES_REAL | SLI_TYPE_BOOL | SLI_TYPE_STRING, .compute = unique_v2_compute},
    {.op = "UniqueWithCounts", .types = SLI_TYPES_REAL | SLI_TYPE_BOOL | SLI_TYPE_STRING, .compute = unique_compute},
    {.op = "UniqueWithCountsV2",
     .types = SLI_TYPES_REAL | SLI_TYPE_BOOL | SLI_TYPE_STRING,
     .compute = unique_v2_compute},
    {.op = "ListDiff", .types = SLI_TYPES_REAL | SLI_TYPE_STRING, .compute = list_diff_compute},
};

SLI_OP_MODULE(unique);
