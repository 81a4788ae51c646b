// Ops: their definitions (TensorFlow's spec strings) and kernels, from const
// tables in src/ops. The build collects the tables (generated ops_table.c): no
// static constructors. An op's strings are parsed when it is first looked up.
//
//   static const sli_op_def_t ops[] = {
//     {.name = "Softplus", .inputs = "features: T", .outputs = "activations: T",
//      .attrs = "T: {half, bfloat16, float, double}", .shape = sli_shape_fn_unchanged, .gradient = softplus_gradient},
//   };
//   static const sli_kernel_def_t kernels[] = {
//     {.op = "Softplus", .types = SLI_TYPE_FLOAT, .compute = softplus_f32},
//   };
//   SLI_OP_MODULE(softplus);
//
// Inputs and outputs are separated by ", ", attributes by "; ", each in
// TensorFlow's own syntax: "values: N * T", "ref: Ref(T)", "args: Tlist";
// "N: int >= 1", "T: {float, double} = DT_FLOAT", "shape: shape", "dims: list(int) = []",
// "padding: {'SAME', 'VALID'}", "T: type", "T: numbertype", "T: realnumbertype".
#ifndef SLI_CORE_OP_REGISTRY_H_
#define SLI_CORE_OP_REGISTRY_H_

#include "core/kernel.h"
#include "core/node_def.h"

typedef struct sli_shape_context sli_shape_context_t;
typedef struct sli_gradient_builder sli_gradient_builder_t;
typedef sli_status_t *(*sli_shape_fn_t)(sli_shape_context_t *context);
typedef sli_status_t *(*sli_gradient_fn_t)(sli_gradient_builder_t *builder);

typedef struct {
  const char *name;
  const char *inputs, *outputs, *attrs;  // NULL: none
  const char *summary;                   // one line for the reference; NULL: none
  sli_shape_fn_t shape;
  sli_gradient_fn_t gradient;  // NULL and !not_differentiable: no gradient defined
  bool not_differentiable;     // gradients stop here silently (as ops.NotDifferentiable)
  bool is_stateful, is_commutative, is_aggregate, allows_uninitialized_input, is_distributed_communication;
  int deprecated_in;        // GraphDef version that no longer takes the op; 0: not deprecated
  const char *deprecation;  // what to use instead
} sli_op_def_t;

typedef struct {
  const char *name;
  sli_dtype_t type;            // fixed type, or SLI_DTYPE_INVALID
  const char *type_attr;       // type from this attribute
  const char *number_attr;     // N of them
  const char *type_list_attr;  // one for each type of the list
  bool is_ref;
} sli_arg_t;

typedef struct {
  const char *name;
  sli_attr_kind_t kind;
  bool is_list, has_default, has_minimum;
  int64_t minimum;  // of an int's value or a list's length
  sli_attr_t default_value;
  sli_types_t allowed_types;             // 0: any
  const sli_dtype_t *allowed_type_list;  // the same, in the order of the spec
  size_t allowed_type_count;
  const sli_view_t *allowed_strings;
  size_t allowed_string_count;  // 0: any
} sli_attr_spec_t;

struct sli_op {
  const sli_op_def_t *def;
  sli_arg_t *inputs, *outputs;
  int input_count, output_count;
  sli_attr_spec_t *attrs;
  int attr_count;
};

typedef struct {
  const char *name;
  const sli_op_def_t *ops;
  size_t op_count;
  const sli_kernel_def_t *kernels;
  size_t kernel_count;
  // Its ops are made by passes over the graph of a plan; none that comes in or goes to a peer has them.
  bool is_private;
} sli_op_module_t;

// Closes an op file: its tables are called |ops| and |kernels|.
#define SLI_OP_MODULE(module)                          \
  extern const sli_op_module_t sli_op_module_##module; \
  const sli_op_module_t sli_op_module_##module = {#module, SLI_OP_TABLES, false}
#define SLI_PRIVATE_OP_MODULE(module)                  \
  extern const sli_op_module_t sli_op_module_##module; \
  const sli_op_module_t sli_op_module_##module = {#module, SLI_OP_TABLES, true}
#define SLI_OP_TABLES ops, sizeof(ops) / sizeof(ops[0]), kernels, sizeof(kernels) / sizeof(kernels[0])

// All of the below are thread-safe and never block for long.

// NULL: no such op ("Op type not registered 'X' in binary …" is the caller's to say).
const sli_op_t *sli_op_find(sli_view_t name);
// The same among the ops of private modules, which are nowhere else.
const sli_op_t *sli_op_find_private(sli_view_t name);
// Calls |visit| for every op, sorted by name.
void sli_op_for_each(void (*visit)(void *context, const sli_op_t *op), void *context);
const sli_attr_spec_t *sli_op_attr_spec(const sli_op_t *op, const char *name);

// Checks a node against its op and completes it: every attribute present and of
// the right kind and range, defaults added, input and output types computed.
// |input_types| are the types of what is connected (reference or not), used to
// infer absent type and length attributes when |infer| is set, and checked against;
// SLI_DTYPE_INVALID is not known yet (a back edge). NULL: only the number of
// inputs is checked, and the caller compares types itself.
// Strings, lists and types go to |arena| (without a budget), attributes sorted by name; tensors are
// retained until sli_node_def_release_tensors(). On failure nothing is retained.
// INVALID_ARGUMENT with TensorFlow's texts.
typedef struct {
  const char *name, *device;
  const sli_op_t *op;
  const sli_attr_entry_t *attrs;
  size_t attr_count;
  const sli_dtype_t *input_types;
  int input_count;
  // For list inputs given one by one, as TF_AddInputList does: |list_sizes[i]| inputs
  // make the op's i-th argument; NULL: sizes come from the attributes.
  const int *list_sizes;
  bool infer;
} sli_node_request_t;
sli_status_t *sli_node_def_complete(const sli_node_request_t *request, sli_arena_t *arena, sli_node_def_t *out_node);
void sli_node_def_release_tensors(const sli_node_def_t *node);

// First input (output) of argument |arg| and how many it has, for a completed node.
sli_status_t *sli_node_input_range(const sli_node_def_t *node, const char *arg, int *out_first, int *out_count);
sli_status_t *sli_node_output_range(const sli_node_def_t *node, const char *arg, int *out_first, int *out_count);

// The kernel for |node| on a device of |device_type| ("CPU"). INVALID_ARGUMENT (as TensorFlow's placer) with
// "No OpKernel was registered to support Op 'X' used by {{node n}} with these attrs: […]".
sli_status_t *sli_kernel_find(const sli_node_def_t *node, const char *device_type, const sli_kernel_def_t **out_kernel);
// Whether |op| has any kernel for the device type at all.
bool sli_kernel_exists(const sli_op_t *op, const char *device_type);
// Calls |visit| for every kernel, but for those of private ops.
void sli_kernel_for_each(void (*visit)(void *context, const sli_kernel_def_t *kernel), void *context);

// "{{node n}} = Op[T=DT_FLOAT, …]" for messages; who knows the inputs' names adds "(a, b:1, ^c)".
void sli_node_def_append(sli_string_t *string, const sli_node_def_t *node);
// "Op<name=MatMul; signature=a:T, b:T -> product:T; attr=…>" for messages.
void sli_op_append(sli_string_t *string, const sli_op_t *op);
// Serialized OpDef as TensorFlow's op list has it.
void sli_op_encode(const sli_op_t *op, sli_string_t *out);

#endif  // SLI_CORE_OP_REGISTRY_H_
