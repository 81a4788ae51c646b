// sluice inspect: what its parts share. A kind of file has one function that
// collects a report, a JSON object, and one that prints that report for people:
// both outputs say the same, because there is one source.
#ifndef SLI_CLI_INSPECT_H_
#define SLI_CLI_INSPECT_H_

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "io/compression.h"

typedef struct {
  const char *values;  // a tensor to print; or NULL
  const char *plot;    // a tag to draw; or NULL
  bool verify, json;
  bool all;       // show everything
  int64_t limit;  // rows of a list, Examples, values; 0: as many as is usual
} sli_inspect_options_t;

// How many to show of what usually shows |usual|; INT64_MAX for all.
static inline int64_t sli_inspect_limit(const sli_inspect_options_t *options, int64_t usual) {
  return options->all ? INT64_MAX : options->limit ? options->limit : usual;
}

typedef enum {
  SLI_INSPECT_CHECKPOINT,
  SLI_INSPECT_EVENTS,
  SLI_INSPECT_RECORDS,
  SLI_INSPECT_GRAPH,  // GraphDef, MetaGraphDef or SavedModel
} sli_inspect_kind_t;

// What there is to look at. Owns its path.
typedef struct {
  sli_inspect_kind_t kind;
  char *path;                     // a file, or a checkpoint's prefix
  sli_compression_t compression;  // of records
} sli_inspect_subject_t;

// Finds out what |path| is, by its bytes first and by its name where these leave a doubt. NOT_FOUND when there is
// nothing, INVALID_ARGUMENT when it is of no known kind: one line that says what to do. Blocks.
sli_status_t *sli_inspect_find(const char *path, sli_inspect_subject_t *out_subject);
void sli_inspect_subject_deinitialize(sli_inspect_subject_t *subject);

// Collect: fill |report|. A failure means that there is nothing to show; damage behind which there is something to
// show goes into the report as "damage", and what makes the command fail as "problem". All block.
sli_status_t *sli_inspect_checkpoint(const sli_inspect_subject_t *subject, const sli_inspect_options_t *options,
                                     json_t *report);
sli_status_t *sli_inspect_events(const sli_inspect_subject_t *subject, const sli_inspect_options_t *options,
                                 json_t *report);
sli_status_t *sli_inspect_records(const sli_inspect_subject_t *subject, const sli_inspect_options_t *options,
                                  json_t *report);
sli_status_t *sli_inspect_graph(const sli_inspect_subject_t *subject, const sli_inspect_options_t *options,
                                json_t *report);

// Print a report of theirs on stdout.
void sli_inspect_checkpoint_print(const json_t *report, const sli_inspect_options_t *options);
void sli_inspect_events_print(const json_t *report, const sli_inspect_options_t *options);
void sli_inspect_records_print(const json_t *report, const sli_inspect_options_t *options);
void sli_inspect_graph_print(const json_t *report, const sli_inspect_options_t *options);

#endif  // SLI_CLI_INSPECT_H_
