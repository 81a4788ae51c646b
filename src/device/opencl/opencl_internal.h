// Shared by the files of this room: a GPU of the process.
#ifndef SLI_DEVICE_OPENCL_OPENCL_INTERNAL_H_
#define SLI_DEVICE_OPENCL_OPENCL_INTERNAL_H_

#include "base/array.h"
#include "base/map.h"
#include "base/sync.h"
#include "device/opencl/opencl.h"
#include "device/opencl/opencl_api.h"

// A buffer of the GPU. The process reserves addresses of the same size that nobody can read or write, so that a block
// has an address, and an address a place in a buffer.
typedef struct {
  char *addresses;
  size_t size;
  sli_opencl_object_t buffer;
} sli_opencl_region_t;

// A piece of a region, free or in use. The pieces of a region follow each other in the list.
typedef struct sli_opencl_block sli_opencl_block_t;
struct sli_opencl_block {
  char *data;
  size_t size, requested;
  bool is_free;
  sli_opencl_block_t *next, *previous;  // neighbours in the region
};

typedef struct {
  sli_allocator_t base;
  sli_opencl_gpu_t *gpu;
  char name[32];
  sli_mutex_t mutex;
  // Under mutex.
  SLI_ARRAY(sli_opencl_region_t) regions;
  SLI_ARRAY(sli_opencl_block_t *) free_blocks;
  sli_map_t used;  // address → sli_opencl_block_t
  size_t limit, reserved, in_use, peak;
  int64_t allocations;
} sli_opencl_memory_t;

struct sli_opencl_gpu {
  int index;  // among the GPUs of the process
  const sli_opencl_api_t *api;
  sli_opencl_object_t platform, device, context;
  char *name;
  uint64_t memory_bytes, largest_buffer;
  bool has_double;
  sli_opencl_memory_t memory;
  sli_mutex_t mutex;
  // Under mutex: a queue takes what is given to it in order, and a kernel's arguments belong to the next launch.
  sli_opencl_object_t queue, upload_queue, download_queue;
  sli_map_t kernels;   // key → kernel
  sli_status_t *lost;  // why it gives no results any more; NULL: it works
};

// The GPUs of the process; found at the first call.
const sli_opencl_gpu_t *const *sli_opencl_list(size_t *out_count);
// Makes the GPU ready to work: its context, queues and memory. Does nothing the second time.
sli_status_t *sli_opencl_start(sli_opencl_gpu_t *gpu, double memory_fraction);
sli_opencl_gpu_t *sli_opencl_gpu_of(const sli_device_t *device);
// INTERNAL "OpenCL: WHAT failed with code -5 on GPU NAME", or NULL if |code| is success.
sli_status_t *sli_opencl_status(const sli_opencl_gpu_t *gpu, const char *what, int32_t code);
// The GPU has failed: all that it is given from now on fails with |status|, which is consumed.
void sli_opencl_lose(sli_opencl_gpu_t *gpu, sli_status_t *status);

void sli_opencl_memory_initialize(sli_opencl_memory_t *memory, sli_opencl_gpu_t *gpu, size_t limit);
// The buffer and offset of an address.
void sli_opencl_memory_locate(sli_opencl_memory_t *memory, const void *data, sli_opencl_object_t *out_buffer,
                              size_t *out_offset);

// The compiled kernel, from the GPU's map. Call with |mutex| locked.
sli_status_t *sli_opencl_kernel_locked(sli_opencl_gpu_t *gpu, const sli_opencl_program_t *program,
                                       sli_opencl_object_t *out_kernel);

#endif  // SLI_DEVICE_OPENCL_OPENCL_INTERNAL_H_
