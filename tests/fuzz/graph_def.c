// GraphDefs: import with all checks and shape functions. The export of an accepted graph must be accepted again.
#include <stdio.h>

#include "graph/import.h"
#include "tests/fuzz/fuzz.h"

void fuzz_one(const uint8_t *data, size_t size) {
  sli_graph_t *graph = sli_graph_create();
  sli_status_t *status = sli_graph_import(graph, sli_view_of((const char *)data, size), NULL, NULL);
  if (!status) {
    sli_string_t exported = {0};
    sli_graph_export(graph, &exported);
    sli_graph_t *again = sli_graph_create();
    sli_status_t *second = sli_graph_import(again, sli_view_of(exported.data, exported.size), NULL, NULL);
    if (second) fprintf(stderr, "exported, not accepted: %s\n", sli_status_message(second));
    SLI_CHECK(!second);
    sli_graph_release(again);
    sli_string_deinitialize(&exported);
  }
  fuzz_ignore(status);
  sli_graph_release(graph);
}
