// The part of OpenCL 1.2 that Sluice uses. The library is loaded at run time and its headers are not needed, so this
// file declares the types, constants and functions with the values of its standard.
#ifndef SLI_DEVICE_OPENCL_OPENCL_API_H_
#define SLI_DEVICE_OPENCL_OPENCL_API_H_

#include <stddef.h>
#include <stdint.h>

typedef struct sli_opencl_object *sli_opencl_object_t;  // a platform, device, context, queue, buffer, program, …

enum {
  SLI_OPENCL_SUCCESS = 0,
  SLI_OPENCL_DEVICE_NOT_FOUND = -1,
  SLI_OPENCL_COMPLETE = 0,
  SLI_OPENCL_DEVICE_TYPE_CPU = 1 << 1,
  SLI_OPENCL_DEVICE_TYPE_GPU = 1 << 2,
  SLI_OPENCL_DEVICE_TYPE_ACCELERATOR = 1 << 3,
  SLI_OPENCL_DEVICE_TYPE = 0x1000,
  SLI_OPENCL_DEVICE_MAX_WORK_GROUP_SIZE = 0x1004,
  SLI_OPENCL_DEVICE_MAX_MEM_ALLOC_SIZE = 0x1010,
  SLI_OPENCL_DEVICE_GLOBAL_MEM_SIZE = 0x101F,
  SLI_OPENCL_DEVICE_AVAILABLE = 0x1027,
  SLI_OPENCL_DEVICE_NAME = 0x102B,
  SLI_OPENCL_DRIVER_VERSION = 0x102D,
  SLI_OPENCL_DEVICE_VERSION = 0x102F,
  SLI_OPENCL_DEVICE_EXTENSIONS = 0x1030,
  SLI_OPENCL_CONTEXT_PLATFORM = 0x1084,
  SLI_OPENCL_MEM_READ_WRITE = 1,
  SLI_OPENCL_PROGRAM_BINARY_SIZES = 0x1165,
  SLI_OPENCL_PROGRAM_BINARIES = 0x1166,
  SLI_OPENCL_PROGRAM_BUILD_LOG = 0x1183,
  SLI_OPENCL_FALSE = 0,
};

// Every function is called as api->Name.
typedef struct {
#define SLI_OPENCL_FUNCTION(result, name, parameters) result(*name) parameters;
#include "device/opencl/opencl_functions.inc"
#undef SLI_OPENCL_FUNCTION
} sli_opencl_api_t;

#endif  // SLI_DEVICE_OPENCL_OPENCL_API_H_
