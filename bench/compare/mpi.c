// The same as all_reduce.c with MPI_Allreduce, for bench/compare/run: built with mpicc where that is present.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  double times[101];
  for (long bytes = 4 << 10; bytes <= 256 << 20; bytes *= 4) {
    int count = (int)(bytes / 4), runs = bytes <= 1 << 20 ? 101 : bytes <= 64 << 20 ? 15 : 7;
    float *from = calloc((size_t)count, 4), *to = calloc((size_t)count, 4);
    for (int run = -2; run < runs; run++) {
      MPI_Barrier(MPI_COMM_WORLD);
      double began = MPI_Wtime();
      MPI_Allreduce(from, to, count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
      if (run >= 0) times[run] = (MPI_Wtime() - began) * 1e3;
    }
    qsort(times, (size_t)runs, sizeof(*times), compare);
    if (!rank) printf("%ld %.4f %.4f\n", bytes, times[runs / 2], times[0]);
    free(from);
    free(to);
  }
  MPI_Finalize();
  return 0;
}
