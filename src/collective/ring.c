// Reductions and gathers around a ring: each member receives from the one before it and sends to the one after it.
// TensorFlow's schedule: the tensor has one chunk for each member, and each chunk goes around twice, first to be
// combined, then to be copied; of a gather only once. A chunk may be divided among several rings, so that a part is on
// its way while another is combined. Each part, a field, is independent of the others.
//
// The order in which values are combined depends only on the ring, so that all members get the same bits, each time.
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "collective/engine_internal.h"

enum {
  ALIGNMENT = 64,            // of chunks; a part of TensorFlow's protocol
  MAX_CHUNK = 4 << 20,       // larger ones are divided, if the op allows it
  DEFAULT_MAX_RINGS = 2,     // for each device of a task
  NATIVE_CHUNK = 512 << 10,  // between Sluice's members
  NATIVE_MAX_RINGS = 64,
  POOLED_BYTES = 2 << 20,  // work on more bytes is given to the pool; for less, waking a thread takes longer
  MAX_DEPTH = 8,           // of fields that complete each other on one thread
};

typedef struct {
  sli_collective_run_t *run;
  int chunk, section;  // section: the number of the field
  int rank, from;      // in the ring; |from| is a member of the group
  int64_t first, count;
  bool is_second, receives, sends, is_final;
  sli_tensor_t *received;
} field_t;

static void field_begin(field_t *field);

static int size_of(const sli_collective_run_t *run) { return run->ring_members ? run->ring_size : run->group->size; }
static int ring_size(const field_t *field) { return size_of(field->run); }
static bool combines(const field_t *field) {
  return field->run->request->kind != SLI_COLLECTIVE_GATHER && !field->is_second;
}
static int pass_count(const sli_collective_run_t *run) { return run->request->kind == SLI_COLLECTIVE_REDUCE ? 2 : 1; }

static void key_of(const field_t *field, int rank, char *text, size_t size) {
  snprintf(text, size, ":%d:%d:%d", field->is_second, field->section, rank);
}

// ---- The steps of a field --------------------------------------------------------

static void field_end(field_t *field) {
  sli_collective_run_t *run = field->run;
  if (run->ring_members && atomic_fetch_sub(&run->ring_pending, 1) == 1) run->after_ring(run);
  sli_collective_run_end_part(run);
}

// The part of a reduce-scatter that ends at this member.
static void take_part(const field_t *field) {
  const sli_collective_request_t *request = field->run->request;
  if (request->kind == SLI_COLLECTIVE_REDUCE_SCATTER && field->is_final && field->count)
    memcpy(request->part->data, sli_tensor_at(request->output, field->first), sli_tensor_bytes(request->part));
}

// Which members receive and send in the pass: a chunk starts at the member of its number, or for the second pass one
// before it, and ends before it comes there again.
static void set_pass(field_t *field, bool is_second) {
  int size = ring_size(field), start = (field->chunk + (is_second ? size - 1 : 0)) % size;
  field->is_second = is_second;
  field->receives = field->count && field->rank != start;
  field->sends = field->count && field->rank != (start + size - 1) % size;
  field->is_final = field->rank == (start + size - 1) % size;
}

static void field_next(field_t *field) {
  if (field->is_second || pass_count(field->run) == 1) {
    take_part(field);
    field_end(field);
    return;
  }
  set_pass(field, true);
  field_begin(field);
}

static void field_sent(void *context, sli_status_t *status) {
  field_t *field = context;
  if (status) {
    sli_collective_run_fail(field->run, status);
    field_end(field);
  } else {
    field_next(field);
  }
}

static void field_send(field_t *field) {
  if (!field->sends) {
    field_next(field);
    return;
  }
  char key[48];
  key_of(field, field->rank, key, sizeof(key));
  sli_collective_run_send(field->run, key, field->run->request->output, field->first, field->count, field_sent, field);
}

static void field_combine(void *context) {
  field_t *field = context;
  const sli_collective_request_t *request = field->run->request;
  sli_dtype_t dtype = (sli_dtype_t)request->output->dtype;
  void *to = sli_tensor_at(request->output, field->first);
  if (!combines(field)) {
    memcpy(to, field->received->data, sli_tensor_bytes(field->received));
  } else {
    request->merge(request->merge_op, dtype, to, field->received->data, 1, field->count);
    if (field->is_final && request->divisor)
      request->merge(request->divide_op, dtype, to, request->divisor, 0, field->count);
  }
  sli_tensor_release(field->received);
  field->received = NULL;
  field_send(field);
}

static void field_received(void *context, sli_status_t *status, sli_tensor_t *buffer) {
  static _Thread_local int depth;
  field_t *field = context;
  if (status) {
    sli_collective_run_fail(field->run, status);
    field_end(field);
    return;
  }
  sli_thread_pool_t *pool = field->run->engine->pool;
  field->received = buffer;
  if (pool && (depth >= MAX_DEPTH || sli_tensor_bytes(buffer) >= POOLED_BYTES)) {
    sli_thread_pool_submit(pool, field_combine, field);
    return;
  }
  depth++;
  field_combine(field);
  depth--;
}

static void field_begin(field_t *field) {
  if (!field->receives) {
    field_send(field);
    return;
  }
  char key[48];
  int size = ring_size(field);
  key_of(field, (field->rank + size - 1) % size, key, sizeof(key));
  size_t bytes = (size_t)field->count * sli_dtype_size((sli_dtype_t)field->run->request->output->dtype);
  sli_collective_run_receive(field->run, key, field->from, bytes, field_received, field);
}

// ---- Rings -----------------------------------------------------------------------

typedef struct {
  int count;
  int offsets[NATIVE_MAX_RINGS];
} rings_t;

// As many rings as are needed for chunks of |chunk| bytes, up to |most|.
static int count_rings(const sli_collective_run_t *run, size_t chunk, int most) {
  size_t bytes = sli_tensor_bytes(run->request->output) / (size_t)size_of(run);
  int count = 1;
  while (count < most && bytes / (size_t)count > chunk) count++;
  return count;
}

// The offset of a ring rotates the devices of each task, a negative one in the reverse order, so that the rings leave a
// task by different devices.
static sli_status_t *choose_rings(const sli_collective_run_t *run, rings_t *out_rings) {
  const sli_collective_request_t *request = run->request;
  *out_rings = (rings_t){.count = 1};
  if (request->kind != SLI_COLLECTIVE_REDUCE) return NULL;
  if (request->ring_count > NATIVE_MAX_RINGS)
    return sli_status_make(SLI_INVALID_ARGUMENT, "subdiv_offsets must have at most %d elements, got %d",
                           NATIVE_MAX_RINGS, request->ring_count);
  if (*run->group->generation) {
    out_rings->count = count_rings(run, NATIVE_CHUNK, NATIVE_MAX_RINGS);
  } else if (request->ring_count) {
    out_rings->count = request->ring_count;
    for (int i = 0; i < request->ring_count; i++) out_rings->offsets[i] = request->rings[i];
  } else if (request->max_rings != -1) {
    int per_task = run->group->size / run->group->task_count;
    int most = (request->max_rings > 0 ? request->max_rings : DEFAULT_MAX_RINGS) * per_task;
    out_rings->count = count_rings(run, MAX_CHUNK, most < NATIVE_MAX_RINGS ? most : NATIVE_MAX_RINGS);
    int stride = per_task / out_rings->count ? per_task / out_rings->count : 1;
    for (int i = 0; i < out_rings->count; i++) out_rings->offsets[i] = i % 2 ? -stride * i : stride * i;
  }
  return NULL;
}

// The members of a ring in their order.
static void order_ring(const sli_collective_group_t *group, int offset, int *out_members) {
  bool is_reverse = offset < 0;
  unsigned shift = is_reverse ? 0u - (unsigned)offset : (unsigned)offset;
  for (int first = 0, end; first < group->size; first = end) {
    for (end = first; end < group->size && !strcmp(group->members[end].task, group->members[first].task);) end++;
    int count = end - first;
    for (int i = 0; i < count; i++) {
      int at = (int)(((unsigned)i + shift) % (unsigned)count);
      out_members[first + i] = first + (is_reverse ? count - 1 - at : at);
    }
  }
}

// The elements of a chunk: TensorFlow rounds up to whole cache lines, and adds one if there is nothing to round.
static int64_t aligned_chunk(int64_t total, int64_t chunks, int64_t size) {
  int64_t base = (total + chunks - 1) / chunks;
  return base + (ALIGNMENT - base * size % ALIGNMENT) / size;
}

static int position_of(const int *members, int size, int member) {
  int at = 0;
  while (at < size && members[at] != member) at++;
  return at;
}

static void initialize_field(field_t *field, sli_collective_run_t *run, const int *members, int64_t elements) {
  int size = size_of(run);
  int64_t total = run->request->output->count;
  field->run = run;
  field->rank = position_of(members, size, run->rank);
  field->from = members[(field->rank + size - 1) % size];
  // A chunk ends at the member before the one of its number; of a scatter it is that member's part.
  int64_t place = field->section;
  if (run->request->kind == SLI_COLLECTIVE_REDUCE_SCATTER) place = (field->chunk + size - 1) % size;
  field->first = elements * place < total ? elements * place : total;
  field->count = total - field->first < elements ? total - field->first : elements;
  set_pass(field, false);
}

void sli_collective_run_ring(sli_collective_run_t *run) {
  const sli_collective_request_t *request = run->request;
  int size = size_of(run);
  rings_t rings;
  sli_status_t *status = choose_rings(run, &rings);
  if (status) {
    sli_collective_run_fail(run, status);
    if (run->ring_members) run->after_ring(run);
    return;
  }
  int64_t total = request->output->count, chunks = (int64_t)size * rings.count;
  int64_t element = (int64_t)sli_dtype_size((sli_dtype_t)request->output->dtype);
  // The parts of a gather and of a scatter are the members' own.
  int64_t elements = request->kind == SLI_COLLECTIVE_REDUCE ? aligned_chunk(total, chunks, element) : total / chunks;
  field_t *fields = run->parts = sli_calloc((size_t)chunks, sizeof(*fields));
  int *members = sli_calloc((size_t)size, sizeof(*members));
  if (request->kind == SLI_COLLECTIVE_REDUCE && !run->ring_members && request->input->data != request->output->data &&
      total)
    memcpy(request->output->data, request->input->data, sli_tensor_bytes(request->input));
  if (request->kind == SLI_COLLECTIVE_GATHER)
    memcpy(sli_tensor_at(request->output, elements * run->rank), request->input->data,
           sli_tensor_bytes(request->input));
  for (int ring = 0; ring < rings.count; ring++) {
    if (run->ring_members)
      memcpy(members, run->ring_members, (size_t)size * sizeof(*members));
    else
      order_ring(run->group, rings.offsets[ring], members);
    for (int chunk = 0; chunk < size; chunk++) {
      field_t *field = &fields[chunk * rings.count + ring];
      field->chunk = chunk;
      field->section = chunk * rings.count + ring;
      initialize_field(field, run, members, elements);
    }
  }
  free(members);
  atomic_store(&run->ring_pending, (int)chunks);
  for (int64_t i = 0; i < chunks; i++) sli_collective_run_begin_part(run);
  for (int64_t i = 0; i < chunks; i++) field_begin(&fields[i]);
}
