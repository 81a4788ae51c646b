// Functions of the Python program that nodes call: py_func.
#include "extension.h"

#include "sluice/function.h"

static PyObject *handler;  // handler(token, [(type, shape, values)]) -> [(type, shape, values)], or (code, message)

// Moves |inputs| into a list.
static PyObject *arguments_of(TF_Tensor **inputs, int count) {
  PyObject *list = PyList_New(count);
  for (int i = 0; i < count; i++) {
    PyObject *value = list ? extension_tensor_to(inputs[i], false) : NULL;
    if (!list) TF_DeleteTensor(inputs[i]);
    if (!value) Py_CLEAR(list);
    if (list) PyList_SetItem(list, i, value);
  }
  return list;
}

static bool read_results(const char *token, PyObject *result, TF_Tensor **outputs, int count, TF_Status *status) {
  if (PyTuple_Check(result)) {
    int code;
    const char *message;
    if (!PyArg_ParseTuple(result, "is", &code, &message)) return false;
    TF_SetStatus(status, (TF_Code)code, message);
    return true;
  }
  Py_ssize_t size = PyList_Size(result);
  if (size < 0) return false;
  if (size != count) {
    char text[160];
    snprintf(text, sizeof(text), "%.80s returns %zd values, but expects to see %d values.", token, size, count);
    TF_SetStatus(status, TF_INVALID_ARGUMENT, text);
    return true;
  }
  for (int i = 0; i < count; i++)
    if (!(outputs[i] = extension_tensor_from(PyList_GetItem(result, i)))) return false;
  return true;
}

static void call(const char *token, TF_Tensor **inputs, int input_count, TF_Tensor **outputs, int output_count,
                 TF_Status *status) {
  PyGILState_STATE state = PyGILState_Ensure();
  PyObject *arguments = arguments_of(inputs, input_count);
  PyObject *result = arguments && handler ? PyObject_CallFunction(handler, "sO", token, arguments) : NULL;
  if (!result || !read_results(token, result, outputs, output_count, status)) {
    PyErr_Clear();
    TF_SetStatus(status, TF_INTERNAL, "the result of a Python function is not a list of arrays");
  }
  Py_XDECREF(result);
  Py_XDECREF(arguments);
  PyGILState_Release(state);
}

static PyObject *set_host_function(PyObject *module, PyObject *object) {
  Py_INCREF(object);
  Py_XDECREF(handler);
  handler = object;
  sl_set_host_function(call);
  Py_RETURN_NONE;
}

PyMethodDef extension_host_function_methods[] = {
    {"set_host_function", set_host_function, METH_O, "f(token, values) -> values, or (code, message)"},
    {0},
};
