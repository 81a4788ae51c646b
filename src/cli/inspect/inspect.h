// What the parts of `sluice inspect` share. Each kind of file has a function that collects a report, a JSON object, and
// one that prints this report as text, so that both outputs agree.
#ifndef SLI_CLI_INSPECT_INSPECT_H_
#define SLI_CLI_INSPECT_INSPECT_H_

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "io/file/compression.h"

typedef struct {
  const char *values;  // name of a tensor to print, or NULL
  const char *plot;    // tag of a scalar to draw, or NULL
  bool verify, json;
  bool all;       // show everything
  int64_t limit;  // most rows of a list, Examples and values to show; 0: the defaults
} sli_inspect_options_t;

// How many to show of something that is limited to |usual| by default; INT64_MAX for all.
static inline int64_t sli_inspect_limit(const sli_inspect_options_t *options, int64_t usual) {
  return options->all ? INT64_MAX : options->limit ? options->limit : usual;
}

typedef enum {
  SLI_INSPECT_CHECKPOINT,
  SLI_INSPECT_EVENTS,
  SLI_INSPECT_RECORDS,
  SLI_INSPECT_GRAPH,  // GraphDef, MetaGraphDef or SavedModel
} sli_inspect_kind_t;

// The file or checkpoint to inspect. Owns its path.
typedef struct {
  sli_inspect_kind_t kind;
  char *path;                     // a file, or a checkpoint's prefix
  sli_compression_t compression;  // of a TFRecord file
} sli_inspect_subject_t;

// Finds out what |path| is, by its bytes first and by its name if these do not decide. NOT_FOUND if there is no such
// file or checkpoint, INVALID_ARGUMENT if it is of no known kind; the message says what to do. Blocks.
sli_status_t *sli_inspect_find(const char *path, sli_inspect_subject_t *out_subject);
void sli_inspect_subject_deinitialize(sli_inspect_subject_t *subject);

// These fill |report|. They fail if there is nothing to show. If part of a damaged file can be shown, the report has
// "damage"; if the command should fail, it has "problem". They block.
sli_status_t *sli_inspect_checkpoint(const sli_inspect_subject_t *subject, const sli_inspect_options_t *options,
                                     json_t *report);
sli_status_t *sli_inspect_events(const sli_inspect_subject_t *subject, const sli_inspect_options_t *options,
                                 json_t *report);
sli_status_t *sli_inspect_records(const sli_inspect_subject_t *subject, const sli_inspect_options_t *options,
                                  json_t *report);
sli_status_t *sli_inspect_graph(const sli_inspect_subject_t *subject, const sli_inspect_options_t *options,
                                json_t *report);

// These print such a report on stdout.
void sli_inspect_checkpoint_print(const json_t *report, const sli_inspect_options_t *options);
void sli_inspect_events_print(const json_t *report, const sli_inspect_options_t *options);
void sli_inspect_records_print(const json_t *report, const sli_inspect_options_t *options);
void sli_inspect_graph_print(const json_t *report, const sli_inspect_options_t *options);

#endif  // SLI_CLI_INSPECT_INSPECT_H_
