// Memory for tensors. Every device has an allocator; the CPU's caches freed
// blocks by size class (bounded, with a front per thread), so that a step pays
// neither for mmap nor for page faults. Thread-safe.
#ifndef SLI_CORE_ALLOCATOR_H_
#define SLI_CORE_ALLOCATOR_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SLI_ALIGNMENT = 64 };

typedef enum { SLI_MEMORY_HOST = 0, SLI_MEMORY_DEVICE = 1 } sli_memory_t;

typedef struct sli_allocator sli_allocator_t;
struct sli_allocator {
  sli_memory_t memory;
  // 64-byte aligned, uninitialised; NULL when there is no memory. Never called with 0.
  void *(*allocate)(sli_allocator_t *allocator, size_t size);
  // |size| is what was asked for.
  void (*release)(sli_allocator_t *allocator, void *data, size_t size);
};

// The process's host memory. Lives for ever.
extern sli_allocator_t sli_allocator_host;
static inline sli_allocator_t *sli_allocator_cpu(void) { return &sli_allocator_host; }

// Bytes by size class. The peak counts cached small blocks too (some MB); blocks offered to the system do not count.
typedef struct {
  int64_t bytes_in_use, peak_bytes_in_use, bytes_cached, allocations;
} sli_allocator_stats_t;
// Gives cached large blocks back to the system: much was just dropped for good. Those over 64 MB are the system's to
// take all the time that they are cached.
void sli_allocator_cpu_trim(void);
void sli_allocator_cpu_stats(sli_allocator_stats_t *out_stats);  // exact while nobody allocates, else nearly

#endif  // SLI_CORE_ALLOCATOR_H_
