#include "cli/launch/launch_hosts.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/string.h"

enum { MAX_HOSTS = 10000, MAX_SLOTS = 1000, MAX_BRACKETS = 8 };

// --- Names ---

// No name can be taken for an option of ssh or for a part of a shell command.
static bool is_host_name(sli_view_t name) {
  if (name.size == 0 || name.size > 255 || name.data[0] == '-') return false;
  for (size_t i = 0; i < name.size; i++)
    if (!isalnum((unsigned char)name.data[i]) && !strchr("-._@:%[]", name.data[i])) return false;
  return true;
}

static sli_status_t *add_host(sli_launch_host_list_t *list, sli_view_t name, int slots) {
  if (!is_host_name(name))
    return sli_status_make(SLI_INVALID_ARGUMENT, "'%.*s' is not a name of a host", SLI_VIEW_ARG(name));
  for (size_t i = 0; i < list->count; i++) {
    sli_launch_host_t *host = &list->items[i];
    if (!sli_view_is(name, host->name)) continue;
    host->slots = host->slots && slots ? host->slots + slots : 0;
    return NULL;
  }
  if (list->count == MAX_HOSTS) return sli_status_make(SLI_INVALID_ARGUMENT, "there are more than %d hosts", MAX_HOSTS);
  sli_view_t user, address;
  if (!sli_view_split(name, '@', &user, &address)) address = name;
  bool is_six = memchr(address.data, ':', address.size) && address.data[0] != '[';
  sli_launch_host_t host = {.name = sli_format("%.*s", SLI_VIEW_ARG(name)),
                            .address = sli_format(is_six ? "[%.*s]" : "%.*s", SLI_VIEW_ARG(address)),
                            .slots = slots};
  sli_array_push(list, host);
  return NULL;
}

static sli_status_t *parse_slots(sli_view_t text, sli_view_t word, int *out_slots) {
  int64_t slots;
  *out_slots = 0;
  if (!sli_view_to_int64(text, &slots) || slots < 1 || slots > MAX_SLOTS)
    return sli_status_make(SLI_INVALID_ARGUMENT, "the number of tasks in '%.*s' must be 1 to %d, got '%.*s'",
                           SLI_VIEW_ARG(word), MAX_SLOTS, SLI_VIEW_ARG(text));
  *out_slots = (int)slots;
  return NULL;
}

// "h1", "h1:4", "me@h1:4", "[fd77::1]:4", "fd77::1".
static sli_status_t *add_word(sli_launch_host_list_t *list, sli_view_t word) {
  const char *end = word.data + word.size, *bracket = memchr(word.data, ']', word.size);
  const char *colon = bracket ? bracket + 1 : memchr(word.data, ':', word.size);
  bool has_slots =
      colon && colon < end && *colon == ':' && (bracket || !memchr(colon + 1, ':', (size_t)(end - colon) - 1));
  int slots = 0;
  if (has_slots) SLI_RETURN_IF_ERROR(parse_slots(sli_view_of(colon + 1, (size_t)(end - colon) - 1), word, &slots));
  sli_view_t name = sli_view_of(word.data, has_slots ? (size_t)(colon - word.data) : word.size);
  // ssh wants the address without brackets.
  if (bracket && name.data[0] == '[' && bracket == name.data + name.size - 1)
    name = sli_view_of(name.data + 1, name.size - 2);
  return add_host(list, name, slots);
}

sli_status_t *sli_launch_host_list_parse(sli_launch_host_list_t *list, const char *text) {
  sli_view_t rest = sli_view(text), word;
  for (bool more = true; more;) {
    more = sli_view_split(rest, ',', &word, &rest);
    SLI_RETURN_IF_ERROR(add_word(list, sli_view_trim(word)));
  }
  return NULL;
}

// --- Files ---

static sli_status_t *add_line(sli_launch_host_list_t *list, sli_view_t line) {
  sli_view_t comment, word, rest;
  sli_view_split(line, '#', &line, &comment);
  line = sli_view_trim(line);
  if (line.size == 0) return NULL;
  size_t length = 0;
  while (length < line.size && !isspace((unsigned char)line.data[length])) length++;
  word = sli_view_of(line.data, length);
  rest = sli_view_trim(sli_view_of(line.data + length, line.size - length));
  if (rest.size == 0) return add_word(list, word);
  if (!sli_view_starts_with(rest, "slots="))
    return sli_status_make(SLI_INVALID_ARGUMENT, "after the name there may only be slots=N, got '%.*s'",
                           SLI_VIEW_ARG(rest));
  int slots;
  SLI_RETURN_IF_ERROR(parse_slots(sli_view_of(rest.data + 6, rest.size - 6), rest, &slots));
  return add_host(list, word, slots);
}

sli_status_t *sli_launch_host_list_read(sli_launch_host_list_t *list, const char *path) {
  FILE *file = fopen(path, "re");
  if (!file) return sli_status_from_errno(errno, "cannot read the host file '%s'", path);
  sli_status_t *status = NULL;
  char line[1024];
  for (int number = 1; !status && fgets(line, sizeof(line), file); number++)
    status = sli_status_prefix(add_line(list, sli_view(line)), "%s:%d: ", path, number);
  fclose(file);
  if (!status && list->count == 0) status = sli_status_make(SLI_INVALID_ARGUMENT, "'%s' names no host", path);
  return status;
}

// --- Slurm ---

bool sli_launch_is_in_slurm_job(void) { return getenv("SLURM_JOB_ID") && getenv("SLURM_JOB_NODELIST"); }

static sli_status_t *bad_node_list(sli_view_t text) {
  return sli_status_make(SLI_INVALID_ARGUMENT, "SLURM_JOB_NODELIST has '%.*s', which is not a list of nodes",
                         SLI_VIEW_ARG(text));
}

static sli_status_t *add_nodes(sli_launch_host_list_t *list, const char *prefix, sli_view_t rest, int depth);

// One item in brackets, "7" or "007-012", between |prefix| and |rest|.
static sli_status_t *add_range(sli_launch_host_list_t *list, const char *prefix, sli_view_t range, sli_view_t rest,
                               int depth) {
  sli_view_t low, high;
  if (!sli_view_split(range, '-', &low, &high)) high = low;
  int64_t first, last;
  if (!sli_view_to_int64(low, &first) || !sli_view_to_int64(high, &last) || first < 0 || last < first ||
      last - first >= MAX_HOSTS)
    return bad_node_list(range);
  sli_status_t *status = NULL;
  for (int64_t i = first; i <= last && !status; i++) {
    char *longer = sli_format("%s%0*lld", prefix, (int)low.size, (long long)i);
    status = add_nodes(list, longer, rest, depth + 1);
    free(longer);
  }
  return status;
}

// The nodes of one word, whose beginning is already written out in |prefix|: "n[1-3,7]", "r[1-2]n[01-16]".
static sli_status_t *add_nodes(sli_launch_host_list_t *list, const char *prefix, sli_view_t rest, int depth) {
  sli_view_t head, inside, range;
  if (depth > MAX_BRACKETS) return bad_node_list(rest);
  bool brackets = sli_view_split(rest, '[', &head, &rest);
  char *name = sli_format("%s%.*s", prefix, SLI_VIEW_ARG(head));
  sli_status_t *status = NULL;
  if (!brackets) {
    status = add_host(list, sli_view(name), 0);
  } else if (!sli_view_split(rest, ']', &inside, &rest)) {
    status = bad_node_list(rest);
  } else {
    for (bool more = true; more && !status;) {
      more = sli_view_split(inside, ',', &range, &inside);
      status = add_range(list, name, range, rest, depth);
    }
  }
  free(name);
  return status;
}

// The position of the next comma that is not in brackets.
static size_t word_length(sli_view_t text) {
  bool inside = false;
  for (size_t i = 0; i < text.size; i++) {
    if (text.data[i] == '[') inside = true;
    if (text.data[i] == ']') inside = false;
    if (text.data[i] == ',' && !inside) return i;
  }
  return text.size;
}

// Numbers for each node, "4(x2),3": the one of node |index|, or 0.
static int number_of_node(const char *text, size_t index) {
  sli_view_t rest = sli_view(text), word;
  size_t passed = 0;
  for (bool more = text != NULL; more;) {
    more = sli_view_split(rest, ',', &word, &rest);
    sli_view_t number, times;
    int64_t value, repeats = 1;
    bool repeated = sli_view_split(word, '(', &number, &times);
    if (repeated && (times.size < 3 || !sli_view_to_int64(sli_view_of(times.data + 1, times.size - 2), &repeats)))
      return 0;
    if (!sli_view_to_int64(number, &value) || value < 0 || value > INT32_MAX || repeats < 1) return 0;
    passed += (size_t)repeats;
    if (index < passed) return (int)value;
  }
  return 0;
}

sli_status_t *sli_launch_host_list_read_slurm(sli_launch_host_list_t *list) {
  sli_view_t rest = sli_view(getenv("SLURM_JOB_NODELIST"));
  while (rest.size) {
    size_t length = word_length(rest);
    SLI_RETURN_IF_ERROR(add_nodes(list, "", sli_view_of(rest.data, length), 0));
    size_t used = length < rest.size ? length + 1 : length;
    rest = sli_view_of(rest.data + used, rest.size - used);
  }
  // Slurm sets the tasks of each node always, but they mean something only if the user asked for tasks.
  bool has_tasks = getenv("SLURM_NTASKS") != NULL;
  for (size_t i = 0; i < list->count; i++) {
    if (has_tasks) list->items[i].slots = number_of_node(getenv("SLURM_TASKS_PER_NODE"), i);
    list->items[i].cpus = number_of_node(getenv("SLURM_JOB_CPUS_PER_NODE"), i);
  }
  return list->count ? NULL : bad_node_list(rest);
}

// --- The list ---

int sli_launch_host_list_slots(const sli_launch_host_list_t *list) {
  int sum = 0;
  for (size_t i = 0; i < list->count; i++) {
    if (list->items[i].slots == 0) return 0;
    sum += list->items[i].slots;
  }
  return sum;
}

void sli_launch_host_list_deinitialize(sli_launch_host_list_t *list) {
  for (size_t i = 0; i < list->count; i++) {
    free(list->items[i].name);
    free(list->items[i].address);
  }
  sli_array_deinitialize(list);
}
