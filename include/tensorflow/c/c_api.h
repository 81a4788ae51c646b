/* TensorFlow's C API: graphs, sessions, gradients and servers, with the ABI of TensorFlow 2.15.
 *
 * Rules that hold everywhere unless a comment says otherwise:
 * - The caller owns what TF_New… returns and frees it with TF_Delete…, which accepts NULL.
 * - Arguments are copied: the caller may free them when the call returns.
 * - A TF_Status is overwritten by every call that takes one; on failure results are NULL (or -1).
 * - A TF_Operation belongs to its graph and is valid as long as the graph.
 * - A graph, a session and a server may be used by any number of threads at once; descriptions, options and statuses
 *   by one at a time.
 * - Messages (GraphDef, ConfigProto, …) are serialized protocol buffers. */
#ifndef TENSORFLOW_C_C_API_H_
#define TENSORFLOW_C_C_API_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tensorflow/c/c_api_macros.h"
#include "tensorflow/c/tf_attrtype.h"
#include "tensorflow/c/tf_buffer.h"
#include "tensorflow/c/tf_datatype.h"
#include "tensorflow/c/tf_status.h"
#include "tensorflow/c/tf_tensor.h"
#include "tensorflow/c/tf_tstring.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The library's version, "0.1.0-sluice"; static memory. */
TF_CAPI_EXPORT const char *TF_Version(void);

/* Makes |to| the tensor that a TensorProto describes. INVALID_ARGUMENT, with |to| unchanged, on malformed bytes. */
TF_CAPI_EXPORT void TF_TensorFromProto(const TF_Buffer *from, TF_Tensor *to, TF_Status *status);

/* Bytes that the view does not own. */
typedef struct TF_StringView {
  const char *data;
  size_t len;
} TF_StringView;

/* ---- Session options ---- */

typedef struct TF_SessionOptions TF_SessionOptions;
TF_CAPI_EXPORT TF_SessionOptions *TF_NewSessionOptions(void);
TF_CAPI_EXPORT void TF_DeleteSessionOptions(TF_SessionOptions *options);
/* "" (also the default): devices of this process; "grpc://host:port": the master there. */
TF_CAPI_EXPORT void TF_SetTarget(TF_SessionOptions *options, const char *target);
/* |proto|: a serialized ConfigProto. INVALID_ARGUMENT if the bytes cannot be parsed. */
TF_CAPI_EXPORT void TF_SetConfig(TF_SessionOptions *options, const void *proto, size_t proto_len, TF_Status *status);

/* ---- Graphs ---- */

typedef struct TF_Graph TF_Graph;
typedef struct TF_OperationDescription TF_OperationDescription; /* an operation under construction */
typedef struct TF_Operation TF_Operation;

typedef struct TF_Input {
  TF_Operation *oper;
  int index; /* of the input within oper */
} TF_Input;

typedef struct TF_Output {
  TF_Operation *oper;
  int index; /* of the output within oper */
} TF_Output;

typedef struct TF_Function TF_Function;
typedef struct TF_FunctionOptions TF_FunctionOptions;

TF_CAPI_EXPORT TF_Graph *TF_NewGraph(void);
/* The memory is freed once all sessions on the graph are deleted, too. */
TF_CAPI_EXPORT void TF_DeleteGraph(TF_Graph *graph);

/* Merges |dims| into the known shape of an output; a dimension of -1 is unknown, |num_dims| -1 is an unknown rank.
 * INVALID_ARGUMENT if it contradicts the known shape. */
TF_CAPI_EXPORT void TF_GraphSetTensorShape(TF_Graph *graph, TF_Output output, const int64_t *dims, const int num_dims,
                                           TF_Status *status);
/* The inferred rank; -1: unknown. */
TF_CAPI_EXPORT int TF_GraphGetTensorNumDims(TF_Graph *graph, TF_Output output, TF_Status *status);
/* The dimensions, unknown ones as -1. INVALID_ARGUMENT if |num_dims| is not the rank. */
TF_CAPI_EXPORT void TF_GraphGetTensorShape(TF_Graph *graph, TF_Output output, int64_t *dims, int num_dims,
                                           TF_Status *status);

/* NULL: no operation of that name. */
TF_CAPI_EXPORT TF_Operation *TF_GraphOperationByName(TF_Graph *graph, const char *oper_name);
/* Iterates over all operations: start with *pos = 0 and call until it returns NULL. */
TF_CAPI_EXPORT TF_Operation *TF_GraphNextOperation(TF_Graph *graph, size_t *pos);
/* These fill an empty buffer: GraphDef, OpDef of a registered op, VersionDef. */
TF_CAPI_EXPORT void TF_GraphToGraphDef(TF_Graph *graph, TF_Buffer *output_graph_def, TF_Status *status);
TF_CAPI_EXPORT void TF_GraphGetOpDef(TF_Graph *graph, const char *op_name, TF_Buffer *output_op_def, TF_Status *status);
TF_CAPI_EXPORT void TF_GraphVersions(TF_Graph *graph, TF_Buffer *output_version_def, TF_Status *status);

/* ---- Building an operation ----
 * Between TF_NewOperation and TF_FinishOperation set, in any order, the device, inputs in the op's order, control
 * inputs and attributes. TF_FinishOperation reports the first mistake. */

TF_CAPI_EXPORT TF_OperationDescription *TF_NewOperation(TF_Graph *graph, const char *op_type, const char *oper_name);
/* The same for a caller that already holds a lock against every other use of the graph. */
TF_CAPI_EXPORT TF_OperationDescription *TF_NewOperationLocked(TF_Graph *graph, const char *op_type,
                                                              const char *oper_name);
/* The requested device: "/job:ps/task:0", "/cpu:1"; "": any. */
TF_CAPI_EXPORT void TF_SetDevice(TF_OperationDescription *desc, const char *device);
/* The next input: one tensor, or a list if the op takes a list. */
TF_CAPI_EXPORT void TF_AddInput(TF_OperationDescription *desc, TF_Output input);
TF_CAPI_EXPORT void TF_AddInputList(TF_OperationDescription *desc, const TF_Output *inputs, int num_inputs);
/* The operation will run after |input|. */
TF_CAPI_EXPORT void TF_AddControlInput(TF_OperationDescription *desc, TF_Operation *input);
/* The operation will be placed on |op|'s device. */
TF_CAPI_EXPORT void TF_ColocateWith(TF_OperationDescription *desc, TF_Operation *op);

TF_CAPI_EXPORT void TF_SetAttrString(TF_OperationDescription *desc, const char *attr_name, const void *value,
                                     size_t length);
TF_CAPI_EXPORT void TF_SetAttrStringList(TF_OperationDescription *desc, const char *attr_name,
                                         const void *const *values, const size_t *lengths, int num_values);
TF_CAPI_EXPORT void TF_SetAttrInt(TF_OperationDescription *desc, const char *attr_name, int64_t value);
TF_CAPI_EXPORT void TF_SetAttrIntList(TF_OperationDescription *desc, const char *attr_name, const int64_t *values,
                                      int num_values);
TF_CAPI_EXPORT void TF_SetAttrFloat(TF_OperationDescription *desc, const char *attr_name, float value);
TF_CAPI_EXPORT void TF_SetAttrFloatList(TF_OperationDescription *desc, const char *attr_name, const float *values,
                                        int num_values);
TF_CAPI_EXPORT void TF_SetAttrBool(TF_OperationDescription *desc, const char *attr_name, unsigned char value);
TF_CAPI_EXPORT void TF_SetAttrBoolList(TF_OperationDescription *desc, const char *attr_name,
                                       const unsigned char *values, int num_values);
TF_CAPI_EXPORT void TF_SetAttrType(TF_OperationDescription *desc, const char *attr_name, TF_DataType value);
TF_CAPI_EXPORT void TF_SetAttrTypeList(TF_OperationDescription *desc, const char *attr_name, const TF_DataType *values,
                                       int num_values);
TF_CAPI_EXPORT void TF_SetAttrPlaceholder(TF_OperationDescription *desc, const char *attr_name,
                                          const char *placeholder);
TF_CAPI_EXPORT void TF_SetAttrFuncName(TF_OperationDescription *desc, const char *attr_name, const char *value,
                                       size_t length);
/* |num_dims| -1: unknown rank; a dimension of -1 is unknown. */
TF_CAPI_EXPORT void TF_SetAttrShape(TF_OperationDescription *desc, const char *attr_name, const int64_t *dims,
                                    int num_dims);
TF_CAPI_EXPORT void TF_SetAttrShapeList(TF_OperationDescription *desc, const char *attr_name,
                                        const int64_t *const *dims, const int *num_dims, int num_shapes);
/* TensorShapeProto. These and the following functions report malformed values at once. */
TF_CAPI_EXPORT void TF_SetAttrTensorShapeProto(TF_OperationDescription *desc, const char *attr_name, const void *proto,
                                               size_t proto_len, TF_Status *status);
TF_CAPI_EXPORT void TF_SetAttrTensorShapeProtoList(TF_OperationDescription *desc, const char *attr_name,
                                                   const void *const *protos, const size_t *proto_lens, int num_shapes,
                                                   TF_Status *status);
/* The tensors' elements are copied. */
TF_CAPI_EXPORT void TF_SetAttrTensor(TF_OperationDescription *desc, const char *attr_name, TF_Tensor *value,
                                     TF_Status *status);
TF_CAPI_EXPORT void TF_SetAttrTensorList(TF_OperationDescription *desc, const char *attr_name, TF_Tensor *const *values,
                                         int num_values, TF_Status *status);
/* Any attribute as AttrValue. */
TF_CAPI_EXPORT void TF_SetAttrValueProto(TF_OperationDescription *desc, const char *attr_name, const void *proto,
                                         size_t proto_len, TF_Status *status);

/* Infers the shapes, adds the operation to the graph and always frees |desc|. On a mistake it returns NULL, |status|
 * describes the first one, and the graph is unchanged. */
TF_CAPI_EXPORT TF_Operation *TF_FinishOperation(TF_OperationDescription *desc, TF_Status *status);
TF_CAPI_EXPORT TF_Operation *TF_FinishOperationLocked(TF_OperationDescription *desc, TF_Status *status);

/* ---- Properties of an operation ---- */

TF_CAPI_EXPORT const char *TF_OperationName(TF_Operation *oper);
TF_CAPI_EXPORT const char *TF_OperationOpType(TF_Operation *oper);
/* The requested device; "" if none was requested. */
TF_CAPI_EXPORT const char *TF_OperationDevice(TF_Operation *oper);

TF_CAPI_EXPORT int TF_OperationNumOutputs(TF_Operation *oper);
/* 0, which is not a type, if the index is out of range. */
TF_CAPI_EXPORT TF_DataType TF_OperationOutputType(TF_Output oper_out);
/* How many outputs (inputs) the op's argument |arg_name| has. */
TF_CAPI_EXPORT int TF_OperationOutputListLength(TF_Operation *oper, const char *arg_name, TF_Status *status);
TF_CAPI_EXPORT int TF_OperationNumInputs(TF_Operation *oper);
TF_CAPI_EXPORT TF_DataType TF_OperationInputType(TF_Input oper_in);
TF_CAPI_EXPORT int TF_OperationInputListLength(TF_Operation *oper, const char *arg_name, TF_Status *status);
/* The output that is connected to an input; {NULL, -1} if the index is out of range. */
TF_CAPI_EXPORT TF_Output TF_OperationInput(TF_Input oper_in);
TF_CAPI_EXPORT void TF_OperationAllInputs(TF_Operation *oper, TF_Output *inputs, int max_inputs);

/* Consumers and control outputs change when operations are added: do not call these while another thread adds some. The
 * getters fill at most max_… entries and return how many. */
TF_CAPI_EXPORT int TF_OperationOutputNumConsumers(TF_Output oper_out);
TF_CAPI_EXPORT int TF_OperationOutputConsumers(TF_Output oper_out, TF_Input *consumers, int max_consumers);
TF_CAPI_EXPORT int TF_OperationNumControlInputs(TF_Operation *oper);
TF_CAPI_EXPORT int TF_OperationGetControlInputs(TF_Operation *oper, TF_Operation **control_inputs,
                                                int max_control_inputs);
TF_CAPI_EXPORT int TF_OperationNumControlOutputs(TF_Operation *oper);
TF_CAPI_EXPORT int TF_OperationGetControlOutputs(TF_Operation *oper, TF_Operation **control_outputs,
                                                 int max_control_outputs);

typedef struct TF_AttrMetadata {
  unsigned char is_list;
  int64_t list_size;  /* -1: not a list */
  TF_AttrType type;   /* of the value, or of the list's values */
  int64_t total_size; /* storage it takes: bytes of strings, dimensions of shapes (-1: rank unknown); else -1 */
} TF_AttrMetadata;
/* Getters: INVALID_ARGUMENT or NOT_FOUND if there is no such attribute or its value is of another kind. Lists are cut
 * at the given capacity. */
TF_CAPI_EXPORT TF_AttrMetadata TF_OperationGetAttrMetadata(TF_Operation *oper, const char *attr_name,
                                                           TF_Status *status);
TF_CAPI_EXPORT void TF_OperationGetAttrString(TF_Operation *oper, const char *attr_name, void *value, size_t max_length,
                                              TF_Status *status);
/* The strings go to |storage|, of metadata.total_size bytes, and |values| point into it. */
TF_CAPI_EXPORT void TF_OperationGetAttrStringList(TF_Operation *oper, const char *attr_name, void **values,
                                                  size_t *lengths, int max_values, void *storage, size_t storage_size,
                                                  TF_Status *status);
TF_CAPI_EXPORT void TF_OperationGetAttrInt(TF_Operation *oper, const char *attr_name, int64_t *value,
                                           TF_Status *status);
TF_CAPI_EXPORT void TF_OperationGetAttrIntList(TF_Operation *oper, const char *attr_name, int64_t *values,
                                               int max_values, TF_Status *status);
TF_CAPI_EXPORT void TF_OperationGetAttrFloat(TF_Operation *oper, const char *attr_name, float *value,
                                             TF_Status *status);
TF_CAPI_EXPORT void TF_OperationGetAttrFloatList(TF_Operation *oper, const char *attr_name, float *values,
                                                 int max_values, TF_Status *status);
TF_CAPI_EXPORT void TF_OperationGetAttrBool(TF_Operation *oper, const char *attr_name, unsigned char *value,
                                            TF_Status *status);
TF_CAPI_EXPORT void TF_OperationGetAttrBoolList(TF_Operation *oper, const char *attr_name, unsigned char *values,
                                                int max_values, TF_Status *status);
TF_CAPI_EXPORT void TF_OperationGetAttrType(TF_Operation *oper, const char *attr_name, TF_DataType *value,
                                            TF_Status *status);
TF_CAPI_EXPORT void TF_OperationGetAttrTypeList(TF_Operation *oper, const char *attr_name, TF_DataType *values,
                                                int max_values, TF_Status *status);
TF_CAPI_EXPORT void TF_OperationGetAttrShape(TF_Operation *oper, const char *attr_name, int64_t *value, int num_dims,
                                             TF_Status *status);
/* The dimensions go to |storage|; of a shape of unknown rank num_dims is -1. */
TF_CAPI_EXPORT void TF_OperationGetAttrShapeList(TF_Operation *oper, const char *attr_name, int64_t **dims,
                                                 int *num_dims, int num_shapes, int64_t *storage, int storage_size,
                                                 TF_Status *status);
TF_CAPI_EXPORT void TF_OperationGetAttrTensorShapeProto(TF_Operation *oper, const char *attr_name, TF_Buffer *value,
                                                        TF_Status *status);
/* The buffers and tensors of these lists are new: the caller deletes them. */
TF_CAPI_EXPORT void TF_OperationGetAttrTensorShapeProtoList(TF_Operation *oper, const char *attr_name,
                                                            TF_Buffer **values, int max_values, TF_Status *status);
TF_CAPI_EXPORT void TF_OperationGetAttrTensor(TF_Operation *oper, const char *attr_name, TF_Tensor **value,
                                              TF_Status *status);
TF_CAPI_EXPORT void TF_OperationGetAttrTensorList(TF_Operation *oper, const char *attr_name, TF_Tensor **values,
                                                  int max_values, TF_Status *status);
/* As AttrValue. */
TF_CAPI_EXPORT void TF_OperationGetAttrValueProto(TF_Operation *oper, const char *attr_name,
                                                  TF_Buffer *output_attr_value, TF_Status *status);
/* All attributes in some order; |output| has room for the name's length, without a NUL. */
TF_CAPI_EXPORT int TF_OperationGetNumAttrs(TF_Operation *oper);
TF_CAPI_EXPORT int TF_OperationGetAttrNameLength(TF_Operation *oper, int i);
TF_CAPI_EXPORT void TF_OperationGetAttrName(TF_Operation *oper, int i, char *output, TF_Status *status);
/* As NodeDef. */
TF_CAPI_EXPORT void TF_OperationToNodeDef(TF_Operation *oper, TF_Buffer *output_node_def, TF_Status *status);

/* ---- Changing operations that exist ----
 * Steps that a session has already prepared do not see the change; the next one logs a warning. */

/* Connects input |dst| to |new_src|. */
TF_CAPI_EXPORT void TF_UpdateEdge(TF_Graph *graph, TF_Output new_src, TF_Input dst, TF_Status *status);
TF_CAPI_EXPORT void TF_AddOperationControlInput(TF_Graph *graph, TF_Operation *op, TF_Operation *input);
TF_CAPI_EXPORT void TF_SetAttr(TF_Graph *graph, TF_Operation *op, const char *attr_name, TF_Buffer *attr_value_proto,
                               TF_Status *status);
TF_CAPI_EXPORT void TF_SetRequestedDevice(TF_Graph *graph, TF_Operation *op, const char *device);

/* ---- Importing a GraphDef ---- */

typedef struct TF_ImportGraphDefOptions TF_ImportGraphDefOptions;
TF_CAPI_EXPORT TF_ImportGraphDefOptions *TF_NewImportGraphDefOptions(void);
TF_CAPI_EXPORT void TF_DeleteImportGraphDefOptions(TF_ImportGraphDefOptions *opts);
/* Names go under "prefix/". */
TF_CAPI_EXPORT void TF_ImportGraphDefOptionsSetPrefix(TF_ImportGraphDefOptions *opts, const char *prefix);
/* For nodes without a device. */
TF_CAPI_EXPORT void TF_ImportGraphDefOptionsSetDefaultDevice(TF_ImportGraphDefOptions *opts, const char *device);
/* Names (the prefix) that are taken get a number instead of failing the import. */
TF_CAPI_EXPORT void TF_ImportGraphDefOptionsSetUniquifyNames(TF_ImportGraphDefOptions *opts,
                                                             unsigned char uniquify_names);
TF_CAPI_EXPORT void TF_ImportGraphDefOptionsSetUniquifyPrefix(TF_ImportGraphDefOptions *opts,
                                                              unsigned char uniquify_prefix);
/* Inputs "src_name:src_index" in the GraphDef are fed by |dst|, an output of the graph. */
TF_CAPI_EXPORT void TF_ImportGraphDefOptionsAddInputMapping(TF_ImportGraphDefOptions *opts, const char *src_name,
                                                            int src_index, TF_Output dst);
/* Control inputs "^src_name" come from |dst|. */
TF_CAPI_EXPORT void TF_ImportGraphDefOptionsRemapControlDependency(TF_ImportGraphDefOptions *opts, const char *src_name,
                                                                   TF_Operation *dst);
/* Imported operations run after |oper|. */
TF_CAPI_EXPORT void TF_ImportGraphDefOptionsAddControlDependency(TF_ImportGraphDefOptions *opts, TF_Operation *oper);
/* The outputs and operations to return, by their names in the GraphDef. */
TF_CAPI_EXPORT void TF_ImportGraphDefOptionsAddReturnOutput(TF_ImportGraphDefOptions *opts, const char *oper_name,
                                                            int index);
TF_CAPI_EXPORT int TF_ImportGraphDefOptionsNumReturnOutputs(const TF_ImportGraphDefOptions *opts);
TF_CAPI_EXPORT void TF_ImportGraphDefOptionsAddReturnOperation(TF_ImportGraphDefOptions *opts, const char *oper_name);
TF_CAPI_EXPORT int TF_ImportGraphDefOptionsNumReturnOperations(const TF_ImportGraphDefOptions *opts);

/* The outputs and operations that an import returned, in the requested order. Arrays are valid as long as the results.
 */
typedef struct TF_ImportGraphDefResults TF_ImportGraphDefResults;
TF_CAPI_EXPORT void TF_ImportGraphDefResultsReturnOutputs(TF_ImportGraphDefResults *results, int *num_outputs,
                                                          TF_Output **outputs);
TF_CAPI_EXPORT void TF_ImportGraphDefResultsReturnOperations(TF_ImportGraphDefResults *results, int *num_opers,
                                                             TF_Operation ***opers);
/* Mappings whose source is neither used nor an output of the GraphDef: most likely misspelt. */
TF_CAPI_EXPORT void TF_ImportGraphDefResultsMissingUnusedInputMappings(TF_ImportGraphDefResults *results,
                                                                       int *num_missing_unused_input_mappings,
                                                                       const char ***src_names, int **src_indexes);
TF_CAPI_EXPORT void TF_DeleteImportGraphDefResults(TF_ImportGraphDefResults *results);

/* On failure the graph is unchanged. The second form fills |return_outputs|, one for each requested output. */
TF_CAPI_EXPORT TF_ImportGraphDefResults *TF_GraphImportGraphDefWithResults(TF_Graph *graph, const TF_Buffer *graph_def,
                                                                           const TF_ImportGraphDefOptions *options,
                                                                           TF_Status *status);
TF_CAPI_EXPORT void TF_GraphImportGraphDefWithReturnOutputs(TF_Graph *graph, const TF_Buffer *graph_def,
                                                            const TF_ImportGraphDefOptions *options,
                                                            TF_Output *return_outputs, int num_return_outputs,
                                                            TF_Status *status);
TF_CAPI_EXPORT void TF_GraphImportGraphDef(TF_Graph *graph, const TF_Buffer *graph_def,
                                           const TF_ImportGraphDefOptions *options, TF_Status *status);

/* ---- Functions ---- */

/* A function is a part of a graph: |inputs| become its arguments, |outputs| its results. |num_opers| -1: all operations
   of the graph except the inputs are its body. Names of arguments and results are made of those of the operations, or
   |output_names|. With |append_hash_to_fn_name| the name ends in a hash, so that different functions have different
   names. A graph that holds a copy of it (TF_GraphCopyFunction, with its gradient function |grad| or NULL) may call it:
   by an operation of the function's name, by PartitionedCall and other ops with an attribute that names it. The caller
   owns every TF_Function that it gets. */

TF_CAPI_EXPORT void TF_GraphCopyFunction(TF_Graph *g, const TF_Function *func, const TF_Function *grad,
                                         TF_Status *status);
TF_CAPI_EXPORT int TF_GraphNumFunctions(TF_Graph *g);
TF_CAPI_EXPORT int TF_GraphGetFunctions(TF_Graph *g, TF_Function **funcs, int max_func, TF_Status *status);
TF_CAPI_EXPORT TF_Function *TF_GraphToFunction(const TF_Graph *fn_body, const char *fn_name,
                                               unsigned char append_hash_to_fn_name, int num_opers,
                                               const TF_Operation *const *opers, int ninputs, const TF_Output *inputs,
                                               int noutputs, const TF_Output *outputs, const char *const *output_names,
                                               const TF_FunctionOptions *opts, const char *description,
                                               TF_Status *status);
TF_CAPI_EXPORT TF_Function *TF_GraphToFunctionWithControlOutputs(
    const TF_Graph *fn_body, const char *fn_name, unsigned char append_hash_to_fn_name, int num_opers,
    const TF_Operation *const *opers, int ninputs, const TF_Output *inputs, int noutputs, const TF_Output *outputs,
    const char *const *output_names, int ncontrol_outputs, const TF_Operation *const *control_outputs,
    const char *const *control_output_names, const TF_FunctionOptions *opts, const char *description,
    TF_Status *status);
TF_CAPI_EXPORT const char *TF_FunctionName(TF_Function *func);
TF_CAPI_EXPORT void TF_FunctionToFunctionDef(TF_Function *func, TF_Buffer *output_func_def, TF_Status *status);
TF_CAPI_EXPORT TF_Function *TF_FunctionImportFunctionDef(const void *proto, size_t proto_len, TF_Status *status);
TF_CAPI_EXPORT void TF_FunctionSetAttrValueProto(TF_Function *func, const char *attr_name, const void *proto,
                                                 size_t proto_len, TF_Status *status);
TF_CAPI_EXPORT void TF_FunctionGetAttrValueProto(TF_Function *func, const char *attr_name, TF_Buffer *output_attr_value,
                                                 TF_Status *status);
TF_CAPI_EXPORT void TF_DeleteFunction(TF_Function *func);

/* ---- While loops and gradients ---- */

/* A while loop under construction. TF_NewWhile sets the const fields; the caller builds both graphs from their inputs
 * and sets the other fields. */
typedef struct TF_WhileParams {
  const int ninputs; /* loop variables */

  TF_Graph *const cond_graph;
  const TF_Output *const cond_inputs;
  TF_Output cond_output; /* a boolean scalar of cond_graph: whether to run the body again */

  TF_Graph *const body_graph;
  const TF_Output *const body_inputs;
  TF_Output *const body_outputs; /* the next values, of body_graph */

  const char *name; /* unique; prefix of the loop's operations */
} TF_WhileParams;

/* Starts a loop over |inputs|, the variables' first values. Must be followed by TF_FinishWhile or TF_AbortWhile. */
TF_CAPI_EXPORT TF_WhileParams TF_NewWhile(TF_Graph *g, TF_Output *inputs, int ninputs, TF_Status *status);
/* Adds the loop to the graph, sets its |outputs| (ninputs of them) and always frees what |params| holds. */
TF_CAPI_EXPORT void TF_FinishWhile(const TF_WhileParams *params, TF_Status *status, TF_Output *outputs);
TF_CAPI_EXPORT void TF_AbortWhile(const TF_WhileParams *params);

/* Adds the partial derivatives of sum(y) with respect to each x to the graph and stores them in |dy| (nx of them).
 * |dx|: gradients that flow into each y; NULL: ones. dy[i].oper is NULL if an op on the path has no derivative.
 * INVALID_ARGUMENT if y does not depend on an x. */
TF_CAPI_EXPORT void TF_AddGradients(TF_Graph *g, TF_Output *y, int ny, TF_Output *x, int nx, TF_Output *dx,
                                    TF_Status *status, TF_Output *dy);
/* The names of the new operations begin with "prefix/", which must not be in use; NULL: an unused name like
 * "gradients". */
TF_CAPI_EXPORT void TF_AddGradientsWithPrefix(TF_Graph *g, const char *prefix, TF_Output *y, int ny, TF_Output *x,
                                              int nx, TF_Output *dx, TF_Status *status, TF_Output *dy);

/* Returns true and sets |*result| if the output is constant and its value is known without running a step. The caller
 * deletes the tensor. */
TF_CAPI_EXPORT unsigned char TF_TryEvaluateConstant(TF_Graph *graph, TF_Output output, TF_Tensor **result,
                                                    TF_Status *status);

/* ---- Sessions ---- */

typedef struct TF_Session TF_Session;
/* A session on |graph|. Operations that are added later can be run too. |opts| may be deleted after the call. */
TF_CAPI_EXPORT TF_Session *TF_NewSession(TF_Graph *graph, const TF_SessionOptions *opts, TF_Status *status);
/* Imports the MetaGraph with exactly these tags into |graph|, which must be empty, and restores its variables.
 * |run_options| may be NULL; |meta_graph_def| is filled unless NULL. */
TF_CAPI_EXPORT TF_Session *TF_LoadSessionFromSavedModel(const TF_SessionOptions *session_options,
                                                        const TF_Buffer *run_options, const char *export_dir,
                                                        const char *const *tags, int tags_len, TF_Graph *graph,
                                                        TF_Buffer *meta_graph_def, TF_Status *status);
/* Cancels running steps and releases the session's state; later runs fail with CANCELLED. */
TF_CAPI_EXPORT void TF_CloseSession(TF_Session *session, TF_Status *status);
/* Deletes the session even on failure. */
TF_CAPI_EXPORT void TF_DeleteSession(TF_Session *session, TF_Status *status);

/* Runs one step: feeds |inputs|, runs the operations that |outputs| and |target_opers| need, blocks until done. Each
 * output value is a new tensor that the caller owns, NULL on failure. |run_options| (RunOptions) and |run_metadata| (an
 * empty buffer, to be filled with RunMetadata) may be NULL. */
TF_CAPI_EXPORT void TF_SessionRun(TF_Session *session, const TF_Buffer *run_options, const TF_Output *inputs,
                                  TF_Tensor *const *input_values, int ninputs, const TF_Output *outputs,
                                  TF_Tensor **output_values, int noutputs, const TF_Operation *const *target_opers,
                                  int ntargets, TF_Buffer *run_metadata, TF_Status *status);
/* A step in several calls: setup names everything that will be fed, fetched and run; TF_SessionPRun then does parts of
 * it, by the handle, which the caller deletes. */
TF_CAPI_EXPORT void TF_SessionPRunSetup(TF_Session *session, const TF_Output *inputs, int ninputs,
                                        const TF_Output *outputs, int noutputs, const TF_Operation *const *target_opers,
                                        int ntargets, const char **handle, TF_Status *status);
TF_CAPI_EXPORT void TF_SessionPRun(TF_Session *session, const char *handle, const TF_Output *inputs,
                                   TF_Tensor *const *input_values, int ninputs, const TF_Output *outputs,
                                   TF_Tensor **output_values, int noutputs, const TF_Operation *const *target_opers,
                                   int ntargets, TF_Status *status);
TF_CAPI_EXPORT void TF_DeletePRunHandle(const char *handle);
/* Sends new operations of the graph to the session now. From then on runs no longer do it by themselves. */
TF_CAPI_EXPORT void TF_ExtendSession(TF_Session *session, TF_Status *status);
/* Drops the state of |containers| (all if none) that sessions with these options share. */
TF_CAPI_EXPORT void TF_Reset(const TF_SessionOptions *opt, const char **containers, int ncontainers, TF_Status *status);

/* ---- Sessions without a graph object: names instead of operations ("x:0", "train") ---- */

typedef struct TF_DeprecatedSession TF_DeprecatedSession;
TF_CAPI_EXPORT TF_DeprecatedSession *TF_NewDeprecatedSession(const TF_SessionOptions *options, TF_Status *status);
TF_CAPI_EXPORT void TF_CloseDeprecatedSession(TF_DeprecatedSession *session, TF_Status *status);
TF_CAPI_EXPORT void TF_DeleteDeprecatedSession(TF_DeprecatedSession *session, TF_Status *status);
TF_CAPI_EXPORT void TF_ExtendGraph(TF_DeprecatedSession *session, const void *proto, size_t proto_len,
                                   TF_Status *status);
TF_CAPI_EXPORT void TF_Run(TF_DeprecatedSession *session, const TF_Buffer *run_options, const char **input_names,
                           TF_Tensor **inputs, int ninputs, const char **output_names, TF_Tensor **outputs,
                           int noutputs, const char **target_oper_names, int ntargets, TF_Buffer *run_metadata,
                           TF_Status *status);
TF_CAPI_EXPORT void TF_PRunSetup(TF_DeprecatedSession *session, const char **input_names, int ninputs,
                                 const char **output_names, int noutputs, const char **target_oper_names, int ntargets,
                                 const char **handle, TF_Status *status);
TF_CAPI_EXPORT void TF_PRun(TF_DeprecatedSession *session, const char *handle, const char **input_names,
                            TF_Tensor **inputs, int ninputs, const char **output_names, TF_Tensor **outputs,
                            int noutputs, const char **target_oper_names, int ntargets, TF_Status *status);

/* ---- Devices ---- */

typedef struct TF_DeviceList TF_DeviceList;
TF_CAPI_EXPORT TF_DeviceList *TF_SessionListDevices(TF_Session *session, TF_Status *status);
TF_CAPI_EXPORT TF_DeviceList *TF_DeprecatedSessionListDevices(TF_DeprecatedSession *session, TF_Status *status);
TF_CAPI_EXPORT void TF_DeleteDeviceList(TF_DeviceList *list);
TF_CAPI_EXPORT int TF_DeviceListCount(const TF_DeviceList *list);
/* INVALID_ARGUMENT outside [0, count). Texts are valid as long as the list. */
TF_CAPI_EXPORT const char *TF_DeviceListName(const TF_DeviceList *list, int index, TF_Status *status);
TF_CAPI_EXPORT const char *TF_DeviceListType(const TF_DeviceList *list, int index, TF_Status *status);
TF_CAPI_EXPORT int64_t TF_DeviceListMemoryBytes(const TF_DeviceList *list, int index, TF_Status *status);
TF_CAPI_EXPORT uint64_t TF_DeviceListIncarnation(const TF_DeviceList *list, int index, TF_Status *status);

/* ---- The op library ---- */

/* All ops as OpList, all kernels (of one op) as KernelList. The caller deletes the buffers. */
TF_CAPI_EXPORT TF_Buffer *TF_GetAllOpList(void);
TF_CAPI_EXPORT TF_Buffer *TF_GetAllRegisteredKernels(TF_Status *status);
TF_CAPI_EXPORT TF_Buffer *TF_GetRegisteredKernelsForOp(const char *name, TF_Status *status);

/* Sluice loads no plugins: these return UNIMPLEMENTED, or an empty list of ops. */
typedef struct TF_Library TF_Library;
TF_CAPI_EXPORT TF_Library *TF_LoadLibrary(const char *library_filename, TF_Status *status);
TF_CAPI_EXPORT TF_Buffer TF_GetOpList(TF_Library *lib_handle);
TF_CAPI_EXPORT void TF_DeleteLibraryHandle(TF_Library *lib_handle);
TF_CAPI_EXPORT void TF_RegisterFilesystemPlugin(const char *plugin_filename, TF_Status *status);

/* ---- Servers ---- */

/* One task of a cluster, as a ServerDef describes it. */
typedef struct TF_Server TF_Server;
TF_CAPI_EXPORT TF_Server *TF_NewServer(const void *proto, size_t proto_len, TF_Status *status);
/* Starts to serve requests; returns at once. */
TF_CAPI_EXPORT void TF_ServerStart(TF_Server *server, TF_Status *status);
TF_CAPI_EXPORT void TF_ServerStop(TF_Server *server, TF_Status *status);
/* Blocks until the server has stopped. */
TF_CAPI_EXPORT void TF_ServerJoin(TF_Server *server, TF_Status *status);
/* "grpc://host:port", for TF_SetTarget; valid as long as the server. */
TF_CAPI_EXPORT const char *TF_ServerTarget(TF_Server *server);
TF_CAPI_EXPORT void TF_DeleteServer(TF_Server *server);

#ifdef __cplusplus
}
#endif

#endif /* TENSORFLOW_C_C_API_H_ */
