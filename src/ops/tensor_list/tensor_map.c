// TensorMap...: a map from tensors to tensors as the element of a scalar VARIANT tensor. Keys are equal if type, shape
// and elements are. A map with one reference is changed in place.
#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/hash.h"
#include "core/op/shape_inference.h"
#include "core/tensor/variant.h"
#include "ops/common/accumulate.h"
#include "ops/common/copy_elements.h"

typedef struct {
  sli_tensor_t *key, *value;  // owned
  uint32_t hash;
} entry_t;

typedef struct {
  sli_object_t base;
  SLI_ARRAY(entry_t) entries;  // in the order of insertion
  uint32_t *slots;             // indices + 1 of entries by hash, with linear probing; 0: free
  size_t slot_count;           // a power of two, more than 4/3 of the entries; 0: none yet
} tensor_map_t;

static const sli_object_type_t map_type;

static void map_destroy(sli_object_t *object) {
  tensor_map_t *map = (tensor_map_t *)object;
  for (size_t i = 0; i < map->entries.count; i++) {
    sli_tensor_release(map->entries.items[i].key);
    sli_tensor_release(map->entries.items[i].value);
  }
  sli_array_deinitialize(&map->entries);
  free(map->slots);
  free(map);
}

static tensor_map_t *map_create(void) {
  tensor_map_t *map = sli_calloc(1, sizeof(*map));
  sli_object_initialize(&map->base, &map_type);
  return map;
}

static uint32_t hash_of(const sli_tensor_t *key) {
  uint64_t hash = key->dtype;
  if (key->dtype == SLI_DTYPE_STRING) {
    for (int64_t i = 0; i < key->count; i++) {
      sli_view_t text = sli_tensor_string_at(key, i);
      hash = hash * 31 + sli_hash_bytes(text.data, text.size);
    }
  } else {
    hash = hash * 31 + sli_hash_bytes(key->data, sli_tensor_bytes(key));
  }
  return (uint32_t)(hash ^ hash >> 32);
}

static bool keys_equal(const sli_tensor_t *a, const sli_tensor_t *b) {
  if (a->dtype != b->dtype || !sli_tensor_same_shape(a, b)) return false;
  if (a->dtype != SLI_DTYPE_STRING) return a->count == 0 || memcmp(a->data, b->data, sli_tensor_bytes(a)) == 0;
  for (int64_t i = 0; i < a->count; i++)
    if (!sli_view_equal(sli_tensor_string_at(a, i), sli_tensor_string_at(b, i))) return false;
  return true;
}

// The entry of |key|; NULL: there is none.
static entry_t *find(const tensor_map_t *map, const sli_tensor_t *key) {
  if (!map->slot_count) return NULL;
  uint32_t hash = hash_of(key);
  for (size_t at = hash & (map->slot_count - 1); map->slots[at]; at = (at + 1) & (map->slot_count - 1)) {
    entry_t *entry = &map->entries.items[map->slots[at] - 1];
    if (entry->hash == hash && keys_equal(entry->key, key)) return entry;
  }
  return NULL;
}

static void place(tensor_map_t *map, size_t index) {
  size_t at = map->entries.items[index].hash & (map->slot_count - 1);
  while (map->slots[at]) at = (at + 1) & (map->slot_count - 1);
  map->slots[at] = (uint32_t)index + 1;
}

static void rebuild(tensor_map_t *map, size_t slot_count) {
  free(map->slots);
  map->slots = sli_calloc(slot_count, sizeof(*map->slots));
  map->slot_count = slot_count;
  for (size_t i = 0; i < map->entries.count; i++) place(map, i);
}

// Replaces the value of |key|, or adds it. Retains both.
static void insert(tensor_map_t *map, sli_tensor_t *key, sli_tensor_t *value) {
  entry_t *entry = find(map, key);
  sli_tensor_retain(value);
  if (entry) {
    sli_tensor_release(entry->value);
    entry->value = value;
    return;
  }
  sli_array_push(&map->entries, (entry_t){sli_tensor_retain(key), value, hash_of(key)});
  if (map->entries.count * 4 > map->slot_count * 3)
    rebuild(map, map->slot_count ? 2 * map->slot_count : 8);
  else
    place(map, map->entries.count - 1);
}

static void erase(tensor_map_t *map, entry_t *entry) {
  sli_tensor_release(entry->key);
  sli_tensor_release(entry->value);
  size_t index = (size_t)(entry - map->entries.items);
  memmove(entry, entry + 1, (--map->entries.count - index) * sizeof(*entry));
  rebuild(map, map->slot_count);
}

static tensor_map_t *copy_map(const tensor_map_t *map) {
  tensor_map_t *copy = map_create();
  for (size_t i = 0; i < map->entries.count; i++) insert(copy, map->entries.items[i].key, map->entries.items[i].value);
  return copy;
}

// --- As a variant ------------------------------------------------------------------------------

static void map_encode(const sli_object_t *object, sli_variant_data_t *out_data) {
  const tensor_map_t *map = (const tensor_map_t *)object;
  for (size_t i = 0; i < map->entries.count; i++) {
    sli_array_push(&out_data->tensors, sli_tensor_retain(map->entries.items[i].key));
    sli_array_push(&out_data->tensors, sli_tensor_retain(map->entries.items[i].value));
  }
}

static bool is_key(const sli_tensor_t *key) {
  return key->dtype == SLI_DTYPE_STRING || sli_dtype_is_plain((sli_dtype_t)key->dtype);
}

static sli_status_t *map_decode(const sli_variant_data_t *data, sli_object_t **out_object) {
  *out_object = NULL;
  if (data->tensors.count % 2)
    return sli_status_make(SLI_INVALID_ARGUMENT, "A TensorMap has %zu keys and values, which must be even",
                           data->tensors.count);
  for (size_t i = 0; i < data->tensors.count; i += 2)
    if (!is_key(data->tensors.items[i]))
      return sli_status_make(SLI_INVALID_ARGUMENT, "A TensorMap has a key of type %s",
                             sli_dtype_name((sli_dtype_t)data->tensors.items[i]->dtype));
  tensor_map_t *map = map_create();
  for (size_t i = 0; i < data->tensors.count; i += 2) insert(map, data->tensors.items[i], data->tensors.items[i + 1]);
  *out_object = &map->base;
  return NULL;
}

// A key that is not there counts as zero.
static sli_status_t *map_zeros_like(const sli_object_t *object, sli_object_t **out_object) {
  *out_object = &map_create()->base;
  return NULL;
}

static sli_status_t *sum_of(const sli_tensor_t *a, const sli_tensor_t *b, sli_tensor_t **out_sum) {
  sli_dtype_t dtype = (sli_dtype_t)a->dtype;
  if (a->dtype != b->dtype || !sli_tensor_same_shape(a, b) || !sli_types_contain(SLI_TYPES_NUMBER, dtype))
    return sli_status_make(SLI_INVALID_ARGUMENT, "Trying to add values of a map of types %s%s and %s%s",
                           sli_dtype_name(dtype), sli_tensor_shape_text(a).text, sli_dtype_name((sli_dtype_t)b->dtype),
                           sli_tensor_shape_text(b).text);
  SLI_RETURN_IF_ERROR(sli_tensor_create(sli_allocator_cpu(), dtype, a->dims, a->rank, out_sum));
  sli_elements_copy(dtype, (*out_sum)->data, a->data, a->count);
  sli_accumulate(SLI_ACCUMULATE_ADD, dtype, (*out_sum)->data, b->data, 1, a->count);
  return NULL;
}

// The union of both maps; values of equal keys are added.
static sli_status_t *map_add(const sli_object_t *left, const sli_object_t *right, sli_object_t **out_sum) {
  const tensor_map_t *b = (const tensor_map_t *)right;
  tensor_map_t *sum = copy_map((const tensor_map_t *)left);
  sli_status_t *status = NULL;
  for (size_t i = 0; i < b->entries.count && !status; i++) {
    sli_tensor_t *key = b->entries.items[i].key, *value = sli_tensor_retain(b->entries.items[i].value);
    const entry_t *own = find(sum, key);
    if (own) {
      sli_tensor_release(value);
      value = NULL;
      status = sum_of(own->value, b->entries.items[i].value, &value);
    }
    if (!status) insert(sum, key, value);
    sli_tensor_release(value);
  }
  if (status)
    sli_object_release(sum);
  else
    *out_sum = &sum->base;
  return status;
}

static const struct sli_variant_methods map_methods = {map_encode, map_decode, map_zeros_like, map_add};
static const sli_object_type_t map_type = {"tensorflow::TensorMap", map_destroy, NULL, &map_methods};

// --- Kernels -----------------------------------------------------------------------------------

// The map in input 0; the caller owns a reference.
static sli_status_t *input_map(sli_kernel_context_t *context, tensor_map_t **out_map) {
  *out_map = NULL;
  const sli_tensor_t *input = sli_kernel_input(context, 0);
  if (input->rank != 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Input map must be a scalar. Saw: %s",
                           sli_tensor_shape_text(input).text);
  SLI_RETURN_IF_ERROR(sli_op_variant_at(input, 0, &map_type, (sli_object_t **)out_map));
  if (*out_map) return NULL;
  return sli_status_make(SLI_INVALID_ARGUMENT, "Input handle is not a map. Saw: '%s'",
                         sli_variant_text(SLI_DATA(sli_object_t *, input)[0]).text);
}

// Sets output 0 to a scalar that holds |map|; consumes a reference.
static sli_status_t *set_map(sli_kernel_context_t *context, tensor_map_t *map) {
  sli_tensor_t *output;
  sli_status_t *status = sli_kernel_allocate_output(context, 0, SLI_SHAPE_SCALAR, &output);
  if (status)
    sli_object_release(map);
  else
    SLI_DATA(sli_object_t *, output)[0] = &map->base;
  return status;
}

// Sets output 0 to a map that may be changed: |map| itself if nothing else refers to it, else a copy. Consumes a
// reference to |map|; |*out_map| is borrowed.
static sli_status_t *edit_map(sli_kernel_context_t *context, tensor_map_t *map, tensor_map_t **out_map) {
  sli_tensor_t *input = sli_kernel_input(context, 0);
  if (SLI_DATA(sli_object_t *, input)[0] != &map->base) {  // it was just decoded
    *out_map = map;
    return set_map(context, map);
  }
  sli_object_release(map);  // the input still holds it
  if (sli_tensor_is_exclusive(input) && sli_refcount_is_one(&map->base.references)) {
    sli_kernel_set_output(context, 0, sli_tensor_retain(input));
    *out_map = map;
    return NULL;
  }
  *out_map = copy_map(map);
  return set_map(context, *out_map);
}

static sli_status_t *check_key(const sli_tensor_t *key) {
  if (is_key(key)) return NULL;
  return sli_status_make(SLI_INVALID_ARGUMENT, "key must not be of type %s", sli_dtype_name((sli_dtype_t)key->dtype));
}

static sli_status_t *missing_key(const char *verb, const char *what, const sli_tensor_t *key) {
  sli_string_t text = {0};
  sli_tensor_append_values(&text, key, 3);
  // Without the brackets of a vector.
  sli_view_t bare = sli_view_of(sli_string_text(&text), text.size);
  if (bare.size >= 2 && bare.data[0] == '[') bare = sli_view_of(bare.data + 1, bare.size - 2);
  sli_status_t *status =
      sli_status_make(SLI_INVALID_ARGUMENT, "Trying to %s non-existent %s. Could not find key \"%.*s\".", verb, what,
                      SLI_VIEW_ARG(bare));
  sli_string_deinitialize(&text);
  return status;
}

static sli_status_t *empty_compute(sli_kernel_context_t *context) { return set_map(context, map_create()); }

static sli_status_t *size_compute(sli_kernel_context_t *context) {
  tensor_map_t *map;
  SLI_RETURN_IF_ERROR(input_map(context, &map));
  sli_kernel_set_output(context, 0, sli_tensor_scalar_int32((int32_t)map->entries.count));
  sli_object_release(map);
  return NULL;
}

static sli_status_t *lookup_compute(sli_kernel_context_t *context) {
  const sli_tensor_t *key = sli_kernel_input(context, 1);
  tensor_map_t *map;
  SLI_RETURN_IF_ERROR(check_key(key));
  SLI_RETURN_IF_ERROR(input_map(context, &map));
  const entry_t *entry = find(map, key);
  sli_dtype_t dtype = context->node->output_types[0];
  sli_status_t *status = NULL;
  if (!entry)
    status = missing_key("lookup", "key", key);
  else if (entry->value->dtype != dtype)
    status = sli_status_make(SLI_INTERNAL, "The value of the key has type %s, but value_dtype is %s",
                             sli_dtype_name((sli_dtype_t)entry->value->dtype), sli_dtype_name(dtype));
  else
    sli_kernel_set_output(context, 0, sli_tensor_retain(entry->value));
  sli_object_release(map);
  return status;
}

static sli_status_t *insert_compute(sli_kernel_context_t *context) {
  tensor_map_t *map, *output;
  SLI_RETURN_IF_ERROR(check_key(sli_kernel_input(context, 1)));
  SLI_RETURN_IF_ERROR(input_map(context, &map));
  SLI_RETURN_IF_ERROR(edit_map(context, map, &output));
  insert(output, sli_kernel_input(context, 1), sli_kernel_input(context, 2));
  return NULL;
}

static sli_status_t *erase_compute(sli_kernel_context_t *context) {
  const sli_tensor_t *key = sli_kernel_input(context, 1);
  tensor_map_t *map, *output;
  SLI_RETURN_IF_ERROR(check_key(key));
  SLI_RETURN_IF_ERROR(input_map(context, &map));
  if (!find(map, key)) {
    sli_object_release(map);
    return missing_key("erase", "item", key);
  }
  SLI_RETURN_IF_ERROR(edit_map(context, map, &output));
  erase(output, find(output, key));
  return NULL;
}

static sli_status_t *has_key_compute(sli_kernel_context_t *context) {
  tensor_map_t *map;
  SLI_RETURN_IF_ERROR(check_key(sli_kernel_input(context, 1)));
  SLI_RETURN_IF_ERROR(input_map(context, &map));
  sli_kernel_set_output(context, 0, sli_tensor_scalar_bool(find(map, sli_kernel_input(context, 1)) != NULL));
  sli_object_release(map);
  return NULL;
}

static sli_status_t *stack_keys(sli_kernel_context_t *context, const tensor_map_t *map) {
  if (map->entries.count == 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "TensorMapStackKeys cannot be called on empty map.");
  const sli_tensor_t *first = map->entries.items[0].key;
  sli_dtype_t dtype = context->node->output_types[0];
  for (size_t i = 0; i < map->entries.count; i++) {
    if (map->entries.items[i].key->dtype != dtype)
      return sli_status_make(SLI_INVALID_ARGUMENT, "Key does not match requested dtype.");
    if (!sli_tensor_same_shape(map->entries.items[i].key, first))
      return sli_status_make(SLI_INVALID_ARGUMENT, "Keys must all have the same shape.");
  }
  SLI_RETURN_IF_ERROR(sli_shape_check_rank(first->rank + 1));
  int64_t dims[SLI_MAX_RANK + 1] = {(int64_t)map->entries.count};
  for (int d = 0; d < first->rank; d++) dims[d + 1] = first->dims[d];
  sli_tensor_t *output;
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, (sli_shape_t){first->rank + 1, dims}, &output));
  for (size_t i = 0; i < map->entries.count; i++)
    sli_elements_copy(dtype, sli_tensor_at(output, (int64_t)i * first->count), map->entries.items[i].key->data,
                      first->count);
  return NULL;
}

static sli_status_t *stack_keys_compute(sli_kernel_context_t *context) {
  tensor_map_t *map;
  SLI_RETURN_IF_ERROR(input_map(context, &map));
  sli_status_t *status = stack_keys(context, map);
  sli_object_release(map);
  return status;
}

static const sli_op_def_t ops[] = {
    {.name = "EmptyTensorMap",
     .outputs = "handle: variant",
     .summary = "An empty map from tensors to tensors.",
     .shape = sli_infer_fn_scalar},
    {.name = "TensorMapSize",
     .inputs = "input_handle: variant",
     .outputs = "size: int32",
     .summary = "The number of keys of a map.",
     .shape = sli_infer_fn_scalar},
    {.name = "TensorMapLookup",
     .inputs = "input_handle: variant, key: key_dtype",
     .outputs = "value: value_dtype",
     .attrs = "key_dtype: type; value_dtype: type",
     .summary = "The value of a key of a map.",
     .shape = sli_infer_fn_unknown,
     .forwards_input = true},
    {.name = "TensorMapInsert",
     .inputs = "input_handle: variant, key: key_dtype, value: value_dtype",
     .outputs = "output_handle: variant",
     .attrs = "key_dtype: type; value_dtype: type",
     .summary = "Sets the value of a key of a map.",
     .shape = sli_infer_fn_scalar,
     .forwards_input = true},
    {.name = "TensorMapErase",
     .inputs = "input_handle: variant, key: key_dtype",
     .outputs = "output_handle: variant",
     .attrs = "key_dtype: type; value_dtype: type",
     .summary = "Removes a key of a map.",
     .shape = sli_infer_fn_scalar,
     .forwards_input = true},
    {.name = "TensorMapHasKey",
     .inputs = "input_handle: variant, key: key_dtype",
     .outputs = "has_key: bool",
     .attrs = "key_dtype: type",
     .summary = "Whether a map has a key.",
     .shape = sli_infer_fn_scalar},
    {.name = "TensorMapStackKeys",
     .inputs = "input_handle: variant",
     .outputs = "keys: key_dtype",
     .attrs = "key_dtype: type",
     .summary = "All keys of a map, stacked in no particular order.",
     .shape = sli_infer_fn_unknown},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "EmptyTensorMap", .compute = empty_compute},          {.op = "TensorMapSize", .compute = size_compute},
    {.op = "TensorMapLookup", .compute = lookup_compute},        {.op = "TensorMapInsert", .compute = insert_compute},
    {.op = "TensorMapErase", .compute = erase_compute},          {.op = "TensorMapHasKey", .compute = has_key_compute},
    {.op = "TensorMapStackKeys", .compute = stack_keys_compute},
};

static const sli_object_type_t *const variants[] = {&map_type, NULL};

SLI_OP_MODULE_WITH_VARIANTS(tensor_map);
