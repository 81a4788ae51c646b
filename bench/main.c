// sluice_bench [--millis=N] [steps] [kernels] [linalg] [images] [files] [input] [remote] [store] [embedding]: runs the
// named benchmarks, or all. Each of the repetitions of a row takes N milliseconds.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/test.h"
#include "bench.h"

static int64_t repetition_nanos = 150 * 1000 * 1000;
enum { REPETITIONS = 3 };

static double nanos_per_call(bench_fn_t run, void *context) {
  int64_t calls = 0, began = sli_clock_now_nanos(), now;
  for (int64_t batch = 1;; batch *= 2) {
    for (int64_t i = 0; i < batch; i++) run(context);
    calls += batch;
    now = sli_clock_now_nanos();
    if (now - began >= repetition_nanos) return (double)(now - began) / (double)calls;
  }
}

void bench_row(const char *name, bench_fn_t run, void *context, double amount, const char *unit) {
  run(context);  // warms up: builds plans, maps pages, fills caches
  double best = 0;
  for (int i = 0; i < REPETITIONS; i++) {
    double nanos = nanos_per_call(run, context);
    if (i == 0 || nanos < best) best = nanos;
  }
  printf("  %-44s %12.3f us", name, best / 1e3);
  if (amount > 0) printf(" %10.2f G%s/s", amount / best, unit);
  printf("\n");
  fflush(stdout);
}

void bench_title(const char *title) { printf("%s\n", title); }

const char *bench_folder(void) { return sli_test_temporary_dir(); }

int main(int argc, char **argv) {
  static const struct {
    const char *name;
    void (*run)(void);
  } parts[] = {{"steps", bench_steps},   {"kernels", bench_kernels}, {"linalg", bench_linalg},
               {"images", bench_images}, {"files", bench_files},     {"input", bench_input},
               {"remote", bench_remote}, {"store", bench_store},     {"embedding", bench_embedding}};
  int ran = 0;
  if (argc == 3 && strcmp(argv[1], "--serve") == 0) return bench_serve(argv[2]);
  if (argc > 1 && strncmp(argv[1], "--millis=", 9) == 0) {
    repetition_nanos = strtoll(argv[1] + 9, NULL, 10) * 1000 * 1000;
    argc--, argv++;
  }
  for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
    bool is_wanted = argc < 2;
    for (int k = 1; k < argc; k++) is_wanted = is_wanted || strcmp(argv[k], parts[i].name) == 0;
    if (!is_wanted) continue;
    parts[i].run();
    ran++;
  }
  if (!ran) fprintf(stderr, "usage: sluice_bench [--millis=N] [steps] [kernels] [images] [files] [input] [remote]\n");
  return ran ? 0 : 2;
}
