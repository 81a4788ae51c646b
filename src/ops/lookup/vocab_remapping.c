// GenerateVocabRemapping: for each line of a new vocabulary its line number in an old one, so that the rows of an
// embedding can be taken over.
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "core/op/shape_inference.h"
#include "io/file/file.h"

enum { MOST_BYTES = 1 << 30 };

static sli_status_t *read_vocabulary(sli_kernel_context_t *context, int input, const char *name, sli_string_t *out) {
  const sli_tensor_t *file = sli_kernel_input(context, input);
  if (file->rank != 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "%s should be a single string, but got %s", name,
                           sli_tensor_shape_text(file).text);
  sli_view_t view = sli_tensor_string_at(file, 0);
  if (view.size == 0) return sli_status_make(SLI_INVALID_ARGUMENT, "new vocab filename cannot be empty.");
  char *path = strndup(view.data, view.size);
  sli_status_t *status = sli_file_read_whole(path, MOST_BYTES, out);
  free(path);
  return status;
}

// The next line of |*rest|, without "\r"s at its end; false at the end.
static bool next_line(sli_view_t *rest, sli_view_t *out_line) {
  if (rest->size == 0) return false;
  const char *end = memchr(rest->data, '\n', rest->size);
  size_t size = end ? (size_t)(end - rest->data) : rest->size, taken = end ? size + 1 : size;
  *out_line = sli_view_of(rest->data, size);
  while (out_line->size && out_line->data[out_line->size - 1] == '\r') out_line->size--;
  *rest = sli_view_of(rest->data + taken, rest->size - taken);
  return true;
}

static int64_t count_lines(sli_view_t text) {
  int64_t count = 0;
  for (sli_view_t line; next_line(&text, &line);) count++;
  return count;
}

typedef struct {
  int64_t offset, count, old_size;
} remapping_t;

static sli_status_t *write_remapping(sli_kernel_context_t *context, const remapping_t *r, sli_view_t new_text,
                                     sli_view_t old_text) {
  sli_tensor_t *remapping, *present;
  if (r->offset + r->count > count_lines(new_text))
    return sli_status_make(SLI_INVALID_ARGUMENT, "lookup table size must be larger than last new vocab entry's line");
  if (r->old_size >= 0 && r->old_size > count_lines(old_text))
    return sli_status_make(SLI_INVALID_ARGUMENT, "Invalid vocab_size in the old vocabulary: expected %lld but got %lld",
                           (long long)r->old_size, (long long)count_lines(old_text));
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, SLI_SHAPE(r->count), &remapping));
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 1, SLI_SHAPE_SCALAR, &present));
  sli_map_t ids = {0};
  sli_view_t line;
  sli_status_t *status = NULL;
  for (int64_t i = 0; (r->old_size < 0 || i < r->old_size) && next_line(&old_text, &line); i++) {
    if (sli_map_get(&ids, line))
      status = sli_status_make(SLI_FAILED_PRECONDITION, "HashTable has different value for same key. Key %.*s",
                               SLI_VIEW_ARG(line));
    if (status) break;
    sli_map_set(&ids, line, (void *)(uintptr_t)(i + 1));
  }
  int32_t found = 0;
  for (int64_t i = 0; i < r->offset + r->count && !status && next_line(&new_text, &line); i++) {
    if (i < r->offset) continue;
    int64_t id = (int64_t)(uintptr_t)sli_map_get(&ids, line) - 1;
    SLI_DATA(int64_t, remapping)[i - r->offset] = id;
    found += id >= 0;
  }
  SLI_DATA(int32_t, present)[0] = found;
  sli_map_deinitialize(&ids);
  return status;
}

static sli_status_t *remapping_compute(sli_kernel_context_t *context) {
  remapping_t r;
  sli_string_t new_text = {0}, old_text = {0};
  SLI_RETURN_IF_ERROR(sli_node_attr_int(context->node, "new_vocab_offset", &r.offset));
  SLI_RETURN_IF_ERROR(sli_node_attr_int(context->node, "num_new_vocab", &r.count));
  SLI_RETURN_IF_ERROR(sli_node_attr_int(context->node, "old_vocab_size", &r.old_size));
  if (r.count > INT64_MAX - r.offset)
    return sli_status_make(SLI_INVALID_ARGUMENT, "lookup table size must be larger than last new vocab entry's line");
  sli_status_t *status = read_vocabulary(context, 0, "new_vocab_file", &new_text);
  if (!status) status = read_vocabulary(context, 1, "old_vocab_file", &old_text);
  if (!status)
    status = write_remapping(context, &r, sli_view_of(new_text.data, new_text.size),
                             sli_view_of(old_text.data, old_text.size));
  sli_string_deinitialize(&new_text);
  sli_string_deinitialize(&old_text);
  return status;
}

static sli_status_t *remapping_shape(sli_infer_context_t *c) {
  sli_shape_t unused;
  int64_t count;
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 0, 0, &unused));
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 1, 0, &unused));
  SLI_RETURN_IF_ERROR(sli_node_attr_int(c->node, "num_new_vocab", &count));
  sli_infer_set_output(c, 0, sli_infer_make(c, 1, &count));
  sli_infer_set_output(c, 1, SLI_SHAPE_SCALAR);
  return NULL;
}

static const sli_op_def_t ops[] = {
    {.name = "GenerateVocabRemapping",
     .inputs = "new_vocab_file: string, old_vocab_file: string",
     .outputs = "remapping: int64, num_present: int32",
     .attrs = "new_vocab_offset: int >= 0; num_new_vocab: int >= 0; old_vocab_size: int >= -1 = -1",
     .summary = "The places of a new vocabulary's words in an old one.",
     .shape = remapping_shape,
     .not_differentiable = true,
     .depends_on_host = true},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "GenerateVocabRemapping", .compute = remapping_compute, .blocks = true},
};
SLI_OP_MODULE(vocab_remapping);
