// The module itself, and what its parts share.
#include "extension.h"

#include <stdlib.h>

static PyObject *error_class;  // sluice.errors makes exceptions: error_class(code, message)

PyObject *extension_finish(TF_Status *status, PyObject *value) {
  TF_Code code = TF_GetCode(status);
  if (code != TF_OK) {
    Py_CLEAR(value);
    PyObject *message = PyUnicode_DecodeUTF8(TF_Message(status), (Py_ssize_t)strlen(TF_Message(status)), "replace");
    PyObject *exception = message ? PyObject_CallFunction(error_class, "iO", (int)code, message) : NULL;
    if (exception) PyErr_SetObject((PyObject *)Py_TYPE(exception), exception);
    Py_XDECREF(message);
    Py_XDECREF(exception);
  }
  TF_DeleteStatus(status);
  return value;
}

PyObject *extension_finish_buffer(TF_Status *status, TF_Buffer *buffer) {
  PyObject *bytes = NULL;
  if (TF_GetCode(status) == TF_OK) bytes = PyBytes_FromStringAndSize(buffer->data, (Py_ssize_t)buffer->length);
  TF_DeleteBuffer(buffer);
  return extension_finish(status, bytes);
}

void *extension_pointer(PyObject *object) {
  void *pointer = PyLong_AsVoidPtr(object);
  if (!pointer && !PyErr_Occurred()) PyErr_SetString(PyExc_ValueError, "the object was closed or deleted");
  return pointer;
}

PyObject *extension_number(const void *pointer) { return PyLong_FromVoidPtr((void *)pointer); }

bool extension_output(PyObject *object, TF_Output *out_output) {
  PyObject *first = PyTuple_GetItem(object, 0), *second = first ? PyTuple_GetItem(object, 1) : NULL;
  if (!second) return false;
  out_output->oper = extension_pointer(first);
  out_output->index = (int)PyLong_AsLong(second);
  return out_output->oper && !PyErr_Occurred();
}

TF_Output *extension_outputs(PyObject *list, Py_ssize_t *out_count) {
  Py_ssize_t count = PyList_Size(list);
  if (count < 0) return NULL;
  TF_Output *outputs = malloc(((size_t)count + 1) * sizeof(*outputs));
  if (!outputs) return (void *)PyErr_NoMemory();
  for (Py_ssize_t i = 0; i < count; i++)
    if (!extension_output(PyList_GetItem(list, i), &outputs[i])) {
      free(outputs);
      return NULL;
    }
  *out_count = count;
  return outputs;
}

TF_Operation **extension_operations(PyObject *list, Py_ssize_t *out_count) {
  Py_ssize_t count = PyList_Size(list);
  if (count < 0) return NULL;
  TF_Operation **operations = malloc(((size_t)count + 1) * sizeof(*operations));
  if (!operations) return (void *)PyErr_NoMemory();
  for (Py_ssize_t i = 0; i < count; i++)
    if (!(operations[i] = extension_pointer(PyList_GetItem(list, i)))) {
      free(operations);
      return NULL;
    }
  *out_count = count;
  return operations;
}

static PyObject *set_error_class(PyObject *module, PyObject *object) {
  Py_XDECREF(error_class);
  Py_INCREF(object);
  error_class = object;
  Py_RETURN_NONE;
}

static PyObject *version(PyObject *module, PyObject *unused) { return PyUnicode_FromString(TF_Version()); }

static PyObject *all_ops(PyObject *module, PyObject *unused) {
  return extension_finish_buffer(TF_NewStatus(), TF_GetAllOpList());
}

// The definition of one op, as a graph without functions knows it.
static PyObject *op_def(PyObject *module, PyObject *object) {
  static TF_Graph *graph;
  PyObject *name = PyUnicode_AsUTF8String(object);
  if (!name) return NULL;
  if (!graph) graph = TF_NewGraph();
  TF_Status *status = TF_NewStatus();
  TF_Buffer *buffer = TF_NewBuffer();
  TF_GraphGetOpDef(graph, PyBytes_AsString(name), buffer, status);
  Py_DECREF(name);
  return extension_finish_buffer(status, buffer);
}

static PyMethodDef own_methods[] = {
    {"set_error_class", set_error_class, METH_O, "set_error_class(f): f(code, message) makes exceptions."},
    {"version", version, METH_NOARGS, "The library's version."},
    {"op_def", op_def, METH_O, "op_def(name) -> serialized OpDef"},
    {"all_ops", all_ops, METH_NOARGS, "All ops: a serialized OpList."},
    {0},
};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "sluice._extension", "TensorFlow's C API.", -1, NULL};

PyMODINIT_FUNC PyInit__extension(void);
PyMODINIT_FUNC PyInit__extension(void) {
  PyObject *module = PyModule_Create(&definition);
  PyMethodDef *const tables[] = {own_methods,
                                 extension_graph_methods,
                                 extension_session_methods,
                                 extension_tensor_methods,
                                 extension_writer_methods,
                                 extension_record_methods,
                                 extension_host_function_methods,
                                 extension_function_methods};
  bool ok = module && extension_tensor_initialize(module) == 0;
  for (size_t i = 0; ok && i < sizeof(tables) / sizeof(tables[0]); i++)
    ok = PyModule_AddFunctions(module, tables[i]) == 0;
  if (!ok) Py_CLEAR(module);
  return module;
}
