// An updater of your own for the parameter store: what a push does to a value, in a shared library that the ps tasks
// load. The library exports one function, sl_updater. A table uses it with the updater "library:NAME.so PARAMETERS":
//
//   static void apply(void *state, float *value, float *const *slots, const float *gradient, int64_t count, uint64_t
//   step) {
//     for (int64_t i = 0; i < count; i++) value[i] -= *(double *)state * gradient[i];
//   }
//   …
//   const sl_updater_t *sl_updater(void) {
//     static const sl_updater_t updater = {sizeof(updater), .create = create, .destroy = free, .apply = apply};
//     return &updater;
//   }
//
// A ps loads libraries only from the directory that its environment variable SLUICE_UPDATERS names. examples/updaters
// has a whole one.
#ifndef SLUICE_UPDATER_H_
#define SLUICE_UPDATER_H_

#pragma GCC system_header  // see sluice/export.h

#include <stddef.h>
#include <stdint.h>

#include "sluice/export.h"

SL_BEGIN_DECLS

enum { SL_UPDATER_MAX_SLOTS = 3 };

typedef struct {
  size_t struct_size;
  int slot_count;                            // arrays that belong to a value, as long as it
  double slot_values[SL_UPDATER_MAX_SLOTS];  // what they are filled with at first
  // Reads the text after the name of the library and returns the state for |apply|, any pointer but NULL. To refuse it,
  // writes why to |error|, which has |size| bytes, and returns NULL. NULL: there are no parameters.
  void *(*create)(const char *parameters, char *error, size_t size);
  void (*destroy)(void *state);  // NULL: nothing to do
  // Updates |count| elements of a value and its slots. |step| is the number of this update of the value, from 1. Called
  // on several threads at the same time, for different values or parts of one. Must not block.
  void (*apply)(void *state, float *value, float *const *slots, const float *gradient, int64_t count, uint64_t step);
} sl_updater_t;

// What the library exports; not a function of Sluice.
typedef const sl_updater_t *(*sl_updater_function_t)(void);

SL_END_DECLS

#endif  // SLUICE_UPDATER_H_
