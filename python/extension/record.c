// TFRecord files.
#include "extension.h"

static PyObject *finished(TF_Status *status) {
  Py_INCREF(Py_None);
  return extension_finish(status, Py_None);
}

// open_record_writer(path, compression) -> writer
static PyObject *open_record_writer(PyObject *module, PyObject *args) {
  const char *path, *compression;
  if (!PyArg_ParseTuple(args, "ss", &path, &compression)) return NULL;
  TF_Status *status = TF_NewStatus();
  sl_record_writer_t *writer = sl_record_writer_open(path, compression, status);
  return extension_finish(status, writer ? extension_number(writer) : NULL);
}

static PyObject *write_record(PyObject *module, PyObject *args) {
  PyObject *number;
  const char *bytes;
  Py_ssize_t size;
  if (!PyArg_ParseTuple(args, "Oy#", &number, &bytes, &size)) return NULL;
  sl_record_writer_t *writer = extension_pointer(number);
  if (!writer) return NULL;
  TF_Status *status = TF_NewStatus();
  sl_record_writer_write(writer, bytes, (size_t)size, status);
  return finished(status);
}

static PyObject *flush_record_writer(PyObject *module, PyObject *object) {
  sl_record_writer_t *writer = extension_pointer(object);
  if (!writer) return NULL;
  TF_Status *status = TF_NewStatus();
  sl_record_writer_flush(writer, status);
  return finished(status);
}

static PyObject *close_record_writer(PyObject *module, PyObject *object) {
  sl_record_writer_t *writer = extension_pointer(object);
  if (!writer) return NULL;
  TF_Status *status = TF_NewStatus();
  sl_record_writer_close(writer, status);
  return finished(status);
}

// open_record_reader(path, compression) -> reader
static PyObject *open_record_reader(PyObject *module, PyObject *args) {
  const char *path, *compression;
  if (!PyArg_ParseTuple(args, "ss", &path, &compression)) return NULL;
  TF_Status *status = TF_NewStatus();
  sl_record_reader_t *reader = sl_record_reader_open(path, compression, status);
  return extension_finish(status, reader ? extension_number(reader) : NULL);
}

// read_record(reader) -> bytes, or None at the end
static PyObject *read_record(PyObject *module, PyObject *object) {
  sl_record_reader_t *reader = extension_pointer(object);
  if (!reader) return NULL;
  const void *data = NULL;
  size_t size = 0;
  TF_Status *status = TF_NewStatus();
  if (sl_record_reader_read(reader, &data, &size, status))
    return extension_finish(status, PyBytes_FromStringAndSize(data, (Py_ssize_t)size));
  return finished(status);
}

static PyObject *close_record_reader(PyObject *module, PyObject *object) {
  sl_record_reader_t *reader = extension_pointer(object);
  if (!reader) return NULL;
  sl_record_reader_release(reader);
  Py_RETURN_NONE;
}

PyMethodDef extension_record_methods[] = {
    {"open_record_reader", open_record_reader, METH_VARARGS, "open_record_reader(path, compression) -> reader"},
    {"read_record", read_record, METH_O, "The next record as bytes; None at the end."},
    {"close_record_reader", close_record_reader, METH_O, "Closes and releases a reader."},
    {"open_record_writer", open_record_writer, METH_VARARGS, "open_record_writer(path, compression) -> writer"},
    {"write_record", write_record, METH_VARARGS, "(writer, bytes)"},
    {"flush_record_writer", flush_record_writer, METH_O, "Makes what was written visible."},
    {"close_record_writer", close_record_writer, METH_O, "Closes and releases a writer."},
    {0},
};
