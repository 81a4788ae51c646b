#include "tests/golden/golden.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/test.h"
#include "core/tensor/tensor_codec.h"
#include "math/half.h"

bool golden_read(const char *path, sli_string_t *out) {
  FILE *file = fopen(path, "rb");
  if (!file) return false;
  char buffer[65536];
  for (size_t n; (n = fread(buffer, 1, sizeof(buffer), file)) > 0;) sli_string_append(out, buffer, n);
  bool good = !ferror(file);
  fclose(file);
  return good;
}

static int by_text(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

void golden_list(const char *directory, const char *suffix, golden_names_t *out_names) {
  *out_names = (golden_names_t){0};
  DIR *handle = opendir(directory);
  for (struct dirent *entry; handle && (entry = readdir(handle));)
    if (entry->d_name[0] != '.' && sli_string_ends_with(entry->d_name, suffix))
      sli_array_push(&out_names->names, sli_strdup(entry->d_name));
  if (handle) closedir(handle);
  if (out_names->names.count) qsort(out_names->names.items, out_names->names.count, sizeof(char *), by_text);
}

void golden_names_deinitialize(golden_names_t *names) {
  for (size_t i = 0; i < names->names.count; i++) free(names->names.items[i]);
  sli_array_deinitialize(&names->names);
}

bool golden_is_pending(const char *name) {
  char *path = sli_format("%s/pending.txt", sli_test_golden_dir());
  sli_string_t text = {0};
  golden_read(path, &text);
  free(path);
  bool found = false;
  for (sli_view_t rest = sli_view_of(text.data, text.size), line; rest.size && !found;) {
    sli_view_split(rest, '\n', &line, &rest);
    found = sli_view_is(sli_view_trim(line), name);
  }
  sli_string_deinitialize(&text);
  return found;
}

void golden_list_cases(const char *group, golden_names_t *out_names) {
  char *directory = sli_format("%s/%s", sli_test_golden_dir(), group);
  golden_names_t all;
  golden_list(directory, "", &all);
  *out_names = (golden_names_t){0};
  const char *only = getenv("GOLDEN_ONLY");
  for (size_t i = 0; i < all.names.count; i++) {
    bool is_wanted = !strchr(all.names.items[i], '.') && (!only || !strcmp(only, all.names.items[i]));
    if (is_wanted) sli_array_push(&out_names->names, sli_strdup(all.names.items[i]));
  }
  golden_names_deinitialize(&all);
  free(directory);
}

sli_tensor_t *golden_tensor(const sli_string_t *tensors, sli_view_t offset_text, sli_view_t length_text) {
  int64_t offset, length;
  sli_tensor_t *tensor = NULL;
  SLI_CHECK(sli_view_to_int64(offset_text, &offset) && sli_view_to_int64(length_text, &length));
  SLI_CHECK(offset >= 0 && length >= 0 && (size_t)(offset + length) <= tensors->size);
  sli_status_t *status = sli_tensor_decode(sli_view_of(tensors->data + offset, (size_t)length), &tensor);
  SLI_CHECK(!status);
  return tensor;
}

// Comparison.

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
  return got == want || fabs(got - want) <= absolute + relative * fabs(want);
}

static bool strings_equal(const sli_tensor_t *got, const sli_tensor_t *want) {
  for (int64_t i = 0; i < want->count; i++)
    if (!sli_view_equal(sli_tstring_view(&SLI_DATA(sli_tstring_t, got)[i]),
                        sli_tstring_view(&SLI_DATA(sli_tstring_t, want)[i])))
      return false;
  return true;
}

bool golden_compare(const char *label, int run, const char *name, const sli_tensor_t *got, const sli_tensor_t *want,
                    double relative, double absolute) {
  if (got->dtype != want->dtype || !sli_tensor_same_shape(got, want)) {
    char *a = sli_shape_to_text(sli_tensor_shape(got)), *b = sli_shape_to_text(sli_tensor_shape(want));
    sli_test_fail(label, run, "%s: have %s %s, want %s %s", name, sli_dtype_name(got->dtype), a,
                  sli_dtype_name(want->dtype), b);
    free(a);
    free(b);
    return false;
  }
  if (want->dtype == SLI_DTYPE_STRING) {
    if (strings_equal(got, want)) return true;
    sli_test_fail(label, run, "%s: strings differ", name);
    return false;
  }
  bool is_complex = want->dtype == SLI_DTYPE_COMPLEX64 || want->dtype == SLI_DTYPE_COMPLEX128;
  for (int64_t i = 0; i < (is_complex ? 2 : 1) * want->count; i++) {
    double a = element(got, i), b = element(want, i);
    if (near(a, b, relative, absolute)) continue;
    sli_test_fail(label, run, "%s[%lld]: have %.9g, want %.9g", name, (long long)i, a, b);
    return false;
  }
  return true;
}

// Cases.

static void read_line(golden_case_t *c, const sli_string_t *tensors, sli_view_t line, golden_run_t **run) {
  sli_view_t words[8];
  int count = 0;
  for (bool more = true; more && count < 8; count++) more = sli_view_split(line, ' ', &words[count], &line);
  if (!*run) *run = sli_calloc(1, sizeof(**run));
  golden_run_t *r = *run;
  SLI_CHECK(r->feed_count < GOLDEN_MAX_ITEMS && r->fetch_count < GOLDEN_MAX_ITEMS &&
            r->target_count < GOLDEN_MAX_ITEMS);
  int64_t code = 0;
  if (sli_view_is(words[0], "feed")) {
    r->feeds[r->feed_count] = golden_tensor(tensors, words[2], words[3]);
    r->feed_names[r->feed_count++] = sli_strndup(words[1].data, words[1].size);
  } else if (sli_view_is(words[0], "fetch")) {
    r->wanted[r->fetch_count] = golden_tensor(tensors, words[2], words[3]);
    sli_view_to_double(words[4], &r->relative[r->fetch_count]);
    sli_view_to_double(words[5], &r->absolute[r->fetch_count]);
    r->fetch_names[r->fetch_count++] = sli_strndup(words[1].data, words[1].size);
  } else if (sli_view_is(words[0], "fetch_fails")) {
    r->fetch_names[r->fetch_count++] = sli_strndup(words[1].data, words[1].size);
  } else if (sli_view_is(words[0], "target")) {
    r->target_names[r->target_count++] = sli_strndup(words[1].data, words[1].size);
  } else if (sli_view_is(words[0], "error") && count > 2 && sli_view_to_int64(words[2], &code)) {
    r->error_code = (int)code;
  } else if (sli_view_is(words[0], "end")) {
    sli_array_push(&c->runs, r);
    *run = NULL;
  }
}

static void run_free(golden_run_t *run) {
  if (!run) return;
  for (size_t i = 0; i < run->feed_count; i++) free(run->feed_names[i]), sli_tensor_release(run->feeds[i]);
  for (size_t i = 0; i < run->fetch_count; i++) free(run->fetch_names[i]), sli_tensor_release(run->wanted[i]);
  for (size_t i = 0; i < run->target_count; i++) free(run->target_names[i]);
  free(run);
}

sli_status_t *golden_case_load(const char *group, const char *name, golden_case_t *out_case) {
  *out_case = (golden_case_t){.label = sli_format("%s/%s", group, name)};
  const char *root = sli_test_golden_dir();
  char *graph_path = sli_format("%s/%s/graph.pb", root, out_case->label);
  char *tensors_path = sli_format("%s/%s/tensors.bin", root, out_case->label);
  char *manifest_path = sli_format("%s/%s/manifest.txt", root, out_case->label);
  sli_string_t tensors = {0}, manifest = {0};
  golden_run_t *run = NULL;
  bool is_read = golden_read(graph_path, &out_case->graph) && golden_read(tensors_path, &tensors) &&
                 golden_read(manifest_path, &manifest);
  for (sli_view_t rest = sli_view_of(manifest.data, manifest.size), line; is_read && rest.size;) {
    sli_view_split(rest, '\n', &line, &rest);
    read_line(out_case, &tensors, line, &run);
  }
  run_free(run);
  sli_string_deinitialize(&tensors);
  sli_string_deinitialize(&manifest);
  free(graph_path);
  free(tensors_path);
  free(manifest_path);
  return is_read ? NULL : sli_status_make(SLI_DATA_LOSS, "cannot read the files of %s", out_case->label);
}

void golden_case_deinitialize(golden_case_t *c) {
  for (size_t i = 0; i < c->runs.count; i++) run_free(c->runs.items[i]);
  sli_array_deinitialize(&c->runs);
  sli_string_deinitialize(&c->graph);
  free(c->label);
}

sli_status_t *golden_case_open(const golden_case_t *c, sli_view_t config, sli_session_t **out_session) {
  SLI_RETURN_IF_ERROR(sli_direct_session_create(config, out_session));
  sli_status_t *status = (*out_session)->vtable->extend(*out_session, sli_view_of(c->graph.data, c->graph.size));
  if (!status) return NULL;
  golden_session_close(*out_session);
  *out_session = NULL;
  return status;
}

sli_status_t *golden_run(sli_session_t *session, const golden_run_t *run, sli_tensor_t **got) {
  sli_session_run_t request = {
      .feed_names = (const char *const *)run->feed_names,
      .feeds = run->feeds,
      .feed_count = run->feed_count,
      .fetch_names = (const char *const *)run->fetch_names,
      .fetch_count = run->fetch_count,
      .target_names = (const char *const *)run->target_names,
      .target_count = run->target_count,
  };
  return session->vtable->run(session, &request, got);
}

void golden_session_close(sli_session_t *session) {
  if (!session) return;
  sli_status_release(session->vtable->close(session));
  session->vtable->destroy(session);
}
