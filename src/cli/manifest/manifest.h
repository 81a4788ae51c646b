// The job of a plan as a manifest for Kubernetes, Kubeflow, Compose or systemd.
#ifndef SLI_CLI_MANIFEST_MANIFEST_H_
#define SLI_CLI_MANIFEST_MANIFEST_H_

#include <stdint.h>

#include "base/string.h"
#include "cli/launch/launch_plan.h"

enum { SLI_MANIFEST_PORT = 2222 };

typedef struct {
  const char *name;       // of the job, and the beginning of all names: lower-case letters, digits and '-'
  const char *image;      // of containers
  const char *cpus;       // of each task: "2", "0.5"
  const char *memory;     // "4Gi"
  int64_t max_restarts;   // of a task that ends with 128 or above, or by a signal
  double stop_grace;      // seconds
  const char *directory;  // where systemd runs the tasks
} sli_manifest_options_t;

// The formats that there are; ends with NULL.
extern const char *const sli_manifest_formats[];
// Whether the tasks of |format| run in containers.
bool sli_manifest_is_contained(const char *format);

// Gives the tasks of |plan| addresses as |format| has them, finishes the plan and appends the manifest.
// INVALID_ARGUMENT if the name cannot be used.
sli_status_t *sli_manifest_append(const char *format, const sli_manifest_options_t *options,
                                  const sli_launch_request_t *request, sli_launch_plan_t *plan, sli_string_t *out);

#endif  // SLI_CLI_MANIFEST_MANIFEST_H_
