// What libsluice_mpi.so offers: all-reduce by MPI. It is built where mpi.h is present, uses nothing of this library,
// and is loaded only if SLUICE_COLLECTIVE=mpi (mpi.c). Thread-safe. Functions return NULL, or a text that says what
// failed.
#ifndef SLI_COLLECTIVE_MPI_PLUGIN_H_
#define SLI_COLLECTIVE_MPI_PLUGIN_H_

#include <stdint.h>

enum { SLI_COLLECTIVE_MPI_VERSION = 1 };
#define SLI_COLLECTIVE_MPI_FILE "libsluice_mpi.so"
#define SLI_COLLECTIVE_MPI_SYMBOL "sli_collective_mpi"

typedef enum {
  SLI_COLLECTIVE_MPI_FLOAT,
  SLI_COLLECTIVE_MPI_DOUBLE,
  SLI_COLLECTIVE_MPI_INT32,
  SLI_COLLECTIVE_MPI_INT64,
} sli_collective_mpi_type_t;

typedef enum {
  SLI_COLLECTIVE_MPI_SUM,
  SLI_COLLECTIVE_MPI_PRODUCT,
  SLI_COLLECTIVE_MPI_MAX,
  SLI_COLLECTIVE_MPI_MIN,
} sli_collective_mpi_op_t;

typedef struct {
  int version;
  // Starts MPI; blocks until all processes of the job have done so. |*world| is a random number, and then that of rank
  // 0.
  const char *(*start)(uint64_t *world, int *out_rank);
  // A communicator of the processes |ranks|; blocks until all of them call it with the same |tag|, from 0 to 32767.
  const char *(*join)(const int *ranks, int count, int tag, void **out_communicator);
  // Blocks until all members have called it. At most 2^31 - 1 elements. |from| and |to| may be the same.
  const char *(*all_reduce)(void *communicator, const void *from, void *to, int64_t count,
                            sli_collective_mpi_type_t type, sli_collective_mpi_op_t op);
} sli_collective_mpi_t;

#endif  // SLI_COLLECTIVE_MPI_PLUGIN_H_
