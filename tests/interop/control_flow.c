// The C side of checks/control_flow, over public headers only.
//   control_flow build PATH              exports a graph of loops and branches as a MetaGraph
//   control_flow copy IN PATH [SCOPE]    imports one, under a name scope if given, and exports it again
#include <stdio.h>
#include <string.h>

#include "sluice/sluice.h"

typedef struct {
  TF_Output x, i, v, w;
} values_t;

static TF_Output below_3(sl_scope_t *s, void *data, const TF_Output *v) {
  return sl_less(s, v[0], sl_scalar(s, TF_INT32, 3, .name = "three"));
}

static void times_x(sl_scope_t *s, void *data, TF_Output *results) {
  const values_t *values = data;
  results[0] = sl_multiply(s, values->v, values->x, .name = "product");
}

static void as_it_is(sl_scope_t *s, void *data, TF_Output *results) { results[0] = ((values_t *)data)->v; }

static TF_Output below_40(sl_scope_t *s, void *data, const TF_Output *v) {
  return sl_less(s, v[0], sl_scalar(s, TF_FLOAT, 40, .name = "forty"));
}

static void add_w(sl_scope_t *s, void *data, const TF_Output *v, TF_Output *next) {
  next[0] = sl_add(s, v[0], ((values_t *)data)->w, .name = "more");
}

static void turn(sl_scope_t *s, void *data, const TF_Output *v, TF_Output *next) {
  values_t *values = data;
  values->v = v[1];
  TF_Output first = sl_equal(s, v[0], sl_scalar(s, TF_INT32, 1, .name = "one"));
  values->w = sl_cond(s, first, times_x, as_it_is, values, 1).items[0];
  next[1] = sl_while_loop(s, below_40, add_w, values, SL_OUTPUTS(values->w)).items[0];
  next[0] = sl_add(s, v[0], sl_scalar(s, TF_INT32, 1, .name = "another"), .name = "next");
}

static void build(sl_scope_t *s) {
  values_t values = {.x = sl_placeholder(s, TF_FLOAT, SL_SHAPE(), .name = "x")};
  TF_Output positive = sl_placeholder(s, TF_BOOL, SL_SHAPE(), .name = "positive");
  sl_outputs_t last =
      sl_while_loop(s, below_3, turn, &values, SL_OUTPUTS(sl_scalar(s, TF_INT32, 0, .name = "zero"), values.x),
                    .maximum_iterations = sl_scalar(s, TF_INT32, 7, .name = "most"));
  values.v = last.items[1];
  sl_collection_add(s, "results", sl_cond(s, positive, times_x, as_it_is, &values, 1).items[0]);
}

int main(int argc, char **argv) {
  sl_scope_t *s = sl_graph_scope();
  const char *path = NULL;
  if (argc == 3 && !strcmp(argv[1], "build")) {
    build(s);
    path = argv[2];
  } else if ((argc == 4 || argc == 5) && !strcmp(argv[1], "copy")) {
    sl_import_meta_graph(s, argv[2], .import_scope = argc == 5 ? argv[4] : NULL);
    path = argv[3];
  }
  if (!path) {
    fprintf(stderr, "control_flow build PATH | copy IN PATH [SCOPE]\n");
    return 2;
  }
  TF_Status *status = TF_NewStatus();
  sl_export_meta_graph(s, path, status);
  int code = TF_GetCode(status) != TF_OK;
  if (code) fprintf(stderr, "%s\n", TF_Message(status));
  TF_DeleteStatus(status);
  sl_scope_release(s);
  return code;
}
