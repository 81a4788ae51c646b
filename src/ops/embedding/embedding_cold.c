#include "ops/embedding/embedding_cold.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "io/file/crc32c.h"
#include "ops/embedding/embedding_order.h"

// An entry of the index: 24 bits of the hash, from which its home follows, and above them the place in the file.
enum {
  TAG_BITS = 24,
  UNIT = 16,  // places are multiples of it
  LEAST_FILE = 1 << 20,
};
#define TAG_MASK ((UINT64_C(1) << TAG_BITS) - 1)

typedef struct {
  uint64_t key;
  uint32_t size, crc;  // of key, size and data
} record_t;

struct sli_embedding_cold {
  char *directory;
  int file;
  uint64_t end, dead;  // bytes of the file, and of dead records
  size_t max_size;
  uint64_t *index;  // open addressing; 0: empty
  int bits;         // of the index
  size_t count;
  char *record;  // room for one
};

static uint64_t tag_of(uint64_t key) { return sli_embedding_hash(key) >> 4 & TAG_MASK; }
static size_t home_of(const sli_embedding_cold_t *cold, uint64_t entry) {
  return (size_t)((entry & TAG_MASK) >> (TAG_BITS - cold->bits));
}
static uint64_t place_of(uint64_t entry) { return ((entry >> TAG_BITS) - 1) * UNIT; }
static uint64_t entry_of(uint64_t key, uint64_t place) { return (place / UNIT + 1) << TAG_BITS | tag_of(key); }
static size_t whole_size(size_t size) { return (sizeof(record_t) + size + UNIT - 1) / UNIT * UNIT; }
static size_t mask_of(const sli_embedding_cold_t *cold) { return ((size_t)1 << cold->bits) - 1; }

static uint32_t crc_of(const record_t *record, const void *data) {
  uint32_t crc = sli_crc32c(&record->key, sizeof(record->key));
  crc = sli_crc32c_extend(crc, &record->size, sizeof(record->size));
  return sli_crc32c_extend(crc, data, record->size);
}

// A file without a name.
static sli_status_t *open_file(const char *directory, int *out_file) {
  *out_file = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (*out_file < 0 && (errno == EOPNOTSUPP || errno == EISDIR)) {
    char *path = sli_format("%s/sluice-rows-XXXXXX", directory);
    *out_file = mkostemp(path, O_CLOEXEC);
    if (*out_file >= 0) unlink(path);
    free(path);
  }
  if (*out_file >= 0) return NULL;
  return sli_status_make(errno == ENOENT || errno == ENOTDIR ? SLI_NOT_FOUND : SLI_PERMISSION_DENIED,
                         "Cannot create a file for rows in directory %s: %s", directory, strerror(errno));
}

sli_status_t *sli_embedding_cold_create(const char *directory, size_t max_size, sli_embedding_cold_t **out_cold) {
  *out_cold = NULL;
  int file;
  SLI_RETURN_IF_ERROR(open_file(directory, &file));
  sli_embedding_cold_t *cold = sli_calloc(1, sizeof(*cold));
  *cold = (sli_embedding_cold_t){.directory = sli_strdup(directory), .file = file, .max_size = max_size, .bits = 4};
  cold->index = sli_calloc(mask_of(cold) + 1, sizeof(*cold->index));
  cold->record = sli_malloc(whole_size(max_size));
  *out_cold = cold;
  return NULL;
}

void sli_embedding_cold_destroy(sli_embedding_cold_t *cold) {
  if (!cold) return;
  close(cold->file);
  free(cold->directory);
  free(cold->index);
  free(cold->record);
  free(cold);
}

size_t sli_embedding_cold_count(const sli_embedding_cold_t *cold) { return cold->count; }
size_t sli_embedding_cold_memory(const sli_embedding_cold_t *cold) {
  return (mask_of(cold) + 1) * sizeof(*cold->index) + sizeof(*cold) + whole_size(cold->max_size);
}
uint64_t sli_embedding_cold_file(const sli_embedding_cold_t *cold) { return cold->end; }

// ---- The file --------------------------------------------------------------------

static sli_status_t *write_all(int file, const char *data, size_t size, uint64_t place) {
  while (size) {
    ssize_t written = pwrite(file, data, size, (off_t)place);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0)
      return sli_status_make(SLI_RESOURCE_EXHAUSTED, "Cannot write a row to the disk: %s",
                             written < 0 ? strerror(errno) : "nothing was written");
    data += written;
    size -= (size_t)written;
    place += (size_t)written;
  }
  return NULL;
}

// Reads the record at |place| to cold->record and checks it.
static sli_status_t *read_record(sli_embedding_cold_t *cold, uint64_t place, const record_t **out_record) {
  size_t room = whole_size(cold->max_size), have = 0;
  if (room > cold->end - place) room = (size_t)(cold->end - place);
  while (have < room) {
    ssize_t got = pread(cold->file, cold->record + have, room - have, (off_t)(place + have));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    have += (size_t)got;
  }
  const record_t *record = *out_record = (const record_t *)cold->record;
  if (have >= sizeof(*record) && record->size <= cold->max_size && sizeof(*record) + record->size <= have &&
      record->crc == crc_of(record, record + 1))
    return NULL;
  return sli_status_make(SLI_DATA_LOSS, "A row on the disk (directory %s, byte %llu) is damaged.", cold->directory,
                         (unsigned long long)place);
}

// ---- The index -------------------------------------------------------------------

static void index_insert(sli_embedding_cold_t *cold, uint64_t entry) {
  size_t at = home_of(cold, entry);
  while (cold->index[at]) at = (at + 1) & mask_of(cold);
  cold->index[at] = entry;
}

static bool index_grow(sli_embedding_cold_t *cold) {
  if (5 * (cold->count + 1) <= 4 * (mask_of(cold) + 1)) return true;
  if (cold->bits == TAG_BITS) return cold->count < mask_of(cold);
  size_t old_size = mask_of(cold) + 1;
  uint64_t *old = cold->index, *grown = sli_malloc_or_null(2 * old_size * sizeof(*grown));
  if (!grown) return false;
  memset(grown, 0, 2 * old_size * sizeof(*grown));
  cold->index = grown;
  cold->bits++;
  for (size_t i = 0; i < old_size; i++)
    if (old[i]) index_insert(cold, old[i]);
  free(old);
  return true;
}

static void index_remove(sli_embedding_cold_t *cold, size_t gap) {
  size_t mask = mask_of(cold);
  for (size_t next = (gap + 1) & mask; cold->index[next]; next = (next + 1) & mask) {
    if (((next - home_of(cold, cold->index[next])) & mask) < ((next - gap) & mask)) continue;
    cold->index[gap] = cold->index[next];
    gap = next;
  }
  cold->index[gap] = 0;
  cold->count--;
}

// Finds the record of |key|: it is in cold->record then. |*out_record| is NULL if there is none.
static sli_status_t *find(sli_embedding_cold_t *cold, uint64_t key, size_t *out_at, const record_t **out_record) {
  uint64_t tag = tag_of(key);
  *out_at = 0;
  *out_record = NULL;
  for (size_t at = home_of(cold, tag); cold->index[at]; at = (at + 1) & mask_of(cold)) {
    if ((cold->index[at] & TAG_MASK) != tag) continue;
    const record_t *record;
    SLI_RETURN_IF_ERROR(read_record(cold, place_of(cold->index[at]), &record));
    if (record->key != key) continue;
    *out_at = at;
    *out_record = record;
    return NULL;
  }
  return NULL;
}

// ---- Records ---------------------------------------------------------------------

// Copies the live records to a new file, if most are dead.
static sli_status_t *compact(sli_embedding_cold_t *cold) {
  if (cold->end < LEAST_FILE || cold->dead < cold->end / 2) return NULL;
  int file;
  SLI_RETURN_IF_ERROR(open_file(cold->directory, &file));
  sli_embedding_cold_t moved = {.bits = cold->bits, .index = sli_calloc(mask_of(cold) + 1, sizeof(*cold->index))};
  sli_status_t *status = NULL;
  for (size_t i = 0; i <= mask_of(cold) && !status; i++) {
    if (!cold->index[i]) continue;
    const record_t *record;
    status = read_record(cold, place_of(cold->index[i]), &record);
    size_t size = status ? 0 : whole_size(record->size);
    if (!status) status = write_all(file, cold->record, size, moved.end);
    if (!status) index_insert(&moved, entry_of(record->key, moved.end));
    moved.end += size;
  }
  if (status) {  // the old file is as it was
    close(file);
    free(moved.index);
    return status;
  }
  close(cold->file);
  free(cold->index);
  cold->file = file;
  cold->index = moved.index;
  cold->end = moved.end;
  cold->dead = 0;
  return NULL;
}

sli_status_t *sli_embedding_cold_remove(sli_embedding_cold_t *cold, uint64_t key) {
  size_t at;
  const record_t *record;
  SLI_RETURN_IF_ERROR(find(cold, key, &at, &record));
  if (!record) return NULL;
  cold->dead += whole_size(record->size);
  index_remove(cold, at);
  sli_status_release(compact(cold));  // is tried again later
  return NULL;
}

sli_status_t *sli_embedding_cold_put(sli_embedding_cold_t *cold, uint64_t key, const void *data, size_t size) {
  SLI_RETURN_IF_ERROR(sli_embedding_cold_remove(cold, key));
  if (size > cold->max_size || !index_grow(cold))
    return sli_status_make(SLI_RESOURCE_EXHAUSTED, "There is no memory to find %zu rows on the disk.", cold->count);
  record_t *record = (record_t *)cold->record;
  size_t whole = whole_size(size);
  *record = (record_t){.key = key, .size = (uint32_t)size};
  memset(cold->record + whole - UNIT, 0, UNIT);
  memcpy(record + 1, data, size);
  *record = (record_t){.key = key, .size = (uint32_t)size};
  record->crc = crc_of(record, record + 1);
  SLI_RETURN_IF_ERROR(write_all(cold->file, cold->record, whole, cold->end));
  index_insert(cold, entry_of(key, cold->end));
  cold->end += whole;
  cold->count++;
  return NULL;
}

sli_status_t *sli_embedding_cold_get(sli_embedding_cold_t *cold, uint64_t key, void *data, size_t *out_size) {
  size_t at;
  const record_t *record;
  *out_size = 0;
  SLI_RETURN_IF_ERROR(find(cold, key, &at, &record));
  if (!record) return NULL;
  memcpy(data, record + 1, record->size);
  *out_size = record->size;
  return NULL;
}

void sli_embedding_cold_clear(sli_embedding_cold_t *cold) {
  memset(cold->index, 0, (mask_of(cold) + 1) * sizeof(*cold->index));
  cold->count = 0;
  cold->end = cold->dead = 0;
  if (ftruncate(cold->file, 0)) return;  // the space is used again anyway
}

sli_status_t *sli_embedding_cold_for_each(sli_embedding_cold_t *cold,
                                          bool (*visit)(void *context, uint64_t key, const void *data, size_t size),
                                          void *context) {
  for (size_t i = 0; i <= mask_of(cold); i++) {
    if (!cold->index[i]) continue;
    const record_t *record;
    SLI_RETURN_IF_ERROR(read_record(cold, place_of(cold->index[i]), &record));
    if (!visit(context, record->key, record + 1, record->size)) return NULL;
  }
  return NULL;
}
