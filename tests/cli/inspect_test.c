// `sluice inspect` with files that TensorFlow wrote, and with damaged copies of them: output and exit code.
#include <fcntl.h>
#include <jansson.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/clock.h"
#include "base/process.h"
#include "base/string.h"
#include "base/test.h"
#include "io/event/event_proto.h"
#include "io/event/event_writer.h"
#include "io/file/file.h"
#include "proto/graph.fields.h"
#include "proto/meta_graph.fields.h"
#include "proto/summary.fields.h"
#include "proto/wire.h"
#include "tests/support/tool.h"

// Flips the bits of one byte.
static void damage_file(const char *path, size_t offset) {
  sli_string_t bytes = tool_read_file(path);
  SLI_REQUIRE(offset < bytes.size);
  bytes.data[offset] ^= 0xff;
  tool_write_file(path, bytes.data, bytes.size);
  sli_string_deinitialize(&bytes);
}

#define RUN(run, ...) tool_run(run, -1, (const char *const[]){"inspect", __VA_ARGS__, NULL})

// The report of "inspect --json ARGUMENTS…"; new reference, or NULL and a failed test if it is not JSON.
static json_t *run_json(int wanted_code, const char *const *arguments) {
  tool_run_t run;
  tool_run(&run, -1, arguments);
  SLI_EXPECT_INT(run.code, wanted_code);
  json_t *report = json_loads(run.out, 0, NULL);
  if (!report) sli_test_fail(__FILE__, __LINE__, "no JSON: %s%s", run.out, run.err);
  tool_run_release(&run);
  return report;
}
#define REPORT(wanted_code, ...) run_json(wanted_code, (const char *const[]){"inspect", "--json", __VA_ARGS__, NULL})

// The row of |list| whose |key| is |value|; borrowed.
static json_t *find_row(const json_t *list, const char *key, const char *value) {
  size_t i;
  json_t *row;
  json_array_foreach(list, i, row) {
    const char *text = json_string_value(json_object_get(row, key));
    if (text && !strcmp(text, value)) return row;
  }
  return NULL;
}

static long long get_int(const json_t *object, const char *key) {
  return json_integer_value(json_object_get(object, key));
}
static const char *get_text(const json_t *object, const char *key) {
  return json_string_value(json_object_get(object, key));
}

// Expects exit code |code|, nothing on stdout, and one line on stderr with |part| in it.
static void expect_refusal(tool_run_t *run, int code, const char *part) {
  SLI_EXPECT_INT(run->code, code);
  SLI_EXPECT_TEXT(run->out, "");
  SLI_EXPECT_CONTAINS(run->err, "sluice: ");
  SLI_EXPECT_CONTAINS(run->err, part);
  const char *end = strchr(run->err, '\n');
  SLI_EXPECT(end && end[1] == '\0');
  tool_run_release(run);
}

// --- Checkpoints ---

SLI_TEST(test_checkpoint_is_found_under_each_of_its_names) {
  static const char *const names[] = {"checkpoints/sharded", "checkpoints/sharded/checkpoint",
                                      "checkpoints/sharded/model.ckpt-7", "checkpoints/sharded/model.ckpt-7.index",
                                      "checkpoints/sharded/model.ckpt-7.data-00001-of-00002"};
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(names); i++) {
    json_t *report = REPORT(0, tool_golden(names[i]));
    SLI_EXPECT_TEXT(get_text(report, "kind"), "checkpoint");
    SLI_EXPECT_TEXT(get_text(report, "format"), "V2");
    SLI_EXPECT_INT(json_array_size(json_object_get(report, "files")), 3);
    SLI_EXPECT_INT(get_int(json_object_get(report, "total"), "tensors"), 4);
    SLI_EXPECT_INT(get_int(json_object_get(report, "total"), "bytes"), 81);
    json_decref(report);
  }
}

SLI_TEST(test_checkpoint_lists_shapes_types_and_slices) {
  json_t *report = REPORT(0, tool_golden("checkpoints/partitioned/model.ckpt"));
  json_t *rows = find_row(json_object_get(report, "tensors"), "name", "s/rows");
  SLI_EXPECT_TEXT(get_text(rows, "dtype"), "float32");
  SLI_EXPECT_INT(get_int(rows, "bytes"), 80);
  SLI_EXPECT_INT(json_integer_value(json_array_get(json_object_get(rows, "shape"), 0)), 10);
  SLI_EXPECT_INT(json_array_size(json_object_get(rows, "slices")), 3);
  json_decref(report);
  report = REPORT(0, tool_golden("checkpoints/single"));
  SLI_EXPECT_INT(json_array_size(json_object_get(report, "tensors")), 13);
  SLI_EXPECT_TEXT(get_text(find_row(json_object_get(report, "tensors"), "name", "bf16"), "dtype"), "bfloat16");
  json_decref(report);
}

SLI_TEST(test_checkpoint_of_old_format_is_read) {
  json_t *report = REPORT(0, tool_golden("checkpoints/v1_format/model.ckpt"), "--verify");
  SLI_EXPECT_TEXT(get_text(report, "format"), "V1");
  SLI_EXPECT_INT(get_int(json_object_get(report, "total"), "bytes"), 24);
  SLI_EXPECT(json_is_true(json_object_get(json_object_get(report, "verify"), "good")));
  json_decref(report);
}

SLI_TEST(test_values_are_shown_as_numpy_does) {
  static const struct {
    const char *name, *shown;
  } cases[] = {
      {"f32", "f32  float32  [2,3]\n[[  0. 0.25  0.5]\n [0.75   1. 1.25]]\n"},
      {"big", "big  float32  [5000]\n[   0.    1.    2. ... 4997. 4998. 4999.]\nmin 0, max 4999, mean 2499.5\n"},
      {"bool", "[ True False  True]\n"},
      {"c64", "[1.+2.j]\n"},
      {"half", "[0.099975586      65504.]\n"},
      {"bf16", "[0.100097656          3.]\n"},
      {"i64", "[1099511627776            -1]\n"},
      {"str", "[b'hello' b'' b'a\\x00ba\\x00ba\\x00b']\n"},
      {"scope/scalar", "scope/scalar  float32  []\n7.\n"},
      {"empty", "empty  float32  [0,3]\n[]\n"},
  };
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(cases); i++) {
    tool_run_t run;
    RUN(&run, tool_golden("checkpoints/single"), "--values", cases[i].name);
    SLI_EXPECT_INT(run.code, 0);
    SLI_EXPECT_CONTAINS(run.out, cases[i].shown);
    tool_run_release(&run);
  }
}

SLI_TEST(test_values_are_put_together_from_slices_and_bounded_in_json) {
  json_t *report = REPORT(0, tool_golden("checkpoints/partitioned"), "--values", "s/rows", "--limit", "5");
  json_t *tensor = json_object_get(report, "tensor"), *values = json_object_get(tensor, "values");
  SLI_EXPECT_INT(json_array_size(values), 5);
  SLI_EXPECT(json_is_true(json_object_get(tensor, "truncated")));
  json_decref(report);
  report = REPORT(0, tool_golden("checkpoints/partitioned"), "--values", "s/rows");
  tensor = json_object_get(report, "tensor");
  SLI_EXPECT_INT(json_array_size(json_object_get(tensor, "values")), 20);
  SLI_EXPECT(json_is_false(json_object_get(tensor, "truncated")));
  json_decref(report);
}

static void copy_single(void) {
  tool_copy_file(tool_golden("checkpoints/single/model.ckpt-100.index"), tool_scratch("m.index"));
  tool_copy_file(tool_golden("checkpoints/single/model.ckpt-100.data-00000-of-00001"),
                 tool_scratch("m.data-00000-of-00001"));
}

SLI_TEST(test_verify_names_file_and_tensor_of_each_damaged_byte) {
  tool_run_t run;
  copy_single();
  RUN(&run, tool_scratch("m"), "--verify");
  SLI_EXPECT_INT(run.code, 0);
  SLI_EXPECT_CONTAINS(run.out, "verified: all checksums match, ");
  tool_run_release(&run);
  damage_file(tool_scratch("m.data-00000-of-00001"), 10000);
  RUN(&run, tool_scratch("m"), "--verify");
  SLI_EXPECT_INT(run.code, 1);
  SLI_EXPECT_CONTAINS(run.out, "damaged: big: ");
  SLI_EXPECT(!strstr(run.out, "verified"));
  SLI_EXPECT_CONTAINS(run.err, "Checksum does not match");
  SLI_EXPECT_CONTAINS(run.err, "tensor big at offset ");
  SLI_EXPECT_CONTAINS(run.err, "m.data-00000-of-00001");
  tool_run_release(&run);
  // The list itself does not need the data.
  RUN(&run, tool_scratch("m"));
  SLI_EXPECT_INT(run.code, 0);
  tool_run_release(&run);
  RUN(&run, tool_scratch("m"), "--values", "big");
  expect_refusal(&run, 1, "tensor big at offset ");
}

SLI_TEST(test_verify_tells_missing_and_short_data) {
  tool_run_t run;
  copy_single();
  unlink(tool_scratch("m.data-00000-of-00001"));
  RUN(&run, tool_scratch("m.index"), "--verify");
  SLI_EXPECT_INT(run.code, 1);
  SLI_EXPECT_CONTAINS(run.err, "m.data-00000-of-00001; No such file or directory");
  tool_run_release(&run);
  tool_write_file(tool_scratch("m.data-00000-of-00001"), "abc", 3);
  json_t *report = REPORT(1, tool_scratch("m"), "--verify");
  json_t *errors = json_object_get(json_object_get(report, "verify"), "errors");
  SLI_EXPECT(json_array_size(errors) >= 10 && find_row(errors, "tensor", "str"));
  json_decref(report);
}

SLI_TEST(test_damaged_index_is_refused_or_harmless_wherever_the_damage_is) {
  tool_run_t good, run;
  copy_single();
  RUN(&good, tool_scratch("m"), "--verify");
  sli_string_t index = tool_read_file(tool_scratch("m.index"));
  size_t refused = 0, tried = 0;
  for (size_t offset = 0; offset < index.size; offset += 13, tried++) {
    copy_single();
    damage_file(tool_scratch("m.index"), offset);
    RUN(&run, tool_scratch("m.index"), "--verify");
    refused += run.code == 1;
    // Some bytes mean nothing: the empty block, the padding of the footer.
    if (run.code != 1) SLI_EXPECT_TEXT(run.out, good.out);
    tool_run_release(&run);
  }
  SLI_EXPECT(refused >= tried * 3 / 4 && refused <= tried);
  sli_string_deinitialize(&index);
  tool_run_release(&good);
}

SLI_TEST(test_unknown_tensor_is_refused_with_the_nearest) {
  tool_run_t run;
  RUN(&run, tool_golden("checkpoints/single"), "--values", "scope/scaler");
  expect_refusal(&run, 1, "did you mean 'scope/scalar'?");
  RUN(&run, tool_golden("checkpoints/single"), "--values", "quite/another");
  expect_refusal(&run, 1, "no tensor 'quite/another' in checkpoint");
}

// --- Event files ---

SLI_TEST(test_event_file_lists_tags_and_last_values) {
  json_t *report = REPORT(0, tool_golden("events"));
  SLI_EXPECT_TEXT(get_text(report, "kind"), "event file");
  SLI_EXPECT_TEXT(get_text(report, "version"), "brain.Event:2");
  SLI_EXPECT_INT(get_int(report, "events"), 12);
  SLI_EXPECT_INT(get_int(report, "graphs"), 1);
  SLI_EXPECT_INT(get_int(report, "meta_graphs"), 2);
  SLI_EXPECT_INT(get_int(report, "last_step"), 3);
  json_t *tags = json_object_get(report, "tags"), *loss = find_row(tags, "tag", "loss");
  SLI_EXPECT_INT(get_int(loss, "count"), 3);
  SLI_EXPECT_INT(get_int(loss, "last_step"), 2);
  SLI_EXPECT_NEAR(json_number_value(json_object_get(loss, "last_value")), 18, 0);
  SLI_EXPECT_TEXT(get_text(find_row(tags, "tag", "hist"), "kind"), "histogram");
  SLI_EXPECT_TEXT(get_text(find_row(tags, "tag", "img/image/0"), "kind"), "image");
  SLI_EXPECT_TEXT(get_text(find_row(tags, "tag", "note"), "last_value"), "hello *text*");
  SLI_EXPECT(!json_object_get(report, "damage"));
  json_decref(report);
}

SLI_TEST(test_event_file_cut_off_is_shown_and_only_verify_fails) {
  tool_run_t run;
  sli_string_t bytes = tool_read_file(tool_golden("events/events.out.tfevents.golden"));
  const char *path = tool_scratch("events.out.tfevents.cut");
  tool_write_file(path, bytes.data, bytes.size - 5);
  RUN(&run, path);
  SLI_EXPECT_INT(run.code, 0);
  SLI_EXPECT_CONTAINS(run.out, "11 events, ");
  SLI_EXPECT_CONTAINS(run.out, "damaged: truncated record at ");
  SLI_EXPECT_TEXT(run.err, "");
  tool_run_release(&run);
  RUN(&run, path, "--verify");
  SLI_EXPECT_INT(run.code, 1);
  SLI_EXPECT_CONTAINS(run.err, "events.out.tfevents.cut' is damaged: truncated record at ");
  tool_run_release(&run);
  tool_write_file(path, "", 0);
  json_t *report = REPORT(0, path);
  SLI_EXPECT_INT(get_int(report, "events"), 0);
  json_decref(report);
  sli_string_deinitialize(&bytes);
}

// An event file of ours: a scalar that goes 0, 1, …, 99, and one that is not a number.
static const char *write_events(void) {
  static char path[512];
  sli_event_writer_t *writer = NULL;
  SLI_EXPECT_OK(sli_event_writer_create(tool_scratch("plots"), "", &writer));
  for (int step = 0; step < 100; step++) {
    sli_string_t summary = {0}, event = {0};
    size_t value = sli_wire_open(&summary, SLI_FIELD_SUMMARY_VALUE);
    sli_wire_write_text(&summary, SLI_FIELD_SUMMARY_VALUE_TAG, "up");
    sli_wire_write_float(&summary, SLI_FIELD_SUMMARY_VALUE_SIMPLE_VALUE, (float)step);
    sli_wire_close(&summary, value);
    value = sli_wire_open(&summary, SLI_FIELD_SUMMARY_VALUE);
    sli_wire_write_text(&summary, SLI_FIELD_SUMMARY_VALUE_TAG, "bad\033[31m\n");
    sli_wire_write_float(&summary, SLI_FIELD_SUMMARY_VALUE_SIMPLE_VALUE, NAN);
    sli_wire_close(&summary, value);
    sli_event_proto_summary(&event, 1700000000 + step, step, sli_view_of(summary.data, summary.size));
    SLI_EXPECT_OK(sli_event_writer_add(writer, sli_view_of(event.data, event.size)));
    sli_string_deinitialize(&summary);
    sli_string_deinitialize(&event);
  }
  SLI_EXPECT_OK(sli_event_writer_close(writer));
  snprintf(path, sizeof(path), "%s", sli_event_writer_path(writer));
  sli_event_writer_release(writer);
  return path;
}

SLI_TEST(test_plot_draws_a_scalar_and_nothing_else) {
  tool_run_t run;
  const char *path = write_events();
  RUN(&run, path, "--plot", "up");
  SLI_EXPECT_INT(run.code, 0);
  SLI_EXPECT_CONTAINS(run.out, "up (100 points)\n        99 ┤");
  SLI_EXPECT_CONTAINS(run.out, "\n         0 ┤⣀");  // starts at the bottom left
  SLI_EXPECT_CONTAINS(run.out, "⠉\n");              // ends at the top right
  tool_run_release(&run);
  RUN(&run, path, "--plot", "bad\033[31m\n");
  SLI_EXPECT_CONTAINS(run.out, "(no finite values)");
  SLI_EXPECT(!strchr(run.out, '\033'));
  tool_run_release(&run);
  RUN(&run, path, "--plot", "upp");
  expect_refusal(&run, 1, "did you mean 'up'?");
  RUN(&run, tool_golden("events/events.out.tfevents.golden"), "--plot", "hist");
  expect_refusal(&run, 1, "it is a histogram, not a scalar");
}

SLI_TEST(test_plot_of_the_last_possible_step) {
  sli_event_writer_t *writer = NULL;
  SLI_EXPECT_OK(sli_event_writer_create(tool_scratch("late"), "", &writer));
  sli_string_t summary = {0}, event = {0};
  size_t value = sli_wire_open(&summary, SLI_FIELD_SUMMARY_VALUE);
  sli_wire_write_text(&summary, SLI_FIELD_SUMMARY_VALUE_TAG, "loss");
  sli_wire_write_float(&summary, SLI_FIELD_SUMMARY_VALUE_SIMPLE_VALUE, 1);
  sli_wire_close(&summary, value);
  sli_event_proto_summary(&event, 1700000000, INT64_MAX, sli_view_of(summary.data, summary.size));
  SLI_EXPECT_OK(sli_event_writer_add(writer, sli_view_of(event.data, event.size)));
  SLI_EXPECT_OK(sli_event_writer_close(writer));
  tool_run_t run;
  RUN(&run, sli_event_writer_path(writer), "--plot", "loss", "--json");
  SLI_EXPECT_INT(run.code, 0);
  SLI_EXPECT(strstr(run.out, "9223372036854775807") && !strstr(run.out, "-9223372036854775808"));
  tool_run_release(&run);
  sli_string_deinitialize(&summary);
  sli_string_deinitialize(&event);
  sli_event_writer_release(writer);
}

SLI_TEST(test_foreign_names_do_not_reach_the_terminal_raw) {
  tool_run_t run;
  RUN(&run, write_events());
  SLI_EXPECT_INT(run.code, 0);
  SLI_EXPECT_CONTAINS(run.out, "bad\\x1b[31m\\n  scalar    100      0    99  nan\n");
  SLI_EXPECT(!strchr(run.out, '\033'));
  tool_run_release(&run);
}

// --- TFRecords ---

SLI_TEST(test_records_are_counted_whatever_their_packing) {
  static const char *const names[][2] = {
      {"tfrecord/plain.tfrecord", ""}, {"tfrecord/gzip.tfrecord", "GZIP"}, {"tfrecord/zlib.tfrecord", "ZLIB"}};
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(names); i++) {
    tool_copy_file(tool_golden(names[i][0]), tool_scratch("no_telling_name"));
    json_t *report = REPORT(0, tool_scratch("no_telling_name"), "--limit", "2");
    SLI_EXPECT_TEXT(get_text(report, "kind"), "TFRecord file");
    SLI_EXPECT_TEXT(get_text(report, "compression"), names[i][1]);
    SLI_EXPECT_INT(get_int(report, "records"), 22);
    SLI_EXPECT_INT(get_int(report, "examples"), 20);
    SLI_EXPECT_INT(get_int(report, "largest"), 100000);
    json_t *label = find_row(json_object_get(report, "features"), "name", "label");
    SLI_EXPECT_TEXT(get_text(label, "kind"), "int64");
    SLI_EXPECT_INT(get_int(label, "min_length"), 2);
    json_t *first = json_object_get(report, "first");
    SLI_EXPECT_INT(json_array_size(first), 2);
    label = find_row(json_object_get(json_array_get(first, 1), "features"), "name", "label");
    SLI_EXPECT_INT(json_integer_value(json_array_get(json_object_get(label, "values"), 1)), -1);
    json_decref(report);
  }
}

SLI_TEST(test_sequence_examples_are_told_apart) {
  json_t *report = REPORT(0, tool_golden("tfrecord/sequence.tfrecord"));
  SLI_EXPECT_INT(get_int(report, "sequence_examples"), 1);
  json_t *list = find_row(json_object_get(report, "features"), "name", "f");
  SLI_EXPECT(json_is_true(json_object_get(list, "list")));
  SLI_EXPECT_INT(get_int(list, "max_length"), 3);
  json_decref(report);
}

SLI_TEST(test_damaged_records_fail_after_what_is_good) {
  tool_run_t run;
  RUN(&run, tool_golden("tfrecord/truncated.tfrecord"));
  SLI_EXPECT_INT(run.code, 1);
  SLI_EXPECT_CONTAINS(run.out, "3 records, ");
  SLI_EXPECT_CONTAINS(run.err, "is damaged after 3 good records: truncated record at 267");
  tool_run_release(&run);
  json_t *report = REPORT(1, tool_golden("tfrecord/corrupt_data_crc.tfrecord"));
  SLI_EXPECT_INT(get_int(report, "records"), 0);
  SLI_EXPECT_CONTAINS(get_text(report, "damage"), "corrupted record at 12");
  json_decref(report);
}

// --- Graphs ---

SLI_TEST(test_graph_counts_ops_devices_and_constants) {
  json_t *report = REPORT(0, tool_golden("graphs/10_sync_supervisor.worker0.pb"));
  SLI_EXPECT_TEXT(get_text(report, "kind"), "GraphDef");
  SLI_EXPECT_INT(get_int(report, "nodes"), 186);
  SLI_EXPECT_INT(get_int(json_object_get(report, "versions"), "producer"), 1645);
  SLI_EXPECT_INT(get_int(find_row(json_object_get(report, "ops"), "op", "Const"), "count"), 53);
  SLI_EXPECT_INT(get_int(find_row(json_object_get(report, "devices"), "device", "/job:ps/task:0"), "count"), 47);
  SLI_EXPECT_INT(json_array_size(json_object_get(report, "missing_ops")), 0);
  SLI_EXPECT_INT(json_array_size(json_object_get(report, "variables")), 4);
  SLI_EXPECT_INT(json_array_size(json_object_get(json_object_get(report, "constants"), "list")), 53);
  json_decref(report);
}

SLI_TEST(test_meta_graph_has_collections_under_any_name) {
  tool_copy_file(tool_golden("graphs/10_sync_supervisor.worker0.meta"), tool_scratch("model.pb"));
  json_t *report = REPORT(0, tool_scratch("model.pb"));
  SLI_EXPECT_TEXT(get_text(report, "kind"), "MetaGraphDef");
  SLI_EXPECT_INT(get_int(report, "nodes"), 186);
  json_t *variables = find_row(json_object_get(report, "collections"), "name", "variables");
  SLI_EXPECT_INT(get_int(variables, "count"), 3);
  json_decref(report);
  tool_copy_file(tool_golden("graphs/10_sync_supervisor.worker0.pb"), tool_scratch("model.meta"));
  report = REPORT(0, tool_scratch("model.meta"));
  SLI_EXPECT_TEXT(get_text(report, "kind"), "GraphDef");
  json_decref(report);
}

SLI_TEST(test_ops_that_sluice_lacks_are_named) {
  sli_string_t graph = {0};
  for (int i = 0; i < 2; i++) {
    size_t node = sli_wire_open(&graph, SLI_FIELD_GRAPH_DEF_NODE);
    sli_wire_write_text(&graph, SLI_FIELD_NODE_DEF_NAME, i ? "b" : "a");
    sli_wire_write_text(&graph, SLI_FIELD_NODE_DEF_OP, "FrobnicateV9");
    sli_wire_close(&graph, node);
  }
  tool_run_t run;
  tool_write_file(tool_scratch("odd.pb"), graph.data, graph.size);
  RUN(&run, tool_scratch("odd.pb"));
  SLI_EXPECT_INT(run.code, 0);
  SLI_EXPECT_CONTAINS(run.out, "Sluice has no op FrobnicateV9 (2, first 'a')\n");
  tool_run_release(&run);
  sli_string_deinitialize(&graph);
}

// A SavedModel of |meta| (a MetaGraphDef) with one signature.
static void write_saved_model(const char *directory) {
  sli_string_t meta = tool_read_file(tool_golden("graphs/06_example.client.meta")), model = {0};
  size_t entry = sli_wire_open(&meta, SLI_FIELD_META_GRAPH_DEF_SIGNATURE_DEF);
  sli_wire_write_text(&meta, SLI_FIELD_META_GRAPH_DEF_SIGNATURE_DEF_ENTRY_KEY, "serving_default");
  size_t signature = sli_wire_open(&meta, SLI_FIELD_META_GRAPH_DEF_SIGNATURE_DEF_ENTRY_VALUE);
  size_t input = sli_wire_open(&meta, SLI_FIELD_SIGNATURE_DEF_INPUTS);
  sli_wire_write_text(&meta, SLI_FIELD_SIGNATURE_DEF_INPUTS_ENTRY_KEY, "x");
  size_t info = sli_wire_open(&meta, SLI_FIELD_SIGNATURE_DEF_INPUTS_ENTRY_VALUE);
  sli_wire_write_text(&meta, SLI_FIELD_TENSOR_INFO_NAME, "x:0");
  sli_wire_write_uint(&meta, SLI_FIELD_TENSOR_INFO_DTYPE, 1);
  sli_wire_close(&meta, info);
  sli_wire_close(&meta, input);
  sli_wire_write_text(&meta, SLI_FIELD_SIGNATURE_DEF_METHOD_NAME, "tensorflow/serving/predict");
  sli_wire_close(&meta, signature);
  sli_wire_close(&meta, entry);
  sli_wire_write_uint(&model, SLI_FIELD_SAVED_MODEL_SAVED_MODEL_SCHEMA_VERSION, 1);
  sli_wire_write_bytes(&model, SLI_FIELD_SAVED_MODEL_META_GRAPHS, meta.data, meta.size);
  SLI_EXPECT_OK(sli_file_make_directories(tool_path_in(directory, "variables")));
  tool_write_file(tool_path_in(directory, "saved_model.pb"), model.data, model.size);
  tool_copy_file(tool_golden("checkpoints/single/model.ckpt-100.index"),
                 tool_path_in(directory, "variables/variables.index"));
  sli_string_deinitialize(&meta);
  sli_string_deinitialize(&model);
}

SLI_TEST(test_saved_model_shows_signatures_and_variables) {
  write_saved_model(tool_scratch("export"));
  json_t *report = REPORT(0, tool_scratch("export"));
  SLI_EXPECT_TEXT(get_text(report, "kind"), "SavedModel");
  SLI_EXPECT_INT(get_int(json_object_get(report, "checkpoint"), "tensors"), 13);
  json_t *meta = json_array_get(json_object_get(report, "meta_graphs"), 0);
  json_t *signature = find_row(json_object_get(meta, "signatures"), "name", "serving_default");
  SLI_EXPECT_TEXT(get_text(json_array_get(json_object_get(signature, "inputs"), 0), "tensor"), "x:0");
  json_decref(report);
  tool_run_t run;
  RUN(&run, tool_scratch("export/saved_model.pb"));
  SLI_EXPECT_INT(run.code, 0);
  SLI_EXPECT_CONTAINS(run.out, "signature serving_default (tensorflow/serving/predict)\n  in  x: x:0  float32  ?\n");
  tool_run_release(&run);
}

SLI_TEST(test_damaged_graphs_never_end_in_a_signal) {
  sli_string_t bytes = tool_read_file(tool_golden("graphs/06_example.client.meta"));
  for (size_t i = 0; i < 40; i++) {
    tool_run_t run;
    size_t offset = i * bytes.size / 40;
    tool_write_file(tool_scratch("bad.meta"), bytes.data, bytes.size);
    damage_file(tool_scratch("bad.meta"), offset);
    RUN(&run, tool_scratch("bad.meta"));
    SLI_EXPECT(run.code == 0 || run.code == 1);
    tool_run_release(&run);
    tool_write_file(tool_scratch("bad.meta"), bytes.data, offset + 1);
    RUN(&run, tool_scratch("bad.meta"), "--json");
    SLI_EXPECT(run.code == 0 || run.code == 1);
    tool_run_release(&run);
  }
  sli_string_deinitialize(&bytes);
}

// --- Refusals ---

SLI_TEST(test_what_cannot_be_inspected_is_refused_in_one_line) {
  tool_run_t run;
  RUN(&run, tool_scratch("nowhere"));
  expect_refusal(&run, 1, "nowhere' does not exist, nor does the checkpoint '");
  tool_write_file(tool_scratch("notes.txt"), "hello world, nothing to see\n", 28);
  RUN(&run, tool_scratch("notes.txt"));
  expect_refusal(&run, 1, "notes.txt' is neither a checkpoint, event file, TFRecord file, GraphDef");
  tool_write_file(tool_scratch("graph.pbtxt"), "node {\n  name: \"a\"\n}\n", 21);
  RUN(&run, tool_scratch("graph.pbtxt"));
  expect_refusal(&run, 1, "is a graph in text form; inspect reads the binary form");
  tool_write_file(tool_scratch("nothing"), "", 0);
  RUN(&run, tool_scratch("nothing"));
  expect_refusal(&run, 1, "nothing' is empty");
  mkdir(tool_scratch("hollow"), 0700);
  RUN(&run, tool_scratch("hollow"));
  expect_refusal(&run, 1, "has no 'checkpoint', 'saved_model.pb' or event file");
  tool_write_file(tool_scratch("hollow/checkpoint"), "model_checkpoint_path: \"gone\"\n", 30);
  RUN(&run, tool_scratch("hollow"));
  expect_refusal(&run, 1, "gone', which does not exist");
}

SLI_TEST(test_bad_command_lines_exit_with_2) {
  tool_run_t run;
  tool_run(&run, -1, (const char *const[]){"inspect", NULL});
  expect_refusal(&run, 2, "inspect needs one PATH; see 'sluice inspect --help'");
  RUN(&run, "a", "b");
  expect_refusal(&run, 2, "inspect needs one PATH at a time");
  RUN(&run, tool_golden("checkpoints/single"), "--plot", "x");
  expect_refusal(&run, 2, "--plot is for event files, but '");
  RUN(&run, tool_golden("events"), "--values", "x");
  expect_refusal(&run, 2, "is an event file");
  RUN(&run, tool_golden("graphs/06_example.client.pb"), "--verify");
  expect_refusal(&run, 2, "--verify is for files with checksums");
  RUN(&run, tool_golden("events"), "--limit", "-1");
  expect_refusal(&run, 2, "limit");
}

// --- The terminal ---

// What "inspect ARGUMENTS…" shows on a pseudo-terminal of |columns|.
static char *run_on_terminal(int columns, const char *const *arguments) {
  int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  SLI_CHECK(master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0);
  int terminal = open(ptsname(master), O_RDWR | O_NOCTTY | O_CLOEXEC);
  struct winsize size = {.ws_row = 24, .ws_col = (unsigned short)columns};
  SLI_CHECK(terminal >= 0 && ioctl(terminal, TIOCSWINSZ, &size) == 0);
  tool_run_t run;
  tool_run(&run, terminal, arguments);
  SLI_EXPECT_INT(run.code, 0);
  tool_run_release(&run);
  close(terminal);
  sli_string_t shown = {0};
  char buffer[4096];
  for (ssize_t count; (count = read(master, buffer, sizeof(buffer))) > 0;)
    sli_string_append(&shown, buffer, (size_t)count);
  close(master);
  return sli_string_take(&shown);
}

SLI_TEST(test_colours_and_width_follow_the_terminal) {
  setenv("TERM", "xterm", 1);
  unsetenv("NO_COLOR");
  const char *const list[] = {"inspect", tool_golden("checkpoints/sharded"), NULL};
  char *shown = run_on_terminal(80, list);
  SLI_EXPECT_CONTAINS(shown, "\033[1mcheckpoint ");
  free(shown);
  setenv("NO_COLOR", "1", 1);
  shown = run_on_terminal(80, list);
  SLI_EXPECT(!strchr(shown, '\033'));
  free(shown);
  const char *const plot[] = {"inspect", tool_golden("events"), "--plot", "loss", NULL};
  shown = run_on_terminal(42, plot);
  // 10 of label, 2 of axis, 30 of plot.
  SLI_EXPECT_CONTAINS(shown, "└──────────────────────────────\r\n");
  free(shown);
  unsetenv("NO_COLOR");
}

// --- The manual ---

// Runs |line| ("sluice inspect …") in the source tree and expects |wanted| of it.
static void expect_example(const char *line, const char *wanted) {
  const char *words[TOOL_MAX_ARGUMENTS] = {0};
  char *copy = sli_strdup(line), *save = NULL;
  size_t count = 0;
  for (char *word = strtok_r(copy, " ", &save); word && count + 1 < TOOL_MAX_ARGUMENTS;
       word = strtok_r(NULL, " ", &save))
    words[count++] = word;
  tool_run_t run;
  tool_run(&run, -1, words + 1);
  char *both = sli_format("%s%s", run.out, run.err);
  if (strcmp(both, wanted))
    sli_test_fail(__FILE__, __LINE__, "'%s' prints\n%sbut docs/cli.md has\n%s", line, both, wanted);
  free(both);
  free(copy);
  tool_run_release(&run);
}

SLI_TEST(test_examples_of_the_manual_are_true) {
  SLI_REQUIRE(chdir(SLI_SOURCE_DIR) == 0);
  sli_string_t manual = tool_read_file("docs/cli.md"), command = {0}, wanted = {0};
  int examples = 0;
  for (sli_view_t rest = sli_view_of(sli_string_text(&manual), manual.size), line; rest.size;) {
    sli_view_split(rest, '\n', &line, &rest);
    bool starts = sli_view_starts_with(line, "$ "), ends = sli_view_starts_with(line, "```");
    if ((starts || ends) && command.size) {
      expect_example(command.data, sli_string_text(&wanted));
      examples++;
    }
    if (starts || ends) {
      sli_string_clear(&command);
      sli_string_clear(&wanted);
    }
    if (sli_view_starts_with(line, "$ sluice inspect ")) {
      sli_string_append(&command, line.data + 2, line.size - 2);
    } else if (command.size) {
      sli_string_append(&wanted, line.data, line.size);
      sli_string_append_char(&wanted, '\n');
    }
  }
  SLI_EXPECT(examples >= 6);
  sli_string_deinitialize(&manual);
  sli_string_deinitialize(&command);
  sli_string_deinitialize(&wanted);
}

SLI_TEST_MAIN(test_checkpoint_is_found_under_each_of_its_names, test_checkpoint_lists_shapes_types_and_slices,
              test_checkpoint_of_old_format_is_read, test_values_are_shown_as_numpy_does,
              test_values_are_put_together_from_slices_and_bounded_in_json,
              test_verify_names_file_and_tensor_of_each_damaged_byte, test_verify_tells_missing_and_short_data,
              test_damaged_index_is_refused_or_harmless_wherever_the_damage_is,
              test_unknown_tensor_is_refused_with_the_nearest, test_event_file_lists_tags_and_last_values,
              test_event_file_cut_off_is_shown_and_only_verify_fails, test_plot_draws_a_scalar_and_nothing_else,
              test_plot_of_the_last_possible_step, test_foreign_names_do_not_reach_the_terminal_raw,
              test_records_are_counted_whatever_their_packing, test_sequence_examples_are_told_apart,
              test_damaged_records_fail_after_what_is_good, test_graph_counts_ops_devices_and_constants,
              test_meta_graph_has_collections_under_any_name, test_ops_that_sluice_lacks_are_named,
              test_saved_model_shows_signatures_and_variables, test_damaged_graphs_never_end_in_a_signal,
              test_what_cannot_be_inspected_is_refused_in_one_line, test_bad_command_lines_exit_with_2,
              test_colours_and_width_follow_the_terminal, test_examples_of_the_manual_are_true)
