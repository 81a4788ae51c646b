// Compiles kernels. A source sees these, where T is a type of the program (and U, V, W likewise):
//
//   T, T_C        the type of an element, and the type to compute in: float for half and bfloat16
//   T_LOAD(x, i)  element i of x, as a T_C
//   T_STORE(x, i, v)
//   T_IS_half     defined if that is the type; T_IS_float and others likewise
//   TENSOR(x)     two parameters: a tensor; in the body VIEW(T, x) declares x as a pointer to its elements
//   GROUP         the number of items of a work group in SLI_OPENCL_GROUPS
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "device/opencl/opencl_internal.h"

static const char prelude[] =
    "#define TENSOR(x) __global uchar *x##_buffer, ulong x##_offset\n"
    "#define VIEW(type, x) __global type *x = (__global type *)(x##_buffer + x##_offset)\n"
    "inline float bfloat16_load(__global const ushort *x, size_t i) { return as_float((uint)x[i] << 16); }\n"
    "inline void bfloat16_store(__global ushort *x, size_t i, float v) {\n"
    "  uint bits = as_uint(v);\n"
    "  x[i] = isnan(v) ? (ushort)((bits >> 16) | 64) : (ushort)((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);\n"
    "}\n";

typedef struct {
  sli_dtype_t dtype;
  const char *name, *computes_in;
} type_row_t;
static const type_row_t type_rows[] = {
    {SLI_DTYPE_FLOAT, "float", "float"}, {SLI_DTYPE_DOUBLE, "double", "double"},
    {SLI_DTYPE_HALF, "half", "float"},   {SLI_DTYPE_BFLOAT16, "ushort", "float"},
    {SLI_DTYPE_INT8, "char", "char"},    {SLI_DTYPE_INT16, "short", "short"},
    {SLI_DTYPE_INT32, "int", "int"},     {SLI_DTYPE_INT64, "long", "long"},
    {SLI_DTYPE_UINT8, "uchar", "uchar"}, {SLI_DTYPE_UINT16, "ushort", "ushort"},
    {SLI_DTYPE_UINT32, "uint", "uint"},  {SLI_DTYPE_UINT64, "ulong", "ulong"},
    {SLI_DTYPE_BOOL, "uchar", "uchar"},
};

static sli_status_t *append_type(const sli_opencl_gpu_t *gpu, sli_string_t *source, char letter, sli_dtype_t dtype) {
  const type_row_t *row = NULL;
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(type_rows); i++)
    if (type_rows[i].dtype == dtype) row = &type_rows[i];
  if (!row || (dtype == SLI_DTYPE_DOUBLE && !gpu->has_double))
    return sli_status_make(SLI_UNIMPLEMENTED, "GPU %s cannot compute with type %s", gpu->name, sli_dtype_name(dtype));
  if (dtype == SLI_DTYPE_DOUBLE) sli_string_append_text(source, "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n");
  // A name, not a typedef: pointers to half are allowed everywhere, values are not.
  sli_string_append_format(source, "#define %c %s\n#define %c_IS_%s\ntypedef %s %c_C;\n", letter, row->name, letter,
                           sli_dtype_name(dtype), row->computes_in, letter);
  const char *load = dtype == SLI_DTYPE_HALF       ? "vload_half(i, x)"
                     : dtype == SLI_DTYPE_BFLOAT16 ? "bfloat16_load(x, i)"
                                                   : "(x)[i]";
  const char *store = dtype == SLI_DTYPE_HALF       ? "vstore_half(v, i, x)"
                      : dtype == SLI_DTYPE_BFLOAT16 ? "bfloat16_store(x, i, v)"
                                                    : "(x)[i] = (v)";
  sli_string_append_format(source, "#define %c_LOAD(x, i) %s\n#define %c_STORE(x, i, v) %s\n", letter, load, letter,
                           store);
  return NULL;
}

static sli_status_t *write_source(const sli_opencl_gpu_t *gpu, const sli_opencl_program_t *program,
                                  sli_string_t *source) {
  sli_string_append_text(source, prelude);
  sli_string_append_format(source, "#define GROUP %d\n", SLI_OPENCL_GROUP);
  for (int i = 0; i < 4 && program->types[i]; i++)
    SLI_RETURN_IF_ERROR(append_type(gpu, source, "TUVW"[i], program -> types[i]));
  if (program->expression) sli_string_append_format(source, "#define EXPRESSION %s\n", program->expression);
  sli_string_append_text(source, program->source);
  return NULL;
}

static sli_status_t *build_error(sli_opencl_gpu_t *gpu, const sli_opencl_program_t *program,
                                 sli_opencl_object_t compiled, int32_t code) {
  char log[2000] = "";
  gpu->api->GetProgramBuildInfo(compiled, gpu->device, SLI_OPENCL_PROGRAM_BUILD_LOG, sizeof(log) - 1, log, NULL);
  return sli_status_make(SLI_INTERNAL, "OpenCL: the kernel %s was not compiled for GPU %s (code %d): %s", program->name,
                         gpu->name, code, log);
}

static sli_status_t *compile(sli_opencl_gpu_t *gpu, const sli_opencl_program_t *program,
                             sli_opencl_object_t *out_kernel) {
  sli_string_t source = {0};
  sli_status_t *status = write_source(gpu, program, &source);
  sli_opencl_object_t compiled = NULL;
  int32_t code = 0;
  const char *text = sli_string_text(&source);
  if (!status) {
    compiled = gpu->api->CreateProgramWithSource(gpu->context, 1, &text, NULL, &code);
    status = sli_opencl_status(gpu, "clCreateProgramWithSource", code);
  }
  if (!status) {
    code = gpu->api->BuildProgram(compiled, 1, &gpu->device, "-cl-std=CL1.2", NULL, NULL);
    if (code) status = build_error(gpu, program, compiled, code);
  }
  if (!status) {
    *out_kernel = gpu->api->CreateKernel(compiled, program->name, &code);
    status = sli_opencl_status(gpu, "clCreateKernel", code);
  }
  if (compiled) gpu->api->ReleaseProgram(compiled);
  sli_string_deinitialize(&source);
  return status;
}

sli_status_t *sli_opencl_kernel_locked(sli_opencl_gpu_t *gpu, const sli_opencl_program_t *program,
                                       sli_opencl_object_t *out_kernel) {
  sli_string_t key = {0};
  sli_string_append_format(&key, "%s %d %d %d %d %s", program->name, program->types[0], program->types[1],
                           program->types[2], program->types[3], program->expression ? program->expression : "");
  sli_view_t view = sli_view_of(key.data, key.size);
  *out_kernel = sli_map_get(&gpu->kernels, view);
  sli_status_t *status = NULL;
  if (!*out_kernel) status = compile(gpu, program, out_kernel);
  if (!status) sli_map_set(&gpu->kernels, view, *out_kernel);
  sli_string_deinitialize(&key);
  return status;
}
