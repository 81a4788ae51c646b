// The parts of the extension module. It offers TensorFlow's C API to the Python code of the package and nothing else:
// operations are plain numbers, tensors are numpy arrays. It uses CPython's stable ABI, so one build serves all
// versions from 3.9, and reaches numpy through __array_interface__, so it does not depend on numpy's version either.
#ifndef SLUICE_PYTHON_EXTENSION_H_
#define SLUICE_PYTHON_EXTENSION_H_

#define Py_LIMITED_API 0x03090000
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdbool.h>
#include <stdint.h>

#include "sluice/sluice.h"
#include "tensorflow/c/c_api.h"

// The rows of the module's function table, one array per file, each ended by {0}.
extern PyMethodDef extension_graph_methods[], extension_session_methods[], extension_tensor_methods[],
    extension_record_methods[], extension_writer_methods[], extension_host_function_methods[],
    extension_function_methods[];
// Creates the type of fetched tensors; 0, or -1 with an exception.
int extension_tensor_initialize(PyObject *module);

// Raises the error of |status| and deletes it; returns NULL. If it is OK, deletes it and returns |value|, which the
// caller gives away; else releases |value|.
PyObject *extension_finish(TF_Status *status, PyObject *value);
// The bytes of |buffer|, which is deleted, unless |status| has an error.
PyObject *extension_finish_buffer(TF_Status *status, TF_Buffer *buffer);

// Pointers of the C API are numbers in Python. NULL and an exception if |object| is not a positive number.
void *extension_pointer(PyObject *object);
PyObject *extension_number(const void *pointer);

// (operation, index). False and an exception if |object| is something else.
bool extension_output(PyObject *object, TF_Output *out_output);

// A list of pairs, or of numbers, as a new array; NULL and an exception on failure, not NULL for an empty list.
TF_Output *extension_outputs(PyObject *list, Py_ssize_t *out_count);
TF_Operation **extension_operations(PyObject *list, Py_ssize_t *out_count);

// A tensor from (type, shape, values): the values are a numpy array in row-major order, which the tensor shares and
// keeps, or, for strings, a list of bytes. NULL and an exception on failure.
TF_Tensor *extension_tensor_from(PyObject *triple);
// (type, shape, values) of a tensor, which it takes: the values are an object with __array_interface__ or a list of
// bytes. |is_shared|: the bytes are those of an array of the program, so that the new one is read-only.
PyObject *extension_tensor_to(TF_Tensor *tensor, bool is_shared);

// --- interrupt.c ---

// False and an exception in a child process that cannot use the library.
bool extension_check_process(const char *what);
// Between the two, without the GIL, Ctrl-C cancels the step that this thread runs in a local session.
bool extension_step_begin(TF_Session *session);
void extension_step_end(bool began);
// Calls call(argument), which may wait, without the GIL. False and an exception if a signal interrupts it; then it goes
// on alone, and release(argument) frees what it uses. |owner|: what it uses beside the argument. Behind an interrupted
// call of the same owner it waits 2 s, then it is left, too.
bool extension_call(void (*call)(void *argument), void (*release)(void *argument), void *argument, const void *owner);
// Waits for interrupted calls that use |owner|, at most 10 s: whether they have ended.
bool extension_wait_for_calls(const void *owner);

#endif  // SLUICE_PYTHON_EXTENSION_H_
