// Differentiates forward graphs that TensorFlow built, mainly while loops, and compares the values of our gradients
// with those of tf.gradients.
//
// A case is as in tests/golden/cases, with the forward graph alone, and
//   ys NAME…, xs NAME…, dys NAME…, stops NAME…   what to differentiate
//   gradient I OFFSET LENGTH RTOL ATOL            within a run: the gradient for the I-th x, made dense
//   none I                                        the I-th x gets no gradient
#include "graph/gradients/gradients.h"
#include "base/test.h"
#include "graph/import.h"
#include "runtime/session/session.h"
#include "tests/golden/golden.h"

enum { MAX_ITEMS = 32 };

typedef struct {
  sli_output_t items[MAX_ITEMS];
  size_t count;
} outputs_t;

typedef struct {
  char *names[2];  // of the gradient, or of its values and indices
  int index;       // the x; -1: a y
  sli_tensor_t *wanted;
  double relative, absolute;
} expectation_t;

typedef struct {
  const char *label;
  sli_string_t tensors;
  sli_graph_t *graph;
  sli_session_t *session;
  outputs_t ys, xs, dys, stops;
  sli_gradient_slices_t gradients[MAX_ITEMS];
  // The run being collected.
  char *feed_names[MAX_ITEMS], *target_names[MAX_ITEMS];
  sli_tensor_t *feeds[MAX_ITEMS];
  expectation_t expectations[MAX_ITEMS];
  size_t feed_count, target_count, expectation_count;
  int runs;
} case_t;

static char *output_name(sli_output_t output) { return sli_format("%s:%d", output.node->def.name, output.index); }

// IndexedSlices add up row by row.
static sli_tensor_t *densify(const sli_tensor_t *values, const sli_tensor_t *indices, const sli_tensor_t *like) {
  sli_tensor_t *dense;
  sli_status_t *status = sli_tensor_create(sli_allocator_cpu(), SLI_DTYPE_FLOAT, like->dims, like->rank, &dense);
  SLI_CHECK(!status);
  if (dense->count) memset(dense->data, 0, sli_tensor_bytes(dense));
  int64_t rows = indices->count, width = rows ? values->count / rows : 0;
  for (int64_t r = 0; r < rows; r++) {
    int64_t row = sli_tensor_int_at(indices, r);
    for (int64_t i = 0; i < width && row >= 0 && (row + 1) * width <= dense->count; i++)
      SLI_DATA(float, dense)[row * width + i] += SLI_DATA(float, values)[r * width + i];
  }
  return dense;
}

static void compare(case_t *c, const expectation_t *e, sli_tensor_t *values, const sli_tensor_t *indices) {
  sli_tensor_t *dense = indices ? densify(values, indices, e->wanted) : sli_tensor_retain(values);
  if (!golden_compare(c->label, c->runs, e->names[0], dense, e->wanted, e->relative, e->absolute))
    fprintf(stderr, "(the gradient for x %d)\n", e->index);
  sli_tensor_release(dense);
}

static void run_case(case_t *c) {
  const char *fetches[2 * MAX_ITEMS];
  sli_tensor_t *got[2 * MAX_ITEMS] = {0};
  size_t count = 0;
  for (size_t i = 0; i < c->expectation_count; i++)
    for (int k = 0; k < 2; k++)
      if (c->expectations[i].names[k]) fetches[count++] = c->expectations[i].names[k];
  sli_session_run_t run = {
      .feed_names = (const char *const *)c->feed_names,
      .feeds = c->feeds,
      .feed_count = c->feed_count,
      .fetch_names = fetches,
      .fetch_count = count,
      .target_names = (const char *const *)c->target_names,
      .target_count = c->target_count,
  };
  sli_status_t *status = c->session->vtable->run(c->session, &run, got);
  if (status) sli_test_fail(c->label, c->runs, "%s", sli_status_message(status));
  for (size_t i = 0, at = 0; i < c->expectation_count; i++) {
    const expectation_t *e = &c->expectations[i];
    sli_tensor_t *values = got[at++], *indices = e->names[1] ? got[at++] : NULL;
    if (!status) compare(c, e, values, indices);
  }
  for (size_t i = 0; i < count; i++) sli_tensor_release(got[i]);
  sli_status_release(status);
  c->runs++;
}

static void clear_run(case_t *c) {
  for (size_t i = 0; i < c->feed_count; i++) free(c->feed_names[i]), sli_tensor_release(c->feeds[i]);
  for (size_t i = 0; i < c->target_count; i++) free(c->target_names[i]);
  for (size_t i = 0; i < c->expectation_count; i++) {
    free(c->expectations[i].names[0]);
    free(c->expectations[i].names[1]);
    sli_tensor_release(c->expectations[i].wanted);
  }
  c->feed_count = c->target_count = c->expectation_count = 0;
}

static sli_status_t *find_outputs(case_t *c, const sli_view_t *words, int count, outputs_t *out) {
  for (int i = 0; i < count; i++)
    SLI_RETURN_IF_ERROR(sli_graph_find_output(c->graph, words[i], &out->items[out->count++]));
  return NULL;
}

// All of the case's first lines are read: adds the gradients and starts a session.
static sli_status_t *differentiate(case_t *c) {
  sli_gradients_request_t request = {
      .ys = c->ys.items,
      .y_count = c->ys.count,
      .xs = c->xs.items,
      .x_count = c->xs.count,
      .dys = c->dys.count ? c->dys.items : NULL,
      .stops = c->stops.items,
      .stop_count = c->stops.count,
  };
  SLI_RETURN_IF_ERROR(sli_gradients_add(c->graph, &request, c->gradients));
  SLI_RETURN_IF_ERROR(sli_direct_session_create(sli_view(""), &c->session));
  sli_string_t bytes = {0};
  sli_graph_export(c->graph, &bytes);
  sli_status_t *status = c->session->vtable->extend(c->session, sli_view_of(bytes.data, bytes.size));
  sli_string_deinitialize(&bytes);
  return status;
}

static void expect_gradient(case_t *c, const sli_view_t *words) {
  int64_t index;
  SLI_CHECK(sli_view_to_int64(words[0], &index) && index >= 0 && index < (int64_t)c->xs.count);
  const sli_gradient_slices_t *gradient = &c->gradients[index];
  if (!gradient->values.node) {
    sli_test_fail(c->label, c->runs, "x %lld has no gradient", (long long)index);
    return;
  }
  expectation_t *e = &c->expectations[c->expectation_count++];
  *e = (expectation_t){.index = (int)index, .wanted = golden_tensor(&c->tensors, words[1], words[2])};
  e->names[0] = output_name(gradient->values);
  if (gradient->indices.node) e->names[1] = output_name(gradient->indices);
  sli_view_to_double(words[3], &e->relative);
  sli_view_to_double(words[4], &e->absolute);
}

static sli_status_t *read_line(case_t *c, sli_view_t line) {
  sli_view_t words[MAX_ITEMS];
  int count = 0;
  for (bool more = true; more && count < MAX_ITEMS; count++) more = sli_view_split(line, ' ', &words[count], &line);
  if (sli_view_is(words[0], "ys")) return find_outputs(c, words + 1, count - 1, &c->ys);
  if (sli_view_is(words[0], "xs")) return find_outputs(c, words + 1, count - 1, &c->xs);
  if (sli_view_is(words[0], "dys")) return find_outputs(c, words + 1, count - 1, &c->dys);
  if (sli_view_is(words[0], "stops")) return find_outputs(c, words + 1, count - 1, &c->stops);
  if (sli_view_is(words[0], "run") && !c->session) return differentiate(c);
  if (sli_view_is(words[0], "feed")) {
    c->feed_names[c->feed_count] = sli_strndup(words[1].data, words[1].size);
    c->feeds[c->feed_count++] = golden_tensor(&c->tensors, words[2], words[3]);
  } else if (sli_view_is(words[0], "target")) {
    c->target_names[c->target_count++] = sli_strndup(words[1].data, words[1].size);
  } else if (sli_view_is(words[0], "fetch")) {
    expectation_t *e = &c->expectations[c->expectation_count++];
    *e = (expectation_t){.index = -1, .wanted = golden_tensor(&c->tensors, words[2], words[3])};
    e->names[0] = sli_strndup(words[1].data, words[1].size);
    sli_view_to_double(words[4], &e->relative);
    sli_view_to_double(words[5], &e->absolute);
  } else if (sli_view_is(words[0], "gradient")) {
    expect_gradient(c, words + 1);
  } else if (sli_view_is(words[0], "none")) {
    int64_t index = 0;
    sli_view_to_int64(words[1], &index);
    if (c->gradients[index].values.node) sli_test_fail(c->label, c->runs, "x %lld has a gradient", (long long)index);
  } else if (sli_view_is(words[0], "end")) {
    run_case(c);
    clear_run(c);
  }
  return NULL;
}

static void check_case(const char *directory, const char *label) {
  char *graph_path = sli_format("%s/graph.pb", directory), *tensors_path = sli_format("%s/tensors.bin", directory);
  char *manifest_path = sli_format("%s/manifest.txt", directory);
  sli_string_t graph = {0}, manifest = {0};
  case_t *c = sli_calloc(1, sizeof(*c));
  c->label = label;
  c->graph = sli_graph_create();
  bool pending = golden_is_pending(label);
  sli_status_t *status = NULL;
  if (!golden_read(graph_path, &graph) || !golden_read(tensors_path, &c->tensors) ||
      !golden_read(manifest_path, &manifest))
    status = sli_status_make(SLI_DATA_LOSS, "cannot read the case's files");
  if (!status) status = sli_graph_import(c->graph, sli_view_of(graph.data, graph.size), NULL, NULL);
  for (sli_view_t rest = sli_view_of(manifest.data, manifest.size), line; !status && rest.size;) {
    sli_view_split(rest, '\n', &line, &rest);
    status = read_line(c, line);
  }
  clear_run(c);
  if (status && (!pending || sli_status_code(status) != SLI_NOT_FOUND))
    sli_test_fail(label, 0, "%s", sli_status_message(status));
  if (!status && pending) sli_test_fail(label, 0, "runs now: take it out of tests/golden/pending.txt");
  sli_status_release(status);
  golden_session_close(c->session);
  sli_graph_release(c->graph);
  sli_string_deinitialize(&c->tensors);
  free(c);
  sli_string_deinitialize(&graph);
  sli_string_deinitialize(&manifest);
  free(graph_path);
  free(tensors_path);
  free(manifest_path);
}

SLI_TEST(test_loop_gradients_equal_tensorflow) {
  golden_names_t names;
  golden_list_cases("loop_gradients", &names);
  SLI_EXPECT(names.names.count > 0);
  for (size_t i = 0; i < names.names.count; i++) {
    char *label = sli_format("loop_gradients/%s", names.names.items[i]);
    char *inner = sli_format("%s/%s", sli_test_golden_dir(), label);
    check_case(inner, label);
    free(inner);
    free(label);
  }
  golden_names_deinitialize(&names);
}

SLI_TEST_MAIN(test_loop_gradients_equal_tensorflow)
