// All-reduce in shared memory, between members on one host, one in each task. Every member has a board
// (base/board.h) and reads those of the others. A tensor is reduced in pieces, each with a chunk for every member:
//
//   give     a member copies the others' chunks of its piece to a window that the others can read,
//   combine  it combines its own chunk with those that the others gave it, and puts the result there, too,
//   take     it copies the results of the others.
//
// A piece is given while earlier ones are combined and taken, and is small enough that its windows stay in the cache.
// A chunk is combined by one member, in the order of ranks that begins with it: all get the same bits, each time.
// A small tensor is not divided: each member gives it whole, and combines all of them in the order of ranks.
//
// If the members are on several hosts, each host does this first. Then the first member of each host reduces the sum of
// its host with those of the others around a ring, and the other members of the host take the result from its windows.
//
// Members agree once in a generation whether they do this. Each tells each other where its board is, then whether it
// found all of theirs. The memory comes from the connections to the other tasks, which pass it to admitted peers only.
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/board.h"
#include "base/hash.h"
#include "base/log.h"
#include "collective/engine_internal.h"

enum {
  SMALL = 32 << 10,     // bytes of a tensor that is not divided
  CHUNK = 128 << 10,    // bytes
  BLOCK = 16 << 10,     // combined at a time: it stays in the first cache
  AHEAD = 1,            // pieces between two stages
  WINDOWS = 4,          // pieces that are shared at a time
  ALIGNMENT = 64,       // of chunks
  ASK_MILLIS = 200,     // after which a member that is waited for is asked what is wrong
  LEFT_MILLIS = 10000,  // until which one that has left must have said why
  WAIT_MILLIS = 20,     // of one sli_board_wait
  CARD_FIELDS = 5,
};

enum { GIVEN, COMBINED, TAKEN };  // stages of a notice

typedef enum { FORMING, USABLE, UNUSABLE } state_t;

struct sli_collective_boards {
  state_t state;
  int size, rank;
  sli_board_t *own;
  uint64_t id;
  sli_lend_mapping_t **memories;  // by rank, like the boards of the others
  const sli_board_t **boards;
  int awaited;           // messages of other members in this phase
  bool is_refused;       // by a member
  uint64_t *hosts;       // by rank
  int *local, *leaders;  // ranks of the members on this host, and of the first on each host
  int local_count, local_rank, host_count;
  SLI_ARRAY(sli_collective_run_t *) waiting;
  // Of MPI, if it is asked for:
  uint64_t *worlds;
  int *ranks;
  bool uses_mpi;
  sli_map_t communicators;  // by instance, never freed by MPI before it ends; under the engine's mutex
};
typedef struct sli_collective_boards boards_t;

// ---- Agreeing --------------------------------------------------------------------

void sli_collective_boards_destroy(struct sli_collective_boards *boards) {
  if (!boards) return;
  sli_board_destroy(boards->own);
  for (int i = 0; i < boards->size; i++) sli_lend_mapping_release(boards->memories[i]);
  sli_array_deinitialize(&boards->waiting);
  SLI_MAP_FOR_EACH (&boards->communicators, entry) free(entry->value);
  sli_map_deinitialize(&boards->communicators);
  free(boards->hosts);
  free(boards->local);
  free(boards->leaders);
  free(boards->worlds);
  free(boards->ranks);
  free(boards->memories);
  free(boards->boards);
  free(boards);
}

static boards_t *boards_create(const sli_collective_run_t *run) {
  boards_t *boards = sli_calloc(1, sizeof(*boards));
  sli_env_t *env = run->engine->env;
  boards->size = run->group->size;
  boards->rank = run->rank;
  boards->memories = sli_calloc((size_t)boards->size, sizeof(sli_lend_mapping_t *));
  boards->boards = sli_calloc((size_t)boards->size, sizeof(sli_board_t *));
  boards->hosts = sli_calloc((size_t)boards->size, sizeof(*boards->hosts));
  boards->local = sli_calloc((size_t)boards->size, sizeof(*boards->local));
  boards->leaders = sli_calloc((size_t)boards->size, sizeof(*boards->leaders));
  boards->hosts[run->rank] = run->engine->peers.host;
  boards->worlds = sli_calloc((size_t)boards->size, sizeof(*boards->worlds));
  boards->ranks = sli_calloc((size_t)boards->size, sizeof(*boards->ranks));
  boards->id = env->random(env) | 1;
  boards->own = sli_board_create(boards->id);
  return boards;
}

// A message of one member to another, in one of the two phases.
typedef struct {
  sli_collective_run_t *run;
  int from;
  bool is_verdict;
} message_t;

static void start_verdicts(sli_collective_run_t *run);
static bool start_reduction(sli_collective_run_t *run, bool is_shared);

static void message_sent(void *context, sli_status_t *status) {
  sli_collective_run_t *run = context;
  if (status) sli_collective_run_fail(run, status);
  sli_collective_run_end_part(run);
}

// The members agree, or one of them has failed: runs that wait go on.
static void end_forming(sli_collective_run_t *run, bool is_usable) {
  boards_t *boards = run->group->boards;
  sli_collective_engine_t *engine = run->engine;
  sli_mutex_lock(&engine->mutex);
  bool is_first = boards->state == FORMING;
  if (is_first) boards->state = is_usable ? USABLE : UNUSABLE;
  size_t count = is_first ? boards->waiting.count : 0;
  sli_collective_run_t **waiting = boards->waiting.items;
  if (is_first) {
    boards->waiting.items = NULL;
    boards->waiting.count = boards->waiting.capacity = 0;
  }
  sli_mutex_unlock(&engine->mutex);
  if (!is_first) return;
  for (size_t i = 0; i < count; i++) {
    if (!start_reduction(waiting[i], is_usable)) {
      sli_collective_run_ring(waiting[i]);
      sli_collective_run_end_part(waiting[i]);
    }
  }
  free(waiting);
}

static void take_card(boards_t *boards, sli_collective_run_t *run, int from, const uint64_t *card) {
  const sli_collective_peers_t *peers = &run->engine->peers;
  boards->worlds[from] = card[2];
  boards->ranks[from] = (int)card[3];
  boards->hosts[from] = card[4];
  if (!card[1] || !card[4] || card[4] != boards->hosts[boards->rank]) return;
  boards->memories[from] = peers->memory(peers->context, run->group->members[from].task);
  if (boards->memories[from]) boards->boards[from] = sli_board_find(boards->memories[from], card[0], card[1]);
}

static void message_received(void *context, sli_status_t *status, sli_tensor_t *buffer) {
  message_t message = *(message_t *)context;
  free(context);
  sli_collective_run_t *run = message.run;
  boards_t *boards = run->group->boards;
  sli_collective_engine_t *engine = run->engine;
  if (status) {
    sli_collective_run_fail(run, status);
    end_forming(run, false);
  } else {
    uint64_t card[CARD_FIELDS];
    memcpy(card, buffer->data, sizeof(card));
    sli_tensor_release(buffer);
    if (!message.is_verdict) take_card(boards, run, message.from, card);
    sli_mutex_lock(&engine->mutex);
    if (message.is_verdict && !card[0]) boards->is_refused = true;
    bool is_last = --boards->awaited == 0, is_refused = boards->is_refused;
    sli_mutex_unlock(&engine->mutex);
    if (is_last && message.is_verdict)
      end_forming(run, !is_refused);
    else if (is_last)
      start_verdicts(run);
  }
  sli_collective_run_end_part(run);
}

// Sends |card| to all other members and receives theirs.
static void exchange_cards(sli_collective_run_t *run, const uint64_t *card, bool is_verdict) {
  int size = run->group->size;
  int64_t count = CARD_FIELDS;
  sli_tensor_t *tensor;
  sli_status_t *status = sli_tensor_create(sli_allocator_cpu(), SLI_DTYPE_INT64, &count, 1, &tensor);
  if (status) {
    sli_collective_run_fail(run, status);
    end_forming(run, false);
    return;
  }
  memcpy(tensor->data, card, sizeof(*card) * CARD_FIELDS);
  run->group->boards->awaited = size - 1;
  for (int i = 0; i < size; i++) {
    if (i == run->rank) continue;
    char key[64];
    sli_collective_run_begin_part(run);
    sli_collective_run_begin_part(run);
    snprintf(key, sizeof(key), "%s:board:%d:%d:%d", run->scope, is_verdict, run->rank, i);
    sli_collective_run_send_as(run, key, tensor, 0, count, message_sent, run);
    message_t *message = sli_malloc(sizeof(*message));
    *message = (message_t){run, i, is_verdict};
    snprintf(key, sizeof(key), "%s:board:%d:%d:%d", run->scope, is_verdict, i, run->rank);
    sli_collective_run_receive_as(run, key, i, sizeof(*card) * CARD_FIELDS, message_received, message);
  }
  sli_tensor_release(tensor);
}

// Lists the members of this host and the first of each host. All members come to the same hosts.
static void list_hosts(boards_t *boards) {
  for (int i = 0; i < boards->size; i++) {
    bool is_first = true;
    for (int j = 0; j < i; j++) is_first = is_first && boards->hosts[j] != boards->hosts[i];
    if (is_first) boards->leaders[boards->host_count++] = i;
    if (boards->hosts[i] != boards->hosts[boards->rank]) continue;
    if (i == boards->rank) boards->local_rank = boards->local_count;
    boards->local[boards->local_count++] = i;
  }
}

static void start_verdicts(sli_collective_run_t *run) {
  boards_t *boards = run->group->boards;
  list_hosts(boards);
  // If every member has a host of its own there is nothing to share.
  bool has_all = boards->own && boards->host_count < boards->size && boards->hosts[boards->rank];
  for (int i = 0; i < boards->local_count; i++)
    has_all = has_all && (boards->local[i] == boards->rank || boards->boards[boards->local[i]]);
  boards->is_refused = !has_all;
  if (boards->host_count > 1 && boards->host_count < boards->size)
    SLI_INFO("Collective group %d has %d members on %d hosts", run->group->key, boards->size, boards->host_count);
  // All members see the same worlds. MPI needs nothing but them.
  boards->uses_mpi = boards->worlds[0] != 0;
  for (int i = 1; i < boards->size; i++) boards->uses_mpi = boards->uses_mpi && boards->worlds[i] == boards->worlds[0];
  if (boards->uses_mpi) SLI_INFO("Collective group %d uses MPI: rank %d", run->group->key, boards->ranks[run->rank]);
  exchange_cards(run, (uint64_t[CARD_FIELDS]){has_all}, true);
}

// ---- One all-reduce --------------------------------------------------------------

typedef struct {
  sli_collective_run_t *run;
  const boards_t *boards;
  uint64_t key;
  int size, rank;      // among the members of this host
  const int *members;  // their ranks in the group
  bool is_whole;       // there is only one host
  uint32_t pieces;
  int64_t total, chunk;  // elements
  size_t element;        // bytes
  sli_board_notice_t *notice;
  char *window;  // WINDOWS pieces
  bool has_asked;
  struct {
    const sli_board_notice_t *notice;
    const char *window;
  } peers[];
} reduction_t;

static sli_board_readers_t readers_of(const boards_t *boards) {
  return (sli_board_readers_t){boards->boards, boards->size};
}

// The elements of member |rank|'s chunk of a piece.
static int64_t chunk_of(const reduction_t *reduction, uint32_t piece, int rank, int64_t *out_first) {
  int64_t first = ((int64_t)piece * reduction->size + rank) * reduction->chunk;
  if (first > reduction->total) first = reduction->total;
  *out_first = first;
  return reduction->total - first < reduction->chunk ? reduction->total - first : reduction->chunk;
}

static size_t place_of(const reduction_t *reduction, uint32_t piece, int rank) {
  return ((size_t)(piece % WINDOWS) * (size_t)reduction->size + (size_t)rank) * (size_t)reduction->chunk *
         reduction->element;
}

static void on_answer(void *context, sli_status_t *status, sli_tensor_t *buffer) {
  sli_collective_run_t *run = context;
  sli_tensor_release(buffer);
  if (status && !atomic_load(&run->is_complete))
    sli_collective_run_fail(run, status);
  else
    sli_status_release(status);
  sli_collective_run_end_part(run);
}

// Requests what is never sent from all others: a reply comes when a member fails, is lost, or we do not wait any more.
static void ask(reduction_t *reduction) {
  if (reduction->has_asked) return;
  reduction->has_asked = true;
  char part[64];
  snprintf(part, sizeof(part), ":asked:%d:%llx", reduction->run->rank, (unsigned long long)reduction->key);
  for (int i = 0; i < reduction->run->group->size; i++) {
    if (i == reduction->run->rank) continue;
    sli_collective_run_begin_part(reduction->run);
    sli_collective_run_receive(reduction->run, part, i, 1, on_answer, reduction->run);
  }
}

static bool is_stopped(const reduction_t *reduction) {
  return sli_cancellation_is_cancelled(reduction->run->cancellation);
}

// A member has left the op. It says why when it is asked. Returns false.
static bool member_left(reduction_t *reduction, int rank) {
  ask(reduction);
  _Atomic uint32_t never = 0;
  for (int waited = 0; waited < LEFT_MILLIS && !is_stopped(reduction); waited += WAIT_MILLIS)
    sli_board_wait(reduction->boards->own, &never, 0);
  if (!is_stopped(reduction))
    sli_collective_run_fail(
        reduction->run,
        sli_status_make(SLI_ABORTED, "%s has left collective op %s",
                        reduction->run->group->members[reduction->members[rank]].task, reduction->run->request->name));
  return false;
}

// Waits for a change. |*since|, at first 0, is when the caller began to wait.
static void wait_for_change(reduction_t *reduction, const _Atomic uint32_t *changes, uint32_t seen, int64_t *since) {
  sli_env_t *env = reduction->run->engine->env;
  int64_t now = env->now(env);
  if (!*since) *since = now;
  if (now - *since > (int64_t)ASK_MILLIS * 1000000) ask(reduction);
  sli_board_wait(reduction->boards->own, changes, seen);
}

// Finds the notice of a member, and its window.
static bool find_member(reduction_t *reduction, int rank) {
  const sli_board_t *board = reduction->boards->boards[reduction->members[rank]];
  for (int64_t since = 0; !is_stopped(reduction);) {
    uint32_t seen = atomic_load(&board->changes);
    const sli_board_notice_t *notice = sli_board_look_up(board, reduction->key);
    if (notice) {
      size_t size = (size_t)(WINDOWS * reduction->size) * (size_t)reduction->chunk * reduction->element;
      reduction->peers[rank].notice = notice;
      reduction->peers[rank].window =
          sli_lend_mapping_at(reduction->boards->memories[reduction->members[rank]],
                              atomic_load_explicit(&notice->offset, memory_order_relaxed), size);
      return sli_board_is_up(notice, reduction->key) && reduction->peers[rank].window ? true
                                                                                      : member_left(reduction, rank);
    }
    wait_for_change(reduction, &board->changes, seen, &since);
  }
  return false;
}

// Waits until the member has done |count| pieces of |stage|.
static bool wait_for(reduction_t *reduction, int rank, int stage, uint32_t count) {
  if (!reduction->peers[rank].notice && !find_member(reduction, rank)) return false;
  const sli_board_notice_t *notice = reduction->peers[rank].notice;
  for (int64_t since = 0; !is_stopped(reduction);) {
    uint32_t seen = atomic_load(&notice->changes);
    if (sli_board_stage(notice, stage) >= count)
      return sli_board_is_up(notice, reduction->key) || member_left(reduction, rank);
    if (!sli_board_is_up(notice, reduction->key)) return member_left(reduction, rank);
    wait_for_change(reduction, &notice->changes, seen, &since);
  }
  return false;
}

static bool wait_for_all(reduction_t *reduction, int stage, uint32_t count) {
  for (int i = 1; i < reduction->size; i++)
    if (!wait_for(reduction, (reduction->rank + i) % reduction->size, stage, count)) return false;
  return true;
}

// Whether all members were still there after their data was used.
static bool are_up(reduction_t *reduction) {
  for (int i = 0; i < reduction->size; i++)
    if (i != reduction->rank && !sli_board_is_up(reduction->peers[i].notice, reduction->key))
      return member_left(reduction, i);
  return true;
}

static bool give(reduction_t *reduction, uint32_t piece) {
  const sli_collective_request_t *request = reduction->run->request;
  // Its window was that of an earlier piece.
  if (piece >= WINDOWS && !wait_for_all(reduction, TAKEN, piece - WINDOWS + 1)) return false;
  for (int i = 1; i < reduction->size; i++) {
    int64_t first;
    int rank = (reduction->rank + i) % reduction->size;
    int64_t count = chunk_of(reduction, piece, rank, &first);
    if (count)
      memcpy(reduction->window + place_of(reduction, piece, rank), sli_tensor_at(request->input, first),
             (size_t)count * reduction->element);
  }
  sli_board_advance(reduction->notice, readers_of(reduction->boards), GIVEN, piece + 1);
  return true;
}

static bool combine(reduction_t *reduction, uint32_t piece) {
  const sli_collective_request_t *request = reduction->run->request;
  sli_dtype_t dtype = (sli_dtype_t)request->output->dtype;
  if (!wait_for_all(reduction, GIVEN, piece + 1)) return false;
  int64_t first, count = chunk_of(reduction, piece, reduction->rank, &first);
  int64_t block = BLOCK / (int64_t)reduction->element;
  size_t place = place_of(reduction, piece, reduction->rank);
  for (int64_t done = 0; done < count; done += block) {
    int64_t part = count - done < block ? count - done : block;
    size_t at = place + (size_t)done * reduction->element, bytes = (size_t)part * reduction->element;
    char *to = reduction->window + at;
    memcpy(to, sli_tensor_at(request->input, first + done), bytes);
    for (int i = 1; i < reduction->size; i++)
      request->merge(request->merge_op, dtype, to,
                     reduction->peers[(reduction->rank + i) % reduction->size].window + at, 1, part);
    if (request->divisor && reduction->is_whole)
      request->merge(request->divide_op, dtype, to, request->divisor, 0, part);
    memcpy(sli_tensor_at(request->output, first + done), to, bytes);
  }
  sli_board_advance(reduction->notice, readers_of(reduction->boards), COMBINED, piece + 1);
  return true;
}

static bool take(reduction_t *reduction, uint32_t piece) {
  const sli_collective_request_t *request = reduction->run->request;
  for (int i = 1; i < reduction->size; i++) {
    int64_t first;
    int rank = (reduction->rank + i) % reduction->size;
    if (!wait_for(reduction, rank, COMBINED, piece + 1)) return false;
    int64_t count = chunk_of(reduction, piece, rank, &first);
    if (count)
      memcpy(sli_tensor_at(request->output, first), reduction->peers[rank].window + place_of(reduction, piece, rank),
             (size_t)count * reduction->element);
  }
  // After this the others may leave.
  if (!are_up(reduction)) return false;
  sli_board_advance(reduction->notice, readers_of(reduction->boards), TAKEN, piece + 1);
  return true;
}

// The members need this one's windows until they have taken all. One that has gone has taken all, or has failed.
static void wait_for_takers(reduction_t *reduction) {
  for (int i = 0; i < reduction->size; i++) {
    const sli_board_notice_t *notice = reduction->peers[i].notice;
    while (notice && i != reduction->rank && !is_stopped(reduction)) {
      uint32_t seen = atomic_load(&notice->changes);
      if (sli_board_stage(notice, TAKEN) >= reduction->pieces || !sli_board_is_up(notice, reduction->key)) break;
      sli_board_wait(reduction->boards->own, &notice->changes, seen);
    }
  }
}

static bool reduce_whole(reduction_t *reduction) {
  const sli_collective_request_t *request = reduction->run->request;
  sli_dtype_t dtype = (sli_dtype_t)request->output->dtype;
  size_t bytes = sli_tensor_bytes(request->output);
  memcpy(reduction->window, request->input->data, bytes);
  sli_board_advance(reduction->notice, readers_of(reduction->boards), GIVEN, 1);
  if (!wait_for_all(reduction, GIVEN, 1)) return false;
  for (int i = 0; i < reduction->size; i++) {
    const char *from = i == reduction->rank ? reduction->window : reduction->peers[i].window;
    if (i == 0)
      memcpy(request->output->data, from, bytes);
    else
      request->merge(request->merge_op, dtype, request->output->data, from, 1, reduction->total);
  }
  if (request->divisor && reduction->is_whole)
    request->merge(request->divide_op, dtype, request->output->data, request->divisor, 0, reduction->total);
  if (!are_up(reduction)) return false;
  sli_board_advance(reduction->notice, readers_of(reduction->boards), TAKEN, 1);
  return true;
}

static bool reduce(reduction_t *reduction) {
  uint32_t pieces = reduction->pieces;
  if (sli_tensor_bytes(reduction->run->request->output) <= SMALL) return reduce_whole(reduction);
  for (uint32_t i = 0; i < pieces + 2 * AHEAD; i++) {
    if (i < pieces && !give(reduction, i)) return false;
    if (i >= AHEAD && i - AHEAD < pieces && !combine(reduction, i - AHEAD)) return false;
    if (i >= 2 * AHEAD && !take(reduction, i - 2 * AHEAD)) return false;
  }
  return true;
}

// |phase| 0: the members of a host reduce; 1: they take the result of their first.
static reduction_t *reduction_create(sli_collective_run_t *run, uint64_t phase) {
  const boards_t *boards = run->group->boards;
  int size = boards->local_count;
  reduction_t *reduction = sli_calloc(1, sizeof(*reduction) + (size_t)size * sizeof(*reduction->peers));
  const sli_tensor_t *output = run->request->output;
  reduction->run = run;
  reduction->boards = boards;
  reduction->key = sli_hash_tensorflow(run->key, strlen(run->key), SLI_HASH_TENSORFLOW_SEED + phase);
  reduction->size = size;
  reduction->rank = boards->local_rank;
  reduction->members = boards->local;
  reduction->is_whole = boards->host_count == 1;
  reduction->total = output->count;
  reduction->element = sli_dtype_size((sli_dtype_t)output->dtype);
  size_t bytes = sli_tensor_bytes(output), piece = (size_t)size * CHUNK;
  reduction->pieces = (uint32_t)((bytes + piece - 1) / piece);
  int64_t chunks = (int64_t)reduction->pieces * size, unit = ALIGNMENT / (int64_t)reduction->element;
  int64_t chunk = (reduction->total + chunks - 1) / chunks;
  reduction->chunk = (chunk + unit - 1) / unit * unit;
  return reduction;
}

// Puts up a notice and does |work| with it. Returns whether it is done.
static bool do_phase(sli_collective_run_t *run, uint64_t phase, bool (*work)(reduction_t *reduction)) {
  reduction_t *reduction = reduction_create(run, phase);
  sli_board_t *board = run->group->boards->own;
  bool is_done = false;
  reduction->window =
      sli_lend_allocate((size_t)(WINDOWS * reduction->size) * (size_t)reduction->chunk * reduction->element);
  if (reduction->window)
    reduction->notice = sli_board_put_up(board, readers_of(reduction->boards), reduction->key, reduction->window);
  if (!reduction->notice) {
    sli_collective_run_fail(
        run, sli_status_make(SLI_RESOURCE_EXHAUSTED, "%s: no %s for a reduction in shared memory is left on %s",
                             run->request->name, reduction->window ? "notice" : "memory", run->engine->task));
  } else if (work(reduction)) {
    wait_for_takers(reduction);
    is_done = !is_stopped(reduction);
    run->has_asked = run->has_asked || reduction->has_asked;
  }
  if (reduction->notice) sli_board_take_down(board, readers_of(reduction->boards), reduction->notice);
  if (reduction->window) sli_lend_release(reduction->window);
  free(reduction);
  return is_done;
}

// Calls that were made to learn of failures are not needed any more.
static void complete(sli_collective_run_t *run) {
  atomic_store(&run->is_complete, true);
  if (run->has_asked) sli_cancellation_cancel(run->cancellation, sli_status_make(SLI_CANCELLED, "the op is complete"));
}

// ---- Several hosts ---------------------------------------------------------------

static bool is_leader(const sli_collective_run_t *run) { return run->group->boards->local_rank == 0; }

static int64_t piece_of(const reduction_t *reduction, uint32_t piece, int64_t *out_first) {
  int64_t length = reduction->chunk * reduction->size;
  *out_first = (int64_t)piece * length < reduction->total ? (int64_t)piece * length : reduction->total;
  return reduction->total - *out_first < length ? reduction->total - *out_first : length;
}

// The first member of the host gives whole pieces, and the others take them.
static bool pass_on(reduction_t *reduction) {
  sli_tensor_t *output = reduction->run->request->output;
  bool gives = reduction->rank == 0;
  // All must be there before the first piece: those who have taken all leave.
  if (gives && !wait_for_all(reduction, TAKEN, 0)) return false;
  for (uint32_t piece = 0; piece < reduction->pieces; piece++) {
    int64_t first, count = piece_of(reduction, piece, &first);
    size_t place = place_of(reduction, piece, 0), bytes = (size_t)count * reduction->element;
    if (gives) {
      if (piece >= WINDOWS && !wait_for_all(reduction, TAKEN, piece - WINDOWS + 1)) return false;
      memcpy(reduction->window + place, sli_tensor_at(output, first), bytes);
      sli_board_advance(reduction->notice, readers_of(reduction->boards), GIVEN, piece + 1);
    } else {
      if (!wait_for(reduction, 0, GIVEN, piece + 1)) return false;
      memcpy(sli_tensor_at(output, first), reduction->peers[0].window + place, bytes);
      if (!sli_board_is_up(reduction->peers[0].notice, reduction->key)) return member_left(reduction, 0);
    }
    sli_board_advance(reduction->notice, readers_of(reduction->boards), TAKEN, piece + 1);
  }
  return true;
}

static void run_passing(void *context) {
  sli_collective_run_t *run = context;
  if (run->group->boards->local_count == 1 || do_phase(run, 1, pass_on)) complete(run);
  sli_collective_run_end_part(run);
}

static void after_ring(sli_collective_run_t *run) {
  sli_collective_run_begin_part(run);
  sli_thread_pool_submit_blocking(run->engine->pool, run_passing, run);
}

// A host with one member has its sum already.
static bool reduce_host(sli_collective_run_t *run) {
  const sli_collective_request_t *request = run->request;
  if (run->group->boards->local_count > 1) return do_phase(run, 0, reduce);
  if (request->input->data != request->output->data)
    memcpy(request->output->data, request->input->data, sli_tensor_bytes(request->input));
  return true;
}

static void run_reduction(void *context) {
  sli_collective_run_t *run = context;
  const boards_t *boards = run->group->boards;
  if (reduce_host(run)) {
    if (boards->host_count == 1) {
      complete(run);
    } else if (is_leader(run)) {
      run->ring_members = boards->leaders;
      run->ring_size = boards->host_count;
      run->after_ring = after_ring;
      sli_collective_run_ring(run);
    } else {
      after_ring(run);
    }
  }
  sli_collective_run_end_part(run);
}

// ---- MPI -------------------------------------------------------------------------

static void run_mpi(void *context) {
  sli_collective_run_t *run = context;
  boards_t *boards = run->group->boards;
  sli_mutex_t *mutex = &run->engine->mutex;
  char key[16];
  snprintf(key, sizeof(key), "%d", run->request->instance_key);
  sli_mutex_lock(mutex);
  void *communicator = sli_map_get(&boards->communicators, sli_view(key));
  sli_mutex_unlock(mutex);
  bool is_new = !communicator;
  sli_status_t *status = sli_collective_mpi_reduce(run, boards->ranks, &communicator);
  if (is_new && communicator) {
    sli_mutex_lock(mutex);
    sli_map_set(&boards->communicators, sli_view(key), communicator);
    sli_mutex_unlock(mutex);
  }
  if (status) sli_collective_run_fail(run, status);
  sli_collective_run_end_part(run);
}

// Starts MPI on a thread that may wait for the other processes of the job, then tells the others this one's place.
static void start_forming(void *context) {
  sli_collective_run_t *run = context;
  boards_t *boards = run->group->boards;
  sli_status_t *status =
      sli_collective_mpi_start(run->engine->env, &boards->worlds[run->rank], &boards->ranks[run->rank]);
  if (status) {
    sli_collective_run_fail(run, status);
    end_forming(run, false);
  } else {
    uint64_t card[CARD_FIELDS] = {boards->own ? sli_lend_offset(boards->own) : 0, boards->own ? boards->id : 0,
                                  boards->worlds[run->rank], (uint64_t)boards->ranks[run->rank],
                                  boards->hosts[run->rank]};
    exchange_cards(run, card, false);
  }
  sli_collective_run_end_part(run);
}

// ---- Choosing --------------------------------------------------------------------

// All members decide alike: what is compared is the same for all.
static bool is_possible(const sli_collective_run_t *run) {
  const sli_collective_group_t *group = run->group;
  return *group->generation && run->request->kind == SLI_COLLECTIVE_REDUCE && group->size > 1 &&
         group->task_count == group->size && sli_tensor_bytes(run->request->output);
}

// Starts the op by MPI or in shared memory. False: neither can be used.
static bool start_reduction(sli_collective_run_t *run, bool is_shared) {
  bool by_mpi = run->group->boards->uses_mpi && sli_collective_mpi_can(run);
  if (!by_mpi && !is_shared) return false;
  sli_thread_pool_submit_blocking(run->engine->pool, by_mpi ? run_mpi : run_reduction, run);
  return true;
}

bool sli_collective_run_shared(sli_collective_run_t *run) {
  sli_collective_engine_t *engine = run->engine;
  if (!is_possible(run) || !engine->has_peers || !engine->peers.memory || !engine->pool) return false;
  sli_mutex_lock(&engine->mutex);
  bool is_first = !run->group->boards;
  if (is_first) run->group->boards = boards_create(run);
  boards_t *boards = run->group->boards;
  state_t state = boards->state;
  sli_collective_run_begin_part(run);
  if (state == FORMING) sli_array_push(&boards->waiting, run);
  sli_mutex_unlock(&engine->mutex);
  if (is_first) {
    sli_collective_run_begin_part(run);
    sli_thread_pool_submit_blocking(engine->pool, start_forming, run);
  }
  if (state == FORMING || start_reduction(run, state == USABLE)) return true;
  sli_collective_run_end_part(run);
  return false;
}
