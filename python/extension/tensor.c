// Tensors and numpy arrays. A fed array is used in place; a fetched tensor becomes an array over the tensor's memory.
#include "extension.h"

#include <stdlib.h>

// --- To tensors ---

static void release_array(void *data, size_t size, void *array) {
  PyGILState_STATE state = PyGILState_Ensure();
  Py_DECREF((PyObject *)array);
  PyGILState_Release(state);
}

static bool read_shape(PyObject *tuple, int64_t *dims, int *out_rank) {
  Py_ssize_t rank = PyTuple_Size(tuple);
  if (rank < 0) return false;
  if (rank > 254) {
    PyErr_Format(PyExc_ValueError, "a tensor has at most 254 dimensions, got %zd", rank);
    return false;
  }
  for (Py_ssize_t i = 0; i < rank; i++) dims[i] = PyLong_AsLongLong(PyTuple_GetItem(tuple, i));
  *out_rank = (int)rank;
  return !PyErr_Occurred();
}

static TF_Tensor *from_strings(const int64_t *dims, int rank, PyObject *list) {
  Py_ssize_t count = PyList_Size(list);
  if (count < 0) return NULL;
  TF_Tensor *tensor = TF_AllocateTensor(TF_STRING, dims, rank, (size_t)count * sizeof(TF_TString));
  if (!tensor) return (void *)PyErr_NoMemory();
  TF_TString *strings = TF_TensorData(tensor);
  for (Py_ssize_t i = 0; i < count; i++) {
    char *data;
    Py_ssize_t size;
    if (PyBytes_AsStringAndSize(PyList_GetItem(list, i), &data, &size) < 0) {
      TF_DeleteTensor(tensor);
      return NULL;
    }
    TF_StringCopy(&strings[i], data, (size_t)size);
  }
  return tensor;
}

static TF_Tensor *from_array(TF_DataType type, const int64_t *dims, int rank, PyObject *array) {
  PyObject *interface = PyObject_GetAttrString(array, "__array_interface__");
  PyObject *data = interface ? PyDict_GetItemString(interface, "data") : NULL;
  PyObject *address = data ? PyTuple_GetItem(data, 0) : NULL;
  void *bytes = address ? PyLong_AsVoidPtr(address) : NULL;
  bool ok = address && !PyErr_Occurred();
  Py_XDECREF(interface);
  if (!ok) {
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_TypeError, "a numpy array is needed");
    return NULL;
  }
  size_t size = TF_DataTypeSize(type);
  for (int i = 0; i < rank; i++) size *= (size_t)dims[i];
  Py_INCREF(array);
  TF_Tensor *tensor = TF_NewTensor(type, dims, rank, bytes, size, release_array, array);
  if (!tensor) PyErr_Format(PyExc_ValueError, "no tensor of type %d can be made from this array", (int)type);
  return tensor;
}

TF_Tensor *extension_tensor_from(PyObject *triple) {
  PyObject *type = PyTuple_GetItem(triple, 0), *shape = type ? PyTuple_GetItem(triple, 1) : NULL,
           *values = shape ? PyTuple_GetItem(triple, 2) : NULL;
  int64_t dims[254];
  int rank;
  if (!values || !read_shape(shape, dims, &rank)) return NULL;
  long number = PyLong_AsLong(type);
  if (number == -1 && PyErr_Occurred()) return NULL;
  return number == TF_STRING ? from_strings(dims, rank, values) : from_array((TF_DataType)number, dims, rank, values);
}

// --- From tensors ---

// Keeps a tensor alive for the arrays that show its memory.
typedef struct {
  PyObject_HEAD TF_Tensor *tensor;
  bool is_shared;  // with an array of the program
} memory_t;

static PyObject *memory_type;

static void memory_release(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  TF_DeleteTensor(((memory_t *)self)->tensor);
  ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(type);
}

// numpy's names of the types whose elements are plain numbers.
static const char *array_type(TF_DataType type) {
  switch (type) {
    case TF_FLOAT: return "<f4";
    case TF_DOUBLE: return "<f8";
    case TF_HALF: return "<f2";
    case TF_COMPLEX64: return "<c8";
    case TF_COMPLEX128: return "<c16";
    case TF_BOOL: return "|b1";
    case TF_INT8:
    case TF_QINT8: return "|i1";
    case TF_UINT8:
    case TF_QUINT8: return "|u1";
    case TF_INT16:
    case TF_QINT16: return "<i2";
    case TF_BFLOAT16:
    case TF_UINT16:
    case TF_QUINT16: return "<u2";
    case TF_INT32:
    case TF_QINT32: return "<i4";
    case TF_UINT32: return "<u4";
    case TF_INT64: return "<i8";
    case TF_UINT64: return "<u8";
    default: return NULL;
  }
}

static PyObject *shape_of(const TF_Tensor *tensor) {
  int rank = TF_NumDims(tensor);
  PyObject *shape = PyTuple_New(rank);
  for (int i = 0; shape && i < rank; i++) PyTuple_SetItem(shape, i, PyLong_FromLongLong(TF_Dim(tensor, i)));
  return shape;
}

static PyObject *memory_interface(PyObject *self, void *unused) {
  TF_Tensor *tensor = ((memory_t *)self)->tensor;
  // Other holders of the bytes, such as a variable, must not see what the program writes into its array.
  bool is_shared = ((memory_t *)self)->is_shared || TF_TensorMaybeMove(tensor) == NULL;
  // numpy wants an address even of nothing.
  void *data = TF_TensorData(tensor);
  return Py_BuildValue("{s:i,s:s,s:N,s:(NO)}", "version", 3, "typestr", array_type(TF_TensorType(tensor)), "shape",
                       shape_of(tensor), "data", extension_number(data ? data : (void *)tensor),
                       is_shared ? Py_True : Py_False);
}

static PyGetSetDef memory_properties[] = {
    {"__array_interface__", memory_interface, NULL, "For numpy.", NULL},
    {0},
};
static PyType_Slot memory_slots[] = {
    {Py_tp_dealloc, memory_release},
    {Py_tp_getset, memory_properties},
    {0},
};
static PyType_Spec memory_spec = {"sluice._extension.Memory", sizeof(memory_t), 0, Py_TPFLAGS_DEFAULT, memory_slots};

int extension_tensor_initialize(PyObject *module) {
  memory_type = PyType_FromSpec(&memory_spec);
  return memory_type ? 0 : -1;
}

static PyObject *strings_of(TF_Tensor *tensor) {
  int64_t count = TF_TensorElementCount(tensor);
  const TF_TString *strings = TF_TensorData(tensor);
  PyObject *list = PyList_New((Py_ssize_t)count);
  for (int64_t i = 0; list && i < count; i++) {
    PyObject *bytes =
        PyBytes_FromStringAndSize(TF_StringGetDataPointer(&strings[i]), (Py_ssize_t)TF_StringGetSize(&strings[i]));
    if (!bytes) Py_CLEAR(list);
    if (list) PyList_SetItem(list, (Py_ssize_t)i, bytes);
  }
  return list;
}

PyObject *extension_tensor_to(TF_Tensor *tensor, bool is_shared) {
  TF_DataType type = TF_TensorType(tensor);
  PyObject *shape = shape_of(tensor), *values = NULL;
  if (type == TF_STRING) {
    values = strings_of(tensor);
  } else if (array_type(type)) {
    memory_t *memory = (memory_t *)((allocfunc)PyType_GetSlot((PyTypeObject *)memory_type, Py_tp_alloc))(
        (PyTypeObject *)memory_type, 0);
    if (memory) {
      memory->tensor = tensor;
      memory->is_shared = is_shared;
      tensor = NULL;
    }
    values = (PyObject *)memory;
  } else {  // a handle: its serialized form
    values = PyBytes_FromStringAndSize(TF_TensorData(tensor), (Py_ssize_t)TF_TensorByteSize(tensor));
  }
  TF_DeleteTensor(tensor);
  return Py_BuildValue("(iNN)", (int)type, shape, values);
}

PyMethodDef extension_tensor_methods[] = {{0}};
