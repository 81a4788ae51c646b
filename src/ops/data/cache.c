// CacheDataset: the first whole pass keeps the elements, in memory or in a file; later passes read them there.
//
// The file FILENAME.cache is a TFRecord file with one record for each element: its tensors as the state of an iterator
// has them. It is written under another name and renamed when it is whole, while FILENAME.lockfile tells others to keep
// away.
#include <stdlib.h>

#include "base/alloc.h"
#include "io/file/file.h"
#include "io/record/record.h"
#include "ops/data/elements.h"

// What the passes over a dataset share. Counted, because the dataset may be made again while a pass runs.
typedef struct {
  sli_object_t base;
  sli_mutex_t mutex;
  bool is_complete;                 // under |mutex|
  sli_dataset_elements_t elements;  // written once under |mutex|, then read only
} memory_t;

static void memory_destroy(sli_object_t *object) {
  memory_t *memory = (memory_t *)object;
  sli_dataset_elements_deinitialize(&memory->elements);
  sli_mutex_deinitialize(&memory->mutex);
  free(memory);
}
static const sli_object_type_t memory_type = {"MemoryCache", memory_destroy, NULL};

typedef struct {
  sli_dataset_t base;
  memory_t *memory;                  // NULL: a file
  char *path, *unfinished, *locked;  // of the file
} cache_t;

typedef enum { CACHE_NEW, CACHE_WRITES, CACHE_READS } cache_mode_t;

typedef struct {
  sli_iterator_t base;
  cache_mode_t mode;
  int64_t position;                // elements given
  sli_dataset_elements_t written;  // in memory
  sli_record_writer_t *writer;
  sli_record_reader_t *reader;
  bool has_lock;
} cacher_t;

static void cache_destroy(sli_dataset_t *dataset) {
  cache_t *self = (cache_t *)dataset;
  sli_object_release(self->memory);
  free(self->path);
  free(self->unfinished);
  free(self->locked);
}

static sli_status_t *cache_start(sli_iterator_t *iterator) {
  ((cacher_t *)iterator)->written.component_count = iterator->dataset->component_count;
  return NULL;
}

static void unlock_file(cacher_t *state) {
  const cache_t *self = (const cache_t *)state->base.dataset;
  if (state->has_lock) {
    sli_status_release(sli_file_delete(self->locked));
    if (sli_file_exists(self->unfinished)) sli_status_release(sli_file_delete(self->unfinished));
  }
  state->has_lock = false;
}

static void cache_stop(sli_iterator_t *iterator) {
  cacher_t *state = (cacher_t *)iterator;
  sli_record_writer_release(state->writer);
  sli_record_reader_release(state->reader);
  unlock_file(state);
  sli_dataset_elements_deinitialize(&state->written);
}

// --- Memory --------------------------------------------------------------------------------------------------------

static bool memory_is_complete(memory_t *memory) {
  sli_mutex_lock(&memory->mutex);
  bool is_complete = memory->is_complete;
  sli_mutex_unlock(&memory->mutex);
  return is_complete;
}

// Gives the elements to the other passes, unless another pass was faster.
static void memory_complete(memory_t *memory, cacher_t *state) {
  sli_mutex_lock(&memory->mutex);
  if (!memory->is_complete) {
    memory->elements = state->written;
    memory->is_complete = true;
    state->written = (sli_dataset_elements_t){.component_count = state->written.component_count};
  }
  sli_mutex_unlock(&memory->mutex);
}

static void memory_keep(cacher_t *state, sli_tensor_t *const *element) {
  sli_tensor_t *copy[SLI_DATASET_MAX_COMPONENTS];
  for (int i = 0; i < state->written.component_count; i++) copy[i] = sli_tensor_retain(element[i]);
  sli_dataset_elements_push(&state->written, copy);
}

static void memory_read(const memory_t *memory, cacher_t *state, sli_tensor_t **out_element, bool *out_end) {
  *out_end = state->position >= memory->elements.count;
  if (*out_end) return;
  sli_tensor_t **element = sli_dataset_elements_at(&memory->elements, state->position);
  for (int i = 0; i < memory->elements.component_count; i++) out_element[i] = sli_tensor_retain(element[i]);
}

// --- A file --------------------------------------------------------------------------------------------------------

static sli_status_t *file_begin(const cache_t *self, cacher_t *state) {
  if (sli_file_exists(self->locked))
    return sli_status_make(SLI_ALREADY_EXISTS,
                           "There appears to be a concurrent caching iterator running - cache lockfile already exists "
                           "('%s'). If you are sure no other running TF computations are using this cache prefix, "
                           "delete the lockfile and re-initialize the iterator.",
                           self->locked);
  sli_file_writer_t *lock;
  SLI_RETURN_IF_ERROR(sli_file_writer_open(self->locked, SLI_FILE_EXCLUSIVE, &lock));
  sli_status_t *status = sli_file_writer_close(lock);
  sli_file_writer_release(lock);
  state->has_lock = true;
  if (!status)
    status = sli_record_writer_open(self->unfinished, SLI_FILE_TRUNCATE, SLI_COMPRESSION_NONE, -1, &state->writer);
  return status;
}

static sli_status_t *file_keep(cacher_t *state, sli_tensor_t *const *element) {
  sli_iterator_writer_t writer = {0};
  sli_status_t *status = sli_iterator_write_element(&writer, element, state->written.component_count);
  if (!status) status = sli_record_writer_write(state->writer, sli_view_of(writer.bytes.data, writer.bytes.size));
  sli_string_deinitialize(&writer.bytes);
  return status;
}

static sli_status_t *file_complete(const cache_t *self, cacher_t *state) {
  SLI_RETURN_IF_ERROR(sli_record_writer_close(state->writer));
  sli_record_writer_release(state->writer);
  state->writer = NULL;
  SLI_RETURN_IF_ERROR(sli_file_rename(self->unfinished, self->path));
  unlock_file(state);
  return NULL;
}

static sli_status_t *file_read(const cache_t *self, cacher_t *state, sli_tensor_t **out_element, bool *out_end) {
  if (!state->reader) SLI_RETURN_IF_ERROR(sli_record_reader_open(self->path, SLI_COMPRESSION_NONE, 0, &state->reader));
  sli_view_t record;
  sli_status_t *status = sli_record_reader_read(state->reader, &record);
  *out_end = sli_status_code(status) == SLI_OUT_OF_RANGE;
  if (*out_end) {
    sli_status_release(status);
    return NULL;
  }
  SLI_RETURN_IF_ERROR(status);
  sli_iterator_reader_t reader = {record};
  return sli_iterator_read_element(&reader, &self->base, out_element);
}

// --- The iterator --------------------------------------------------------------------------------------------------

static sli_status_t *begin(const cache_t *self, cacher_t *state) {
  if (self->memory ? memory_is_complete(self->memory) : sli_file_exists(self->path)) {
    state->mode = CACHE_READS;
    return NULL;
  }
  if (!self->memory) SLI_RETURN_IF_ERROR(file_begin(self, state));
  SLI_RETURN_IF_ERROR(sli_iterator_create(self->base.inputs[0], state->base.root, &state->base.input));
  state->mode = CACHE_WRITES;
  return NULL;
}

static sli_status_t *write_next(const cache_t *self, cacher_t *state, const sli_iterator_call_t *call,
                                sli_tensor_t **out_element, bool *out_end) {
  *out_end = !state->base.input;
  if (*out_end) return NULL;
  SLI_RETURN_IF_ERROR(sli_iterator_next(state->base.input, call, out_element, out_end));
  if (!*out_end) {
    state->position++;
    if (self->memory) memory_keep(state, out_element);
    sli_status_t *status = self->memory ? NULL : file_keep(state, out_element);
    if (status) sli_dataset_release_element(out_element, self->base.component_count);
    return status;
  }
  sli_iterator_release(state->base.input);
  state->base.input = NULL;
  if (!self->memory) return file_complete(self, state);
  memory_complete(self->memory, state);
  return NULL;
}

static sli_status_t *cache_next(sli_iterator_t *iterator, const sli_iterator_call_t *call, sli_tensor_t **out_element,
                                bool *out_end) {
  const cache_t *self = (const cache_t *)iterator->dataset;
  cacher_t *state = (cacher_t *)iterator;
  if (state->mode == CACHE_NEW) SLI_RETURN_IF_ERROR(begin(self, state));
  if (state->mode == CACHE_WRITES) return write_next(self, state, call, out_element, out_end);
  if (!self->memory) {
    SLI_RETURN_IF_ERROR(file_read(self, state, out_element, out_end));
  } else {
    memory_read(self->memory, state, out_element, out_end);
  }
  state->position += !*out_end;
  return NULL;
}

// A pass that writes saves what it has written. One that reads a cache in memory saves that, too: the process that
// restores it may be another.
static sli_status_t *cache_save(sli_iterator_t *iterator, sli_iterator_writer_t *writer) {
  const cache_t *self = (const cache_t *)iterator->dataset;
  cacher_t *state = (cacher_t *)iterator;
  sli_iterator_write_int(writer, state->mode);
  sli_iterator_write_int(writer, state->position);
  if (state->mode == CACHE_NEW) return NULL;
  if (state->mode == CACHE_READS)
    return self->memory ? sli_dataset_elements_save(&self->memory->elements, writer) : NULL;
  if (!self->memory)
    return sli_status_make(SLI_UNIMPLEMENTED, "An iterator that writes a cache file cannot be saved before its end");
  SLI_RETURN_IF_ERROR(sli_dataset_elements_save(&state->written, writer));
  return sli_iterator_save_slot(iterator->input, writer);
}

static sli_status_t *cache_restore(sli_iterator_t *iterator, sli_iterator_reader_t *reader) {
  const cache_t *self = (const cache_t *)iterator->dataset;
  cacher_t *state = (cacher_t *)iterator;
  int64_t mode, position;
  SLI_RETURN_IF_ERROR(sli_iterator_read_int(reader, CACHE_NEW, CACHE_READS, &mode));
  SLI_RETURN_IF_ERROR(sli_iterator_read_int(reader, 0, INT64_MAX, &position));
  state->mode = (cache_mode_t)mode;
  state->position = position;
  if (mode == CACHE_NEW) return NULL;
  if (self->memory) {
    SLI_RETURN_IF_ERROR(sli_dataset_elements_restore(&state->written, iterator->dataset, reader));
    if (mode == CACHE_READS) memory_complete(self->memory, state);
    if (mode == CACHE_READS) return NULL;
    return sli_iterator_restore_slot(&iterator->input, iterator->dataset->inputs[0], iterator->root, reader);
  }
  if (mode == CACHE_WRITES)
    return sli_status_make(SLI_DATA_LOSS, "The state of the iterator is malformed: a cache file that is not whole");
  for (int64_t i = 0; i < position; i++) {
    sli_tensor_t *element[SLI_DATASET_MAX_COMPONENTS];
    bool is_end;
    SLI_RETURN_IF_ERROR(file_read(self, state, element, &is_end));
    if (is_end) break;
    sli_dataset_release_element(element, iterator->dataset->component_count);
  }
  return NULL;
}

static const sli_dataset_kind_t cache_kind = {.name = "CacheDataset",
                                              .keeps_batches = true,
                                              .iterator_size = sizeof(cacher_t),
                                              .destroy = cache_destroy,
                                              .start = cache_start,
                                              .next = cache_next,
                                              .stop = cache_stop,
                                              .save = cache_save,
                                              .restore = cache_restore};

static sli_status_t *cache_dataset(sli_kernel_context_t *context) {
  sli_dataset_t *input, *dataset;
  sli_view_t name;
  SLI_RETURN_IF_ERROR(sli_dataset_input(context, 0, &input));
  SLI_RETURN_IF_ERROR(sli_dataset_input_text(context, 1, "filename", &name));
  SLI_RETURN_IF_ERROR(sli_dataset_create_like(context, &cache_kind, sizeof(cache_t), &input, 1, &dataset));
  cache_t *self = (cache_t *)dataset;
  if (name.size) {
    self->path = sli_format("%.*s.cache", SLI_VIEW_ARG(name));
    self->unfinished = sli_format("%.*s.cache.unfinished", SLI_VIEW_ARG(name));
    self->locked = sli_format("%.*s.lockfile", SLI_VIEW_ARG(name));
  } else {
    self->memory = sli_calloc(1, sizeof(*self->memory));
    sli_object_initialize(&self->memory->base, &memory_type);
    sli_mutex_initialize(&self->memory->mutex);
  }
  sli_dataset_set_output(context, dataset);
  return NULL;
}

static const sli_op_def_t ops[] = {
    {
        .name = "CacheDataset",
        .inputs = "input_dataset: variant, filename: string",
        .outputs = "handle: variant",
        .attrs = SLI_DATASET_ELEMENTS "; " SLI_DATASET_METADATA,
        .summary = "Keeps the elements of the first pass in memory or in a file.",
        .shape = sli_dataset_infer,
    },
    {
        .name = "CacheDatasetV2",
        .inputs = "input_dataset: variant, filename: string, cache: resource",
        .outputs = "handle: variant",
        .attrs = SLI_DATASET_ELEMENTS "; " SLI_DATASET_METADATA,
        .summary = "Keeps the elements of the first pass in memory or in a file.",
        .shape = sli_dataset_infer,
        .is_stateful = true,
    },
};

static const sli_kernel_def_t kernels[] = {
    {.op = "CacheDataset", .compute = cache_dataset},
    {.op = "CacheDatasetV2", .compute = cache_dataset},
};

SLI_OP_MODULE(data_cache);
