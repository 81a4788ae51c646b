// TF_Tensor: a handle of a reference-counted tensor. Only resources differ from the
// runtime's tensors: the caller sees the serialized handle, as in TensorFlow.
#include <stdlib.h>

#include "capi/capi.h"
#include "core/tensor/tensor_codec.h"
#include "proto/tensor.fields.h"
#include "proto/tensor_proto.h"
#include "proto/wire.h"

// Alignment of bytes that a tensor may use without a copy: malloc's, which is enough for our loops. TensorFlow
// requires 64.
enum { ADOPTED_ALIGNMENT = 16 };

size_t TF_DataTypeSize(TF_DataType dt) {
  return sli_dtype_is_plain((sli_dtype_t)dt) && !sli_dtype_is_ref((sli_dtype_t)dt) ? sli_dtype_size((sli_dtype_t)dt)
                                                                                   : 0;
}

// --- Making tensors ----------------------------------------------------------

// A resource's handle as the caller sees it: a ResourceHandleProto.
static void show_handle(TF_Tensor *handle) {
  sli_string_t proto = {0};
  sli_tensor_encode_flat(handle->tensor, &proto);
  sli_wire_reader_t reader = sli_wire_reader(sli_view_of(proto.data, proto.size));
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
    if (field.number != SLI_FIELD_TENSOR_PROTO_RESOURCE_HANDLE_VAL || handle->handle) continue;
    handle->handle = sli_malloc(field.bytes.size + 1);
    memcpy(handle->handle, field.bytes.data, field.bytes.size);
    handle->size = field.bytes.size;
  }
  handle->data = handle->handle;
  sli_string_deinitialize(&proto);
}

// Every step creates and frees handles, so they come from the tensors' allocator, which caches blocks.
static void *allocate_block(size_t size) {
  sli_allocator_t *allocator = sli_allocator_cpu();
  void *block = allocator->allocate(allocator, size);
  SLI_CHECK(block);
  return block;
}

static void release_block(void *block, size_t size) {
  sli_allocator_t *allocator = sli_allocator_cpu();
  allocator->release(allocator, block, size);
}

static void set_up(TF_Tensor *handle, sli_tensor_t *tensor) {
  *handle = (TF_Tensor){.tensor = tensor, .size = sli_tensor_bytes(tensor), .data = tensor->data};
  if (tensor->dtype == SLI_DTYPE_RESOURCE) show_handle(handle);
}

TF_Tensor *sli_capi_tensor_wrap(sli_tensor_t *tensor) {
  TF_Tensor *handle = allocate_block(sizeof(*handle));
  set_up(handle, tensor);
  return handle;
}

// Replaces the tensor of a handle; consumes the reference.
static void replace(TF_Tensor *handle, sli_tensor_t *tensor) {
  TF_Tensor old = *handle;
  set_up(handle, tensor);
  free(old.handle);
  sli_tensor_release(old.tensor);
}

// The caller's deallocator.
typedef struct {
  void (*deallocator)(void *data, size_t len, void *arg);
  void *arg;
} deallocation_t;

static void run_deallocator(void *context, void *data, size_t size) {
  deallocation_t *deallocation = context;
  deallocation->deallocator(data, size, deallocation->arg);
  release_block(deallocation, sizeof(*deallocation));
}

// Computes the bytes that type and shape need; false if there is no such tensor.
static bool measure(sli_dtype_t dtype, const int64_t *dims, int rank, size_t *out_bytes) {
  size_t element = sli_dtype_size(dtype);
  if (!element || sli_dtype_is_ref(dtype) || rank < 0 || rank > SLI_MAX_RANK) return false;
  int64_t count = sli_shape_count((sli_shape_t){rank, dims});
  return count >= 0 && !__builtin_mul_overflow((size_t)count, element, out_bytes) && *out_bytes <= INT64_MAX;
}

// A tensor of |dtype| and shape with |size| bytes that we allocate.
static sli_tensor_t *allocate_bytes(sli_dtype_t dtype, const int64_t *dims, int rank, size_t size) {
  sli_tensor_t *bytes = NULL;
  int64_t count = (int64_t)size;
  sli_status_release(sli_tensor_create(sli_allocator_cpu(), SLI_DTYPE_UINT8, &count, 1, &bytes));
  if (!bytes) return NULL;
  sli_tensor_t *tensor = sli_tensor_view(bytes, dtype, 0, dims, rank);
  sli_tensor_release(bytes);
  return tensor;
}

// A tensor over the caller's bytes, without a copy. A tensor of strings is a view, so that
// the strings are not freed: they belong to the caller.
static sli_tensor_t *adopt(sli_dtype_t dtype, const int64_t *dims, int rank, void *data, size_t len,
                           const deallocation_t *deallocation) {
  sli_tensor_t *tensor = NULL;
  deallocation_t *context = NULL;
  if (deallocation->deallocator) {
    context = allocate_block(sizeof(*context));
    *context = *deallocation;
  }
  void (*release)(void *, void *, size_t) = context ? run_deallocator : NULL;
  if (sli_dtype_is_plain(dtype)) {
    sli_status_release(sli_tensor_adopt(dtype, dims, rank, data, len, release, context, &tensor));
  } else {
    sli_tensor_t *bytes = NULL;
    int64_t count = (int64_t)len;
    sli_status_release(sli_tensor_adopt(SLI_DTYPE_UINT8, &count, 1, data, len, release, context, &bytes));
    if (bytes) tensor = sli_tensor_view(bytes, dtype, 0, dims, rank);
    sli_tensor_release(bytes);
  }
  if (!tensor && context) release_block(context, sizeof(*context));
  return tensor;
}

// A scalar of a serialized ResourceHandleProto.
static sli_tensor_t *parse_handle(int rank, const void *data, size_t len) {
  if (rank != 0) return NULL;
  sli_string_t proto = {0};
  sli_wire_write_uint(&proto, SLI_FIELD_TENSOR_PROTO_DTYPE, SLI_DTYPE_RESOURCE);  // dtype
  sli_wire_write_bytes(&proto, SLI_FIELD_TENSOR_PROTO_RESOURCE_HANDLE_VAL, data, len);
  sli_tensor_t *tensor = NULL;
  sli_status_release(sli_tensor_decode(sli_view_of(proto.data, proto.size), &tensor));
  sli_string_deinitialize(&proto);
  return tensor;
}

TF_Tensor *TF_NewTensor(TF_DataType type, const int64_t *dims, int num_dims, void *data, size_t len,
                        void (*deallocator)(void *data, size_t len, void *arg), void *deallocator_arg) {
  sli_dtype_t dtype = (sli_dtype_t)type;
  deallocation_t deallocation = {deallocator, deallocator_arg};
  sli_tensor_t *tensor = NULL;
  bool adopted = false;
  size_t needed = 0;
  if (!measure(dtype, dims, num_dims, &needed) || dtype == SLI_DTYPE_VARIANT) {
    // Not a tensor.
  } else if (dtype == SLI_DTYPE_RESOURCE) {
    tensor = parse_handle(num_dims, data, len);
  } else if (len < needed || (needed && !data)) {
    // Too short.
  } else if (sli_dtype_is_plain(dtype) && (uintptr_t)data % ADOPTED_ALIGNMENT) {
    tensor = allocate_bytes(dtype, dims, num_dims, len);
    if (tensor && len) memcpy(tensor->data, data, len);
  } else {
    tensor = adopt(dtype, dims, num_dims, data, len, &deallocation);
    adopted = tensor != NULL;
  }
  if (!adopted && deallocator) deallocator(data, len, deallocator_arg);
  if (!tensor) return NULL;
  TF_Tensor *handle = sli_capi_tensor_wrap(tensor);
  if (dtype != SLI_DTYPE_RESOURCE) handle->size = len;
  handle->is_callers = adopted;
  return handle;
}

TF_Tensor *TF_AllocateTensor(TF_DataType type, const int64_t *dims, int num_dims, size_t len) {
  sli_dtype_t dtype = (sli_dtype_t)type;
  size_t needed = 0;
  // A caller cannot write valid pointers into resources and variants.
  if (!measure(dtype, dims, num_dims, &needed) || dtype == SLI_DTYPE_RESOURCE || dtype == SLI_DTYPE_VARIANT)
    return NULL;
  sli_tensor_t *tensor = NULL;
  if (dtype == SLI_DTYPE_STRING || len == needed)
    sli_status_release(sli_tensor_create(sli_allocator_cpu(), dtype, dims, num_dims, &tensor));
  else if (len > needed)
    tensor = allocate_bytes(dtype, dims, num_dims, len);
  if (!tensor) return NULL;
  TF_Tensor *handle = sli_capi_tensor_wrap(tensor);
  if (dtype != SLI_DTYPE_STRING) handle->size = len;
  return handle;
}

TF_Tensor *TF_TensorMaybeMove(TF_Tensor *tensor) {
  return !tensor->is_callers && sli_tensor_is_exclusive(tensor->tensor) ? tensor : NULL;
}

void TF_DeleteTensor(TF_Tensor *tensor) {
  if (!tensor) return;
  sli_tensor_release(tensor->tensor);
  free(tensor->handle);
  release_block(tensor, sizeof(*tensor));
}

// --- Reading tensors ------------------------------------------------------

TF_DataType TF_TensorType(const TF_Tensor *tensor) { return (TF_DataType)tensor->tensor->dtype; }
int TF_NumDims(const TF_Tensor *tensor) { return tensor->tensor->rank; }
size_t TF_TensorByteSize(const TF_Tensor *tensor) { return tensor->size; }
void *TF_TensorData(const TF_Tensor *tensor) { return tensor->data; }
int64_t TF_TensorElementCount(const TF_Tensor *tensor) { return tensor->tensor->count; }
bool TF_TensorIsAligned(const TF_Tensor *tensor) { return (uintptr_t)tensor->data % SLI_ALIGNMENT == 0; }

int64_t TF_Dim(const TF_Tensor *tensor, int dim_index) {
  return dim_index < 0 || dim_index >= tensor->tensor->rank ? -1 : tensor->tensor->dims[dim_index];
}

// --- Views -------------------------------------------------------------------

void TF_SetShape(TF_Tensor *tensor, const int64_t *dims, int num_dims) {
  sli_dtype_t dtype = (sli_dtype_t)tensor->tensor->dtype;
  size_t needed = 0;
  if (!measure(dtype, dims, num_dims, &needed) || needed > sli_tensor_bytes(tensor->tensor)) return;
  bool is_callers = tensor->is_callers;
  replace(tensor, sli_tensor_view(tensor->tensor, dtype, 0, dims, num_dims));
  tensor->is_callers = is_callers;
}

void TF_TensorBitcastFrom(const TF_Tensor *from, TF_DataType type, TF_Tensor *to, const int64_t *new_dims,
                          int num_new_dims, TF_Status *status) {
  sli_capi_set_status(status, NULL);
  size_t needed = 0;
  const char *wrong = NULL;
  if (!TF_DataTypeSize(TF_TensorType(from)))
    wrong = "other tensor has zero-sized data type";
  else if (!TF_DataTypeSize(type))
    wrong = "specified output type is zero-sized";
  else if (!measure((sli_dtype_t)type, new_dims, num_new_dims, &needed) || needed != sli_tensor_bytes(from->tensor))
    wrong = "input and output shapes/data type sizes are not compatible";
  if (wrong) {
    sli_capi_set_status(status, sli_status_make_text(SLI_INVALID_ARGUMENT, wrong));
    return;
  }
  bool is_callers = from->is_callers;
  replace(to, sli_tensor_view(from->tensor, (sli_dtype_t)type, 0, new_dims, num_new_dims));
  to->is_callers = is_callers;
}

void TF_TensorFromProto(const TF_Buffer *from, TF_Tensor *to, TF_Status *status) {
  sli_tensor_t *tensor = NULL;
  sli_capi_set_status(status, sli_tensor_decode(sli_capi_buffer_view(from), &tensor));
  if (tensor) replace(to, tensor);
}
