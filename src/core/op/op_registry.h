// Ops: their definitions (TensorFlow's spec strings) and kernels, from const
// tables in src/ops. The build collects the tables (generated ops_table.c): no
// static constructors. An op's strings are parsed when it is first looked up.
//
//   static const sli_op_def_t ops[] = {
//     {.name = "Softplus", .inputs = "features: T", .outputs = "activations: T",
//      .attrs = "T: {half, bfloat16, float, double}", .shape = sli_infer_fn_unchanged, .gradient = softplus_gradient},
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
#ifndef SLI_CORE_OP_OP_REGISTRY_H_
#define SLI_CORE_OP_OP_REGISTRY_H_

#include "core/op/kernel.h"
#include "core/op/node_def.h"

typedef struct sli_infer_context sli_infer_context_t;
typedef struct sli_gradient_builder sli_gradient_builder_t;
typedef sli_status_t *(*sli_infer_fn_t)(sli_infer_context_t *context);
typedef sli_status_t *(*sli_gradient_fn_t)(sli_gradient_builder_t *builder);

// What an op does for control flow. The executor, the passes over a graph and the gradients act on it. An op and its
// form for references (Switch, RefSwitch) are of the same kind.
typedef enum {
  SLI_OP_CONTROL_FLOW_NONE,
  SLI_OP_CONTROL_FLOW_SWITCH,          // some outputs are dead
  SLI_OP_CONTROL_FLOW_MERGE,           // runs as soon as one input is alive
  SLI_OP_CONTROL_FLOW_SELECT,          // passes on one of its inputs
  SLI_OP_CONTROL_FLOW_ENTER,           // takes a value into the frame of a loop
  SLI_OP_CONTROL_FLOW_EXIT,            // takes a value out of the frame of a loop
  SLI_OP_CONTROL_FLOW_NEXT_ITERATION,  // takes a value into the next iteration of a loop
  SLI_OP_CONTROL_FLOW_LOOP_COND,       // the condition of a loop
  SLI_OP_CONTROL_FLOW_TRIGGER,         // runs even if what it waits for is dead
} sli_op_control_flow_t;

// What an op does with the functions that its attributes name, as far as a pass can do the same with other nodes
// (graph/function).
typedef enum {
  SLI_OP_FUNCTIONAL_NONE,
  SLI_OP_FUNCTIONAL_CALL,         // calls "f"
  SLI_OP_FUNCTIONAL_REMOTE_CALL,  // calls "f" on the device that input 0 names
  SLI_OP_FUNCTIONAL_IF,
  SLI_OP_FUNCTIONAL_CASE,
  SLI_OP_FUNCTIONAL_WHILE,
} sli_op_functional_t;

// Whether an op passes a tensor from one task or device to another. Both kinds run with dead inputs.
typedef enum { SLI_OP_TRANSFER_NONE, SLI_OP_TRANSFER_SEND, SLI_OP_TRANSFER_RECV } sli_op_transfer_t;

typedef struct {
  const char *name;
  const char *inputs, *outputs, *attrs;  // NULL: none
  const char *summary;                   // one line for the reference; NULL: none
  sli_infer_fn_t shape;
  sli_gradient_fn_t gradient;  // NULL and !not_differentiable: no gradient defined
  bool not_differentiable;     // gradients stop here silently (as ops.NotDifferentiable)
  bool is_stateful, is_commutative, is_aggregate, allows_uninitialized_input, is_distributed_communication;
  int deprecated_in;        // GraphDef version that no longer takes the op; 0: not deprecated
  const char *deprecation;  // what to use instead

  // Facts for the rest of the library, which keeps no lists of op names. An op that computes its outputs from its
  // inputs, into memory of their own, sets none of them.
  sli_op_control_flow_t control_flow;
  sli_op_transfer_t transfer;
  sli_op_functional_t functional;
  bool is_placeholder;   // its output is meant to be fed: no pass computes it beforehand
  bool is_variable;      // its output refers to a tensor that outlives the step
  bool is_on_ps;         // state that the workers of a job share: a replica device setter places it on a ps task
  bool is_checkpoint;    // saves or restores values: they are never rounded on their way to it or from it
  bool is_check;         // it is run for its error: also if nobody reads its output
  bool is_metadata;      // reads only the shape of its input, and is placed on the device of that input
  bool depends_on_host;  // though not stateful, its output depends on the host (its files): no pass runs it elsewhere
  bool forwards_input;   // an output may share memory with an input, always (Identity) or sometimes (Slice)
  bool keeps_inputs;     // may hold a reference to an input after the step (a queue, a variable)
  // Set in the row of an op that a pass puts in the place of others (graph/passes): the op whose place it takes,
  // and the activations that it can apply to the result: "Relu, Elu".
  const char *fuses, *fused_activations;
  bool is_function;  // not of a table: a function of a graph's library, whose kernel is that of PartitionedCall
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
  // Only passes over the graph of a plan make its ops; they are never in a graph of a user or of a peer.
  bool is_private;
  // Types of variant elements that the module defines, for elements that come in a message; ends with NULL. NULL: none.
  const sli_object_type_t *const *variants;
} sli_op_module_t;

// The last line of an op file, whose tables are called |ops| and |kernels|.
#define SLI_OP_MODULE(module)                          \
  extern const sli_op_module_t sli_op_module_##module; \
  const sli_op_module_t sli_op_module_##module = {#module, SLI_OP_TABLES, false, NULL}
// The same for a file that also has a table of variant types, called |variants|.
#define SLI_OP_MODULE_WITH_VARIANTS(module)            \
  extern const sli_op_module_t sli_op_module_##module; \
  const sli_op_module_t sli_op_module_##module = {#module, SLI_OP_TABLES, false, variants}
#define SLI_OP_MODULE_PRIVATE(module)                  \
  extern const sli_op_module_t sli_op_module_##module; \
  const sli_op_module_t sli_op_module_##module = {#module, SLI_OP_TABLES, true, NULL}
#define SLI_OP_TABLES ops, sizeof(ops) / sizeof(ops[0]), kernels, sizeof(kernels) / sizeof(kernels[0])

// All functions below are thread-safe. None blocks for long.

// NULL: no such op. The caller reports "Op type not registered 'X' in binary …".
const sli_op_t *sli_op_find(sli_view_t name);
// The same for ops of private modules, which the other functions do not find.
const sli_op_t *sli_op_find_private(sli_view_t name);
// The op, private or not, whose row names |op| in |fuses|; NULL: there is none.
const sli_op_t *sli_op_find_fused(const sli_op_t *op);
// Calls |visit| for every op, sorted by name.
void sli_op_for_each(void (*visit)(void *context, const sli_op_t *op), void *context);
const sli_attr_spec_t *sli_op_attr_spec(const sli_op_t *op, const char *name);

// Checks a node against its op and completes it: checks kind and range of every
// attribute, adds defaults, and computes input and output types.
// |input_types| are the types of the connected outputs, reference or not. They are
// compared with the op's types, and absent type and length attributes are inferred
// from them if |infer| is set. SLI_DTYPE_INVALID: not known yet (a back edge). NULL:
// only the number of inputs is checked; the caller compares the types.
// Strings, lists and types are in |arena|, which must have no budget; |device| is not copied and must live as long.
// Attributes are sorted by name. Tensors are retained until sli_node_def_release_tensors(); on failure nothing is
// retained.
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

// The first input (output) of argument |arg| and how many it has, for a completed node.
sli_status_t *sli_node_input_range(const sli_node_def_t *node, const char *arg, int *out_first, int *out_count);
sli_status_t *sli_node_output_range(const sli_node_def_t *node, const char *arg, int *out_first, int *out_count);

// The kernel for |node| on a device of |device_type| ("CPU"). INVALID_ARGUMENT (as TensorFlow's placer) with
// "No OpKernel was registered to support Op 'X' used by {{node n}} with these attrs: […]".
sli_status_t *sli_kernel_find(const sli_node_def_t *node, const char *device_type, const sli_kernel_def_t **out_kernel);
// Whether |op| has any kernel for the device type at all.
bool sli_kernel_exists(const sli_op_t *op, const char *device_type);
// Whether sli_kernel_find() finds a kernel for the node.
bool sli_kernel_supports(const sli_node_def_t *node, const char *device_type);
// Calls |visit| for every kernel, except those of private ops.
void sli_kernel_for_each(void (*visit)(void *context, const sli_kernel_def_t *kernel), void *context);

// Element |index| of a VARIANT tensor, decoded if it came in a message. |*out_object| is NULL for an element without a
// value or of another type than |type| (NULL: any); else the caller owns a reference. INVALID_ARGUMENT if it cannot be
// decoded.
sli_status_t *sli_op_variant_at(const sli_tensor_t *tensor, int64_t index, const sli_object_type_t *type,
                                sli_object_t **out_object);
// The object of zeros like element |index| of |tensor|, and the sum of elements |index| of |a| and |b|. INTERNAL, as in
// TensorFlow, if their type has none.
sli_status_t *sli_op_variant_zeros_like(const sli_tensor_t *tensor, int64_t index, sli_object_t **out_zeros);
sli_status_t *sli_op_variant_add(const sli_tensor_t *a, const sli_tensor_t *b, int64_t index, sli_object_t **out_sum);

// "{{node n}} = Op[T=DT_FLOAT, …]" for messages; a caller that knows the inputs' names adds "(a, b:1, ^c)".
void sli_node_def_append(sli_string_t *string, const sli_node_def_t *node);
// "Op<name=MatMul; signature=a:T, b:T -> product:T; attr=…>" for messages.
void sli_op_append(sli_string_t *string, const sli_op_t *op);
// Serialized OpDef as TensorFlow's op list has it.
void sli_op_encode(const sli_op_t *op, sli_string_t *out);
// The signature of a function, a serialized OpDef, as an op. All memory is in |arena|, except the tensors of defaults:
// sli_op_release_tensors() releases them. INVALID_ARGUMENT if the bytes are malformed or a name or type is not valid.
sli_status_t *sli_op_decode_function(sli_view_t bytes, sli_arena_t *arena, sli_op_t **out_op);
void sli_op_release_tensors(sli_op_t *op);

#endif  // SLI_CORE_OP_OP_REGISTRY_H_
