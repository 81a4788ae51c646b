// Memory for tensors. Every device has an allocator. The CPU's allocator caches freed
// blocks by size class (bounded, with a cache per thread), so that a step has no mmap
// calls and no page faults. Thread-safe.
#ifndef SLI_CORE_TENSOR_ALLOCATOR_H_
#define SLI_CORE_TENSOR_ALLOCATOR_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SLI_ALIGNMENT = 64 };

typedef enum { SLI_MEMORY_HOST = 0, SLI_MEMORY_DEVICE = 1 } sli_memory_t;

typedef struct sli_allocator sli_allocator_t;
struct sli_allocator {
  sli_memory_t memory;
  const char *name;  // in errors: "cpu", "GPU_0_bfc"
  // 64-byte aligned, uninitialised; NULL when there is no memory. Never called with 0.
  void *(*allocate)(sli_allocator_t *allocator, size_t size);
  // |size| is the size that was requested.
  void (*release)(sli_allocator_t *allocator, void *data, size_t size);
  // Copies between blocks of this memory, after the work on them that was given to the device. NULL: they are bytes of
  // the process.
  void (*copy)(sli_allocator_t *allocator, void *to, const void *from, size_t size);
};

// The process's host memory. Never destroyed.
extern sli_allocator_t sli_allocator_host;
// The same in memory that peers on this host can read (base/lend.h), also for blocks so large that sli_allocator_host
// has huge pages for them instead.
extern sli_allocator_t sli_allocator_shared;
static inline sli_allocator_t *sli_allocator_cpu(void) { return &sli_allocator_host; }

// Bytes, rounded up to the size class. The peak includes cached small blocks (some MB), but not blocks whose pages the
// system may take.
typedef struct {
  int64_t bytes_in_use, peak_bytes_in_use, bytes_cached, allocations;
} sli_allocator_stats_t;
// Returns cached large blocks to the system, after much memory was freed for good. The system may take the pages of
// cached blocks over 64 MB at any time.
void sli_allocator_cpu_trim(void);
void sli_allocator_cpu_stats(sli_allocator_stats_t *out_stats);  // exact while no thread allocates, else approximate

#endif  // SLI_CORE_TENSOR_ALLOCATOR_H_
