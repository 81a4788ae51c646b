// Replays the runs that real TensorFlow recorded: values, gradients, optimizer
// trajectories and errors, through a session in this process.
#include <math.h>

#include "base/test.h"
#include "core/tensor_codec.h"
#include "golden_internal.h"
#include "math/half.h"
#include "runtime/session.h"

enum { MAX_ITEMS = 128 };

typedef struct {
  const char *label;
  sli_session_t *session;
  sli_view_t tensors;
  // The run being collected.
  char *feed_names[MAX_ITEMS], *fetch_names[MAX_ITEMS], *target_names[MAX_ITEMS];
  sli_tensor_t *feeds[MAX_ITEMS], *wanted[MAX_ITEMS];
  double relative[MAX_ITEMS], absolute[MAX_ITEMS];
  size_t feed_count, fetch_count, target_count;
  int error_code;
  int runs, failures;
} case_t;

static double element(const sli_tensor_t *tensor, int64_t i) {
  switch (tensor->dtype) {
    case SLI_DTYPE_FLOAT: return SLI_DATA(float, tensor)[i];
    case SLI_DTYPE_DOUBLE: return SLI_DATA(double, tensor)[i];
    case SLI_DTYPE_COMPLEX64: return SLI_DATA(float, tensor)[i];
    case SLI_DTYPE_COMPLEX128: return SLI_DATA(double, tensor)[i];
    case SLI_DTYPE_INT64: return (double)SLI_DATA(int64_t, tensor)[i];
    case SLI_DTYPE_UINT64: return (double)SLI_DATA(uint64_t, tensor)[i];
    case SLI_DTYPE_INT32: return SLI_DATA(int32_t, tensor)[i];
    case SLI_DTYPE_UINT32: return SLI_DATA(uint32_t, tensor)[i];
    case SLI_DTYPE_INT16: return SLI_DATA(int16_t, tensor)[i];
    case SLI_DTYPE_UINT16: return SLI_DATA(uint16_t, tensor)[i];
    case SLI_DTYPE_INT8: return SLI_DATA(int8_t, tensor)[i];
    case SLI_DTYPE_UINT8:
    case SLI_DTYPE_BOOL: return SLI_DATA(uint8_t, tensor)[i];
    case SLI_DTYPE_HALF: return sli_half_to_float(SLI_DATA(uint16_t, tensor)[i]);
    case SLI_DTYPE_BFLOAT16: return sli_bfloat16_to_float(SLI_DATA(uint16_t, tensor)[i]);
    default: return NAN;
  }
}

static bool near(double got, double want, double relative, double absolute) {
  if (isnan(got) || isnan(want)) return isnan(got) && isnan(want);
  if (got == want) return true;
  return fabs(got - want) <= absolute + relative * fabs(want);
}

static bool strings_equal(const sli_tensor_t *got, const sli_tensor_t *want) {
  for (int64_t i = 0; i < want->count; i++)
    if (!sli_view_equal(sli_tstring_view(&SLI_DATA(sli_tstring_t, got)[i]),
                        sli_tstring_view(&SLI_DATA(sli_tstring_t, want)[i])))
      return false;
  return true;
}

static void compare(case_t *c, size_t i, const sli_tensor_t *got) {
  const sli_tensor_t *want = c->wanted[i];
  if (got->dtype != want->dtype || !sli_tensor_same_shape(got, want)) {
    char *a = sli_shape_to_text(sli_tensor_shape(got)), *b = sli_shape_to_text(sli_tensor_shape(want));
    sli_test_fail(c->label, c->runs, "%s: have %s %s, want %s %s", c->fetch_names[i], sli_dtype_name(got->dtype), a,
                  sli_dtype_name(want->dtype), b);
    free(a);
    free(b);
    c->failures++;
    return;
  }
  if (want->dtype == SLI_DTYPE_STRING) {
    if (strings_equal(got, want)) return;
    sli_test_fail(c->label, c->runs, "%s: strings differ", c->fetch_names[i]);
    c->failures++;
    return;
  }
  int64_t count =
      want->dtype == SLI_DTYPE_COMPLEX64 || want->dtype == SLI_DTYPE_COMPLEX128 ? 2 * want->count : want->count;
  for (int64_t k = 0; k < count; k++) {
    double a = element(got, k), b = element(want, k);
    if (near(a, b, c->relative[i], c->absolute[i])) continue;
    sli_test_fail(c->label, c->runs, "%s[%lld]: have %.9g, want %.9g", c->fetch_names[i], (long long)k, a, b);
    c->failures++;
    return;
  }
}

static void run_case(case_t *c) {
  sli_session_run_t run = {
      .feed_names = (const char *const *)c->feed_names,
      .feeds = c->feeds,
      .feed_count = c->feed_count,
      .fetch_names = (const char *const *)c->fetch_names,
      .fetch_count = c->fetch_count,
      .target_names = (const char *const *)c->target_names,
      .target_count = c->target_count,
  };
  sli_tensor_t *got[MAX_ITEMS] = {0};
  sli_status_t *status = c->session->vtable->run(c->session, &run, got);
  if ((int)sli_status_code(status) != c->error_code) {
    sli_test_fail(c->label, c->runs, "status %s, wanted %s: %s", sli_code_name(sli_status_code(status)),
                  sli_code_name((sli_code_t)c->error_code), sli_status_message(status));
    c->failures++;
  }
  for (size_t i = 0; i < c->fetch_count; i++) {
    if (!status && c->wanted[i]) compare(c, i, got[i]);
    sli_tensor_release(got[i]);
  }
  sli_status_release(status);
}

static void clear_run(case_t *c) {
  for (size_t i = 0; i < c->feed_count; i++) free(c->feed_names[i]), sli_tensor_release(c->feeds[i]);
  for (size_t i = 0; i < c->fetch_count; i++) free(c->fetch_names[i]), sli_tensor_release(c->wanted[i]);
  for (size_t i = 0; i < c->target_count; i++) free(c->target_names[i]);
  c->feed_count = c->fetch_count = c->target_count = 0;
  c->error_code = 0;
}

static sli_tensor_t *tensor_at(case_t *c, sli_view_t offset_text, sli_view_t length_text) {
  int64_t offset, length;
  sli_tensor_t *tensor = NULL;
  SLI_CHECK(sli_view_to_int64(offset_text, &offset) && sli_view_to_int64(length_text, &length));
  SLI_CHECK(offset >= 0 && length >= 0 && (size_t)(offset + length) <= c->tensors.size);
  sli_status_t *status = sli_tensor_decode(sli_view_of(c->tensors.data + offset, (size_t)length), &tensor);
  if (status) sli_test_fail(c->label, c->runs, "%s", sli_status_message(status));
  sli_status_release(status);
  return tensor;
}

static void read_line(case_t *c, sli_view_t line) {
  sli_view_t words[8];
  int count = 0;
  for (bool more = true; more && count < 8; count++) more = sli_view_split(line, ' ', &words[count], &line);
  char *name = count > 1 ? sli_strndup(words[1].data, words[1].size) : NULL;
  bool kept = true;
  SLI_CHECK(c->feed_count < MAX_ITEMS && c->fetch_count < MAX_ITEMS && c->target_count < MAX_ITEMS);
  if (sli_view_is(words[0], "feed")) {
    c->feeds[c->feed_count] = tensor_at(c, words[2], words[3]);
    c->feed_names[c->feed_count++] = name;
  } else if (sli_view_is(words[0], "fetch")) {
    c->wanted[c->fetch_count] = tensor_at(c, words[2], words[3]);
    sli_view_to_double(words[4], &c->relative[c->fetch_count]);
    sli_view_to_double(words[5], &c->absolute[c->fetch_count]);
    c->fetch_names[c->fetch_count++] = name;
  } else if (sli_view_is(words[0], "fetch_fails")) {
    c->wanted[c->fetch_count] = NULL;
    c->fetch_names[c->fetch_count++] = name;
  } else if (sli_view_is(words[0], "target")) {
    c->target_names[c->target_count++] = name;
  } else {
    kept = false;
  }
  int64_t code = 0;
  if (sli_view_is(words[0], "error") && count > 2 && sli_view_to_int64(words[2], &code)) c->error_code = (int)code;
  if (sli_view_is(words[0], "end")) {
    run_case(c);
    c->runs++;
    clear_run(c);
  }
  if (!kept) free(name);
}

static int passed, pending_count;

static void check_case(const char *directory, const char *label) {
  char *graph_path = sli_format("%s/graph.pb", directory), *tensors_path = sli_format("%s/tensors.bin", directory);
  char *manifest_path = sli_format("%s/manifest.txt", directory);
  sli_string_t graph = {0}, tensors = {0}, manifest = {0};
  case_t *c = sli_calloc(1, sizeof(*c));
  c->label = label;
  bool pending = golden_is_pending(label);
  sli_status_t *status = NULL;
  if (!golden_read(graph_path, &graph) || !golden_read(tensors_path, &tensors) ||
      !golden_read(manifest_path, &manifest))
    status = sli_status_make(SLI_DATA_LOSS, "cannot read the case's files");
  c->tensors = sli_view_of(tensors.data, tensors.size);
  if (!status) status = sli_direct_session_create(sli_view(""), &c->session);
  if (!status) status = c->session->vtable->extend(c->session, sli_view_of(graph.data, graph.size));
  for (sli_view_t rest = sli_view_of(manifest.data, manifest.size), line; !status && rest.size;) {
    sli_view_split(rest, '\n', &line, &rest);
    read_line(c, line);
  }
  clear_run(c);
  if (status && (!pending || sli_status_code(status) != SLI_NOT_FOUND))
    sli_test_fail(label, 0, "%s", sli_status_message(status));
  if (!status && pending) sli_test_fail(label, 0, "runs now: take it out of tests/golden/pending.txt");
  pending_count += status != NULL;
  passed += !status && c->failures == 0;
  sli_status_release(status);
  if (c->session) {
    sli_status_release(c->session->vtable->close(c->session));
    c->session->vtable->destroy(c->session);
  }
  free(c);
  sli_string_deinitialize(&graph);
  sli_string_deinitialize(&tensors);
  sli_string_deinitialize(&manifest);
  free(graph_path);
  free(tensors_path);
  free(manifest_path);
}

static void check_group(const char *group) {
  char *directory = sli_format("%s/%s", sli_test_golden_dir(), group);
  golden_names_t names;
  golden_list(directory, "", &names);
  passed = pending_count = 0;
  const char *only = getenv("GOLDEN_ONLY");
  for (size_t i = 0; i < names.names.count; i++) {
    if (strchr(names.names.items[i], '.') || (only && strcmp(only, names.names.items[i]) != 0)) continue;
    char *inner = sli_format("%s/%s", directory, names.names.items[i]);
    char *label = sli_format("%s/%s", group, names.names.items[i]);
    check_case(inner, label);
    free(inner);
    free(label);
  }
  golden_names_deinitialize(&names);
  free(directory);
  printf("%s: %d pass, %d wait for ops\n", group, passed, pending_count);
}

SLI_TEST(test_cases_equal_tensorflow) { check_group("cases"); }
SLI_TEST(test_optimizers_equal_tensorflow) { check_group("optimizers"); }

SLI_TEST_MAIN(test_cases_equal_tensorflow, test_optimizers_equal_tensorflow)
