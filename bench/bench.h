// Microbenchmarks: measure single parts of Sluice, so that the effect of a change is visible. Each row runs one part
// three times for a while and prints the best time.
#ifndef SLI_BENCH_BENCH_H_
#define SLI_BENCH_BENCH_H_

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// One call of the measured code.
typedef void (*bench_fn_t)(void *context);

// Measures |run| and prints a row. One call processes |amount| |unit|s (bytes, flops …); the row shows the rate per
// second, unless |amount| is 0.
void bench_row(const char *name, bench_fn_t run, void *context, double amount, const char *unit);
// Prints a heading for the next rows.
void bench_title(const char *title);
// The path of a temporary directory that is removed at exit.
const char *bench_folder(void);

void bench_steps(void);
void bench_kernels(void);
void bench_linalg(void);
void bench_images(void);
void bench_files(void);
void bench_input(void);
void bench_remote(void);
void bench_store(void);
void bench_embedding(void);
// Starts this program as a server on a free port and returns its process id; ends the program if that fails. The caller
// kills it and closes the reservation of the port, if it is not negative.
pid_t bench_start_server(int *out_port, int *out_reservation);
// The main function of the server process: serves |address| until it is killed. Returns the exit code.
int bench_serve(const char *address);

#endif  // SLI_BENCH_BENCH_H_
