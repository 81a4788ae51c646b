// Finds the GPUs of the process: loads OpenCL's library and lists its devices. What fails here only means that there
// are fewer devices: a broken driver must not keep a process from running on its CPUs.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/log.h"
#include "device/opencl/opencl_internal.h"

enum { MAX_PLATFORMS = 16, MAX_DEVICES = 64, MAX_PARTS = 64, MAX_NAME = 256 };

static struct {
  pthread_once_t once;
  sli_opencl_api_t api;
  SLI_ARRAY(const sli_opencl_gpu_t *) gpus;
} library = {.once = PTHREAD_ONCE_INIT};

static bool load_functions(void *handle) {
  static const struct {
    const char *name;
    size_t offset;
  } functions[] = {
#define SLI_OPENCL_FUNCTION(result, name, parameters) {"cl" #name, offsetof(sli_opencl_api_t, name)},
#include "device/opencl/opencl_functions.inc"
#undef SLI_OPENCL_FUNCTION
  };
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(functions); i++) {
    void *function = dlsym(handle, functions[i].name);
    if (!function) {
      SLI_WARNING("libOpenCL.so.1 has no %s: it is older than OpenCL 1.2, and no GPU is used", functions[i].name);
      return false;
    }
    memcpy((char *)&library.api + functions[i].offset, &function, sizeof(function));
  }
  return true;
}

// How many GPUs a CPU counts as.
static int cpu_parts(void) {
  const char *text = getenv("SLUICE_OPENCL_CPU");
  if (!text || !*text) return 0;
  char *end;
  long parts = strtol(text, &end, 10);
  if (!*end && parts >= 0 && parts <= MAX_PARTS) return (int)parts;
  SLI_WARNING("SLUICE_OPENCL_CPU must be a number from 0 to %d, got '%s'; it has no effect", MAX_PARTS, text);
  return 0;
}

static void read_info(sli_opencl_object_t device, uint32_t what, void *value, size_t size) {
  memset(value, 0, size);
  library.api.GetDeviceInfo(device, what, size, value, NULL);
}

static bool has_extension(sli_opencl_object_t device, const char *name) {
  size_t size = 0;
  if (library.api.GetDeviceInfo(device, SLI_OPENCL_DEVICE_EXTENSIONS, 0, NULL, &size) != 0 || !size) return false;
  char *text = sli_calloc(1, size + 1);
  library.api.GetDeviceInfo(device, SLI_OPENCL_DEVICE_EXTENSIONS, size, text, NULL);
  bool found = strstr(text, name) != NULL;
  free(text);
  return found;
}

static void add_gpu(sli_opencl_object_t platform, sli_opencl_object_t device) {
  sli_opencl_gpu_t *gpu = sli_calloc(1, sizeof(*gpu));
  char name[MAX_NAME];
  read_info(device, SLI_OPENCL_DEVICE_NAME, name, sizeof(name) - 1);
  name[sizeof(name) - 1] = 0;
  gpu->index = (int)library.gpus.count;
  gpu->api = &library.api;
  gpu->platform = platform;
  gpu->device = device;
  gpu->name = sli_strdup(name);
  read_info(device, SLI_OPENCL_DEVICE_GLOBAL_MEM_SIZE, &gpu->memory_bytes, sizeof(gpu->memory_bytes));
  read_info(device, SLI_OPENCL_DEVICE_MAX_MEM_ALLOC_SIZE, &gpu->largest_buffer, sizeof(gpu->largest_buffer));
  gpu->has_double = has_extension(device, "cl_khr_fp64");
  sli_mutex_initialize(&gpu->mutex);
  sli_array_push(&library.gpus, gpu);
}

static void list_platform(sli_opencl_object_t platform) {
  sli_opencl_object_t devices[MAX_DEVICES];
  uint32_t count = 0;
  uint64_t types = SLI_OPENCL_DEVICE_TYPE_GPU | SLI_OPENCL_DEVICE_TYPE_ACCELERATOR;
  int parts = cpu_parts();
  if (parts) types |= SLI_OPENCL_DEVICE_TYPE_CPU;
  if (library.api.GetDeviceIDs(platform, types, MAX_DEVICES, devices, &count) != SLI_OPENCL_SUCCESS) return;
  for (uint32_t i = 0; i < count && i < MAX_DEVICES; i++) {
    uint64_t type;
    uint32_t is_available;
    read_info(devices[i], SLI_OPENCL_DEVICE_TYPE, &type, sizeof(type));
    read_info(devices[i], SLI_OPENCL_DEVICE_AVAILABLE, &is_available, sizeof(is_available));
    if (!is_available) continue;
    for (int part = 0; part < (type & SLI_OPENCL_DEVICE_TYPE_CPU ? parts : 1); part++) add_gpu(platform, devices[i]);
  }
}

// Whether the system shows a GPU at all. The drivers that OpenCL would load take longer than all else that a session
// does at its start, also if they have no device in the end.
static bool may_have_gpus(void) {
  static const char *const nodes[] = {"/dev/dri", "/dev/nvidiactl", "/dev/kfd", "/dev/dxg"};
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(nodes); i++)
    if (access(nodes[i], F_OK) == 0) return true;
  return cpu_parts() > 0;
}

static void load(void) {
  if (!may_have_gpus()) return;
  void *handle = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!handle || !load_functions(handle)) return;
  sli_opencl_object_t platforms[MAX_PLATFORMS];
  uint32_t count = 0;
  if (library.api.GetPlatformIDs(MAX_PLATFORMS, platforms, &count) != SLI_OPENCL_SUCCESS) return;
  for (uint32_t i = 0; i < count && i < MAX_PLATFORMS; i++) list_platform(platforms[i]);
}

const sli_opencl_gpu_t *const *sli_opencl_list(size_t *out_count) {
  pthread_once(&library.once, load);
  *out_count = library.gpus.count;
  return library.gpus.items;
}
