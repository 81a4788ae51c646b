// Loads the library, caches plans (primitives with the layouts of their arguments) and runs them.
//
// A plan is shared. What one run needs (stream, memory objects, scratchpad, reorder buffers) is an onednn_run_t, taken
// from the plan's free list and put back afterwards, so that later runs allocate nothing.
#include "math/onednn.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/map.h"
#include "math/onednn_internal.h"

enum { CACHE_CAPACITY = 512 };

static sli_onednn_library_t library_state;
static bool library_opened;
static void (*omp_limit)(int threads);

static void open_library(void) {
  void *handle = dlopen("libdnnl.so.2", RTLD_NOW | RTLD_LOCAL);
  if (!handle) return;
#define FUNCTION(name)                                  \
  *(void **)&library_state.name = dlsym(handle, #name); \
  if (!library_state.name) return;
#include "math/onednn_functions.inc"
#undef FUNCTION
  *(void **)&omp_limit = dlsym(handle, "omp_set_num_threads");
  // A primitive is made for the number of threads that its creator may use.
  if (omp_limit) omp_limit(1);
  library_opened = library_state.dnnl_engine_create(&library_state.engine, dnnl_cpu, 0) == dnnl_success;
}

// NULL if the library is not installed or too old. Loaded once.
static const sli_onednn_library_t *load_library(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, open_library);
  return library_opened ? &library_state : NULL;
}

bool sli_onednn_available(void) { return load_library() != NULL; }

// OpenMP has a limit per calling thread: each one sets it once.
static void limit_threads(void) {
  static _Thread_local bool limited;
  if (limited) return;
  if (omp_limit) omp_limit(1);
  limited = true;
}

sli_status_t *sli_onednn_check(dnnl_status_t result, const char *what) {
  if (result == dnnl_success) return NULL;
  return sli_status_make(result == dnnl_out_of_memory ? SLI_RESOURCE_EXHAUSTED : SLI_INTERNAL,
                         "oneDNN: %s failed with status %d", what, (int)result);
}

static dnnl_status_t append_activation(const sli_onednn_library_t *library, sli_epilogue_activation_t activation,
                                       float alpha, dnnl_post_ops_t post_ops) {
  switch (activation) {
    case SLI_EPILOGUE_NONE: return dnnl_success;
    case SLI_EPILOGUE_RELU: return library->dnnl_post_ops_append_eltwise(post_ops, 1.0f, dnnl_eltwise_relu, 0.0f, 0.0f);
    case SLI_EPILOGUE_RELU6:
      return library->dnnl_post_ops_append_eltwise(post_ops, 1.0f, dnnl_eltwise_bounded_relu, 6.0f, 0.0f);
    case SLI_EPILOGUE_ELU: return library->dnnl_post_ops_append_eltwise(post_ops, 1.0f, dnnl_eltwise_elu, 1.0f, 0.0f);
    case SLI_EPILOGUE_LEAKY_RELU:
      return library->dnnl_post_ops_append_eltwise(post_ops, 1.0f, dnnl_eltwise_relu, alpha, 0.0f);
    case SLI_EPILOGUE_TANH: return library->dnnl_post_ops_append_eltwise(post_ops, 1.0f, dnnl_eltwise_tanh, 0.0f, 0.0f);
    case SLI_EPILOGUE_SIGMOID:
      return library->dnnl_post_ops_append_eltwise(post_ops, 1.0f, dnnl_eltwise_logistic, 0.0f, 0.0f);
  }
  return dnnl_invalid_arguments;
}

sli_status_t *sli_onednn_make_attr(const sli_onednn_library_t *library, sli_epilogue_activation_t activation,
                                   float alpha, dnnl_primitive_attr_t *out_attr) {
  *out_attr = NULL;
  SLI_RETURN_IF_ERROR(sli_onednn_check(library->dnnl_primitive_attr_create(out_attr), "attributes"));
  dnnl_status_t result = library->dnnl_primitive_attr_set_scratchpad_mode(*out_attr, dnnl_scratchpad_mode_user);
  if (result == dnnl_success && activation != SLI_EPILOGUE_NONE) {
    dnnl_post_ops_t post_ops = NULL;
    result = library->dnnl_post_ops_create(&post_ops);
    if (result == dnnl_success) result = append_activation(library, activation, alpha, post_ops);
    if (result == dnnl_success) result = library->dnnl_primitive_attr_set_post_ops(*out_attr, post_ops);
    if (post_ops) library->dnnl_post_ops_destroy(post_ops);
  }
  if (result == dnnl_success) return NULL;
  library->dnnl_primitive_attr_destroy(*out_attr);
  *out_attr = NULL;
  return sli_onednn_check(result, "attributes");
}

// An argument: the layout of the caller, and the one that the primitive takes.
typedef struct {
  int id;
  bool is_output;
  dnnl_memory_desc_t layout, wanted;
  dnnl_primitive_t reorder;  // NULL: the layouts agree
} plan_arg_t;

typedef struct onednn_run onednn_run_t;
struct onednn_run {
  onednn_run_t *next;
  dnnl_stream_t stream;
  dnnl_memory_t outside[SLI_ONEDNN_MAX_ARGS];  // over the caller's bytes
  dnnl_memory_t inside[SLI_ONEDNN_MAX_ARGS];   // over a reorder buffer; NULL: none
  dnnl_memory_t scratch;
  void *buffers[SLI_ONEDNN_MAX_ARGS + 1];
};

typedef struct {
  sli_refcount_t references;
  uint64_t last_used;  // under cache_mutex
  dnnl_primitive_t primitive;
  plan_arg_t args[SLI_ONEDNN_MAX_ARGS];
  int arg_count;
  dnnl_memory_desc_t scratch;
  sli_mutex_t mutex;
  onednn_run_t *free_runs;  // under mutex
} onednn_plan_t;

static sli_mutex_t cache_mutex = SLI_MUTEX_INITIALIZER;
static sli_map_t cache;       // key to onednn_plan_t, under cache_mutex
static uint64_t cache_clock;  // under cache_mutex

static void run_destroy(const sli_onednn_library_t *library, onednn_run_t *run) {
  if (!run) return;
  for (int i = 0; i < SLI_ONEDNN_MAX_ARGS; i++) {
    if (run->outside[i]) library->dnnl_memory_destroy(run->outside[i]);
    if (run->inside[i]) library->dnnl_memory_destroy(run->inside[i]);
  }
  if (run->scratch) library->dnnl_memory_destroy(run->scratch);
  if (run->stream) library->dnnl_stream_destroy(run->stream);
  for (int i = 0; i <= SLI_ONEDNN_MAX_ARGS; i++) free(run->buffers[i]);
  free(run);
}

static void plan_release(const sli_onednn_library_t *library, onednn_plan_t *plan) {
  if (!plan || !sli_refcount_release(&plan->references)) return;
  while (plan->free_runs) {
    onednn_run_t *run = plan->free_runs;
    plan->free_runs = run->next;
    run_destroy(library, run);
  }
  for (int i = 0; i < plan->arg_count; i++)
    if (plan->args[i].reorder) library->dnnl_primitive_destroy(plan->args[i].reorder);
  if (plan->primitive) library->dnnl_primitive_destroy(plan->primitive);
  sli_mutex_deinitialize(&plan->mutex);
  free(plan);
}

static sli_status_t *make_reorder(const sli_onednn_library_t *library, plan_arg_t *arg) {
  const dnnl_memory_desc_t *from = arg->is_output ? &arg->wanted : &arg->layout;
  const dnnl_memory_desc_t *to = arg->is_output ? &arg->layout : &arg->wanted;
  dnnl_primitive_desc_t desc = NULL;
  SLI_RETURN_IF_ERROR(sli_onednn_check(
      library->dnnl_reorder_primitive_desc_create(&desc, from, library->engine, to, library->engine, NULL), "reorder"));
  sli_status_t *status = sli_onednn_check(library->dnnl_primitive_create(&arg->reorder, desc), "reorder");
  library->dnnl_primitive_desc_destroy(desc);
  return status;
}

static sli_status_t *plan_create(const sli_onednn_library_t *library, sli_onednn_describe_fn_t describe,
                                 const void *shape, onednn_plan_t **out_plan) {
  sli_onednn_recipe_t recipe = {0};
  *out_plan = NULL;
  SLI_RETURN_IF_ERROR(describe(library, shape, &recipe));
  onednn_plan_t *plan = sli_calloc(1, sizeof(*plan));
  sli_refcount_initialize(&plan->references);
  sli_mutex_initialize(&plan->mutex);
  plan->arg_count = recipe.arg_count;
  plan->scratch = *library->dnnl_primitive_desc_query_md(recipe.desc, dnnl_query_scratchpad_md, 0);
  sli_status_t *status = NULL;
  for (int i = 0; i < recipe.arg_count && !status; i++) {
    const sli_onednn_arg_t *source = &recipe.args[i];
    plan_arg_t *arg = &plan->args[i];
    *arg = (plan_arg_t){source->id, source->is_output, source->layout, source->layout, NULL};
    if (!source->query) continue;
    arg->wanted = *library->dnnl_primitive_desc_query_md(recipe.desc, source->query, 0);
    if (!library->dnnl_memory_desc_equal(&arg->layout, &arg->wanted)) status = make_reorder(library, arg);
  }
  if (!status) status = sli_onednn_check(library->dnnl_primitive_create(&plan->primitive, recipe.desc), "primitive");
  library->dnnl_primitive_desc_destroy(recipe.desc);
  if (status) {
    plan_release(library, plan);
    return status;
  }
  *out_plan = plan;
  return NULL;
}

static void evict_oldest_locked(onednn_plan_t **out_evicted) {
  sli_map_entry_t *oldest = NULL;
  SLI_MAP_FOR_EACH (&cache, entry) {
    if (!oldest || ((onednn_plan_t *)entry->value)->last_used < ((onednn_plan_t *)oldest->value)->last_used)
      oldest = entry;
  }
  *out_evicted = sli_map_remove(&cache, sli_view_of(oldest->key, oldest->key_size));
}

// A new reference to the plan of |key|. If two threads make the same plan at once, one of the two is cached.
static sli_status_t *plan_find(const sli_onednn_library_t *library, sli_view_t key, sli_onednn_describe_fn_t describe,
                               const void *shape, onednn_plan_t **out_plan) {
  sli_mutex_lock(&cache_mutex);
  onednn_plan_t *plan = sli_map_get(&cache, key);
  if (plan) {
    sli_refcount_retain(&plan->references);
    plan->last_used = ++cache_clock;
  }
  sli_mutex_unlock(&cache_mutex);
  *out_plan = plan;
  if (plan) return NULL;
  SLI_RETURN_IF_ERROR(plan_create(library, describe, shape, &plan));
  onednn_plan_t *evicted = NULL;
  sli_mutex_lock(&cache_mutex);
  if (sli_map_insert(&cache, key, plan)) {
    sli_refcount_retain(&plan->references);
    plan->last_used = ++cache_clock;
    if (cache.count > CACHE_CAPACITY) evict_oldest_locked(&evicted);
  }
  sli_mutex_unlock(&cache_mutex);
  plan_release(library, evicted);
  *out_plan = plan;
  return NULL;
}

static sli_status_t *make_buffer(const sli_onednn_library_t *library, const dnnl_memory_desc_t *desc, void **out_buffer,
                                 dnnl_memory_t *out_memory) {
  size_t size = library->dnnl_memory_desc_get_size(desc);
  if (size && posix_memalign(out_buffer, 64, size) != 0) {
    *out_buffer = NULL;
    return sli_status_make(SLI_RESOURCE_EXHAUSTED, "OOM when allocating %zu bytes of scratch memory", size);
  }
  return sli_onednn_check(library->dnnl_memory_create(out_memory, desc, library->engine, *out_buffer), "memory");
}

static sli_status_t *run_create(const sli_onednn_library_t *library, const onednn_plan_t *plan,
                                onednn_run_t **out_run) {
  onednn_run_t *run = sli_calloc(1, sizeof(*run));
  sli_status_t *status =
      sli_onednn_check(library->dnnl_stream_create(&run->stream, library->engine, dnnl_stream_default_flags), "stream");
  for (int i = 0; i < plan->arg_count && !status; i++) {
    status = sli_onednn_check(
        library->dnnl_memory_create(&run->outside[i], &plan->args[i].layout, library->engine, DNNL_MEMORY_NONE),
        "memory");
    if (!status && plan->args[i].reorder)
      status = make_buffer(library, &plan->args[i].wanted, &run->buffers[i], &run->inside[i]);
  }
  if (!status) status = make_buffer(library, &plan->scratch, &run->buffers[SLI_ONEDNN_MAX_ARGS], &run->scratch);
  if (status) {
    run_destroy(library, run);
    run = NULL;
  }
  *out_run = run;
  return status;
}

static onednn_run_t *take_run(onednn_plan_t *plan) {
  sli_mutex_lock(&plan->mutex);
  onednn_run_t *run = plan->free_runs;
  if (run) plan->free_runs = run->next;
  sli_mutex_unlock(&plan->mutex);
  return run;
}

static void put_run(onednn_plan_t *plan, onednn_run_t *run) {
  sli_mutex_lock(&plan->mutex);
  run->next = plan->free_runs;
  plan->free_runs = run;
  sli_mutex_unlock(&plan->mutex);
}

static dnnl_status_t reorder(const sli_onednn_library_t *library, const onednn_plan_t *plan, const onednn_run_t *run,
                             int i) {
  bool out = plan->args[i].is_output;
  dnnl_exec_arg_t args[] = {{DNNL_ARG_FROM, out ? run->inside[i] : run->outside[i]},
                            {DNNL_ARG_TO, out ? run->outside[i] : run->inside[i]}};
  return library->dnnl_primitive_execute(plan->args[i].reorder, run->stream, 2, args);
}

static dnnl_status_t execute(const sli_onednn_library_t *library, const onednn_plan_t *plan, const onednn_run_t *run,
                             void *const data[]) {
  dnnl_exec_arg_t args[SLI_ONEDNN_MAX_ARGS + 1];
  dnnl_status_t result = dnnl_success;
  for (int i = 0; i < plan->arg_count && result == dnnl_success; i++) {
    result = library->dnnl_memory_set_data_handle(run->outside[i], data[i]);
    bool inside = plan->args[i].reorder != NULL;
    if (result == dnnl_success && inside && !plan->args[i].is_output) result = reorder(library, plan, run, i);
    args[i] = (dnnl_exec_arg_t){plan->args[i].id, inside ? run->inside[i] : run->outside[i]};
  }
  if (result != dnnl_success) return result;
  args[plan->arg_count] = (dnnl_exec_arg_t){DNNL_ARG_SCRATCHPAD, run->scratch};
  result = library->dnnl_primitive_execute(plan->primitive, run->stream, plan->arg_count + 1, args);
  for (int i = 0; i < plan->arg_count && result == dnnl_success; i++)
    if (plan->args[i].reorder && plan->args[i].is_output) result = reorder(library, plan, run, i);
  return result;
}

sli_status_t *sli_onednn_execute(const void *key, size_t key_size, sli_onednn_describe_fn_t describe, const void *shape,
                                 void *const data[]) {
  const sli_onednn_library_t *library = load_library();
  SLI_CHECK(library);
  limit_threads();
  onednn_plan_t *plan = NULL;
  SLI_RETURN_IF_ERROR(plan_find(library, sli_view_of(key, key_size), describe, shape, &plan));
  sli_status_t *status = NULL;
  onednn_run_t *run = take_run(plan);
  if (!run) status = run_create(library, plan, &run);
  if (!status) {
    status = sli_onednn_check(execute(library, plan, run, data), "execution");
    put_run(plan, run);
  }
  plan_release(library, plan);
  return status;
}
