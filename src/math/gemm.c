// Matrix products: packing, splitting over threads, epilogues.
//
// The kernel reads operands as panels. Panels that many blocks of C need are shared by all threads: first the threads
// pack, each taking the next free unit of panels, then they compute blocks of C, again each taking the next free one.
// So a thread that starts late or is preempted costs little, and one that never starts costs nothing. A panel of B that
// only one block needs is packed into cache right before its use, by the first tile that reads it if its columns are
// adjacent. An operand that only few tiles read is not packed at all. A product with a sink has no C: each thread
// computes a block at a time into a buffer of its own (a draft).
//
// Data is often zero in places: dark pixels, padding, words that do not occur. At a k where a strip of A, a few
// adjacent rows of a panel, is zero there is nothing to add, and the kernel skips it, unless B has an infinity or a
// NaN, which times zero is a NaN.
#include "math/gemm.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "core/tensor/allocator.h"
#include "math/gemm_internal.h"
#include "math/half.h"

enum {
  PACKED_BYTES = 4 << 20,  // limit for the panels of one stretch of k, so that they stay in cache
  PANEL_BYTES = 32 << 10,  // of one panel of B, used at a time: fits the first-level cache
  UNIT_BYTES = 32 << 10,   // of an operand, packed at a time
  BLOCK_ROWS = 144,        // of C, computed at a time: their part of A fits a second-level cache
  BLOCKS_PER_THREAD = 16,  // so that waiting for the last one costs little
  STREAMS = 16,            // rows of B that are read in parallel when B is not packed
  FEW_BLOCKS = 4,          // per thread: with fewer, more rows of blocks are made
  FEW_TILES = 2,           // an operand that no more tiles read is not packed
  DRAFT_BYTES = 64 << 10,  // of a block of C that goes to a sink: stays in cache
};

typedef enum {
  IN_PLACE,  // not packed
  BY_BLOCK,  // each block packs the panel that it needs
  SHARED,    // packed once for all blocks
} packing_t;

// One operand: its layout, and its panels.
typedef struct {
  sli_gemm_operand_t all;
  int width;  // lanes of a panel
  packing_t packing;
  char *packed;         // SHARED: all panels
  int64_t unit, units;  // panels in a unit of packing, and how many units there are
} side_t;

// The state of one stretch of k, shared by the threads.
typedef struct {
  const sli_gemm_kernel_t *kernel;
  sli_dtype_t dtype;
  size_t size;  // of an element
  const sli_epilogue_t *epilogue;
  const sli_gemm_sink_t *sink;
  side_t a, b;
  char *c;  // NULL: each thread computes blocks into a draft of its own
  char *drafts;
  size_t draft_size;
  int64_t m, n, k0, k, step;  // |k| from |k0| on, |step| at a time
  bool is_last;               // the last stretch: the epilogue follows
  int64_t block_rows, block_columns, blocks_across, blocks;
  // NULL, or for each panel of A, each |step| of k in it and each strip the list of the k at which it is not zero.
  uint16_t *nonzero;
  int64_t list_size, steps;  // elements of one list, and how many steps a panel has
  _Atomic int64_t next_unit, packed_units;
  _Atomic bool b_is_not_finite;  // the SHARED B has an infinity or a NaN
  _Atomic int64_t taken_blocks, from_front, from_back;
} gemm_work_t;

static int64_t ceiling(int64_t value, int64_t unit) { return (value + unit - 1) / unit; }
static size_t aligned(size_t bytes) { return (bytes + SLI_ALIGNMENT - 1) / SLI_ALIGNMENT * SLI_ALIGNMENT; }
static int64_t least(int64_t x, int64_t y) { return x < y ? x : y; }
static const char *at(const gemm_work_t *work, const void *data, int64_t index) {
  return (const char *)data + index * (int64_t)work->size;
}

// Lanes [lane, lane + lanes) at |k| values of k, from |q| on, counted from the stretch's start.
static sli_gemm_operand_t part_of(const gemm_work_t *work, const side_t *side, int64_t lane, int64_t lanes, int64_t q,
                                  int64_t k) {
  sli_gemm_operand_t part = side->all;
  part.data = at(work, part.data, lane * part.lane_step + (work->k0 + q) * part.k_step);
  part.lanes = least(part.lanes - lane, lanes);
  part.k = k;
  return part;
}

static uint16_t *nonzero_at(const gemm_work_t *work, int64_t panel, int64_t q) {
  return work->nonzero + (panel * work->steps + q / work->step) * work->kernel->strips * work->list_size;
}

static void list_nonzero(const gemm_work_t *work, int64_t panel, int64_t count) {
  for (int64_t end = panel + count; panel < end; panel++)
    for (int64_t q = 0; q < work->k; q += work->step)
      work->kernel->list_nonzero(at(work, work->a.packed, (panel * work->k + q) * work->a.width),
                                 least(work->step, work->k - q), nonzero_at(work, panel, q), work->list_size);
}

static void pack_unit(gemm_work_t *work, int64_t unit) {
  bool is_a = unit < work->a.units;
  const side_t *side = is_a ? &work->a : &work->b;
  int64_t lane = (is_a ? unit : unit - work->a.units) * side->unit * side->width;
  sli_gemm_operand_t part = part_of(work, side, lane, side->unit * side->width, 0, work->k);
  char *panels = (char *)at(work, side->packed, lane * work->k);
  (is_a ? work->kernel->pack_a : work->kernel->pack_b)(&part, panels);
  if (!work->nonzero) return;
  int64_t count = ceiling(part.lanes, side->width);
  if (is_a)
    list_nonzero(work, lane / side->width, count);
  else if (!work->kernel->is_finite(panels, count * side->width * work->k))
    atomic_store_explicit(&work->b_is_not_finite, true, memory_order_relaxed);
}

static void locate_a(const gemm_work_t *work, int64_t row, int64_t q, sli_gemm_block_t *block) {
  const side_t *a = &work->a;
  if (a->packing == IN_PLACE) {
    block->a = part_of(work, a, row, 0, q, 0).data;
    block->a_lane = a->all.lane_step;
    block->a_step = a->all.k_step;
    block->a_panel = a->width * a->all.lane_step;
  } else {
    block->a = at(work, a->packed, row * work->k + q * a->width);
    block->a_lane = 1;
    block->a_step = a->width;
    block->a_panel = a->width * work->k;
  }
}

// Points |block| at columns of B from |column| on: up to |end| if they are all reachable with one step, or one panel
// that is packed into |buffer|.
static void locate_b(const gemm_work_t *work, int64_t column, int64_t end, int64_t q, char *buffer,
                     sli_gemm_block_t *block) {
  const side_t *b = &work->b;
  int64_t whole = (end - column) / b->width * b->width;
  block->columns = end - column;
  if (b->packing == SHARED) {
    block->b = at(work, b->packed, column * work->k + q * b->width);
    block->b_step = b->width;
    block->b_panel = b->width * work->k;
  } else if (b->packing == IN_PLACE && whole) {
    block->columns = whole;
    block->b = part_of(work, b, column, 0, q, 0).data;
    block->b_step = b->all.k_step;
    block->b_panel = b->width;
  } else {
    block->columns = least(block->columns, b->width);
    sli_gemm_operand_t part = part_of(work, b, column, block->columns, q, block->k);
    bool packs_itself = whole && part.lane_step == 1 && !part.conjugate && block->rows >= work->kernel->rows;
    if (!packs_itself) {
      work->kernel->pack_b(&part, buffer);
      if (block->nonzero && !work->kernel->is_finite(buffer, b->width * block->k)) block->nonzero = NULL;
    }
    block->b = packs_itself ? part.data : buffer;
    block->b_step = packs_itself ? part.k_step : b->width;
    block->copy = packs_itself ? buffer : NULL;
  }
}

// Applies the epilogue to rows of C that are |step| apart, the first at element |index|, and passes them to the sink.
static void finish_rows(const gemm_work_t *work, char *c, int64_t rows, int64_t step, int64_t index, int64_t columns) {
  if (!sli_epilogue_is_empty(work->epilogue))
    sli_epilogue_apply(work->epilogue, work->dtype, c, rows, step, index % work->n, columns);
  for (int64_t i = 0; work->sink->take && i < rows; i++)
    work->sink->take(work->sink->context, at(work, c, i * step), index + i * work->n, columns);
}

static void compute_block(const gemm_work_t *work, int64_t index, char *draft) {
  _Alignas(SLI_ALIGNMENT) char buffer[PANEL_BYTES];
  int64_t row = index / work->blocks_across * work->block_rows;
  int64_t first = index % work->blocks_across * work->block_columns, end = least(work->n, first + work->block_columns);
  sli_gemm_block_t block = {.rows = least(work->block_rows, work->m - row),
                            .ldc = work->c ? work->n : work->block_columns,
                            .nonzero_panel = work->steps * work->kernel->strips * work->list_size,
                            .list_size = work->list_size,
                            .prefetch_step = work->n};
  bool skips = work->nonzero && !atomic_load_explicit(&work->b_is_not_finite, memory_order_relaxed);
  char *c = work->c ? work->c + (row * work->n + first) * (int64_t)work->size : draft;
  const char *target = work->sink->target;
  if (!work->sink->take && work->k0 == 0) target = work->c;
  for (int64_t q = 0; q < work->k; q += work->step) {
    block.k = least(work->step, work->k - q);
    block.add = work->k0 + q > 0;
    locate_a(work, row, q, &block);
    for (int64_t column = first; column < end; column += block.columns) {
      block.nonzero = skips ? nonzero_at(work, row / work->a.width, q) : NULL;
      locate_b(work, column, end, q, buffer, &block);
      block.c = c + (column - first) * (int64_t)work->size;
      block.prefetch = target && q == 0 ? at(work, target, row * work->n + column) : NULL;
      work->kernel->multiply(&block);
    }
  }
  if (work->is_last) finish_rows(work, c, block.rows, block.ldc, row * work->n + first, end - first);
}

// The next block from the front or from the back; -1 if none is left. Adjacent blocks share cache lines of C, so two
// threads start at different ends.
static int64_t take_block(gemm_work_t *work, bool is_from_back) {
  if (atomic_fetch_add_explicit(&work->taken_blocks, 1, memory_order_relaxed) >= work->blocks) return -1;
  if (is_from_back) return work->blocks - 1 - atomic_fetch_add_explicit(&work->from_back, 1, memory_order_relaxed);
  return atomic_fetch_add_explicit(&work->from_front, 1, memory_order_relaxed);
}

// What each thread of a stretch runs: packs units, then computes blocks, until none are left.
static void run_thread(void *context, int64_t begin, int64_t end) {
  gemm_work_t *work = context;
  int64_t units = work->a.units + work->b.units, unit, block;
  while ((unit = atomic_fetch_add_explicit(&work->next_unit, 1, memory_order_relaxed)) < units) {
    pack_unit(work, unit);
    atomic_fetch_add_explicit(&work->packed_units, 1, memory_order_release);
  }
  // The missing units are being packed by threads that run right now.
  while (atomic_load_explicit(&work->packed_units, memory_order_acquire) < units) sched_yield();
  char *draft = work->drafts + (size_t)begin * work->draft_size;
  while ((block = take_block(work, begin % 2)) >= 0) compute_block(work, block, draft);
}

// Chooses how the operands are packed, and the size of the blocks of C: several blocks per thread, but none so small
// that the cache is used badly.
static void plan(gemm_work_t *work, int64_t k, int threads) {
  int64_t rows = work->kernel->rows, columns = work->kernel->columns;
  side_t *a = &work->a, *b = &work->b;
  int64_t down = ceiling(work->m, BLOCK_ROWS), panels = ceiling(work->n, columns);
  if (threads > 1 && down * panels < FEW_BLOCKS * threads)
    down = least(ceiling(BLOCKS_PER_THREAD * threads, panels), ceiling(work->m, FEW_TILES * rows));
  work->block_rows = ceiling(ceiling(work->m, down), rows) * rows;
  down = ceiling(work->m, work->block_rows);
  int64_t across = threads > 1 ? ceiling(BLOCKS_PER_THREAD * threads, down) : 1;
  if (work->sink->take) {
    int64_t most = DRAFT_BYTES / (work->block_rows * columns * (int64_t)work->size);
    across = most * across < panels ? ceiling(panels, most) : across;
  }
  work->block_columns = ceiling(ceiling(work->n, across), columns) * columns;
  work->blocks_across = ceiling(work->n, work->block_columns);
  work->blocks = down * work->blocks_across;
  work->step = PANEL_BYTES / (columns * (int64_t)work->size);
  work->step = ceiling(k, ceiling(k, work->step));
  a->packing = a->all.conjugate || work->n > FEW_TILES * columns ? SHARED : IN_PLACE;
  b->packing = down > 1 ? SHARED : BY_BLOCK;
  if (!b->all.conjugate && b->all.lane_step == 1 && work->m <= FEW_TILES * rows) {
    b->packing = IN_PLACE;
    work->step = least(work->step, STREAMS);  // reads B in order, a few rows in parallel
  }
}

static int64_t shared_lanes(const side_t *side) {
  return side->packing == SHARED ? ceiling(side->all.lanes, side->width) * side->width : 0;
}

// Bytes of the shared panels of |side| for stretches of |k|.
static size_t plan_units(const gemm_work_t *work, side_t *side, int64_t k) {
  int64_t panel_bytes = side->width * k * (int64_t)work->size, panels = shared_lanes(side) / side->width;
  side->unit = ceiling(UNIT_BYTES, panel_bytes);
  side->units = ceiling(panels, side->unit);
  return aligned((size_t)(panels * panel_bytes));
}

// The product for k = 0: zeros, and the epilogue.
static sli_status_t *finish_empty(const gemm_work_t *work) {
  size_t size = (size_t)work->n * work->size;
  char *row = work->c ? NULL : sli_malloc_or_null(size);
  if (!work->c && !row) return sli_status_make(SLI_RESOURCE_EXHAUSTED, "OOM when making an empty matrix product");
  for (int64_t i = 0; i < work->m; i++) {
    char *c = work->c ? work->c + (size_t)i * size : row;
    memset(c, 0, size);
    finish_rows(work, c, 1, work->n, i * work->n, work->n);
  }
  free(row);
  return NULL;
}

// Allocates the panels, and with a sink the drafts; all of C if there is more than one stretch.
static sli_status_t *allocate(gemm_work_t *work, int64_t stretch, bool is_only, int threads, char **out_memory,
                              size_t *out_size) {
  size_t a = plan_units(work, &work->a, stretch), b = plan_units(work, &work->b, stretch), c = 0;
  size_t nonzero = 0;
  if (work->a.packing == SHARED && work->b.packing != IN_PLACE) {
    work->list_size = 1 + work->step;
    work->steps = ceiling(stretch, work->step);
    int64_t lists = shared_lanes(&work->a) / work->a.width * work->steps * work->kernel->strips;
    nonzero = aligned((size_t)(lists * work->list_size) * sizeof(*work->nonzero));
  }
  work->draft_size = 0;
  if (!work->c) {
    int64_t elements = is_only ? work->block_rows * work->block_columns : work->m * work->n;
    c = aligned((size_t)elements * work->size);
    if (is_only) work->draft_size = c;
  }
  *out_size = a + b + nonzero + (is_only ? (size_t)threads * c : c);
  *out_memory = *out_size ? sli_allocator_cpu()->allocate(sli_allocator_cpu(), *out_size) : NULL;
  if (*out_size && !*out_memory) return sli_status_make(SLI_RESOURCE_EXHAUSTED, "OOM when packing a matrix product");
  work->a.packed = *out_memory;
  work->b.packed = *out_memory + a;
  work->nonzero = nonzero ? (uint16_t *)(void *)(*out_memory + a + b) : NULL;
  work->drafts = *out_memory + a + b + nonzero;
  if (!work->c && !is_only) work->c = work->drafts;
  return NULL;
}

static sli_status_t *multiply(sli_thread_pool_t *pool, gemm_work_t *work, int64_t k) {
  double rate = work->dtype == SLI_DTYPE_FLOAT ? 60 : work->dtype == SLI_DTYPE_DOUBLE ? 30 : 5;  // operations per ns
  double nanoseconds = 2.0 * (double)work->m * (double)work->n * (double)k / rate;
  int threads = pool && nanoseconds > 2 * sli_thread_pool_worth_sharing(pool) ? sli_thread_pool_size(pool) : 1;
  plan(work, k, threads);
  int64_t lanes = shared_lanes(&work->a) + shared_lanes(&work->b);
  int64_t stretch = lanes ? PACKED_BYTES / (lanes * (int64_t)work->size) / work->step * work->step : k;
  stretch = stretch < work->step ? work->step : least(stretch, k);
  char *packed;
  size_t all;
  SLI_RETURN_IF_ERROR(allocate(work, stretch, stretch == k, threads, &packed, &all));
  for (work->k0 = 0; work->k0 < k; work->k0 += stretch) {
    work->k = least(stretch, k - work->k0);
    work->is_last = work->k0 + work->k == k;
    atomic_init(&work->next_unit, 0);
    atomic_init(&work->packed_units, 0);
    atomic_init(&work->b_is_not_finite, false);
    atomic_init(&work->taken_blocks, 0);
    atomic_init(&work->from_front, 0);
    atomic_init(&work->from_back, 0);
    sli_parallel_for(pool, threads, nanoseconds / threads * (double)work->k / (double)k, run_thread, work);
  }
  if (packed) sli_allocator_cpu()->release(sli_allocator_cpu(), packed, all);
  return NULL;
}

static sli_status_t *start(sli_thread_pool_t *pool, const sli_gemm_t *p, sli_dtype_t dtype, const void *a,
                           const void *b, const sli_epilogue_t *epilogue, void *c) {
  const sli_gemm_kernel_t *kernel = sli_gemm_kernel(dtype);
  if (!kernel) return sli_status_make(SLI_UNIMPLEMENTED, "MatMul of type %s", sli_dtype_name(dtype));
  gemm_work_t work = {.kernel = kernel,
                      .dtype = dtype,
                      .size = sli_dtype_size(dtype),
                      .epilogue = epilogue,
                      .sink = &p->sink,
                      .a = {.all = {.data = a,
                                    .lane_step = p->transpose_a ? 1 : p->k,
                                    .k_step = p->transpose_a ? p->m : 1,
                                    .lanes = p->m,
                                    .conjugate = p->conjugate_a},
                            .width = kernel->rows},
                      .b = {.all = {.data = b,
                                    .lane_step = p->transpose_b ? p->k : 1,
                                    .k_step = p->transpose_b ? 1 : p->n,
                                    .lanes = p->n,
                                    .conjugate = p->conjugate_b},
                            .width = kernel->columns},
                      .c = c,
                      .m = p->m,
                      .n = p->n};
  return p->k > 0 ? multiply(pool, &work, p->k) : finish_empty(&work);
}

static float *widened(sli_dtype_t dtype, const void *source, int64_t count) {
  float *wide = sli_malloc_or_null((size_t)(count ? count : 1) * sizeof(float));
  if (wide) sli_half_widen(dtype, source, wide, count);
  return wide;
}

// 16-bit floats: the whole product in float, rounded once at the end.
static sli_status_t *multiply_narrow(sli_thread_pool_t *pool, const sli_gemm_t *p, const void *a, const void *b,
                                     void *c) {
  sli_status_t *status = NULL;
  float *wide_a = widened(p->dtype, a, p->m * p->k), *wide_b = widened(p->dtype, b, p->k * p->n);
  float *wide_c = sli_malloc_or_null((size_t)(p->m * p->n) * sizeof(float));
  float *wide_bias = p->epilogue.bias ? widened(p->dtype, p->epilogue.bias, p->n) : NULL;
  if (wide_a && wide_b && wide_c && (wide_bias || !p->epilogue.bias)) {
    sli_epilogue_t epilogue = p->epilogue;
    epilogue.bias = wide_bias;
    status = start(pool, p, SLI_DTYPE_FLOAT, wide_a, wide_b, &epilogue, wide_c);
    if (!status) sli_half_narrow(p->dtype, wide_c, c, p->m * p->n);
  } else {
    status = sli_status_make(SLI_RESOURCE_EXHAUSTED, "OOM when widening a matrix product");
  }
  free(wide_a);
  free(wide_b);
  free(wide_c);
  free(wide_bias);
  return status;
}

// 16-bit integers are rare: a plain loop.
static void multiply_int16(const sli_gemm_t *p, const int16_t *a, const int16_t *b, int16_t *c) {
  for (int64_t i = 0; i < p->m; i++) {
    for (int64_t j = 0; j < p->n; j++) {
      uint32_t sum = 0;
      for (int64_t q = 0; q < p->k; q++) {
        uint32_t x = (uint32_t)a[p->transpose_a ? q * p->m + i : i * p->k + q];
        sum += x * (uint32_t)b[p->transpose_b ? j * p->k + q : q * p->n + j];
      }
      c[i * p->n + j] = (int16_t)sum;
    }
  }
}

sli_status_t *sli_gemm(sli_thread_pool_t *pool, const sli_gemm_t *p, const void *a, const void *b, void *c) {
  if (p->m == 0 || p->n == 0) return NULL;
  if (sli_half_is_narrow(p->dtype)) return multiply_narrow(pool, p, a, b, c);
  if (p->dtype == SLI_DTYPE_INT16) {
    multiply_int16(p, a, b, c);
    return NULL;
  }
  return start(pool, p, p->dtype, a, b, &p->epilogue, c);
}
