// libsluice_mpi.so, see collective/mpi_plugin.h. Errors of MPI are returned instead of ending the job.
#include "collective/mpi_plugin.h"

#include <mpi.h>
#include <stdlib.h>

// Every process of a job must have ended MPI before it ends.
static void finish(void) {
  int is_over = 0;
  MPI_Finalized(&is_over);
  if (!is_over) MPI_Finalize();
}

static const char *start(uint64_t *world, int *out_rank) {
  int is_started = 0, level = MPI_THREAD_SINGLE;
  MPI_Initialized(&is_started);
  if (is_started) {
    MPI_Query_thread(&level);
  } else {
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &level) != MPI_SUCCESS) return "MPI_Init_thread failed";
    atexit(finish);
  }
  if (level < MPI_THREAD_MULTIPLE) return "MPI was started without MPI_THREAD_MULTIPLE";
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (MPI_Bcast(world, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD) != MPI_SUCCESS) return "MPI_Bcast failed";
  MPI_Comm_rank(MPI_COMM_WORLD, out_rank);
  return NULL;
}

static const char *join(const int *ranks, int count, int tag, void **out_communicator) {
  MPI_Group world, members;
  MPI_Comm *communicator = malloc(sizeof(*communicator));
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  int code = MPI_Group_incl(world, count, ranks, &members);
  if (code == MPI_SUCCESS) {
    code = MPI_Comm_create_group(MPI_COMM_WORLD, members, tag, communicator);
    MPI_Group_free(&members);
  }
  MPI_Group_free(&world);
  if (code == MPI_SUCCESS) MPI_Comm_set_errhandler(*communicator, MPI_ERRORS_RETURN);
  *out_communicator = communicator;
  return code == MPI_SUCCESS ? NULL : "MPI_Comm_create_group failed";
}

static const char *all_reduce(void *communicator, const void *from, void *to, int64_t count,
                              sli_collective_mpi_type_t type, sli_collective_mpi_op_t op) {
  MPI_Datatype types[] = {MPI_FLOAT, MPI_DOUBLE, MPI_INT32_T, MPI_INT64_T};
  MPI_Op ops[] = {MPI_SUM, MPI_PROD, MPI_MAX, MPI_MIN};
  int code =
      MPI_Allreduce(from == to ? MPI_IN_PLACE : from, to, (int)count, types[type], ops[op], *(MPI_Comm *)communicator);
  return code == MPI_SUCCESS ? NULL : "MPI_Allreduce failed";
}

extern const sli_collective_mpi_t sli_collective_mpi;
const sli_collective_mpi_t sli_collective_mpi
    __attribute__((visibility("default"))) = {SLI_COLLECTIVE_MPI_VERSION, start, join, all_reduce};
