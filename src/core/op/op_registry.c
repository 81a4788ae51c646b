// The op index, from name to definition, built once from the generated table of
// modules. An op's strings are parsed at its first lookup. Nothing is ever freed, so
// lookups return plain pointers.
#include "core/op/op_registry.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/map.h"
#include "core/op/op_registry_internal.h"
#include "core/op/op_spec_internal.h"

typedef struct {
  const sli_op_def_t *def;
  _Atomic(const sli_op_t *) op;  // NULL until parsed
} op_slot_t;

static pthread_once_t index_once = PTHREAD_ONCE_INIT;
// The ops of all modules that are private, or of all that are not.
typedef struct {
  op_slot_t *slots;  // sorted by name
  size_t count;
  sli_map_t by_name;
} index_t;

static index_t public_index, private_index;
static sli_map_t fused_index;  // name of an op to the op_slot_t of the op that fuses it

static sli_mutex_t parse_mutex = SLI_MUTEX_INITIALIZER;
static sli_arena_t parse_arena;  // under parse_mutex

static int compare_slots(const void *a, const void *b) {
  return strcmp(((const op_slot_t *)a)->def->name, ((const op_slot_t *)b)->def->name);
}

// Ends the process because of a mistake in our own tables.
static void fail(const char *text) { sli_check_failed(__FILE__, __LINE__, text); }

static void build_index_of_modules(bool is_private, index_t *index) {
  for (size_t m = 0; sli_op_modules[m]; m++)
    if (sli_op_modules[m]->is_private == is_private) index->count += sli_op_modules[m]->op_count;
  index->slots = sli_calloc(index->count ? index->count : 1, sizeof(*index->slots));
  size_t next = 0;
  for (size_t m = 0; sli_op_modules[m]; m++) {
    if (sli_op_modules[m]->is_private != is_private) continue;
    for (size_t i = 0; i < sli_op_modules[m]->op_count; i++) index->slots[next++].def = &sli_op_modules[m]->ops[i];
  }
  qsort(index->slots, index->count, sizeof(*index->slots), compare_slots);
  for (size_t i = 0; i < index->count; i++) {
    if (!sli_map_insert(&index->by_name, sli_view(index->slots[i].def->name), &index->slots[i]))
      fail(sli_format("op %s is defined once", index->slots[i].def->name));
    const char *fuses = index->slots[i].def->fuses;
    if (fuses && !sli_map_insert(&fused_index, sli_view(fuses), &index->slots[i]))
      fail(sli_format("op %s is fused by one op", fuses));
  }
}

static void build_op_index(void) {
  build_index_of_modules(false, &public_index);
  build_index_of_modules(true, &private_index);
}

static const sli_op_t *parsed(op_slot_t *slot) {
  const sli_op_t *op = atomic_load_explicit(&slot->op, memory_order_acquire);
  if (op) return op;
  sli_mutex_lock(&parse_mutex);
  op = atomic_load_explicit(&slot->op, memory_order_relaxed);
  if (!op) {
    sli_op_t *fresh = sli_arena_calloc(&parse_arena, 1, sizeof(*fresh));
    sli_status_t *status = sli_op_spec_parse(slot->def, &parse_arena, fresh);
    if (status) fail(sli_status_message(status));
    op = fresh;
    atomic_store_explicit(&slot->op, op, memory_order_release);
  }
  sli_mutex_unlock(&parse_mutex);
  return op;
}

static const sli_op_t *find_in(const sli_map_t *slots, sli_view_t name) {
  pthread_once(&index_once, build_op_index);
  op_slot_t *slot = sli_map_get(slots, name);
  return slot ? parsed(slot) : NULL;
}

const sli_op_t *sli_op_find(sli_view_t name) { return find_in(&public_index.by_name, name); }
const sli_op_t *sli_op_find_private(sli_view_t name) { return find_in(&private_index.by_name, name); }

const sli_op_t *sli_op_find_fused(const sli_op_t *op) { return find_in(&fused_index, sli_view(op->def->name)); }

void sli_op_for_each(void (*visit)(void *context, const sli_op_t *op), void *context) {
  pthread_once(&index_once, build_op_index);
  for (size_t i = 0; i < public_index.count; i++) visit(context, parsed(&public_index.slots[i]));
}

const sli_attr_spec_t *sli_op_attr_spec(const sli_op_t *op, const char *name) {
  for (int i = 0; i < op->attr_count; i++) {
    if (strcmp(op->attrs[i].name, name) == 0) return &op->attrs[i];
  }
  return NULL;
}
