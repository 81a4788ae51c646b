// Writers of event files.
#include "extension.h"

static PyObject *open_writer(PyObject *module, PyObject *object) {
  PyObject *directory = PyUnicode_EncodeFSDefault(object);
  if (!directory) return NULL;
  TF_Status *status = TF_NewStatus();
  sl_file_writer_t *writer = sl_file_writer_open(PyBytes_AsString(directory), status);
  Py_DECREF(directory);
  return extension_finish(status, writer ? extension_number(writer) : NULL);
}

static PyObject *done(TF_Status *status) {
  Py_INCREF(Py_None);
  return extension_finish(status, Py_None);
}

// write_summary(writer, serialized Summary, step)
static PyObject *write_summary(PyObject *module, PyObject *args) {
  PyObject *number;
  const char *bytes;
  Py_ssize_t size;
  long long step;
  if (!PyArg_ParseTuple(args, "Oy#L", &number, &bytes, &size, &step)) return NULL;
  sl_file_writer_t *writer = extension_pointer(number);
  if (!writer) return NULL;
  TF_Status *status = TF_NewStatus();
  sl_file_writer_add_summary(writer, bytes, (size_t)size, step, status);
  return done(status);
}

// write_run_metadata(writer, serialized RunMetadata, tag, step)
static PyObject *write_run_metadata(PyObject *module, PyObject *args) {
  PyObject *number;
  const char *bytes, *tag;
  Py_ssize_t size;
  long long step;
  if (!PyArg_ParseTuple(args, "Oy#sL", &number, &bytes, &size, &tag, &step)) return NULL;
  sl_file_writer_t *writer = extension_pointer(number);
  if (!writer) return NULL;
  TF_Status *status = TF_NewStatus();
  TF_Buffer *buffer = TF_NewBufferFromString(bytes, (size_t)size);
  sl_file_writer_add_run_metadata(writer, buffer, tag, step, status);
  TF_DeleteBuffer(buffer);
  return done(status);
}

static PyObject *write_graph(PyObject *module, PyObject *args) {
  PyObject *numbers[2];
  if (!PyArg_ParseTuple(args, "OO", &numbers[0], &numbers[1])) return NULL;
  sl_file_writer_t *writer = extension_pointer(numbers[0]);
  TF_Graph *graph = writer ? extension_pointer(numbers[1]) : NULL;
  if (!graph) return NULL;
  TF_Status *status = TF_NewStatus();
  sl_file_writer_add_graph(writer, graph, status);
  return done(status);
}

// write_checkpoint(writer, path, step)
static PyObject *write_checkpoint(PyObject *module, PyObject *args) {
  PyObject *number;
  const char *path;
  long long step;
  if (!PyArg_ParseTuple(args, "OsL", &number, &path, &step)) return NULL;
  sl_file_writer_t *writer = extension_pointer(number);
  if (!writer) return NULL;
  TF_Status *status = TF_NewStatus();
  sl_file_writer_add_checkpoint(writer, path, step, status);
  return done(status);
}

static PyObject *write_session_start(PyObject *module, PyObject *args) {
  PyObject *number;
  long long step;
  if (!PyArg_ParseTuple(args, "OL", &number, &step)) return NULL;
  sl_file_writer_t *writer = extension_pointer(number);
  if (!writer) return NULL;
  TF_Status *status = TF_NewStatus();
  sl_file_writer_add_session_start(writer, step, status);
  return done(status);
}

static PyObject *flush_writer(PyObject *module, PyObject *object) {
  sl_file_writer_t *writer = extension_pointer(object);
  if (!writer) return NULL;
  TF_Status *status = TF_NewStatus();
  sl_file_writer_flush(writer, status);
  return done(status);
}

static PyObject *close_writer(PyObject *module, PyObject *object) {
  sl_file_writer_t *writer = extension_pointer(object);
  if (!writer) return NULL;
  TF_Status *status = TF_NewStatus();
  sl_file_writer_close(writer, status);
  return done(status);
}

PyMethodDef extension_writer_methods[] = {
    {"open_writer", open_writer, METH_O, "open_writer(directory) -> writer"},
    {"write_summary", write_summary, METH_VARARGS, "(writer, serialized Summary, step)"},
    {"write_run_metadata", write_run_metadata, METH_VARARGS, "(writer, serialized RunMetadata, tag, step)"},
    {"write_graph", write_graph, METH_VARARGS, "(writer, graph)"},
    {"write_checkpoint", write_checkpoint, METH_VARARGS, "(writer, path, step)"},
    {"write_session_start", write_session_start, METH_VARARGS, "(writer, step)"},
    {"flush_writer", flush_writer, METH_O, "Makes what was written visible."},
    {"close_writer", close_writer, METH_O, "Closes and releases a writer."},
    {0},
};
