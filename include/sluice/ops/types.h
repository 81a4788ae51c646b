// What the headers of all op areas share: attributes and outputs that are lists. sluice/ops.h explains the functions.
#ifndef SLUICE_OPS_TYPES_H_
#define SLUICE_OPS_TYPES_H_

#pragma GCC system_header  // see sluice/export.h

#include "sluice/node.h"

SL_BEGIN_DECLS

// Attributes that are lists: SL_INTS(1, 2, 2, 1), or {array, count}.
typedef struct {
  const int64_t *values;
  size_t count;
} sl_op_ints_t;
typedef struct {
  const float *values;
  size_t count;
} sl_op_floats_t;
typedef struct {
  const char *const *values;
  size_t count;
} sl_op_texts_t;
typedef struct {
  const TF_DataType *values;
  size_t count;
} sl_op_types_t;
typedef struct {
  const sl_shape_t *values;
  size_t count;
} sl_op_shapes_t;
#define SL_LIST_OF(list, type, ...) ((list){(type[]){__VA_ARGS__}, sizeof((type[]){__VA_ARGS__}) / sizeof(type)})
#define SL_INTS(...) SL_LIST_OF(sl_op_ints_t, const int64_t, __VA_ARGS__)
#define SL_FLOATS(...) SL_LIST_OF(sl_op_floats_t, const float, __VA_ARGS__)
#define SL_TEXTS(...) SL_LIST_OF(sl_op_texts_t, const char *const, __VA_ARGS__)
#define SL_TYPES(...) SL_LIST_OF(sl_op_types_t, const TF_DataType, __VA_ARGS__)
#define SL_SHAPES(...) SL_LIST_OF(sl_op_shapes_t, const sl_shape_t, __VA_ARGS__)

// The outputs of an op's output argument that is a list.
typedef struct {
  TF_Operation *operation;  // NULL: not built
  int first, count;
} sl_op_list_t;

// Output |index| of an operation; {NULL, 0} if |operation| is NULL.
static inline TF_Output sl_op_output(TF_Operation *operation, int index) {
  TF_Output output = {operation, operation ? index : 0};
  return output;
}
// Element |index| of a list; its operation is NULL if |index| is out of range.
static inline TF_Output sl_op_at(sl_op_list_t list, int index) {
  return sl_op_output(index >= 0 && index < list.count ? list.operation : NULL, list.first + index);
}
// The outputs of the list argument |name| of an operation; the first of them is output |first|.
static inline sl_op_list_t sl_op_list(TF_Operation *operation, const char *name, int first) {
  sl_op_list_t list = {operation, first, 0};
  if (!operation) return list;
  TF_Status *status = TF_NewStatus();
  list.count = TF_OperationOutputListLength(operation, name, status);
  if (TF_GetCode(status) != TF_OK) list.count = 0;
  TF_DeleteStatus(status);
  return list;
}

// A call whose options are written over their defaults. This is intended, so the warnings about it are off here.
#ifdef __clang__
#define SL_OVER_DEFAULTS_QUIETLY _Pragma("GCC diagnostic ignored \"-Winitializer-overrides\"")
#else
#define SL_OVER_DEFAULTS_QUIETLY                        \
  _Pragma("GCC diagnostic ignored \"-Woverride-init\"") \
      _Pragma("GCC diagnostic ignored \"-Woverride-init-side-effects\"")
#endif
#define SL_OVER_DEFAULTS(...)                                            \
  __extension__({                                                        \
    _Pragma("GCC diagnostic push") SL_OVER_DEFAULTS_QUIETLY __VA_ARGS__; \
    _Pragma("GCC diagnostic pop")                                        \
  })

SL_END_DECLS

#endif  // SLUICE_OPS_TYPES_H_
