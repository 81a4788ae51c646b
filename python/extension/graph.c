// Graphs and operations.
#include "extension.h"

#include <stdlib.h>

static PyObject *new_graph(PyObject *module, PyObject *unused) { return extension_number(TF_NewGraph()); }

static PyObject *delete_graph(PyObject *module, PyObject *object) {
  TF_Graph *graph = extension_pointer(object);
  if (!graph) return NULL;
  TF_DeleteGraph(graph);
  Py_RETURN_NONE;
}

// --- Attributes ---

// A list of Python numbers as an array of |type|; NULL and an exception on failure. The caller frees it.
#define DEFINE_LIST(name, type, convert)                                                                 \
  static type *name(PyObject *list, int *out_count) {                                                    \
    Py_ssize_t count = PyList_Size(list);                                                                \
    type *values = count < 0 ? NULL : malloc(((size_t)count + 1) * sizeof(type));                        \
    for (Py_ssize_t i = 0; values && i < count; i++) values[i] = (type)convert(PyList_GetItem(list, i)); \
    if (PyErr_Occurred()) {                                                                              \
      free(values);                                                                                      \
      return NULL;                                                                                       \
    }                                                                                                    \
    *out_count = (int)count;                                                                             \
    return values;                                                                                       \
  }
DEFINE_LIST(ints_of, int64_t, PyLong_AsLongLong)
DEFINE_LIST(floats_of, float, PyFloat_AsDouble)
DEFINE_LIST(bools_of, unsigned char, PyObject_IsTrue)
DEFINE_LIST(types_of, TF_DataType, PyLong_AsLong)

static bool set_strings(TF_OperationDescription *description, const char *name, PyObject *list) {
  Py_ssize_t count = PyList_Size(list);
  if (count < 0) return false;
  const void **values = malloc(((size_t)count + 1) * sizeof(*values));
  size_t *sizes = malloc(((size_t)count + 1) * sizeof(*sizes));
  bool ok = values && sizes;
  for (Py_ssize_t i = 0; ok && i < count; i++) {
    char *data;
    Py_ssize_t size;
    ok = PyBytes_AsStringAndSize(PyList_GetItem(list, i), &data, &size) == 0;
    if (ok) values[i] = data, sizes[i] = (size_t)size;
  }
  if (ok) TF_SetAttrStringList(description, name, values, sizes, (int)count);
  free(values);
  free(sizes);
  return ok;
}

// Sets attribute (name, kind, value). The kind is the letter of the type's name as OpDef writes it, in capitals for a
// list: s(tring), i(nt), f(loat), b(ool), t(ype). x: a tensor. p: any kind, as a serialized AttrValue.
static bool set_attribute(TF_OperationDescription *description, PyObject *triple, TF_Status *status) {
  const char *name;
  int kind, count;
  PyObject *value;
  if (!PyArg_ParseTuple(triple, "sCO", &name, &kind, &value)) return false;
  void *list = NULL;
  char *data;
  Py_ssize_t size;
  switch (kind) {
    case 's':
      if (PyBytes_AsStringAndSize(value, &data, &size) < 0) return false;
      TF_SetAttrString(description, name, data, (size_t)size);
      return true;
    case 'p':
      if (PyBytes_AsStringAndSize(value, &data, &size) < 0) return false;
      TF_SetAttrValueProto(description, name, data, (size_t)size, status);
      return true;
    case 'i': TF_SetAttrInt(description, name, PyLong_AsLongLong(value)); return !PyErr_Occurred();
    case 'f': TF_SetAttrFloat(description, name, (float)PyFloat_AsDouble(value)); return !PyErr_Occurred();
    case 'b': TF_SetAttrBool(description, name, PyObject_IsTrue(value) > 0); return !PyErr_Occurred();
    case 't': TF_SetAttrType(description, name, (TF_DataType)PyLong_AsLong(value)); return !PyErr_Occurred();
    case 'x': {
      TF_Tensor *tensor = extension_tensor_from(value);
      if (!tensor) return false;
      TF_SetAttrTensor(description, name, tensor, status);
      TF_DeleteTensor(tensor);
      return true;
    }
    case 'S': return set_strings(description, name, value);
    case 'I':
      if ((list = ints_of(value, &count))) TF_SetAttrIntList(description, name, list, count);
      break;
    case 'F':
      if ((list = floats_of(value, &count))) TF_SetAttrFloatList(description, name, list, count);
      break;
    case 'B':
      if ((list = bools_of(value, &count))) TF_SetAttrBoolList(description, name, list, count);
      break;
    case 'T':
      if ((list = types_of(value, &count))) TF_SetAttrTypeList(description, name, list, count);
      break;
    default: PyErr_Format(PyExc_ValueError, "attribute %s has the unknown kind %c", name, kind); return false;
  }
  free(list);
  return list != NULL;
}

// --- Building ---

static bool add_inputs(TF_OperationDescription *description, PyObject *inputs) {
  for (Py_ssize_t i = 0; i < PyList_Size(inputs); i++) {
    PyObject *input = PyList_GetItem(inputs, i);
    if (PyList_Check(input)) {
      Py_ssize_t count;
      TF_Output *list = extension_outputs(input, &count);
      if (!list) return false;
      TF_AddInputList(description, list, (int)count);
      free(list);
    } else {
      TF_Output output;
      if (!extension_output(input, &output)) return false;
      TF_AddInput(description, output);
    }
  }
  return !PyErr_Occurred();
}

// add_operation(graph, type, name, device, inputs, control_inputs, attributes) -> operation
static PyObject *add_operation(PyObject *module, PyObject *args) {
  PyObject *graph_number, *inputs, *control_inputs, *attributes;
  const char *type, *name, *device;
  if (!PyArg_ParseTuple(args, "OsssOOO", &graph_number, &type, &name, &device, &inputs, &control_inputs, &attributes))
    return NULL;
  TF_Graph *graph = extension_pointer(graph_number);
  if (!graph) return NULL;
  Py_ssize_t control_count;
  TF_Operation **controls = extension_operations(control_inputs, &control_count);
  if (!controls) return NULL;
  TF_Status *status = TF_NewStatus();
  TF_OperationDescription *description = TF_NewOperation(graph, type, name);
  if (device[0]) TF_SetDevice(description, device);
  bool ok = add_inputs(description, inputs);
  for (Py_ssize_t i = 0; i < control_count; i++) TF_AddControlInput(description, controls[i]);
  free(controls);
  for (Py_ssize_t i = 0; ok && i < PyList_Size(attributes) && TF_GetCode(status) == TF_OK; i++)
    ok = set_attribute(description, PyList_GetItem(attributes, i), status);
  if (!ok || TF_GetCode(status) != TF_OK) {
    // Only an attempt to finish a description frees it; without a producer for an input it cannot succeed.
    TF_Status *ignored = TF_NewStatus();
    TF_AddInput(description, (TF_Output){0});
    TF_FinishOperation(description, ignored);
    TF_DeleteStatus(ignored);
    if (ok) return extension_finish(status, NULL);
    TF_DeleteStatus(status);
    return NULL;
  }
  TF_Operation *operation = TF_FinishOperation(description, status);
  return extension_finish(status, operation ? extension_number(operation) : NULL);
}

// ([(operation, index)], [operation]): what an import was asked to return.
static PyObject *import_results(TF_ImportGraphDefResults *results) {
  int output_count = 0, operation_count = 0;
  TF_Output *outputs = NULL;
  TF_Operation **found = NULL;
  TF_ImportGraphDefResultsReturnOutputs(results, &output_count, &outputs);
  TF_ImportGraphDefResultsReturnOperations(results, &operation_count, &found);
  PyObject *pairs = PyList_New(output_count), *numbers = PyList_New(operation_count);
  for (int i = 0; pairs && i < output_count; i++)
    PyList_SetItem(pairs, i, Py_BuildValue("(Ni)", extension_number(outputs[i].oper), outputs[i].index));
  for (int i = 0; numbers && i < operation_count; i++) PyList_SetItem(numbers, i, extension_number(found[i]));
  return Py_BuildValue("(NN)", pairs, numbers);
}

// import_graph_def(graph, graph_def, prefix, keys, values, returned) -> (outputs, operations). Without a prefix, names
// that are taken are made unique.
static PyObject *import_graph_def(PyObject *module, PyObject *args) {
  PyObject *graph_number, *keys, *values, *returned;
  const char *bytes, *prefix;
  Py_ssize_t size;
  if (!PyArg_ParseTuple(args, "Oy#sOOO", &graph_number, &bytes, &size, &prefix, &keys, &values, &returned)) return NULL;
  TF_Graph *graph = extension_pointer(graph_number);
  Py_ssize_t count;
  TF_Output *mapped = graph ? extension_outputs(values, &count) : NULL;
  if (!mapped) return NULL;
  TF_ImportGraphDefOptions *options = TF_NewImportGraphDefOptions();
  TF_ImportGraphDefOptionsSetPrefix(options, prefix);
  TF_ImportGraphDefOptionsSetUniquifyNames(options, prefix[0] == '\0');
  bool ok = true;
  for (Py_ssize_t i = 0; ok && i < count; i++) {
    const char *name;
    int index;
    ok = PyArg_ParseTuple(PyList_GetItem(keys, i), "si", &name, &index);
    if (ok) TF_ImportGraphDefOptionsAddInputMapping(options, name, index, mapped[i]);
  }
  for (Py_ssize_t i = 0; ok && i < PyList_Size(returned); i++) {
    const char *name;
    int index;
    ok = PyArg_ParseTuple(PyList_GetItem(returned, i), "si", &name, &index);
    if (ok && index < 0) TF_ImportGraphDefOptionsAddReturnOperation(options, name);
    if (ok && index >= 0) TF_ImportGraphDefOptionsAddReturnOutput(options, name, index);
  }
  free(mapped);
  TF_Status *status = TF_NewStatus();
  PyObject *imported = NULL;
  if (ok) {
    TF_Buffer *buffer = TF_NewBufferFromString(bytes, (size_t)size);
    TF_ImportGraphDefResults *results = TF_GraphImportGraphDefWithResults(graph, buffer, options, status);
    if (results) {
      imported = import_results(results);
      TF_DeleteImportGraphDefResults(results);
    }
    TF_DeleteBuffer(buffer);
  }
  TF_DeleteImportGraphDefOptions(options);
  if (!ok) {
    TF_DeleteStatus(status);
    return NULL;
  }
  return extension_finish(status, imported);
}

static PyObject *graph_def(PyObject *module, PyObject *object) {
  TF_Graph *graph = extension_pointer(object);
  if (!graph) return NULL;
  TF_Status *status = TF_NewStatus();
  TF_Buffer *buffer = TF_NewBuffer();
  TF_GraphToGraphDef(graph, buffer, status);
  return extension_finish_buffer(status, buffer);
}

// operations(graph, position) -> ([operation], position): those that were added since
static PyObject *operations(PyObject *module, PyObject *args) {
  PyObject *graph_number;
  unsigned long long position;
  if (!PyArg_ParseTuple(args, "OK", &graph_number, &position)) return NULL;
  TF_Graph *graph = extension_pointer(graph_number);
  PyObject *list = graph ? PyList_New(0) : NULL;
  size_t at = (size_t)position;
  for (TF_Operation *operation; list && (operation = TF_GraphNextOperation(graph, &at));) {
    PyObject *number = extension_number(operation);
    if (!number || PyList_Append(list, number) < 0) Py_CLEAR(list);
    Py_XDECREF(number);
  }
  return list ? Py_BuildValue("(NK)", list, (unsigned long long)at) : NULL;
}

// What gradients are asked for.
typedef struct {
  TF_Output *ys, *xs, *dys, *stops;
  Py_ssize_t y_count, x_count, dy_count, stop_count;
  sl_indexed_slices_t *dxs;
} gradients_t;

static void gradients_release(gradients_t *asked) {
  free(asked->ys);
  free(asked->xs);
  free(asked->dys);
  free(asked->stops);
  free(asked->dxs);
}

static PyObject *slices_of(const sl_indexed_slices_t *slices) {
  const TF_Output *parts[] = {&slices->values, &slices->indices, &slices->dense_shape};
  PyObject *row = PyTuple_New(3);
  for (int k = 0; row && k < 3; k++) {
    PyObject *part = Py_None;
    if (parts[k]->oper)
      part = Py_BuildValue("(Ni)", extension_number(parts[k]->oper), parts[k]->index);
    else
      Py_INCREF(part);
    PyTuple_SetItem(row, k, part);
  }
  return row;
}

// gradients(graph, prefix, ys, xs, grad_ys or None, stops, aggregation, colocate) -> [(values, indices, dense_shape)],
// each an output, or None
static PyObject *gradients(PyObject *module, PyObject *args) {
  PyObject *graph_number, *ys, *xs, *grad_ys, *stops;
  const char *prefix;
  int aggregation, colocate;
  if (!PyArg_ParseTuple(args, "OsOOOOip", &graph_number, &prefix, &ys, &xs, &grad_ys, &stops, &aggregation, &colocate))
    return NULL;
  TF_Graph *graph = extension_pointer(graph_number);
  gradients_t asked = {0};
  bool ok = graph && (asked.ys = extension_outputs(ys, &asked.y_count)) &&
            (asked.xs = extension_outputs(xs, &asked.x_count)) &&
            (asked.stops = extension_outputs(stops, &asked.stop_count)) &&
            (grad_ys == Py_None || (asked.dys = extension_outputs(grad_ys, &asked.dy_count))) &&
            (asked.dxs = calloc((size_t)asked.x_count + 1, sizeof(*asked.dxs)));
  if (ok && asked.dys && asked.dy_count != asked.y_count) {
    PyErr_SetString(PyExc_ValueError, "as many grad_ys as ys are needed");
    ok = false;
  }
  if (!ok) {
    gradients_release(&asked);
    return PyErr_Occurred() ? NULL : PyErr_NoMemory();
  }
  sl_graph_add_gradients_options_t options = {.struct_size = sizeof(options),
                                              .dys = asked.dys,
                                              .aggregation_method = (sl_aggregation_method_t)aggregation,
                                              .colocate = colocate,
                                              .stops = asked.stops,
                                              .stop_count = (size_t)asked.stop_count};
  TF_Status *status = TF_NewStatus();
  sl_graph_add_gradients(graph, prefix, asked.ys, (size_t)asked.y_count, asked.xs, (size_t)asked.x_count, &options,
                         asked.dxs, status);
  PyObject *list = TF_GetCode(status) == TF_OK ? PyList_New(asked.x_count) : NULL;
  for (Py_ssize_t i = 0; list && i < asked.x_count; i++) PyList_SetItem(list, i, slices_of(&asked.dxs[i]));
  gradients_release(&asked);
  return extension_finish(status, list);
}

// --- Properties ---

// operation_info(operation) -> (name, type, [output type], [input], [control input])
static PyObject *operation_info(PyObject *module, PyObject *object) {
  TF_Operation *operation = extension_pointer(object);
  if (!operation) return NULL;
  int output_count = TF_OperationNumOutputs(operation), input_count = TF_OperationNumInputs(operation),
      control_count = TF_OperationNumControlInputs(operation);
  PyObject *types = PyList_New(output_count), *inputs = PyList_New(input_count), *controls = PyList_New(control_count);
  TF_Operation **control_inputs = malloc(((size_t)control_count + 1) * sizeof(*control_inputs));
  if (types && inputs && controls && control_inputs) {
    for (int i = 0; i < output_count; i++)
      PyList_SetItem(types, i, PyLong_FromLong(TF_OperationOutputType((TF_Output){operation, i})));
    for (int i = 0; i < input_count; i++) {
      TF_Output input = TF_OperationInput((TF_Input){operation, i});
      PyList_SetItem(inputs, i, Py_BuildValue("(Ni)", extension_number(input.oper), input.index));
    }
    TF_OperationGetControlInputs(operation, control_inputs, control_count);
    for (int i = 0; i < control_count; i++) PyList_SetItem(controls, i, extension_number(control_inputs[i]));
  }
  free(control_inputs);
  return Py_BuildValue("(ssNNN)", TF_OperationName(operation), TF_OperationOpType(operation), types, inputs, controls);
}

static PyObject *operation_device(PyObject *module, PyObject *object) {
  TF_Operation *operation = extension_pointer(object);
  return operation ? PyUnicode_FromString(TF_OperationDevice(operation)) : NULL;
}

static PyObject *node_def(PyObject *module, PyObject *object) {
  TF_Operation *operation = extension_pointer(object);
  if (!operation) return NULL;
  TF_Status *status = TF_NewStatus();
  TF_Buffer *buffer = TF_NewBuffer();
  TF_OperationToNodeDef(operation, buffer, status);
  return extension_finish_buffer(status, buffer);
}

static PyObject *attribute(PyObject *module, PyObject *args) {
  PyObject *object;
  const char *name;
  if (!PyArg_ParseTuple(args, "Os", &object, &name)) return NULL;
  TF_Operation *operation = extension_pointer(object);
  if (!operation) return NULL;
  TF_Status *status = TF_NewStatus();
  TF_Buffer *buffer = TF_NewBuffer();
  TF_OperationGetAttrValueProto(operation, name, buffer, status);
  return extension_finish_buffer(status, buffer);
}

// consumers(output) -> [(operation, index)]
static PyObject *consumers(PyObject *module, PyObject *object) {
  TF_Output output;
  if (!extension_output(object, &output)) return NULL;
  int count = TF_OperationOutputNumConsumers(output);
  TF_Input *inputs = malloc(((size_t)count + 1) * sizeof(*inputs));
  if (!inputs) return PyErr_NoMemory();
  count = TF_OperationOutputConsumers(output, inputs, count);
  PyObject *list = PyList_New(count);
  for (int i = 0; list && i < count; i++)
    PyList_SetItem(list, i, Py_BuildValue("(Ni)", extension_number(inputs[i].oper), inputs[i].index));
  free(inputs);
  return list;
}

// shape(graph, output) -> tuple with -1 for unknown sizes, or None
static PyObject *shape(PyObject *module, PyObject *args) {
  PyObject *graph_number, *pair;
  TF_Output output;
  if (!PyArg_ParseTuple(args, "OO", &graph_number, &pair) || !extension_output(pair, &output)) return NULL;
  TF_Graph *graph = extension_pointer(graph_number);
  if (!graph) return NULL;
  TF_Status *status = TF_NewStatus();
  int rank = TF_GraphGetTensorNumDims(graph, output, status);
  PyObject *result = NULL;
  if (TF_GetCode(status) == TF_OK && rank < 0) {
    Py_INCREF(Py_None);
    result = Py_None;
  } else if (TF_GetCode(status) == TF_OK) {
    int64_t dims[254];
    TF_GraphGetTensorShape(graph, output, dims, rank, status);
    result = TF_GetCode(status) == TF_OK ? PyTuple_New(rank) : NULL;
    for (int i = 0; result && i < rank; i++) PyTuple_SetItem(result, i, PyLong_FromLongLong(dims[i]));
  }
  return extension_finish(status, result);
}

// set_shape(graph, output, dims): merges
static PyObject *set_shape(PyObject *module, PyObject *args) {
  PyObject *graph_number, *pair, *list;
  TF_Output output;
  if (!PyArg_ParseTuple(args, "OOO", &graph_number, &pair, &list) || !extension_output(pair, &output)) return NULL;
  TF_Graph *graph = extension_pointer(graph_number);
  int count;
  int64_t *dims = graph ? ints_of(list, &count) : NULL;
  if (!dims) return NULL;
  TF_Status *status = TF_NewStatus();
  TF_GraphSetTensorShape(graph, output, dims, count, status);
  free(dims);
  Py_INCREF(Py_None);
  return extension_finish(status, Py_None);
}

// constant_value(graph, output) -> (type, shape, values), or None
static PyObject *constant_value(PyObject *module, PyObject *args) {
  PyObject *graph_number, *pair;
  TF_Output output;
  if (!PyArg_ParseTuple(args, "OO", &graph_number, &pair) || !extension_output(pair, &output)) return NULL;
  TF_Graph *graph = extension_pointer(graph_number);
  if (!graph) return NULL;
  TF_Status *status = TF_NewStatus();
  TF_Tensor *tensor = NULL;
  if (TF_TryEvaluateConstant(graph, output, &tensor, status) && tensor)
    return extension_finish(status, extension_tensor_to(tensor, false));
  Py_INCREF(Py_None);
  return extension_finish(status, Py_None);
}

// --- Changing ---

static PyObject *add_control_input(PyObject *module, PyObject *args) {
  PyObject *numbers[3];
  if (!PyArg_ParseTuple(args, "OOO", &numbers[0], &numbers[1], &numbers[2])) return NULL;
  TF_Graph *graph = extension_pointer(numbers[0]);
  TF_Operation *operation = graph ? extension_pointer(numbers[1]) : NULL,
               *input = operation ? extension_pointer(numbers[2]) : NULL;
  if (!input) return NULL;
  TF_AddOperationControlInput(graph, operation, input);
  Py_RETURN_NONE;
}

static PyObject *set_attribute_of(PyObject *module, PyObject *args) {
  PyObject *graph_number, *number;
  const char *name, *bytes;
  Py_ssize_t size;
  if (!PyArg_ParseTuple(args, "OOsy#", &graph_number, &number, &name, &bytes, &size)) return NULL;
  TF_Graph *graph = extension_pointer(graph_number);
  TF_Operation *operation = graph ? extension_pointer(number) : NULL;
  if (!operation) return NULL;
  TF_Status *status = TF_NewStatus();
  TF_Buffer *buffer = TF_NewBufferFromString(bytes, (size_t)size);
  TF_SetAttr(graph, operation, name, buffer, status);
  TF_DeleteBuffer(buffer);
  Py_INCREF(Py_None);
  return extension_finish(status, Py_None);
}

static PyObject *set_device(PyObject *module, PyObject *args) {
  PyObject *graph_number, *number;
  const char *device;
  if (!PyArg_ParseTuple(args, "OOs", &graph_number, &number, &device)) return NULL;
  TF_Graph *graph = extension_pointer(graph_number);
  TF_Operation *operation = graph ? extension_pointer(number) : NULL;
  if (!operation) return NULL;
  TF_SetRequestedDevice(graph, operation, device);
  Py_RETURN_NONE;
}

// update_input(graph, operation, index, output)
static PyObject *update_input(PyObject *module, PyObject *args) {
  PyObject *graph_number, *number, *pair;
  int index;
  TF_Output output;
  if (!PyArg_ParseTuple(args, "OOiO", &graph_number, &number, &index, &pair) || !extension_output(pair, &output))
    return NULL;
  TF_Graph *graph = extension_pointer(graph_number);
  TF_Operation *operation = graph ? extension_pointer(number) : NULL;
  if (!operation) return NULL;
  TF_Status *status = TF_NewStatus();
  TF_UpdateEdge(graph, output, (TF_Input){operation, index}, status);
  Py_INCREF(Py_None);
  return extension_finish(status, Py_None);
}

PyMethodDef extension_graph_methods[] = {
    {"new_graph", new_graph, METH_NOARGS, "An empty graph."},
    {"delete_graph", delete_graph, METH_O, "Deletes a graph."},
    {"add_operation", add_operation, METH_VARARGS,
     "add_operation(graph, type, name, device, inputs, control_inputs, attributes) -> operation"},
    {"import_graph_def", import_graph_def, METH_VARARGS, "(graph, graph_def, prefix, keys, values, returned)"},
    {"graph_def", graph_def, METH_O, "The serialized GraphDef."},
    {"operations", operations, METH_VARARGS, "operations(graph, position) -> ([operation], position)"},
    {"gradients", gradients, METH_VARARGS, "gradients(graph, prefix, ys, xs, grad_ys, stops, aggregation, colocate)"},
    {"operation_info", operation_info, METH_O, "(name, type, output types, inputs, control inputs)"},
    {"operation_device", operation_device, METH_O, "The requested device."},
    {"node_def", node_def, METH_O, "The serialized NodeDef."},
    {"attribute", attribute, METH_VARARGS, "attribute(operation, name) -> serialized AttrValue"},
    {"consumers", consumers, METH_O, "consumers(output) -> [(operation, index)]"},
    {"shape", shape, METH_VARARGS, "shape(graph, output) -> tuple or None"},
    {"set_shape", set_shape, METH_VARARGS, "set_shape(graph, output, dims)"},
    {"constant_value", constant_value, METH_VARARGS, "constant_value(graph, output) -> (type, shape, values) or None"},
    {"add_control_input", add_control_input, METH_VARARGS, "(graph, operation, input)"},
    {"set_attribute", set_attribute_of, METH_VARARGS, "(graph, operation, name, serialized AttrValue)"},
    {"set_device", set_device, METH_VARARGS, "(graph, operation, device)"},
    {"update_input", update_input, METH_VARARGS, "(graph, operation, index, output)"},
    {0},
};
