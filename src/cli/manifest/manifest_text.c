#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "cli/manifest/manifest_internal.h"

// --- Texts ---

const char *const sli_manifest_variables[] = {"TF_CONFIG", "RANK", "LOCAL_RANK", "WORLD_SIZE", "SLUICE_EXIT_WITH_JOB",
                                              NULL};

void sli_manifest_append_quoted(sli_string_t *out, const char *text, sli_manifest_style_t style) {
  sli_string_append_char(out, '"');
  for (; *text; text++) {
    unsigned char letter = (unsigned char)*text;
    bool doubled = (letter == '$' && style == SLI_MANIFEST_COMPOSE) ||
                   (letter == '$' && style == SLI_MANIFEST_KUBERNETES && text[1] == '(') ||
                   (letter == '$' && style == SLI_MANIFEST_SYSTEMD) ||
                   (letter == '%' && (style == SLI_MANIFEST_SYSTEMD || style == SLI_MANIFEST_ENVIRONMENT));
    if (letter < 0x20 || letter == 0x7f)
      sli_string_append_format(out, "\\x%02x", letter);
    else if (letter == '"' || letter == '\\')
      sli_string_append_format(out, "\\%c", letter);
    else
      sli_string_append_char(out, *text);
    if (doubled) sli_string_append_char(out, *text);
  }
  sli_string_append_char(out, '"');
}

const char *sli_manifest_variable(const sli_launch_task_t *task, const char *name) {
  size_t length = strlen(name);
  for (char **variable = task->environment; *variable; variable++)
    if (!strncmp(*variable, name, length) && (*variable)[length] == '=') return *variable + length + 1;
  return NULL;
}

// --- Formats ---

typedef struct {
  const char *name;
  bool contained;
  void (*append)(sli_string_t *out, const sli_manifest_options_t *options, const sli_launch_plan_t *plan);
} format_t;

static const format_t formats[] = {{"kubernetes", true, sli_manifest_append_kubernetes},
                                   {"tfjob", true, sli_manifest_append_tfjob},
                                   {"compose", true, sli_manifest_append_compose},
                                   {"systemd", false, sli_manifest_append_systemd}};
const char *const sli_manifest_formats[] = {"kubernetes", "tfjob", "compose", "systemd", NULL};

static const format_t *find_format(const char *name) {
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(formats); i++)
    if (!strcmp(formats[i].name, name)) return &formats[i];
  return NULL;
}

bool sli_manifest_is_contained(const char *format) { return find_format(format)->contained; }

// A name that is a DNS label, with room for "-evaluator-1000".
static sli_status_t *check_name(const char *name) {
  bool good = islower((unsigned char)name[0]) && strlen(name) <= 40 && name[strlen(name) - 1] != '-';
  for (const char *at = name; *at; at++)
    good = good && (islower((unsigned char)*at) || isdigit((unsigned char)*at) || *at == '-');
  if (good) return NULL;
  return sli_status_make(
      SLI_INVALID_ARGUMENT,
      "--name must have 1 to 40 lower-case letters, digits and '-', beginning with a letter, got '%s'", name);
}

// systemd: by the hosts, one port after the other.
static void set_host_ports(const sli_launch_request_t *request, sli_launch_plan_t *plan) {
  int first = request->first_port ? (int)request->first_port : SLI_MANIFEST_PORT;
  for (int host = -1; host < (request->hosts ? (int)request->hosts->count : 0); host++)
    for (size_t i = 0, used = 0; i < plan->count; i++) {
      sli_launch_task_t *task = &plan->tasks[i];
      if (task->host != host || !strcmp(task->job, "evaluator")) continue;
      task->address =
          sli_format("%s:%d", host < 0 ? "localhost" : request->hosts->items[host].address, first + (int)used++);
    }
}

sli_status_t *sli_manifest_append(const char *format, const sli_manifest_options_t *options,
                                  const sli_launch_request_t *request, sli_launch_plan_t *plan, sli_string_t *out) {
  SLI_RETURN_IF_ERROR(check_name(options->name));
  int port = request->first_port ? (int)request->first_port : SLI_MANIFEST_PORT;
  bool contained = sli_manifest_is_contained(format);
  if (!contained) set_host_ports(request, plan);
  for (size_t i = 0; i < plan->count && contained; i++) {
    sli_launch_task_t *task = &plan->tasks[i];
    if (!strcmp(task->job, "evaluator")) continue;
    if (!strcmp(format, "compose"))
      task->address = sli_format("%s-%d:%d", task->job, task->index, port);
    else
      task->address = sli_format("%s-%s-%d.%s:%d", options->name, task->job, task->index, options->name, port);
  }
  SLI_RETURN_IF_ERROR(sli_launch_plan_finish(plan, request));
  find_format(format)->append(out, options, plan);
  return NULL;
}
