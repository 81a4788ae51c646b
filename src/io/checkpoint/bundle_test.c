#include "io/checkpoint/bundle.h"

#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>

#include "base/alloc.h"
#include "base/test.h"
#include "io/checkpoint/bundle_internal.h"
#include "io/checkpoint/table.h"
#include "io/file/path.h"

enum { FLOAT = 1, STRING = 7 };  // DataType

static char *golden(const char *name) { return sli_format("%s/checkpoints/%s", sli_test_golden_dir(), name); }
static char *temporary(const char *name) { return sli_path_join(sli_test_temporary_dir(), name); }

static void write_file(const char *path, sli_view_t bytes) {
  sli_file_writer_t *writer;
  SLI_REQUIRE_OK(sli_file_writer_open(path, SLI_FILE_TRUNCATE, &writer));
  SLI_EXPECT_OK(sli_file_writer_write(writer, bytes.data, bytes.size));
  SLI_EXPECT_OK(sli_file_writer_close(writer));
  sli_file_writer_release(writer);
}

static void expect_same_file(const char *prefix_a, const char *prefix_b, const char *suffix) {
  char *a = sli_format("%s%s", prefix_a, suffix), *b = sli_format("%s%s", prefix_b, suffix);
  sli_string_t in_a = {0}, in_b = {0};
  SLI_EXPECT_OK(sli_file_read_whole(a, 1 << 24, &in_a));
  SLI_EXPECT_OK(sli_file_read_whole(b, 1 << 24, &in_b));
  if (in_a.size != in_b.size || memcmp(in_a.data, in_b.data, in_a.size) != 0)
    sli_test_fail(__FILE__, __LINE__, "%s and %s differ", a, b);
  sli_string_deinitialize(&in_a);
  sli_string_deinitialize(&in_b);
  free(a);
  free(b);
}

static size_t entry_bytes(const sli_bundle_entry_t *entry, const sli_tensor_slice_extent_t *slice) {
  size_t size = sli_bundle_dtype_size(entry->dtype);
  for (int d = 0; d < entry->rank; d++) size *= (size_t)(slice ? slice[d].length : entry->dims[d]);
  return size;
}

// The listing: "name dtype [dims] [values]", values as JSON.

static double element_value(int dtype, const char *data, int64_t i) {
  switch (dtype) {
    case 1: return ((const float *)data)[i];
    case 2: return ((const double *)data)[i];
    case 3: return ((const int32_t *)data)[i];
    case 4: return ((const uint8_t *)data)[i];
    case 9: return (double)((const int64_t *)data)[i];
    case 10: return ((const uint8_t *)data)[i];
    case 14: {
      uint32_t bits = (uint32_t)((const uint16_t *)data)[i] << 16;
      float value;
      memcpy(&value, &bits, 4);
      return value;
    }
    case 19: {
      uint16_t bits = ((const uint16_t *)data)[i];
      return ldexp(1 + (bits & 1023) / 1024.0, (bits >> 10 & 31) - 15);
    }
    default: sli_test_fail(__FILE__, __LINE__, "dtype %d", dtype); return 0;
  }
}

// Compares values in |text|, which it advances, with |count| elements.
static void expect_numbers(const char *name, const char *text, int dtype, const char *data, int64_t count) {
  text++;
  for (int64_t i = 0; i < count; i++) {
    char *end;
    double wanted = !strncmp(text, "true", 4) ? 1 : !strncmp(text, "false", 5) ? 0 : strtod(text, &end);
    double value = element_value(dtype, data, i);
    if (value != wanted) {
      sli_test_fail(__FILE__, __LINE__, "%s[%lld] is %.17g, expected %.17g", name, (long long)i, value, wanted);
      return;
    }
    text = strpbrk(text, ",]");
    if (*text == ',') text += 2;
  }
  SLI_EXPECT(text[0] == ']');
}

static void expect_strings(const char *text, const sli_bundle_strings_t *strings) {
  text++;
  for (size_t i = 0; i < strings->count; i++) {
    sli_string_t wanted = {0};
    for (text++; *text != '"'; text++) {
      if (strncmp(text, "\\u0000", 6) == 0) {
        sli_string_append_char(&wanted, '\0');
        text += 5;
      } else {
        sli_string_append_char(&wanted, *text);
      }
    }
    SLI_EXPECT(sli_view_equal(strings->items[i], sli_view_of(wanted.data, wanted.size)));
    sli_string_deinitialize(&wanted);
    text++;
    if (*text == ',') text += 2;
  }
  SLI_EXPECT(*text == ']');
}

// Checks one line of the listing.
static void expect_tensor(sli_bundle_reader_t *reader, const char *line) {
  char name[64], dtype[32];
  SLI_REQUIRE(sscanf(line, "%63s %31s", name, dtype) == 2);
  const sli_bundle_entry_t *entry = sli_bundle_reader_find(reader, sli_view(name));
  SLI_REQUIRE(entry);
  const char *dims = strchr(line, '['), *values = strchr(dims + 1, '[');
  sli_string_t shape = {0};
  for (int d = 0; d < entry->rank; d++)
    sli_string_append_format(&shape, "%s%lld", d ? ", " : "", (long long)entry->dims[d]);
  SLI_EXPECT(strncmp(dims + 1, sli_string_text(&shape), shape.size) == 0 && dims[1 + shape.size] == ']');
  sli_string_deinitialize(&shape);
  if (entry->dtype == STRING) {
    SLI_EXPECT_TEXT(dtype, "string");
    sli_bundle_strings_t strings;
    SLI_REQUIRE_OK(sli_bundle_reader_read_strings(reader, entry, NULL, &strings));
    expect_strings(values, &strings);
    sli_bundle_strings_deinitialize(&strings);
    return;
  }
  size_t size = entry_bytes(entry, NULL);
  char *data = sli_malloc(size);
  SLI_EXPECT_OK(sli_bundle_reader_read(reader, entry, NULL, data, size));
  SLI_EXPECT_STATUS(sli_bundle_reader_read(reader, entry, NULL, data, size + 1), SLI_INVALID_ARGUMENT);
  if (strcmp(dtype, "complex64") == 0)
    SLI_EXPECT(((float *)data)[0] == 1 && ((float *)data)[1] == 2 && strstr(values, "(1+2j)"));
  else
    expect_numbers(name, values, entry->dtype, data, (int64_t)(size / sli_bundle_dtype_size(entry->dtype)));
  free(data);
}

SLI_TEST(test_bundle_golden_checkpoints_equal_their_listing) {
  static const char *const prefixes[] = {"single/model.ckpt-100", "several/model.ckpt-30", "partitioned/model.ckpt",
                                         "sharded/model.ckpt-7", "sharded_relative/model.ckpt-7"};
  for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
    char *prefix = golden(prefixes[i]), *listing = sli_format("%s.txt", prefix);
    sli_bundle_reader_t *reader;
    sli_string_t text;
    SLI_REQUIRE_OK(sli_bundle_reader_open(prefix, &reader));
    SLI_REQUIRE_OK(sli_file_read_whole(listing, 1 << 20, &text));
    const char *line = strstr(text.data, "\n# tensors");
    size_t count = 0;
    for (line = strchr(line + 1, '\n') + 1; *line; line = strchr(line, '\n') + 1, count++) expect_tensor(reader, line);
    SLI_EXPECT_INT(count, sli_bundle_reader_count(reader));
    SLI_EXPECT(count > 1);
    sli_string_deinitialize(&text);
    sli_bundle_reader_release(reader);
    free(listing);
    free(prefix);
  }
}

// Writes |entry| of |reader|, or its slices |first| and on, to |writer|.
static void copy_tensor(sli_bundle_reader_t *reader, const char *name, size_t first, size_t end,
                        sli_bundle_writer_t *writer) {
  const sli_bundle_entry_t *entry = sli_bundle_reader_find(reader, sli_view(name));
  SLI_REQUIRE(entry);
  for (size_t i = first; i < (entry->slice_count ? end : 1); i++) {
    const sli_tensor_slice_extent_t *slice = entry->slice_count ? entry->slices + i * (size_t)entry->rank : NULL;
    int64_t dims[8];
    for (int d = 0; d < entry->rank; d++) dims[d] = slice ? slice[d].length : entry->dims[d];
    sli_bundle_tensor_t tensor = {.dtype = entry->dtype, .rank = entry->rank, .dims = dims};
    sli_bundle_strings_t strings = {0};
    char *data = NULL;
    if (entry->dtype == STRING) {
      SLI_REQUIRE_OK(sli_bundle_reader_read_strings(reader, entry, slice, &strings));
      tensor.strings = strings.items;
    } else {
      tensor.size = entry_bytes(entry, slice);
      tensor.data = data = sli_malloc(tensor.size);
      SLI_EXPECT_OK(sli_bundle_reader_read(reader, entry, slice, data, tensor.size));
    }
    if (slice)
      SLI_EXPECT_OK(sli_bundle_writer_add_slice(writer, entry->name, entry->dims, slice, &tensor));
    else
      SLI_EXPECT_OK(sli_bundle_writer_add(writer, entry->name, &tensor));
    sli_bundle_strings_deinitialize(&strings);
    free(data);
  }
}

SLI_TEST(test_bundle_written_anew_equals_golden_byte_for_byte) {
  static const char *const prefixes[] = {"single/model.ckpt-100", "several/model.ckpt-30", "partitioned/model.ckpt"};
  for (size_t i = 0; i < 3; i++) {
    char *prefix = golden(prefixes[i]), *copy = temporary(prefixes[i]);
    sli_bundle_reader_t *reader;
    sli_bundle_writer_t *writer;
    SLI_REQUIRE_OK(sli_bundle_reader_open(prefix, &reader));
    SLI_REQUIRE_OK(sli_bundle_writer_create(copy, &writer));
    for (size_t k = 0; k < sli_bundle_reader_count(reader); k++) {
      char *name = sli_strndup(sli_bundle_reader_at(reader, k)->name.data, sli_bundle_reader_at(reader, k)->name.size);
      copy_tensor(reader, name, 0, sli_bundle_reader_at(reader, k)->slice_count, writer);
      free(name);
    }
    SLI_EXPECT_OK(sli_bundle_writer_finish(writer));
    sli_bundle_writer_release(writer);
    sli_bundle_reader_release(reader);
    expect_same_file(prefix, copy, ".index");
    expect_same_file(prefix, copy, ".data-00000-of-00001");
    free(copy);
    free(prefix);
  }
}

SLI_TEST(test_bundle_merge_equals_golden_byte_for_byte) {
  char *prefix = golden("sharded/model.ckpt-7"), *merged = temporary("merged/model.ckpt-7");
  char *parts[] = {temporary("merged/tmp/part-00000-of-00002"), temporary("merged/tmp/part-00001-of-00002")};
  sli_bundle_reader_t *reader;
  SLI_REQUIRE_OK(sli_bundle_reader_open(prefix, &reader));
  for (size_t i = 0; i < 2; i++) {
    sli_bundle_writer_t *writer;
    SLI_REQUIRE_OK(sli_bundle_writer_create(parts[i], &writer));
    if (i == 0) copy_tensor(reader, "a", 0, 0, writer);
    copy_tensor(reader, i == 0 ? "c" : "b", 0, 0, writer);
    copy_tensor(reader, "p/parts", i, i + 1, writer);
    SLI_EXPECT_OK(sli_bundle_writer_finish(writer));
    sli_bundle_writer_release(writer);
  }
  SLI_EXPECT_OK(sli_bundle_merge((const char *const *)parts, 2, merged));
  expect_same_file(prefix, merged, ".index");
  expect_same_file(prefix, merged, ".data-00000-of-00002");
  expect_same_file(prefix, merged, ".data-00001-of-00002");
  char *directory = temporary("merged/tmp");
  SLI_EXPECT_OK(sli_file_delete_directory(directory));
  free(directory);
  sli_bundle_reader_release(reader);
  free(parts[0]);
  free(parts[1]);
  free(merged);
  free(prefix);
}

static void write_one(const char *prefix, const char *name, const void *data, int64_t count) {
  sli_bundle_writer_t *writer;
  SLI_REQUIRE_OK(sli_bundle_writer_create(prefix, &writer));
  sli_bundle_tensor_t tensor = {
      .dtype = FLOAT, .rank = 1, .dims = &count, .data = data, .size = (size_t)count * sizeof(float)};
  if (name) SLI_EXPECT_OK(sli_bundle_writer_add(writer, sli_view(name), &tensor));
  SLI_EXPECT_OK(sli_bundle_writer_finish(writer));
  sli_bundle_writer_release(writer);
}

SLI_TEST(test_bundle_merge_of_same_tensor_fails_and_of_empty_shard_works) {
  char *a = temporary("dup/a"), *b = temporary("dup/b"), *merged = temporary("dup/all");
  const char *prefixes[] = {a, b};
  float one = 1;
  write_one(a, "x", &one, 1);
  write_one(b, "x", &one, 1);
  sli_status_t *status = sli_bundle_merge(prefixes, 2, merged);
  SLI_EXPECT_INT(sli_status_code(status), SLI_INVALID_ARGUMENT);
  SLI_EXPECT_CONTAINS(sli_status_message(status), "Duplicate tensor keyed by x encountered, when merging prefix: ");
  sli_status_release(status);
  write_one(b, NULL, NULL, 0);
  SLI_EXPECT_OK(sli_bundle_merge(prefixes, 2, merged));
  sli_bundle_reader_t *reader;
  SLI_REQUIRE_OK(sli_bundle_reader_open(merged, &reader));
  SLI_REQUIRE(sli_bundle_reader_count(reader) == 1);
  float value = 0;
  SLI_EXPECT_OK(sli_bundle_reader_read(reader, sli_bundle_reader_at(reader, 0), NULL, &value, sizeof(value)));
  SLI_EXPECT_INT(value, 1);
  sli_bundle_reader_release(reader);
  sli_path_list_t left;
  char *directory = temporary("dup");
  SLI_EXPECT_OK(sli_file_list(directory, &left));
  SLI_EXPECT_INT(left.count, 2);
  sli_path_list_deinitialize(&left);
  free(directory);
  free(merged);
  free(b);
  free(a);
}

SLI_TEST(test_bundle_any_slice_is_assembled_from_stored_ones) {
  static const char *const names[] = {"cols", "s/rows", "whole"};
  char *prefix = golden("partitioned/model.ckpt");
  sli_bundle_reader_t *reader;
  SLI_REQUIRE_OK(sli_bundle_reader_open(prefix, &reader));
  for (int n = 0; n < 2; n++) {
    const sli_bundle_entry_t *entry = sli_bundle_reader_find(reader, sli_view(names[n]));
    SLI_REQUIRE(entry);
    int64_t rows = entry->dims[0], cols = entry->dims[1];
    for (int64_t r = 0; r < rows; r++)
      for (int64_t c = 0; c < cols; c++)
        for (int64_t h = 1; h <= rows - r; h++)
          for (int64_t w = 1; w <= cols - c; w++) {
            float data[20];
            sli_tensor_slice_extent_t slice[] = {{r, h}, {c, w}};
            SLI_REQUIRE_OK(sli_bundle_reader_read(reader, entry, slice, data, (size_t)(h * w) * sizeof(float)));
            for (int64_t i = 0; i < h * w; i++) SLI_EXPECT_INT(data[i], (r + i / w) * cols + c + i % w);
          }
    float data[40];
    sli_tensor_slice_extent_t outside[] = {{1, rows}, {0, SLI_TENSOR_SLICE_ALL}},
                              row[] = {{1, 1}, {0, SLI_TENSOR_SLICE_ALL}};
    SLI_EXPECT_STATUS(sli_bundle_reader_read(reader, entry, outside, data, sizeof(data)), SLI_INVALID_ARGUMENT);
    SLI_EXPECT_OK(sli_bundle_reader_read(reader, entry, row, data, (size_t)cols * sizeof(float)));
    SLI_EXPECT_INT(data[1], cols + 1);
  }
  sli_bundle_reader_release(reader);
  free(prefix);
}

SLI_TEST(test_bundle_missing_and_overlapping_slices_are_errors) {
  char *prefix = temporary("holes");
  sli_bundle_writer_t *writer;
  SLI_REQUIRE_OK(sli_bundle_writer_create(prefix, &writer));
  int64_t dims[] = {6}, two = 2;
  float values[] = {1, 2};
  sli_bundle_tensor_t tensor = {.dtype = FLOAT, .rank = 1, .dims = &two, .data = values, .size = sizeof(values)};
  static const sli_tensor_slice_extent_t slices[] = {{0, 2}, {1, 2}, {4, 2}};
  for (int i = 0; i < 3; i++)
    SLI_EXPECT_OK(sli_bundle_writer_add_slice(writer, sli_view(i == 1 ? "y" : "x"), dims, &slices[i], &tensor));
  SLI_EXPECT_OK(sli_bundle_writer_add_slice(writer, sli_view("y"), dims, &slices[0], &tensor));
  SLI_EXPECT_OK(sli_bundle_writer_finish(writer));
  sli_bundle_writer_release(writer);
  sli_bundle_reader_t *reader;
  SLI_REQUIRE_OK(sli_bundle_reader_open(prefix, &reader));
  SLI_EXPECT_INT(sli_bundle_reader_count(reader), 2);
  const sli_bundle_entry_t *x = sli_bundle_reader_find(reader, sli_view("x")),
                           *y = sli_bundle_reader_find(reader, sli_view("y"));
  float data[6];
  sli_status_t *status = sli_bundle_reader_read(reader, x, NULL, data, sizeof(data));
  SLI_EXPECT_CONTAINS(sli_status_message(status),
                      "Does not have sufficient slices for partitioned tensor x to restore in slice_spec: 0,6");
  sli_status_release(status);
  sli_tensor_slice_extent_t tail = {4, 2}, head = {0, 3};
  SLI_EXPECT_OK(sli_bundle_reader_read(reader, x, &tail, data, 8));
  SLI_EXPECT_STATUS(sli_bundle_reader_read(reader, y, &head, data, 12), SLI_INTERNAL);
  sli_bundle_reader_release(reader);
  free(prefix);
}

SLI_TEST(test_bundle_writer_rejects_invalid_tensors) {
  char *prefix = temporary("bad");
  float values[4] = {0};
  static const int64_t dims[] = {2, 2}, wrong[] = {2, 3}, negative[] = {-2, -2};
  const struct {
    const char *name;
    sli_bundle_tensor_t tensor;
    sli_code_t code;
  } cases[] = {
      {"", {FLOAT, 2, dims, values, 16, NULL}, SLI_INVALID_ARGUMENT},
      {"x", {FLOAT, 2, wrong, values, 16, NULL}, SLI_INVALID_ARGUMENT},
      {"x", {FLOAT, 2, negative, values, 16, NULL}, SLI_INVALID_ARGUMENT},
      {"x", {20, 2, dims, values, 16, NULL}, SLI_UNIMPLEMENTED},
      {"good", {FLOAT, 2, dims, values, 16, NULL}, SLI_INVALID_ARGUMENT},
  };
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    sli_bundle_writer_t *writer;
    SLI_REQUIRE_OK(sli_bundle_writer_create(prefix, &writer));
    sli_bundle_tensor_t good = {FLOAT, 2, dims, values, 16, NULL};
    SLI_EXPECT_OK(sli_bundle_writer_add(writer, sli_view("good"), &good));
    SLI_EXPECT_STATUS(sli_bundle_writer_add(writer, sli_view(cases[i].name), &cases[i].tensor), cases[i].code);
    SLI_EXPECT_STATUS(sli_bundle_writer_add(writer, sli_view("other"), &good), cases[i].code);
    SLI_EXPECT_STATUS(sli_bundle_writer_finish(writer), cases[i].code);
    sli_bundle_writer_release(writer);
  }
  sli_bundle_reader_t *reader;
  SLI_EXPECT_STATUS(sli_bundle_reader_open(prefix, &reader), SLI_NOT_FOUND);
  free(prefix);
}

SLI_TEST(test_bundle_variants_are_read_as_they_were_written) {
  enum { DT_VARIANT = 21 };
  char *prefix = sli_format("%s/variants", sli_test_temporary_dir());
  const sli_view_t variants[] = {sli_view("one"), sli_view_of("", 0), sli_view("three")};
  const sli_bundle_tensor_t tensor = {.dtype = DT_VARIANT, .rank = 1, .dims = (int64_t[]){3}, .strings = variants};
  sli_bundle_writer_t *writer;
  SLI_REQUIRE_OK(sli_bundle_writer_create(prefix, &writer));
  SLI_EXPECT_OK(sli_bundle_writer_add(writer, sli_view("v"), &tensor));
  SLI_EXPECT_OK(sli_bundle_writer_finish(writer));
  sli_bundle_writer_release(writer);
  sli_bundle_reader_t *reader;
  sli_bundle_strings_t strings;
  SLI_REQUIRE_OK(sli_bundle_reader_open(prefix, &reader));
  const sli_bundle_entry_t *entry = sli_bundle_reader_find(reader, sli_view("v"));
  SLI_REQUIRE(entry != NULL);
  SLI_REQUIRE_OK(sli_bundle_reader_read_strings(reader, entry, NULL, &strings));
  SLI_EXPECT_INT(strings.count, 3);
  for (size_t i = 0; i < strings.count; i++) SLI_EXPECT(sli_view_equal(strings.items[i], variants[i]));
  sli_bundle_strings_deinitialize(&strings);
  sli_bundle_reader_release(reader);
  free(prefix);
}

SLI_TEST(test_bundle_failed_save_keeps_the_old_checkpoint) {
  char *directory = temporary("full"), *prefix = temporary("full/model");
  float *values = sli_calloc(1 << 18, sizeof(float));
  values[0] = 5;
  write_one(prefix, "x", values, 2);
  signal(SIGXFSZ, SIG_IGN);
  struct rlimit limit;
  getrlimit(RLIMIT_FSIZE, &limit);
  // First the data do not fit, then only the index does not.
  for (int i = 0; i < 2; i++) {
    sli_bundle_writer_t *writer;
    SLI_REQUIRE_OK(sli_bundle_writer_create(prefix, &writer));
    int64_t count = i == 0 ? 1 << 18 : 1;
    sli_bundle_tensor_t tensor = {FLOAT, 1, &count, values, (size_t)count * sizeof(float), NULL};
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){64, limit.rlim_max});
    sli_status_t *added = sli_bundle_writer_add(writer, sli_view("x"), &tensor);
    sli_status_t *finished = sli_bundle_writer_finish(writer);
    setrlimit(RLIMIT_FSIZE, &limit);
    SLI_EXPECT_INT(sli_status_code(added), i == 0 ? SLI_OUT_OF_RANGE : SLI_OK);
    SLI_EXPECT_CONTAINS(sli_status_message(finished), "File too large");
    sli_status_release(added);
    sli_status_release(finished);
    sli_bundle_writer_release(writer);
  }
  sli_path_list_t left;
  SLI_EXPECT_OK(sli_file_list(directory, &left));
  SLI_EXPECT_INT(left.count, 2);
  sli_path_list_deinitialize(&left);
  sli_bundle_reader_t *reader;
  SLI_REQUIRE_OK(sli_bundle_reader_open(prefix, &reader));
  float read[2];
  SLI_EXPECT_OK(sli_bundle_reader_read(reader, sli_bundle_reader_at(reader, 0), NULL, read, sizeof(read)));
  SLI_EXPECT_INT(read[0], 5);
  sli_bundle_reader_release(reader);
  free(values);
  free(prefix);
  free(directory);
}

// Reads everything and appends it to |out| as text. Returns the first error.
static sli_status_t *read_everything(const char *prefix, sli_string_t *out) {
  sli_bundle_reader_t *reader;
  SLI_RETURN_IF_ERROR(sli_bundle_reader_open(prefix, &reader));
  sli_status_t *status = NULL;
  for (size_t i = 0; !status && i < sli_bundle_reader_count(reader); i++) {
    const sli_bundle_entry_t *entry = sli_bundle_reader_at(reader, i);
    sli_string_append(out, entry->name.data, entry->name.size);
    sli_string_append_format(out, " %d", entry->dtype);
    for (int d = 0; d < entry->rank; d++) sli_string_append_format(out, ",%lld", (long long)entry->dims[d]);
    sli_bundle_strings_t strings = {0};
    size_t size = entry_bytes(entry, NULL);
    if (entry->dtype == STRING) {
      status = sli_bundle_reader_read_strings(reader, entry, NULL, &strings);
      for (size_t k = 0; k < strings.count; k++) sli_string_append(out, strings.items[k].data, strings.items[k].size);
    } else if (size < 1 << 20) {
      status = sli_bundle_reader_read(reader, entry, NULL, sli_string_extend(out, size), size);
    } else {
      status = sli_status_make(SLI_DATA_LOSS, "large");
    }
    sli_bundle_strings_deinitialize(&strings);
  }
  sli_bundle_reader_release(reader);
  return status;
}

static void damage(const char *source, const char *suffix, const char *other) {
  char *prefix = golden(source), *copy = temporary("damaged/model");
  char *path = sli_format("%s%s", copy, suffix), *from = sli_format("%s%s", prefix, suffix);
  char *other_path = sli_format("%s%s", copy, other), *other_from = sli_format("%s%s", prefix, other);
  char *directory = temporary("damaged");
  SLI_REQUIRE_OK(sli_file_make_directories(directory));
  sli_string_t bytes, rest, wanted = {0};
  SLI_REQUIRE_OK(sli_file_read_whole(from, 1 << 20, &bytes));
  SLI_REQUIRE_OK(sli_file_read_whole(other_from, 1 << 20, &rest));
  SLI_REQUIRE_OK(read_everything(prefix, &wanted));
  write_file(other_path, sli_view_of(rest.data, rest.size));
  size_t step = bytes.size > 1000 ? 61 : 1;
  for (size_t i = 0; i < bytes.size; i += step)
    for (int change = 0; change < 4; change++) {
      char old = bytes.data[i];
      bytes.data[i] = (char)(old ^ (1 << 2 * change));
      // The last change truncates the file at |i|.
      write_file(path, sli_view_of(bytes.data, change == 3 ? i : bytes.size));
      bytes.data[i] = old;
      sli_string_t got = {0};
      sli_status_t *status = read_everything(copy, &got);
      bool same = got.size == wanted.size && memcmp(got.data, wanted.data, got.size) == 0;
      if (!status && !same)
        sli_test_fail(__FILE__, __LINE__, "%s%s with byte %zu changed: no error", source, suffix, i);
      sli_status_release(status);
      sli_string_deinitialize(&got);
    }
  sli_string_deinitialize(&wanted);
  sli_string_deinitialize(&rest);
  sli_string_deinitialize(&bytes);
  free(directory);
  free(other_from);
  free(other_path);
  free(from);
  free(path);
  free(copy);
  free(prefix);
}

SLI_TEST(test_bundle_any_damaged_byte_is_noticed) {
  damage("partitioned/model.ckpt", ".index", ".data-00000-of-00001");
  damage("partitioned/model.ckpt", ".data-00000-of-00001", ".index");
  damage("single/model.ckpt-100", ".index", ".data-00000-of-00001");
  damage("single/model.ckpt-100", ".data-00000-of-00001", ".index");
}

SLI_TEST(test_bundle_checksum_error_names_file_tensor_and_offset) {
  char *prefix = temporary("named/model"), *path = sli_format("%s.data-00000-of-00001", prefix);
  float values[] = {1, 2};
  write_one(prefix, "layer/weights", values, 2);
  write_file(path, sli_view_of("\x00\x00\x80\x3f\x00\x00\x00\x41", 8));
  sli_bundle_reader_t *reader;
  SLI_REQUIRE_OK(sli_bundle_reader_open(prefix, &reader));
  sli_status_t *status = sli_bundle_reader_read(reader, sli_bundle_reader_at(reader, 0), NULL, values, sizeof(values));
  SLI_EXPECT_INT(sli_status_code(status), SLI_DATA_LOSS);
  SLI_EXPECT_CONTAINS(sli_status_message(status), "Checksum does not match: stored ");
  SLI_EXPECT_CONTAINS(sli_status_message(status), path);
  SLI_EXPECT_CONTAINS(sli_status_message(status), "tensor layer/weights at offset 0 of file");
  sli_status_release(status);
  SLI_EXPECT(!sli_bundle_reader_find(reader, sli_view("zz")));
  sli_bundle_reader_release(reader);
  free(path);
  free(prefix);
}

// Changes bytes of entries and fixes the checksums of their blocks: the reader must not rely on checksums alone.
SLI_TEST(test_bundle_index_of_hostile_bytes_is_rejected_or_read) {
  char *prefix = golden("partitioned/model.ckpt"), *copy = temporary("hostile/model"),
       *directory = temporary("hostile");
  char *from = sli_format("%s.index", prefix), *to = sli_format("%s.index", copy);
  SLI_REQUIRE_OK(sli_file_make_directories(directory));
  sli_table_t *table;
  SLI_REQUIRE_OK(sli_table_open(from, &table));
  unsigned state = 7;
  for (int round = 0; round < 3000; round++) {
    sli_file_writer_t *file;
    SLI_REQUIRE_OK(sli_file_writer_open(to, SLI_FILE_TRUNCATE, &file));
    sli_table_writer_t *writer = sli_table_writer_create(file);
    sli_table_iterator_t *iterator = sli_table_iterator_create(table);
    SLI_REQUIRE_OK(sli_table_iterator_seek(iterator, sli_view_of("", 0)));
    for (int i = 0; sli_table_iterator_valid(iterator); i++) {
      sli_view_t value = sli_table_iterator_value(iterator);
      char bytes[256];
      memcpy(bytes, value.data, value.size);
      if (i == round % 9) {
        state = state * 1103515245u + 12345u;
        bytes[(state >> 16) % value.size] = (char)(state >> 8);
        if (round % 4 == 0) value.size = (state >> 20) % value.size;
      }
      SLI_EXPECT_OK(sli_table_writer_add(writer, sli_table_iterator_key(iterator), sli_view_of(bytes, value.size)));
      SLI_REQUIRE_OK(sli_table_iterator_next(iterator));
    }
    SLI_EXPECT_OK(sli_table_writer_finish(writer));
    SLI_EXPECT_OK(sli_file_writer_close(file));
    sli_table_iterator_release(iterator);
    sli_table_writer_release(writer);
    sli_file_writer_release(file);
    sli_string_t got = {0};
    sli_status_release(read_everything(copy, &got));
    sli_string_deinitialize(&got);
  }
  sli_table_release(table);
  free(to);
  free(from);
  free(directory);
  free(copy);
  free(prefix);
}

static void *read_many(void *context) {
  sli_bundle_reader_t *reader = context;
  for (int round = 0; round < 50; round++) {
    const sli_bundle_entry_t *entry = sli_bundle_reader_find(reader, sli_view(round % 2 ? "p/parts" : "b"));
    char data[32];
    size_t size = entry_bytes(entry, NULL);
    SLI_EXPECT_OK(sli_bundle_reader_read(reader, entry, NULL, data, size));
    SLI_EXPECT_INT(round % 2 ? (int64_t)((float *)data)[7] : ((int64_t *)data)[2], round % 2 ? 7 : 2);
  }
  return NULL;
}

SLI_TEST(test_bundle_reader_serves_several_threads) {
  char *prefix = golden("sharded/model.ckpt-7");
  sli_bundle_reader_t *reader;
  SLI_REQUIRE_OK(sli_bundle_reader_open(prefix, &reader));
  pthread_t threads[3];
  for (int i = 0; i < 3; i++) pthread_create(&threads[i], NULL, read_many, reader);
  for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
  sli_bundle_reader_release(reader);
  free(prefix);
}

SLI_TEST(test_slice_spec_parses_as_tensorflow_does) {
  sli_tensor_slice_spec_t spec;
  SLI_REQUIRE_OK(sli_tensor_slice_spec_parse(sli_view("10 2 4,3:-"), &spec));
  SLI_EXPECT_INT(spec.rank, 2);
  SLI_EXPECT_INT(spec.dims[0], 10);
  SLI_EXPECT_INT(spec.slice[0].start, 4);
  SLI_EXPECT_INT(spec.slice_dims[0], 3);
  SLI_EXPECT_INT(spec.slice_dims[1], 2);
  sli_tensor_slice_spec_deinitialize(&spec);
  static const struct {
    const char *spec;
    sli_code_t code;
  } bad[] = {{"-", SLI_INVALID_ARGUMENT},
             {"", SLI_INVALID_ARGUMENT},
             {"x -", SLI_INVALID_ARGUMENT},
             {"10 0,0", SLI_INVALID_ARGUMENT},
             {"10 -1,2", SLI_INVALID_ARGUMENT},
             {"10 1", SLI_INVALID_ARGUMENT},
             {"10 8,3", SLI_INTERNAL},
             {"10 2 0,3", SLI_INTERNAL},
             {"9223372036854775807 9223372036854775807 -:-", SLI_INVALID_ARGUMENT}};
  for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
    SLI_EXPECT_STATUS(sli_tensor_slice_spec_parse(sli_view(bad[i].spec), &spec), bad[i].code);
}

SLI_TEST_MAIN(test_bundle_golden_checkpoints_equal_their_listing, test_bundle_written_anew_equals_golden_byte_for_byte,
              test_bundle_merge_equals_golden_byte_for_byte,
              test_bundle_merge_of_same_tensor_fails_and_of_empty_shard_works,
              test_bundle_any_slice_is_assembled_from_stored_ones,
              test_bundle_missing_and_overlapping_slices_are_errors, test_bundle_writer_rejects_invalid_tensors,
              test_bundle_variants_are_read_as_they_were_written, test_bundle_failed_save_keeps_the_old_checkpoint,
              test_bundle_any_damaged_byte_is_noticed, test_bundle_checksum_error_names_file_tensor_and_offset,
              test_bundle_index_of_hostile_bytes_is_rejected_or_read, test_bundle_reader_serves_several_threads,
              test_slice_spec_parses_as_tensorflow_does)
