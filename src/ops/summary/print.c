// Print, PrintV2, Timestamp: ops that print, and the time.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/log.h"
#include "core/op/gradient.h"
#include "core/op/shape_inference.h"
#include "io/file/file.h"

// --- Print ----------------------------------------------------------------------------------

typedef struct {
  sli_view_t message;
  int64_t first, summarize;
  atomic_llong printed;
} print_state_t;

static sli_status_t *print_create(const sli_kernel_setup_t *setup, void **out_state) {
  *out_state = NULL;
  sli_view_t message;
  int64_t first, summarize;
  SLI_RETURN_IF_ERROR(sli_node_attr_string(setup->node, "message", &message));
  SLI_RETURN_IF_ERROR(sli_node_attr_int(setup->node, "first_n", &first));
  SLI_RETURN_IF_ERROR(sli_node_attr_int(setup->node, "summarize", &summarize));
  print_state_t *print = sli_calloc(1, sizeof(*print));
  print->message = message;
  print->first = first;
  print->summarize = summarize;
  atomic_init(&print->printed, 0);
  *out_state = print;
  return NULL;
}

static sli_status_t *print_compute(sli_kernel_context_t *context) {
  print_state_t *print = (print_state_t *)sli_kernel_state(context);  // |printed| is atomic
  sli_kernel_set_output(context, 0, sli_tensor_retain(sli_kernel_input(context, 0)));
  if (print->first >= 0 && atomic_fetch_add(&print->printed, 1) >= print->first) return NULL;
  sli_string_t text = {0};
  sli_string_append(&text, print->message.data, print->message.size);
  for (int i = 1; i < context->input_count; i++) {
    sli_string_append_char(&text, '[');
    sli_tensor_append_values(&text, sli_kernel_input(context, i),
                             print->summarize > INT32_MAX ? INT32_MAX : (int)print->summarize);
    sli_string_append_char(&text, ']');
  }
  sli_string_append_char(&text, '\n');
  fwrite(text.data, 1, text.size, stderr);
  sli_string_deinitialize(&text);
  return NULL;
}

static sli_status_t *print_gradient(sli_gradient_builder_t *b) {
  sli_gradient_set_slices(b, 0, b->output_gradients[0]);
  return NULL;
}

// --- PrintV2 -----------------------------------------------------------------------------------

static const char file_scheme[] = "file://";

static sli_status_t *print_v2_create(const sli_kernel_setup_t *setup, void **out_state) {
  static const char *const streams[] = {"stdout", "stderr", "log(info)", "log(warning)", "log(error)"};
  *out_state = NULL;
  sli_view_t stream;
  SLI_RETURN_IF_ERROR(sli_node_attr_string(setup->node, "output_stream", &stream));
  for (size_t i = 0; i < sizeof(streams) / sizeof(streams[0]); i++) {
    if (sli_view_is(stream, streams[i])) return NULL;
  }
  if (sli_view_starts_with(stream, file_scheme)) return NULL;
  return sli_status_make(SLI_INVALID_ARGUMENT,
                         "Unknown output stream: %.*s, Valid streams are: stdout stderr log(info) log(warning) "
                         "log(error)",
                         SLI_VIEW_ARG(stream));
}

static sli_status_t *append_to_file(const char *path, const sli_string_t *text) {
  sli_file_writer_t *writer;
  SLI_RETURN_IF_ERROR(sli_file_writer_open(path, SLI_FILE_APPEND, &writer));
  sli_status_t *status = sli_file_writer_write(writer, sli_string_text(text), text->size);
  if (!status) status = sli_file_writer_close(writer);
  sli_file_writer_release(writer);
  return status;
}

static sli_status_t *print_text(sli_view_t stream, const sli_string_t *text) {
  if (sli_view_is(stream, "log(info)")) {
    SLI_INFO("%s", sli_string_text(text));
  } else if (sli_view_is(stream, "log(warning)")) {
    SLI_WARNING("%s", sli_string_text(text));
  } else if (sli_view_is(stream, "log(error)")) {
    SLI_ERROR("%s", sli_string_text(text));
  } else if (sli_view_starts_with(stream, file_scheme)) {
    char *path = sli_strndup(stream.data + strlen(file_scheme), stream.size - strlen(file_scheme));
    sli_status_t *status = append_to_file(path, text);
    free(path);
    return status;
  } else {
    FILE *file = sli_view_is(stream, "stdout") ? stdout : stderr;
    fwrite(sli_string_text(text), 1, text->size, file);
    fflush(file);
  }
  return NULL;
}

static sli_status_t *print_v2_compute(sli_kernel_context_t *context) {
  const sli_tensor_t *input = sli_kernel_input(context, 0);
  sli_view_t stream, end;
  SLI_RETURN_IF_ERROR(sli_node_attr_string(context->node, "output_stream", &stream));
  SLI_RETURN_IF_ERROR(sli_node_attr_string(context->node, "end", &end));
  if (input->rank != 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Input is expected to be scalar, but got %s",
                           sli_tensor_shape_text(input).text);
  sli_view_t message = sli_tstring_view(SLI_DATA(sli_tstring_t, input));
  sli_string_t text = {0};
  sli_string_append(&text, message.data, message.size);
  sli_string_append(&text, end.data, end.size);
  sli_status_t *status = print_text(stream, &text);
  sli_string_deinitialize(&text);
  return status;
}

static sli_status_t *print_v2_shape(sli_infer_context_t *c) {
  sli_shape_t unused;
  return sli_infer_input_with_rank(c, 0, 0, &unused);
}

// --- Timestamp --------------------------------------------------------------------------------------

static sli_status_t *timestamp_compute(sli_kernel_context_t *context) {
  double seconds = (double)sli_clock_wall_micros() / 1e6;
  sli_kernel_set_output(context, 0, sli_tensor_scalar(SLI_DTYPE_DOUBLE, &seconds));
  return NULL;
}

static const sli_op_def_t ops[] = {
    {
        .name = "Print",
        .inputs = "input: T, data: U",
        .outputs = "output: T",
        .attrs = "T: type; U: list(type) >= 0; message: string = ''; first_n: int = -1; summarize: int = 3",
        .summary = "Outputs its input unchanged and prints a list of tensors.",
        .shape = sli_infer_fn_unchanged,
        .gradient = print_gradient,
        .is_stateful = true,
        .forwards_input = true,
    },
    {
        .name = "PrintV2",
        .inputs = "input: string",
        .attrs = "output_stream: string = 'stderr'; end: string = '\\n'",
        .summary = "Prints a string.",
        .shape = print_v2_shape,
        .is_stateful = true,
    },
    {
        .name = "Timestamp",
        .outputs = "ts: double",
        .summary = "The time in seconds since 1970.",
        .shape = sli_infer_fn_scalar,
        .not_differentiable = true,
        .is_stateful = true,
    },
};

static const sli_kernel_def_t kernels[] = {
    {.op = "Print", .host_memory = "data", .compute = print_compute, .create = print_create, .destroy = free},
    {.op = "PrintV2", .host_memory = "input", .compute = print_v2_compute, .create = print_v2_create},
    {.op = "Timestamp", .host_memory = "ts", .compute = timestamp_compute},
};
SLI_OP_MODULE(print);
