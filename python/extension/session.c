// Sessions and servers. Python threads run while a call waits.
#include "extension.h"

#include <stdlib.h>
#include <string.h>

static PyObject *new_session(PyObject *module, PyObject *args) {
  PyObject *graph;
  const char *target, *config;
  Py_ssize_t config_size;
  if (!PyArg_ParseTuple(args, "Osy#", &graph, &target, &config, &config_size)) return NULL;
  TF_Graph *c_graph = extension_pointer(graph);
  if (!c_graph || !extension_check_process("A Session")) return NULL;
  TF_Status *status = TF_NewStatus();
  TF_SessionOptions *options = TF_NewSessionOptions();
  TF_SetTarget(options, target);
  TF_SetConfig(options, config, (size_t)config_size, status);
  TF_Session *session = NULL;
  if (TF_GetCode(status) == TF_OK) {
    Py_BEGIN_ALLOW_THREADS session = TF_NewSession(c_graph, options, status);
    Py_END_ALLOW_THREADS
  }
  TF_DeleteSessionOptions(options);
  return extension_finish(status, session ? extension_number(session) : NULL);
}

typedef struct {
  TF_Session *session;
  TF_Status *status;
} close_t;

static void call_close(void *argument) {
  close_t *call = argument;
  TF_CloseSession(call->session, call->status);
}

static void release_close(void *argument) {
  close_t *call = argument;
  TF_DeleteStatus(call->status);
  free(call);
}

static PyObject *close_session(PyObject *module, PyObject *object) {
  TF_Session *session = extension_pointer(object);
  close_t *call = session ? calloc(1, sizeof(*call)) : NULL;
  if (!call) return NULL;
  *call = (close_t){.session = session, .status = TF_NewStatus()};
  if (!extension_call(call_close, release_close, call, session)) return NULL;
  TF_Status *status = call->status;
  free(call);
  Py_INCREF(Py_None);
  return extension_finish(status, Py_None);
}

static PyObject *delete_session(PyObject *module, PyObject *object) {
  TF_Session *session = extension_pointer(object);
  if (!session) return NULL;
  if (!extension_wait_for_calls(session)) Py_RETURN_NONE;  // a step of a server that does not answer still uses it
  TF_Status *status = TF_NewStatus();
  Py_BEGIN_ALLOW_THREADS TF_DeleteSession(session, status);
  Py_END_ALLOW_THREADS TF_DeleteStatus(status);
  Py_RETURN_NONE;
}

// What a step feeds, fetches and runs.
typedef struct {
  TF_Output *feeds, *fetches;
  TF_Operation **targets;
  TF_Tensor **fed, **fetched;
  Py_ssize_t feed_count, fetch_count, target_count;
} step_t;

static void step_release(step_t *step) {
  for (Py_ssize_t i = 0; step->fed && i < step->feed_count; i++) TF_DeleteTensor(step->fed[i]);
  for (Py_ssize_t i = 0; step->fetched && i < step->fetch_count; i++) TF_DeleteTensor(step->fetched[i]);
  free(step->feeds);
  free(step->fetches);
  free(step->targets);
  free(step->fed);
  free(step->fetched);
}

static bool step_read(step_t *step, PyObject *feeds, PyObject *values, PyObject *fetches, PyObject *targets) {
  *step = (step_t){0};
  if (!(step->feeds = extension_outputs(feeds, &step->feed_count))) return false;
  if (!(step->fetches = extension_outputs(fetches, &step->fetch_count))) return false;
  if (!(step->targets = extension_operations(targets, &step->target_count))) return false;
  step->fed = calloc((size_t)step->feed_count + 1, sizeof(*step->fed));
  step->fetched = calloc((size_t)step->fetch_count + 1, sizeof(*step->fetched));
  if (!step->fed || !step->fetched) return PyErr_NoMemory(), false;
  if (PyList_Size(values) != step->feed_count)
    return PyErr_SetString(PyExc_ValueError, "as many values as feeds are needed"), false;
  for (Py_ssize_t i = 0; i < step->feed_count; i++)
    if (!(step->fed[i] = extension_tensor_from(PyList_GetItem(values, i)))) return false;
  return true;
}

// Whether a fetched tensor has the bytes of a fed array, as that of an Identity.
static bool is_fed(const step_t *step, const TF_Tensor *tensor) {
  const char *data = TF_TensorData(tensor);
  for (Py_ssize_t i = 0; i < step->feed_count; i++) {
    const char *fed = TF_TensorData(step->fed[i]);
    if (data >= fed && data < fed + TF_TensorByteSize(step->fed[i])) return true;
  }
  return false;
}

static PyObject *step_results(step_t *step) {
  PyObject *list = PyList_New(step->fetch_count);
  for (Py_ssize_t i = 0; list && i < step->fetch_count; i++) {
    PyObject *value = extension_tensor_to(step->fetched[i], is_fed(step, step->fetched[i]));
    step->fetched[i] = NULL;
    if (!value) Py_CLEAR(list);
    if (list) PyList_SetItem(list, i, value);
  }
  return list;
}

// A call of TF_SessionRun or TF_SessionPRun, on the heap.
typedef struct {
  TF_Session *session;
  step_t step;
  char *handle;  // of a partial run; NULL: a whole one
  TF_Buffer options, *metadata;
  bool has_options;
  TF_Status *status;
} run_t;

static void run_release(void *context) {
  run_t *run = context;
  step_release(&run->step);
  if (run->metadata) TF_DeleteBuffer(run->metadata);
  TF_DeleteStatus(run->status);
  free((void *)run->options.data);
  free(run->handle);
  free(run);
}

static void run_call(void *context) {
  run_t *run = context;
  step_t *step = &run->step;
  const TF_Operation *const *targets = (const TF_Operation *const *)step->targets;
  if (run->handle)
    TF_SessionPRun(run->session, run->handle, step->feeds, step->fed, (int)step->feed_count, step->fetches,
                   step->fetched, (int)step->fetch_count, targets, (int)step->target_count, run->status);
  else
    TF_SessionRun(run->session, run->has_options ? &run->options : NULL, step->feeds, step->fed, (int)step->feed_count,
                  step->fetches, step->fetched, (int)step->fetch_count, targets, (int)step->target_count, run->metadata,
                  run->status);
}

// Runs the step. False and an exception if it was interrupted or failed; then |run| is released.
static bool run_step(run_t *run, bool is_remote) {
  if (is_remote) {
    if (!extension_call(run_call, run_release, run, run->session)) return false;
  } else {
    Py_BEGIN_ALLOW_THREADS bool began = extension_step_begin(run->session);
    run_call(run);
    extension_step_end(began);
    Py_END_ALLOW_THREADS if (TF_GetCode(run->status) == TF_CANCELLED && PyErr_CheckSignals() < 0) {
      run_release(run);
      return false;
    }
  }
  if (TF_GetCode(run->status) == TF_OK) return true;
  TF_Status *status = run->status;
  run->status = TF_NewStatus();
  run_release(run);
  extension_finish(status, NULL);
  return false;
}

static run_t *run_new(PyObject *session, PyObject *feeds, PyObject *values, PyObject *fetches, PyObject *targets) {
  if (!extension_check_process("A Session")) return NULL;
  TF_Session *pointer = extension_pointer(session);
  run_t *run = pointer ? calloc(1, sizeof(*run)) : NULL;
  if (!run) return pointer ? (void *)PyErr_NoMemory() : NULL;
  run->session = pointer;
  run->status = TF_NewStatus();
  if (step_read(&run->step, feeds, values, fetches, targets)) return run;
  run_release(run);
  return NULL;
}

static bool run_set_options(run_t *run, const char *options, Py_ssize_t size) {
  if (!options) return true;
  char *copy = malloc((size_t)size + 1);
  if (!copy) return PyErr_NoMemory(), false;
  memcpy(copy, options, (size_t)size);
  run->options = (TF_Buffer){copy, (size_t)size, NULL};
  run->has_options = true;
  return true;
}

// run(session, feeds, values, fetches, targets, options, wants_metadata, is_remote) -> (results, metadata)
static PyObject *run(PyObject *module, PyObject *args) {
  PyObject *session, *feeds, *values, *fetches, *targets;
  const char *options;
  Py_ssize_t options_size;
  int wants_metadata, is_remote;
  if (!PyArg_ParseTuple(args, "OOOOOz#pp", &session, &feeds, &values, &fetches, &targets, &options, &options_size,
                        &wants_metadata, &is_remote))
    return NULL;
  run_t *run = run_new(session, feeds, values, fetches, targets);
  if (!run) return NULL;
  if (!run_set_options(run, options, options_size)) {
    run_release(run);
    return NULL;
  }
  if (wants_metadata) run->metadata = TF_NewBuffer();
  if (!run_step(run, is_remote)) return NULL;
  PyObject *list = step_results(&run->step), *result = NULL;
  if (list && run->metadata)
    result = Py_BuildValue("(Ny#)", list, (const char *)run->metadata->data, (Py_ssize_t)run->metadata->length);
  else if (list)
    result = Py_BuildValue("(NO)", list, Py_None);
  run_release(run);
  return result;
}

static PyObject *partial_run_setup(PyObject *module, PyObject *args) {
  PyObject *session_number, *feeds, *fetches, *targets;
  if (!PyArg_ParseTuple(args, "OOOO", &session_number, &feeds, &fetches, &targets)) return NULL;
  TF_Session *session = extension_pointer(session_number);
  if (!session) return NULL;
  step_t step = {0};
  step.feeds = extension_outputs(feeds, &step.feed_count);
  step.fetches = step.feeds ? extension_outputs(fetches, &step.fetch_count) : NULL;
  step.targets = step.fetches ? extension_operations(targets, &step.target_count) : NULL;
  if (!step.targets) {
    step_release(&step);
    return NULL;
  }
  TF_Status *status = TF_NewStatus();
  const char *handle = NULL;
  Py_BEGIN_ALLOW_THREADS TF_SessionPRunSetup(session, step.feeds, (int)step.feed_count, step.fetches,
                                             (int)step.fetch_count, (const TF_Operation *const *)step.targets,
                                             (int)step.target_count, &handle, status);
  Py_END_ALLOW_THREADS step_release(&step);
  PyObject *text = handle ? PyBytes_FromString(handle) : NULL;
  if (handle) TF_DeletePRunHandle(handle);
  return extension_finish(status, text);
}

static PyObject *partial_run(PyObject *module, PyObject *args) {
  PyObject *session, *feeds, *values, *fetches, *targets;
  const char *handle;
  int is_remote;
  if (!PyArg_ParseTuple(args, "OyOOOOp", &session, &handle, &feeds, &values, &fetches, &targets, &is_remote))
    return NULL;
  run_t *run = run_new(session, feeds, values, fetches, targets);
  if (!run) return NULL;
  if (!(run->handle = strdup(handle))) {
    run_release(run);
    return PyErr_NoMemory();
  }
  if (!run_step(run, is_remote)) return NULL;
  PyObject *result = step_results(&run->step);
  run_release(run);
  return result;
}

typedef struct {
  TF_Session *session;
  TF_DeviceList *devices;
  TF_Status *status;
} devices_t;

static void call_list_devices(void *argument) {
  devices_t *call = argument;
  call->devices = TF_SessionListDevices(call->session, call->status);
}

static void release_devices(void *argument) {
  devices_t *call = argument;
  if (call->devices) TF_DeleteDeviceList(call->devices);
  if (call->status) TF_DeleteStatus(call->status);
  free(call);
}

static PyObject *list_devices(PyObject *module, PyObject *object) {
  TF_Session *session = extension_pointer(object);
  devices_t *call = session ? calloc(1, sizeof(*call)) : NULL;
  if (!call) return NULL;
  *call = (devices_t){.session = session, .status = TF_NewStatus()};
  if (!extension_call(call_list_devices, release_devices, call, session)) return NULL;
  TF_Status *status = call->status;
  call->status = NULL;
  PyObject *list = TF_GetCode(status) == TF_OK ? PyList_New(0) : NULL;
  for (int i = 0; list && i < TF_DeviceListCount(call->devices); i++) {
    PyObject *row = Py_BuildValue("(ssLK)", TF_DeviceListName(call->devices, i, status),
                                  TF_DeviceListType(call->devices, i, status),
                                  (long long)TF_DeviceListMemoryBytes(call->devices, i, status),
                                  (unsigned long long)TF_DeviceListIncarnation(call->devices, i, status));
    if (!row || PyList_Append(list, row) < 0) Py_CLEAR(list);
    Py_XDECREF(row);
  }
  release_devices(call);
  return extension_finish(status, list);
}

typedef struct {
  TF_SessionOptions *options;
  char **containers;
  int count;
  TF_Status *status;
} reset_t;

static void call_reset(void *argument) {
  reset_t *call = argument;
  TF_Reset(call->options, (const char **)call->containers, call->count, call->status);
}

static void release_reset(void *argument) {
  reset_t *call = argument;
  for (int i = 0; call->containers && i < call->count; i++) free(call->containers[i]);
  free(call->containers);
  TF_DeleteSessionOptions(call->options);
  if (call->status) TF_DeleteStatus(call->status);
  free(call);
}

static PyObject *reset(PyObject *module, PyObject *args) {
  const char *target, *config;
  Py_ssize_t config_size;
  PyObject *names;
  if (!PyArg_ParseTuple(args, "sy#O", &target, &config, &config_size, &names)) return NULL;
  reset_t *call = calloc(1, sizeof(*call));
  if (!call) return PyErr_NoMemory();
  *call = (reset_t){.options = TF_NewSessionOptions(), .status = TF_NewStatus()};
  Py_ssize_t count = PyList_Size(names);
  call->containers = count < 0 ? NULL : calloc((size_t)count + 1, sizeof(*call->containers));
  for (Py_ssize_t i = 0; call->containers && i < count && !PyErr_Occurred(); i++) {
    const char *name = PyBytes_AsString(PyList_GetItem(names, i));
    if (name) call->containers[call->count++] = strdup(name);
  }
  if (PyErr_Occurred() || !call->containers) {
    release_reset(call);
    return NULL;
  }
  TF_SetTarget(call->options, target);
  TF_SetConfig(call->options, config, (size_t)config_size, call->status);
  if (TF_GetCode(call->status) == TF_OK && !extension_call(call_reset, release_reset, call, NULL)) return NULL;
  TF_Status *status = call->status;
  call->status = NULL;
  release_reset(call);
  Py_INCREF(Py_None);
  return extension_finish(status, Py_None);
}

// --- Servers ---

static PyObject *new_server(PyObject *module, PyObject *args) {
  const char *definition;
  Py_ssize_t size;
  if (!PyArg_ParseTuple(args, "y#", &definition, &size) || !extension_check_process("A Server")) return NULL;
  TF_Status *status = TF_NewStatus();
  TF_Server *server;
  Py_BEGIN_ALLOW_THREADS server = TF_NewServer(definition, (size_t)size, status);
  Py_END_ALLOW_THREADS return extension_finish(status, server ? extension_number(server) : NULL);
}

typedef struct {
  TF_Server *server;
  TF_Status *status;
} join_t;

static void join_call(void *context) {
  join_t *join = context;
  TF_ServerJoin(join->server, join->status);
}

static void join_release(void *context) {
  join_t *join = context;
  TF_DeleteStatus(join->status);
  free(join);
}

static PyObject *join_server(PyObject *module, PyObject *object) {
  TF_Server *server = extension_pointer(object);
  join_t *join = server ? malloc(sizeof(*join)) : NULL;
  if (!join) return server ? PyErr_NoMemory() : NULL;
  *join = (join_t){server, TF_NewStatus()};
  if (!extension_call(join_call, join_release, join, server)) return NULL;
  TF_Status *status = join->status;
  free(join);
  Py_INCREF(Py_None);
  return extension_finish(status, Py_None);
}

static PyObject *server_call(PyObject *object, void (*call)(TF_Server *server, TF_Status *status)) {
  TF_Server *server = extension_pointer(object);
  if (!server) return NULL;
  TF_Status *status = TF_NewStatus();
  Py_BEGIN_ALLOW_THREADS call(server, status);
  Py_END_ALLOW_THREADS Py_INCREF(Py_None);
  return extension_finish(status, Py_None);
}

static PyObject *start_server(PyObject *module, PyObject *object) { return server_call(object, TF_ServerStart); }
static PyObject *stop_server(PyObject *module, PyObject *object) { return server_call(object, TF_ServerStop); }

static PyObject *server_target(PyObject *module, PyObject *object) {
  TF_Server *server = extension_pointer(object);
  return server ? PyUnicode_FromString(TF_ServerTarget(server)) : NULL;
}

PyMethodDef extension_session_methods[] = {
    {"new_session", new_session, METH_VARARGS, "new_session(graph, target, config) -> session"},
    {"close_session", close_session, METH_O, "Cancels running steps and releases the session's state."},
    {"delete_session", delete_session, METH_O, "Deletes the session."},
    {"run", run, METH_VARARGS,
     "run(session, feeds, values, fetches, targets, options, wants_metadata, is_remote) -> (results, metadata)"},
    {"partial_run_setup", partial_run_setup, METH_VARARGS, "(session, feeds, fetches, targets) -> handle"},
    {"partial_run", partial_run, METH_VARARGS,
     "(session, handle, feeds, values, fetches, targets, is_remote) -> results"},
    {"list_devices", list_devices, METH_O, "[(name, type, memory, incarnation)]"},
    {"reset", reset, METH_VARARGS, "reset(target, config, containers)"},
    {"new_server", new_server, METH_VARARGS, "new_server(server_def) -> server"},
    {"start_server", start_server, METH_O, "Starts to serve."},
    {"stop_server", stop_server, METH_O, "Stops serving."},
    {"join_server", join_server, METH_O, "Blocks until the server has stopped."},
    {"server_target", server_target, METH_O, "The target of sessions on this server."},
    {0},
};
