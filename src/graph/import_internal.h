// The part of the import that knows how nodes in the body of a function name their inputs (import_body.c).
#ifndef SLI_GRAPH_IMPORT_INTERNAL_H_
#define SLI_GRAPH_IMPORT_INTERNAL_H_

#include "graph/import.h"

// NULL: the function has no such argument, or |body| is NULL.
const sli_import_argument_t *sli_import_body_argument(const sli_import_body_t *body, sli_view_t name);
// Appends what |text| names; |node| is the node whose name it begins with, or NULL.
sli_status_t *sli_import_body_input(const sli_import_body_t *body, sli_node_t *node, sli_view_t text,
                                    sli_import_outputs_t *outputs);
sli_status_t *sli_import_not_in_body(sli_view_t text);

#endif  // SLI_GRAPH_IMPORT_INTERNAL_H_
