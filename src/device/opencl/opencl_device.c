// A device of a session or server on a GPU of the process, and the work that it gives to the GPU: kernels in the main
// queue, copies in a queue for each direction, so that they overlap with kernels.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/log.h"
#include "device/opencl/opencl_internal.h"

typedef struct {
  sli_device_t base;
  sli_opencl_gpu_t *gpu;
} opencl_device_t;

static struct { atomic_llong launches, uploads, downloads, upload_bytes, download_bytes; } counts;

sli_opencl_counts_t sli_opencl_counts(void) {
  return (sli_opencl_counts_t){counts.launches, counts.uploads, counts.downloads, counts.upload_bytes,
                               counts.download_bytes};
}

sli_opencl_gpu_t *sli_opencl_gpu_of(const sli_device_t *device) { return ((const opencl_device_t *)device)->gpu; }

sli_status_t *sli_opencl_status(const sli_opencl_gpu_t *gpu, const char *what, int32_t code) {
  if (code == SLI_OPENCL_SUCCESS) return NULL;
  return sli_status_make(SLI_INTERNAL, "OpenCL: %s failed with code %d on GPU %s", what, code, gpu->name);
}

void sli_opencl_lose(sli_opencl_gpu_t *gpu, sli_status_t *status) {
  sli_mutex_lock(&gpu->mutex);
  bool is_first = !gpu->lost;
  if (is_first) gpu->lost = sli_status_retain(status);
  sli_mutex_unlock(&gpu->mutex);
  if (is_first) SLI_ERROR("GPU %s is lost: %s", gpu->name, sli_status_message(status));
  sli_status_release(status);
}

// --- Start --------------------------------------------------------------------------

static sli_status_t *create_queue(sli_opencl_gpu_t *gpu, sli_opencl_object_t *out_queue) {
  int32_t code;
  *out_queue = gpu->api->CreateCommandQueue(gpu->context, gpu->device, 0, &code);
  return sli_opencl_status(gpu, "clCreateCommandQueue", code);
}

static sli_status_t *start_locked(sli_opencl_gpu_t *gpu, double memory_fraction) {
  if (gpu->queue) return NULL;
  int32_t code;
  intptr_t properties[] = {SLI_OPENCL_CONTEXT_PLATFORM, (intptr_t)gpu->platform, 0};
  if (!gpu->context) {
    gpu->context = gpu->api->CreateContext(properties, 1, &gpu->device, NULL, NULL, &code);
    SLI_RETURN_IF_ERROR(sli_opencl_status(gpu, "clCreateContext", code));
    double fraction = memory_fraction > 0 && memory_fraction <= 1 ? memory_fraction : 0.9;
    sli_opencl_memory_initialize(&gpu->memory, gpu, (size_t)((double)gpu->memory_bytes * fraction));
  }
  SLI_RETURN_IF_ERROR(create_queue(gpu, &gpu->upload_queue));
  SLI_RETURN_IF_ERROR(create_queue(gpu, &gpu->download_queue));
  return create_queue(gpu, &gpu->queue);
}

sli_status_t *sli_opencl_start(sli_opencl_gpu_t *gpu, double memory_fraction) {
  sli_mutex_lock(&gpu->mutex);
  sli_status_t *status = start_locked(gpu, memory_fraction);
  sli_mutex_unlock(&gpu->mutex);
  return status;
}

// --- Copies -------------------------------------------------------------------------

// A copy that is under way.
typedef struct {
  sli_opencl_gpu_t *gpu;
  sli_tensor_t *source, *target;
  void (*done)(void *context, sli_status_t *status);
  void *context;
} copy_t;

static void end_copy(copy_t *copy, sli_status_t *status) {
  sli_tensor_release(copy->source);
  sli_tensor_release(copy->target);
  if (copy->done)
    copy->done(copy->context, status);
  else if (status)
    sli_opencl_lose(copy->gpu, status);
  free(copy);
}

static void copy_ended(sli_opencl_object_t event, int32_t code, void *context) {
  copy_t *copy = context;
  copy->gpu->api->ReleaseEvent(event);
  end_copy(copy, code < 0 ? sli_opencl_status(copy->gpu, "a copy", code) : NULL);
}

// Begins the copy in |queue| when the main queue has done what it was given so far. An upload must wait for that
// because earlier kernels may still use the memory of the target.
static int32_t begin_locked(copy_t *copy, bool is_upload, sli_opencl_object_t *out_event) {
  sli_opencl_gpu_t *gpu = copy->gpu;
  const sli_opencl_api_t *api = gpu->api;
  sli_opencl_object_t before, buffer;
  size_t offset, bytes = sli_tensor_bytes(copy->source);
  sli_opencl_memory_locate(&gpu->memory, (is_upload ? copy->target : copy->source)->data, &buffer, &offset);
  int32_t code = api->EnqueueMarkerWithWaitList(gpu->queue, 0, NULL, &before);
  if (code) return code;
  if (is_upload) {
    code = api->EnqueueWriteBuffer(gpu->upload_queue, buffer, SLI_OPENCL_FALSE, offset, bytes, copy->source->data, 1,
                                   &before, out_event);
    if (!code) code = api->EnqueueBarrierWithWaitList(gpu->queue, 1, out_event, NULL);
  } else {
    code = api->EnqueueReadBuffer(gpu->download_queue, buffer, SLI_OPENCL_FALSE, offset, bytes, copy->target->data, 1,
                                  &before, out_event);
  }
  api->ReleaseEvent(before);
  api->Flush(gpu->queue);
  api->Flush(is_upload ? gpu->upload_queue : gpu->download_queue);
  return code;
}

// Consumes |copy| in any case; an error is returned only if |done| was not and will not be called.
static sli_status_t *begin_copy(copy_t *copy, bool is_upload) {
  sli_opencl_gpu_t *gpu = copy->gpu;
  sli_opencl_object_t event = NULL;
  sli_mutex_lock(&gpu->mutex);
  sli_status_t *status = sli_status_retain(gpu->lost);
  if (!status) status = sli_opencl_status(gpu, "a copy", begin_locked(copy, is_upload, &event));
  sli_mutex_unlock(&gpu->mutex);
  if (!status)
    status = sli_opencl_status(gpu, "a copy", gpu->api->SetEventCallback(event, SLI_OPENCL_COMPLETE, copy_ended, copy));
  if (!status) return NULL;
  if (event) gpu->api->ReleaseEvent(event);
  copy->done = NULL;
  end_copy(copy, NULL);
  return status;
}

static copy_t *create_copy(sli_device_t *device, sli_tensor_t *source, sli_tensor_t *target) {
  copy_t *copy = sli_calloc(1, sizeof(*copy));
  copy->gpu = sli_opencl_gpu_of(device);
  copy->source = sli_tensor_retain(source);
  copy->target = sli_tensor_retain(target);
  return copy;
}

static sli_status_t *device_upload(sli_device_t *device, sli_tensor_t *source, sli_tensor_t *target) {
  size_t bytes = sli_tensor_bytes(source);
  if (!bytes) return NULL;
  counts.uploads++;
  counts.upload_bytes += (long long)bytes;
  return begin_copy(create_copy(device, source, target), true);
}

static void device_download(sli_device_t *device, sli_tensor_t *source, sli_tensor_t *target,
                            void (*done)(void *context, sli_status_t *status), void *context) {
  size_t bytes = sli_tensor_bytes(source);
  if (!bytes) {
    done(context, NULL);
    return;
  }
  counts.downloads++;
  counts.download_bytes += (long long)bytes;
  copy_t *copy = create_copy(device, source, target);
  copy->done = done;
  copy->context = context;
  sli_status_t *status = begin_copy(copy, false);
  if (status) done(context, status);
}

// --- Kernels ------------------------------------------------------------------------

static int32_t set_arg(sli_opencl_gpu_t *gpu, sli_opencl_object_t kernel, uint32_t *position,
                       const sli_opencl_arg_t *arg) {
  if (!arg->tensor) return gpu->api->SetKernelArg(kernel, (*position)++, arg->bytes, arg->value);
  sli_opencl_object_t buffer = NULL;
  size_t offset = 0;
  if (arg->tensor->data) sli_opencl_memory_locate(&gpu->memory, arg->tensor->data, &buffer, &offset);
  uint64_t wide = offset;
  int32_t code = gpu->api->SetKernelArg(kernel, (*position)++, sizeof(buffer), &buffer);
  return code ? code : gpu->api->SetKernelArg(kernel, (*position)++, sizeof(wide), &wide);
}

static sli_status_t *launch_locked(sli_opencl_gpu_t *gpu, const sli_opencl_program_t *program,
                                   const sli_opencl_arg_t *args, size_t arg_count, const sli_opencl_range_t *range) {
  sli_opencl_object_t kernel;
  if (gpu->lost) return sli_status_retain(gpu->lost);
  SLI_RETURN_IF_ERROR(sli_opencl_kernel_locked(gpu, program, &kernel));
  int32_t code = 0;
  uint32_t position = 0, dimensions = range->global[2] ? 3 : range->global[1] ? 2 : 1;
  for (size_t i = 0; i < arg_count && !code; i++) code = set_arg(gpu, kernel, &position, &args[i]);
  if (!code)
    code = gpu->api->EnqueueNDRangeKernel(gpu->queue, kernel, dimensions, NULL, range->global,
                                          range->local[0] ? range->local : NULL, 0, NULL, NULL);
  return sli_opencl_status(gpu, program->name, code);
}

sli_status_t *sli_opencl_launch(const sli_device_t *device, const sli_opencl_program_t *program,
                                const sli_opencl_arg_t *args, size_t arg_count, const sli_opencl_range_t *range) {
  sli_opencl_gpu_t *gpu = sli_opencl_gpu_of(device);
  if (!range->global[0]) return NULL;
  sli_mutex_lock(&gpu->mutex);
  sli_status_t *status = launch_locked(gpu, program, args, arg_count, range);
  sli_mutex_unlock(&gpu->mutex);
  if (!status) counts.launches++;
  return status;
}

// --- Devices ------------------------------------------------------------------------

static void device_destroy(sli_device_t *device) {}

static sli_device_t *device_clone(const sli_device_t *device, const char *name, sli_resource_manager_t *resources);
static const sli_device_vtable_t device_vtable = {device_destroy, device_clone, device_upload, device_download};

static sli_device_t *create_device(const char *name, sli_opencl_gpu_t *gpu, sli_resource_manager_t *resources,
                                   sli_thread_pool_t *pool) {
  opencl_device_t *device = sli_calloc(1, sizeof(*device));
  sli_device_initialize(&device->base, name, resources, pool);
  device->base.vtable = &device_vtable;
  device->base.type = "GPU";
  device->base.description = sli_format("device: %d, name: %s, opencl", gpu->index, gpu->name);
  device->base.memory_limit = (int64_t)gpu->memory.limit;
  device->base.allocator = &gpu->memory.base;
  device->gpu = gpu;
  return &device->base;
}

static sli_device_t *device_clone(const sli_device_t *device, const char *name, sli_resource_manager_t *resources) {
  return create_device(name, sli_opencl_gpu_of(device), resources, device->compute_pool);
}

typedef SLI_ARRAY(int) numbers_t;

// The numbers of a list such as "0,2". |what| names the list in errors.
static sli_status_t *parse_list(const char *text, const char *what, size_t limit, numbers_t *out_numbers) {
  for (const char *at = text; *at;) {
    char *end;
    long number = strtol(at, &end, 10);
    if (end == at || (*end && *end != ','))
      return sli_status_make(SLI_INVALID_ARGUMENT, "%s must be a list of numbers such as '0,2', got '%s'", what, text);
    if (number < 0 || (size_t)number >= limit)
      return sli_status_make(SLI_INVALID_ARGUMENT,
                             "%s names GPU %ld, but there are %zu, counted from 0: '%s'. Without the list all are used",
                             what, number, limit, text);
    sli_array_push(out_numbers, (int)number);
    at = *end ? end + 1 : end;
  }
  return NULL;
}

// CUDA_VISIBLE_DEVICES ends at the first number that is no GPU, as CUDA does it.
static void select_by_environment(size_t limit, numbers_t *out_numbers) {
  const char *text = getenv("CUDA_VISIBLE_DEVICES");
  for (const char *at = text; at && *at;) {
    char *end;
    long number = strtol(at, &end, 10);
    if (end == at || number < 0 || (size_t)number >= limit) break;
    sli_array_push(out_numbers, (int)number);
    at = *end == ',' ? end + 1 : "";
  }
  for (size_t i = 0; !text && i < limit; i++) sli_array_push(out_numbers, (int)i);
}

static sli_status_t *select_gpus(const sli_opencl_options_t *options, size_t limit, numbers_t *out_numbers) {
  numbers_t of_process = {0}, chosen = {0};
  select_by_environment(limit, &of_process);
  bool has_list = options->visible && *options->visible;
  sli_status_t *status =
      has_list ? parse_list(options->visible, "visible_device_list", of_process.count, &chosen) : NULL;
  for (size_t i = 0; !has_list && i < of_process.count; i++) sli_array_push(&chosen, (int)i);
  for (size_t i = 0; !status && i < chosen.count && (options->count < 0 || i < (size_t)options->count); i++)
    sli_array_push(out_numbers, of_process.items[chosen.items[i]]);
  sli_array_deinitialize(&of_process);
  sli_array_deinitialize(&chosen);
  return status;
}

sli_opencl_options_t sli_opencl_options(const Tensorflow__ConfigProto *config) {
  sli_opencl_options_t options = {.count = -1};
  for (size_t i = 0; i < config->n_device_count; i++)
    if (!strcmp(config->device_count[i]->key, "GPU")) options.count = config->device_count[i]->value;
  if (config->gpu_options) {
    options.visible = config->gpu_options->visible_device_list;
    options.memory_fraction = config->gpu_options->per_process_gpu_memory_fraction;
  }
  return options;
}

sli_status_t *sli_opencl_create_devices(const char *task_name, const sli_opencl_options_t *options,
                                        sli_resource_manager_t *resources, sli_thread_pool_t *pool,
                                        sli_device_t ***out_devices, size_t *out_count) {
  *out_devices = NULL;
  *out_count = 0;
  if (options->count == 0) return NULL;
  size_t limit;
  sli_opencl_gpu_t *const *gpus = (sli_opencl_gpu_t *const *)sli_opencl_list(&limit);
  numbers_t numbers = {0};
  sli_status_t *status = select_gpus(options, limit, &numbers);
  *out_devices = sli_calloc(numbers.count + 1, sizeof(**out_devices));
  for (size_t i = 0; !status && i < numbers.count; i++) {
    sli_opencl_gpu_t *gpu = gpus[numbers.items[i]];
    // A driver that does not work leaves the process without this GPU.
    sli_status_t *failure = sli_opencl_start(gpu, options->memory_fraction);
    if (failure) {
      SLI_WARNING("%s; it is not used", sli_status_message(failure));
      sli_status_release(failure);
      continue;
    }
    char *name = sli_format("%s/device:GPU:%zu", task_name, *out_count);
    (*out_devices)[(*out_count)++] = create_device(name, gpu, resources, pool);
    SLI_INFO("%s has %zu MB of memory: %s", name, gpu->memory.limit >> 20, gpu->name);
    free(name);
  }
  sli_array_deinitialize(&numbers);
  return status;
}
