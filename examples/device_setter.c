// Where sl_replica_device_setter puts each thing: variables go to the ps tasks in turn, together
// with what initialises and updates them; everything else goes to the worker. Builds graphs only:
// no server is started and nothing runs.
//
//   device_setter
//
// Prints first the variables of a worker of a larger cluster, then the parts of a small model:
//
//   v1 is on /job:ps/task:0
//   v2 is on /job:ps/task:1
//   v3 is on /job:ps/task:0
//   a is on /job:worker/task:1
//   define w in /job:ps/task:0
//   define b in /job:ps/task:0
//   define loss in /job:worker
//   …
#include <stdio.h>

#include "sluice/sluice.h"

static void print(const char *what, TF_Operation *operation) {
  printf("%s %s\n", what, TF_OperationDevice(operation));
}

static TF_Output variable(sl_scope_t *g, const char *name, double value) {
  return sl_get_variable(g, name, TF_FLOAT, SL_SHAPE(), .initializer = SL_CONSTANT(value));
}

// Two ps tasks and three workers; this is the graph of worker 1.
static void place_variables(void) {
  sl_scope_t *g = sl_graph_scope();
  SL_DEVICE(g,
            sl_replica_device_setter(NULL, .ps_tasks = 2, .worker_device = "/job:worker/task:1")) {
    TF_Output v1 = variable(g, "v1", 1), v2 = variable(g, "v2", 2), v3 = variable(g, "v3", 3);
    TF_Output a = sl_add(g, v1, v2, .name = "a");
    print("v1 is on", v1.oper);
    print("v2 is on", v2.oper);
    print("v3 is on", v3.oper);
    print("a is on", a.oper);
  }
  sl_scope_release(g);
}

// One ps task; the graph is for any worker.
static void place_model(void) {
  sl_scope_t *g = sl_graph_scope();
  SL_DEVICE(g, sl_replica_device_setter(NULL, .ps_tasks = 1)) {
    TF_Output x = sl_placeholder(g, TF_FLOAT, SL_UNKNOWN_SHAPE, .name = "X");
    TF_Output y = sl_placeholder(g, TF_FLOAT, SL_UNKNOWN_SHAPE, .name = "Y");
    TF_Output w = variable(g, "weight", 0), b = variable(g, "bias", 0);
    TF_Output error = sl_subtract(g, sl_subtract(g, y, sl_multiply(g, x, w)), b);
    TF_Output loss = sl_square(g, error), step = sl_global_step(g);
    TF_Operation *train = sl_minimize(g, sl_adagrad(g, 0.01), loss, .global_step = step);
    TF_Operation *init = sl_global_variables_initializer(g);
    print("define w in", w.oper);
    print("define b in", b.oper);
    print("define loss in", loss.oper);
    print("define global_step in", step.oper);
    print("define train_op in", train);
    print("define init_op in", init);
    print("init w in", sl_variable_info(g, w)->initializer);
    print("init b in", sl_variable_info(g, b)->initializer);
    print("init global_step in", sl_variable_info(g, step)->initializer);
  }
  sl_scope_release(g);
}

int main(void) {
  place_variables();
  place_model();
  return 0;
}
