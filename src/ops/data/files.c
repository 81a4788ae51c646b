// Sources that read files: TFRecords, lines, records of a fixed length, and the names of files that match patterns.
#include <stdlib.h>

#include "base/alloc.h"
#include "io/file/file.h"
#include "io/file/input_stream.h"
#include "io/record/record.h"
#include "ops/data/dataset.h"

typedef struct {
  sli_dataset_t base;
  char **names;  // files, or patterns
  int64_t count;
  sli_compression_t compression;
  size_t buffer_size;
  int64_t *offsets;  // where to start in each file; NULL: at the beginning
  int64_t header_bytes, record_bytes, footer_bytes;
} files_t;

// A pass: the file that is open, and the position in it.
typedef struct {
  sli_iterator_t base;
  int64_t index;  // of the file
  bool is_open;
  sli_record_reader_t *records;
  sli_input_stream_t *stream;
  sli_string_t ahead;     // bytes of the file from the current record on
  int64_t body;           // bytes of records that were read
  sli_path_list_t found;  // of a pattern
  int64_t next;           // of |found|
} reading_t;

// How a kind reads one file. |next| sets |*out_end| at the end of the file.
typedef struct {
  sli_dataset_kind_t kind;
  sli_status_t *(*open)(reading_t *reading, const files_t *files);
  sli_status_t *(*next)(reading_t *reading, const files_t *files, sli_tensor_t **out, bool *out_end);
  uint64_t (*position)(reading_t *reading);
  sli_status_t *(*seek)(reading_t *reading, uint64_t position);
} files_kind_t;

static const char *current_name(const reading_t *reading, const files_t *files) { return files->names[reading->index]; }

static void files_destroy(sli_dataset_t *dataset) {
  files_t *self = (files_t *)dataset;
  for (int64_t i = 0; i < self->count && self->names; i++) free(self->names[i]);
  free(self->names);
  free(self->offsets);
}

static int64_t unknown_cardinality(const sli_dataset_t *dataset) { return SLI_DATASET_UNKNOWN; }

static void close_file(reading_t *reading) {
  sli_record_reader_release(reading->records);
  sli_input_stream_release(reading->stream);
  sli_path_list_deinitialize(&reading->found);
  sli_string_clear(&reading->ahead);
  reading->records = NULL;
  reading->stream = NULL;
  reading->found = (sli_path_list_t){0};
  reading->next = reading->body = 0;
  reading->is_open = false;
}

static void files_stop(sli_iterator_t *iterator) {
  reading_t *reading = (reading_t *)iterator;
  close_file(reading);
  sli_string_deinitialize(&reading->ahead);
}

// After an error in a file the pass goes on with the next one, for those who ignore errors. A file that cannot be
// opened is tried again.
static sli_status_t *files_next(sli_iterator_t *iterator, const sli_iterator_call_t *call, sli_tensor_t **out_element,
                                bool *out_end) {
  reading_t *reading = (reading_t *)iterator;
  const files_t *files = (const files_t *)iterator->dataset;
  const files_kind_t *kind = (const files_kind_t *)files->base.kind;
  for (; reading->index < files->count; reading->index++) {
    sli_status_t *status = NULL;
    bool is_end = false;
    if (!reading->is_open) {
      status = kind->open(reading, files);
      if (status) close_file(reading);
      SLI_RETURN_IF_ERROR(status);
      reading->is_open = true;
    }
    status = kind->next(reading, files, &out_element[0], &is_end);
    if (!status && !is_end) return NULL;
    close_file(reading);
    if (!status) continue;
    reading->index++;
    return status;
  }
  *out_end = true;
  return NULL;
}

static sli_status_t *files_save(sli_iterator_t *iterator, sli_iterator_writer_t *writer) {
  reading_t *reading = (reading_t *)iterator;
  const files_kind_t *kind = (const files_kind_t *)iterator->dataset->kind;
  sli_iterator_write_int(writer, reading->index);
  sli_iterator_write_int(writer, reading->is_open);
  if (reading->is_open) sli_iterator_write_int(writer, (int64_t)kind->position(reading));
  return NULL;
}

static sli_status_t *files_restore(sli_iterator_t *iterator, sli_iterator_reader_t *reader) {
  reading_t *reading = (reading_t *)iterator;
  const files_t *files = (const files_t *)iterator->dataset;
  const files_kind_t *kind = (const files_kind_t *)files->base.kind;
  int64_t is_open, position;
  SLI_RETURN_IF_ERROR(sli_iterator_read_int(reader, 0, files->count, &reading->index));
  SLI_RETURN_IF_ERROR(sli_iterator_read_int(reader, 0, reading->index < files->count, &is_open));
  if (!is_open) return NULL;
  SLI_RETURN_IF_ERROR(sli_iterator_read_int(reader, 0, INT64_MAX, &position));
  reading->is_open = true;
  SLI_RETURN_IF_ERROR(kind->open(reading, files));
  return kind->seek(reading, (uint64_t)position);
}

// --- TFRecords ---------------------------------------------------------------------------------------------

static sli_status_t *records_open(reading_t *reading, const files_t *files) {
  SLI_RETURN_IF_ERROR(
      sli_record_reader_open(current_name(reading, files), files->compression, files->buffer_size, &reading->records));
  if (!files->offsets || !files->offsets[reading->index]) return NULL;
  return sli_record_reader_seek(reading->records, (uint64_t)files->offsets[reading->index]);
}

// Whether the file ends within the header of a record. As in TensorFlow that is its end.
static bool ends_in_header(const reading_t *reading, const files_t *files) {
  enum { HEADER_BYTES = 12 };
  sli_file_info_t info;
  if (files->compression != SLI_COMPRESSION_NONE) return false;
  sli_status_t *status = sli_file_info(current_name(reading, files), &info);
  bool is_known = !status;
  sli_status_release(status);
  return is_known && info.size - sli_record_reader_offset(reading->records) < HEADER_BYTES;
}

static sli_status_t *records_next(reading_t *reading, const files_t *files, sli_tensor_t **out, bool *out_end) {
  sli_view_t record;
  sli_status_t *status = sli_record_reader_read(reading->records, &record);
  *out_end = sli_status_code(status) == SLI_OUT_OF_RANGE ||
             (sli_status_code(status) == SLI_DATA_LOSS && ends_in_header(reading, files));
  if (*out_end) {
    sli_status_release(status);
    return NULL;
  }
  if (!status) *out = sli_tensor_scalar_string(record);
  return status;
}

static uint64_t records_position(reading_t *reading) { return sli_record_reader_offset(reading->records); }
static sli_status_t *records_seek(reading_t *reading, uint64_t position) {
  return sli_record_reader_seek(reading->records, position);
}

// --- Lines ---------------------------------------------------------------------------------------------------

static sli_status_t *stream_open(reading_t *reading, const files_t *files) {
  return sli_input_stream_open(current_name(reading, files), files->compression, files->buffer_size, &reading->stream);
}

static void append_line(sli_string_t *line, const char *bytes, size_t size) {
  while (size) {
    const char *carriage = memchr(bytes, '\r', size);
    size_t part = carriage ? (size_t)(carriage - bytes) : size;
    sli_string_append(line, bytes, part);
    bytes += part + (carriage != NULL);
    size -= part + (carriage != NULL);
  }
}

// A line without its newline and carriage returns. A line that is whole in the buffer of the file is not copied twice.
static sli_status_t *lines_next(reading_t *reading, const files_t *files, sli_tensor_t **out, bool *out_end) {
  bool is_any = false;
  sli_string_clear(&reading->ahead);
  for (;;) {
    sli_view_t bytes;
    SLI_RETURN_IF_ERROR(sli_input_stream_peek(reading->stream, 1, &bytes));
    const char *end = bytes.size ? memchr(bytes.data, '\n', bytes.size) : NULL;
    size_t size = end ? (size_t)(end - bytes.data) : bytes.size;
    if (end && !reading->ahead.size && !memchr(bytes.data, '\r', size)) {
      *out = sli_tensor_scalar_string(sli_view_of(bytes.data, size));
      sli_input_stream_consume(reading->stream, size + 1);
      return NULL;
    }
    is_any |= bytes.size > 0;
    append_line(&reading->ahead, bytes.data, size);
    sli_input_stream_consume(reading->stream, size + (end != NULL));
    if (!end && bytes.size) continue;
    *out_end = !is_any;
    if (is_any) *out = sli_tensor_scalar_string(sli_view_of(sli_string_text(&reading->ahead), reading->ahead.size));
    return NULL;
  }
}

static uint64_t stream_position(reading_t *reading) { return sli_input_stream_position(reading->stream); }
static sli_status_t *stream_seek(reading_t *reading, uint64_t position) {
  return sli_input_stream_seek(reading->stream, position);
}

// --- Records of a fixed length ---------------------------------------------------------------------------------

static sli_status_t *bad_length(const files_t *files, const char *name, int64_t body) {
  return sli_status_make(files->compression == SLI_COMPRESSION_NONE ? SLI_INVALID_ARGUMENT : SLI_DATA_LOSS,
                         "Excluding the header (%lld bytes) and footer (%lld bytes), input file \"%s\" has body length "
                         "%lld bytes, which is not an exact multiple of the record length (%lld bytes).",
                         (long long)files->header_bytes, (long long)files->footer_bytes, name, (long long)body,
                         (long long)files->record_bytes);
}

static sli_status_t *fixed_open(reading_t *reading, const files_t *files) {
  const char *name = current_name(reading, files);
  if (files->compression == SLI_COMPRESSION_NONE) {
    sli_file_info_t info;
    SLI_RETURN_IF_ERROR(sli_file_info(name, &info));
    int64_t body = (int64_t)info.size - files->header_bytes - files->footer_bytes;
    if (body < 0 || body % files->record_bytes) return bad_length(files, name, body);
  }
  SLI_RETURN_IF_ERROR(stream_open(reading, files));
  return sli_input_stream_seek(reading->stream, (uint64_t)files->header_bytes);
}

static sli_status_t *fixed_next(reading_t *reading, const files_t *files, sli_tensor_t **out, bool *out_end) {
  size_t record = (size_t)files->record_bytes, needed = record + (size_t)files->footer_bytes;
  while (reading->ahead.size < needed) {
    size_t want = needed - reading->ahead.size < 1 << 20 ? needed - reading->ahead.size : 1 << 20, have;
    size_t before = reading->ahead.size;
    char *to = sli_string_extend(&reading->ahead, want);
    sli_status_t *status = sli_input_stream_read(reading->stream, to, want, &have);
    reading->ahead.size = before + (status ? 0 : have);
    if (status) return status;
    if (have < want) break;
  }
  if (reading->ahead.size < needed) {
    *out_end = true;
    int64_t rest = (int64_t)reading->ahead.size - files->footer_bytes;
    return rest ? bad_length(files, current_name(reading, files), reading->body + rest) : NULL;
  }
  *out = sli_tensor_scalar_string(sli_view_of(reading->ahead.data, record));
  memmove(reading->ahead.data, reading->ahead.data + record, reading->ahead.size - record);
  reading->ahead.size -= record;
  reading->body += files->record_bytes;
  return NULL;
}

static uint64_t fixed_position(reading_t *reading) {
  return sli_input_stream_position(reading->stream) - reading->ahead.size;
}
static sli_status_t *fixed_seek(reading_t *reading, uint64_t position) {
  reading->body = (int64_t)position - ((const files_t *)reading->base.dataset)->header_bytes;
  return sli_input_stream_seek(reading->stream, position);
}

// --- Names of files ----------------------------------------------------------------------------------------------

static sli_status_t *matches_open(reading_t *reading, const files_t *files) {
  return sli_file_match(current_name(reading, files), &reading->found);
}

static sli_status_t *matches_next(reading_t *reading, const files_t *files, sli_tensor_t **out, bool *out_end) {
  *out_end = (size_t)reading->next >= reading->found.count;
  if (!*out_end) *out = sli_tensor_scalar_string(sli_view(reading->found.items[reading->next++]));
  return NULL;
}

static uint64_t matches_position(reading_t *reading) { return (uint64_t)reading->next; }
static sli_status_t *matches_seek(reading_t *reading, uint64_t position) {
  reading->next = (int64_t)position;
  return NULL;
}

// --- Kernels -------------------------------------------------------------------------------------------------------

#define FILES_KIND(kind_name)                                                                       \
  {                                                                                                 \
    .name = kind_name, .iterator_size = sizeof(reading_t), .destroy = files_destroy,                \
    .cardinality = unknown_cardinality, .next = files_next, .stop = files_stop, .save = files_save, \
    .restore = files_restore                                                                        \
  }
static const files_kind_t record_kind = {FILES_KIND("TFRecordDataset"), records_open, records_next, records_position,
                                         records_seek};
static const files_kind_t line_kind = {FILES_KIND("TextLineDataset"), stream_open, lines_next, stream_position,
                                       stream_seek};
static const files_kind_t fixed_kind = {FILES_KIND("FixedLengthRecordDataset"), fixed_open, fixed_next, fixed_position,
                                        fixed_seek};
static const files_kind_t match_kind = {FILES_KIND("MatchingFilesDataset"), matches_open, matches_next,
                                        matches_position, matches_seek};

static sli_status_t *make_files(sli_kernel_context_t *context, const files_kind_t *kind, const char *name,
                                files_t **out_files) {
  const sli_tensor_t *names = sli_kernel_input(context, 0);
  if (names->rank > 1) return sli_status_make(SLI_INVALID_ARGUMENT, "`%s` must be a scalar or a vector.", name);
  sli_dtype_t type = SLI_DTYPE_STRING;
  sli_shape_t shape = SLI_SHAPE_SCALAR;
  *out_files = (files_t *)sli_dataset_create_as(&kind->kind, sizeof(files_t), 1, &type, &shape, NULL, 0);
  (*out_files)->names = sli_calloc((size_t)names->count + 1, sizeof(char *));
  (*out_files)->count = names->count;
  for (int64_t i = 0; i < names->count; i++) {
    sli_view_t text = sli_tensor_string_at(names, i);
    (*out_files)->names[i] = sli_strndup(text.data, text.size);
  }
  return NULL;
}

static sli_status_t *read_compression(sli_kernel_context_t *context, int index, sli_compression_t *out_compression) {
  sli_view_t text;
  SLI_RETURN_IF_ERROR(sli_dataset_input_text(context, index, "compression_type", &text));
  sli_status_t *status = sli_compression_parse(text, out_compression);
  if (!status) return NULL;
  sli_status_release(status);
  return sli_status_make(SLI_INVALID_ARGUMENT, "Unsupported compression_type: %.*s.", SLI_VIEW_ARG(text));
}

static sli_status_t *read_buffer_size(sli_kernel_context_t *context, int index, size_t *out_size) {
  int64_t size;
  SLI_RETURN_IF_ERROR(sli_dataset_input_int(context, index, "buffer_size", &size));
  if (size < 0) return sli_status_make(SLI_INVALID_ARGUMENT, "`buffer_size` must be >= 0 (0 == default)");
  *out_size = size > 1 << 30 ? 1 << 30 : (size_t)size;
  return NULL;
}

static sli_status_t *read_offsets(sli_kernel_context_t *context, const files_t *files, int64_t **out_offsets) {
  const sli_tensor_t *offsets = sli_kernel_input(context, 3);
  if (offsets->rank > 1 || offsets->count != files->count)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "`byte_offsets` must be a vector of as many elements as `filenames` "
                           "has: %lld, got %lld",
                           (long long)files->count, (long long)offsets->count);
  *out_offsets = sli_memdup(offsets->data, sli_tensor_bytes(offsets));
  for (int64_t i = 0; i < files->count; i++)
    if ((*out_offsets)[i] < 0)
      return sli_status_make(SLI_INVALID_ARGUMENT, "`byte_offsets` must be >= 0, got %lld",
                             (long long)(*out_offsets)[i]);
  return NULL;
}

static sli_status_t *make_compressed(sli_kernel_context_t *context, const files_kind_t *kind) {
  files_t *files;
  SLI_RETURN_IF_ERROR(make_files(context, kind, "filenames", &files));
  sli_status_t *status = read_compression(context, 1, &files->compression);
  if (!status) status = read_buffer_size(context, 2, &files->buffer_size);
  if (!status && context->input_count > 3) status = read_offsets(context, files, &files->offsets);
  return sli_dataset_finish(context, &files->base, status);
}

static sli_status_t *record_dataset(sli_kernel_context_t *context) { return make_compressed(context, &record_kind); }
static sli_status_t *line_dataset(sli_kernel_context_t *context) { return make_compressed(context, &line_kind); }

static sli_status_t *read_length(sli_kernel_context_t *context, int index, const char *name, int64_t least,
                                 int64_t *out_bytes) {
  SLI_RETURN_IF_ERROR(sli_dataset_input_int(context, index, name, out_bytes));
  if (*out_bytes >= least && *out_bytes <= INT64_MAX / 4) return NULL;
  return sli_status_make(SLI_INVALID_ARGUMENT, least ? "`%s` must be > 0" : "`%s` must be >= 0", name);
}

static sli_status_t *fixed_dataset(sli_kernel_context_t *context) {
  files_t *files;
  SLI_RETURN_IF_ERROR(make_files(context, &fixed_kind, "filenames", &files));
  sli_status_t *status = read_length(context, 1, "header_bytes", 0, &files->header_bytes);
  if (!status) status = read_length(context, 2, "record_bytes", 1, &files->record_bytes);
  if (!status) status = read_length(context, 3, "footer_bytes", 0, &files->footer_bytes);
  if (!status) status = read_buffer_size(context, 4, &files->buffer_size);
  if (!status && context->input_count > 5) status = read_compression(context, 5, &files->compression);
  return sli_dataset_finish(context, &files->base, status);
}

static sli_status_t *match_dataset(sli_kernel_context_t *context) {
  files_t *files;
  SLI_RETURN_IF_ERROR(make_files(context, &match_kind, "patterns", &files));
  return sli_dataset_finish(context, &files->base, NULL);
}

static const sli_op_def_t ops[] = {
    {
        .name = "TFRecordDataset",
        .inputs = "filenames: string, compression_type: string, buffer_size: int64",
        .outputs = "handle: variant",
        .attrs = SLI_DATASET_METADATA,
        .summary = "The records of TFRecord files.",
        .shape = sli_dataset_infer,
        .is_stateful = true,
    },
    {
        .name = "TFRecordDatasetV2",
        .inputs = "filenames: string, compression_type: string, buffer_size: int64, byte_offsets: int64",
        .outputs = "handle: variant",
        .attrs = SLI_DATASET_METADATA,
        .summary = "The records of TFRecord files, from an offset in each.",
        .shape = sli_dataset_infer,
        .is_stateful = true,
    },
    {
        .name = "TextLineDataset",
        .inputs = "filenames: string, compression_type: string, buffer_size: int64",
        .outputs = "handle: variant",
        .attrs = SLI_DATASET_METADATA,
        .summary = "The lines of text files.",
        .shape = sli_dataset_infer,
        .is_stateful = true,
    },
    {
        .name = "FixedLengthRecordDataset",
        .inputs =
            "filenames: string, header_bytes: int64, record_bytes: int64, footer_bytes: int64, buffer_size: int64",
        .outputs = "handle: variant",
        .attrs = SLI_DATASET_METADATA,
        .summary = "The records of a fixed length in files.",
        .shape = sli_dataset_infer,
        .is_stateful = true,
    },
    {
        .name = "FixedLengthRecordDatasetV2",
        .inputs = "filenames: string, header_bytes: int64, record_bytes: int64, footer_bytes: int64, buffer_size: "
                  "int64, compression_type: string",
        .outputs = "handle: variant",
        .attrs = SLI_DATASET_METADATA,
        .summary = "The records of a fixed length in files, which may be compressed.",
        .shape = sli_dataset_infer,
        .is_stateful = true,
    },
    {
        .name = "MatchingFilesDataset",
        .inputs = "patterns: string",
        .outputs = "handle: variant",
        .summary = "The names of files that match patterns.",
        .shape = sli_dataset_infer,
        .is_stateful = true,
    },
    {
        .name = "ExperimentalMatchingFilesDataset",
        .inputs = "patterns: string",
        .outputs = "handle: variant",
        .summary = "The names of files that match patterns.",
        .shape = sli_dataset_infer,
        .is_stateful = true,
    },
};

static const sli_kernel_def_t kernels[] = {
    {.op = "TFRecordDataset", .compute = record_dataset},
    {.op = "TFRecordDatasetV2", .compute = record_dataset},
    {.op = "TextLineDataset", .compute = line_dataset},
    {.op = "FixedLengthRecordDataset", .compute = fixed_dataset},
    {.op = "FixedLengthRecordDatasetV2", .compute = fixed_dataset},
    {.op = "MatchingFilesDataset", .compute = match_dataset},
    {.op = "ExperimentalMatchingFilesDataset", .compute = match_dataset},
};

SLI_OP_MODULE(data_files);
