// Staging areas: Stage adds a tuple, Unstage takes the oldest one, usually in another step, and StagePeek reads one.
// They wait, without a thread, while the area is full, empty or too short. There is no handle: an area is found by its
// container and shared name (by default the name of the node).
#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "core/op/shape_inference.h"
#include "ops/common/waiter.h"

typedef struct {
  sli_tensor_t **values;
  int count;
  int64_t bytes;
} stage_tuple_t;

typedef struct {
  sli_object_t base;
  int64_t capacity, memory_limit;  // 0: unlimited
  sli_mutex_t mutex;
  // Guarded by |mutex|:
  SLI_ARRAY(stage_tuple_t) tuples;
  size_t first;  // index of the oldest tuple in |tuples|
  int64_t bytes;
  sli_waiter_list_t puts, takes, peeks;
} stage_area_t;

// A waiting Stage, Unstage or StagePeek.
typedef struct {
  sli_waiter_t waiter;
  sli_kernel_context_t *context;
  stage_tuple_t tuple;
  size_t index;  // StagePeek only
} stage_request_t;

static void stage_tuple_release(stage_tuple_t *tuple) {
  for (int i = 0; i < tuple->count; i++) sli_tensor_release(tuple->values[i]);
  free(tuple->values);
  *tuple = (stage_tuple_t){0};
}

static void area_destroy(sli_object_t *object) {
  stage_area_t *area = (stage_area_t *)object;
  for (size_t i = area->first; i < area->tuples.count; i++) stage_tuple_release(&area->tuples.items[i]);
  sli_array_deinitialize(&area->tuples);
  sli_mutex_deinitialize(&area->mutex);
  free(area);
}

static const sli_object_type_t area_type = {"StagingArea", area_destroy};

static sli_status_t *area_create(void *context, void **out_object) {
  const sli_node_def_t *node = context;
  stage_area_t *area = sli_calloc(1, sizeof(*area));
  sli_object_initialize(&area->base, &area_type);
  sli_mutex_initialize(&area->mutex);
  *out_object = area;
  sli_status_t *status = sli_node_attr_int(node, "capacity", &area->capacity);
  if (!status) status = sli_node_attr_int(node, "memory_limit", &area->memory_limit);
  if (status) sli_object_release(area);
  return status;
}

static sli_status_t *find_area(sli_kernel_context_t *context, stage_area_t **out_area) {
  sli_view_t container, name;
  SLI_RETURN_IF_ERROR(sli_node_attr_string(context->node, "container", &container));
  SLI_RETURN_IF_ERROR(sli_node_attr_string(context->node, "shared_name", &name));
  if (name.size == 0) name = sli_view(context->node->name);
  return sli_resource_find_or_create(context->device->resources, container, &area_type, name, area_create,
                                     (void *)context->node, (void **)out_area);
}

// --- Serving -------------------------------------------------------------------------------

static size_t size_locked(const stage_area_t *area) { return area->tuples.count - area->first; }

static bool has_room_locked(const stage_area_t *area, int64_t bytes) {
  if (area->capacity > 0 && (int64_t)size_locked(area) >= area->capacity) return false;
  return area->memory_limit <= 0 || area->bytes + bytes <= area->memory_limit;
}

static stage_tuple_t pop_stage_locked(stage_area_t *area) {
  stage_tuple_t tuple = area->tuples.items[area->first++];
  area->bytes -= tuple.bytes;
  if (area->first > 32 && area->first * 2 > area->tuples.count) {
    area->tuples.count -= area->first;
    memmove(area->tuples.items, area->tuples.items + area->first, area->tuples.count * sizeof(stage_tuple_t));
    area->first = 0;
  }
  return tuple;
}

static stage_tuple_t copy_locked(const stage_area_t *area, size_t index) {
  const stage_tuple_t *from = &area->tuples.items[area->first + index];
  stage_tuple_t tuple = {.values = sli_memdup(from->values, (size_t)from->count * sizeof(*from->values)),
                         .count = from->count};
  for (int i = 0; i < tuple.count; i++) sli_tensor_retain(tuple.values[i]);
  return tuple;
}

// Serves the peeks; called before the takes are served.
static void serve_peeks_locked(stage_area_t *area, sli_waiter_list_t *resolved) {
  for (stage_request_t *peek = (stage_request_t *)area->peeks.first, *next; peek; peek = next) {
    next = (stage_request_t *)peek->waiter.next;
    if (peek->index >= size_locked(area)) continue;
    peek->tuple = copy_locked(area, peek->index);
    sli_waiter_resolve_locked(&peek->waiter, NULL, resolved);
  }
}

static void advance_stage_locked(stage_area_t *area, sli_waiter_list_t *resolved) {
  for (;;) {
    serve_peeks_locked(area, resolved);
    stage_request_t *put = (stage_request_t *)area->puts.first, *take = (stage_request_t *)area->takes.first;
    if (put && has_room_locked(area, put->tuple.bytes)) {
      area->bytes += put->tuple.bytes;
      sli_array_push(&area->tuples, put->tuple);
      put->tuple = (stage_tuple_t){0};
      sli_waiter_resolve_locked(&put->waiter, NULL, resolved);
    } else if (take && size_locked(area) > 0) {
      take->tuple = pop_stage_locked(area);
      sli_waiter_resolve_locked(&take->waiter, NULL, resolved);
    } else {
      return;
    }
  }
}

static void cancelled_locked(sli_waiter_t *waiter, sli_waiter_list_t *resolved) {
  advance_stage_locked((stage_area_t *)waiter->object, resolved);
}

static sli_status_t *set_outputs(sli_kernel_context_t *context, const stage_tuple_t *tuple) {
  if (tuple->count != context->output_count)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Mismatch stage/unstage: %d vs. %d", tuple->count,
                           context->output_count);
  for (int i = 0; i < tuple->count; i++) {
    if (tuple->values[i]->dtype != context->node->output_types[i])
      return sli_status_make(SLI_INVALID_ARGUMENT, "Mismatch stage/unstage: component %d has type %s, not %s", i,
                             sli_dtype_name(tuple->values[i]->dtype), sli_dtype_name(context->node->output_types[i]));
    sli_kernel_set_output(context, i, sli_tensor_retain(tuple->values[i]));
  }
  return NULL;
}

static void put_done(sli_waiter_t *waiter, sli_status_t *status) {
  stage_request_t *request = (stage_request_t *)waiter;
  sli_kernel_context_t *context = request->context;
  stage_tuple_release(&request->tuple);
  free(request);
  sli_kernel_complete(context, status);
}

static void stage_take_done(sli_waiter_t *waiter, sli_status_t *status) {
  stage_request_t *request = (stage_request_t *)waiter;
  sli_kernel_context_t *context = request->context;
  if (!status) status = set_outputs(context, &request->tuple);
  stage_tuple_release(&request->tuple);
  free(request);
  sli_kernel_complete(context, status);
}

static stage_request_t *request_create(stage_area_t *area, sli_kernel_context_t *context, const char *cancelled_text,
                                       void (*done)(sli_waiter_t *waiter, sli_status_t *status)) {
  stage_request_t *request = sli_calloc(1, sizeof(*request));
  request->context = context;
  sli_waiter_initialize(&request->waiter, area, &area->mutex, context->step->cancellation);
  request->waiter.cancelled_locked = cancelled_locked;
  request->waiter.cancelled_text = cancelled_text;
  request->waiter.done = done;
  return request;
}

static void submit(stage_area_t *area, stage_request_t *request, sli_waiter_list_t *list) {
  sli_waiter_list_t resolved = {0};
  sli_mutex_lock(&area->mutex);
  sli_waiter_append_locked(&request->waiter, list);
  advance_stage_locked(area, &resolved);
  if (request->waiter.list) sli_waiter_park_locked(&request->waiter, &resolved);
  sli_mutex_unlock(&area->mutex);
  sli_waiter_list_finish(&resolved);
}

// --- Kernels --------------------------------------------------------------------------------

static void stage_compute(sli_kernel_context_t *context) {
  stage_area_t *area;
  sli_status_t *status = find_area(context, &area);
  if (status) {
    sli_kernel_complete(context, status);
    return;
  }
  stage_tuple_t tuple = {.values = sli_calloc((size_t)context->input_count + 1, sizeof(*tuple.values)),
                         .count = context->input_count};
  for (int i = 0; i < tuple.count; i++) {
    tuple.values[i] = sli_tensor_retain(sli_kernel_input(context, i));
    tuple.bytes += (int64_t)sli_tensor_bytes(tuple.values[i]);
  }
  if (area->memory_limit > 0 && tuple.bytes > area->memory_limit) {
    status = sli_status_make(SLI_RESOURCE_EXHAUSTED,
                             "Attempted to insert tensors with combined size of '%lld' bytes into Staging Area with a "
                             "memory limit of '%lld'.",
                             (long long)tuple.bytes, (long long)area->memory_limit);
    stage_tuple_release(&tuple);
    sli_kernel_complete(context, status);
  } else {
    stage_request_t *request = request_create(area, context, "Stage operation was cancelled", put_done);
    request->tuple = tuple;
    submit(area, request, &area->puts);
  }
  sli_object_release(area);
}

static void unstage_compute(sli_kernel_context_t *context) {
  stage_area_t *area;
  sli_status_t *status = find_area(context, &area);
  if (status) {
    sli_kernel_complete(context, status);
    return;
  }
  submit(area, request_create(area, context, "Unstage operation was cancelled", stage_take_done), &area->takes);
  sli_object_release(area);
}

static void peek_compute(sli_kernel_context_t *context) {
  stage_area_t *area = NULL;
  int64_t index;
  sli_status_t *status = sli_kernel_input(context, 0)->rank
                             ? sli_status_make(SLI_INVALID_ARGUMENT, "index must be scalar")
                             : sli_kernel_input_int(context, 0, "index", &index);
  if (!status && index < 0)
    status = sli_status_make(SLI_INVALID_ARGUMENT, "index must not be negative, got %lld", (long long)index);
  if (!status) status = find_area(context, &area);
  if (status) {
    sli_kernel_complete(context, status);
    return;
  }
  stage_request_t *request = request_create(area, context, "StagePeek operation was cancelled", stage_take_done);
  request->index = (size_t)index;
  submit(area, request, &area->peeks);
  sli_object_release(area);
}

static sli_status_t *stage_size_compute(sli_kernel_context_t *context) {
  stage_area_t *area;
  SLI_RETURN_IF_ERROR(find_area(context, &area));
  sli_mutex_lock(&area->mutex);
  int32_t size = (int32_t)size_locked(area);
  sli_mutex_unlock(&area->mutex);
  sli_object_release(area);
  sli_kernel_set_output(context, 0, sli_tensor_scalar_int32(size));
  return NULL;
}

static sli_status_t *clear_compute(sli_kernel_context_t *context) {
  stage_area_t *area;
  SLI_RETURN_IF_ERROR(find_area(context, &area));
  sli_waiter_list_t resolved = {0};
  SLI_ARRAY(stage_tuple_t) dropped = {0};
  sli_mutex_lock(&area->mutex);
  while (size_locked(area) > 0) sli_array_push(&dropped, pop_stage_locked(area));
  advance_stage_locked(area, &resolved);
  sli_mutex_unlock(&area->mutex);
  sli_waiter_list_finish(&resolved);
  for (size_t i = 0; i < dropped.count; i++) stage_tuple_release(&dropped.items[i]);
  sli_array_deinitialize(&dropped);
  sli_object_release(area);
  return NULL;
}

static const sli_op_def_t ops[] = {
    {
        .name = "Stage",
        .inputs = "values: dtypes",
        .attrs = "capacity: int >= 0 = 0; memory_limit: int >= 0 = 0; dtypes: list(type) >= 1; container: string = ''; "
                 "shared_name: string = ''",
        .summary = "Adds a tuple to a staging area.",
        .shape = sli_infer_fn_none,
        .is_stateful = true,
        .keeps_inputs = true,
    },
    {
        .name = "Unstage",
        .outputs = "values: dtypes",
        .attrs = "capacity: int >= 0 = 0; memory_limit: int >= 0 = 0; dtypes: list(type) >= 1; container: string = ''; "
                 "shared_name: string = ''",
        .summary = "Removes the oldest tuple from a staging area and returns it.",
        .shape = sli_infer_fn_unknown,
        .is_stateful = true,
    },
    {
        .name = "StagePeek",
        .inputs = "index: int32",
        .outputs = "values: dtypes",
        .attrs = "capacity: int >= 0 = 0; memory_limit: int >= 0 = 0; dtypes: list(type) >= 1; container: string = ''; "
                 "shared_name: string = ''",
        .summary = "Returns a tuple of a staging area without removing it.",
        .shape = sli_infer_fn_unknown,
        .is_stateful = true,
    },
    {
        .name = "StageSize",
        .outputs = "size: int32",
        .attrs = "capacity: int >= 0 = 0; memory_limit: int >= 0 = 0; dtypes: list(type); container: string = ''; "
                 "shared_name: string = ''",
        .summary = "The number of tuples in a staging area.",
        .shape = sli_infer_fn_scalar,
        .is_stateful = true,
    },
    {
        .name = "StageClear",
        .attrs = "capacity: int >= 0 = 0; memory_limit: int >= 0 = 0; dtypes: list(type); container: string = ''; "
                 "shared_name: string = ''",
        .summary = "Removes all tuples from a staging area.",
        .shape = sli_infer_fn_none,
        .is_stateful = true,
    },
};

static const sli_kernel_def_t kernels[] = {
    {.op = "Stage", .compute_async = stage_compute},
    {.op = "Unstage", .compute_async = unstage_compute},
    {.op = "StagePeek", .host_memory = "index", .compute_async = peek_compute},
    {.op = "StageSize", .host_memory = "size", .compute = stage_size_compute},
    {.op = "StageClear", .compute = clear_compute},
};
SLI_OP_MODULE(stage);
