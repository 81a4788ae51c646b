#include "io/checkpoint/checkpoint_state.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/string.h"
#include "io/file/atomic_file.h"
#include "io/file/file.h"
#include "io/file/path.h"

enum { MAX_FILE_SIZE = 64 << 20 };

void sli_checkpoint_state_deinitialize(sli_checkpoint_state_t *state) {
  free(state->model_checkpoint_path);
  for (size_t i = 0; i < state->count; i++) free(state->all_paths[i]);
  free(state->all_paths);
  free(state->timestamps);
  *state = (sli_checkpoint_state_t){0};
}

// The path of the state file. The caller owns the string.
static char *state_path(const char *directory, const char *file_name) {
  return sli_path_join(directory, file_name ? file_name : "checkpoint");
}

// Reading: protocol buffers' text format with strings and numbers only.

typedef struct {
  const char *next, *end;
  int line;
} scanner_t;

static void skip_blanks(scanner_t *in) {
  for (; in->next < in->end; in->next++) {
    if (*in->next == '#')
      while (in->next + 1 < in->end && in->next[1] != '\n') in->next++;
    else if (*in->next == '\n')
      in->line++;
    else if (!isspace((unsigned char)*in->next))
      return;
  }
}

static bool take(scanner_t *in, char character) {
  skip_blanks(in);
  if (in->next == in->end || *in->next != character) return false;
  in->next++;
  return true;
}

// Letters, digits and the other characters of numbers.
static sli_view_t take_word(scanner_t *in) {
  skip_blanks(in);
  const char *start = in->next;
  while (in->next < in->end && *in->next && (isalnum((unsigned char)*in->next) || strchr("_.+-", *in->next)))
    in->next++;
  return sli_view_of(start, (size_t)(in->next - start));
}

static int digit_value(char c) { return isdigit((unsigned char)c) ? c - '0' : tolower((unsigned char)c) - 'a' + 10; }

// The character after a backslash.
static bool take_escape(scanner_t *in, sli_string_t *out) {
  static const char names[] = "abfnrtv\\'\"?", values[] = "\a\b\f\n\r\t\v\\'\"?";
  if (in->next == in->end) return false;
  char c = *in->next++;
  const char *name = c ? strchr(names, c) : NULL;
  if (name) {
    sli_string_append_char(out, values[name - names]);
    return true;
  }
  bool octal = c >= '0' && c <= '7';
  if (!octal && c != 'x' && c != 'X') return false;
  if (octal) in->next--;
  int value = 0, digits = 0, most = octal ? 3 : 2;
  for (; digits < most && in->next < in->end; digits++, in->next++) {
    if (octal ? *in->next < '0' || *in->next > '7' : !isxdigit((unsigned char)*in->next)) break;
    value = value * (octal ? 8 : 16) + digit_value(*in->next);
  }
  sli_string_append_char(out, (char)value);
  return digits > 0 && value <= 0xff;
}

// One or more adjacent quoted strings, joined. NULL if there is none or it contains a NUL. The caller owns the string.
static char *take_string(scanner_t *in) {
  sli_string_t text = {0};
  bool good = false;
  while (skip_blanks(in), in->next < in->end && (*in->next == '"' || *in->next == '\'')) {
    char quote = *in->next++;
    good = true;
    while (good && in->next < in->end && *in->next != quote) {
      char c = *in->next++;
      if (c == '\\')
        good = take_escape(in, &text);
      else if (c == '\n')
        good = false;
      else
        sli_string_append_char(&text, c);
    }
    good = good && in->next < in->end;
    if (!good) break;
    in->next++;
  }
  good = good && strlen(sli_string_text(&text)) == text.size;
  char *string = good ? sli_string_take(&text) : NULL;
  sli_string_deinitialize(&text);
  return string;
}

static bool take_field(scanner_t *in, sli_checkpoint_state_t *state, size_t *timestamp_count) {
  sli_view_t name = take_word(in);
  if (!take(in, ':')) return false;
  if (sli_view_is(name, "model_checkpoint_path")) {
    free(state->model_checkpoint_path);
    state->model_checkpoint_path = take_string(in);
    return state->model_checkpoint_path != NULL;
  }
  if (sli_view_is(name, "all_model_checkpoint_paths")) {
    char *path = take_string(in);
    if (!path) return false;
    if (state->count == state->capacity)
      state->all_paths =
          sli_array_grown(state->all_paths, &state->capacity, state->count + 1, sizeof(*state->all_paths));
    state->all_paths[state->count++] = path;
    return true;
  }
  double number;
  if (!sli_view_to_double(take_word(in), &number)) return false;
  if (sli_view_is(name, "last_preserved_timestamp")) {
    state->last_preserved_timestamp = number;
    return true;
  }
  if (!sli_view_is(name, "all_model_checkpoint_timestamps")) return false;
  state->timestamps = sli_realloc(state->timestamps, (*timestamp_count + 1) * sizeof(double));
  state->timestamps[(*timestamp_count)++] = number;
  return true;
}

static void resolve_path(const char *directory, char **path) {
  char *joined = sli_path_join(directory, *path);
  free(*path);
  *path = joined;
}

sli_status_t *sli_checkpoint_state_read(const char *directory, const char *file_name,
                                        sli_checkpoint_state_t *out_state) {
  *out_state = (sli_checkpoint_state_t){0};
  char *path = state_path(directory, file_name);
  sli_string_t bytes = {0};
  sli_status_t *status = NULL;
  SLI_GOTO_IF_ERROR(status, cleanup, sli_file_read_whole(path, MAX_FILE_SIZE, &bytes));
  scanner_t in = {.next = sli_string_text(&bytes), .end = sli_string_text(&bytes) + bytes.size, .line = 1};
  size_t timestamp_count = 0;
  for (skip_blanks(&in); in.next < in.end; skip_blanks(&in)) {
    if (!take_field(&in, out_state, &timestamp_count)) {
      status = sli_status_make(SLI_DATA_LOSS, "%s:%d: cannot parse the checkpoint state", path, in.line);
      goto cleanup;
    }
    if (!take(&in, ',')) take(&in, ';');
  }
  if (timestamp_count != out_state->count) {
    free(out_state->timestamps);
    out_state->timestamps = NULL;
  }
  if (out_state->model_checkpoint_path) resolve_path(directory, &out_state->model_checkpoint_path);
  for (size_t i = 0; i < out_state->count; i++) resolve_path(directory, &out_state->all_paths[i]);
cleanup:
  if (status) sli_checkpoint_state_deinitialize(out_state);
  sli_string_deinitialize(&bytes);
  free(path);
  return status;
}

// Writing.

// The part of |path| below |directory|, or |path| itself.
static const char *below(const char *directory, const char *path) {
  size_t length = strlen(directory);
  while (length && directory[length - 1] == '/') length--;
  if (length == 0 || strncmp(path, directory, length) != 0 || path[length] != '/') return path;
  path += length;
  while (*path == '/') path++;
  return path;
}

static void put_string(sli_string_t *out, const char *name, const char *text) {
  sli_string_append_format(out, "%s: \"", name);
  sli_string_append_escaped(out, sli_view(text));
  sli_string_append_text(out, "\"\n");
}

// The shortest text that reads back as |value|, with a point or exponent.
static void put_double(sli_string_t *out, const char *name, double value) {
  char text[40];
  for (int digits = 15; digits <= 17; digits++) {
    snprintf(text, sizeof(text), "%.*g", digits, value);
    if (strtod(text, NULL) == value) break;
  }
  sli_string_append_format(out, "%s: %s%s\n", name, text, strpbrk(text, ".en") ? "" : ".0");
}

sli_status_t *sli_checkpoint_state_write(const char *directory, const char *file_name,
                                         const sli_checkpoint_state_t *state, bool relative) {
  const char *newest = state->model_checkpoint_path ? state->model_checkpoint_path : "";
  relative |= !sli_path_is_absolute(directory);
  sli_string_t text = {0};
  put_string(&text, "model_checkpoint_path", relative ? below(directory, newest) : newest);
  bool listed = *newest == '\0';
  for (size_t i = 0; i < state->count; i++) {
    const char *path = state->all_paths[i];
    listed |= strcmp(path, newest) == 0;
    put_string(&text, "all_model_checkpoint_paths", relative ? below(directory, path) : path);
  }
  if (!listed) put_string(&text, "all_model_checkpoint_paths", relative ? below(directory, newest) : newest);
  for (size_t i = 0; state->timestamps && listed && i < state->count; i++)
    put_double(&text, "all_model_checkpoint_timestamps", state->timestamps[i]);
  if (state->last_preserved_timestamp != 0)
    put_double(&text, "last_preserved_timestamp", state->last_preserved_timestamp);

  char *path = state_path(directory, file_name);
  sli_status_t *status = sli_file_make_directories(directory);
  if (!status) status = sli_atomic_file_write(path, sli_view_of(text.data, text.size));
  free(path);
  sli_string_deinitialize(&text);
  return status;
}
