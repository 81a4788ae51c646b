// The microbenchmarks: what a piece of Sluice costs by itself, so that a change
// shows. Each row runs a piece for a while, three times, and prints the best.
#ifndef SLI_BENCH_BENCH_H_
#define SLI_BENCH_BENCH_H_

#include <stddef.h>
#include <stdint.h>

// One call of the piece.
typedef void (*bench_fn_t)(void *context);

// Times |run| and prints a row. |amount| is what one call does in |unit|s (bytes, flops …), shown per second; 0:
// nothing.
void bench_row(const char *name, bench_fn_t run, void *context, double amount, const char *unit);
// A line between rows.
void bench_title(const char *title);
// A folder that is removed at the end.
const char *bench_folder(void);

void bench_steps(void);
void bench_kernels(void);
void bench_files(void);
void bench_input(void);
void bench_remote(void);
// What the process of a server does: serves |address| until it is killed. The exit code.
int bench_serve(const char *address);

#endif  // SLI_BENCH_BENCH_H_
