// All-reduce by MPI, if SLUICE_COLLECTIVE=mpi: the processes were started by mpirun, and a plugin calls MPI
// (mpi_plugin.h). Members tell each other their place in MPI's world with the cards of shared.c. Every instance has a
// communicator of its own, so that the members may run their ops in different orders.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/log.h"
#include "collective/engine_internal.h"
#include "collective/mpi_plugin.h"

enum { MAX_TAG = 32767 };

static struct {
  sli_mutex_t mutex;
  // Under mutex, and constant once |is_started|:
  bool is_started;
  const sli_collective_mpi_t *plugin;  // NULL: not asked for, or it cannot be used
  char *error;
  uint64_t world;
  int rank;
} mpi = {.mutex = SLI_MUTEX_INITIALIZER};

// The plugin is beside this library, or where the system looks for libraries.
static void *load(void) {
  Dl_info own;
  void *handle = NULL;
  if (dladdr(&mpi, &own) && own.dli_fname && strrchr(own.dli_fname, '/')) {
    int length = (int)(strrchr(own.dli_fname, '/') - own.dli_fname);
    char *path = sli_format("%.*s/%s", length, own.dli_fname, SLI_COLLECTIVE_MPI_FILE);
    // MPI's own plugins need its symbols.
    handle = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    free(path);
  }
  return handle ? handle : dlopen(SLI_COLLECTIVE_MPI_FILE, RTLD_NOW | RTLD_GLOBAL);
}

static void start_locked(sli_env_t *env) {
  const char *engine = getenv("SLUICE_COLLECTIVE");
  mpi.is_started = true;
  if (!engine || !*engine) return;
  if (strcmp(engine, "mpi") != 0) {
    mpi.error = sli_format("SLUICE_COLLECTIVE must be mpi or not set, got %s", engine);
    return;
  }
  void *handle = load();
  const sli_collective_mpi_t *plugin = handle ? dlsym(handle, SLI_COLLECTIVE_MPI_SYMBOL) : NULL;
  if (!plugin) {
    mpi.error = sli_format("SLUICE_COLLECTIVE is mpi, but %s cannot be loaded: %s. It is built with libopenmpi-dev",
                           SLI_COLLECTIVE_MPI_FILE, dlerror());
    return;
  }
  if (plugin->version != SLI_COLLECTIVE_MPI_VERSION) {
    mpi.error = sli_format("%s has version %d, expected %d", SLI_COLLECTIVE_MPI_FILE, plugin->version,
                           SLI_COLLECTIVE_MPI_VERSION);
    return;
  }
  mpi.world = env->random(env) | 1;
  const char *error = plugin->start(&mpi.world, &mpi.rank);
  if (error)
    mpi.error = sli_format("SLUICE_COLLECTIVE is mpi: %s", error);
  else
    mpi.plugin = plugin;
}

sli_status_t *sli_collective_mpi_start(sli_env_t *env, uint64_t *out_world, int *out_rank) {
  *out_world = 0;
  *out_rank = 0;
  sli_mutex_lock(&mpi.mutex);
  if (!mpi.is_started) start_locked(env);
  sli_mutex_unlock(&mpi.mutex);
  if (mpi.error) return sli_status_make_text(SLI_FAILED_PRECONDITION, mpi.error);
  if (mpi.plugin) *out_world = mpi.world;
  *out_rank = mpi.rank;
  return NULL;
}

static const struct {
  sli_dtype_t dtype;
  sli_collective_mpi_type_t type;
} types[] = {{SLI_DTYPE_FLOAT, SLI_COLLECTIVE_MPI_FLOAT},
             {SLI_DTYPE_DOUBLE, SLI_COLLECTIVE_MPI_DOUBLE},
             {SLI_DTYPE_INT32, SLI_COLLECTIVE_MPI_INT32},
             {SLI_DTYPE_INT64, SLI_COLLECTIVE_MPI_INT64}};

static int find_type(const sli_collective_run_t *run) {
  for (int i = 0; i < (int)SLI_ARRAY_COUNT_OF(types); i++)
    if (types[i].dtype == (sli_dtype_t)run->request->output->dtype) return i;
  return -1;
}

bool sli_collective_mpi_can(const sli_collective_run_t *run) {
  return find_type(run) >= 0 && run->request->output->count <= INT32_MAX && run->request->instance_key >= 0 &&
         run->request->instance_key <= MAX_TAG;
}

sli_status_t *sli_collective_mpi_reduce(sli_collective_run_t *run, const int *ranks, void **communicator) {
  static const sli_collective_mpi_op_t ops[] = {
      [SLI_COLLECTIVE_SUM] = SLI_COLLECTIVE_MPI_SUM,
      [SLI_COLLECTIVE_PRODUCT] = SLI_COLLECTIVE_MPI_PRODUCT,
      [SLI_COLLECTIVE_MAX] = SLI_COLLECTIVE_MPI_MAX,
      [SLI_COLLECTIVE_MIN] = SLI_COLLECTIVE_MPI_MIN,
  };
  const sli_collective_request_t *request = run->request;
  const char *error = NULL;
  if (!*communicator) error = mpi.plugin->join(ranks, run->group->size, request->instance_key, communicator);
  if (!error)
    error = mpi.plugin->all_reduce(*communicator, request->input->data, request->output->data, request->output->count,
                                   types[find_type(run)].type, ops[request->reduction]);
  if (error) return sli_status_make(SLI_INTERNAL, "%s: %s", request->name, error);
  if (request->divisor)
    request->merge(request->divide_op, (sli_dtype_t)request->output->dtype, request->output->data, request->divisor, 0,
                   request->output->count);
  return NULL;
}
