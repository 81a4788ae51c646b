// A network that can fail: a port that forwards to another one.
#ifndef SLI_TESTS_LIFE_LIFE_WIRE_H_
#define SLI_TESTS_LIFE_LIFE_WIRE_H_

#include <stdatomic.h>
#include <stdbool.h>

// Must be static: its threads run until the process ends.
typedef struct {
  int listener, port, to;
  atomic_bool is_cut;
  atomic_int running;
} life_wire_t;

// Forwards connections to |wire->port| of this machine to |to|.
bool life_wire_start(life_wire_t *wire, int to);
// From now on it forwards nothing; connections stay open.
void life_wire_cut(life_wire_t *wire);

#endif  // SLI_TESTS_LIFE_LIFE_WIRE_H_
