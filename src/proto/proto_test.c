// Parses TensorFlow's own files, recorded calls and hostile bytes.
#include "proto/proto.h"

#include <dirent.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/test.h"
#include "proto/bundle.pb-c.h"
#include "proto/config.pb-c.h"
#include "proto/graph.fields.h"
#include "proto/graph.pb-c.h"
#include "proto/meta_graph.pb-c.h"
#include "proto/service.pb-c.h"
#include "proto/tensor.fields.h"
#include "proto/wire.h"

static bool read_file(const char *directory, const char *name, sli_string_t *out) {
  char *path = sli_format("%s/%s/%s", sli_test_golden_dir(), directory, name);
  FILE *file = fopen(path, "rb");
  free(path);
  sli_string_clear(out);
  if (!file) return false;
  char buffer[4096];
  for (size_t size; (size = fread(buffer, 1, sizeof(buffer), file));) sli_string_append(out, buffer, size);
  fclose(file);
  return true;
}

static size_t count_unknown(const ProtobufCMessage *message) {
  size_t count = message->descriptor == &tensorflow__opaque__descriptor ? 0 : message->n_unknown_fields;
  for (unsigned i = 0; i < message->descriptor->n_fields; i++) {
    const ProtobufCFieldDescriptor *field = &message->descriptor->fields[i];
    if (field->type != PROTOBUF_C_TYPE_MESSAGE) continue;
    const char *base = (const char *)message;
    const void *const *at = (const void *const *)(base + field->offset);
    if (field->label == PROTOBUF_C_LABEL_REPEATED) {
      size_t items = *(const size_t *)(base + field->quantifier_offset);
      for (size_t k = 0; k < items; k++) count += count_unknown(((const ProtobufCMessage *const *)*at)[k]);
    } else if (field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) {
      if (*(const uint32_t *)(base + field->quantifier_offset) == field->id) count += count_unknown(*at);
    } else if (*at) {
      count += count_unknown(*at);
    }
  }
  return count;
}

// Expects that the message parses within its budget, has no unknown fields, and packs to the same bytes (if |exact|)
// and the same message.
static void expect_round_trip(const char *name, const ProtobufCMessageDescriptor *descriptor, const sli_string_t *bytes,
                              bool exact) {
  sli_arena_t arena = {.budget = sli_proto_budget(bytes->size)};
  sli_string_t packed = {0}, before = {0}, after = {0};
  void *message, *again;
  sli_status_t *status = sli_proto_parse(descriptor, bytes->data, bytes->size, &arena, &message);
  if (status) {
    sli_test_fail(__FILE__, __LINE__, "%s: %s", name, sli_status_message(status));
    sli_status_release(status);
    return;
  }
  if (count_unknown(message)) sli_test_fail(__FILE__, __LINE__, "%s has unknown fields", name);
  SLI_EXPECT_OK(sli_proto_pack(message, &packed));
  bool same = sli_view_equal(sli_view_of(packed.data, packed.size), sli_view_of(bytes->data, bytes->size));
  if (!same && exact) sli_test_fail(__FILE__, __LINE__, "%s: other bytes after a round trip", name);
  arena.budget = 0;
  SLI_EXPECT_OK(sli_proto_parse(descriptor, packed.data, packed.size, &arena, &again));
  sli_proto_to_text(message, &before);
  sli_proto_to_text(again, &after);
  SLI_EXPECT_TEXT(sli_string_text(&after), sli_string_text(&before));
  sli_string_deinitialize(&packed);
  sli_string_deinitialize(&before);
  sli_string_deinitialize(&after);
  sli_arena_deinitialize(&arena);
}

static const char *const graphs[] = {"01_hello_local_server.program", "06_example.client",
                                     "08_replica_device_setter.program"};

SLI_TEST(test_golden_graphs_round_trip) {
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(graphs); i++) {
    sli_string_t bytes = {0};
    char *graph = sli_format("%s.pb", graphs[i]), *meta = sli_format("%s.meta", graphs[i]);
    SLI_EXPECT(read_file("graphs", graph, &bytes));
    SLI_EXPECT(bytes.size > 0);
    expect_round_trip(graph, &tensorflow__graph_def__descriptor, &bytes, true);
    SLI_EXPECT(read_file("graphs", meta, &bytes));
    SLI_EXPECT(bytes.size > 0);
    expect_round_trip(meta, &tensorflow__meta_graph_def__descriptor, &bytes, true);
    free(graph);
    free(meta);
    sli_string_deinitialize(&bytes);
  }
}

#define CALL(method, request, response)                                                                      \
  {                                                                                                          \
    method, { &tensorflow__##request##_request__descriptor, &tensorflow__##response##_response__descriptor } \
  }
static const struct {
  const char *method;
  const ProtobufCMessageDescriptor *types[2];
} calls[] = {
    CALL("CreateSession", create_session, create_session),
    CALL("ExtendSession", extend_session, extend_session),
    CALL("RunStep", run_step, run_step),
    CALL("PartialRunSetup", partial_run_setup, partial_run_setup),
    CALL("CloseSession", close_session, close_session),
    CALL("Reset", reset, reset),
    CALL("ListDevices", list_devices, list_devices),
    CALL("GetStatus", get_status, get_status),
    CALL("CreateWorkerSession", create_worker_session, create_worker_session),
    CALL("DeleteWorkerSession", delete_worker_session, delete_worker_session),
    CALL("RegisterGraph", register_graph, register_graph),
    CALL("RunGraph", run_graph, run_graph),
    CALL("CleanupGraph", cleanup_graph, cleanup_graph),
    CALL("CleanupAll", cleanup_all, cleanup_all),
    CALL("RecvTensor", recv_tensor, recv_tensor),
    CALL("Logging", logging, logging),
};

// "ps.RunGraph.000.req" and so on.
static const ProtobufCMessageDescriptor *type_of(const char *file) {
  sli_view_t job, method, rest, number, suffix;
  if (!sli_view_split(sli_view(file), '.', &job, &rest) || !sli_view_split(rest, '.', &method, &rest) ||
      !sli_view_split(rest, '.', &number, &suffix))
    return NULL;
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(calls); i++)
    if (sli_view_is(method, calls[i].method)) return calls[i].types[sli_view_is(suffix, "resp")];
  return NULL;
}

SLI_TEST(test_recorded_calls_round_trip) {
  char *path = sli_format("%s/wire", sli_test_golden_dir());
  DIR *directory = opendir(path);
  free(path);
  SLI_REQUIRE(directory);
  int files = 0;
  sli_string_t bytes = {0};
  for (struct dirent *entry; (entry = readdir(directory));) {
    if (entry->d_name[0] == '.') continue;
    const ProtobufCMessageDescriptor *type = type_of(entry->d_name);
    if (!type) sli_test_fail(__FILE__, __LINE__, "no type for %s", entry->d_name);
    if (!type || !read_file("wire", entry->d_name, &bytes)) continue;
    // The fields of RecvTensor's reply are not in the order of their numbers, and a map in the configuration holds a
    // zero that TensorFlow writes and we omit.
    bool exact = type != &tensorflow__recv_tensor_response__descriptor &&
                 type != &tensorflow__create_session_request__descriptor &&
                 type != &tensorflow__register_graph_request__descriptor;
    expect_round_trip(entry->d_name, type, &bytes, exact);
    files++;
  }
  SLI_EXPECT(files > 90);
  sli_string_deinitialize(&bytes);
  closedir(directory);
}

SLI_TEST(test_parsed_graph_has_its_fields) {
  sli_string_t bytes = {0};
  sli_arena_t arena = {0};
  Tensorflow__GraphDef *graph;
  SLI_REQUIRE(read_file("graphs", "01_hello_local_server.program.pb", &bytes));
  SLI_REQUIRE_OK(sli_proto_parse(&tensorflow__graph_def__descriptor, bytes.data, bytes.size, &arena, (void **)&graph));
  SLI_REQUIRE(graph->n_node == 1);
  SLI_EXPECT_TEXT(graph->node[0]->op, "Const");
  SLI_EXPECT(graph->versions && graph->versions->producer > 1000);
  SLI_EXPECT(graph->library == NULL || graph->library->n_function == 0);
  sli_string_deinitialize(&bytes);
  sli_arena_deinitialize(&arena);
}

// Parses a copy of exactly |size| bytes, so that reading past them is caught.
static sli_status_t *parse_exact(const ProtobufCMessageDescriptor *type, const char *data, size_t size) {
  char *copy = sli_memdup(data, size);
  sli_arena_t arena = {.budget = sli_proto_budget(size)};
  void *message;
  sli_status_t *status = sli_proto_parse(type, copy, size, &arena, &message);
  SLI_EXPECT((status == NULL) == (message != NULL));
  free(copy);
  if (message) {
    // Every pointer of an accepted message must be good.
    sli_string_t out = {0};
    sli_status_release(sli_proto_pack(message, &out));
    sli_proto_to_text(message, &out);
    sli_string_deinitialize(&out);
  }
  sli_arena_deinitialize(&arena);
  return status;
}

SLI_TEST(test_truncated_messages_never_crash) {
  sli_string_t bytes = {0};
  SLI_REQUIRE(read_file("graphs", "06_example.client.pb", &bytes));
  size_t accepted = 0;
  for (size_t size = 0; size < bytes.size; size++) {
    sli_status_t *status = parse_exact(&tensorflow__graph_def__descriptor, bytes.data, size);
    accepted += status == NULL;
    sli_status_release(status);
  }
  SLI_EXPECT(accepted < 30);  // only cuts between two nodes make a message
  sli_string_deinitialize(&bytes);
}

SLI_TEST(test_changed_messages_never_crash) {
  sli_string_t bytes = {0};
  SLI_REQUIRE(read_file("wire", "worker.CreateWorkerSession.000.req", &bytes));
  sli_string_t graph = {0};
  SLI_REQUIRE(read_file("graphs", "06_example.client.pb", &graph));
  uint64_t state = 1;
  for (int round = 0; round < 4000; round++) {
    sli_string_t *victim = round % 4 ? &graph : &bytes;
    size_t at[3];
    char old[3];
    for (int i = 0; i < 3; i++) {
      state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
      at[i] = (size_t)(state >> 33) % victim->size;
      old[i] = victim->data[at[i]];
      victim->data[at[i]] = (char)(state >> 24);
    }
    sli_status_release(parse_exact(
        victim == &graph ? &tensorflow__graph_def__descriptor : &tensorflow__create_worker_session_request__descriptor,
        victim->data, victim->size));
    for (int i = 2; i >= 0; i--) victim->data[at[i]] = old[i];
  }
  sli_string_deinitialize(&bytes);
  sli_string_deinitialize(&graph);
}

SLI_TEST(test_deep_nesting_is_rejected) {
  // NameAttrList.attr.value.func is a NameAttrList again: one round is three levels.
  const int levels[] = {4, SLI_PROTO_MAX_DEPTH, SLI_PROTO_MAX_DEPTH + 3, 30001};
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(levels); i++) {
    SLI_REQUIRE(levels[i] % 3 == 1);
    sli_string_t bytes = {0};
    for (int level = levels[i]; level > 1; level--) {
      static const uint32_t numbers[] = {SLI_FIELD_ATTR_VALUE_FUNC, SLI_FIELD_NAME_ATTR_LIST_ATTR_ENTRY_VALUE,
                                         SLI_FIELD_NAME_ATTR_LIST_ATTR};
      sli_string_t outer = {0};
      sli_wire_write_bytes(&outer, numbers[(levels[i] - level) % 3], bytes.data, bytes.size);
      sli_string_deinitialize(&bytes);
      bytes = outer;
    }
    sli_arena_t arena = {0};
    void *message;
    sli_status_t *status =
        sli_proto_parse(&tensorflow__name_attr_list__descriptor, bytes.data, bytes.size, &arena, &message);
    SLI_EXPECT_INT(sli_status_code(status), levels[i] <= SLI_PROTO_MAX_DEPTH ? SLI_OK : SLI_INVALID_ARGUMENT);
    if (status) SLI_EXPECT_CONTAINS(sli_status_message(status), "100 levels");
    if (message) SLI_EXPECT_INT(count_unknown(message), 0);
    sli_status_release(status);
    sli_arena_deinitialize(&arena);
    sli_string_deinitialize(&bytes);
  }
}

SLI_TEST(test_messages_over_budget_are_rejected) {
  const char *units[] = {"\x0a\x00", "\x78\x00"};  // empty nodes; unknown fields
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(units); i++) {
    sli_string_t bytes = {0};
    for (int k = 0; k < 1 << 20; k++) sli_string_append(&bytes, units[i], 2);
    sli_arena_t arena = {.budget = 8 << 20};
    void *message;
    sli_status_t *status =
        sli_proto_parse(&tensorflow__graph_def__descriptor, bytes.data, bytes.size, &arena, &message);
    SLI_EXPECT_INT(sli_status_code(status), SLI_RESOURCE_EXHAUSTED);
    SLI_EXPECT_CONTAINS(sli_status_message(status), "tensorflow.GraphDef");
    SLI_EXPECT(message == NULL && arena.used <= arena.budget);
    sli_status_release(status);
    sli_arena_deinitialize(&arena);
    if (i == 0)
      SLI_EXPECT_STATUS(parse_exact(&tensorflow__graph_def__descriptor, bytes.data, bytes.size),
                        SLI_RESOURCE_EXHAUSTED);
    sli_string_deinitialize(&bytes);
  }
}

SLI_TEST(test_bad_strings_are_rejected_with_their_field) {
  const sli_view_t bad[] = {
      {"a\0b", 3},
      {"\xff", 1},
      {"\xc0\x80", 2},
      {"\xe0\x80\x80", 3},
      {"\xed\xa0\x80", 3},
      {"\xf4\x90\x80\x80", 4},
      {"\xf0\x80\x80\x80", 4},
      {"\xc3", 1},
      {"ab\xe2\x82", 4},
      {"\x80", 1},
      {"\xe2\x28\xa1", 3},
  };
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(bad); i++) {
    sli_string_t bytes = {0};
    size_t node = sli_wire_open(&bytes, SLI_FIELD_GRAPH_DEF_NODE);
    sli_wire_write_bytes(&bytes, SLI_FIELD_NODE_DEF_NAME, bad[i].data, bad[i].size);
    sli_wire_close(&bytes, node);
    sli_status_t *status = parse_exact(&tensorflow__graph_def__descriptor, bytes.data, bytes.size);
    if (sli_status_code(status) != SLI_INVALID_ARGUMENT) sli_test_fail(__FILE__, __LINE__, "case %zu accepted", i);
    SLI_EXPECT_CONTAINS(sli_status_message(status), "tensorflow.NodeDef.name");
    sli_status_release(status);
    sli_string_deinitialize(&bytes);
  }
  const char *good[] = {"", "ascii", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "\xed\x9f\xbf\xee\x80\x80"};
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(good); i++) {
    sli_string_t bytes = {0};
    sli_wire_write_text(&bytes, SLI_FIELD_NODE_DEF_NAME, good[i]);
    SLI_EXPECT_OK(parse_exact(&tensorflow__node_def__descriptor, bytes.data, bytes.size));
    sli_string_deinitialize(&bytes);
  }
}

SLI_TEST(test_wrong_wire_type_is_rejected_with_its_field) {
  const struct {
    const char *bytes, *field;
    size_t size;
  } bad[] = {
      {"\x08\x01", "tensorflow.GraphDef.node", 2},
      {"\x1a\x01\x01", "tensorflow.GraphDef.version", 3},
      {"\x22\x05\x1a\x03\x01\x02\x80", "tensorflow.VersionDef.bad_consumers", 7},
  };
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(bad); i++) {
    sli_status_t *status = parse_exact(&tensorflow__graph_def__descriptor, bad[i].bytes, bad[i].size);
    SLI_EXPECT_INT(sli_status_code(status), SLI_INVALID_ARGUMENT);
    SLI_EXPECT_CONTAINS(sli_status_message(status), bad[i].field);
    sli_status_release(status);
  }
}

SLI_TEST(test_repeated_message_field_is_merged) {
  // versions { producer: 5 bad_consumers: 1 } versions { min_consumer: 7 bad_consumers: 2 }
  static const char bytes[] = "\x22\x05\x08\x05\x1a\x01\x01\x22\x04\x10\x07\x18\x02";
  sli_arena_t arena = {0};
  Tensorflow__GraphDef *graph;
  SLI_REQUIRE_OK(
      sli_proto_parse(&tensorflow__graph_def__descriptor, bytes, sizeof(bytes) - 1, &arena, (void **)&graph));
  SLI_REQUIRE(graph->versions);
  SLI_EXPECT_INT(graph->versions->producer, 5);
  SLI_EXPECT_INT(graph->versions->min_consumer, 7);
  SLI_REQUIRE(graph->versions->n_bad_consumers == 2);
  SLI_EXPECT_INT(graph->versions->bad_consumers[0], 1);
  SLI_EXPECT_INT(graph->versions->bad_consumers[1], 2);
  sli_arena_deinitialize(&arena);
}

SLI_TEST(test_oneof_keeps_the_last_member) {
  static const char bytes[] = "\x12\x01x\x18\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01";  // s: "x", i: -1
  sli_arena_t arena = {0};
  Tensorflow__AttrValue *attr;
  SLI_REQUIRE_OK(
      sli_proto_parse(&tensorflow__attr_value__descriptor, bytes, sizeof(bytes) - 1, &arena, (void **)&attr));
  SLI_EXPECT_INT(attr->value_case, TENSORFLOW__ATTR_VALUE__VALUE_I);
  SLI_EXPECT_INT(attr->i, -1);
  sli_arena_deinitialize(&arena);
}

SLI_TEST(test_unknown_fields_and_enum_values_survive) {
  const uint32_t unknown = 1000;  // a number that TensorProto does not use
  sli_string_t bytes = {0}, packed = {0};
  sli_wire_write_uint(&bytes, SLI_FIELD_TENSOR_PROTO_DTYPE, 4711);  // a dtype of the future
  sli_wire_write_uint(&bytes, unknown, 3);
  sli_wire_write_text(&bytes, unknown + 1, "later");
  sli_wire_write_fixed32(&bytes, unknown + 2, 5);
  sli_arena_t arena = {0};
  Tensorflow__TensorProto *tensor;
  SLI_REQUIRE_OK(
      sli_proto_parse(&tensorflow__tensor_proto__descriptor, bytes.data, bytes.size, &arena, (void **)&tensor));
  SLI_EXPECT_INT(tensor->dtype, 4711);
  SLI_EXPECT_OK(sli_proto_pack(&tensor->base, &packed));
  SLI_EXPECT(sli_view_equal(sli_view_of(packed.data, packed.size), sli_view_of(bytes.data, bytes.size)));
  sli_string_clear(&packed);
  sli_proto_to_text(&tensor->base, &packed);
  SLI_EXPECT_TEXT(sli_string_text(&packed), "dtype: 4711\n1000: 3\n1001: \"later\"\n1002: 0x00000005\n");
  sli_string_deinitialize(&bytes);
  sli_string_deinitialize(&packed);
  sli_arena_deinitialize(&arena);
}

SLI_TEST(test_text_format) {
  Tensorflow__NodeDef node = TENSORFLOW__NODE_DEF__INIT;
  Tensorflow__NodeDef__AttrEntry entry = TENSORFLOW__NODE_DEF__ATTR_ENTRY__INIT, *entries[] = {&entry};
  Tensorflow__AttrValue value = TENSORFLOW__ATTR_VALUE__INIT;
  Tensorflow__AttrValue__ListValue list = TENSORFLOW__ATTR_VALUE__LIST_VALUE__INIT;
  float floats[] = {0.1f, -1e-30f, INFINITY, 16777217.0f};
  Tensorflow__DataType types[] = {TENSORFLOW__DATA_TYPE__DT_FLOAT_REF};
  protobuf_c_boolean flags[] = {0, 1};
  char *inputs[] = {"a:1", "^b"};
  list.f = floats, list.n_f = 4;
  list.type = types, list.n_type = 1;
  list.b = flags, list.n_b = 2;
  value.value_case = TENSORFLOW__ATTR_VALUE__VALUE_LIST, value.list = &list;
  entry.key = "k", entry.value = &value;
  node.name = "n\n\"\001\\", node.input = inputs, node.n_input = 2, node.attr = entries, node.n_attr = 1;
  sli_string_t text = {0};
  sli_proto_to_text(&node.base, &text);
  SLI_EXPECT_TEXT(sli_string_text(&text),
                  "name: \"n\\n\\\"\\001\\\\\"\ninput: \"a:1\"\ninput: \"^b\"\nattr {\n  key: \"k\"\n  value {\n"
                  "    list {\n      f: 0.1\n      f: -1e-30\n      f: inf\n      f: 16777216\n"
                  "      b: false\n      b: true\n      type: DT_FLOAT_REF\n    }\n  }\n}\n");
  sli_string_deinitialize(&text);
}

// Packed and text forms of the files' messages: their numbers as TensorFlow writes them.
SLI_TEST(test_checkpoint_entry_equals_tensorflow) {
  Tensorflow__TensorShapeProto__Dim dim = TENSORFLOW__TENSOR_SHAPE_PROTO__DIM__INIT, *dims[] = {&dim};
  Tensorflow__TensorShapeProto shape = TENSORFLOW__TENSOR_SHAPE_PROTO__INIT;
  Tensorflow__BundleEntryProto entry = TENSORFLOW__BUNDLE_ENTRY_PROTO__INIT;
  dim.size = 3, shape.dim = dims, shape.n_dim = 1;
  entry.dtype = TENSORFLOW__DATA_TYPE__DT_FLOAT, entry.shape = &shape, entry.offset = 8, entry.size = 12;
  entry.crc32c = 0x01020304;
  sli_string_t out = {0};
  SLI_EXPECT_OK(sli_proto_pack(&entry.base, &out));
  static const char wanted[] = "\x08\x01\x12\x04\x12\x02\x08\x03\x20\x08\x28\x0c\x35\x04\x03\x02\x01";
  SLI_EXPECT(sli_view_equal(sli_view_of(out.data, out.size), sli_view_of(wanted, sizeof(wanted) - 1)));
  sli_string_deinitialize(&out);
}

SLI_TEST(test_a_message_in_one_line) {
  Tensorflow__ConfigProto__DeviceCountEntry entry = TENSORFLOW__CONFIG_PROTO__DEVICE_COUNT_ENTRY__INIT;
  Tensorflow__ConfigProto__DeviceCountEntry *entries[] = {&entry};
  entry.key = "CPU";
  entry.value = 2;
  Tensorflow__ConfigProto config = TENSORFLOW__CONFIG_PROTO__INIT;
  sli_string_t line = {0};
  sli_proto_to_line(&config.base, &line);
  SLI_EXPECT_TEXT(sli_string_text(&line), "");
  char *filters[] = {"/job:ps", "a\n  b"};
  config.n_device_count = 1;
  config.device_count = entries;
  config.n_device_filters = 2;
  config.device_filters = filters;
  config.allow_soft_placement = true;
  sli_proto_to_line(&config.base, &line);
  SLI_EXPECT_TEXT(sli_string_text(&line),
                  "device_count { key: \"CPU\" value: 2 } device_filters: \"/job:ps\" device_filters: \"a\\n  b\" "
                  "allow_soft_placement: true");
  sli_string_deinitialize(&line);
}

SLI_TEST_MAIN(test_a_message_in_one_line, test_golden_graphs_round_trip, test_recorded_calls_round_trip,
              test_parsed_graph_has_its_fields, test_truncated_messages_never_crash, test_changed_messages_never_crash,
              test_deep_nesting_is_rejected, test_messages_over_budget_are_rejected,
              test_bad_strings_are_rejected_with_their_field, test_wrong_wire_type_is_rejected_with_its_field,
              test_repeated_message_field_is_merged, test_oneof_keeps_the_last_member,
              test_unknown_fields_and_enum_values_survive, test_text_format, test_checkpoint_entry_equals_tensorflow)
