#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "cli/manifest/manifest_internal.h"

enum { LAST_PERMANENT_CODE = 127 };

// --- Compose ---

void sli_manifest_append_compose(sli_string_t *out, const sli_manifest_options_t *options,
                                 const sli_launch_plan_t *plan) {
  sli_string_append_format(out, "# SLUICE_TOKEN=$(openssl rand -hex 32) docker compose -f - up\nname: %s\nservices:\n",
                           options->name);
  for (size_t i = 0; i < plan->count; i++) {
    const sli_launch_task_t *task = &plan->tasks[i];
    sli_string_append_format(out, "  %s-%d:\n    image: ", task->job, task->index);
    sli_manifest_append_quoted(out, options->image, SLI_MANIFEST_COMPOSE);
    sli_string_append_text(out, "\n    command:\n");
    for (char **word = task->argv; *word; word++) {
      sli_string_append_text(out, "    - ");
      sli_manifest_append_quoted(out, *word, SLI_MANIFEST_COMPOSE);
      sli_string_append_char(out, '\n');
    }
    sli_string_append_text(out, "    environment:\n");
    for (const char *const *name = sli_manifest_variables; *name; name++) {
      const char *value = sli_manifest_variable(task, *name);
      if (!value) continue;
      sli_string_append_format(out, "      %s: ", *name);
      sli_manifest_append_quoted(out, value, SLI_MANIFEST_COMPOSE);
      sli_string_append_char(out, '\n');
    }
    sli_string_append_text(out, "      SLUICE_TOKEN: \"${SLUICE_TOKEN:-}\"\n");
    sli_string_append_format(out,
                             "    stop_grace_period: %ds\n    restart: \"on-failure:%lld\"\n    deploy:\n"
                             "      resources:\n        limits:\n          cpus: \"%s\"\n          memory: \"%s\"\n",
                             (int)options->stop_grace, (long long)options->max_restarts, options->cpus,
                             options->memory);
    if (task->address)
      sli_string_append_format(out,
                               "    healthcheck:\n      test: [\"CMD\", \"sluice\", \"status\", \"localhost%s\"]\n"
                               "      interval: 10s\n      timeout: 10s\n      retries: 6\n      start_period: 60s\n",
                               strrchr(task->address, ':'));
  }
}

// --- systemd ---

// "4Gi" as systemd writes it: "4G".
static void append_bytes(sli_string_t *out, const char *memory) {
  size_t length = strlen(memory);
  if (length && memory[length - 1] == 'i') length--;
  sli_string_append(out, memory, length);
}

static void append_unit(sli_string_t *out, const sli_manifest_options_t *options, const sli_launch_task_t *task) {
  const char *at = strchr(task->label, '@');
  sli_string_append_format(out,
                           "# /etc/systemd/system/%s-%s-%d.service%s%s\n[Unit]\nDescription=%s of the job %s\n"
                           "PartOf=%s.target\nAfter=network-online.target\nWants=network-online.target\n"
                           "StartLimitIntervalSec=0\n\n[Service]\nType=exec\nExecStart=",
                           options->name, task->job, task->index, at ? " on " : "", at ? at + 1 : "", task->name,
                           options->name, options->name);
  for (char **word = task->argv; *word; word++) {
    if (word != task->argv) sli_string_append_char(out, ' ');
    sli_manifest_append_quoted(out, *word, SLI_MANIFEST_SYSTEMD);
  }
  sli_string_append_char(out, '\n');
  if (options->directory) sli_string_append_format(out, "WorkingDirectory=%s\n", options->directory);
  for (const char *const *name = sli_manifest_variables; *name; name++) {
    const char *value = sli_manifest_variable(task, *name);
    if (!value) continue;
    char *variable = sli_format("%s=%s", *name, value);
    sli_string_append_text(out, "Environment=");
    sli_manifest_append_quoted(out, variable, SLI_MANIFEST_ENVIRONMENT);
    sli_string_append_char(out, '\n');
    free(variable);
  }
  // Codes below 128 are errors that a retry does not cure.
  sli_string_append_format(
      out, "EnvironmentFile=-/etc/%s.env\nRestart=on-failure\nRestartSec=2\nRestartPreventExitStatus=", options->name);
  for (int code = 1; code <= LAST_PERMANENT_CODE; code++)
    sli_string_append_format(out, "%s%d", code > 1 ? " " : "", code);
  sli_string_append_format(out, "\nTimeoutStopSec=%d\nMemoryMax=", (int)options->stop_grace);
  append_bytes(out, options->memory);
  sli_string_append_format(out, "\nCPUQuota=%d%%\nNoNewPrivileges=yes\n\n[Install]\nWantedBy=%s.target\n\n",
                           (int)(strtod(options->cpus, NULL) * 100), options->name);
}

void sli_manifest_append_systemd(sli_string_t *out, const sli_manifest_options_t *options,
                                 const sli_launch_plan_t *plan) {
  sli_string_append_format(out,
                           "# /etc/%s.env, mode 0600, on each host: SLUICE_TOKEN=…\n"
                           "# /etc/systemd/system/%s.target on each host\n"
                           "[Unit]\nDescription=the job %s\n\n[Install]\nWantedBy=multi-user.target\n\n",
                           options->name, options->name, options->name);
  for (size_t i = 0; i < plan->count; i++) append_unit(out, options, &plan->tasks[i]);
}
