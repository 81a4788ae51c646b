// What the formats share.
#ifndef SLI_CLI_MANIFEST_MANIFEST_INTERNAL_H_
#define SLI_CLI_MANIFEST_MANIFEST_INTERNAL_H_

#include "cli/manifest/manifest.h"

// How a format writes a text in double quotes.
typedef enum {
  SLI_MANIFEST_KUBERNETES,   // YAML; $(NAME) is a variable, $$( is not
  SLI_MANIFEST_COMPOSE,      // YAML; $ is a variable, $$ is not
  SLI_MANIFEST_SYSTEMD,      // % and $ are doubled
  SLI_MANIFEST_ENVIRONMENT,  // of systemd: % is doubled
} sli_manifest_style_t;

void sli_manifest_append_quoted(sli_string_t *out, const char *text, sli_manifest_style_t style);
// The variable |name| of the task's environment; NULL: it has none.
const char *sli_manifest_variable(const sli_launch_task_t *task, const char *name);
// The variables of a job, in the order to write them; ends with NULL.
extern const char *const sli_manifest_variables[];

void sli_manifest_append_kubernetes(sli_string_t *out, const sli_manifest_options_t *options,
                                    const sli_launch_plan_t *plan);
void sli_manifest_append_tfjob(sli_string_t *out, const sli_manifest_options_t *options, const sli_launch_plan_t *plan);
void sli_manifest_append_compose(sli_string_t *out, const sli_manifest_options_t *options,
                                 const sli_launch_plan_t *plan);
void sli_manifest_append_systemd(sli_string_t *out, const sli_manifest_options_t *options,
                                 const sli_launch_plan_t *plan);

#endif  // SLI_CLI_MANIFEST_MANIFEST_INTERNAL_H_
