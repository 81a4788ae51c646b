// GPUs through OpenCL. The library is loaded when the first session or server asks for devices; without it, or without
// a GPU, there are none. A GPU of the process has its memory, its queues and its compiled programs once; sessions and
// servers have devices that share it.
//
// SLUICE_OPENCL_CPU=N makes N GPUs of every CPU that OpenCL offers (PoCL), for tests. CUDA_VISIBLE_DEVICES selects GPUs
// of the process by number.
//
// A tensor on a GPU has an address that the process cannot read: it stands for a place in a buffer. All functions are
// thread-safe.
#ifndef SLI_DEVICE_OPENCL_OPENCL_H_
#define SLI_DEVICE_OPENCL_OPENCL_H_

#include "core/op/kernel.h"
#include "proto/config.pb-c.h"

typedef struct sli_opencl_gpu sli_opencl_gpu_t;

typedef struct {
  const char *visible;     // GPUOptions.visible_device_list: "0,2"; NULL or "": all
  double memory_fraction;  // of each GPU's memory; 0: nearly all. Counts when a GPU is first used
  int count;               // at most so many; negative: all
} sli_opencl_options_t;
// What a ConfigProto asks for; it points into the message.
sli_opencl_options_t sli_opencl_options(const Tensorflow__ConfigProto *config);

// The devices that |options| ask for, named |task_name|/device:GPU:0 …. INVALID_ARGUMENT for a list that names no GPU
// of the process. The caller frees the array and destroys the devices.
sli_status_t *sli_opencl_create_devices(const char *task_name, const sli_opencl_options_t *options,
                                        sli_resource_manager_t *resources, sli_thread_pool_t *pool,
                                        sli_device_t ***out_devices, size_t *out_count);

// --- For kernels -------------------------------------------------------------------

// A kernel function in OpenCL C. T, U … stand for the types of its tensors; see opencl_program.c for what it may use.
typedef struct {
  const char *name;  // of the function
  const char *source;
  const char *expression;  // what EXPRESSION stands for; NULL: the source has none
  sli_dtype_t types[4];    // of T, U, V and W; 0: none
} sli_opencl_program_t;

typedef struct {
  const sli_tensor_t *tensor;  // NULL: |bytes| of |value|
  const void *value;
  size_t bytes;
} sli_opencl_arg_t;
#define SLI_OPENCL_TENSOR(x) ((sli_opencl_arg_t){.tensor = (x)})
#define SLI_OPENCL_VALUE(x) ((sli_opencl_arg_t){.value = &(x), .bytes = sizeof(x)})

typedef struct {
  size_t global[3];  // work items
  size_t local[3];   // of a work group; 0: the driver chooses
} sli_opencl_range_t;
// A work item for each of |count| elements.
#define SLI_OPENCL_EACH(count) ((sli_opencl_range_t){{(size_t)(count)}, {0}})
// |count| work groups of SLI_OPENCL_GROUP items.
enum { SLI_OPENCL_GROUP = 64 };
#define SLI_OPENCL_GROUPS(count) ((sli_opencl_range_t){{(size_t)(count)*SLI_OPENCL_GROUP}, {SLI_OPENCL_GROUP}})

// Gives the device a kernel to run. Compiles it the first time. Nothing happens if the range is empty.
sli_status_t *sli_opencl_launch(const sli_device_t *device, const sli_opencl_program_t *program,
                                const sli_opencl_arg_t *args, size_t arg_count, const sli_opencl_range_t *range);

// How often this process has given work to its GPUs, for tests and reports.
typedef struct {
  int64_t launches, uploads, downloads, upload_bytes, download_bytes;
} sli_opencl_counts_t;
sli_opencl_counts_t sli_opencl_counts(void);

#endif  // SLI_DEVICE_OPENCL_OPENCL_H_
