// A .npy file is a magic string, a Python dict as text ("descr": the type,
// "fortran_order", "shape"), and the elements. Strings have one width for all.
#include "cli/run/npy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/string.h"
#include "io/file/atomic_file.h"
#include "io/file/file.h"
#include "tensorflow/c/tf_tstring.h"

enum { MAX_RANK = 32, MAX_HEADER = 1 << 16, ALIGNMENT = 64 };
// Strings of width 0 take no bytes of a file, which limits the number of all other elements.
enum { MAX_EMPTY_STRINGS = 1 << 20 };

// The types that both NumPy and TensorFlow have, except strings, whose width is part of the file's type.
static const struct {
  TF_DataType dtype;
  char kind;
  size_t size, part;  // bytes of an element, and of the unit to swap in a file of the other byte order
} types[] = {
    {TF_FLOAT, 'f', 4, 4},     {TF_DOUBLE, 'f', 8, 8},      {TF_HALF, 'f', 2, 2},   {TF_INT8, 'i', 1, 1},
    {TF_INT16, 'i', 2, 2},     {TF_INT32, 'i', 4, 4},       {TF_INT64, 'i', 8, 8},  {TF_UINT8, 'u', 1, 1},
    {TF_UINT16, 'u', 2, 2},    {TF_UINT32, 'u', 4, 4},      {TF_UINT64, 'u', 8, 8}, {TF_BOOL, 'b', 1, 1},
    {TF_COMPLEX64, 'c', 8, 4}, {TF_COMPLEX128, 'c', 16, 8},
};

typedef struct {
  char kind;
  size_t size;  // bytes of an element
  size_t part;
  TF_DataType dtype;
  bool swapped, fortran;
  int rank;
  int64_t dims[MAX_RANK];
  size_t count;
} layout_t;

static sli_status_t *bad(const char *path, const char *what) {
  return sli_status_make(SLI_INVALID_ARGUMENT, "%s: %s", path, what);
}

// --- The header ---

// The text after 'key': in the dict; empty if the key is missing.
static sli_view_t find_value(sli_view_t header, const char *key) {
  char *quoted = sli_format("'%s':", key);
  const char *at = memmem(header.data, header.size, quoted, strlen(quoted));
  size_t skipped = at ? (size_t)(at - header.data) + strlen(quoted) : header.size;
  free(quoted);
  return sli_view_trim(sli_view_of(header.data + skipped, header.size - skipped));
}

// "<f4", "|S12", "<U7".
static bool parse_type(sli_view_t value, layout_t *layout) {
  if (value.size < 5 || (value.data[0] != '\'' && value.data[0] != '"')) return false;
  const char *end = memchr(value.data + 1, value.data[0], value.size - 1);
  int64_t size;
  if (!end || end < value.data + 4 ||
      !sli_view_to_int64(sli_view_of(value.data + 3, (size_t)(end - value.data) - 3), &size))
    return false;
  char order = value.data[1];
  layout->kind = value.data[2];
  layout->swapped = order == '>';
  if (size < 0 || size > INT32_MAX || !strchr("<>|=", order)) return false;
  layout->size = (size_t)size;
  if (layout->kind == 'S' || layout->kind == 'U') {
    layout->dtype = TF_STRING;
    layout->part = layout->kind == 'U' ? 4 : 1;
    layout->size *= layout->part;
    return true;
  }
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(types); i++) {
    if (types[i].kind != layout->kind || types[i].size != layout->size) continue;
    layout->dtype = types[i].dtype;
    layout->part = types[i].part;
    return true;
  }
  return false;
}

// "(2, 3)", "(5,)", "()".
static bool parse_shape(sli_view_t value, layout_t *layout) {
  const char *end = value.size ? memchr(value.data, ')', value.size) : NULL;
  if (!end || value.data[0] != '(') return false;
  sli_view_t rest = sli_view_of(value.data + 1, (size_t)(end - value.data) - 1), item;
  layout->count = 1;
  for (bool more = true; more;) {
    more = sli_view_split(rest, ',', &item, &rest);
    item = sli_view_trim(item);
    if (!item.size && !more) break;
    int64_t dim;
    if (layout->rank == MAX_RANK || !sli_view_to_int64(item, &dim) || dim < 0) return false;
    if (__builtin_mul_overflow(layout->count, (size_t)dim, &layout->count)) return false;
    layout->dims[layout->rank++] = dim;
  }
  return true;
}

static sli_status_t *parse_header(const char *path, sli_view_t file, layout_t *layout, size_t *out_start) {
  *layout = (layout_t){0};
  if (file.size < 10 || memcmp(file.data, "\x93NUMPY", 6) != 0) return bad(path, "not a .npy file");
  const unsigned char *bytes = (const unsigned char *)file.data;
  bool is_long = bytes[6] >= 2;
  size_t start = is_long ? 12 : 10;
  if (file.size < start) return bad(path, "its header is truncated");
  size_t size = (size_t)bytes[8] | (size_t)bytes[9] << 8;
  if (is_long) size |= (size_t)bytes[10] << 16 | (size_t)bytes[11] << 24;
  if (size > MAX_HEADER || size > file.size - start) return bad(path, "its header is truncated");
  sli_view_t header = sli_view_of(file.data + start, size);
  if (!parse_type(find_value(header, "descr"), layout))
    return bad(path, "its elements are of a type that has no tensor; numbers, booleans, bytes and text can be read");
  if (!parse_shape(find_value(header, "shape"), layout)) return bad(path, "its header has no valid shape");
  layout->fortran = sli_view_starts_with(find_value(header, "fortran_order"), "True");
  *out_start = start + size;
  size_t content;
  if (__builtin_mul_overflow(layout->count, layout->size, &content) || content != file.size - *out_start)
    return sli_status_make(SLI_INVALID_ARGUMENT, "%s: %zu bytes of elements, but its type and shape need %zu", path,
                           file.size - *out_start, content);
  if (!layout->size && layout->count > MAX_EMPTY_STRINGS)
    return sli_status_make(SLI_INVALID_ARGUMENT, "%s: an array of empty strings may have at most %d elements, got %zu",
                           path, MAX_EMPTY_STRINGS, layout->count);
  return NULL;
}

// --- The elements ---

static void append_utf8(sli_string_t *out, uint32_t code) {
  if (code < 0x80) {
    sli_string_append_char(out, (char)code);
    return;
  }
  int tail = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  static const uint8_t heads[] = {0, 0xc0, 0xe0, 0xf0};
  sli_string_append_char(out, (char)(heads[tail] | code >> 6 * tail));
  while (tail-- > 0) sli_string_append_char(out, (char)(0x80 | (code >> 6 * tail & 0x3f)));
}

static void swap(char *at, size_t size) {
  for (size_t i = 0; i < size / 2; i++) {
    char byte = at[i];
    at[i] = at[size - 1 - i];
    at[size - 1 - i] = byte;
  }
}

// Makes one element of the file a string, without the padding NULs at its end.
static void read_text(const layout_t *layout, const char *element, TF_TString *out) {
  sli_string_t text = {0};
  if (layout->kind == 'S') {
    size_t size = layout->size;
    while (size && !element[size - 1]) size--;
    sli_string_append(&text, element, size);
  } else {
    for (size_t i = 0; i + 4 <= layout->size; i += 4) {
      char code[4];
      memcpy(code, element + i, 4);
      if (layout->swapped) swap(code, 4);
      uint32_t value;
      memcpy(&value, code, 4);
      if (!value) break;
      append_utf8(&text, value <= 0x10ffff ? value : 0xfffd);
    }
  }
  TF_StringInit(out);
  TF_StringCopy(out, sli_string_text(&text), text.size);
  sli_string_deinitialize(&text);
}

// The index in the file of element |i| of the tensor in row-major order.
static size_t position(const layout_t *layout, size_t i) {
  if (!layout->fortran) return i;
  size_t place = 0, index[MAX_RANK];
  for (int d = layout->rank; d-- > 0; i /= (size_t)layout->dims[d]) index[d] = i % (size_t)layout->dims[d];
  for (int d = layout->rank; d-- > 0;) place = place * (size_t)layout->dims[d] + index[d];
  return place;
}

// NULL: there is no memory for it.
static TF_Tensor *make_tensor(const layout_t *layout, const char *elements) {
  size_t width = layout->dtype == TF_STRING ? sizeof(TF_TString) : layout->size;
  TF_Tensor *tensor = TF_AllocateTensor(layout->dtype, layout->dims, layout->rank, layout->count * width);
  if (!tensor) return NULL;
  char *data = TF_TensorData(tensor);
  if (layout->dtype != TF_STRING && !layout->fortran && !layout->swapped) {
    if (layout->count) memcpy(data, elements, layout->count * width);
    return tensor;
  }
  for (size_t i = 0; i < layout->count; i++) {
    const char *element = elements + position(layout, i) * layout->size;
    if (layout->dtype == TF_STRING) {
      read_text(layout, element, (TF_TString *)data + i);
      continue;
    }
    memcpy(data + i * width, element, width);
    for (size_t part = 0; layout->swapped && part < width; part += layout->part)
      swap(data + i * width + part, layout->part);
  }
  return tensor;
}

sli_status_t *sli_npy_read(const char *path, TF_Tensor **out_tensor) {
  *out_tensor = NULL;
  sli_string_t file = {0};
  SLI_RETURN_IF_ERROR(sli_file_read_whole(path, SIZE_MAX, &file));
  layout_t layout;
  size_t start = 0;
  sli_status_t *status = parse_header(path, sli_view_of(file.data, file.size), &layout, &start);
  if (!status) {
    *out_tensor = make_tensor(&layout, file.data + start);
    if (!*out_tensor)
      status = sli_status_make(SLI_RESOURCE_EXHAUSTED, "%s: there is no memory for a tensor of %zu elements", path,
                               layout.count);
  }
  sli_string_deinitialize(&file);
  return status;
}

// --- Writing ---

static void append_strings(sli_string_t *out, const TF_TString *strings, size_t count, size_t width) {
  for (size_t i = 0; i < count; i++) {
    size_t size = TF_StringGetSize(&strings[i]);
    sli_string_append(out, TF_StringGetDataPointer(&strings[i]), size);
    for (; size < width; size++) sli_string_append_char(out, '\0');
  }
}

static void append_bfloat16(sli_string_t *out, const uint16_t *values, size_t count) {
  for (size_t i = 0; i < count; i++) {
    uint32_t bits = (uint32_t)values[i] << 16;
    sli_string_append(out, (const char *)&bits, sizeof(bits));
  }
}

// Appends the elements and sets |descr|, NumPy's name of their type; false if NumPy has no such type.
static bool append_elements(sli_string_t *out, const TF_Tensor *tensor, char descr[24]) {
  TF_DataType dtype = TF_TensorType(tensor);
  size_t count = (size_t)TF_TensorElementCount(tensor);
  const void *data = TF_TensorData(tensor);
  if (dtype == TF_STRING) {
    size_t width = 1;
    for (size_t i = 0; i < count; i++) {
      size_t size = TF_StringGetSize((const TF_TString *)data + i);
      if (size > width) width = size;
    }
    snprintf(descr, 24, "|S%zu", width);
    append_strings(out, data, count, width);
    return true;
  }
  if (dtype == TF_BFLOAT16) {
    snprintf(descr, 24, "<f4");
    append_bfloat16(out, data, count);
    return true;
  }
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(types); i++) {
    if (types[i].dtype != dtype) continue;
    snprintf(descr, 24, "%c%c%zu", types[i].size > 1 ? '<' : '|', types[i].kind, types[i].size);
    sli_string_append(out, data, count * types[i].size);
    return true;
  }
  return false;
}

static void append_header(sli_string_t *out, const TF_Tensor *tensor, const char *descr) {
  sli_string_t header = {0};
  sli_string_append_format(&header, "{'descr': '%s', 'fortran_order': False, 'shape': (", descr);
  int rank = TF_NumDims(tensor);
  for (int d = 0; d < rank; d++)
    sli_string_append_format(&header, "%s%lld%s", d ? " " : "", (long long)TF_Dim(tensor, d),
                             d + 1 < rank || rank == 1 ? "," : "");
  sli_string_append_text(&header, "), }");
  while ((10 + header.size + 1) % ALIGNMENT) sli_string_append_char(&header, ' ');
  sli_string_append_char(&header, '\n');
  sli_string_append(out, "\x93NUMPY\1\0", 8);
  sli_string_append_char(out, (char)(header.size & 0xff));
  sli_string_append_char(out, (char)(header.size >> 8));
  sli_string_append(out, header.data, header.size);
  sli_string_deinitialize(&header);
}

sli_status_t *sli_npy_write(const char *path, const TF_Tensor *tensor) {
  sli_string_t elements = {0}, file = {0};
  char descr[24];
  sli_status_t *status = NULL;
  if (!append_elements(&elements, tensor, descr)) {
    status = sli_status_make(SLI_INVALID_ARGUMENT, "%s: NumPy has no type for elements of TensorFlow's type %d", path,
                             (int)TF_TensorType(tensor));
  } else {
    append_header(&file, tensor, descr);
    sli_string_append(&file, elements.data, elements.size);
    status = sli_atomic_file_write(path, sli_view_of(file.data, file.size));
  }
  sli_string_deinitialize(&elements);
  sli_string_deinitialize(&file);
  return status;
}
