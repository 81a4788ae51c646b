// Summaries of values for TensorBoard, and the event files that hold them.
#ifndef SLUICE_SUMMARY_H_
#define SLUICE_SUMMARY_H_

#include "sluice/math.h"

SL_BEGIN_DECLS

// A serialized summary of a scalar under |tag|, made unique and set behind the name scope; added to SL_SUMMARIES.
SL_EXPORT TF_Output sl_summary_scalar_with(sl_scope_t *scope, const char *tag, TF_Output value);
#define sl_summary_scalar(scope, tag, value) sl_summary_scalar_with(SL_AT(scope), (tag), (value))
// All of SL_SUMMARIES in one; empty if there are none.
SL_EXPORT TF_Output sl_summary_merge_all_with(sl_scope_t *scope);
#define sl_summary_merge_all(scope) sl_summary_merge_all_with(SL_AT(scope))

// Writes an event file of its own in |directory|, which is made if need be. Thread-safe; blocks. As
// tf.summary.FileWriter.
typedef struct sl_file_writer sl_file_writer_t;
SL_EXPORT sl_file_writer_t *sl_file_writer_open(const char *directory, TF_Status *status);
// |summary|: a serialized Summary, as the ops above give.
SL_EXPORT void sl_file_writer_add_summary(sl_file_writer_t *writer, const void *summary, size_t size, int64_t step,
                                          TF_Status *status);
SL_EXPORT void sl_file_writer_add_scalar(sl_file_writer_t *writer, const char *tag, float value, int64_t step,
                                         TF_Status *status);
SL_EXPORT void sl_file_writer_add_graph(sl_file_writer_t *writer, TF_Graph *graph, TF_Status *status);
// Notes that a checkpoint was written.
SL_EXPORT void sl_file_writer_add_checkpoint(sl_file_writer_t *writer, const char *path, int64_t step,
                                             TF_Status *status);
// Notes that a session starts at |step|: what was written of later steps before counts no more.
SL_EXPORT void sl_file_writer_add_session_start(sl_file_writer_t *writer, int64_t step, TF_Status *status);
// The statistics of a step, a serialized RunMetadata, under |tag|.
SL_EXPORT void sl_file_writer_add_run_metadata(sl_file_writer_t *writer, const TF_Buffer *metadata, const char *tag,
                                               int64_t step, TF_Status *status);
// What was added can then be read by others.
SL_EXPORT void sl_file_writer_flush(sl_file_writer_t *writer, TF_Status *status);
// Flushes, closes and releases. NULL is fine.
SL_EXPORT void sl_file_writer_close(sl_file_writer_t *writer, TF_Status *status);

SL_END_DECLS

#endif  // SLUICE_SUMMARY_H_
