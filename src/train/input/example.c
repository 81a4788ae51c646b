// Examples are stored as a list of features sorted by key, which is their order in a
// deterministic protocol buffer. A SequenceExample has sorted feature lists as well;
// its context has the same encoding as the features of an Example.
//
// Example { Features features = 1; }  Features { map<string, Feature> feature = 1; }
// SequenceExample { Features context = 1; FeatureLists feature_lists = 2; }
// FeatureLists { map<string, FeatureList> feature_list = 1; }  FeatureList { repeated Feature feature = 1; }
// Feature { oneof kind { BytesList bytes_list = 1; FloatList float_list = 2; Int64List int64_list = 3; } }
// each list { repeated … value = 1 [packed]; }
#include "sluice/example.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/status.h"
#include "base/string.h"
#include "proto/example.fields.h"
#include "proto/wire.h"
#include "train/common/tf_tensor.h"

// A list sorted by key. Each item begins with its key, an sli_string_t.
typedef struct {
  SLI_ARRAY(void *) items;  // items from |count| on are unused and will be reused
  size_t count;
} sorted_items_t;

typedef struct {
  sli_string_t key;  // empty for a step
  TF_DataType dtype;
  SLI_ARRAY(int64_t) int64s;
  SLI_ARRAY(float) floats;
  SLI_ARRAY(size_t) ends;       // of each element in |storage|
  sli_string_t storage;         // the elements, concatenated
  SLI_ARRAY(sl_bytes_t) bytes;  // the elements for the program; built on request
} feature_t;

typedef struct {
  sli_string_t key;
  SLI_ARRAY(feature_t *) steps;  // items from |count| on are unused and will be reused
  size_t count;
} feature_list_t;

struct sl_example {
  sorted_items_t features, lists;
  sli_string_t message;
};

// --- Creation and release ---

sl_example_t *sl_example_create(void) { return sli_calloc(1, sizeof(sl_example_t)); }

static void feature_release(feature_t *feature) {
  sli_string_deinitialize(&feature->key);
  sli_array_deinitialize(&feature->int64s);
  sli_array_deinitialize(&feature->floats);
  sli_array_deinitialize(&feature->ends);
  sli_string_deinitialize(&feature->storage);
  sli_array_deinitialize(&feature->bytes);
  free(feature);
}

static void list_release(feature_list_t *list) {
  sli_string_deinitialize(&list->key);
  for (size_t i = 0; i < list->steps.count; i++) feature_release(list->steps.items[i]);
  sli_array_deinitialize(&list->steps);
  free(list);
}

void sl_example_release(sl_example_t *example) {
  if (!example) return;
  for (size_t i = 0; i < example->features.items.count; i++) feature_release(example->features.items.items[i]);
  for (size_t i = 0; i < example->lists.items.count; i++) list_release(example->lists.items.items[i]);
  sli_array_deinitialize(&example->features.items);
  sli_array_deinitialize(&example->lists.items);
  sli_string_deinitialize(&example->message);
  free(example);
}

void sl_example_clear(sl_example_t *example) { example->features.count = example->lists.count = 0; }

// --- By key ---

static int compare_keys(sli_view_t a, sli_view_t b) {
  size_t common = a.size < b.size ? a.size : b.size;
  int order = common ? memcmp(a.data, b.data, common) : 0;
  return order ? order : (a.size > b.size) - (a.size < b.size);
}

static sli_view_t key_at(const sorted_items_t *sorted, size_t place) {
  const sli_string_t *key = sorted->items.items[place];
  return sli_view_of(key->data, key->size);
}

// The position of |key|, or the position at which to insert it.
static size_t place_of(const sorted_items_t *sorted, sli_view_t key, bool *out_found) {
  size_t low = 0, high = sorted->count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (compare_keys(key_at(sorted, middle), key) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  *out_found = low < sorted->count && sli_view_equal(key, key_at(sorted, low));
  return low;
}

// Inserts an item of |size| bytes with |key|. The rest of the item has the values of its last use.
static void *insert(sorted_items_t *sorted, size_t place, sli_view_t key, size_t size) {
  if (sorted->count == sorted->items.count) sli_array_push(&sorted->items, sli_calloc(1, size));
  void **items = sorted->items.items, *fresh = items[sorted->count];
  memmove(&items[place + 1], &items[place], (sorted->count - place) * sizeof(*items));
  items[place] = fresh;
  sorted->count++;
  sli_string_t *own = fresh;
  sli_string_clear(own);
  sli_string_append(own, key.data, key.size);
  return fresh;
}

// --- Features ---

static void feature_clear(feature_t *feature, TF_DataType dtype) {
  feature->dtype = dtype;
  feature->int64s.count = 0;
  feature->floats.count = 0;
  feature->ends.count = 0;
  sli_string_clear(&feature->storage);
  feature->bytes.count = 0;
}

static feature_t *insert_feature(sl_example_t *example, size_t place, sli_view_t key, TF_DataType dtype) {
  feature_t *feature = insert(&example->features, place, key, sizeof(*feature));
  feature_clear(feature, dtype);
  return feature;
}

// Feature |key|, created if necessary. Discards values of a type other than |dtype|.
static feature_t *find_or_add(sl_example_t *example, sli_view_t key, TF_DataType dtype) {
  bool found;
  size_t place = place_of(&example->features, key, &found);
  if (!found) return insert_feature(example, place, key, dtype);
  feature_t *feature = example->features.items.items[place];
  if (feature->dtype != dtype) feature_clear(feature, dtype);
  return feature;
}

static void add_element(feature_t *feature, const void *data, size_t size) {
  sli_string_append(&feature->storage, data, size);
  sli_array_push(&feature->ends, feature->storage.size);
}

static void add_int64s(feature_t *feature, const int64_t *values, size_t count) {
  for (size_t i = 0; i < count; i++) sli_array_push(&feature->int64s, values[i]);
}

static void add_floats(feature_t *feature, const float *values, size_t count) {
  for (size_t i = 0; i < count; i++) sli_array_push(&feature->floats, values[i]);
}

void sl_example_add_int64s(sl_example_t *example, const char *key, const int64_t *values, size_t count) {
  add_int64s(find_or_add(example, sli_view(key), TF_INT64), values, count);
}

void sl_example_add_floats(sl_example_t *example, const char *key, const float *values, size_t count) {
  add_floats(find_or_add(example, sli_view(key), TF_FLOAT), values, count);
}

void sl_example_add_bytes(sl_example_t *example, const char *key, const void *data, size_t size) {
  add_element(find_or_add(example, sli_view(key), TF_STRING), data, size);
}

size_t sl_example_count(const sl_example_t *example) { return example->features.count; }

static sl_feature_t as_public(feature_t *feature) {
  sl_feature_t found = {.key = sli_string_text(&feature->key), .dtype = feature->dtype};
  if (feature->dtype == TF_INT64) {
    found.count = feature->int64s.count;
    found.int64s = feature->int64s.items;
  } else if (feature->dtype == TF_FLOAT) {
    found.count = feature->floats.count;
    found.floats = feature->floats.items;
  } else if (feature->dtype == TF_STRING) {
    feature->bytes.count = 0;
    for (size_t i = 0, start = 0; i < feature->ends.count; start = feature->ends.items[i++]) {
      sl_bytes_t element = {sli_string_text(&feature->storage) + start, feature->ends.items[i] - start};
      sli_array_push(&feature->bytes, element);
    }
    found.count = feature->bytes.count;
    found.bytes = feature->bytes.items;
  }
  return found;
}

sl_feature_t sl_example_at(const sl_example_t *example, size_t position) {
  return position < example->features.count ? as_public(example->features.items.items[position]) : (sl_feature_t){0};
}

sl_feature_t sl_example_find(const sl_example_t *example, const char *key) {
  bool found;
  size_t place = place_of(&example->features, sli_view(key), &found);
  return found ? sl_example_at(example, place) : (sl_feature_t){0};
}

// --- Feature lists ---

static feature_list_t *insert_list(sl_example_t *example, size_t place, sli_view_t key) {
  feature_list_t *list = insert(&example->lists, place, key, sizeof(*list));
  list->count = 0;
  return list;
}

static feature_list_t *find_list(const sl_example_t *example, const char *key) {
  bool found;
  size_t place = place_of(&example->lists, sli_view(key), &found);
  return found ? example->lists.items.items[place] : NULL;
}

static feature_t *append_step(feature_list_t *list, TF_DataType dtype) {
  if (list->count == list->steps.count) sli_array_push(&list->steps, sli_calloc(1, sizeof(feature_t)));
  feature_t *step = list->steps.items[list->count++];
  feature_clear(step, dtype);
  return step;
}

static feature_list_t *find_or_add_list(sl_example_t *example, const char *key) {
  bool found;
  size_t place = place_of(&example->lists, sli_view(key), &found);
  return found ? example->lists.items.items[place] : insert_list(example, place, sli_view(key));
}

void sl_example_add_list(sl_example_t *example, const char *key) { find_or_add_list(example, key); }

void sl_example_add_step_int64s(sl_example_t *example, const char *key, const int64_t *values, size_t count) {
  add_int64s(append_step(find_or_add_list(example, key), TF_INT64), values, count);
}

void sl_example_add_step_floats(sl_example_t *example, const char *key, const float *values, size_t count) {
  add_floats(append_step(find_or_add_list(example, key), TF_FLOAT), values, count);
}

void sl_example_add_step_bytes(sl_example_t *example, const char *key, const sl_bytes_t *elements, size_t count) {
  feature_t *step = append_step(find_or_add_list(example, key), TF_STRING);
  for (size_t i = 0; i < count; i++) add_element(step, elements[i].data, elements[i].size);
}

size_t sl_example_list_count(const sl_example_t *example) { return example->lists.count; }

const char *sl_example_list_at(const sl_example_t *example, size_t position) {
  if (position >= example->lists.count) return NULL;
  feature_list_t *list = example->lists.items.items[position];
  return sli_string_text(&list->key);
}

size_t sl_example_step_count(const sl_example_t *example, const char *key) {
  const feature_list_t *list = find_list(example, key);
  return list ? list->count : 0;
}

sl_feature_t sl_example_step_at(const sl_example_t *example, const char *key, size_t step) {
  feature_list_t *list = find_list(example, key);
  if (!list || step >= list->count) return (sl_feature_t){0};
  sl_feature_t found = as_public(list->steps.items[step]);
  found.key = sli_string_text(&list->key);
  return found;
}

// --- Bytes ---

// An Example is read and written as a SequenceExample that has only the context.
_Static_assert((int)SLI_FIELD_SEQUENCE_EXAMPLE_CONTEXT == (int)SLI_FIELD_EXAMPLE_FEATURES, "see above");
// SLI_FIELD_BYTES_LIST_VALUE is used for the lists of all types, whose values have the same number.
_Static_assert((int)SLI_FIELD_BYTES_LIST_VALUE == (int)SLI_FIELD_FLOAT_LIST_VALUE, "see above");
_Static_assert((int)SLI_FIELD_BYTES_LIST_VALUE == (int)SLI_FIELD_INT64_LIST_VALUE, "see above");
// SLI_FIELD_FEATURES_... is used for the maps of Features and FeatureLists, whose entries have the same form.
_Static_assert((int)SLI_FIELD_FEATURES_FEATURE == (int)SLI_FIELD_FEATURE_LISTS_FEATURE_LIST, "see above");
_Static_assert((int)SLI_FIELD_FEATURES_FEATURE_ENTRY_KEY == (int)SLI_FIELD_FEATURE_LISTS_FEATURE_LIST_ENTRY_KEY,
               "see above");
_Static_assert((int)SLI_FIELD_FEATURES_FEATURE_ENTRY_VALUE == (int)SLI_FIELD_FEATURE_LISTS_FEATURE_LIST_ENTRY_VALUE,
               "see above");

static void write_feature(sli_string_t *out, const feature_t *feature) {
  if (!feature->dtype) return;
  uint32_t kind = feature->dtype == TF_INT64   ? SLI_FIELD_FEATURE_INT64_LIST
                  : feature->dtype == TF_FLOAT ? SLI_FIELD_FEATURE_FLOAT_LIST
                                               : SLI_FIELD_FEATURE_BYTES_LIST;
  size_t list = sli_wire_open(out, kind);
  sli_wire_write_packed_int64(out, SLI_FIELD_BYTES_LIST_VALUE, feature->int64s.items, feature->int64s.count);
  sli_wire_write_packed_float(out, SLI_FIELD_BYTES_LIST_VALUE, feature->floats.items, feature->floats.count);
  for (size_t i = 0, start = 0; i < feature->ends.count; start = feature->ends.items[i++])
    sli_wire_write_bytes(out, SLI_FIELD_BYTES_LIST_VALUE, sli_string_text(&feature->storage) + start,
                         feature->ends.items[i] - start);
  sli_wire_close(out, list);
}

// A map entry that is being written, up to its value. Close both marks afterwards.
typedef struct {
  size_t entry, value;
} open_entry_t;

static open_entry_t open_entry(sli_string_t *out, const sli_string_t *key) {
  open_entry_t open = {.entry = sli_wire_open(out, SLI_FIELD_FEATURES_FEATURE)};
  sli_wire_write_bytes(out, SLI_FIELD_FEATURES_FEATURE_ENTRY_KEY, key->data, key->size);
  open.value = sli_wire_open(out, SLI_FIELD_FEATURES_FEATURE_ENTRY_VALUE);
  return open;
}

static void close_entry(sli_string_t *out, open_entry_t open) {
  sli_wire_close(out, open.value);
  sli_wire_close(out, open.entry);
}

static void write_features(sli_string_t *out, const sorted_items_t *features) {
  if (!features->count) return;
  size_t mark = sli_wire_open(out, SLI_FIELD_SEQUENCE_EXAMPLE_CONTEXT);
  for (size_t i = 0; i < features->count; i++) {
    const feature_t *feature = features->items.items[i];
    open_entry_t entry = open_entry(out, &feature->key);
    write_feature(out, feature);
    close_entry(out, entry);
  }
  sli_wire_close(out, mark);
}

static void write_lists(sli_string_t *out, const sorted_items_t *lists) {
  if (!lists->count) return;
  size_t mark = sli_wire_open(out, SLI_FIELD_SEQUENCE_EXAMPLE_FEATURE_LISTS);
  for (size_t i = 0; i < lists->count; i++) {
    const feature_list_t *list = lists->items.items[i];
    open_entry_t entry = open_entry(out, &list->key);
    for (size_t k = 0; k < list->count; k++) {
      size_t step = sli_wire_open(out, SLI_FIELD_FEATURE_LIST_FEATURE);
      write_feature(out, list->steps.items[k]);
      sli_wire_close(out, step);
    }
    close_entry(out, entry);
  }
  sli_wire_close(out, mark);
}

sl_bytes_t sl_example_serialize(sl_example_t *example) {
  sli_string_t *out = &example->message;
  sli_string_clear(out);
  write_features(out, &example->features);
  write_lists(out, &example->lists);
  return (sl_bytes_t){sli_string_text(out), out->size};
}

// Appends the values of an encoded list of the type of |feature|.
static bool read_list(feature_t *feature, sli_view_t bytes) {
  sli_wire_reader_t reader = sli_wire_reader(bytes);
  sli_wire_type_t element = feature->dtype == TF_FLOAT ? SLI_WIRE_FIXED32 : SLI_WIRE_VARINT;
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
    if (field.number != SLI_FIELD_BYTES_LIST_VALUE) continue;
    if (feature->dtype == TF_STRING) {
      if (field.type != SLI_WIRE_BYTES) return false;
      add_element(feature, field.bytes.data, field.bytes.size);
      continue;
    }
    sli_wire_values_t values;
    if (!sli_wire_values_begin(&field, element, &values)) return false;
    for (uint64_t bits; sli_wire_values_next(&values, &bits);) {
      if (feature->dtype == TF_FLOAT)
        sli_array_push(&feature->floats, sli_wire_float(bits));
      else
        sli_array_push(&feature->int64s, (int64_t)bits);
    }
    if (values.reader.malformed) return false;
  }
  return !reader.malformed;
}

// A message that occurs twice is merged: lists of the same type are concatenated, otherwise the last one counts.
static bool read_feature(feature_t *feature, sli_view_t bytes) {
  static const TF_DataType types[] = {[SLI_FIELD_FEATURE_BYTES_LIST] = TF_STRING,
                                      [SLI_FIELD_FEATURE_FLOAT_LIST] = TF_FLOAT,
                                      [SLI_FIELD_FEATURE_INT64_LIST] = TF_INT64};
  sli_wire_reader_t reader = sli_wire_reader(bytes);
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
    if (field.number < SLI_FIELD_FEATURE_BYTES_LIST || field.number > SLI_FIELD_FEATURE_INT64_LIST) continue;
    if (field.type != SLI_WIRE_BYTES) return false;
    if (feature->dtype != types[field.number]) feature_clear(feature, types[field.number]);
    if (!read_list(feature, field.bytes)) return false;
  }
  return !reader.malformed;
}

// An entry of the map, in the encoded message.
typedef struct {
  sli_view_t key, bytes;
} map_entry_t;
typedef SLI_ARRAY(map_entry_t) map_entries_t;

// By key; entries with equal keys in the order of the message.
static int by_key(const void *a, const void *b) {
  const map_entry_t *x = a, *y = b;
  int order = compare_keys(x->key, y->key);
  return order ? order : (x->bytes.data > y->bytes.data) - (x->bytes.data < y->bytes.data);
}

static bool find_key(map_entry_t *entry) {
  sli_wire_reader_t reader = sli_wire_reader(entry->bytes);
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
    if (field.number != SLI_FIELD_FEATURES_FEATURE_ENTRY_KEY) continue;
    if (field.type != SLI_WIRE_BYTES) return false;
    entry->key = field.bytes;
  }
  return !reader.malformed;
}

static bool find_entries(map_entries_t *entries, sli_view_t bytes) {
  sli_wire_reader_t reader = sli_wire_reader(bytes);
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
    if (field.number != SLI_FIELD_FEATURES_FEATURE) continue;
    map_entry_t entry = {.key = {"", 0}, .bytes = field.bytes};
    if (field.type != SLI_WIRE_BYTES || !find_key(&entry)) return false;
    sli_array_push(entries, entry);
  }
  return !reader.malformed;
}

// Reads a FeatureList. If it occurs again, its steps are appended.
static bool read_steps(feature_list_t *list, sli_view_t bytes) {
  sli_wire_reader_t reader = sli_wire_reader(bytes);
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
    if (field.number != SLI_FIELD_FEATURE_LIST_FEATURE) continue;
    if (field.type != SLI_WIRE_BYTES || !read_feature(append_step(list, (TF_DataType)0), field.bytes)) return false;
  }
  return !reader.malformed;
}

// Appends |entry| of the map in field |which|.
static bool read_entry(sl_example_t *example, uint32_t which, const map_entry_t *entry) {
  feature_t *feature = NULL;
  feature_list_t *list = NULL;
  if (which == SLI_FIELD_SEQUENCE_EXAMPLE_CONTEXT)
    feature = insert_feature(example, example->features.count, entry->key, (TF_DataType)0);
  else
    list = insert_list(example, example->lists.count, entry->key);
  sli_wire_reader_t reader = sli_wire_reader(entry->bytes);
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
    if (field.number != SLI_FIELD_FEATURES_FEATURE_ENTRY_VALUE) continue;
    if (field.type != SLI_WIRE_BYTES) return false;
    if (feature ? !read_feature(feature, field.bytes) : !read_steps(list, field.bytes)) return false;
  }
  return !reader.malformed;
}

// Parses the map in field |which|.
static bool parse_map(sl_example_t *example, sli_view_t bytes, uint32_t which, map_entries_t *entries) {
  entries->count = 0;
  sli_wire_reader_t reader = sli_wire_reader(bytes);
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
    if (field.number != which) continue;
    if (field.type != SLI_WIRE_BYTES || !find_entries(entries, field.bytes)) return false;
  }
  if (reader.malformed) return false;
  if (entries->count) qsort(entries->items, entries->count, sizeof(*entries->items), by_key);
  for (size_t i = 0; i < entries->count; i++) {
    const map_entry_t *entry = &entries->items[i];
    // If a key occurs twice, the last entry counts, as in any map.
    bool again = i + 1 < entries->count && sli_view_equal(entry->key, entries->items[i + 1].key);
    if (!again && !read_entry(example, which, entry)) return false;
  }
  return true;
}

void sl_example_parse(sl_example_t *example, const void *data, size_t size, TF_Status *status) {
  sl_example_clear(example);
  map_entries_t entries = {0};
  sli_view_t bytes = sli_view_of(data, size);
  bool good = parse_map(example, bytes, SLI_FIELD_SEQUENCE_EXAMPLE_CONTEXT, &entries) &&
              parse_map(example, bytes, SLI_FIELD_SEQUENCE_EXAMPLE_FEATURE_LISTS, &entries);
  if (!good) sl_example_clear(example);
  sli_array_deinitialize(&entries);
  sli_tf_status_from_status(good ? NULL : sli_wire_error("tensorflow.Example"), status);
}
