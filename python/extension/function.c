// Functions of the graph: bodies of dataset transformations.
#include "extension.h"

#include <stdlib.h>

// A list of texts, or None, as a new array of strings that live as long as the list; NULL for None and, with an
// exception, on failure.
static const char **texts_of(PyObject *list, Py_ssize_t count) {
  if (list == Py_None) return NULL;
  if (PyList_Size(list) != count) {
    PyErr_SetString(PyExc_ValueError, "a function needs one name for each of its outputs");
    return NULL;
  }
  const char **texts = malloc(((size_t)count + 1) * sizeof(*texts));
  if (!texts) return (void *)PyErr_NoMemory();
  for (Py_ssize_t i = 0; i < count; i++)
    if (!(texts[i] = PyBytes_AsString(PyList_GetItem(list, i)))) {
      free(texts);
      return NULL;
    }
  return texts;
}

// graph_to_function(graph, name, operations or None, inputs, outputs, output names or None, control outputs,
// description) -> function
static PyObject *graph_to_function(PyObject *module, PyObject *args) {
  PyObject *graph_number, *body, *inputs, *outputs, *names, *controls;
  const char *name, *description;
  if (!PyArg_ParseTuple(args, "OsOOOOOs", &graph_number, &name, &body, &inputs, &outputs, &names, &controls,
                        &description))
    return NULL;
  TF_Graph *graph = extension_pointer(graph_number);
  Py_ssize_t body_count = -1, input_count = 0, output_count = 0, control_count = 0;
  TF_Operation **nodes = graph && body != Py_None ? extension_operations(body, &body_count) : NULL;
  TF_Output *in = PyErr_Occurred() ? NULL : extension_outputs(inputs, &input_count),
            *out = in ? extension_outputs(outputs, &output_count) : NULL;
  TF_Operation **control = out ? extension_operations(controls, &control_count) : NULL;
  const char **output_names = control ? texts_of(names, output_count) : NULL;
  TF_Function *function = NULL;
  TF_Status *status = TF_NewStatus();
  if (!PyErr_Occurred())
    function = TF_GraphToFunctionWithControlOutputs(graph, name, 0, (int)body_count, (const TF_Operation *const *)nodes,
                                                    (int)input_count, in, (int)output_count, out, output_names,
                                                    (int)control_count, (const TF_Operation *const *)control, NULL,
                                                    NULL, description[0] ? description : NULL, status);
  free(nodes);
  free(in);
  free(out);
  free(control);
  free(output_names);
  if (PyErr_Occurred()) {
    TF_DeleteStatus(status);
    return NULL;
  }
  return extension_finish(status, function ? extension_number(function) : NULL);
}

// copy_function(graph, function): makes it known to the graph
static PyObject *copy_function(PyObject *module, PyObject *args) {
  PyObject *graph_number, *number;
  if (!PyArg_ParseTuple(args, "OO", &graph_number, &number)) return NULL;
  TF_Graph *graph = extension_pointer(graph_number);
  TF_Function *function = graph ? extension_pointer(number) : NULL;
  if (!function) return NULL;
  TF_Status *status = TF_NewStatus();
  TF_GraphCopyFunction(graph, function, NULL, status);
  Py_INCREF(Py_None);
  return extension_finish(status, Py_None);
}

static PyObject *function_def(PyObject *module, PyObject *object) {
  TF_Function *function = extension_pointer(object);
  if (!function) return NULL;
  TF_Status *status = TF_NewStatus();
  TF_Buffer *buffer = TF_NewBuffer();
  TF_FunctionToFunctionDef(function, buffer, status);
  return extension_finish_buffer(status, buffer);
}

static PyObject *import_function_def(PyObject *module, PyObject *args) {
  const char *bytes;
  Py_ssize_t size;
  if (!PyArg_ParseTuple(args, "y#", &bytes, &size)) return NULL;
  TF_Status *status = TF_NewStatus();
  TF_Function *function = TF_FunctionImportFunctionDef(bytes, (size_t)size, status);
  return extension_finish(status, function ? extension_number(function) : NULL);
}

// functions(graph) -> [function]: the caller deletes them
static PyObject *functions(PyObject *module, PyObject *object) {
  TF_Graph *graph = extension_pointer(object);
  if (!graph) return NULL;
  int count = TF_GraphNumFunctions(graph);
  TF_Function **found = malloc(((size_t)count + 1) * sizeof(*found));
  if (!found) return PyErr_NoMemory();
  TF_Status *status = TF_NewStatus();
  count = TF_GraphGetFunctions(graph, found, count, status);
  PyObject *list = TF_GetCode(status) == TF_OK ? PyList_New(count) : NULL;
  for (int i = 0; list && i < count; i++) PyList_SetItem(list, i, extension_number(found[i]));
  free(found);
  return extension_finish(status, list);
}

// set_function_attribute(function, name, serialized AttrValue)
static PyObject *set_function_attribute(PyObject *module, PyObject *args) {
  PyObject *number;
  const char *name, *bytes;
  Py_ssize_t size;
  if (!PyArg_ParseTuple(args, "Osy#", &number, &name, &bytes, &size)) return NULL;
  TF_Function *function = extension_pointer(number);
  if (!function) return NULL;
  TF_Status *status = TF_NewStatus();
  TF_FunctionSetAttrValueProto(function, name, bytes, (size_t)size, status);
  Py_INCREF(Py_None);
  return extension_finish(status, Py_None);
}

static PyObject *delete_function(PyObject *module, PyObject *object) {
  TF_Function *function = extension_pointer(object);
  if (!function) return NULL;
  TF_DeleteFunction(function);
  Py_RETURN_NONE;
}

PyMethodDef extension_function_methods[] = {
    {"graph_to_function", graph_to_function, METH_VARARGS,
     "(graph, name, operations or None, inputs, outputs, output names or None, control outputs, description) -> "
     "function"},
    {"copy_function", copy_function, METH_VARARGS, "copy_function(graph, function)"},
    {"function_def", function_def, METH_O, "The serialized FunctionDef."},
    {"import_function_def", import_function_def, METH_VARARGS, "A function of a serialized FunctionDef."},
    {"functions", functions, METH_O, "functions(graph) -> [function], which the caller deletes"},
    {"set_function_attribute", set_function_attribute, METH_VARARGS, "(function, name, serialized AttrValue)"},
    {"delete_function", delete_function, METH_O, "Deletes a function."},
    {0},
};
