// All pods of a job have one headless service, so that pod I of the Job NAME-worker is found as NAME-worker-I.NAME.
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "cli/manifest/manifest_internal.h"

enum { LAST_PERMANENT_CODE = 127 };

static const sli_launch_task_t *next_kind(const sli_launch_plan_t *plan, const sli_launch_task_t *task) {
  const sli_launch_task_t *end = plan->tasks + plan->count, *next = task ? task : plan->tasks;
  while (next < end && task && !strcmp(next->job, task->job)) next++;
  return next < end ? next : NULL;
}

static int count_kind(const sli_launch_plan_t *plan, const char *job) {
  int count = 0;
  for (size_t i = 0; i < plan->count; i++) count += !strcmp(plan->tasks[i].job, job);
  return count;
}

static int port_of(const sli_launch_plan_t *plan) {
  for (size_t i = 0; i < plan->count; i++)
    if (plan->tasks[i].address) return (int)strtol(strrchr(plan->tasks[i].address, ':') + 1, NULL, 10);
  return SLI_MANIFEST_PORT;
}

// |text| with its last number, which is the index of task 0, replaced by that of the pod.
static void append_indexed(sli_string_t *out, const char *text) {
  sli_string_t quoted = {0};
  sli_manifest_append_quoted(&quoted, text, SLI_MANIFEST_KUBERNETES);
  const char *zero = strrchr(sli_string_text(&quoted), '0');
  sli_string_append(out, quoted.data, (size_t)(zero - quoted.data));
  sli_string_append_text(out, "$(TASK_INDEX)");
  sli_string_append_text(out, zero + 1);
  sli_string_deinitialize(&quoted);
}

// The variables of the pod with index TASK_INDEX; |task| is the one with index 0.
static void append_variables(sli_string_t *out, const sli_launch_plan_t *plan, const sli_launch_task_t *task,
                             const char *indent) {
  sli_string_append_format(out,
                           "%s- name: TASK_INDEX\n%s  valueFrom:\n%s    fieldRef:\n%s      fieldPath: "
                           "metadata.annotations['batch.kubernetes.io/job-completion-index']\n",
                           indent, indent, indent, indent);
  for (const char *const *name = sli_manifest_variables; *name; name++) {
    const char *value = sli_manifest_variable(task, *name);
    bool is_rank = !strcmp(*name, "RANK") || !strcmp(*name, "LOCAL_RANK");
    // With a chief, ranks of workers are not their indices, and a manifest cannot add.
    if (!value || (is_rank && strcmp(value, "0") != 0) || !strcmp(*name, "LOCAL_RANK")) continue;
    sli_string_append_format(out, "%s- name: %s\n%s  value: ", indent, *name, indent);
    if (is_rank || !strcmp(*name, "TF_CONFIG"))
      append_indexed(out, value);
    else
      sli_manifest_append_quoted(out, value, SLI_MANIFEST_KUBERNETES);
    sli_string_append_char(out, '\n');
  }
  (void)plan;
}

static void append_token(sli_string_t *out, const sli_manifest_options_t *options, const char *indent) {
  sli_string_append_format(out,
                           "%s- name: SLUICE_TOKEN\n%s  valueFrom:\n%s    secretKeyRef:\n%s      name: %s-token\n"
                           "%s      key: token\n%s      optional: true\n",
                           indent, indent, indent, indent, options->name, indent, indent);
}

static void append_command(sli_string_t *out, const sli_launch_task_t *task, bool indexed, const char *indent) {
  sli_string_append_format(out, "%scommand:\n", indent);
  for (char **word = task->argv; *word; word++) {
    sli_string_append_format(out, "%s- ", indent);
    bool is_index = indexed && !word[1] && sli_string_starts_with(*word, "--task_");
    if (is_index)
      append_indexed(out, *word);
    else
      sli_manifest_append_quoted(out, *word, SLI_MANIFEST_KUBERNETES);
    sli_string_append_char(out, '\n');
  }
}

static void append_container(sli_string_t *out, const sli_manifest_options_t *options, const sli_launch_plan_t *plan,
                             const char *indent) {
  sli_string_append_format(out, "%simage: ", indent);
  sli_manifest_append_quoted(out, options->image, SLI_MANIFEST_KUBERNETES);
  sli_string_append_format(out, "\n%sresources:\n", indent);
  static const char *const kinds[] = {"requests", "limits"};
  for (int i = 0; i < 2; i++)
    sli_string_append_format(out, "%s  %s:\n%s    cpu: \"%s\"\n%s    memory: \"%s\"\n", indent, kinds[i], indent,
                             options->cpus, indent, options->memory);
  sli_string_append_format(out,
                           "%ssecurityContext:\n%s  runAsNonRoot: true\n%s  allowPrivilegeEscalation: false\n"
                           "%s  capabilities:\n%s    drop: [\"ALL\"]\n",
                           indent, indent, indent, indent, indent);
  (void)plan;
}

static void append_probes(sli_string_t *out, int port, const char *indent) {
  // A task may take long to start, and must then reply.
  sli_string_append_format(
      out,
      "%sstartupProbe:\n%s  grpc:\n%s    port: %d\n%s  periodSeconds: 2\n%s  failureThreshold: 300\n"
      "%sreadinessProbe:\n%s  grpc:\n%s    port: %d\n%s  periodSeconds: 5\n"
      "%slivenessProbe:\n%s  grpc:\n%s    port: %d\n%s  periodSeconds: 20\n%s  failureThreshold: 6\n",
      indent, indent, indent, port, indent, indent, indent, indent, indent, port, indent, indent, indent, indent, port,
      indent, indent);
}

static void append_service(sli_string_t *out, const sli_manifest_options_t *options, int port) {
  sli_string_append_format(out,
                           "apiVersion: v1\nkind: Service\nmetadata:\n  name: %s\n  labels:\n    app: %s\nspec:\n"
                           "  clusterIP: None\n  publishNotReadyAddresses: true\n  selector:\n    app: %s\n  ports:\n"
                           "  - name: grpc\n    port: %d\n",
                           options->name, options->name, options->name, port);
}

// A code below 128 is an error that a retry does not cure.
static void append_failure_policy(sli_string_t *out) {
  sli_string_append_text(out,
                         "  podFailurePolicy:\n    rules:\n    - action: FailJob\n      onExitCodes:\n        "
                         "containerName: task\n        operator: In\n        values: [1");
  for (int code = 2; code <= LAST_PERMANENT_CODE; code++) sli_string_append_format(out, ", %d", code);
  sli_string_append_text(
      out,
      "]\n    - action: Ignore\n      onPodConditions:\n      - type: DisruptionTarget\n        status: \"True\"\n");
}

static void append_job(sli_string_t *out, const sli_manifest_options_t *options, const sli_launch_plan_t *plan,
                       const sli_launch_task_t *task) {
  int count = count_kind(plan, task->job);
  sli_string_append_format(
      out,
      "---\napiVersion: batch/v1\nkind: Job\nmetadata:\n  name: %s-%s\n  labels:\n    app: %s\nspec:\n"
      "  completionMode: Indexed\n  completions: %d\n  parallelism: %d\n  backoffLimit: %lld\n",
      options->name, task->job, options->name, count, count, (long long)(options->max_restarts * count));
  append_failure_policy(out);
  sli_string_append_format(out,
                           "  template:\n    metadata:\n      labels:\n        app: %s\n        task: %s\n    spec:\n"
                           "      subdomain: %s\n      restartPolicy: Never\n"
                           "      terminationGracePeriodSeconds: %d\n      containers:\n      - name: task\n",
                           options->name, task->job, options->name, (int)options->stop_grace);
  append_container(out, options, plan, "        ");
  append_command(out, task, true, "        ");
  sli_string_append_text(out, "        env:\n");
  append_variables(out, plan, task, "        ");
  append_token(out, options, "        ");
  if (!task->address) return;
  int port = port_of(plan);
  sli_string_append_format(out, "        ports:\n        - name: grpc\n          containerPort: %d\n", port);
  append_probes(out, port, "        ");
}

void sli_manifest_append_kubernetes(sli_string_t *out, const sli_manifest_options_t *options,
                                    const sli_launch_plan_t *plan) {
  sli_string_append_format(out,
                           "# kubectl create secret generic %s-token --from-literal=token=$(openssl rand -hex 32)\n"
                           "# kubectl apply -f -\n",
                           options->name);
  append_service(out, options, port_of(plan));
  for (const sli_launch_task_t *task = next_kind(plan, NULL); task; task = next_kind(plan, task))
    append_job(out, options, plan, task);
}

// --- Kubeflow ---

// TF_CONFIG is the operator's. Its restart policy ExitCode takes codes as we do: from 128 on they are worth a retry.
void sli_manifest_append_tfjob(sli_string_t *out, const sli_manifest_options_t *options,
                               const sli_launch_plan_t *plan) {
  static const char *const names[][2] = {
      {"ps", "PS"}, {"chief", "Chief"}, {"worker", "Worker"}, {"evaluator", "Evaluator"}};
  sli_string_append_format(out,
                           "apiVersion: kubeflow.org/v1\nkind: TFJob\nmetadata:\n  name: %s\nspec:\n  runPolicy:\n"
                           "    cleanPodPolicy: Running\n    backoffLimit: %lld\n  tfReplicaSpecs:\n",
                           options->name, (long long)options->max_restarts);
  for (const sli_launch_task_t *task = next_kind(plan, NULL); task; task = next_kind(plan, task)) {
    const char *kind = "Worker";
    for (size_t i = 0; i < 4; i++)
      if (!strcmp(names[i][0], task->job)) kind = names[i][1];
    sli_string_append_format(
        out,
        "    %s:\n      replicas: %d\n      restartPolicy: ExitCode\n      template:\n        spec:\n"
        "          terminationGracePeriodSeconds: %d\n          containers:\n"
        "          - name: tensorflow\n",
        kind, count_kind(plan, task->job), (int)options->stop_grace);
    append_container(out, options, plan, "            ");
    append_command(out, task, false, "            ");
    sli_string_append_text(out,
                           "            env:\n            - name: SLUICE_EXIT_WITH_JOB\n              value: \"1\"\n");
    append_token(out, options, "            ");
    if (!task->address) continue;
    sli_string_append_format(
        out, "            ports:\n            - name: tfjob-port\n              containerPort: %d\n", port_of(plan));
    append_probes(out, port_of(plan), "            ");
  }
}
