#include "runtime/function/function_runtime.h"

#include <stdlib.h>

#include "graph/function/function_inline.h"
#include "runtime/execute/executor.h"
#include "runtime/place/placer.h"
#include "runtime/plan/plan.h"

enum {
  LEVELS_PER_STACK = 32,  // deeper calls continue on another thread, so that the stack does not grow
  DEEPEST_NESTING = 256,  // of functions that are compiled for each other
};

typedef struct instance instance_t;

typedef struct {
  sli_function_library_t base;
  sli_function_runtime_request_t request;
  sli_device_set_t devices;
  sli_mutex_t mutex;
  sli_map_t instances;  // by key, under |mutex|; their users keep them
} library_t;

// A compiled function.
struct instance {
  library_t *library;  // retained
  char *key;
  size_t key_size;
  int users;  // under the library's mutex
  sli_plan_t *plan;
  sli_dtype_t *types;  // of the arguments, then of the results
  int argument_count, result_count;
  bool is_stateful;
};

// What a kernel holds: a user of an instance, or the name of a function that is being compiled around it.
typedef struct {
  sli_function_t base;
  instance_t *instance;
  // Of a recursive call:
  library_t *library;  // retained
  sli_attr_t name;
  sli_arena_t arena;
  sli_device_t *device;
} handle_t;

// The functions that this thread is compiling, innermost first.
typedef struct compiling compiling_t;
struct compiling {
  compiling_t *outer;
  const library_t *library;
  sli_view_t key;
  int depth;
};
static _Thread_local compiling_t *compiling;

static const sli_function_vtable_t vtable;

// --- Gradients ------------------------------------------------------------------------

// The function whose gradient is asked for; NULL: |name| is an ordinary function.
static const sli_attr_func_t *differentiated(const sli_attr_func_t *name) {
  if (!sli_view_is(name->name, "SymbolicGradient")) return NULL;
  for (size_t i = 0; i < name->attr_count; i++)
    if (!strcmp(name->attrs[i].name, "f") && name->attrs[i].value.kind == SLI_ATTR_FUNC &&
        !name->attrs[i].value.is_list)
      return &name->attrs[i].value.func;
  return NULL;
}

static const sli_graph_function_t *find_definition(const library_t *library, const sli_attr_func_t *name) {
  const sli_attr_func_t *function = differentiated(name);
  return sli_graph_functions_find(library->request.functions, function ? function->name : name->name);
}

static sli_status_t *create_body(const library_t *library, const sli_attr_func_t *name, sli_function_body_t *out_body) {
  const sli_attr_func_t *function = differentiated(name);
  if (function) return sli_function_body_create_gradient(library->request.functions, function, out_body);
  SLI_RETURN_IF_ERROR(sli_function_body_create(library->request.functions, name, out_body));
  sli_status_t *status =
      sli_function_inline(out_body->graph, 0, &(sli_function_inline_options_t){.inside = name->name});
  if (status) sli_function_body_deinitialize(out_body);
  return status;
}

// --- Compiling ------------------------------------------------------------------------

static int compare_attrs(const void *a, const void *b) {
  return strcmp((*(const sli_attr_entry_t *const *)a)->name, (*(const sli_attr_entry_t *const *)b)->name);
}

// A text that is the same for equal requests: name, attributes sorted by name, device.
static void append_key(sli_string_t *key, const sli_attr_func_t *name, const sli_device_t *device) {
  sli_string_append_format(key, "%s;%.*s;", device->name, SLI_VIEW_ARG(name->name));
  const sli_attr_entry_t **sorted = sli_calloc(name->attr_count + 1, sizeof(*sorted));
  for (size_t i = 0; i < name->attr_count; i++) sorted[i] = &name->attrs[i];
  if (name->attr_count) qsort(sorted, name->attr_count, sizeof(*sorted), compare_attrs);
  for (size_t i = 0; i < name->attr_count; i++) {
    sli_string_t value = {0};
    sli_attr_encode(&sorted[i]->value, &value);
    sli_string_append_format(key, "%s=%zu:", sorted[i]->name, value.size);
    sli_string_append(key, sli_string_text(&value), value.size);
    sli_string_deinitialize(&value);
  }
  free(sorted);
}

// What a call runs besides the nodes that its results need, as in TensorFlow: the control outputs and what is stateful.
static void add_targets(const sli_function_body_t *body, sli_pass_pruned_t *pruned) {
  const sli_graph_t *graph = body->graph;
  bool *is_target = sli_calloc(graph->nodes.count + 1, sizeof(*is_target));
  for (size_t i = 0; i < graph->nodes.count; i++) {
    const sli_op_def_t *op = graph->nodes.items[i]->def.op->def;
    is_target[i] = op->is_stateful && !op->is_placeholder;
  }
  for (size_t i = 0; i < body->control_count; i++) is_target[body->controls[i]->id] = true;
  pruned->targets = sli_calloc(graph->nodes.count + 1, sizeof(*pruned->targets));
  for (size_t i = 0; i < graph->nodes.count; i++)
    if (is_target[i]) pruned->targets[pruned->target_count++] = graph->nodes.items[i];
  free(is_target);
}

static sli_status_t *place(const library_t *library, sli_graph_t *graph, const sli_device_t *device) {
  sli_placer_options_t options = {
      .devices = &library->devices, .default_device = device->name, .allow_soft_placement = true};
  return sli_placer_place(graph, &options);
}

// Takes the graph of |body|.
static sli_status_t *compile_body(library_t *library, sli_function_body_t *body, sli_device_t *device,
                                  sli_plan_t **out_plan) {
  SLI_RETURN_IF_ERROR(place(library, body->graph, device));
  sli_pass_pruned_t pruned = {.graph = body->graph,
                              .feeds = sli_memdup(body->arguments, (body->argument_count + 1) * sizeof(sli_output_t)),
                              .fetches = sli_calloc(body->result_count + 1, sizeof(sli_output_t)),
                              .feed_count = body->argument_count,
                              .fetch_count = body->result_count};
  for (size_t i = 0; i < body->result_count; i++) pruned.fetches[i] = body->results[i];
  add_targets(body, &pruned);
  body->graph = NULL;
  sli_pass_drop_unused(&pruned);
  sli_optimize(&pruned, &library->request.optimizer, device);
  sli_plan_request_t request = {.graph = pruned.graph,
                                .devices = &library->devices,
                                .feeds = pruned.feeds,
                                .feed_count = pruned.feed_count,
                                .fetches = pruned.fetches,
                                .fetch_count = pruned.fetch_count,
                                .session = library->request.session,
                                .functions = &library->base};
  sli_status_t *status = sli_plan_create(&request, out_plan);
  sli_pass_pruned_deinitialize(&pruned);
  return status;
}

static void instance_destroy(instance_t *instance) {
  sli_plan_release(instance->plan);
  sli_object_release(instance->library);
  free(instance->types);
  free(instance->key);
  free(instance);
}

static sli_status_t *instance_create(library_t *library, const sli_attr_func_t *name, sli_view_t key,
                                     sli_device_t *device, instance_t **out_instance) {
  sli_function_body_t body;
  SLI_RETURN_IF_ERROR(create_body(library, name, &body));
  instance_t *instance = sli_calloc(1, sizeof(*instance));
  instance->library = sli_object_retain(library);
  instance->key = sli_strndup(key.data, key.size);
  instance->key_size = key.size;
  instance->argument_count = (int)body.argument_count;
  instance->result_count = (int)body.result_count;
  instance->types = sli_calloc(body.argument_count + body.result_count + 1, sizeof(*instance->types));
  for (size_t i = 0; i < body.argument_count; i++)
    instance->types[i] = sli_dtype_base(sli_graph_output_dtype(body.arguments[i]));
  for (size_t i = 0; i < body.result_count; i++)
    instance->types[body.argument_count + i] = sli_dtype_base(sli_graph_output_dtype(body.results[i]));
  instance->is_stateful = find_definition(library, name)->op->def->is_stateful;
  sli_status_t *status = compile_body(library, &body, device, &instance->plan);
  sli_function_body_deinitialize(&body);
  if (status)
    instance_destroy(instance);
  else
    *out_instance = instance;
  return status;
}

// --- Handles --------------------------------------------------------------------------

static void handle_destroy(sli_object_t *object) {
  handle_t *handle = (handle_t *)object;
  instance_t *instance = handle->instance;
  if (instance) {
    library_t *library = instance->library;
    sli_mutex_lock(&library->mutex);
    bool is_last = --instance->users == 0;
    if (is_last) sli_map_remove(&library->instances, sli_view_of(instance->key, instance->key_size));
    sli_mutex_unlock(&library->mutex);
    if (is_last) instance_destroy(instance);
  } else {
    free((void *)handle->base.argument_types);
    sli_attr_release_tensors(&handle->name);
    sli_arena_deinitialize(&handle->arena);
    sli_object_release(handle->library);
  }
  free(handle);
}

static const sli_object_type_t handle_type = {.name = "Function", .destroy = handle_destroy};

static handle_t *handle_create(void) {
  handle_t *handle = sli_calloc(1, sizeof(*handle));
  sli_object_initialize(&handle->base.base, &handle_type);
  handle->base.vtable = &vtable;
  return handle;
}

// A handle of an instance for which the caller has counted a user.
static sli_function_t *handle_of(instance_t *instance) {
  handle_t *handle = handle_create();
  handle->instance = instance;
  handle->base.argument_count = instance->argument_count;
  handle->base.result_count = instance->result_count;
  handle->base.argument_types = instance->types;
  handle->base.result_types = instance->types + instance->argument_count;
  handle->base.is_stateful = instance->is_stateful;
  return &handle->base;
}

static void append_types(const sli_function_body_types_t *from, sli_function_body_types_t *to) {
  for (size_t i = 0; i < from->count; i++) sli_array_push(to, from->items[i]);
}

// The types of arguments and results. A gradient takes the function's arguments and a gradient of each result, and
// gives one of each argument.
static sli_status_t *signature_of(const library_t *library, const sli_attr_func_t *name,
                                  sli_function_body_types_t *arguments, sli_function_body_types_t *results) {
  const sli_attr_func_t *function = differentiated(name);
  const sli_op_t *op = find_definition(library, name)->op;
  if (!function) {
    SLI_RETURN_IF_ERROR(sli_function_body_types(op, name->attrs, name->attr_count, false, arguments));
    return sli_function_body_types(op, name->attrs, name->attr_count, true, results);
  }
  SLI_RETURN_IF_ERROR(sli_function_body_types(op, function->attrs, function->attr_count, false, arguments));
  append_types(arguments, results);
  return sli_function_body_types(op, function->attrs, function->attr_count, true, arguments);
}

// A handle of a function that is being compiled.
static sli_status_t *handle_of_name(library_t *library, const sli_attr_func_t *name, sli_device_t *device,
                                    sli_function_t **out_function) {
  sli_function_body_types_t arguments = {0}, results = {0};
  sli_status_t *status = signature_of(library, name, &arguments, &results);
  if (!status) {
    handle_t *handle = handle_create();
    sli_dtype_t *types = sli_calloc(arguments.count + results.count + 1, sizeof(*types));
    for (size_t i = 0; i < arguments.count; i++) types[i] = arguments.items[i];
    for (size_t i = 0; i < results.count; i++) types[arguments.count + i] = results.items[i];
    handle->base.argument_count = (int)arguments.count;
    handle->base.result_count = (int)results.count;
    handle->base.argument_types = types;
    handle->base.result_types = types + arguments.count;
    handle->base.is_stateful = find_definition(library, name)->op->def->is_stateful;
    handle->library = sli_object_retain(library);
    handle->name = sli_attr_copy(&handle->arena, &(sli_attr_t){.kind = SLI_ATTR_FUNC, .func = *name});
    handle->device = device;
    *out_function = &handle->base;
  }
  sli_array_deinitialize(&arguments);
  sli_array_deinitialize(&results);
  return status;
}

// The instance with one more user; NULL: there is none.
static instance_t *find_instance(library_t *library, sli_view_t key) {
  sli_mutex_lock(&library->mutex);
  instance_t *instance = sli_map_get(&library->instances, key);
  if (instance) instance->users++;
  sli_mutex_unlock(&library->mutex);
  return instance;
}

// Stores a new instance, or finds the one that another thread has stored meanwhile. Counts a user.
static instance_t *store_instance(library_t *library, instance_t *fresh) {
  sli_view_t key = sli_view_of(fresh->key, fresh->key_size);
  sli_mutex_lock(&library->mutex);
  instance_t *instance = sli_map_get(&library->instances, key);
  if (!instance) {
    instance = fresh;
    sli_map_set(&library->instances, key, fresh);
  }
  instance->users++;
  sli_mutex_unlock(&library->mutex);
  if (instance != fresh) instance_destroy(fresh);
  return instance;
}

static bool is_compiling(const library_t *library, sli_view_t key) {
  for (const compiling_t *outer = compiling; outer; outer = outer->outer)
    if (outer->library == library && sli_view_equal(outer->key, key)) return true;
  return false;
}

static sli_status_t *compile(library_t *library, const sli_attr_func_t *name, sli_view_t key, sli_device_t *device,
                             sli_function_t **out_function) {
  compiling_t here = {compiling, library, key, compiling ? compiling->depth + 1 : 1};
  if (here.depth > DEEPEST_NESTING)
    return sli_status_make(SLI_RESOURCE_EXHAUSTED, "Function %.*s is called through more than %d other functions",
                           SLI_VIEW_ARG(name->name), DEEPEST_NESTING);
  instance_t *instance = NULL;
  compiling = &here;
  sli_status_t *status = instance_create(library, name, key, device, &instance);
  compiling = here.outer;
  if (!status) *out_function = handle_of(store_instance(library, instance));
  return status;
}

static sli_status_t *library_instantiate(sli_function_library_t *base, const sli_attr_func_t *name,
                                         sli_device_t *device, sli_function_t **out_function) {
  library_t *library = (library_t *)base;
  *out_function = NULL;
  if (!find_definition(library, name)) {
    const sli_attr_func_t *function = differentiated(name) ? differentiated(name) : name;
    return sli_status_make(SLI_NOT_FOUND, "Function %.*s is not defined.", SLI_VIEW_ARG(function->name));
  }
  sli_string_t text = {0};
  append_key(&text, name, device);
  sli_view_t key = sli_view_of(text.data, text.size);
  sli_status_t *status = NULL;
  instance_t *instance = find_instance(library, key);
  if (instance)
    *out_function = handle_of(instance);
  else if (is_compiling(library, key))
    status = handle_of_name(library, name, device, out_function);
  else
    status = compile(library, name, key, device, out_function);
  sli_string_deinitialize(&text);
  return status;
}

// --- Calls ------------------------------------------------------------------------------

typedef struct {
  sli_function_done_t done;
  void *context;
  sli_function_t *function;  // retained, of a call that continues elsewhere or is recursive; NULL: not needed
  // Of a call that continues on another thread:
  sli_function_call_t call;
  sli_tensor_t **arguments;
} call_t;

static void call_done(void *context, sli_status_t *status, sli_tensor_t **fetches, size_t fetch_count) {
  call_t call = *(call_t *)context;
  free(context);
  sli_object_release(call.function);
  call.done(call.context, status, fetches);
}

static void run(instance_t *instance, const sli_function_call_t *call, bool may_block, call_t *context) {
  const sli_function_runtime_request_t *runtime = &instance->library->request;
  sli_executor_request_t request = {
      .plan = instance->plan,
      .step_id = call->step ? call->step->id : 0,
      .rendezvous = call->step ? call->step->rendezvous : NULL,
      .cancellation = call->cancellation,
      .deadline = call->deadline,
      .pool = runtime->pool,
      .env = runtime->env,
      .feeds = call->arguments,
      .stats = call->step ? call->step->stats : NULL,
      .hand_over = !may_block,
      .is_call = true,
      .caller = call->step,
  };
  sli_executor_run_plan(&request, call_done, context);
}

static void run_elsewhere(void *context) {
  call_t *call = context;
  handle_t *handle = (handle_t *)call->function;
  sli_env_t *env = handle->instance->library->request.env;
  int count = handle->base.argument_count;
  sli_tensor_t **arguments = call->arguments;
  if (env) env->cork(env);
  run(handle->instance, &call->call, true, call);
  for (int i = 0; i < count; i++) sli_tensor_release(arguments[i]);
  free(arguments);
  if (env) env->uncork(env);
}

// The stack of this thread is deep: another one runs the call.
static void submit(handle_t *handle, const sli_function_call_t *call, call_t *context) {
  int count = handle->base.argument_count;
  context->call = *call;
  context->arguments = sli_calloc((size_t)count + 1, sizeof(*context->arguments));
  for (int i = 0; i < count; i++) context->arguments[i] = sli_tensor_retain(call->arguments[i]);
  context->call.arguments = context->arguments;
  if (!context->function) context->function = sli_object_retain(handle);
  sli_thread_pool_submit(handle->instance->library->request.pool, run_elsewhere, context);
}

static void function_call(sli_function_t *base, const sli_function_call_t *call, sli_function_done_t done,
                          void *context) {
  handle_t *handle = (handle_t *)base;
  int depth = call->step ? call->step->depth + 1 : 1;
  sli_status_t *status = NULL;
  sli_function_t *found = NULL;
  if (depth > SLI_FUNCTION_RUNTIME_DEPTH)
    status = sli_status_make(SLI_RESOURCE_EXHAUSTED,
                             "Calls of functions are nested more than %d deep: is there a recursion that does not end?",
                             SLI_FUNCTION_RUNTIME_DEPTH);
  if (!status && !handle->instance) {
    status = library_instantiate(&handle->library->base, &handle->name.func, handle->device, &found);
    handle = (handle_t *)found;
  }
  if (status) {
    done(context, status, NULL);
    return;
  }
  call_t *state = sli_malloc(sizeof(*state));
  state->done = done;
  state->context = context;
  state->function = found;
  if (depth % LEVELS_PER_STACK == 0 && handle->instance->library->request.pool)
    submit(handle, call, state);
  else
    run(handle->instance, call, call->may_block, state);
}

static sli_device_t *library_find_device(sli_function_library_t *base, sli_view_t name) {
  const library_t *library = (library_t *)base;
  sli_device_name_t wanted, full;
  if (!sli_device_name_parse(name, &wanted)) return NULL;
  for (size_t i = 0; i < library->devices.devices.count; i++) {
    const sli_device_set_entry_t *device = &library->devices.devices.items[i];
    if (sli_device_name_parse(sli_view(device->name), &full) && sli_device_name_matches(&wanted, &full))
      return device->local;
  }
  return NULL;
}

static sli_view_t library_definition(sli_function_library_t *base, sli_view_t name) {
  const sli_graph_function_t *function = sli_graph_functions_find(((library_t *)base)->request.functions, name);
  return function ? function->bytes : sli_view("");
}

static void release_library(void *library) { sli_object_release(library); }

static sli_status_t *library_extend(sli_function_library_t *base, const sli_view_t *definitions, size_t count,
                                    sli_function_library_t **out_library) {
  *out_library = NULL;
  library_t *library = (library_t *)base;
  sli_function_runtime_request_t request = library->request;
  SLI_RETURN_IF_ERROR(sli_graph_functions_extend(
      library->request.functions, &(sli_graph_library_t){.functions = definitions, .function_count = count},
      &request.functions));
  request.owner = sli_object_retain(base);
  request.release_owner = release_library;
  *out_library = sli_function_runtime_create(&request);
  sli_graph_functions_release(request.functions);
  return NULL;
}

static const sli_function_vtable_t vtable = {.instantiate = library_instantiate,
                                             .call = function_call,
                                             .find_device = library_find_device,
                                             .definition = library_definition,
                                             .extend = library_extend};

// --- Libraries --------------------------------------------------------------------------

static void library_destroy(sli_object_t *object) {
  library_t *library = (library_t *)object;
  sli_map_deinitialize(&library->instances);
  sli_graph_functions_release(library->request.functions);
  sli_device_set_deinitialize(&library->devices);
  sli_mutex_deinitialize(&library->mutex);
  if (library->request.owner) library->request.release_owner(library->request.owner);
  free(library);
}

static const sli_object_type_t library_type = {.name = "FunctionLibrary", .destroy = library_destroy};

sli_function_library_t *sli_function_runtime_create(const sli_function_runtime_request_t *request) {
  if (!request->functions) {
    if (request->owner) request->release_owner(request->owner);
    return NULL;
  }
  library_t *library = sli_calloc(1, sizeof(*library));
  sli_object_initialize(&library->base.base, &library_type);
  library->base.vtable = &vtable;
  library->request = *request;
  library->request.optimizer.is_for_plan = true;
  sli_graph_functions_retain(request->functions);
  sli_mutex_initialize(&library->mutex);
  for (size_t i = 0; i < request->devices->devices.count; i++) {
    const sli_device_set_entry_t *device = &request->devices->devices.items[i];
    if (device->local)
      sli_device_set_add(&library->devices, device->name, device->type, device->incarnation, device->memory_limit,
                         device->local);
  }
  library->request.devices = &library->devices;
  return &library->base;
}
