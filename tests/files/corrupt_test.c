// Files in which a byte is changed, or which are truncated, at every position. Reading must return an error with the
// position, or the value that was written; where the format has no checksum, another value is possible. It must never
// crash or hang. (For bundles, V1 checkpoints and records see the tests of their readers.)
#include <unistd.h>
#include <zlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/test.h"
#include "io/checkpoint/checkpoint_state.h"
#include "io/event/event_proto.h"
#include "io/event/event_writer.h"
#include "io/file/file.h"
#include "io/file/path.h"
#include "io/record/record.h"
#include "proto/meta_graph.fields.h"
#include "proto/wire.h"
#include "sluice/mnist.h"
#include "tensorflow/c/c_api.h"

enum { TIME_LIMIT = 100 };  // seconds for one format, after which SIGALRM ends the process

// Reads the files in |directory|. Returns true and the contents in |out|, or false and the error.
typedef bool (*read_t)(const char *directory, sli_string_t *out);

typedef struct {
  const char *name;  // of the format
  read_t read;
  bool is_checked;        // a checksum covers every byte that means something
  bool names_file;        // errors name the file
  bool may_end_anywhere;  // a file that is cut may be a shorter one
} format_t;

static void write_bytes(const char *path, const char *data, size_t size) {
  sli_file_writer_t *writer;
  SLI_REQUIRE_OK(sli_file_writer_open(path, SLI_FILE_TRUNCATE, &writer));
  SLI_EXPECT_OK(sli_file_writer_write(writer, data, size));
  SLI_EXPECT_OK(sli_file_writer_close(writer));
  sli_file_writer_release(writer);
}

static void expect_sane(const format_t *format, const char *directory, const char *file, size_t at, int change,
                        const sli_string_t *wanted, size_t counts[2]) {
  sli_string_t found = {0};
  bool is_read = format->read(directory, &found);
  counts[is_read]++;
  bool same = found.size == wanted->size && memcmp(sli_string_text(&found), sli_string_text(wanted), found.size) == 0;
  bool is_cut = change == 0;
  if (is_read && format->is_checked && !same && !(is_cut && format->may_end_anywhere))
    sli_test_fail(__FILE__, __LINE__, "%s, %s byte %zu (%02x): read as something else", format->name, file, at, change);
  if (!is_read && (found.size == 0 || (format->names_file && !strstr(sli_string_text(&found), file))))
    sli_test_fail(__FILE__, __LINE__, "%s, byte %zu (%02x): the error '%s' does not name %s", format->name, at, change,
                  sli_string_text(&found), file);
  sli_string_deinitialize(&found);
}

// Damages |file| of |directory| at every place, and puts it right again.
static void damage(const format_t *format, const char *directory, const char *file) {
  static const int changes[] = {0x01, 0x80, 0xff};
  char *path = sli_path_join(directory, file);
  sli_string_t bytes, wanted = {0};
  SLI_REQUIRE_OK(sli_file_read_whole(path, 1 << 20, &bytes));
  if (!format->read(directory, &wanted))
    sli_test_fail(__FILE__, __LINE__, "%s: %s", format->name, sli_string_text(&wanted));
  size_t counts[2] = {0};
  alarm(TIME_LIMIT);
  for (size_t i = 0; i < bytes.size; i++) {
    for (size_t k = 0; k < SLI_ARRAY_COUNT_OF(changes); k++) {
      bytes.data[i] = (char)(bytes.data[i] ^ changes[k]);
      write_bytes(path, bytes.data, bytes.size);
      expect_sane(format, directory, file, i, changes[k], &wanted, counts);
      bytes.data[i] = (char)(bytes.data[i] ^ changes[k]);
    }
    write_bytes(path, bytes.data, i);
    expect_sane(format, directory, file, i, 0, &wanted, counts);
  }
  alarm(0);
  write_bytes(path, bytes.data, bytes.size);
  SLI_EXPECT(counts[0] > 0);
  printf("%s: %zu bytes, %zu errors, %zu reads\n", format->name, bytes.size, counts[0], counts[1]);
  sli_string_deinitialize(&wanted);
  sli_string_deinitialize(&bytes);
  free(path);
}

static char *make_directory(const char *name) {
  char *path = sli_path_join(sli_test_temporary_dir(), name);
  SLI_EXPECT_OK(sli_file_make_directories(path));
  return path;
}

static bool report(sli_status_t *status, sli_string_t *out) {
  if (!status) return true;
  sli_string_clear(out);
  sli_string_append_text(out, sli_status_message(status));
  sli_status_release(status);
  return false;
}

// --- The state of checkpoints --------------------------------------------------------------------------

static bool read_state(const char *directory, sli_string_t *out) {
  sli_checkpoint_state_t state;
  sli_status_t *status = sli_checkpoint_state_read(directory, NULL, &state);
  if (status) return report(status, out);
  for (size_t i = 0; i < state.count; i++) sli_string_append_format(out, "%s\n", state.all_paths[i]);
  sli_checkpoint_state_deinitialize(&state);
  return true;
}

SLI_TEST(test_corrupt_checkpoint_state) {
  char *directory = make_directory("state"), *newest = sli_path_join(directory, "model-2");
  sli_checkpoint_state_t state = {.model_checkpoint_path = newest};
  SLI_REQUIRE_OK(sli_checkpoint_state_write(directory, NULL, &state, true));
  damage(&(format_t){.name = "checkpoint state", .read = read_state, .names_file = true}, directory, "checkpoint");
  free(newest);
  free(directory);
}

// --- Event files ------------------------------------------------------------------------------------------

static bool read_events(const char *directory, sli_string_t *out) {
  char *path = sli_path_join(directory, "events");
  sli_record_reader_t *reader = NULL;
  sli_status_t *status = sli_record_reader_open(path, SLI_COMPRESSION_NONE, 0, &reader);
  for (sli_view_t record; !status;) {
    status = sli_record_reader_read(reader, &record);
    if (!status) sli_string_append(out, record.data, record.size);
  }
  sli_record_reader_release(reader);
  free(path);
  if (sli_status_code(status) != SLI_OUT_OF_RANGE) return report(status, out);
  sli_status_release(status);
  return true;
}

SLI_TEST(test_corrupt_event_file) {
  char *directory = make_directory("logs"), *path = sli_path_join(directory, "events");
  sli_event_writer_t *writer;
  SLI_REQUIRE_OK(sli_event_writer_create(directory, NULL, &writer));
  for (int i = 0; i < 3; i++) {
    sli_string_t event = {0};
    sli_event_proto_summary(&event, 1, i, sli_view(""));
    SLI_EXPECT_OK(sli_event_writer_add(writer, sli_view_of(event.data, event.size)));
    sli_string_deinitialize(&event);
  }
  SLI_EXPECT_OK(sli_event_writer_close(writer));
  SLI_EXPECT_OK(sli_file_rename(sli_event_writer_path(writer), path));
  sli_event_writer_release(writer);
  damage(&(format_t){.name = "event file", .read = read_events, .is_checked = true, .may_end_anywhere = true},
         directory, "events");
  free(path);
  free(directory);
}

// --- idx files -----------------------------------------------------------------------------------------------

static void append_number(sli_string_t *out, uint32_t number) {
  for (int shift = 24; shift >= 0; shift -= 8) sli_string_append_char(out, (char)(number >> shift));
}

static void write_idx(const char *directory, const char *name, bool pack, const sli_string_t *bytes) {
  char *full = sli_format("%s/%s%s", directory, name, pack ? ".gz" : "");
  gzFile file = gzopen(full, pack ? "wb" : "wbT");
  SLI_EXPECT(gzwrite(file, bytes->data, (unsigned)bytes->size) == (int)bytes->size);
  gzclose(file);
  free(full);
}

static char *make_mnist(const char *name, bool pack) {
  char *directory = make_directory(name);
  sli_string_t images = {0}, labels = {0};
  append_number(&images, 0x803);
  append_number(&images, 1);
  append_number(&images, 28);
  append_number(&images, 28);
  for (int i = 0; i < 784; i++) sli_string_append_char(&images, (char)(i / 8));
  append_number(&labels, 0x801);
  append_number(&labels, 1);
  sli_string_append_char(&labels, 7);
  write_idx(directory, "train-images-idx3-ubyte", pack, &images);
  write_idx(directory, "train-labels-idx1-ubyte", pack, &labels);
  write_idx(directory, "t10k-images-idx3-ubyte", pack, &images);
  write_idx(directory, "t10k-labels-idx1-ubyte", pack, &labels);
  sli_string_deinitialize(&images);
  sli_string_deinitialize(&labels);
  return directory;
}

static bool read_mnist(const char *directory, sli_string_t *out) {
  sl_scope_t *scope = sl_graph_scope();
  sl_mnist_t *mnist = sl_mnist_open(scope, directory, .seed = 1);
  if (mnist) {
    sl_batch_t batch = sl_mnist_next_batch(mnist, 1);
    sli_string_append(out, batch.images.data, 784 * sizeof(float));
    sli_string_append(out, batch.labels.data, sizeof(int64_t));
  } else {
    sli_string_append_text(out, sl_scope_error(scope));
  }
  sl_scope_release(scope);
  return mnist != NULL;
}

SLI_TEST(test_corrupt_idx_files) {
  char *plain = make_mnist("plain", false), *packed = make_mnist("packed", true);
  damage(&(format_t){.name = "idx images", .read = read_mnist, .names_file = true}, plain, "train-images-idx3-ubyte");
  damage(&(format_t){.name = "idx labels", .read = read_mnist, .names_file = true}, plain, "train-labels-idx1-ubyte");
  format_t checked = {.name = "idx images, packed", .read = read_mnist, .is_checked = true, .names_file = true};
  damage(&checked, packed, "train-images-idx3-ubyte.gz");
  checked.name = "idx labels, packed";
  damage(&checked, packed, "train-labels-idx1-ubyte.gz");
  free(plain);
  free(packed);
}

// --- Graphs ----------------------------------------------------------------------------------------------------

static bool end_status(TF_Status *status, sli_string_t *out) {
  bool good = TF_GetCode(status) == TF_OK;
  if (!good) sli_string_append_text(out, TF_Message(status));
  TF_DeleteStatus(status);
  return good;
}

static bool read_graph(const char *directory, sli_string_t *out) {
  char *path = sli_path_join(directory, "graph.pb");
  sli_string_t bytes;
  sli_status_t *unread = sli_file_read_whole(path, 1 << 20, &bytes);
  free(path);
  if (unread) return report(unread, out);
  TF_Buffer *buffer = TF_NewBufferFromString(sli_string_text(&bytes), bytes.size);
  TF_Graph *graph = TF_NewGraph();
  TF_ImportGraphDefOptions *options = TF_NewImportGraphDefOptions();
  TF_Status *status = TF_NewStatus();
  TF_GraphImportGraphDef(graph, buffer, options, status);
  TF_DeleteImportGraphDefOptions(options);
  TF_DeleteGraph(graph);
  TF_DeleteBuffer(buffer);
  sli_string_deinitialize(&bytes);
  return end_status(status, out);
}

static void read_golden(const char *name, sli_string_t *out_bytes) {
  char *path = sli_format("%s/%s", sli_test_golden_dir(), name);
  SLI_EXPECT_OK(sli_file_read_whole(path, 1 << 20, out_bytes));
  free(path);
}

SLI_TEST(test_corrupt_graph_def) {
  static const char *const graphs[] = {"01_hello_local_server.program.pb", "04_soft_placement.program.pb"};
  char *directory = make_directory("graph"), *path = sli_path_join(directory, "graph.pb");
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(graphs); i++) {
    char *name = sli_format("graphs/%s", graphs[i]);
    sli_string_t bytes;
    read_golden(name, &bytes);
    write_bytes(path, bytes.data, bytes.size);
    damage(&(format_t){.name = "GraphDef", .read = read_graph}, directory, "graph.pb");
    sli_string_deinitialize(&bytes);
    free(name);
  }
  free(path);
  free(directory);
}

static bool read_saved_model(const char *directory, sli_string_t *out) {
  const char *tag = "serve";
  TF_Graph *graph = TF_NewGraph();
  TF_SessionOptions *options = TF_NewSessionOptions();
  TF_Status *status = TF_NewStatus(), *ended = TF_NewStatus();
  TF_Session *session = TF_LoadSessionFromSavedModel(options, NULL, directory, &tag, 1, graph, NULL, status);
  if (session) TF_DeleteSession(session, ended);
  TF_DeleteStatus(ended);
  TF_DeleteSessionOptions(options);
  TF_DeleteGraph(graph);
  return end_status(status, out);
}

// A SavedModel is a MetaGraph with a tag and a version.
SLI_TEST(test_corrupt_saved_model_and_meta_graph) {
  static const char *const metas[] = {"01_hello_local_server.program.meta", "02_log_device_placement.program.meta"};
  char *directory = make_directory("model"), *path = sli_path_join(directory, "saved_model.pb");
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(metas); i++) {
    char *name = sli_format("graphs/%s", metas[i]);
    sli_string_t meta, model = {0};
    read_golden(name, &meta);
    sli_wire_write_int(&model, SLI_FIELD_SAVED_MODEL_SAVED_MODEL_SCHEMA_VERSION, 1);
    size_t mark = sli_wire_open(&model, SLI_FIELD_SAVED_MODEL_META_GRAPHS),
           info = sli_wire_open(&model, SLI_FIELD_META_GRAPH_DEF_META_INFO_DEF);
    sli_wire_write_text(&model, SLI_FIELD_META_GRAPH_DEF_META_INFO_DEF_TAGS, "serve");
    sli_wire_close(&model, info);
    sli_string_append(&model, meta.data, meta.size);
    sli_wire_close(&model, mark);
    write_bytes(path, model.data, model.size);
    damage(&(format_t){.name = "SavedModel", .read = read_saved_model}, directory, "saved_model.pb");
    sli_string_deinitialize(&model);
    sli_string_deinitialize(&meta);
    free(name);
  }
  free(path);
  free(directory);
}

SLI_TEST_MAIN(test_corrupt_checkpoint_state, test_corrupt_event_file, test_corrupt_idx_files, test_corrupt_graph_def,
              test_corrupt_saved_model_and_meta_graph)
