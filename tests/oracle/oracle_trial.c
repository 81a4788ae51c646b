// Makes a trial: attributes, then shapes and values of the inputs.
//
// If the op has a form (a row of oracle_rows.h or gradients_rows.h), most trials follow it and some change one part of
// it. Without a form everything is random: a shape that the inputs share or nearly share, values that are small or
// extreme. Handles come from running the op that makes them, and usually another that fills the resource.
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "ops/image/codec.h"
#include "tests/oracle/oracle.h"

typedef struct {
  const char *op, *inputs, *attrs;
  bool single, needs_shapes;  // for the gradients only
  int outputs;
} row_t;
#include "tests/oracle/gradients_rows.h"
#include "tests/oracle/oracle_rows.h"

// One thing about a trial is odd, or nothing.
typedef enum { TAME, ODD_VALUES, ODD_SHAPES, ODD_ATTRS } mood_t;

typedef struct {
  oracle_world_t *world;
  oracle_random_t *random;
  const sli_op_t *op;
  const sli_kernel_def_t *kernel;  // may be NULL
  sli_dtype_t dtype;
  oracle_trial_t *trial;
  mood_t mood;
  const row_t *row;                // NULL: no form
  int odd;                         // the input or attribute that is odd
  int64_t dims[ORACLE_MOST_RANK];  // a shape that inputs share
  int rank;
  const sli_dtype_t *components;  // of a queue and the like, for its handle's maker
  size_t component_count;
  sli_kernel_value_t handle;  // for handle inputs; none: make one
  int depth;
} maker_t;

static int below(maker_t *m, int limit) { return oracle_below(m->random, limit); }
static bool chance(maker_t *m, int percent) { return oracle_chance(m->random, percent); }

// ---- Forms -------------------------------------------------------------------

// The name without the prefix "Resource" and without a version.
static sli_view_t plain_name(const char *op) {
  sli_view_t name = sli_view(sli_string_starts_with(op, "Resource") ? op + strlen("Resource") : op);
  if (name.size > 2 && name.data[name.size - 2] == 'V') name.size -= 2;
  return name;
}

static bool is_row_of(const row_t *row, const char *op, bool loosely) {
  return strcmp(row->op, op) == 0 || (loosely && sli_view_equal(plain_name(row->op), plain_name(op)));
}

// Form number |index| of |op|; NULL: there are fewer.
static const row_t *row_at(const char *op, bool loosely, int index) {
  const row_t *tables[] = {rows, oracle_rows};
  const size_t counts[] = {SLI_ARRAY_COUNT_OF(rows), SLI_ARRAY_COUNT_OF(oracle_rows)};
  for (int t = 0; t < 2; t++) {
    for (size_t i = 0; i < counts[t]; i++) {
      if (is_row_of(&tables[t][i], op, loosely) && index-- == 0) return &tables[t][i];
    }
  }
  return NULL;
}

static const row_t *choose_row(maker_t *m) {
  const char *op = m->op->def->name;
  bool loosely = !row_at(op, false, 0);
  int count = 0;
  while (row_at(op, loosely, count)) count++;
  return count && chance(m, 85) ? row_at(op, loosely, below(m, count)) : NULL;
}

// Word |index| of |words|, without its end; empty: there is none.
static sli_view_t word_at(const char *words, int index) {
  sli_view_t rest = sli_view(words ? words : ""), word = {0};
  for (bool more = rest.size > 0; more; index--) {
    more = sli_view_split(rest, ' ', &word, &rest);
    if (index == 0) return word;
  }
  return sli_view_of("", 0);
}

static int count_words(const char *words) {
  int count = 0;
  while (word_at(words, count).size) count++;
  return count;
}

// The text between |open| and |close| in a word; false if there is none.
static bool bracketed(sli_view_t word, char open, char close, sli_view_t *out) {
  const char *start = memchr(word.data, open, word.size);
  const char *end = start ? memchr(start, close, (size_t)(word.data + word.size - start)) : NULL;
  if (!end) return false;
  *out = sli_view_of(start + 1, (size_t)(end - start - 1));
  return true;
}

static sli_view_t list_item(sli_view_t list, int index) {
  sli_view_t item = {0};
  for (bool more = list.size > 0; more; index--) {
    more = sli_view_split(list, ',', &item, &list);
    if (index == 0) return item;
  }
  return sli_view_of("", 0);
}

static int list_count(sli_view_t list) {
  int count = list.size > 0;
  for (size_t i = 0; i < list.size; i++) count += list.data[i] == ',';
  return count;
}

static double to_number(sli_view_t text) {
  double value = 0;
  if (sli_view_is(text, "true")) return 1;
  sli_view_to_double(text, &value);
  return value;
}

// ---- Attributes --------------------------------------------------------------

// The types that the kernel's row allows for an attribute.
static sli_types_t kernel_types(const maker_t *m, const char *attr) {
  if (!m->kernel) return SLI_TYPES_ALL;
  if (m->kernel->types && strcmp(attr, "T") == 0) return m->kernel->types;
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(m->kernel->where) && m->kernel->where[i].attr; i++) {
    if (strcmp(m->kernel->where[i].attr, attr) == 0) return m->kernel->where[i].types;
  }
  return SLI_TYPES_ALL;
}

// Whether |attr| is the one whose type the driver chose.
static bool is_chosen(const maker_t *m, const char *attr) {
  const char *chosen = !m->kernel ? "dtype" : m->kernel->types ? "T" : m->kernel->where[0].attr;
  return m->dtype && chosen && strcmp(attr, chosen) == 0;
}

static sli_dtype_t draw_type(maker_t *m, sli_types_t types) {
  static const sli_types_t usual = SLI_TYPE_FLOAT | SLI_TYPE_DOUBLE | SLI_TYPE_HALF | SLI_TYPE_INT32 | SLI_TYPE_INT64 |
                                   SLI_TYPE_UINT8 | SLI_TYPE_BOOL | SLI_TYPE_STRING | SLI_TYPE_COMPLEX64;
  if (types & usual) types &= usual;
  sli_dtype_t all[64];
  int count = 0;
  for (int type = 1; type < 64; type++) {
    if (sli_dtype_is_valid(type) && (types >> type & 1)) all[count++] = (sli_dtype_t)type;
  }
  return count ? all[below(m, count)] : SLI_DTYPE_FLOAT;
}

static sli_dtype_t type_for(maker_t *m, const sli_attr_spec_t *spec) {
  sli_types_t types = kernel_types(m, spec->name) & (spec->allowed_types ? spec->allowed_types : SLI_TYPES_ALL);
  if (m->dtype && sli_types_contain(types, m->dtype) && (is_chosen(m, spec->name) || (m->depth && !m->kernel)))
    return m->dtype;
  return draw_type(m, types);
}

static int64_t draw_int(maker_t *m, bool is_odd) {
  static const int64_t absurd[] = {-1, 0, INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN, 1 << 20, -5, 100};
  return is_odd ? absurd[below(m, SLI_ARRAY_COUNT_OF(absurd))] : below(m, 4);
}

static const char *draw_text(maker_t *m) {
  static const char *const texts[] = {"",     "a",    "abc", "1",      "-2.5",      "1,2,3",     "%s",       "x y",
                                      "é",    "(",    "a*",  "[a-z]+", "nan",       "file",      "aGVsbG8=", "{}",
                                      "0x1f", "1e40", "-",   "[[[",    "ij,jk->ik", "\\1\\2\\9", "\n"};
  return texts[below(m, SLI_ARRAY_COUNT_OF(texts))];
}

static sli_shape_t draw_attr_shape(maker_t *m) {
  if (chance(m, 20)) return SLI_SHAPE_UNKNOWN;
  int64_t *dims = sli_arena_calloc(&m->trial->arena, ORACLE_MOST_RANK, sizeof(*dims));
  for (int d = 0; d < m->rank; d++) dims[d] = chance(m, 15) ? -1 : m->dims[d];
  return (sli_shape_t){m->rank, dims};
}

static sli_tensor_t *draw_tensor(maker_t *m, sli_dtype_t dtype, const int64_t *dims, int rank, bool is_odd);

static sli_attr_t draw_list(maker_t *m, const sli_attr_spec_t *spec, bool is_odd) {
  sli_arena_t *arena = &m->trial->arena;
  size_t count = (size_t)below(m, is_odd ? 7 : 4);
  if (count < (size_t)spec->minimum) count = (size_t)spec->minimum;
  sli_attr_t list = {.kind = spec->kind, .is_list = true, .count = count};
  int64_t *ints = sli_arena_calloc(arena, count + 1, sizeof(*ints));
  float *floats = sli_arena_calloc(arena, count + 1, sizeof(*floats));
  sli_view_t *texts = sli_arena_calloc(arena, count + 1, sizeof(*texts));
  sli_dtype_t *types = sli_arena_calloc(arena, count + 1, sizeof(*types));
  sli_shape_t *shapes = sli_arena_calloc(arena, count + 1, sizeof(*shapes));
  bool *bools = sli_arena_calloc(arena, count + 1, sizeof(*bools));
  for (size_t i = 0; i < count; i++) {
    ints[i] = draw_int(m, is_odd && chance(m, 40));
    floats[i] = (float)below(m, 5);
    texts[i] = sli_view(draw_text(m));
    types[i] = draw_type(m, spec->allowed_types ? spec->allowed_types : SLI_TYPES_ALL);
    shapes[i] = draw_attr_shape(m);
    bools[i] = chance(m, 50);
  }
  switch (spec->kind) {
    case SLI_ATTR_INT: list.list.i = ints; break;
    case SLI_ATTR_FLOAT: list.list.f = floats; break;
    case SLI_ATTR_STRING: list.list.s = texts; break;
    case SLI_ATTR_TYPE: list.list.type = types; break;
    case SLI_ATTR_SHAPE: list.list.shape = shapes; break;
    case SLI_ATTR_BOOL: list.list.b = bools; break;
    default: list.count = 0;
  }
  if (spec->kind == SLI_ATTR_TYPE && m->components && m->component_count >= (size_t)spec->minimum) {
    list.list.type = m->components;
    list.count = m->component_count;
  }
  return list;
}

static sli_attr_t draw_attr(maker_t *m, const sli_attr_spec_t *spec, bool is_odd) {
  sli_attr_t attr = {.kind = spec->kind};
  if (spec->is_list) return draw_list(m, spec, is_odd);
  switch (spec->kind) {
    case SLI_ATTR_INT:
      attr.i = draw_int(m, is_odd);
      if (spec->has_minimum && attr.i < spec->minimum && !is_odd) attr.i = spec->minimum + below(m, 3);
      break;
    case SLI_ATTR_FLOAT: attr.f = is_odd && chance(m, 50) ? NAN : (float)below(m, 9) / 4; break;
    case SLI_ATTR_BOOL: attr.b = chance(m, 50); break;
    case SLI_ATTR_STRING:
      attr.s = spec->allowed_string_count && !(is_odd && chance(m, 30))
                   ? spec->allowed_strings[below(m, (int)spec->allowed_string_count)]
                   : sli_view(draw_text(m));
      break;
    case SLI_ATTR_TYPE: attr.type = type_for(m, spec); break;
    case SLI_ATTR_SHAPE: attr.shape = draw_attr_shape(m); break;
    case SLI_ATTR_TENSOR:
      attr.tensor = draw_tensor(m, m->dtype ? m->dtype : SLI_DTYPE_FLOAT, m->dims, m->rank, is_odd);
      break;
    default: attr.kind = SLI_ATTR_NONE;
  }
  return attr;
}

// "1,2,2,1" or "SAME" of a form by the attribute's kind.
static sli_attr_t parse_attr(maker_t *m, const sli_attr_spec_t *spec, sli_view_t text) {
  sli_arena_t *arena = &m->trial->arena;
  sli_attr_t attr = {.kind = spec->kind, .is_list = spec->is_list};
  if (spec->is_list) {
    int count = list_count(text);
    attr.count = (size_t)count;
    int64_t *ints = sli_arena_calloc(arena, (size_t)count + 1, sizeof(*ints));
    float *floats = sli_arena_calloc(arena, (size_t)count + 1, sizeof(*floats));
    sli_view_t *texts = sli_arena_calloc(arena, (size_t)count + 1, sizeof(*texts));
    sli_dtype_t *types = sli_arena_calloc(arena, (size_t)count + 1, sizeof(*types));
    sli_shape_t *shapes = sli_arena_calloc(arena, (size_t)count + 1, sizeof(*shapes));
    for (int i = 0; i < count; i++) {
      sli_view_t item = list_item(text, i);
      ints[i] = (int64_t)to_number(item);
      floats[i] = (float)to_number(item);
      texts[i] = item;
      types[i] = sli_dtype_from_name(item);
      // "3" is a vector's shape here, a word a scalar's.
      int64_t *dim = sli_arena_calloc(arena, 1, sizeof(*dim));
      shapes[i] = (sli_shape_t){sli_view_to_int64(item, dim), dim};
    }
    switch (spec->kind) {
      case SLI_ATTR_INT: attr.list.i = ints; break;
      case SLI_ATTR_FLOAT: attr.list.f = floats; break;
      case SLI_ATTR_STRING: attr.list.s = texts; break;
      case SLI_ATTR_SHAPE: attr.list.shape = shapes; break;
      default: attr.list.type = types;
    }
    return attr;
  }
  switch (spec->kind) {
    case SLI_ATTR_INT: attr.i = (int64_t)to_number(text); break;
    case SLI_ATTR_FLOAT: attr.f = (float)to_number(text); break;
    case SLI_ATTR_BOOL: attr.b = sli_view_is(text, "true"); break;
    case SLI_ATTR_TYPE: attr.type = sli_dtype_from_name(text); break;
    case SLI_ATTR_SHAPE: attr.shape = SLI_SHAPE_UNKNOWN; break;
    default: attr.s = text;
  }
  return attr;
}

static bool form_attr(const maker_t *m, const char *name, sli_view_t *out_value) {
  for (int i = 0; m->row; i++) {
    sli_view_t word = word_at(m->row->attrs, i), key, value;
    if (!word.size) return false;
    if (!sli_view_split(word, '=', &key, &value) || !sli_view_is(key, name)) continue;
    *out_value = value;
    return true;
  }
  return false;
}

static bool is_length(const sli_op_t *op, const char *attr) {
  for (int i = 0; i < op->input_count; i++) {
    const sli_arg_t *arg = &op->inputs[i];
    if (arg->number_attr && strcmp(arg->number_attr, attr) == 0) return true;
    if (arg->type_list_attr && strcmp(arg->type_list_attr, attr) == 0) return true;
  }
  return false;
}

// Types that the form leaves open when the op has a list of them: as many as words are left.
static sli_attr_t form_type_list(maker_t *m, const sli_attr_spec_t *spec) {
  sli_attr_t attr = draw_list(m, spec, false);
  if (m->components) return attr;
  int left = count_words(m->row->inputs), lists = 0;
  for (int i = 0; i < m->op->input_count; i++) {
    if (m->op->inputs[i].type_list_attr)
      lists++;
    else
      left--;
  }
  if (lists != 1 || left < 1 || left > 8) return attr;
  sli_dtype_t *types = sli_arena_calloc(&m->trial->arena, (size_t)left, sizeof(*types));
  for (int i = 0; i < left; i++) {
    types[i] = draw_type(m, spec->allowed_types ? spec->allowed_types : SLI_TYPES_ALL);
  }
  attr.list.type = types;
  attr.count = (size_t)left;
  return attr;
}

static size_t choose_attrs(maker_t *m, sli_attr_entry_t *attrs) {
  size_t count = 0;
  for (int i = 0; i < m->op->attr_count; i++) {
    const sli_attr_spec_t *spec = &m->op->attrs[i];
    bool is_odd = m->mood == ODD_ATTRS && m->odd % m->op->attr_count == i;
    bool is_type = spec->kind == SLI_ATTR_TYPE;
    sli_attr_t value;
    sli_view_t text;
    if (form_attr(m, spec->name, &text) && !(is_type && !spec->is_list && is_chosen(m, spec->name)) && !is_odd) {
      value = parse_attr(m, spec, text);
    } else if (is_type && spec->is_list && m->row && is_length(m->op, spec->name) && !is_odd) {
      value = form_type_list(m, spec);
    } else if (spec->has_default && !is_type && !is_odd && (m->row || chance(m, 60))) {
      continue;
    } else {
      value = draw_attr(m, spec, is_odd);
      if (is_length(m->op, spec->name) && value.kind == SLI_ATTR_INT && (value.i < 0 || value.i > 5) && !is_odd)
        value.i = 2;
    }
    if (value.kind != SLI_ATTR_NONE) attrs[count++] = (sli_attr_entry_t){spec->name, value};
  }
  return count;
}

// ---- Values ------------------------------------------------------------------

static sli_tensor_t *draw_tensor(maker_t *m, sli_dtype_t dtype, const int64_t *dims, int rank, bool is_odd) {
  sli_tensor_t *tensor = oracle_tensor(dtype, dims, rank);
  for (int64_t i = 0; i < tensor->count; i++) {
    if (dtype == SLI_DTYPE_STRING)
      oracle_put_text(tensor, i, sli_view(draw_text(m)));
    else if (sli_dtype_is_plain(dtype))
      oracle_put_number(tensor, i, oracle_number(m->random, oracle_is_floating(dtype), is_odd, 0));
  }
  return tensor;
}

// ---- Shapes ------------------------------------------------------------------

static void draw_dims(maker_t *m, int64_t *dims, int *rank) {
  static const int ranks[] = {0, 1, 1, 2, 2, 2, 3, 3, 4, 5};
  *rank = ranks[below(m, SLI_ARRAY_COUNT_OF(ranks))];
  for (int d = 0; d < *rank; d++) dims[d] = chance(m, 6) ? 0 : 1 + below(m, 4);
}

// One step away from the shape.
static void bend_dims(maker_t *m, int64_t *dims, int *rank) {
  int d = *rank ? below(m, *rank) : 0;
  switch (below(m, 7)) {
    case 0: *rank = 0; break;
    case 1:
      if (*rank) dims[d] = 0;
      break;
    case 2:
      if (*rank) dims[d]++;
      break;
    case 3:
      if (*rank) dims[d] = 1;
      break;
    case 4:
      if (*rank < ORACLE_MOST_RANK - 1) dims[(*rank)++] = 1 + below(m, 3);
      break;
    case 5:
      if (*rank) memmove(dims, dims + 1, (size_t)-- * rank * sizeof(*dims));
      break;
    default: draw_dims(m, dims, rank);
  }
}

// For an input without a form: the shared shape, one that broadcasts to it, or what indices and sizes have.
static void input_dims(maker_t *m, sli_dtype_t dtype, bool is_free, int64_t *dims, int *rank) {
  memcpy(dims, m->dims, sizeof(m->dims));
  *rank = m->rank;
  bool is_index = !is_free && (dtype == SLI_DTYPE_INT32 || dtype == SLI_DTYPE_INT64);
  int roll = below(m, 100);
  if (is_index || (!is_free && roll < 30)) {
    if (roll < 45) {
      *rank = 0;
    } else if (roll < 80) {
      *rank = 1;
      dims[0] = chance(m, 50) ? m->rank : 1 + below(m, 3);
    } else if (roll < 90) {
      *rank = 2;
      dims[0] = m->rank;
      dims[1] = 2;
    }
  } else if (roll < 45) {
    for (int d = 0; d < *rank; d++) {
      if (chance(m, 15)) dims[d] = 1;
    }
    if (roll < 36) *rank = roll < 33 ? 0 : 1;
  }
  if (m->mood == ODD_SHAPES && chance(m, 40)) bend_dims(m, dims, rank);
}

// ---- Inputs ------------------------------------------------------------------

// Features "f" (a float), "i" (an integer) and "b" (bytes), and as a SequenceExample the lists "l" (two integers at
// each of two steps), "s" (bytes) and "r" (floats); broken somewhere if |is_odd|.
static void put_example(maker_t *m, sli_tensor_t *tensor, int64_t i, bool is_odd) {
  static const char example[] =
      "\x0a\x2a"
      "\x0a\x0d\x0a\x01"
      "f\x12\x08\x12\x06\x0a\x04\x00\x00\xc0\x3f"
      "\x0a\x0a\x0a\x01"
      "i\x12\x05\x1a\x03\x0a\x01\x07"
      "\x0a\x0d\x0a\x01"
      "b\x12\x08\x0a\x06\x0a\x04text"
      "\x12\x3e"
      "\x0a\x15\x0a\x01l\x12\x10\x0a\x06\x1a\x04\x0a\x02\x03\x04\x0a\x06\x1a\x04\x0a\x02\x05\x06"
      "\x0a\x10\x0a\x01s\x12\x0b\x0a\x05\x0a\x03\x0a\x01t\x0a\x02\x0a\x00"
      "\x0a\x13\x0a\x01r\x12\x0e\x0a\x08\x12\x06\x0a\x04\x00\x00\xc0\x3f\x0a\x02\x12\x00";
  char bytes[sizeof(example) - 1];
  size_t size = sizeof(bytes);
  memcpy(bytes, example, size);
  if (is_odd) bytes[below(m, (int)size)] ^= (char)(1 << below(m, 8));
  if (is_odd && chance(m, 30)) size = (size_t)below(m, (int)size);
  oracle_put_text(tensor, i, sli_view_of(bytes, size));
}

// An image file of 4 x 3 pixels in one of the formats, broken somewhere if |is_odd|.
static void put_image(maker_t *m, sli_tensor_t *tensor, int64_t i, char letter, bool is_odd) {
  static const char bmp[] =
      "BM\x46\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0\2\0\0\0\2\0\0\0\1\0\x18\0\0\0\0\0\x10\0\0\0"
      "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1\2\3\4\5\6\0\0\7\x8\x9\xa\xb\xc\0\0";
  static const uint8_t pixels[36] = {9, 200, 30, 77, 1};
  sli_string_t bytes = {0};
  sli_codec_image_t image = {pixels, 3, 4, 3};
  sli_codec_jpeg_encoding_t encoding = {.quality = 90, .density_unit = 1};
  if (letter == 'B')
    sli_string_append(&bytes, bmp, sizeof(bmp) - 1);
  else
    sli_status_release(letter == 'P' ? sli_codec_encode_png(&image, 8, -1, &bytes)
                                     : sli_codec_encode_jpeg(&image, &encoding, &bytes));
  if (is_odd && bytes.size) bytes.data[below(m, (int)bytes.size)] ^= (char)(1 << below(m, 8));
  if (is_odd && chance(m, 30)) bytes.size = (size_t)below(m, (int)bytes.size + 1);
  oracle_put_text(tensor, i, sli_view_of(sli_string_text(&bytes), bytes.size));
  sli_string_deinitialize(&bytes);
}

static void put_form_text(maker_t *m, sli_tensor_t *tensor, int64_t i, char letter, sli_view_t given, bool is_odd) {
  if (letter == 'E')
    put_example(m, tensor, i, is_odd);
  else if (letter == 'J' || letter == 'P' || letter == 'B')
    put_image(m, tensor, i, letter, is_odd);
  else if (is_odd || letter != 't')
    oracle_put_text(tensor, i, letter == 'e' && !is_odd ? sli_view_of("", 0) : sli_view(draw_text(m)));
  else
    oracle_put_text(tensor, i, given);
}

static void form_dims(sli_view_t word, int64_t *dims, int *rank) {
  sli_view_t list;
  *rank = 0;
  if (!bracketed(word, '[', ']', &list)) return;
  *rank = list_count(list);
  for (int d = 0; d < *rank && d < ORACLE_MOST_RANK; d++) dims[d] = (int64_t)to_number(list_item(list, d));
}

static sli_kernel_value_t form_input(maker_t *m, int index, sli_dtype_t dtype) {
  sli_view_t word = word_at(m->row->inputs, index), list;
  int64_t dims[ORACLE_MOST_RANK + 1] = {0};
  int rank;
  form_dims(word, dims, &rank);
  bool is_odd = m->odd % m->trial->node.input_count == index;
  if (m->mood == ODD_SHAPES && is_odd) bend_dims(m, dims, &rank);
  sli_tensor_t *tensor = oracle_tensor(dtype, dims, rank);
  bool given = bracketed(word, '{', '}', &list) && list.size > 0;
  bool odd_values = m->mood == ODD_VALUES && is_odd;
  for (int64_t i = 0; i < tensor->count; i++) {
    sli_view_t item = given ? list_item(list, (int)(i % list_count(list))) : sli_view_of("", 0);
    if (dtype == SLI_DTYPE_STRING)
      put_form_text(m, tensor, i, word.data[0], item, odd_values);
    else if (sli_dtype_is_plain(dtype))
      oracle_put_number(tensor, i,
                        given && !(odd_values && chance(m, 50))
                            ? to_number(item)
                            : oracle_number(m->random, oracle_is_floating(dtype), odd_values, word.data[0]));
  }
  return (sli_kernel_value_t){.tensor = tensor};
}

static sli_kernel_value_t drawn_input(maker_t *m, const sli_arg_t *arg, sli_dtype_t dtype) {
  int64_t dims[ORACLE_MOST_RANK];
  int rank;
  bool is_free = arg->type_attr && strcmp(arg->type_attr, "T") == 0;
  input_dims(m, dtype, is_free || arg->type_list_attr || (arg->type_attr && is_chosen(m, arg->type_attr)), dims, &rank);
  return (sli_kernel_value_t){.tensor = draw_tensor(m, dtype, dims, rank, m->mood == ODD_VALUES)};
}

static sli_kernel_value_t as_variable(maker_t *m, sli_kernel_value_t value) {
  sli_shape_t declared = chance(m, 50) ? SLI_SHAPE_UNKNOWN : sli_tensor_shape(value.tensor);
  sli_variable_t *variable = sli_variable_create((sli_dtype_t)value.tensor->dtype, sli_view("v"), declared);
  if (m->mood == ODD_VALUES && chance(m, 20))
    sli_tensor_release(value.tensor);
  else
    sli_variable_replace(variable, value.tensor);
  return (sli_kernel_value_t){.variable = variable};
}

// ---- Handles -----------------------------------------------------------------

static bool is_handle(const sli_arg_t *arg, sli_dtype_t type) {
  return type == SLI_DTYPE_RESOURCE || type == sli_dtype_make_ref(SLI_DTYPE_STRING) ||
         (type == SLI_DTYPE_STRING && strcmp(arg->name, "handle") == 0) ||
         (type == SLI_DTYPE_VARIANT && arg->type == SLI_DTYPE_VARIANT);
}

static const group_t *group_of(const char *op, const sli_arg_t *arg) {
  if (sli_string_starts_with(arg->name, "queue")) return &groups[0];
  if (arg->type == SLI_DTYPE_VARIANT && strstr(arg->name, "dataset")) op = "Dataset";
  for (size_t i = 0; i + 1 < SLI_ARRAY_COUNT_OF(groups); i++) {
    if (sli_string_starts_with(op, groups[i].prefix)) return &groups[i];
  }
  return &groups[SLI_ARRAY_COUNT_OF(groups) - 1];
}

// The op |name|, or a later version of it, with first output (or input) of |type|.
static const sli_op_t *version_of(const char *name, sli_dtype_t type, bool by_input) {
  static const char *const suffixes[] = {"", "V2", "V3"};
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(suffixes); i++) {
    char *full = sli_format("%s%s", name, suffixes[i]);
    const sli_op_t *op = sli_op_find(sli_view(full));
    free(full);
    const sli_arg_t *arg = op ? (by_input ? op->inputs : op->outputs) : NULL;
    if (op && (by_input ? op->input_count : op->output_count) > 0 &&
        (arg->is_ref ? sli_dtype_make_ref(arg->type) : arg->type) == type)
      return op;
  }
  return NULL;
}

static void make(maker_t *m, oracle_trial_t *trial);

// Runs |op| on what |m| makes of it; the value of its first output.
static sli_kernel_value_t run_helper(maker_t *m, const sli_op_t *op, sli_kernel_value_t handle) {
  oracle_trial_t trial;
  oracle_result_t result;
  sli_kernel_value_t value = {0};
  maker_t helper = {.world = m->world,
                    .random = m->random,
                    .op = op,
                    .dtype = m->dtype,
                    .rank = m->rank,
                    .handle = handle,
                    .components = m->components,
                    .component_count = m->component_count,
                    .depth = m->depth + 1};
  memcpy(helper.dims, m->dims, sizeof(m->dims));
  make(&helper, &trial);
  if (trial.is_complete) {
    oracle_run(m->world, &trial, false, &result);
    if (getenv("ORACLE_ONLY") && result.status)
      fprintf(stderr, "%s before it: %s\n", op->def->name, sli_status_message(result.status));
    if (!result.status && trial.node.output_count) {
      value = result.outputs[0];
      result.outputs[0] = (sli_kernel_value_t){0};
    }
    oracle_result_release(&result);
  } else if (getenv("ORACLE_ONLY")) {
    fprintf(stderr, "%s before it: %s\n", op->def->name, sli_status_message(trial.refusal));
  }
  oracle_trial_release(&trial);
  return value;
}

static void release_value(sli_kernel_value_t value) {
  sli_tensor_release(value.tensor);
  sli_variable_release(value.variable);
}

// What the resource of the handle holds, if an attribute of the node says so.
static void note_types(maker_t *m, const sli_arg_t *arg) {
  static const sli_dtype_t text[] = {SLI_DTYPE_STRING};
  const sli_attr_t *type = sli_node_attr(&m->trial->node, "dtype");
  if (!type) type = sli_node_attr(&m->trial->node, "T");
  if (!type) type = sli_node_attr(&m->trial->node, "elem_type");
  if (!type) type = sli_node_attr(&m->trial->node, "element_dtype");
  if (!m->dtype && type && type->kind == SLI_ATTR_TYPE && !type->is_list) m->dtype = type->type;
  for (size_t i = 0; i < m->trial->node.attr_count && !m->components; i++) {
    const sli_attr_t *attr = &m->trial->node.attrs[i].value;
    if (attr->kind != SLI_ATTR_TYPE || !attr->is_list) continue;
    m->components = attr->list.type;
    m->component_count = attr->count;
  }
  if (m->components) return;
  m->components = sli_string_starts_with(arg->name, "queue") || !m->dtype ? text : &m->dtype;
  m->component_count = 1;
}

static sli_kernel_value_t make_handle(maker_t *m, const sli_arg_t *arg, sli_dtype_t type) {
  const group_t *group =
      chance(m, 95) ? group_of(m->op->def->name, arg) : &groups[below(m, SLI_ARRAY_COUNT_OF(groups))];
  note_types(m, arg);
  int count = 0;
  while (count < (int)SLI_ARRAY_COUNT_OF(group->makers) && group->makers[count]) count++;
  const sli_op_t *maker = version_of(group->makers[below(m, count)], type, false);
  sli_kernel_value_t handle = {0};
  if (maker && m->depth < 3) handle = run_helper(m, maker, handle);
  const sli_op_t *first = group->first ? version_of(group->first, type, true) : NULL;
  if (first && (handle.tensor || handle.variable)) {
    for (int i = chance(m, 10) ? 0 : 1 + below(m, 3); i > 0; i--) {
      sli_kernel_value_t result = run_helper(m, first, handle);
      // A variant is a value: the filled one is another.
      bool is_filled = type == SLI_DTYPE_VARIANT && result.tensor;
      release_value(is_filled ? handle : result);
      if (is_filled) handle = result;
    }
  }
  return handle;
}

// Only a first input is given a handle as a value: what holds itself would never be freed.
static sli_kernel_value_t handle_input(maker_t *m, const sli_arg_t *arg, sli_dtype_t type, bool is_first) {
  sli_kernel_value_t value = {0};
  bool is_same_kind = sli_dtype_is_ref(type) ? m->handle.variable && m->handle.variable->dtype == sli_dtype_base(type)
                                             : m->handle.tensor && m->handle.tensor->dtype == type;
  if (is_first && is_same_kind) {
    sli_tensor_retain(m->handle.tensor);
    sli_variable_retain(m->handle.variable);
    return m->handle;
  }
  bool is_value = arg->type_attr || arg->type_list_attr;
  if ((is_first || !is_value) && (m->mood != ODD_VALUES || chance(m, 80))) value = make_handle(m, arg, type);
  if (value.tensor || value.variable) return value;
  // A handle without a resource, perhaps not even a scalar.
  int64_t dims[ORACLE_MOST_RANK];
  int rank = 0;
  if (chance(m, 50)) draw_dims(m, dims, &rank);
  value.tensor = draw_tensor(m, sli_dtype_base(type), dims, rank, false);
  return sli_dtype_is_ref(type) ? as_variable(m, value) : value;
}

// ---- The trial ---------------------------------------------------------------

static int length_of(const oracle_trial_t *trial, const sli_attr_entry_t *attrs, size_t count, const sli_arg_t *arg) {
  const char *name = arg->number_attr ? arg->number_attr : arg->type_list_attr;
  if (!name) return 1;
  for (size_t i = 0; i < count; i++) {
    if (strcmp(attrs[i].name, name) != 0) continue;
    if (arg->type_list_attr) return (int)attrs[i].value.count;
    return attrs[i].value.i < 0 || attrs[i].value.i > 1000 ? 0 : (int)attrs[i].value.i;
  }
  return 0;
}

static void complete_node(maker_t *m, oracle_trial_t *trial) {
  sli_attr_entry_t attrs[64];
  size_t count = choose_attrs(m, attrs);
  int inputs = 0;
  for (int i = 0; i < m->op->input_count; i++) inputs += length_of(trial, attrs, count, &m->op->inputs[i]);
  sli_node_request_t request = {.name = m->depth ? m->op->def->name : "n",
                                .device = "",
                                .op = m->op,
                                .attrs = attrs,
                                .attr_count = count,
                                .input_count = inputs};
  trial->refusal = sli_node_def_complete(&request, &trial->arena, &trial->node);
  for (size_t i = 0; i < count; i++) sli_attr_release_tensors(&attrs[i].value);
  if (!trial->refusal && (inputs > ORACLE_MOST_VALUES || trial->node.output_count > ORACLE_MOST_VALUES)) {
    sli_node_def_release_tensors(&trial->node);
    trial->refusal = sli_status_make(SLI_UNIMPLEMENTED, "more inputs or outputs than the oracle takes");
  }
  trial->is_complete = !trial->refusal;
}

static void make(maker_t *m, oracle_trial_t *trial) {
  *trial = (oracle_trial_t){0};
  m->trial = trial;
  m->row = choose_row(m);
  m->odd = below(m, 1000);
  trial->is_tame = m->mood == TAME;
  complete_node(m, trial);
  if (!trial->is_complete) return;
  if (m->row && count_words(m->row->inputs) != trial->node.input_count) m->row = NULL;
  int index = 0;
  for (int a = 0; a < m->op->input_count; a++) {
    const sli_arg_t *arg = &m->op->inputs[a];
    for (int n = length_of(trial, trial->node.attrs, trial->node.attr_count, arg); n > 0; n--, index++) {
      sli_dtype_t type = trial->node.input_types[index];
      sli_kernel_value_t *input = &trial->inputs[index];
      if (m->row && word_at(m->row->inputs, index).data[0] == '_')
        form_dims(word_at(m->row->inputs, index), m->dims, &m->rank);
      if (is_handle(arg, type)) {
        *input = handle_input(m, arg, type, index == 0);
        continue;
      }
      *input = m->row ? form_input(m, index, sli_dtype_base(type)) : drawn_input(m, arg, sli_dtype_base(type));
      if (sli_dtype_is_ref(type)) *input = as_variable(m, *input);
    }
  }
}

void oracle_trial_make(oracle_world_t *world, oracle_random_t *random, const sli_op_t *op,
                       const sli_kernel_def_t *kernel, sli_dtype_t dtype, oracle_trial_t *out_trial) {
  maker_t m = {.world = world, .random = random, .op = op, .kernel = kernel, .dtype = dtype};
  static const mood_t moods[] = {TAME, TAME, TAME, TAME, ODD_VALUES, ODD_VALUES, ODD_SHAPES, ODD_SHAPES, ODD_ATTRS};
  m.mood = moods[below(&m, SLI_ARRAY_COUNT_OF(moods))];
  draw_dims(&m, m.dims, &m.rank);
  make(&m, out_trial);
}

void oracle_trial_release(oracle_trial_t *trial) {
  for (int i = 0; i < ORACLE_MOST_VALUES; i++) release_value(trial->inputs[i]);
  if (trial->is_complete) sli_node_def_release_tensors(&trial->node);
  sli_status_release(trial->refusal);
  sli_arena_deinitialize(&trial->arena);
  *trial = (oracle_trial_t){0};
}

void oracle_trial_append(sli_string_t *string, const oracle_trial_t *trial) {
  sli_node_def_append(string, &trial->node);
  sli_string_append_char(string, '(');
  for (int i = 0; i < trial->node.input_count; i++) {
    const sli_kernel_value_t *input = &trial->inputs[i];
    sli_tensor_t *tensor = input->variable ? sli_variable_read(input->variable) : sli_tensor_retain(input->tensor);
    sli_string_append_format(string, "%s%s", i ? ", " : "", sli_dtype_name(trial->node.input_types[i]));
    if (!tensor) continue;
    sli_shape_append(string, sli_tensor_shape(tensor));
    if (sli_dtype_is_plain((sli_dtype_t)tensor->dtype) || tensor->dtype == SLI_DTYPE_STRING) {
      sli_string_append_char(string, '{');
      sli_tensor_append_values(string, tensor, 12);
      sli_string_append_char(string, '}');
    }
    sli_tensor_release(tensor);
  }
  sli_string_append_char(string, ')');
}
