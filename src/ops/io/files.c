// ReadFile, WriteFile, MatchingFiles.
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "core/op/shape_inference.h"
#include "io/file/file.h"

static char *text_of(const sli_tstring_t *string) {
  sli_view_t view = sli_tstring_view(string);
  return sli_strndup(view.data, view.size);
}

static sli_status_t *scalar_text(sli_kernel_context_t *context, int index, const char *message, char **out_text) {
  const sli_tensor_t *tensor = sli_kernel_input(context, index);
  *out_text = NULL;
  if (tensor->rank != 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "%s%s", message, sli_tensor_shape_text(tensor).text);
  *out_text = text_of(SLI_DATA(sli_tstring_t, tensor));
  return NULL;
}

static sli_status_t *read_compute(sli_kernel_context_t *context) {
  char *path;
  SLI_RETURN_IF_ERROR(scalar_text(context, 0, "Input filename tensor must be scalar, but had shape: ", &path));
  sli_string_t bytes = {0};
  sli_status_t *status = sli_file_read_whole(path, SIZE_MAX, &bytes);
  if (!status)
    sli_kernel_set_output(context, 0, sli_tensor_scalar_string(sli_view_of(sli_string_text(&bytes), bytes.size)));
  sli_string_deinitialize(&bytes);
  free(path);
  return status;
}

// Creates the directory of |path| first if necessary.
static sli_status_t *write_whole(const char *path, sli_view_t bytes) {
  const char *slash = strrchr(path, '/');
  sli_status_t *status = NULL;
  if (slash && slash != path) {
    char *directory = sli_strndup(path, (size_t)(slash - path));
    if (!sli_file_exists(directory)) status = sli_file_make_directories(directory);
    free(directory);
  }
  sli_file_writer_t *writer = NULL;
  if (!status) status = sli_file_writer_open(path, SLI_FILE_TRUNCATE, &writer);
  if (!status) status = sli_file_writer_write(writer, bytes.data, bytes.size);
  if (!status) status = sli_file_writer_close(writer);
  sli_file_writer_release(writer);
  return status;
}

static sli_status_t *write_compute(sli_kernel_context_t *context) {
  const sli_tensor_t *contents = sli_kernel_input(context, 1);
  char *path;
  if (contents->rank != 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Contents tensor must be scalar, but had shape: %s",
                           sli_tensor_shape_text(contents).text);
  SLI_RETURN_IF_ERROR(scalar_text(context, 0, "Input filename tensor must be scalar, but had shape: ", &path));
  sli_status_t *status = write_whole(path, sli_tstring_view(SLI_DATA(sli_tstring_t, contents)));
  free(path);
  return status;
}

static int compare_texts(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static sli_status_t *match_compute(sli_kernel_context_t *context) {
  const sli_tensor_t *patterns = sli_kernel_input(context, 0);
  if (patterns->rank > 1)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Input patterns tensor must be scalar or vector, but had shape: %s",
                           sli_tensor_shape_text(patterns).text);
  SLI_ARRAY(char *) all = {0};
  sli_status_t *status = NULL;
  for (int64_t i = 0; i < patterns->count && !status; i++) {
    char *pattern = text_of(&SLI_DATA(sli_tstring_t, patterns)[i]);
    sli_path_list_t found = {0};
    status = sli_file_match(pattern, &found);
    for (size_t k = 0; k < found.count; k++) sli_array_push(&all, sli_strdup(found.items[k]));
    sli_path_list_deinitialize(&found);
    free(pattern);
  }
  if (all.count) qsort(all.items, all.count, sizeof(*all.items), compare_texts);
  sli_tensor_t *output;
  if (!status) status = sli_kernel_allocate_output(context, 0, SLI_SHAPE((int64_t)all.count), &output);
  for (size_t i = 0; i < all.count; i++) {
    if (!status) sli_tstring_assign(&SLI_DATA(sli_tstring_t, output)[i], all.items[i], strlen(all.items[i]));
    free(all.items[i]);
  }
  sli_array_deinitialize(&all);
  return status;
}

static sli_status_t *file_scalars_shape(sli_infer_context_t *c) {
  sli_shape_t unused;
  for (int i = 0; i < c->node->input_count; i++) SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, i, 0, &unused));
  return sli_infer_fn_scalar(c);
}

static sli_status_t *match_shape(sli_infer_context_t *c) {
  sli_shape_t unused;
  SLI_RETURN_IF_ERROR(sli_infer_with_rank_at_most(c, sli_infer_input(c, 0), 1, &unused));
  sli_infer_set_output(c, 0, sli_infer_make_unknown_of_rank(c, 1));
  return NULL;
}

static const sli_op_def_t ops[] = {
    {
        .name = "ReadFile",
        .inputs = "filename: string",
        .outputs = "contents: string",
        .summary = "Reads a whole file.",
        .shape = file_scalars_shape,
        .depends_on_host = true,
    },
    {
        .name = "WriteFile",
        .inputs = "filename: string, contents: string",
        .summary = "Writes a file.",
        .shape = file_scalars_shape,
        .is_stateful = true,
    },
    {
        .name = "MatchingFiles",
        .inputs = "pattern: string",
        .outputs = "filenames: string",
        .summary = "The names of files that match patterns, sorted.",
        .shape = match_shape,
        .depends_on_host = true,
    },
};

static const sli_kernel_def_t kernels[] = {
    {.op = "ReadFile", .compute = read_compute, .expensive = true, .blocks = true},
    {.op = "WriteFile", .compute = write_compute, .expensive = true, .blocks = true},
    {.op = "MatchingFiles", .compute = match_compute, .expensive = true, .blocks = true},
};
SLI_OP_MODULE(files);
