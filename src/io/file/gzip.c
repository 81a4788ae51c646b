#include "io/file/gzip.h"

#include "io/file/file.h"
#include "io/file/input_stream.h"

enum { STEP = 1 << 20 };

static sli_status_t *sniff(const char *path, sli_compression_t *out_compression) {
  sli_file_reader_t *reader;
  SLI_RETURN_IF_ERROR(sli_file_reader_open(path, &reader));
  unsigned char magic[2];
  size_t got;
  sli_status_t *status = sli_file_reader_read(reader, 0, magic, sizeof(magic), &got);
  sli_file_reader_release(reader);
  bool packed = !status && got == 2 && magic[0] == 0x1f && magic[1] == 0x8b;
  *out_compression = packed ? SLI_COMPRESSION_GZIP : SLI_COMPRESSION_NONE;
  return status;
}

sli_status_t *sli_gzip_read_whole(const char *path, size_t limit, sli_string_t *out_bytes) {
  *out_bytes = (sli_string_t){0};
  sli_compression_t compression;
  SLI_RETURN_IF_ERROR(sniff(path, &compression));
  sli_input_stream_t *stream = NULL;
  SLI_RETURN_IF_ERROR(sli_input_stream_open(path, compression, 0, &stream));
  sli_status_t *status = NULL;
  for (size_t got = STEP; got == STEP;) {
    size_t start = out_bytes->size;
    SLI_GOTO_IF_ERROR(status, cleanup, sli_input_stream_read(stream, sli_string_extend(out_bytes, STEP), STEP, &got));
    out_bytes->size = start + got;
    out_bytes->data[out_bytes->size] = '\0';
    if (out_bytes->size > limit) {
      status = sli_status_make(SLI_RESOURCE_EXHAUSTED, "%s; the file has more than %zu bytes", path, limit);
      goto cleanup;
    }
  }
cleanup:
  if (status) sli_string_deinitialize(out_bytes);
  sli_input_stream_release(stream);
  return status;
}
