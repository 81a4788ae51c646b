// Parsing makes two passes over argv. The first checks every word and stores
// nothing, so that a bad command line has no effect and --help shows the real
// defaults. The second stores the values and removes the options from argv.
#include "base/options.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include "base/alloc.h"
#include "base/array.h"

enum { MAX_NAME = 63, HELP_WIDTH = 80, HELP_INDENT = 26 };

void sli_option_list_deinitialize(sli_option_list_t *list) {
  for (size_t i = 0; i < list->count; i++) free(list->items[i]);
  free(list->items);
  *list = (sli_option_list_t){0};
}

// --- Misspellings ---

static char folded(char character) { return character == '_' ? '-' : (char)tolower((unsigned char)character); }

// The number of edits (insert, delete, replace, swap of neighbours) that make one word the other.
static int edit_distance(const char *a, const char *b) {
  int rows[3][MAX_NAME + 1];
  int length_a = (int)strlen(a), length_b = (int)strlen(b);
  if (length_a > MAX_NAME || length_b > MAX_NAME) return MAX_NAME;
  int *older = rows[0], *previous = rows[1], *current = rows[2];
  for (int j = 0; j <= length_b; j++) previous[j] = older[j] = j;
  for (int i = 1; i <= length_a; i++) {
    current[0] = i;
    for (int j = 1; j <= length_b; j++) {
      int cost = folded(a[i - 1]) != folded(b[j - 1]);
      int best = previous[j - 1] + cost;
      if (previous[j] + 1 < best) best = previous[j] + 1;
      if (current[j - 1] + 1 < best) best = current[j - 1] + 1;
      bool swapped = i > 1 && j > 1 && folded(a[i - 1]) == folded(b[j - 2]) && folded(a[i - 2]) == folded(b[j - 1]);
      if (swapped && older[j - 2] + 1 < best) best = older[j - 2] + 1;
      current[j] = best;
    }
    int *free_row = older;
    older = previous;
    previous = current;
    current = free_row;
  }
  return previous[length_b];
}

const char *sli_options_nearest(const char *word, const char *const *candidates, size_t count) {
  size_t length = strlen(word);
  const char *nearest = NULL;
  int least = length < 4 ? 2 : length < 8 ? 3 : 4;
  for (size_t i = 0; i < count; i++) {
    int distance = edit_distance(word, candidates[i]);
    // "work" for "workers": an abbreviation counts as near although many letters are missing.
    if (length >= 3 && strncasecmp(word, candidates[i], length) == 0) distance = 1;
    if (distance >= least || (size_t)distance >= length) continue;
    least = distance;
    nearest = candidates[i];
  }
  return nearest;
}

// --- Words of the command line ---

typedef enum { WORD_OPERAND, WORD_OPTION, WORD_UNKNOWN, WORD_HELP, WORD_END } word_kind_t;

typedef struct {
  word_kind_t kind;
  const sli_option_t *option;
  const char *value;
  int words;  // how many words of argv it uses
} word_t;

static bool name_equal(sli_view_t given, const char *name) {
  if (given.size != strlen(name)) return false;
  for (size_t i = 0; i < given.size; i++)
    if ((given.data[i] == '_' ? '-' : given.data[i]) != (name[i] == '_' ? '-' : name[i])) return false;
  return true;
}

static const sli_option_t *find_option(const sli_options_t *spec, sli_view_t name) {
  for (const sli_option_t *option = spec->options; option && option->name; option++)
    if (name_equal(name, option->name)) return option;
  return NULL;
}

// The bool option that --nox or --no-x sets to false.
static const sli_option_t *find_negated(const sli_options_t *spec, sli_view_t name) {
  if (!sli_view_starts_with(name, "no")) return NULL;
  const sli_option_t *option = find_option(spec, sli_view_of(name.data + 2, name.size - 2));
  if (!option && name.size > 2 && (name.data[2] == '-' || name.data[2] == '_'))
    option = find_option(spec, sli_view_of(name.data + 3, name.size - 3));
  return option && option->kind == SLI_OPTION_BOOL ? option : NULL;
}

static sli_status_t *unknown_option(const sli_options_t *spec, sli_view_t name) {
  SLI_ARRAY(const char *) names = {0};
  for (const sli_option_t *option = spec->options; option && option->name; option++)
    sli_array_push(&names, option->name);
  sli_array_push(&names, "help");
  char *given = sli_strndup(name.data, name.size);
  const char *nearest = sli_options_nearest(given, names.items, names.count);
  sli_status_t *status =
      sli_status_make(SLI_INVALID_ARGUMENT, "unknown option --%s for '%s'; %s%s%ssee '%s --help'", given, spec->program,
                      nearest ? "did you mean --" : "", nearest ? nearest : "", nearest ? "? Or " : "", spec->program);
  free(given);
  sli_array_deinitialize(&names);
  return status;
}

static const char *argument_of(const sli_option_t *option) { return option->argument ? option->argument : "VALUE"; }

// The value in the word after the option, or NULL. TensorFlow's users write "--sync True", and "--sync 1" if it was a
// number in their program; "true" may be a program, and "1" an operand.
static const char *detached_value(const sli_options_t *spec, const sli_option_t *option, const char *next) {
  if (!next || option->implied) return NULL;
  if (option->kind == SLI_OPTION_BOOL) {
    bool is_digit = !strcmp(next, "0") || !strcmp(next, "1");
    bool takes_digits = !spec->operands && !spec->pass_unknown && !spec->options_first;
    return !strcmp(next, "True") || !strcmp(next, "False") || (is_digit && takes_digits) ? next : NULL;
  }
  return sli_string_starts_with(next, "--") ? NULL : next;
}

static sli_status_t *read_option(const sli_options_t *spec, const char *const *argv, sli_view_t name, bool has_value,
                                 sli_view_t value, word_t *out_word) {
  const sli_option_t *option = find_option(spec, name);
  if (option) {
    *out_word = (word_t){.kind = WORD_OPTION, .option = option, .value = value.data, .words = 1};
    if (has_value) return NULL;
    out_word->value = detached_value(spec, option, argv[1]);
    if (out_word->value) {
      out_word->words = 2;
      return NULL;
    }
    out_word->value = option->kind == SLI_OPTION_BOOL ? "true" : option->implied;
    if (out_word->value) return NULL;
    return sli_status_make(SLI_INVALID_ARGUMENT, "--%s needs a value: --%s=%s; see '%s --help'", option->name,
                           option->name, argument_of(option), spec->program);
  }
  option = find_negated(spec, name);
  if (option && !has_value) {
    *out_word = (word_t){.kind = WORD_OPTION, .option = option, .value = "false", .words = 1};
    return NULL;
  }
  if (sli_view_is(name, "help") && !has_value) {
    *out_word = (word_t){.kind = WORD_HELP, .words = 1};
    return NULL;
  }
  *out_word = (word_t){.kind = WORD_UNKNOWN, .words = 1};
  return spec->pass_unknown ? NULL : unknown_option(spec, name);
}

// Reads the word at argv[0], and argv[1] if that is its value. Sets |out_word| on failure too.
static sli_status_t *read_word(const sli_options_t *spec, const char *const *argv, word_t *out_word) {
  const char *text = argv[0];
  *out_word = (word_t){.kind = WORD_OPERAND, .words = 1};
  if (text[0] != '-' || text[1] == '\0') return NULL;
  if (!strcmp(text, "--")) {
    out_word->kind = WORD_END;
    return NULL;
  }
  bool single = text[1] != '-';
  sli_view_t name, value;
  bool has_value = sli_view_split(sli_view(text + (single ? 1 : 2)), '=', &name, &value);
  double number;
  if (single && sli_view_to_double(sli_view(text), &number)) return NULL;
  if (single && !strcmp(text, "-h") && !find_option(spec, name)) {
    out_word->kind = WORD_HELP;
    return NULL;
  }
  return read_option(spec, argv, name, has_value, value, out_word);
}

// --- Values ---

typedef struct {
  bool truth;
  int64_t integer;
  double real;
} value_t;

static bool parse_bool(const char *text, bool *out_value) {
  static const char *const yes[] = {"true", "t", "1", "yes", "y", "on"}, *const no[] = {"false", "f", "0",
                                                                                        "no",    "n", "off"};
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(yes); i++) {
    if (!strcasecmp(text, yes[i])) return *out_value = true;
    if (!strcasecmp(text, no[i])) return !(*out_value = false);
  }
  return false;
}

static sli_status_t *bad_value(const sli_options_t *spec, const sli_option_t *option, const char *text,
                               const char *wanted) {
  char range[80] = "";
  bool ranged = option->minimum < option->maximum, open_ended = option->maximum >= 1e15;
  if (ranged && open_ended) snprintf(range, sizeof(range), " of at least %.15g", option->minimum);
  if (ranged && !open_ended) snprintf(range, sizeof(range), " from %.15g to %.15g", option->minimum, option->maximum);
  return sli_status_make(SLI_INVALID_ARGUMENT, "--%s must be %s%s, got '%s'; see '%s --help'", option->name, wanted,
                         range, text, spec->program);
}

static sli_status_t *check_words(const sli_options_t *spec, const sli_option_t *option, const char *text) {
  sli_string_t allowed = {0};
  for (const char *const *word = option->words; *word; word++) {
    if (!strcmp(*word, text)) {
      sli_string_deinitialize(&allowed);
      return NULL;
    }
    sli_string_append_format(&allowed, "%s%s", word == option->words ? "" : word[1] ? ", " : " or ", *word);
  }
  sli_status_t *status = bad_value(spec, option, text, sli_string_text(&allowed));
  sli_string_deinitialize(&allowed);
  return status;
}

// Numbers as Python reads them: blanks around them are ignored, and an underscore may separate digits.
enum { LONGEST_NUMBER = 64 };

// Copies |text| without blanks and underscores. Returns false if it is too long or an underscore is misplaced.
static bool plain_number(sli_view_t text, bool is_hex, char *out_number) {
  size_t used = 0;
  if (text.size >= LONGEST_NUMBER) return false;
  for (size_t i = 0; i < text.size; i++) {
    if (text.data[i] != '_') {
      out_number[used++] = text.data[i];
      continue;
    }
    int (*is_digit)(int) = is_hex ? isxdigit : isdigit;
    bool between = i > 0 && i + 1 < text.size && is_digit((unsigned char)text.data[i - 1]) &&
                   is_digit((unsigned char)text.data[i + 1]);
    if (!between) return false;
  }
  out_number[used] = '\0';
  return used > 0;
}

// Decimal, or with the prefix 0x or 0o. No sign or blank may precede a prefix.
static bool parse_integer(const char *text, int64_t *out_value) {
  char number[LONGEST_NUMBER], *end;
  int base = sli_string_starts_with(text, "0x") ? 16 : sli_string_starts_with(text, "0o") ? 8 : 10;
  sli_view_t digits = base == 10 ? sli_view_trim(sli_view(text)) : sli_view(text + 2);
  if (base != 10 && digits.size && digits.data[0] == '_') digits = sli_view(text + 3);
  if (!plain_number(digits, base == 16, number)) return false;
  bool is_signed = number[0] == '-' || number[0] == '+';
  if (!isxdigit((unsigned char)number[is_signed]) || (is_signed && base != 10)) return false;
  errno = 0;
  *out_value = strtoll(number, &end, base);
  return !errno && !*end;
}

static bool parse_real(const char *text, double *out_value) {
  char number[LONGEST_NUMBER];
  if (!plain_number(sli_view_trim(sli_view(text)), false, number)) return false;
  return !strpbrk(number, "xX") && sli_view_to_double(sli_view(number), out_value);
}

static sli_status_t *parse_value(const sli_options_t *spec, const sli_option_t *option, const char *text,
                                 value_t *out_value) {
  *out_value = (value_t){0};
  bool ranged = option->minimum < option->maximum;
  switch (option->kind) {
    case SLI_OPTION_BOOL:
      return parse_bool(text, &out_value->truth) ? NULL : bad_value(spec, option, text, "true or false");
    case SLI_OPTION_INT:
    case SLI_OPTION_INT32: {
      bool good = parse_integer(text, &out_value->integer);
      double real = (double)out_value->integer;
      if (good && ranged) good = real >= option->minimum && real <= option->maximum;
      if (good && option->kind == SLI_OPTION_INT32)
        good = out_value->integer >= INT32_MIN && out_value->integer <= INT32_MAX;
      return good ? NULL : bad_value(spec, option, text, "a whole number");
    }
    case SLI_OPTION_DOUBLE: {
      bool good = parse_real(text, &out_value->real);
      if (good && ranged) good = out_value->real >= option->minimum && out_value->real <= option->maximum;
      return good ? NULL : bad_value(spec, option, text, "a number");
    }
    case SLI_OPTION_TEXT: return option->words ? check_words(spec, option, text) : NULL;
    case SLI_OPTION_LIST:
    case SLI_OPTION_EACH: return NULL;
  }
  return NULL;
}

static void store_list(sli_option_list_t *list, const char *text) {
  SLI_ARRAY(char *) items = {0};
  sli_view_t rest = sli_view(text), item;
  for (bool more = true; more;) {
    more = sli_view_split(rest, ',', &item, &rest);
    item = sli_view_trim(item);
    if (item.size) sli_array_push(&items, sli_strndup(item.data, item.size));
  }
  sli_option_list_deinitialize(list);
  *list = (sli_option_list_t){items.items, items.count};
}

static void store_one_more(sli_option_list_t *list, const char *text) {
  list->items = sli_realloc(list->items, (list->count + 1) * sizeof(*list->items));
  list->items[list->count++] = sli_strdup(text);
}

static void store_value(const sli_option_t *option, const char *text, value_t value) {
  switch (option->kind) {
    case SLI_OPTION_BOOL: *(bool *)option->value = value.truth; break;
    case SLI_OPTION_INT: *(int64_t *)option->value = value.integer; break;
    case SLI_OPTION_INT32: *(int32_t *)option->value = (int32_t)value.integer; break;
    case SLI_OPTION_DOUBLE: *(double *)option->value = value.real; break;
    case SLI_OPTION_TEXT: *(const char **)option->value = text; break;
    case SLI_OPTION_LIST: store_list(option->value, text); break;
    case SLI_OPTION_EACH: store_one_more(option->value, text); break;
  }
  if (option->given) *option->given = true;
}

// --- Parsing ---

// One pass. Without |store| it only checks, and looks for --help even after an error: help is always shown on request.
static sli_status_t *parse_pass(const sli_options_t *spec, int *argc, char **argv, bool store, bool *out_help) {
  sli_status_t *status = NULL;
  int kept = 1, at = 1;
  bool ended = false;
  while (at < *argc) {
    word_t word = {.kind = WORD_OPERAND, .words = 1};
    if (!ended) status = sli_status_join(status, read_word(spec, (const char *const *)argv + at, &word));
    if (word.kind == WORD_OPTION && word.value) {
      value_t value;
      sli_status_t *bad = parse_value(spec, word.option, word.value, &value);
      if (!bad && store) store_value(word.option, word.value, value);
      status = sli_status_join(status, bad);
    }
    if (word.kind == WORD_HELP) *out_help = true;
    if (word.kind == WORD_END || (word.kind == WORD_OPERAND && spec->options_first)) ended = true;
    bool keep = word.kind == WORD_OPERAND || (spec->pass_unknown && word.kind != WORD_OPTION);
    if (keep && store) argv[kept++] = argv[at];
    at += word.words;
  }
  if (store) {
    *argc = kept;
    argv[kept] = NULL;
  }
  return status;
}

sli_status_t *sli_options_parse(const sli_options_t *spec, int *argc, char **argv, bool *out_help) {
  *out_help = false;
  sli_status_t *status = parse_pass(spec, argc, argv, false, out_help);
  if (*out_help) {
    sli_status_release(status);
    return NULL;
  }
  if (status) return status;
  return parse_pass(spec, argc, argv, true, out_help);
}

// --- Help ---

// Columns of UTF-8 text: continuation bytes take none.
static size_t columns(sli_view_t text) {
  size_t count = 0;
  for (size_t i = 0; i < text.size; i++) count += ((unsigned char)text.data[i] & 0xC0) != 0x80;
  return count;
}

// Appends the words of |text|, filled to the width, following lines indented; the first starts at |column|.
static void append_filled(sli_string_t *out, sli_view_t text, size_t indent, size_t column) {
  sli_view_t word;
  bool first = true;
  for (bool more = true; more;) {
    more = sli_view_split(text, ' ', &word, &text);
    if (!word.size) continue;
    size_t width = columns(word);
    if (!first && column + 1 + width > HELP_WIDTH) {
      sli_string_append_format(out, "\n%*s", (int)indent, "");
      column = indent;
    } else if (!first) {
      sli_string_append_char(out, ' ');
      column++;
    }
    sli_string_append(out, word.data, word.size);
    column += width;
    first = false;
  }
  sli_string_append_char(out, '\n');
}

void sli_option_append_default(sli_string_t *out, const sli_option_t *option) {
  const char *text = option->kind == SLI_OPTION_TEXT ? *(const char *const *)option->value : NULL;
  switch (option->kind) {
    case SLI_OPTION_BOOL:
      if (*(bool *)option->value) sli_string_append_text(out, " (default: true)");
      break;
    case SLI_OPTION_INT: sli_string_append_format(out, " (default: %lld)", (long long)*(int64_t *)option->value); break;
    case SLI_OPTION_INT32: sli_string_append_format(out, " (default: %d)", *(int32_t *)option->value); break;
    case SLI_OPTION_DOUBLE: sli_string_append_format(out, " (default: %g)", *(double *)option->value); break;
    case SLI_OPTION_TEXT:
      if (text && text[0]) sli_string_append_format(out, " (default: %s)", text);
      break;
    case SLI_OPTION_LIST:
    case SLI_OPTION_EACH: break;
  }
}

static void append_option(sli_string_t *out, const sli_option_t *option) {
  sli_string_t left = {0}, right = {0};
  bool is_on = option->kind == SLI_OPTION_BOOL && *(bool *)option->value;
  sli_string_append_format(&left, "  --%s%s", is_on ? "[no]" : "", option->name);
  if (option->kind != SLI_OPTION_BOOL)
    sli_string_append_format(&left, option->implied ? "[=%s]" : " %s", argument_of(option));
  sli_string_append_text(&right, option->help ? option->help : "");
  sli_option_append_default(&right, option);
  size_t width = columns(sli_view(left.data));
  sli_string_append_text(out, left.data);
  if (width + 2 > HELP_INDENT)
    sli_string_append_format(out, "\n%*s", HELP_INDENT, "");
  else
    sli_string_append_format(out, "%*s", (int)(HELP_INDENT - width), "");
  append_filled(out, sli_view(right.data), HELP_INDENT, HELP_INDENT);
  sli_string_deinitialize(&left);
  sli_string_deinitialize(&right);
}

static void append_description(sli_string_t *out, const char *description) {
  for (const char *at = description; *at;) {
    const char *end = strstr(at, "\n\n");
    size_t size = end ? (size_t)(end - at) : strlen(at);
    sli_string_append_char(out, '\n');
    append_filled(out, sli_view_of(at, size), 0, 0);
    at += size + (end ? 2 : 0);
  }
}

void sli_options_help(const sli_options_t *spec, sli_string_t *out_text) {
  bool has_operands = spec->operands && spec->operands[0];
  sli_string_append_format(out_text, "Usage: %s [OPTIONS]%s%s\n", spec->program, has_operands ? " " : "",
                           has_operands ? spec->operands : "");
  if (spec->summary) sli_string_append_format(out_text, "%s.\n", spec->summary);
  if (spec->description) append_description(out_text, spec->description);
  sli_string_append_text(out_text, "\nOptions:\n");
  for (const sli_option_t *option = spec->options; option && option->name; option++) append_option(out_text, option);
  bool help = false;
  append_option(out_text, &(sli_option_t){.name = "help", .value = &help, .help = "show this text"});
  if (spec->examples) sli_string_append_format(out_text, "\nExamples:\n%s", spec->examples);
}
