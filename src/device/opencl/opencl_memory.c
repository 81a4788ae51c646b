// The memory of a GPU: regions, which are buffers of OpenCL, cut into blocks. The smallest free block that is large
// enough is taken and split; a block that is freed joins its free neighbours. Regions are never given back, as in
// TensorFlow.
//
// A block may be used again while kernels that were given to the device before still use it: later ones wait for them.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/alloc.h"
#include "device/opencl/opencl_internal.h"

enum { BLOCK_ALIGNMENT = 256, FIRST_REGION = 16 << 20 };

static size_t round_up(size_t size) { return (size + BLOCK_ALIGNMENT - 1) / BLOCK_ALIGNMENT * BLOCK_ALIGNMENT; }

static sli_view_t key_of(char *const *data) { return sli_view_of((const char *)data, sizeof(*data)); }

static void remove_free_locked(sli_opencl_memory_t *memory, sli_opencl_block_t *block) {
  for (size_t i = 0; i < memory->free_blocks.count; i++) {
    if (memory->free_blocks.items[i] != block) continue;
    memory->free_blocks.items[i] = memory->free_blocks.items[--memory->free_blocks.count];
    return;
  }
}

static sli_opencl_block_t *find_free_locked(sli_opencl_memory_t *memory, size_t size) {
  sli_opencl_block_t *best = NULL;
  for (size_t i = 0; i < memory->free_blocks.count; i++) {
    sli_opencl_block_t *block = memory->free_blocks.items[i];
    if (block->size >= size && (!best || block->size < best->size)) best = block;
  }
  return best;
}

// Regions double in size, so that there are few, up to what one buffer may have and what the limit leaves.
static sli_opencl_block_t *add_region_locked(sli_opencl_memory_t *memory, size_t size) {
  const sli_opencl_gpu_t *gpu = memory->gpu;
  size_t left = memory->limit - memory->reserved, wanted = memory->reserved ? memory->reserved : FIRST_REGION;
  if (wanted < size) wanted = size;
  if (wanted > left) wanted = left;
  if (wanted > gpu->largest_buffer) wanted = gpu->largest_buffer;
  wanted = wanted / BLOCK_ALIGNMENT * BLOCK_ALIGNMENT;
  if (wanted < size) return NULL;
  int32_t code;
  sli_opencl_region_t region = {.size = wanted};
  region.buffer = gpu->api->CreateBuffer(gpu->context, SLI_OPENCL_MEM_READ_WRITE, wanted, NULL, &code);
  if (!region.buffer) return NULL;
  region.addresses = mmap(NULL, wanted, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (region.addresses == MAP_FAILED) {
    gpu->api->ReleaseMemObject(region.buffer);
    return NULL;
  }
  sli_array_push(&memory->regions, region);
  memory->reserved += wanted;
  sli_opencl_block_t *block = sli_calloc(1, sizeof(*block));
  *block = (sli_opencl_block_t){.data = region.addresses, .size = wanted, .is_free = true};
  sli_array_push(&memory->free_blocks, block);
  return block;
}

static void split_locked(sli_opencl_memory_t *memory, sli_opencl_block_t *block, size_t size) {
  if (block->size - size < BLOCK_ALIGNMENT) return;
  sli_opencl_block_t *rest = sli_calloc(1, sizeof(*rest));
  *rest = (sli_opencl_block_t){
      .data = block->data + size, .size = block->size - size, .is_free = true, .next = block->next, .previous = block};
  if (rest->next) rest->next->previous = rest;
  block->next = rest;
  block->size = size;
  sli_array_push(&memory->free_blocks, rest);
}

static void *memory_allocate(sli_allocator_t *allocator, size_t size) {
  sli_opencl_memory_t *memory = (sli_opencl_memory_t *)allocator;
  size_t wanted = round_up(size);
  sli_mutex_lock(&memory->mutex);
  sli_opencl_block_t *block = find_free_locked(memory, wanted);
  if (!block) block = add_region_locked(memory, wanted);
  if (block) {
    remove_free_locked(memory, block);
    split_locked(memory, block, wanted);
    block->is_free = false;
    sli_map_set(&memory->used, key_of(&block->data), block);
    memory->in_use += block->size;
    if (memory->in_use > memory->peak) memory->peak = memory->in_use;
    memory->allocations++;
  }
  sli_mutex_unlock(&memory->mutex);
  return block ? block->data : NULL;
}

// Makes one block of |block| and the next one, which are both free.
static void join_locked(sli_opencl_memory_t *memory, sli_opencl_block_t *block) {
  sli_opencl_block_t *next = block->next;
  if (!next || !next->is_free || !block->is_free) return;
  remove_free_locked(memory, next);
  block->size += next->size;
  block->next = next->next;
  if (block->next) block->next->previous = block;
  free(next);
}

static void memory_release(sli_allocator_t *allocator, void *data, size_t size) {
  sli_opencl_memory_t *memory = (sli_opencl_memory_t *)allocator;
  char *address = data;
  sli_mutex_lock(&memory->mutex);
  sli_opencl_block_t *block = sli_map_remove(&memory->used, key_of(&address));
  SLI_CHECK(block != NULL);
  memory->in_use -= block->size;
  block->is_free = true;
  sli_array_push(&memory->free_blocks, block);
  join_locked(memory, block);
  if (block->previous) join_locked(memory, block->previous);
  sli_mutex_unlock(&memory->mutex);
}

void sli_opencl_memory_locate(sli_opencl_memory_t *memory, const void *data, sli_opencl_object_t *out_buffer,
                              size_t *out_offset) {
  const char *address = data;
  *out_buffer = NULL;
  sli_mutex_lock(&memory->mutex);
  for (size_t i = 0; i < memory->regions.count && !*out_buffer; i++) {
    const sli_opencl_region_t *region = &memory->regions.items[i];
    if (address < region->addresses || address >= region->addresses + region->size) continue;
    *out_buffer = region->buffer;
    *out_offset = (size_t)(address - region->addresses);
  }
  sli_mutex_unlock(&memory->mutex);
  SLI_CHECK(*out_buffer != NULL);
}

static void memory_copy(sli_allocator_t *allocator, void *to, const void *from, size_t size) {
  sli_opencl_memory_t *memory = (sli_opencl_memory_t *)allocator;
  sli_opencl_gpu_t *gpu = memory->gpu;
  sli_opencl_object_t source, target;
  size_t source_offset, target_offset;
  sli_opencl_memory_locate(memory, from, &source, &source_offset);
  sli_opencl_memory_locate(memory, to, &target, &target_offset);
  sli_mutex_lock(&gpu->mutex);
  int32_t code =
      gpu->api->EnqueueCopyBuffer(gpu->queue, source, target, source_offset, target_offset, size, 0, NULL, NULL);
  sli_mutex_unlock(&gpu->mutex);
  sli_status_t *status = sli_opencl_status(gpu, "a copy", code);
  if (status) sli_opencl_lose(gpu, status);
}

void sli_opencl_memory_initialize(sli_opencl_memory_t *memory, sli_opencl_gpu_t *gpu, size_t limit) {
  snprintf(memory->name, sizeof(memory->name), "GPU_%d_bfc", gpu->index);
  memory->base = (sli_allocator_t){.memory = SLI_MEMORY_DEVICE,
                                   .name = memory->name,
                                   .allocate = memory_allocate,
                                   .release = memory_release,
                                   .copy = memory_copy};
  memory->gpu = gpu;
  memory->limit = limit;
  sli_mutex_initialize(&memory->mutex);
}
